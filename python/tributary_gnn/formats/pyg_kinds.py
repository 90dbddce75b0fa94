"""Batches of PyG as its other loaders and transforms make them, of those that pyg_format
makes."""

from __future__ import annotations

from typing import Any

import torch
from torch_geometric.data import Batch, Data, HeteroData

# Attributes of a batch of trees that have a row for each node or edge.
_OF_NODES = ("x", "n_id", "time", "in_degree", "out_degree")
_OF_EDGES = ("edge_attr", "weight", "e_id", "edge_weight")


def ego_subgraphs(data: Data) -> Batch:
    """Returns a batch of PyG's ShaDowKHopSampler: the subgraphs of the inputs one after the
    other, where `ptr` says each begins, and `root_n_id` which node is its input. Labels are
    those of the inputs."""
    order = torch.argsort(data.batch, stable=True)
    place = torch.empty_like(order)
    place[order] = torch.arange(len(order), device=order.device)
    counts = torch.bincount(data.batch, minlength=len(data.seed_index))
    made = Batch(batch=data.batch[order], ptr=torch.nn.functional.pad(counts.cumsum(0), (1, 0)))
    made.root_n_id = place[data.seed_index]
    source, destination = place[data.edge_index]
    # As PyG: by source, then by destination.
    edges = torch.argsort(source * len(order) + destination, stable=True)
    made.edge_index = torch.stack([source[edges], destination[edges]])
    rows = {**dict.fromkeys(_OF_NODES, order), **dict.fromkeys(_OF_EDGES, edges),
            "y": data.seed_index, "input_id": slice(None)}
    [store] = data.stores  # in order, which data.keys() is not
    for name in store.keys():
        if name in rows:
            made[name] = data[name][rows[name]]
    return made


def graph_of_scores(data: Data | HeteroData, edge_type: Any) -> Data | HeteroData:
    """Returns the batch with an edge from each node of an input's row to the input, whose
    weight is its score: `edge_index`, and `edge_weight`, in the store of `edge_type` of a
    typed graph. An input that occurs twice has its edges once."""
    inputs, edges = (data, data) if edge_type is None else (data[edge_type[2]], data[edge_type])
    root = inputs.seed_index[:, None].expand_as(data.ppr_index)
    first = _first_rows(inputs.seed_index, inputs.batch_size)
    there = (data.ppr_index >= 0) & first[:, None]
    edges.edge_index = torch.stack([data.ppr_index[there], root[there]])
    edges.edge_weight = data.ppr_weight[there]
    return data


def _first_rows(seed_index: torch.Tensor, batch_size: int) -> torch.Tensor:
    """Returns for each row whether it is the first of its input."""
    rows = torch.arange(len(seed_index), device=seed_index.device)
    first = torch.full((batch_size,), len(rows), device=rows.device)
    first.scatter_reduce_(0, seed_index, rows, "amin")
    return first[seed_index] == rows
