"""One batch of layer-wise sampling: its tensors as numpy arrays by name."""

import dataclasses

import numpy as np

from tests.oracle import graph as graphs, philox
from tests.oracle.neighbour_batch import Numbering


@dataclasses.dataclass
class Layerwise:
    nodes_per_layer: list
    seed: int = 0
    uniform: bool = False
    input_type: str = graphs.NODE
    edge_type: tuple = None  # None: the only one
    fastgcn: bool = False  # draws of all nodes, by out-degree


def drawn(weights, stream, k):
    """Candidates that are drawn; `weights` are integers by candidate."""
    if len(weights) <= k:
        return set(weights)
    left = dict(weights)
    for i in range(k):
        r = stream.below(i, sum(left.values()), wide=True)
        for candidate, weight in left.items():
            if r < weight:
                break
            r -= weight
        del left[candidate]
    return set(weights) - set(left)


def from_graph(edges, stream, k):
    """How often each node was drawn over its out-degree, of all nodes."""
    sources = sorted(u for u, _, _ in edges.edges)
    drawn = {}
    for i in range(k):
        u = sources[stream.below(i, len(sources) << 16, wide=True) >> 16]
        drawn[u] = drawn.get(u, 0) + 1
    return {u: m / len(edges.out_edges(u)) for u, m in drawn.items()}


def make(graph, spec, epoch, index, inputs, input_numbers):
    """`inputs` are node ids, `input_numbers` their places in the list."""
    name = spec.edge_type or next(iter(graph.edge_types))
    edges, t = graph.edge_types[name], spec.input_type
    nodes = Numbering()
    seed_index = [nodes[0, v] for v in inputs]
    counts, unique = [len(nodes.ids)], len(nodes.ids)
    source, destination, e_id, weight, per_layer = [], [], [], [], []
    for layer, k in enumerate(spec.nodes_per_layer):
        of_layer = list(nodes.ids)
        scale = 2**62 >> (len(of_layer) - 1).bit_length()
        q = {}  # in order of first occurrence
        for v in of_layer:
            around = edges.in_edges(v)
            for u, _ in around:
                share = max(1, scale // len(around)**2)
                q[u] = 1 if spec.uniform else q.get(u, 0) + share
        key = philox.make_key(spec.seed, epoch, index, philox.LAYERWISE, layer,
                              ",".join(name))
        if spec.fastgcn:
            kept = gain = from_graph(edges, philox.Stream(key, 0), k)
        else:
            kept = drawn(q, philox.Stream(key, 0), k)
            gain = {u: 1.0 / float(q[u]) for u in q}
            if len(kept) == len(q):
                gain = dict.fromkeys(q, 1.0)
        for u in q:
            if u in kept:
                nodes[0, u]
        before = len(e_id)
        for v in of_layer:
            of_node = [(u, e) for u, e in edges.in_edges(v) if u in kept]
            total = 0.0
            for u, _ in of_node:
                total += gain[u]
            for u, e in of_node:
                source.append(nodes[0, u])
                destination.append(nodes[0, v])
                e_id.append(e)
                weight.append(gain[u] / total)
        per_layer.append(len(e_id) - before)
        counts.append(len(nodes.ids) - sum(counts))
    ids = np.array(nodes.ids, np.int64)
    of_node = lambda n: f"{n}/{t}" if graph.hetero else n
    of_edge = lambda n: f"{n}/{'__'.join(name)}" if graph.hetero else n
    out = {of_node("batch_size"): np.array([unique], np.int64),
           of_node("input_id"): np.array(input_numbers, np.int64),
           of_node("seed_index"): np.array(seed_index, np.int32),
           of_node("n_id"): ids,
           of_node("num_sampled_nodes"): np.array(counts, np.int64),
           of_edge("edge_index"): np.array([source, destination],
                                           np.int32).reshape(2, -1),
           of_edge("e_id"): np.array(e_id, np.int64),
           of_edge("edge_weight"): np.array(weight, np.float32),
           of_edge("num_sampled_edges"): np.array(per_layer, np.int64)}
    if edges.attr is not None:
        out[of_edge("edge_attr")] = edges.attr[np.array(e_id, np.int64) >>
                                               edges.attr_shift]
    for column in ("x", "y"):
        stored = getattr(graph.node_types[t], column)
        if stored is not None:
            out[of_node(column)] = stored[ids]
    return out
