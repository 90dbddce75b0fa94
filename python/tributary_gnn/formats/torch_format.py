"""Batches as torch tensors."""

from __future__ import annotations

from typing import Any, Callable

import numpy
import torch

from .._memory import ask_for_huge_pages
from ..batch import Batch, Tensor
from . import ArrayMaker, Converter, Placement, Request
from .columns import Columns, TypedColumns

_DEVICES = "'cpu', 'cuda' or 'cuda:N'"


class TorchColumns(Columns[torch.Tensor]):
    """Tensors by name, which are attributes, too: `columns["x"]` is `columns.x`."""

    @property
    def batch_size(self) -> int:
        """The number of inputs, which are the first nodes."""
        return int(self.__getattr__("batch_size"))

    def float32(self, name: str) -> torch.Tensor:
        """Returns a column of any type of floating-point numbers as float32, and one of int8
        with its scales (`x` and `x_scale`) multiplied out."""
        return multiplied_out(self[name], self.get(name + "_scale"))


class TorchBatch(TypedColumns[torch.Tensor], TorchColumns):
    """A batch as tensors by name (docs/sampling/tensors.md), with their dtypes.

    Of a typed graph, whose names have suffixes such as "x/paper", `batch["paper"]` has the
    columns of a node type, and `batch["author", "writes", "paper"]` those of an edge type.
    `epoch` and `index` say which batch it is, over all ranks.
    """

    columns_class = TorchColumns


def multiplied_out(rows: torch.Tensor, scale: torch.Tensor | None) -> torch.Tensor:
    """Returns rows, [n] or [n, dim], as float32; those of int8 times their scales, [n]."""
    numbers = rows.float()
    return numbers if scale is None else numbers * scale.reshape((-1,) + (1,) * (rows.dim() - 1))


def _copied(view: torch.Tensor) -> torch.Tensor:
    copy = torch.empty_like(view)
    ask_for_huge_pages(copy.data_ptr(), copy.nbytes)
    return copy.copy_(view)


class TensorMaker:
    """Makes torch's tensors of those of a batch, as a loader was asked to:

    * by default a copy, which the user may keep and write to;
    * with `zero_copy` a view of the receive ring, for reading only, which holds the memory
      of the whole batch until it and all tensors that share it are gone;
    * with `pin_memory` a copy in page-locked memory;
    * with `to_device` a copy on that device, made straight from the ring.

    Copies do not hold Python's lock.
    """

    def __init__(self, request: Request):
        self.device = _device(request.placement.to_device)  # None: the CPU
        self._zero_copy = request.placement.zero_copy
        self._pin_memory = request.placement.pin_memory
        self._input_id = request.input_id

    def __call__(self, tensor: Tensor) -> torch.Tensor:
        """Returns the tensor with its own dtype."""
        view = torch.from_dlpack(tensor)
        if self.device is not None:
            return view.to(self.device)
        if self._zero_copy:
            return view
        return view.pin_memory() if self._pin_memory else _copied(view)

    def indices(self, tensor: Tensor) -> torch.Tensor:
        """Returns the tensor as int64, which PyG's operators take. A narrower one is copied
        in any case."""
        if tensor.dtype == "int64":
            return self(tensor)
        return self._computed(lambda view: view.to(torch.int64), tensor)

    def multiplied_out(self, rows: Tensor, scale: Tensor) -> torch.Tensor:
        """Returns rows of int8 times their scales, in a float32 tensor of its own."""
        return self._computed(multiplied_out, rows, scale)

    def input_ids(self, places: Tensor) -> torch.Tensor:
        """Returns the user's numbers of the inputs, by default their places in the list."""
        if self._input_id is None:
            return self(places)
        return self.of_array(self._input_id[places.numpy()])

    def of_array(self, array: numpy.ndarray) -> torch.Tensor:
        """Returns the array as a tensor where it is to be, on the CPU with its memory."""
        return self._placed(torch.from_numpy(array))

    def _computed(self, function: Callable[..., torch.Tensor], *tensors: Tensor) -> torch.Tensor:
        """Returns what `function` makes of the tensors, computed where it is to be."""
        views = [torch.from_dlpack(tensor) for tensor in tensors]
        if self.device is not None:
            views = [view.to(self.device) for view in views]
        return self._placed(function(*views))

    def _placed(self, made: torch.Tensor) -> torch.Tensor:
        if self.device is not None:
            return made.to(self.device)
        return made.pin_memory() if self._pin_memory and not self._zero_copy else made


def _no_cuda() -> str:
    return f"torch {torch.__version__} finds no CUDA device"


def _device(name: Any) -> torch.device | None:
    """Returns the device to copy to, None for the CPU."""
    if name is None:
        return None
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError):
        raise ValueError(f"to_device is {name!r}; allowed: {_DEVICES}") from None
    if device.type == "cpu":
        return None
    if device.type != "cuda":
        raise ValueError(f"to_device is {name!r}; allowed: {_DEVICES}")
    if not torch.cuda.is_available():
        raise ValueError(f"to_device is {name!r}; allowed here: 'cpu', for {_no_cuda()}")
    if device.index is not None and device.index >= torch.cuda.device_count():
        raise ValueError(f"to_device is {name!r}; allowed here: up to "
                         f"'cuda:{torch.cuda.device_count() - 1}'")
    return device


def check(placement: Placement) -> None:
    """See formats/__init__.py."""
    device = _device(placement.to_device)
    if placement.pin_memory and not torch.cuda.is_available():
        raise ValueError(f"pin_memory is True; allowed here: False, for {_no_cuda()}")
    if placement.zero_copy and device is not None:
        raise ValueError(f"zero_copy is True, and to_device {placement.to_device!r}; allowed: one "
                         "of them")


def converter(request: Request) -> Converter:
    """See formats/__init__.py."""
    make = TensorMaker(request)

    def convert(batch: Batch) -> TorchBatch:
        tensors = {}
        for tensor in request.wanted(batch.tensors()):
            of_inputs = tensor.name.partition("/")[0] == "input_id"
            tensors[tensor.name] = make.input_ids(tensor) if of_inputs else make(tensor)
        return TorchBatch(tensors, request.types, batch.epoch, batch.index)

    return convert


def array_maker(request: Request) -> ArrayMaker:
    """See formats/__init__.py."""
    return TensorMaker(request).of_array
