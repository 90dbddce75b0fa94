"""One batch of neighbour sampling: its tensors as numpy arrays by name."""

import dataclasses

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


class Numbering:
    """Nodes of one type, numbered by first occurrence."""

    def __init__(self):
        self.ids = []
        self.number = {}
        self.per_hop = []

    def __getitem__(self, node):
        if node not in self.number:
            self.number[node] = len(self.ids)
            self.ids.append(node)
        return self.number[node]

    def end_hop(self):
        self.per_hop.append(len(self.ids) - sum(self.per_hop))


class Sampled:
    """Edges of one type: (local source, local destination, id)."""

    def __init__(self):
        self.edges = []
        self.per_hop = []


def planned(graph, spec):
    """Fanouts of the edge types that some hop draws, in canonical order."""
    plan = {}
    for edge_type in sorted(graph.edge_types,
                            key=lambda t: tuple(s.encode() for s in t)):
        fanouts = spec.by_type.get(edge_type, spec.fanouts)
        if not graph.hetero or any(fanouts):
            plan[edge_type] = fanouts
    return plan


def make(graph, spec, epoch, index, inputs, input_numbers):
    """`inputs` are node ids, `input_numbers` their places in the list."""
    plan = planned(graph, spec)
    nodes = {spec.input_type: Numbering()}
    for src, _, dst in plan:
        nodes.setdefault(src, Numbering())
        nodes.setdefault(dst, Numbering())
    seed_index = [nodes[spec.input_type][v] for v in inputs]
    for numbering in nodes.values():
        numbering.end_hop()
    sampled = {t: Sampled() for t in plan}
    for hop in range(len(spec.fanouts)):
        _hop(graph, spec, epoch, index, hop, plan, nodes, sampled)
    return _tensors(graph, spec, nodes, sampled, seed_index, input_numbers)


def _hop(graph, spec, epoch, index, hop, plan, nodes, sampled):
    frontier = {}
    for t, numbering in nodes.items():
        end = len(numbering.ids)
        begin = 0 if spec.expand_all else end - numbering.per_hop[-1]
        frontier[t] = range(begin, end)
    for edge_type, fanouts in plan.items():
        key = philox.make_key(spec.seed, epoch, index, philox.NEIGHBOURS, hop,
                              ",".join(edge_type))
        src, _, dst = edge_type
        out = sampled[edge_type]
        before = len(out.edges)
        for local in frontier[dst]:
            adjacent = graph.edge_types[edge_type].in_edges(
                nodes[dst].ids[local])
            for p in draws.uniform(philox.Stream(key, local), len(adjacent),
                                   fanouts[hop], spec.replace):
                neighbour, e = adjacent[p]
                out.edges.append((nodes[src][neighbour], local, e))
        out.per_hop.append(len(out.edges) - before)
    for numbering in nodes.values():
        numbering.end_hop()


def _tensors(graph, spec, nodes, sampled, seed_index, input_numbers):
    int64 = lambda v: np.array(v, np.int64)
    suffix = lambda name, t: f"{name}/{t}" if graph.hetero else name
    t = spec.input_type
    out = {suffix("batch_size", t): int64([nodes[t].per_hop[0]]),
           suffix("input_id", t): int64(input_numbers),
           suffix("seed_index", t): np.array(seed_index, np.int32)}
    for t, numbering in nodes.items():
        ids = int64(numbering.ids)
        out[suffix("n_id", t)] = ids
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
        out[suffix("num_sampled_edges", t)] = int64(s.per_hop)
        stored = graph.edge_types[edge_type]
        if stored.attr is not None:
            out[suffix("edge_attr", t)] = stored.attr[ids >> stored.attr_shift]
    return out
