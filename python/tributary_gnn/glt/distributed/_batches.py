"""Batches with the fields of GLT's: PyG's, and `node`, `edge`, `batch`, `mapping` beside them."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import torch
from torch_geometric.data import Data, HeteroData

from ..typing import reverse_edge_type


@dataclasses.dataclass(frozen=True)
class Fields:
    """Gives a batch GLT's fields.

    Args:
      turned: hops go along out-edges, which GLT turns round, so that messages go to the
        inputs: edge_index is [destination, source] of the graph's edge, in typed graphs by
        the name of the reverse type.
      with_edge: `edge` has the ids of the edges; otherwise there is none.
      mapping: `mapping` has the places of the inputs.
      transform: the user's, called with the batch after that.
    """

    turned: bool
    with_edge: bool
    mapping: bool = False
    transform: Callable[[Any], Any] | None = None

    def __call__(self, batch: Any) -> Any:
        """Returns the batch, which it changes."""
        given = self._typed(batch) if isinstance(batch, HeteroData) else self._plain(batch)
        return given if self.transform is None else self.transform(given)

    def _plain(self, batch: Data) -> Data:
        _name_nodes(batch)
        self._name_edges(batch)
        # GLT turns links of a graph without types round whatever the direction is.
        if "edge_label_index" in batch:
            batch.edge_label_index = batch.edge_label_index.flip(0)
        if self.mapping:
            batch.mapping = batch.seed_index
        return batch

    def _typed(self, batch: HeteroData) -> HeteroData:
        counts: dict[str, dict[Any, torch.Tensor]] = {
            "num_sampled_nodes": {}, "num_sampled_edges": {}}
        for node_type in batch.node_types:
            _name_nodes(batch[node_type])
            if self.mapping and "seed_index" in batch[node_type]:
                batch[node_type].mapping = batch[node_type].seed_index
        for edge_type in batch.edge_types:
            self._name_edges(batch[edge_type])
            if self.turned and "edge_label_index" in batch[edge_type]:
                batch[edge_type].edge_label_index = batch[edge_type].edge_label_index.flip(0)
        if self.turned:
            _rename_edge_types(batch)
        for store in (*batch.node_stores, *batch.edge_stores):
            for name, by_type in counts.items():
                if name in store:
                    by_type[store._key] = store[name]
        batch.num_sampled_nodes = counts["num_sampled_nodes"]
        batch.num_sampled_edges = counts["num_sampled_edges"]
        return batch

    def _name_edges(self, store: Any) -> None:
        if "edge_index" in store and self.turned:
            store.edge_index = store.edge_index.flip(0)
        if self.with_edge and "e_id" in store:
            store.edge = store.e_id
        if "num_sampled_edges" in store:
            store.num_sampled_edges = torch.tensor(store.num_sampled_edges)


def _name_nodes(store: Any) -> None:
    store.node = store.n_id
    if "num_sampled_nodes" in store:
        store.num_sampled_nodes = torch.tensor(store.num_sampled_nodes)
    if "batch_size" in store and "batch" not in store:  # else it is that of disjoint trees
        store.batch = store.n_id[:store.batch_size]


def _rename_edge_types(batch: HeteroData) -> None:
    """Moves the edges of each type to the reverse one."""
    stores = {edge_type: batch[edge_type].to_dict() for edge_type in batch.edge_types}
    for edge_type in stores:
        del batch[edge_type]
    for edge_type, attributes in stores.items():
        batch[reverse_edge_type(edge_type)].update(attributes)
