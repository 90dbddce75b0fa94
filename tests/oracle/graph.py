"""Graphs in memory, and OGB's raw csv folders."""

import csv
import dataclasses
import gzip
import math
import os
from fractions import Fraction

import numpy as np

NODE = "node"
EDGE = ("node", "to", "node")

# The graph of seven nodes of docs/sampling.md.
SEVEN_ROWS = [(1, 0), (2, 0), (3, 0), (4, 0), (2, 0), (0, 1), (3, 1), (5, 2),
              (5, 5), (4, 3), (0, 3), (1, 3)]


# The typed one: 4 nodes `a`, 3 nodes `b`.
SMALL_NODES = {"a": 4, "b": 3}
SMALL_ROWS = {("a", "r", "b"): [(0, 0), (1, 0), (2, 1), (3, 1), (0, 2)],
              ("a", "t", "a"): [(0, 1), (1, 2), (2, 0), (3, 0)],
              ("b", "s", "a"): [(0, 0), (1, 1), (2, 2), (2, 3), (0, 3)]}
# Links of each of its types, and one list of them all.
SMALL_LINKS = {("a", "r", "b"): [(0, 0), (3, 2), (1, 1)],
               ("a", "t", "a"): [(2, 0), (0, 3)],
               ("b", "s", "a"): [(1, 1)]}


@dataclasses.dataclass
class NodeType:
    count: int
    x: np.ndarray = None
    y: np.ndarray = None
    time: list = None  # by node


class EdgeType:
    """Edges as (source, destination, id); in_edges(v) in canonical order, and
    out_edges(u): its destinations."""

    def __init__(self, edges, attr=None, attr_shift=0, weight=None,
                 time=None):
        self.edges = edges
        self.attr = attr
        self.attr_shift = attr_shift  # attr row of edge e: e >> attr_shift
        self.weight = weight  # by edge id
        self.time = time  # by edge id
        self.masks = {}  # name -> truth by edge id
        self._in, self._out = {}, {}
        for u, v, e in edges:
            self._in.setdefault(v, []).append((u, e))
            self._out.setdefault(u, []).append((v, e))
        for lists in (self._in, self._out):
            for neighbours in lists.values():
                neighbours.sort()

    def in_edges(self, v):
        return self._in.get(v, [])

    def out_edges(self, u):
        return self._out.get(u, [])


class Graph:
    def __init__(self, node_types, edge_types, splits=None, hetero=False):
        self.node_types = node_types  # name -> NodeType
        self.edge_types = edge_types  # (src, rel, dst) -> EdgeType
        self.splits = splits or {}  # (scheme, node type, name) -> ids
        self.hetero = hetero

    def split(self, node_type, name):
        found = [ids for (scheme, t, n), ids in self.splits.items()
                 if t == node_type and name in (n, f"{scheme}/{n}")]
        if len(found) != 1:
            raise KeyError(f"{len(found)} splits match {name}")
        return found[0]


def numbered(rows, add_reverse=False, dedupe=False):
    """Homogeneous edge rows with their ids; reverse first, then dedupe."""
    if add_reverse:
        edges = []
        for i, (u, v) in enumerate(rows):
            edges += [(u, v, 2 * i), (v, u, 2 * i + 1)]
    else:
        edges = [(u, v, i) for i, (u, v) in enumerate(rows)]
    return keep_lowest(edges) if dedupe else edges


def keep_lowest(edges):
    seen = set()
    kept = []
    for u, v, e in edges:  # ids ascend
        if (u, v) not in seen:
            seen.add((u, v))
            kept.append((u, v, e))
    return kept


def small_typed():
    numbered = lambda rows: [(u, v, e) for e, (u, v) in enumerate(rows)]
    return Graph({t: NodeType(n) for t, n in SMALL_NODES.items()},
                 {t: EdgeType(numbered(r)) for t, r in SMALL_ROWS.items()},
                 hetero=True)


def homogeneous(n, rows, x=None, y=None, attr=None, splits=None,
                add_reverse=False, dedupe=False):
    edges = EdgeType(numbered(rows, add_reverse, dedupe), attr,
                     1 if add_reverse else 0)
    typed = {("", NODE, name): ids for name, ids in (splits or {}).items()}
    return Graph({NODE: NodeType(n, x, y)}, {EDGE: edges}, typed)


# --- numbers ---------------------------------------------------------------


