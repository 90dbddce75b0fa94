"""One batch of random walks: its tensors as numpy arrays by name."""

import dataclasses
from fractions import Fraction

import numpy as np

from tests.oracle import graph as graphs, philox
from tests.oracle.neighbour_batch import Numbering

MOST_TRIES = 65536


@dataclasses.dataclass
class Walk:
    length: int
    seed: int
    walks_per_node: int = 1
    input_type: str = graphs.NODE
    metapath: list = dataclasses.field(default_factory=list)  # of tuples
    restart_prob: float = 0.0
    restart_ends: bool = False
    p: float = 1.0
    q: float = 1.0


def share(probability):
    """Of 2^32, to nearest even; `probability` is a float64."""
    return round(Fraction(probability) * 2**32)


class Walker:
    """The walks of one batch."""

    def __init__(self, graph, spec, epoch, index):
        self.spec = spec
        self.key = philox.make_key(spec.seed, epoch, index, philox.WALKS, 0,
                                   "")
        path = spec.metapath or list(graph.edge_types)
        self.steps = [path[s % len(path)] for s in range(spec.length)]
        self.types = [spec.input_type] + [src for src, _, _ in self.steps]
        self.edge_types = graph.edge_types
        most = max(1 / spec.p, 1.0, 1 / spec.q)
        self.back, self.near, self.far = (
            share(w / most) for w in (1 / spec.p, 1.0, 1 / spec.q))

    def word(self, step, walk, tried, number):
        return philox.philox((step, walk, tried, 0), self.key)[number]

    def neighbours(self, step, node):
        return [u for u, _ in self.edge_types[self.steps[step]].in_edges(node)]

    def draw(self, around, step, walk, tried):
        low, high = (self.word(step, walk, tried, j) for j in (0, 1))
        n = len(around)
        if n > 65536:
            return around[((low | high << 32) * n) >> 64]
        return around[(low * n) >> 32]

    def next(self, step, walk, at, before):
        around = self.neighbours(step, at)
        if not around:
            return -1
        if before is None or (self.spec.p, self.spec.q) == (1, 1):
            return self.draw(around, step, walk, 0)
        for tried in range(MOST_TRIES):
            drawn = self.draw(around, step, walk, tried)
            if drawn == before:
                wanted = self.back
            elif drawn in self.neighbours(step, before):
                wanted = self.near
            else:
                wanted = self.far
            if self.word(step, walk, tried, 3) < wanted:
                break
        return drawn

    def walk(self, number, start):
        nodes, before = [start], None
        restart = share(self.spec.restart_prob)
        for step in range(self.spec.length):
            if self.word(step, number, 0, 2) < restart:
                if self.spec.restart_ends:
                    break
                nodes.append(start)
                before = None
                continue
            drawn = self.next(step, number, nodes[-1], before)
            if drawn < 0:
                break
            before = nodes[-1]
            nodes.append(drawn)
        return nodes + [-1] * (self.spec.length + 1 - len(nodes))


def make(graph, spec, epoch, index, inputs, input_numbers):
    """`inputs` are node ids, `input_numbers` their places in the list."""
    walker = Walker(graph, spec, epoch, index)
    starts = [v for v in inputs for _ in range(spec.walks_per_node)]
    walks = [walker.walk(w, v) for w, v in enumerate(starts)]
    nodes = {t: Numbering() for t in walker.types}
    seed_index = [nodes[spec.input_type][0, v] for v in inputs]
    unique = len(nodes[spec.input_type].ids)
    walk_index = np.full((len(walks), spec.length + 1), -1, np.int32)
    for column, node_type in enumerate(walker.types):
        for w, walk in enumerate(walks):
            if walk[column] >= 0:
                walk_index[w, column] = nodes[node_type][0, walk[column]]
    suffix = lambda name, t: f"{name}/{t}" if graph.hetero else name
    t = spec.input_type
    out = {suffix("batch_size", t): np.array([unique], np.int64),
           suffix("input_id", t): np.array(input_numbers, np.int64),
           suffix("seed_index", t): np.array(seed_index, np.int32),
           "walks": np.array(walks, np.int64),
           "walk_index": walk_index}
    for t, numbering in nodes.items():
        ids = np.array(numbering.ids, np.int64)
        out[suffix("n_id", t)] = ids
        for name in ("x", "y"):
            stored = getattr(graph.node_types[t], name)
            if stored is not None:
                out[suffix(name, t)] = stored[ids]
    return out
