"""in_degree and out_degree of a batch's nodes, counted from the list of edges."""

import collections

import numpy as np


def added(graph, tensors):
    """The tensors, and the degrees for each edge type that they have."""
    out = dict(tensors)
    for edge_type, stored in graph.edge_types.items():
        typed = lambda name, t: f"{name}/{t}" if graph.hetero else name
        triple = "__".join(edge_type)
        if typed("e_id", triple) not in tensors:
            continue
        for name, end, node_type in (("in_degree", 1, edge_type[2]),
                                     ("out_degree", 0, edge_type[0])):
            count = collections.Counter(edge[end] for edge in stored.edges)
            nodes = tensors[typed("n_id", node_type)].tolist()
            out[typed(name, triple)] = np.array([count[v] for v in nodes],
                                                np.int64)
    return out
