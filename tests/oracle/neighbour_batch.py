"""One batch of neighbour sampling: its tensors as numpy arrays by name."""

import dataclasses
import math
import operator

import numpy as np

from tests.oracle import draws, graph as graphs, philox


@dataclasses.dataclass
class Spec:
    fanouts: list  # default, per hop
    seed: int
    input_type: str = graphs.NODE
    by_type: dict = dataclasses.field(default_factory=dict)
    replace: bool = False
    expand_all: bool = False
    draw: str = "uniform"  # weighted, labor, across_types
    layer_dependency: bool = False
    time: str = None  # edge, node
    strict: bool = False
    last: bool = False
    disjoint: bool = False
    # By edge type, or None for those that are not named and have the columns:
    # a list of (column, comparison, constant), column "edge_weight",
    # "edge_time", "self_loop", "edge_mask[NAME]" or a number, that of edge_attr.
    predicates: dict = dataclasses.field(default_factory=dict)
    edge_mask: str = None  # of the types that have it
    subgraph: str = "directional"  # bidirectional, induced
    edge_dir: str = "in"  # out, both

    @property
    def trees(self):
        return self.disjoint or self.time is not None


COMPARISONS = {"<": operator.lt, "<=": operator.le, "==": operator.eq,
               "!=": operator.ne, ">=": operator.ge, ">": operator.gt}


def _column(edge_type, edges, column):
    """Python numbers by edge id, or None: ints and floats compare exactly."""
    if column == "edge_weight":
        return edges.weight
    if column == "edge_time":
        return edges.time
    if column == "self_loop":
        if edge_type[0] != edge_type[2]:
            return None
        return {e: int(u == v) for u, v, e in edges.edges}
    if str(column).startswith("edge_mask["):
        return edges.masks.get(column[len("edge_mask["):-1])
    if edges.attr is None:
        return None
    rows = np.repeat(edges.attr, 2, axis=0) if edges.attr_shift else edges.attr
    return rows.reshape(len(rows), -1)[:, column].tolist()


def eligible(graph, spec, edge_type, adjacent):
    """The positions that meet all conditions."""
    edges = graph.edge_types[edge_type]
    conditions = spec.predicates.get(edge_type)
    if conditions is None:
        conditions = spec.predicates.get(None, [])
        if any(_column(edge_type, edges, column) is None
               for column, _, _ in conditions):
            conditions = []
    left = list(range(len(adjacent)))
    for column, comparison, constant in conditions:
        values = _column(edge_type, edges, column)
        left = [p for p in left
                if not math.isnan(values[adjacent[p][1]]) and
                COMPARISONS[comparison](values[adjacent[p][1]], constant)]
    mask = edges.masks.get(spec.edge_mask)
    return left if mask is None else [p for p in left
                                      if mask[adjacent[p][1]]]


class Numbering:
    """Nodes (tree, id) of one type, numbered by first occurrence."""

    def __init__(self):
        self.nodes = []
        self.number = {}
        self.number_in_tree = []
        self.per_hop = []

    def __getitem__(self, node):
        if node not in self.number:
            tree = node[0]
            self.number[node] = len(self.nodes)
            self.number_in_tree.append(
                sum(1 for t, _ in self.nodes if t == tree))
            self.nodes.append(node)
        return self.number[node]

    @property
    def ids(self):
        return [v for _, v in self.nodes]

    def end_hop(self):
        self.per_hop.append(len(self.nodes) - sum(self.per_hop))


class Sampled:
    """Edges of one type: (local source, local destination, id)."""

    def __init__(self):
        self.edges = []
        self.weights = []  # one over the edges of its node and hop
        self.per_hop = []


def around(edge_type):
    """The type that holds the same edges by their other ends."""
    src, rel, dst = edge_type
    if rel.startswith("rev_"):
        return dst, rel[len("rev_"):], src
    return dst, "rev_" + rel, src


def planned(graph, spec):
    """Fanouts of the edge types that some hop draws, in canonical order."""
    plan = {}
    for edge_type in sorted(graph.edge_types,
                            key=lambda t: tuple(s.encode() for s in t)):
        fanouts = spec.by_type.get(edge_type)
        if fanouts is None:  # of both ways, those of an edge are planned once
            twice = spec.edge_dir == "both" and around(edge_type) in \
                graph.edge_types and edge_type[1].startswith("rev_")
            fanouts = [0] * len(spec.fanouts) if twice else spec.fanouts
        if not graph.hetero or any(fanouts):
            plan[edge_type] = fanouts
    return plan


