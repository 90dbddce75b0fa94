"""One batch of links: its tensors as numpy arrays by name."""

import bisect
import dataclasses
import itertools
import math

import numpy as np

from tests.oracle import graph as graphs, neighbour_batch, philox


TRIES = 64  # of a negative that must be valid


@dataclasses.dataclass
class Links:
    """Inputs are (source, destination) or (source, destination, label)."""

    neighbours: neighbour_batch.Spec
    edge_type: tuple = graphs.EDGE
    # Several supervision types instead, and how many of the inputs are of
    # each: first all of the first in canonical order, and so on.
    types: dict = None
    negatives: str = "none"  # binary, triplet, destination
    amount: float = 1
    strict: bool = False
    accept: bool = False  # the last candidate, where none is valid
    degree_power: float = 0  # of nodes' degrees; 0: uniform
    own: list = None  # a user's own: a row of destinations for each link
    enclosing: bool = False  # with neighbours induced and disjoint
    # By type and end, of one graph: weights of its nodes up to and with each.
    sums: dict = dataclasses.field(default_factory=dict)

    @property
    def seed(self):
        return self.neighbours.seed


def below(low, high, n):
    if n > 65536:
        return ((low | high << 32) * n) >> 64
    return (low * n) >> 32


def weight(degree, power):
    """degree ** power in steps of 2**-16, by roots and products alone."""
    steps = round(power * 65536)
    if degree == 0 or steps == 65536:
        return degree << 16
    root, product = float(degree), 1.0
    for digit in f"{steps:016b}":
        root = math.sqrt(root)
        if digit == "1":
            product *= root
    return round(product * 65536)  # ties to even


def by_degree(graph, spec, edge_type, end, low, high):
    """The node, by original id, of `end` 0 (sources) or 1 of all edges."""
    sums = spec.sums.get((edge_type, end))
    if sums is None:
        degrees = [0] * graph.node_types[edge_type[2 * end]].count
        for edge in graph.edge_types[edge_type].edges:
            degrees[edge[end]] += 1
        sums = list(itertools.accumulate(
            weight(d, spec.degree_power) for d in degrees))
        spec.sums[edge_type, end] = sums
    at = ((low | high << 32) * sums[-1]) >> 64
    return bisect.bisect_right(sums, at)


def node(graph, spec, edge_type, end, low, high):
    if spec.degree_power:
        return by_degree(graph, spec, edge_type, end, low, high)
    return below(low, high, graph.node_types[edge_type[2 * end]].count)


def candidate(graph, spec, edge_type, key, links, j, tried):
    """(link that it belongs to, source, destination) of a negative's try."""
    w = philox.philox((tried, j, 0, 0), key)
    destination = node(graph, spec, edge_type, 1, w[2], w[3])
    if spec.negatives == "binary":
        source = node(graph, spec, edge_type, 0, w[0], w[1])
        return j % len(links), source, destination
    link = j // int(spec.amount)
    return link, links[link][0], destination


def is_late(graph, spec, edge_type, candidate, times):
    """Whether an end that was drawn is not there at its link's time."""
    link, source, destination = candidate
    if spec.neighbours.time != "node":
        return False
    src, _, dst = edge_type
    ends = [(dst, destination)]
    if spec.negatives == "binary":
        ends.append((src, source))
    own = [graph.node_types[t].time[v] for t, v in ends
           if graph.node_types[t].time is not None]
    return any(time > times[link] or
               (spec.neighbours.strict and time == times[link])
               for time in own)


def drawn(graph, spec, edge_type, epoch, index, links, input_numbers, times):
    """The negatives, and how many of them are not valid after all."""
    if spec.negatives == "none":
        return [], 0
    if spec.own is not None:
        return [(i, links[i][0], v) for i, number in enumerate(input_numbers)
                for v in spec.own[number]], 0
    key = philox.make_key(spec.seed, epoch, index, philox.NEGATIVES, 0,
                          ",".join(edge_type))
    edges = graph.edge_types[edge_type]
    is_edge = lambda u, v: any(u == x for x, _ in edges.in_edges(v))
    is_valid = lambda c: (
        not is_late(graph, spec, edge_type, c, times) and
        not (spec.strict and is_edge(*c[1:])))
    negatives, exhausted = [], 0
    for j in range(math.ceil(len(links) * spec.amount)):
        tries = (candidate(graph, spec, edge_type, key, links, j, t)
                 for t in range(TRIES))
        good = next((c for c in tries if is_valid(c)), None)
        if good is None and not spec.accept:
            raise ValueError(f"negative {j}: no candidate is valid")
        exhausted += good is None
        negatives.append(good or candidate(graph, spec, edge_type, key, links,
                                           j, TRIES - 1))
    return negatives, exhausted


def distances(edges, start, without):
    """Breadth first, as if `without` were not there."""
    beside = {}
    for u, v in edges:
        beside.setdefault(u, []).append(v)
        beside.setdefault(v, []).append(u)
    found, reached = {start: 0}, [start]
    for node in reached:
        for other in beside.get(node, []):
            if other != without and other not in found:
                found[other] = found[node] + 1
                reached.append(other)
    return found


def double_radius(x, y):
    d = x + y
    return 1 + min(x, y) + d // 2 * (d // 2 + d % 2 - 1)


