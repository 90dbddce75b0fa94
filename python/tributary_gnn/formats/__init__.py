"""What a delivered batch becomes for its user: a format by name.

A format is a module with a function `converter(request)`, which returns a function from a
`Batch` to the user's object. It is called once for each loader, so that a missing package
is found before the first batch. To add one: a module, and its name in `_MODULES`.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any, Callable

import numpy

from ..batch import Batch
from ..graph_types import GraphTypes

_MODULES = {"numpy": "numpy_format"}

Converter = Callable[[Batch], Any]


@dataclasses.dataclass(frozen=True)
class Request:
    """What a loader asks of a format: the types of the graph; whether tensors are read-only
    views of the receive ring instead of copies; PyG's input_id, a number for each input, by
    which batches name their inputs instead of their place in the list."""

    types: GraphTypes
    zero_copy: bool = False
    input_id: numpy.ndarray | None = None


def check_name(name: str) -> None:
    """Raises ValueError if there is no format that is called `name`."""
    if name not in _MODULES:
        raise ValueError(f"format is {name!r}; allowed: {', '.join(map(repr, sorted(_MODULES)))}")


def converter(name: str, request: Request) -> Converter:
    """Returns the function of the format that is called `name`.

    Raises:
      ValueError: there is no such format.
      ImportError: the package that it needs is not installed.
    """
    check_name(name)
    return importlib.import_module("." + _MODULES[name], __name__).converter(request)