def float32_of(text):
    """Decimal text rounded once, to nearest even."""
    value = float(text)
    if math.isnan(value):
        return np.uint32(0x7FC00000).view(np.float32)
    near = np.float32(value)
    if math.isinf(value) or not np.isfinite(near) or float(near) == value:
        return near
    exact = Fraction(text.strip())
    around = [np.nextafter(near, np.float32(-np.inf)), near,
              np.nextafter(near, np.float32(np.inf))]
    around = [c for c in around if np.isfinite(c)]
    return min(around, key=lambda c: (abs(Fraction(float(c)) - exact),
                                      int(c.view(np.uint32)) & 1))


def features(rows):
    cells = {}
    flat = []
    for row in rows:
        for text in row:
            if text not in cells:
                cells[text] = float32_of(text)
            flat.append(cells[text])
    return np.array(flat, np.float32).reshape(len(rows), -1)


def labels(rows):
    values = [[float(text) for text in row] for row in rows]
    whole = all(v.is_integer() for row in values for v in row)
    a = (np.array([[int(v) for v in row] for row in values], np.int64)
         if whole else features(rows))
    return a[:, 0].copy() if a.shape[1] == 1 else a


# --- OGB's folders ---------------------------------------------------------


def rows_of(path):
    """Rows of PATH.csv.gz or PATH.csv; None when there is neither."""
    for name, opened in ((path + ".csv.gz", gzip.open), (path + ".csv", open)):
        if os.path.exists(name):
            with opened(name, "rt", newline="") as f:
                return [row for row in csv.reader(f) if row]
    return None


def pairs_of(path):
    return [(int(u), int(v)) for u, v in rows_of(path)]


def read_ogb(folder, add_reverse=False, dedupe=False):
    raw = os.path.join(folder, "raw")
    if rows_of(os.path.join(raw, "triplet-type-list")) is not None:
        return _read_hetero(folder, add_reverse, dedupe)
    optional = lambda name, reader: (
        None if (rows := rows_of(os.path.join(raw, name))) is None
        else reader(rows))
    graph = homogeneous(
        int(rows_of(os.path.join(raw, "num-node-list"))[0][0]),
        pairs_of(os.path.join(raw, "edge")),
        x=optional("node-feat", features), y=optional("node-label", labels),
        attr=optional("edge-feat", features),
        add_reverse=add_reverse, dedupe=dedupe)
    graph.splits = _read_splits(folder)
    return graph


def _read_splits(folder):
    splits = {}
    root = os.path.join(folder, "split")
    for scheme in sorted(os.listdir(root)) if os.path.isdir(root) else []:
        for at, _, files in os.walk(os.path.join(root, scheme)):
            inside = os.path.relpath(at, os.path.join(root, scheme))
            for file in files:
                name = file.split(".")[0]
                if name in ("train", "valid", "test"):
                    node_type = NODE if inside == "." else inside
                    splits[scheme, node_type, name] = [
                        int(r[0]) for r in rows_of(os.path.join(at, name))]
    return splits


def _read_hetero(folder, add_reverse, dedupe):
    raw = os.path.join(folder, "raw")
    names, counts = rows_of(os.path.join(raw, "num-node-dict"))[:2]
    nodes = {}
    for t, count in zip(names, counts):
        x = rows_of(os.path.join(raw, "node-feat", t, "node-feat"))
        y = rows_of(os.path.join(raw, "node-label", t, "node-label"))
        nodes[t] = NodeType(int(count), None if x is None else features(x),
                            None if y is None else labels(y))
    edges = {}
    for src, rel, dst in rows_of(os.path.join(raw, "triplet-type-list")):
        at = os.path.join(raw, "relations", f"{src}___{rel}___{dst}")
        rows = pairs_of(os.path.join(at, "edge"))
        attr = rows_of(os.path.join(at, "edge-feat"))
        attr = None if attr is None else features(attr)
        forth = [(u, v, i) for i, (u, v) in enumerate(rows)]
        back = [(v, u, i) for i, (u, v) in enumerate(rows)]
        edges[src, rel, dst] = forth, attr
        if add_reverse:
            edges[dst, "rev_" + rel, src] = back, attr
    return Graph(nodes, {
        t: EdgeType(keep_lowest(e) if dedupe else e, attr)
        for t, (e, attr) in edges.items()}, _read_splits(folder), hetero=True)
