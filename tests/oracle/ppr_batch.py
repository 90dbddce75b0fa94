"""One batch of PPR top-k: its tensors as numpy arrays by name."""

import dataclasses
from fractions import Fraction

import numpy as np

from tests.oracle import graph as graphs
from tests.oracle.neighbour_batch import Numbering

MASS = 2**62


@dataclasses.dataclass
class Ppr:
    top_k: int
    seed: int = 0
    alpha: float = 0.15
    epsilon: float = 0.0001
    input_type: str = graphs.NODE
    edge_type: tuple = None  # None: the only one


def share(part):
    """Of 2^32, to nearest even; `part` is a float64."""
    return round(Fraction(part) * 2**32)


def scores(edge_type, start, alpha, epsilon):
    """Integer scores by node; alpha and epsilon are shares of 2^32."""
    residual, score = {start: MASS}, {}
    first = True
    while residual:
        stay, arrive, pushed = {}, {}, False
        for v, r in residual.items():
            around = [u for u, _ in edge_type.in_edges(v)]
            if not around:
                score[v] = score.get(v, 0) + r
                continue
            if not first and r < epsilon * len(around) * 2**30:
                stay[v] = r
                continue
            pushed = True
            each = (r - (r * alpha >> 32)) // len(around)
            score[v] = score.get(v, 0) + r - each * len(around)
            for u in around:
                arrive[u] = arrive.get(u, 0) + each
        if not pushed:
            break
        for v, r in arrive.items():
            stay[v] = stay.get(v, 0) + r
        residual, first = stay, False
    return score


def make(graph, spec, epoch, index, inputs, input_numbers):
    """`inputs` are node ids, `input_numbers` their places in the list. Nothing
    is drawn: the epoch and the index only say which inputs these are."""
    del epoch, index
    edges = graph.edge_types[spec.edge_type or next(iter(graph.edge_types))]
    t = spec.input_type
    nodes = Numbering()
    seed_index = [nodes[0, v] for v in inputs]
    unique = len(nodes.ids)
    shape = (len(inputs), spec.top_k)
    ppr_id = np.full(shape, -1, np.int64)
    ppr_index = np.full(shape, -1, np.int32)
    ppr_weight = np.zeros(shape, np.float32)
    for row, v in enumerate(inputs):
        found = scores(edges, v, share(spec.alpha), share(spec.epsilon))
        largest = sorted((-s, u) for u, s in found.items() if s > 0)
        for column, (less, u) in enumerate(largest[:spec.top_k]):
            ppr_id[row, column] = u
            ppr_index[row, column] = nodes[0, u]
            ppr_weight[row, column] = np.float32(float(-less) / MASS)
    suffix = lambda name: f"{name}/{t}" if graph.hetero else name
    ids = np.array(nodes.ids, np.int64)
    out = {suffix("batch_size"): np.array([unique], np.int64),
           suffix("input_id"): np.array(input_numbers, np.int64),
           suffix("seed_index"): np.array(seed_index, np.int32),
           suffix("n_id"): ids,
           "ppr_id": ppr_id, "ppr_index": ppr_index, "ppr_weight": ppr_weight}
    for name in ("x", "y"):
        stored = getattr(graph.node_types[t], name)
        if stored is not None:
            out[suffix(name)] = stored[ids]
    return out
