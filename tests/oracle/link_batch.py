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
    negatives: str = "none"  # binary, triplet, destination
    amount: float = 1
    strict: bool = False
    accept: bool = False  # the last candidate, where none is valid
    degree_power: float = 0  # of nodes' degrees; 0: uniform
    own: list = None  # a user's own: a row of destinations for each link
    enclosing: bool = False  # with neighbours induced and disjoint
    # By end, of one graph: weights of its nodes up to and with each.
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


def by_degree(graph, spec, end, low, high):
    """The node, by original id, of `end` 0 (sources) or 1 of all edges."""
    sums = spec.sums.get(end)
    if sums is None:
        degrees = [0] * graph.node_types[spec.edge_type[2 * end]].count
        for edge in graph.edge_types[spec.edge_type].edges:
            degrees[edge[end]] += 1
        sums = list(itertools.accumulate(
            weight(d, spec.degree_power) for d in degrees))
        spec.sums[end] = sums
    at = ((low | high << 32) * sums[-1]) >> 64
    return bisect.bisect_right(sums, at)


def node(graph, spec, end, low, high):
    if spec.degree_power:
        return by_degree(graph, spec, end, low, high)
    return below(low, high, graph.node_types[spec.edge_type[2 * end]].count)


def candidate(graph, spec, key, links, j, tried):
    """(link that it belongs to, source, destination) of a negative's try."""
    w = philox.philox((tried, j, 0, 0), key)
    destination = node(graph, spec, 1, w[2], w[3])
    if spec.negatives == "binary":
        source = node(graph, spec, 0, w[0], w[1])
        return j % len(links), source, destination
    link = j // int(spec.amount)
    return link, links[link][0], destination


def is_late(graph, spec, candidate, times):
    """Whether an end that was drawn is not there at its link's time."""
    link, source, destination = candidate
    if spec.neighbours.time != "node":
        return False
    src, _, dst = spec.edge_type
    ends = [(dst, destination)]
    if spec.negatives == "binary":
        ends.append((src, source))
    own = [graph.node_types[t].time[v] for t, v in ends
           if graph.node_types[t].time is not None]
    return any(time > times[link] or
               (spec.neighbours.strict and time == times[link])
               for time in own)


def drawn(graph, spec, epoch, index, links, input_numbers, times):
    """The negatives, and how many of them are not valid after all."""
    if spec.negatives == "none":
        return [], 0
    if spec.own is not None:
        return [(i, links[i][0], v) for i, number in enumerate(input_numbers)
                for v in spec.own[number]], 0
    key = philox.make_key(spec.seed, epoch, index, philox.NEGATIVES, 0,
                          ",".join(spec.edge_type))
    edges = graph.edge_types[spec.edge_type]
    is_edge = lambda u, v: any(u == x for x, _ in edges.in_edges(v))
    is_valid = lambda c: (
        not is_late(graph, spec, c, times) and
        not (spec.strict and is_edge(*c[1:])))
    negatives, exhausted = [], 0
    for j in range(math.ceil(len(links) * spec.amount)):
        tries = (candidate(graph, spec, key, links, j, t)
                 for t in range(TRIES))
        good = next((c for c in tries if is_valid(c)), None)
        if good is None and not spec.accept:
            raise ValueError(f"negative {j}: no candidate is valid")
        exhausted += good is None
        negatives.append(good or candidate(graph, spec, key, links, j,
                                           TRIES - 1))
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


def make(graph, spec, epoch, index, links, input_numbers, times=None):
    """`links` are the inputs, `input_numbers` their places in the list."""
    negatives, exhausted = drawn(graph, spec, epoch, index, links,
                                 input_numbers, times)
    src, _, dst = spec.edge_type
    n, m = len(links), len(negatives)
    starts = [(src, i, link[0]) for i, link in enumerate(links)]
    starts += [(dst, i, link[1]) for i, link in enumerate(links)]
    if spec.negatives == "binary":
        starts += [(src, i, u) for i, u, _ in negatives]
    starts += [(dst, i, v) for i, _, v in negatives]
    labels = []
    after = enclose(spec, n, labels) if spec.enclosing else None
    local, _, out = neighbour_batch.make_from(graph, spec.neighbours, epoch,
                                              index, starts, times, after)
    local = np.array(local, np.int32)
    of_links = lambda name: (
        f"{name}/{'__'.join(spec.edge_type)}" if graph.hetero else name)
    of_nodes = lambda name, t: f"{name}/{t}" if graph.hetero else name
    out[of_links("input_id")] = np.array(input_numbers, np.int64)
    if spec.enclosing:
        out[of_nodes("z", src)] = np.array(labels, np.int64)
    if spec.accept:
        out[of_links("num_exhausted")] = np.array([exhausted], np.int64)
    if spec.negatives == "triplet":
        wanted = local[2 * n:]
        out[of_nodes("src_index", src)] = local[:n]
        out[of_nodes("dst_pos_index", dst)] = local[n:2 * n]
        out[of_nodes("dst_neg_index", dst)] = (
            wanted if m == n else wanted.reshape(n, -1))
        if times is not None:
            for end in (src, dst):
                out[of_nodes("seed_time", end)] = np.array(times, np.int64)
        return out
    sources = (local[2 * n:2 * n + m] if spec.negatives == "binary"
               else local[[i for i, _, _ in negatives]])
    out[of_links("edge_label_index")] = np.array(
        [[*local[:n], *sources], [*local[n:2 * n], *local[len(local) - m:]]],
        np.int32)
    if len(links[0]) == 3:
        labels = [link[2] for link in links] + [0] * m
        whole = all(isinstance(label, int) for label in labels)
        out[of_links("edge_label")] = np.array(
            labels, np.int64 if whole else np.float32)
    elif m > 0:
        out[of_links("edge_label")] = np.array([1] * n + [0] * m, np.float32)
    if times is not None:
        out[of_links("edge_label_time")] = np.array(
            list(times) + [times[i] for i, _, _ in negatives], np.int64)
    return out