def enclose(spec, n, labels):
    """What takes the links' own edges out, and fills `labels`."""
    own = {spec.edge_type, neighbour_batch.around(spec.edge_type)}

    def after(local, nodes, sampled):
        ends = [{local[i], local[n + i]} for i in range(n)]
        src = spec.edge_type[0]
        tree = [t for t, _ in nodes[src].nodes]
        for edge_type, s in sampled.items():
            if edge_type in own:
                s.edges = [(u, v, e) for u, v, e in s.edges
                           if {u, v} != ends[tree[u]]]
        edges = [(u, v) for s in sampled.values() for u, v, _ in s.edges]
        labels[:] = [0] * len(tree)
        for i in range(n):
            inside = [(u, v) for u, v in edges if tree[u] == i]
            source, destination = local[i], local[n + i]
            x = distances(inside, source, destination)
            y = distances(inside, destination, source)
            for node in x.keys() & y.keys():
                labels[node] = double_radius(x[node], y[node])
            labels[source] = labels[destination] = 1

    return after


class Part:
    """A batch's links of one supervision type."""

    def __init__(self, edge_type, first, inputs):
        self.edge_type = edge_type
        self.first = first  # number of its list's first link
        self.numbers = [number for number, _, _ in inputs]
        self.links = [link for _, link, _ in inputs]
        self.times = [time for _, _, time in inputs]

    def draw(self, graph, spec, epoch, index):
        self.negatives, self.exhausted = drawn(
            graph, spec, self.edge_type, epoch, index, self.links,
            self.numbers, self.times)

    def starts(self, spec, tree):
        """Where hops begin; `tree` is that of the first link."""
        src, _, dst = self.edge_type
        ends = [(src, i, link[0]) for i, link in enumerate(self.links)]
        ends += [(dst, i, link[1]) for i, link in enumerate(self.links)]
        if spec.negatives == "binary":
            ends += [(src, i, u) for i, u, _ in self.negatives]
        ends += [(dst, i, v) for i, _, v in self.negatives]
        return [(t, tree + i, v) for t, i, v in ends]


def parts_of(spec, links, input_numbers, times):
    """The batch by type: in each the order of the epoch."""
    lists, end = [(spec.edge_type, 0, math.inf)], 0
    if spec.types is not None:
        lists = []
        for t in sorted(spec.types, key=lambda t: [p.encode() for p in t]):
            lists.append((t, end, end + spec.types[t]))
            end += spec.types[t]
    inputs = list(zip(input_numbers, links, times or [None] * len(links)))
    return [Part(t, first, [i for i in inputs if first <= i[0] < end])
            for t, first, end in lists]


def tensors(graph, spec, part, local, names, timed, label_type):
    """A part's own, `local` being the numbers of its starts."""
    of_links, of_src, of_dst = names
    n, m = len(part.links), len(part.negatives)
    out = {of_links("input_id"): np.array(part.numbers, np.int64) - part.first}
    if spec.accept:
        out[of_links("num_exhausted")] = np.array([part.exhausted], np.int64)
    times = np.array(part.times, np.int64) if timed else None
    if spec.negatives == "triplet":
        each = len(spec.own[0]) if spec.own is not None else int(spec.amount)
        wanted = local[2 * n:]
        out[of_src("src_index")] = local[:n]
        out[of_dst("dst_pos_index")] = local[n:2 * n]
        out[of_dst("dst_neg_index")] = (
            wanted if each == 1 else wanted.reshape(n, each))
        if timed:
            out[of_src("seed_time")] = out[of_dst("seed_time")] = times
        return out
    sources = (local[2 * n:2 * n + m] if spec.negatives == "binary"
               else local[[i for i, _, _ in part.negatives]])
    out[of_links("edge_label_index")] = np.array(
        [[*local[:n], *sources], [*local[n:2 * n], *local[len(local) - m:]]],
        np.int32).reshape(2, n + m)
    if label_type is not None:
        out[of_links("edge_label")] = np.array(
            [link[2] for link in part.links] + [0] * m, label_type)
    elif spec.negatives != "none":
        out[of_links("edge_label")] = np.array([1] * n + [0] * m, np.float32)
    if timed:
        out[of_links("edge_label_time")] = np.array(
            [*part.times, *(part.times[i] for i, _, _ in part.negatives)],
            np.int64)
    return out


def make(graph, spec, epoch, index, links, input_numbers, times=None):
    """`links` are the inputs, `input_numbers` their places in the list."""
    parts = parts_of(spec, links, input_numbers, times)
    starts, begins, tree = [], [], 0
    for part in parts:
        part.draw(graph, spec, epoch, index)
        begins.append(len(starts))
        starts += part.starts(spec, tree)
        tree += len(part.links)
    begins.append(len(starts))
    tree_times = [t for part in parts for t in part.times]
    z = []
    after = (enclose(spec, len(links), z) if spec.enclosing else None)
    local, _, out = neighbour_batch.make_from(
        graph, spec.neighbours, epoch, index, starts,
        None if times is None else tree_times, after,
        [t for part in parts for t in part.edge_type[::2]])
    local = np.array(local, np.int32)
    label_type = None
    if len(links[0]) == 3:
        whole = all(isinstance(link[2], int) for link in links)
        label_type = np.int64 if whole else np.float32
    for part, begin, end in zip(parts, begins, begins[1:]):
        suffixed = lambda suffix: (
            lambda name: f"{name}/{suffix}" if graph.hetero else name)
        of_links = suffixed("__".join(part.edge_type))
        ends = [of_links if spec.types else suffixed(t)
                for t in part.edge_type[::2]]
        out.update(tensors(graph, spec, part, local[begin:end],
                           (of_links, *ends), times is not None, label_type))
        if spec.enclosing:
            out[suffixed(part.edge_type[0])("z")] = np.array(z, np.int64)
    return out
