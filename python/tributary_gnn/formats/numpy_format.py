"""Batches as NumPy arrays."""

from __future__ import annotations

import numpy

from ..batch import Batch
from . import ArrayMaker, Converter, Placement, Request
from .columns import Columns, TypedColumns


class NumpyColumns(Columns[numpy.ndarray]):
    """Arrays by name, which are attributes, too: `columns["x"]` is `columns.x`."""

    @property
    def batch_size(self) -> int:
        """The number of inputs, which are the first nodes."""
        return int(self.__getattr__("batch_size")[0])

    def float32(self, name: str) -> numpy.ndarray:
        """Returns a column of any type of floating-point numbers as float32, and one of int8
        with its scales (`x` and `x_scale`) multiplied out."""
        array = self[name].astype(numpy.float32)
        scale = self.get(name + "_scale")
        return array if scale is None else array * scale.reshape((-1,) + (1,) * (array.ndim - 1))


class NumpyBatch(TypedColumns[numpy.ndarray], NumpyColumns):
    """A batch as arrays by name (docs/sampling/tensors.md).

    Of a typed graph, whose names have suffixes such as "x/paper", `batch["paper"]` has the
    columns of a node type, and `batch["author", "writes", "paper"]` those of an edge type.
    `epoch` and `index` say which batch it is, over all ranks.
    """

    columns_class = NumpyColumns


def _name_inputs(arrays: dict[str, numpy.ndarray], input_id: numpy.ndarray) -> None:
    for name, places in arrays.items():
        if name.partition("/")[0] == "input_id":
            arrays[name] = input_id[places]


def check(placement: Placement) -> None:
    """See formats/__init__.py."""
    if placement.to_device not in (None, "cpu"):
        raise ValueError(f"to_device is {placement.to_device!r} with format 'numpy'; allowed: "
                         "'cpu', or the format 'torch' or 'pyg'")


def converter(request: Request) -> Converter:
    """See formats/__init__.py."""

    def convert(batch: Batch) -> NumpyBatch:
        arrays = {tensor.name: tensor.numpy(copy=not request.placement.zero_copy)
                  for tensor in request.wanted(batch.tensors())}
        if request.input_id is not None:
            _name_inputs(arrays, request.input_id)
        return NumpyBatch(arrays, request.types, batch.epoch, batch.index)

    return convert


def array_maker(request: Request) -> ArrayMaker:
    """See formats/__init__.py."""
    return lambda array: array
