"""Batches as PyTorch Geometric's Data and HeteroData: the stores and names of PyG's own
NeighborLoader and LinkNeighborLoader, in their order, so that models, `trim_to_layer` and
explainers take them as they are."""

from __future__ import annotations

from typing import Any

import torch
from torch_geometric.data import Data, HeteroData

from ..batch import Batch, Tensor
from ..graph_types import GraphTypes, Type
from . import ArrayMaker, Converter, Placement, Request, torch_format
from .pyg_empty import EmptyStores
from .torch_format import TensorMaker

# The order of PyG's loaders (2.8): first what the stored graph has, then what sampling adds.
# Names that PyG does not have come after these, ascending.
_ORDER = {name: place for place, name in enumerate((
    "num_nodes", "x", "edge_index", "edge_attr", "y", "time", "weight",
    "n_id", "e_id", "batch", "num_sampled_nodes", "num_sampled_edges", "input_id",
    "edge_label_index", "edge_label", "edge_label_time", "src_index", "dst_pos_index",
    "dst_neg_index", "seed_time", "batch_size"))}
# Lists of numbers and a number, not tensors.
_COUNTS = ("num_sampled_nodes", "num_sampled_edges")
_BATCH_SIZE = "batch_size"
_SCALE = "_scale"


def _place(column: str) -> tuple[int, str]:
    return _ORDER.get(column, len(_ORDER)), column


def check(placement: Placement) -> None:
    """See formats/__init__.py."""
    torch_format.check(placement)


def converter(request: Request) -> Converter:
    """See formats/__init__.py."""
    stores = _Stores(request)
    return stores.typed if request.types.heterogeneous else stores.homogeneous


def array_maker(request: Request) -> ArrayMaker:
    """See formats/__init__.py."""
    return TensorMaker(request).of_array


class _Stores:
    """Makes Data and HeteroData of batches."""

    def __init__(self, request: Request):
        self._types = request.types
        self._wanted = request.wanted
        self._names = request.names
        self._make = TensorMaker(request)
        self._empty = EmptyStores(request.schema, self._make.device)

    def homogeneous(self, batch: Batch) -> Data:
        """Returns a batch of a graph without types."""
        columns = {tensor.name: tensor for tensor in self._wanted(batch.tensors())}
        return self._filled(Data(), self._attributes(columns))

    def typed(self, batch: Batch) -> HeteroData:
        """Returns a batch of a typed graph, with the stores of all its types."""
        by_type = self._by_type(batch)
        data = self._filled(HeteroData(), self._attributes(by_type.pop(None, {})))
        sampled = {its_type: self._attributes(columns)
                   for its_type, columns in by_type.items() if its_type is not None}
        types: list[Type] = [*self._types.node_types, *self._types.edge_types]
        for its_type in types:
            attributes = sampled.get(its_type, {})
            # Links may be of a type that hops do not sample: it has no edge_index then.
            if ("edge_index" if isinstance(its_type, tuple) else "n_id") not in attributes:
                attributes = {**self._empty.attributes(its_type, sampled), **attributes}
            self._filled(data[its_type], attributes)
        return data

    def _by_type(self, batch: Batch) -> dict[Type | None, dict[str, Tensor]]:
        """Returns the tensors by type and column; of None those of several types."""
        by_type: dict[Type | None, dict[str, Tensor]] = {}
        for tensor in self._wanted(batch.tensors()):
            column, its_type = self._types.parse(tensor.name)
            by_type.setdefault(its_type, {})[column] = tensor
        return by_type

    def _filled(self, store: Any, attributes: dict[str, Any]) -> Any:
        """Returns the store with the attributes, by the user's names, in PyG's order."""
        for column in sorted(attributes, key=_place):
            store[self._names.get(column, column)] = attributes[column]
        return store

    def _attributes(self, columns: dict[str, Tensor]) -> dict[str, Any]:
        """Returns the attributes of one type, by column."""
        made = {column: self._value(column, columns) for column in columns
                if not _is_scale(column, columns)}
        if "n_id" in columns and "x" not in columns:
            made["num_nodes"] = columns["n_id"].shape[0]
        return made

    def _value(self, column: str, columns: dict[str, Tensor]) -> torch.Tensor | list[int] | int:
        tensor = columns[column]
        if column in _COUNTS:
            return tensor.numpy().tolist()
        if column == _BATCH_SIZE:
            return int(tensor.numpy()[0])
        if column.endswith("_index"):
            return self._make.indices(tensor)
        scale = columns.get(column + _SCALE)
        if scale is not None:
            return self._make.multiplied_out(tensor, scale)
        return self._make.input_ids(tensor) if column == "input_id" else self._make(tensor)


def _is_scale(column: str, columns: dict[str, Tensor]) -> bool:
    return column.endswith(_SCALE) and column[:-len(_SCALE)] in columns