def make(graph, spec, epoch, index, inputs, input_numbers, times=None):
    """`inputs` are node ids, `input_numbers` their places in the list; `times`
    are theirs, or None for the nodes' own."""
    t = spec.input_type
    if spec.time and times is None:
        times = [graph.node_types[t].time[v] for v in inputs]
    starts = [(t, i, v) for i, v in enumerate(inputs)]
    seed_index, unique, out = make_from(graph, spec, epoch, index, starts,
                                        times)
    suffix = lambda name: f"{name}/{t}" if graph.hetero else name
    out[suffix("batch_size")] = np.array([unique[t]], np.int64)
    out[suffix("input_id")] = np.array(input_numbers, np.int64)
    out[suffix("seed_index")] = np.array(seed_index, np.int32)
    return out


def make_from(graph, spec, epoch, index, starts, times, after=None,
              types=()):
    """Hops that begin at `starts`, (type, tree, id) each: their local numbers,
    how many nodes they are by type, and the tensors. `times` are the trees'.
    after(local numbers, nodes, sampled) may change edges. `types` have nodes,
    too."""
    plan = planned(graph, spec)
    nodes = {t: Numbering() for t in [*types, *(t for t, _, _ in starts)]}
    for src, _, dst in plan:
        nodes.setdefault(src, Numbering())
        nodes.setdefault(dst, Numbering())
    local = [nodes[t][tree if spec.trees else 0, v] for t, tree, v in starts]
    for numbering in nodes.values():
        numbering.end_hop()
    unique = {t: numbering.per_hop[0] for t, numbering in nodes.items()}
    sampled = {t: Sampled() for t in plan}
    for hop in range(len(spec.fanouts)):
        _hop(graph, spec, (epoch, index, hop), plan, nodes, sampled, times)
    if spec.subgraph == "induced":
        for edge_type, out in sampled.items():
            out.edges = _induced(graph, edge_type, nodes)
    if spec.subgraph == "bidirectional":
        both = {t: _mirrored(sampled, t) for t in sampled}
        for edge_type, edges in both.items():
            sampled[edge_type].edges = edges
    if after is not None:
        after(local, nodes, sampled)
    return local, unique, _tensors(graph, spec, nodes, sampled)


def _hop(graph, spec, which, plan, nodes, sampled, times):
    hop = which[2]
    frontier = {}
    for t, numbering in nodes.items():
        end = len(numbering.nodes)
        begin = 0 if spec.expand_all else end - numbering.per_hop[-1]
        frontier[t] = range(begin, end)
    for edge_type, fanouts in plan.items():
        before = len(sampled[edge_type].edges)
        for outwards in {"in": [False], "out": [True],
                         "both": [False, True]}[spec.edge_dir]:
            _direction(graph, spec, which, edge_type, outwards, fanouts[hop],
                       frontier, nodes, sampled[edge_type], times)
        sampled[edge_type].per_hop.append(
            len(sampled[edge_type].edges) - before)
    for numbering in nodes.values():
        numbering.end_hop()


def _direction(graph, spec, which, edge_type, outwards, fanout, frontier,
               nodes, out, times):
    """What the frontier draws along edges that end at it, or lead from it."""
    edges = graph.edge_types[edge_type]
    here, there = edge_type[2], edge_type[0]
    if outwards:
        here, there = there, here
    key_name = ",".join(around(edge_type) if outwards else edge_type)
    for local in frontier[here]:
        tree, node = nodes[here].nodes[local]
        adjacent = edges.out_edges(node) if outwards else edges.in_edges(node)
        may = eligible(graph, spec, edge_type, adjacent)
        if spec.draw == "across_types":
            drawn = _share(graph, spec, which, edge_type, node, fanout,
                           nodes[here].number_in_tree[local], tree)
        else:
            drawn = [may[rank] for rank in _draw(
                graph, spec, which, edge_type, key_name, there, adjacent, may,
                fanout, nodes[here].number_in_tree[local], tree, times)]
        if outwards and spec.edge_dir == "both" and here == there:
            drawn = [p for p in drawn if adjacent[p][0] != node]
        for p in drawn:
            neighbour, e = adjacent[p]
            ends = nodes[there][tree, neighbour], local
            out.edges.append((*(ends[::-1] if outwards else ends), e))
            out.weights.append(1 / len(drawn))


def _share(graph, spec, which, edge_type, node, fanout, number, tree):
    """The positions of one type, of a draw among the node's edges of all."""
    types = [t for t in planned(graph, spec) if t[2] == edge_type[2]]
    name = edge_type[2] if len(types) > 1 else ",".join(edge_type)
    key = philox.make_key(spec.seed, *which[:2], philox.NEIGHBOURS, which[2],
                          name)
    every = [(t, p) for t in types
             for p in range(len(graph.edge_types[t].in_edges(node)))]
    drawn = draws.uniform(philox.Stream(key, number, tree), len(every), fanout,
                          spec.replace)
    return [p for t, p in map(every.__getitem__, drawn) if t == edge_type]


