"""Graphs in OGB's raw layout as PyG's Data and HeteroData, as its datasets give them."""

import os

import numpy
import torch
from torch_geometric import transforms
from torch_geometric.data import Data, HeteroData


def _read(folder, name, dtype=numpy.int64):
    path = os.path.join(folder, name + ".csv.gz")
    return torch.from_numpy(numpy.loadtxt(path, dtype=dtype, delimiter=",", ndmin=2))


def _words(folder, name):
    return numpy.loadtxt(os.path.join(folder, name + ".csv.gz"), dtype=str, delimiter=",", ndmin=2)


def _masks(store, folder, num_nodes):
    for mask, split in (("train_mask", "train"), ("val_mask", "valid"), ("test_mask", "test")):
        store[mask] = torch.zeros(num_nodes, dtype=torch.bool)
        store[mask][_read(folder, split)[:, 0]] = True


def cora(folder):
    """Cora, with the public split as masks."""
    raw = os.path.join(folder, "raw")
    data = Data(x=_read(raw, "node-feat", numpy.float32), y=_read(raw, "node-label")[:, 0],
                edge_index=_read(raw, "edge").t().contiguous())
    _masks(data, os.path.join(folder, "split/public"), len(data.y))
    return data


def aifb(folder):
    """AIFB with the reverse of each relation; persons have classes, -1 for none, and masks."""
    raw = os.path.join(folder, "raw")
    data = HeteroData()
    for node_type, count in zip(*_words(raw, "num-node-dict")):
        data[node_type].num_nodes = int(count)
    for edge_type in map(tuple, _words(raw, "triplet-type-list")):
        relation = os.path.join(raw, "relations", "___".join(edge_type))
        data[edge_type].edge_index = _read(relation, "edge").t().contiguous()
    person = data["person"]
    person.y = _read(os.path.join(raw, "node-label/person"), "node-label")[:, 0]
    _masks(person, os.path.join(folder, "split/standard/person"), len(person.y))
    return transforms.ToUndirected(merge=False)(data)


def links(folder):
    """A graph of edges in both directions, and its splits of links, [2, links] by name."""
    raw, split = os.path.join(folder, "raw"), os.path.join(folder, "split/only")
    edges = _read(raw, "edge").t()
    data = Data(edge_index=torch.cat([edges, edges.flip(0)], 1),
                num_nodes=int(_read(raw, "num-node-list")))
    return data, {name: _read(split, name).t().contiguous()
                  for name in ("train", "valid", "valid_neg", "test", "test_neg")}
