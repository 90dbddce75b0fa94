"""Batches as NumPy arrays."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

import numpy

from ..batch import Batch
from ..graph_types import GraphTypes, Type
from . import Converter, Request


class Columns(Mapping[str, numpy.ndarray]):
    """Arrays by name, which are attributes, too: `columns["x"]` is `columns.x`."""

    def __init__(self, arrays: dict[str, numpy.ndarray]):
        self._arrays = arrays

    def __getitem__(self, name: str) -> numpy.ndarray:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __getattr__(self, name: str) -> numpy.ndarray:
        try:
            return self.__dict__["_arrays"][name]
        except KeyError:
            raise AttributeError(
                f"the batch has no {name!r}; it has {', '.join(self._arrays)}") from None

    @property
    def batch_size(self) -> int:
        """The number of inputs, which are the first nodes."""
        return int(self.__getattr__("batch_size")[0])

    def float32(self, name: str) -> numpy.ndarray:
        """Returns a column of any type of floating-point numbers as float32, and one of int8
        with its scales (`x` and `x_scale`) multiplied out."""
        array = self._arrays[name].astype(numpy.float32)
        scale = self._arrays.get(name + "_scale")
        return array if scale is None else array * scale.reshape((-1,) + (1,) * (array.ndim - 1))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_described(self._arrays)})"


class NumpyBatch(Columns):
    """A batch as arrays by name (docs/sampling/tensors.md).

    Of a typed graph, whose names have suffixes such as "x/paper", `batch["paper"]` has the
    columns of a node type, and `batch["author", "writes", "paper"]` those of an edge type.
    `epoch` and `index` say which batch it is, over all ranks.
    """

    def __init__(self, arrays: dict[str, numpy.ndarray], types: GraphTypes, epoch: int,
                 index: int):
        super().__init__(arrays)
        self.epoch = epoch
        self.index = index
        self._of_type = _by_type(arrays, types) if types.heterogeneous else {}

    @property
    def node_types(self) -> list[str]:
        """The node types that the batch has tensors of; of a typed graph."""
        return [name for name in self._of_type if isinstance(name, str)]

    @property
    def edge_types(self) -> list[tuple[str, str, str]]:
        """The edge types that the batch has tensors of; of a typed graph."""
        return [name for name in self._of_type if isinstance(name, tuple)]

    def __getitem__(self, name: Any) -> Any:
        if name in self._arrays:
            return self._arrays[name]
        if name in self._of_type:
            return self._of_type[name]
        known = [*self._of_type, *self._arrays]
        raise KeyError(f"the batch has no {name!r}; it has {', '.join(map(str, known))}")


def _described(arrays: dict[str, numpy.ndarray]) -> str:
    return ", ".join(f"{name}={list(array.shape)}" for name, array in arrays.items())


def _by_type(arrays: dict[str, numpy.ndarray], types: GraphTypes) -> dict[Type, Columns]:
    grouped: dict[Type, dict[str, numpy.ndarray]] = {}
    for name, array in arrays.items():
        column, its_type = types.parse(name)
        grouped.setdefault(its_type, {})[column] = array
    return {its_type: Columns(columns) for its_type, columns in grouped.items()}


def _name_inputs(arrays: dict[str, numpy.ndarray], input_id: numpy.ndarray) -> None:
    for name, places in arrays.items():
        if name.partition("/")[0] == "input_id":
            arrays[name] = input_id[places]


def converter(request: Request) -> Converter:
    """See formats/__init__.py."""

    def convert(batch: Batch) -> NumpyBatch:
        arrays = {tensor.name: tensor.numpy(copy=not request.zero_copy)
                  for tensor in batch.tensors()}
        if request.input_id is not None:
            _name_inputs(arrays, request.input_id)
        return NumpyBatch(arrays, request.types, batch.epoch, batch.index)

    return convert