def _draw(graph, spec, which, edge_type, key_name, neighbour_type, every, may,
          fanout, number, tree, times):
    """The ranks among positions `may` that one node emits."""
    if fanout == 0:
        return []
    adjacent = [every[p] for p in may]
    epoch, index, hop = which
    if spec.draw == "labor":
        key = philox.make_key(spec.seed, epoch, index, philox.LABOR,
                              0 if spec.layer_dependency else hop, "")
        return draws.labor(key, [u for u, _ in adjacent], fanout)
    key = philox.make_key(spec.seed, epoch, index, philox.NEIGHBOURS, hop,
                          key_name)
    stream = philox.Stream(key, number, tree)
    weight = graph.edge_types[edge_type].weight
    if spec.draw == "weighted" and weight is not None:
        w = draws.integer_weights([weight[e] for _, e in every])
        return draws.weighted(stream, [w[p] for p in may], fanout,
                              spec.replace)
    edge_time = graph.edge_types[edge_type].time
    node_time = graph.node_types[neighbour_type].time
    if spec.time == "edge" and edge_time is not None:
        at = [edge_time[e] for _, e in adjacent]
    elif spec.time == "node" and node_time is not None:
        at = [node_time[u] for u, _ in adjacent]
    else:
        return draws.uniform(stream, len(adjacent), fanout, spec.replace)
    return draws.temporal(stream, at, times[tree], fanout, spec.replace,
                          spec.strict, spec.last)


def _induced(graph, edge_type, nodes):
    """All edges of the type between nodes of the same tree."""
    src, _, dst = edge_type
    known = nodes[src].number
    return [(known[tree, u], local, e)
            for local, (tree, v) in enumerate(nodes[dst].nodes)
            for u, e in graph.edge_types[edge_type].in_edges(v)
            if (tree, u) in known]


def _reverse(sampled, edge_type):
    """The planned type that leads back, or None."""
    src, rel, dst = edge_type
    around = [(dst, "rev_" + rel, src)]
    if rel.startswith("rev_"):
        around.append((dst, rel[len("rev_"):], src))
    if src == dst:
        around.append(edge_type)
    return next((t for t in around if t in sampled), None)


def _mirrored(sampled, edge_type):
    """Drawn edges, and those of the reverse type turned around: one from a
    source to a destination."""
    back = _reverse(sampled, edge_type)
    chosen = {}
    for u, v, e in sorted(sampled[edge_type].edges, key=lambda edge: edge[2]):
        chosen.setdefault((v, u), e)
    mirrored = sampled[back].edges if back else []
    for v, u, e in sorted(mirrored, key=lambda edge: edge[2]):
        chosen.setdefault((v, u), e)
    return [(u, v, e) for (v, u), e in sorted(chosen.items())]


def _tensors(graph, spec, nodes, sampled):
    int64 = lambda v: np.array(v, np.int64)
    suffix = lambda name, t: f"{name}/{t}" if graph.hetero else name
    out = {}
    for t, numbering in nodes.items():
        ids = int64(numbering.ids)
        out[suffix("n_id", t)] = ids
        if spec.trees:
            out[suffix("batch", t)] = int64([k for k, _ in numbering.nodes])
        out[suffix("num_sampled_nodes", t)] = int64(numbering.per_hop)
        for name in ("x", "y"):
            stored = getattr(graph.node_types[t], name)
            if stored is not None:
                out[suffix(name, t)] = stored[ids]
    for edge_type, s in sampled.items():
        t = "__".join(edge_type)
        ends = [(u, v) for u, v, _ in s.edges]
        ids = int64([e for _, _, e in s.edges])
        out[suffix("edge_index", t)] = np.ascontiguousarray(
            np.array(ends, np.int32).reshape(-1, 2).T)
        out[suffix("e_id", t)] = ids
        if spec.subgraph == "directional":
            out[suffix("num_sampled_edges", t)] = int64(s.per_hop)
        if spec.draw == "labor":
            out[suffix("edge_weight", t)] = np.array(s.weights, np.float32)
        stored = graph.edge_types[edge_type]
        others = (spec.subgraph == "bidirectional"
                  and _reverse(sampled, edge_type) not in (None, edge_type))
        if stored.attr is not None and not others:
            out[suffix("edge_attr", t)] = stored.attr[ids >> stored.attr_shift]
    return out
