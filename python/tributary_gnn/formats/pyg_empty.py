"""Stores of types that a batch does not sample: PyG's loaders have them, without rows."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

import torch

from ..graph_types import Type

# The stored columns, and whether a column of single numbers is [n, 1] rather than [n].
_COLUMNS = {"x": True, "edge_attr": True, "y": False}
_Attributes = dict[str, Any]


class EmptyStores:
    """Makes attributes of types without nodes or edges, with the columns and dtypes that
    they would have in the same batch, on `device`."""

    def __init__(self, schema: Mapping[str, Any], device: torch.device | None):
        self._device = device
        self._stored: dict[Type, Mapping[str, Any]] = {
            node["name"]: node for node in schema["node_types"]}
        self._stored.update(((edge["src"], edge["rel"], edge["dst"]), edge)
                            for edge in schema["edge_types"])

    def attributes(self, its_type: Type, sampled: Mapping[Type, _Attributes]) -> _Attributes:
        """Returns the attributes of a type; `sampled` has those of the types that the batch
        samples."""
        made = {column: self._empty(shape, self._dtype(column, its_type, sampled))
                for column, shape in self._columns(its_type, sampled)}
        made.update((column, self._empty((0,), dtype))
                    for column, dtype in self._drawn_by(its_type, sampled))
        of_edges, hops = isinstance(its_type, tuple), _hops(sampled)
        if of_edges:
            made["edge_index"] = self._empty((2, 0))
        elif "x" not in made:
            made["num_nodes"] = 0
        if not of_edges or not _omits_edge_ids(sampled):
            made["e_id" if of_edges else "n_id"] = self._empty((0,))
        if not of_edges and any("batch" in attributes for attributes in sampled.values()):
            made["batch"] = self._empty((0,))
        if hops is not None and of_edges:
            made["num_sampled_edges"] = [0] * hops
        elif hops is not None:
            made["num_sampled_nodes"] = [0] * (hops + 1)
        return made

    def _empty(self, shape: tuple[int, ...], dtype: torch.dtype = torch.int64) -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device=self._device)

    def _columns(self, its_type: Type, sampled: Mapping[Type, _Attributes]
                 ) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yields the names and shapes of the stored columns that the batch collects."""
        for column, wide in _COLUMNS.items():
            stored = self._stored[its_type].get(column)
            if stored and any(column in attributes for attributes in sampled.values()):
                dim = stored["dim"]
                yield column, ((0, max(dim, 1)) if wide or dim > 1 else (0,))

    def _drawn_by(self, its_type: Type, sampled: Mapping[Type, _Attributes]
                  ) -> Iterator[tuple[str, torch.dtype]]:
        """Yields those of weights and times, and their dtypes."""
        stored = self._stored[its_type]
        times_of_nodes = isinstance(its_type, str) and stored.get("timed")
        dtypes = {"weight": stored.get("weight"), "time": "int64" if times_of_nodes else None}
        for column, dtype in dtypes.items():
            if dtype and any(column in attributes for attributes in sampled.values()):
                yield column, getattr(torch, dtype)

    def _dtype(self, column: str, its_type: Type,
               sampled: Mapping[Type, _Attributes]) -> torch.dtype:
        """Returns the stored dtype, or the one to which the session's feature_dtype converts
        floating-point columns."""
        dtype = self._stored_dtype(column, its_type)
        for other, attributes in sampled.items():
            if column in attributes and dtype.is_floating_point:
                stored = self._stored_dtype(column, other)
                if stored.is_floating_point and attributes[column].dtype != stored:
                    return attributes[column].dtype
        return dtype

    def _stored_dtype(self, column: str, its_type: Type) -> torch.dtype:
        stored = self._stored[its_type][column]
        return torch.float32 if stored.get("scaled") else getattr(torch, stored["dtype"])


def _omits_edge_ids(sampled: Mapping[Type, _Attributes]) -> bool:
    return any(isinstance(its_type, tuple) and "edge_index" in attributes
               and "e_id" not in attributes for its_type, attributes in sampled.items())


def _hops(sampled: Mapping[Type, _Attributes]) -> int | None:
    """Returns the number of hops; None where batches do not count by hop."""
    for attributes in sampled.values():
        if "num_sampled_nodes" in attributes:
            return len(attributes["num_sampled_nodes"]) - 1
    return None
