"""Small random graphs as PyG has them, and the same graphs partitioned."""

import os

import numpy as np
import torch
from torch_geometric.data import Data, HeteroData

from tests.e2e import processes

PAPERS, AUTHORS = 80, 50
WRITES = ("author", "writes", "paper")
WRITTEN_BY = ("paper", "written_by", "author")
CITES = ("paper", "cites", "paper")
# PyG's users choose these names; the arrays of a folder have fixed ones.
ARRAYS = {"time": "node_time", "weight": "edge_weight"}


def _edges(generator, sources, destinations, count):
    return torch.stack([torch.randint(sources, (count,), generator=generator),
                        torch.randint(destinations, (count,), generator=generator)])


def homogeneous():
    """Data with every column: [80, 5] features, classes, times; 400 edges with attributes
    [400, 2] and weights."""
    generator = torch.Generator().manual_seed(1)
    return Data(x=torch.randn(PAPERS, 5, generator=generator),
                edge_index=_edges(generator, PAPERS, PAPERS, 400),
                edge_attr=torch.randn(400, 2, generator=generator),
                y=torch.randint(4, (PAPERS,), generator=generator),
                time=torch.randint(1000, (PAPERS,), generator=generator),
                weight=torch.rand(400, generator=generator))


def heterogeneous():
    """HeteroData of papers and authors; only papers have classes, only CITES attributes."""
    generator = torch.Generator().manual_seed(2)
    data = HeteroData()
    data["author"].x = torch.randn(AUTHORS, 3, generator=generator)
    data["author"].time = torch.randint(1000, (AUTHORS,), generator=generator)
    data["paper"].x = torch.randn(PAPERS, 5, generator=generator)
    data["paper"].y = torch.randint(4, (PAPERS,), generator=generator)
    data["paper"].time = torch.randint(1000, (PAPERS,), generator=generator)
    data[WRITES].edge_index = _edges(generator, AUTHORS, PAPERS, 150)
    data[WRITES].weight = torch.rand(150, generator=generator)
    data[CITES].edge_index = _edges(generator, PAPERS, PAPERS, 300)
    data[CITES].edge_attr = torch.randn(300, 2, generator=generator)
    data[CITES].weight = torch.rand(300, generator=generator)
    data[WRITTEN_BY].edge_index = data[WRITES].edge_index.flip(0)
    data[WRITTEN_BY].weight = data[WRITES].weight
    return data


def _save(store, folder):
    os.makedirs(folder, exist_ok=True)
    for name, value in store.to_dict().items():
        np.save(os.path.join(folder, ARRAYS.get(name, name) + ".npy"),
                np.ascontiguousarray(value.numpy()))


def partition(data, folder):
    """The path of the graph in two partitions."""
    arrays, graph = os.path.join(folder, "arrays"), os.path.join(folder, "graph")
    if isinstance(data, Data):
        _save(data, arrays)
    else:
        for node_type in data.node_types:
            _save(data[node_type], os.path.join(arrays, node_type))
        for edge_type in data.edge_types:
            _save(data[edge_type], os.path.join(arrays, "__".join(edge_type)))
    processes.run_ok("partition", "--format", "npy", "--input", arrays, "--out", graph,
                     "--num-parts", 2)
    return graph
