"""PyG's own NeighborLoader and LinkNeighborLoader where neither pyg-lib nor torch-sparse is
installed: the operators of torch-sparse that they call, in torch.

    python -m tests.python.pyg.sampling_operators SCRIPT WORD...

runs a script with them.
"""

import contextlib
import runpy
import sys
import types
import unittest.mock

import torch
import torch_geometric.typing

_ONLY = ("node", "to", "node")


def _drawn(colptr, nodes, fanout):
    """Returns, for each edge drawn, the place of its end in `nodes` and its place in `row`: all
    of a node's edges for -1, else up to `fanout` without replacement."""
    first, degree = colptr[nodes], colptr[nodes + 1] - colptr[nodes]
    ends = torch.arange(len(nodes)).repeat_interleave(degree)
    begin = degree.cumsum(0) - degree
    number = torch.arange(len(ends)) - begin[ends]  # of an edge among those of its end
    if fanout >= 0:
        # By node, and within a node in random order: the first ones are drawn.
        order = (ends + torch.rand(len(ends), dtype=torch.float64)).argsort()
        chosen = order[number < fanout].sort().values
        ends, number = ends[chosen], number[chosen]
    return ends, first[ends] + number


def _numbered(known, found):
    """Returns the nodes, `known` ones and then those of `found` by first occurrence, and the
    places of `found` among them."""
    values, inverse = torch.cat([known, found]).unique(return_inverse=True)
    first = torch.full((len(values),), len(inverse)).scatter_reduce(
        0, inverse, torch.arange(len(inverse)), "amin")
    order = first.argsort()
    place = torch.empty_like(order)
    place[order] = torch.arange(len(order))
    return values[order], place[inverse[len(known):]]


def _hetero_neighbor_sample(node_types, edge_types, colptr, row, seed, num_neighbors, num_hops,
                            replace, directed):
    if replace or not directed:
        raise NotImplementedError("replace=True and subgraph_type='induced'")
    nodes = {name: seed.get(name, torch.empty(0, dtype=torch.long)) for name in node_types}
    found = {"__".join(edge_type): [] for edge_type in edge_types}
    done = dict.fromkeys(node_types, 0)
    for hop in range(num_hops):
        ends = {name: len(nodes[name]) for name in node_types}
        for src, rel, dst in sorted(edge_types):
            name = "__".join((src, rel, dst))
            at, edge = _drawn(colptr[name], nodes[dst][done[dst]:ends[dst]],
                              num_neighbors[name][hop])
            nodes[src], place = _numbered(nodes[src], row[name][edge])
            found[name].append(torch.stack([place, done[dst] + at, edge]))
        done = ends
    columns = {name: torch.cat(parts, 1) for name, parts in found.items()}
    return (nodes, *({name: column[part] for name, column in columns.items()}
                     for part in range(3)))


def _neighbor_sample(colptr, row, seed, num_neighbors, replace, directed):
    name = "__".join(_ONLY)
    node, *edges = _hetero_neighbor_sample(
        ["node"], [_ONLY], {name: colptr}, {name: row}, {"node": seed}, {name: num_neighbors},
        len(num_neighbors), replace, directed)
    return (node["node"], *(column[name] for column in edges))


@contextlib.contextmanager
def in_place_of_torch_sparse():
    """Lets PyG's loaders of this process sample by these operators during the block."""
    with unittest.mock.patch.multiple(
            torch_geometric.typing, WITH_TORCH_SPARSE=True, WITH_PYG_LIB=False
    ), unittest.mock.patch.object(
        torch.ops, "torch_sparse", types.SimpleNamespace(
            neighbor_sample=_neighbor_sample, hetero_neighbor_sample=_hetero_neighbor_sample),
        create=True):
        yield


if __name__ == "__main__":
    del sys.argv[0]
    with in_place_of_torch_sparse():
        runpy.run_path(sys.argv[0], run_name="__main__")
