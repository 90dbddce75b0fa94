"""What a delivered batch becomes for its user: a format by name.

A format is a module with the functions `check(placement)`, which refuses what the format
cannot do; `converter(request)`, which returns a function from a `Batch` to the user's object;
and `array_maker(request)`, which returns one from an array of NumPy's to the user's. They are
called once for each loader: `check` before anything is opened, so that a missing package or
GPU costs no connection. To add one: a module, and its name in `_MODULES`.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import types
from typing import Any, Callable, Iterable, Iterator, Mapping

import numpy

from ..batch import Batch, Tensor
from ..graph_types import GraphTypes

_MODULES = {"numpy": "numpy_format", "torch": "torch_format", "pyg": "pyg_format"}
# The package that a format needs; the first that is installed is the default.
_NEEDS = {"pyg": "torch_geometric", "torch": "torch"}

Converter = Callable[[Batch], Any]
ArrayMaker = Callable[[numpy.ndarray], Any]


@dataclasses.dataclass(frozen=True)
class Placement:
    """Where the tensors of a batch are to be.

    zero_copy: they are read-only views of the receive ring instead of copies.
    pin_memory: copies are in page-locked memory.
    to_device: the device that they are copied to, as torch.device takes it.
    """

    zero_copy: bool = False
    pin_memory: bool = False
    to_device: Any = None


@dataclasses.dataclass(frozen=True)
class Request:
    """What a loader asks of a format.

    types: the types of the graph.
    schema: the graph's schema (docs/graph-format.md).
    placement: where tensors are to be; `check` has seen it.
    input_id: PyG's, a number for each input, by which batches name their inputs instead of
      their place in the list.
    names: what columns are called instead, by their own names, in the objects of PyG.
    drop: columns that the user does not get.
    """

    types: GraphTypes
    schema: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    placement: Placement = Placement()
    input_id: numpy.ndarray | None = None
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    drop: tuple[str, ...] = ()

    def wanted(self, tensors: Iterable[Tensor]) -> Iterator[Tensor]:
        """Yields those of the tensors of a batch that the user gets."""
        return (tensor for tensor in tensors if tensor.name.partition("/")[0] not in self.drop)


def choose(name: str | None) -> str:
    """Returns the name of a format; for None "pyg" if torch_geometric is installed, else
    "torch" if torch is, else "numpy".

    Raises:
      ValueError: there is no such format.
    """
    if name is None:
        return next((known for known, package in _NEEDS.items()
                     if importlib.util.find_spec(package)), "numpy")
    if name not in _MODULES:
        raise ValueError(f"format is {name!r}; allowed: {', '.join(map(repr, sorted(_MODULES)))}")
    return name


def check(name: str, placement: Placement) -> None:
    """Sees that the format that is called `name` can put tensors there.

    Raises:
      ValueError: it cannot, for options that exclude each other or a device that is not here.
      ImportError: the package that it needs is not installed.
    """
    _module(name).check(placement)


def converter(name: str, request: Request) -> Converter:
    """Returns the function of the format that is called `name`.

    Raises:
      ImportError: the package that it needs is not installed.
    """
    return _module(name).converter(request)


def array_maker(name: str, request: Request) -> ArrayMaker:
    """Returns the function of the format that makes the user's array or tensor of an array
    of NumPy's, which may share its memory. It raises what `converter` does."""
    return _module(name).array_maker(request)


def _module(name: str) -> types.ModuleType:
    try:
        return importlib.import_module("." + _MODULES[name], __name__)
    except ModuleNotFoundError as error:
        raise ImportError(f"format {name!r} needs the package {error.name}, which is not "
                          "installed; allowed here: 'numpy', or install it") from error
