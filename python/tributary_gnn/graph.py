"""The stored graph, read by ids, as DGL's DistGraph is."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Mapping, NamedTuple

import numpy

from . import _library
from ._answer import Answer, Array
from ._ids import to_ids
from ._json import to_json
from ._open_graph import OpenGraph
from ._stored_graph import Column
from .graph_types import EdgeType, NodeType, Type

# `edges` reads parts of about so many, each of which must fit the receive ring.
_EDGES_OF_A_CALL = 1 << 18


class Edges(NamedTuple):
    """Edges of one type, by the ids of their ends and their own: int64 [edges] each."""

    src: Array
    dst: Array
    e_id: Array


class Graph(OpenGraph):
    """Reads the stored graph by the ids of its nodes and edges, from servers or a folder:

        with Graph("cora4") as graph:
            x = graph.node_data("x", [3, 5])            # float32 [2, 1433]
            src, dst, e_id = graph.in_edges([3, 5])

    Ids are those of the graph that was partitioned, by type; where there is one type it need
    not be named. They are given as a list, an array or a tensor of whole numbers, of which
    any may come several times, or as a mask of bool over all; None are all. Results are in
    their order.

    Args:
      data: the folder of a partitioned graph, the servers (`file:PATH`, `HOST:PORT,...`,
        `dns:///NAME:PORT`), a `Fleet`, or an open `Source`, which is left open. Or
        `graph=FOLDER`, `servers=LIST`.
      format: "numpy" or "torch": what results are. NumPy has no bfloat16: such numbers
        become float32, which is exact.
      timeout: the seconds that a call may take, 0.1 to 86400; by default the source's
        rpc_timeout.
      on_wait: see `Source`.
      options: other options of the source (docs/modes.md: mode, graph_name, tls_ca, ...).

    Any number of threads may use it at the same time. A wait ends by Ctrl-C, `cancel` and
    `close`. It is closed by `close`, by `with`, when nothing refers to it, and when the
    program ends. In a child of fork() it is refused by name.

    Raises:
      InvalidArgument (a ValueError): a wrong option.
      NotFound (a KeyError): no such graph.
      Unavailable: no server answers in time.
    """

    # ---- What the graph has ------------------------------------------------------------

    @property
    def heterogeneous(self) -> bool:
        """Whether the graph is typed."""
        return self._stored.types.heterogeneous

    @property
    def node_types(self) -> tuple[NodeType, ...]:
        """The node types; "node" alone where the graph is not typed."""
        return self._stored.types.node_types

    @property
    def edge_types(self) -> tuple[EdgeType, ...]:
        """The edge types; ("node", "to", "node") alone where the graph is not typed."""
        return self._stored.edge_types

    def num_nodes(self, node_type: NodeType | None = None) -> int:
        """Returns the number of nodes of a type; of None, of all."""
        return self._stored.num_nodes(node_type)

    def num_edges(self, edge_type: EdgeType | str | None = None) -> int:
        """Returns the number of edges of a type; of None, of all."""
        return self._stored.num_edges(edge_type)

    def columns(self, type: Type | None = None) -> dict[str, Column]:
        """Returns what can be read of a node type, or of an edge type, by name: features (x,
        edge_attr), labels (y), times, weights, masks of edges, edges' ids, and a NAME_mask
        for each split."""
        return self._stored.columns(type)

    # ---- Nodes and edges by id ---------------------------------------------------------

    def node_data(self, column: str, ids: Any = None,
                  node_type: NodeType | None = None) -> Array:
        """Returns rows of a column of nodes, [ids] or [ids, dim], in the stored dtype; int8
        with scales as float32, masks as bool.

        Raises:
          NotFound (a KeyError): no such column; it lists those there are.
          OutOfRange (an IndexError): no such node.
          TypeError, ValueError: no ids, or no such type.
        """
        name = self._stored.node_type(node_type)
        return self._rows("read_nodes", name, column, to_ids(ids, self.num_nodes(name)))

    def edge_data(self, column: str, ids: Any = None,
                  edge_type: EdgeType | str | None = None) -> Array:
        """Returns rows of a column of edges by edge id, like `node_data`; of all edges in the
        order of `edges`. Needs a graph partitioned with --edge-index (FailedPrecondition)."""
        name = self._stored.edge_type(edge_type)
        if ids is None and self._stored.num_edge_ids(name) != self.num_edges(name):
            ids = self.edges(name).e_id
        return self._rows("read_edges", name, column, self._edge_ids(name, ids))

    def in_degrees(self, ids: Any = None, edge_type: EdgeType | str | None = None) -> Array:
        """Returns the number of edges of the type that end at each node, int64 [ids]."""
        name = self._stored.edge_type(edge_type)
        return self._arrays("in_degrees", name, self._ends(name, -1, ids), "degree")[0]

    def out_degrees(self, ids: Any = None, edge_type: EdgeType | str | None = None) -> Array:
        """Returns the number of edges of the type that begin at each node, int64 [ids]. Needs
        a graph with --degrees, or with reverse edges (FailedPrecondition)."""
        name = self._stored.edge_type(edge_type)
        return self._arrays("out_degrees", name, self._ends(name, 0, ids), "degree")[0]

    def in_edges(self, ids: Any, edge_type: EdgeType | str | None = None) -> Edges:
        """Returns all edges of the type that end at these nodes, each edge once."""
        name = self._stored.edge_type(edge_type)
        return Edges(*self._arrays("in_edges", name, self._ends(name, -1, ids), *Edges._fields))

    def out_edges(self, ids: Any, edge_type: EdgeType | str | None = None) -> Edges:
        """Returns all edges of the type that begin at these nodes, each edge once. Needs a
        graph with reverse edges: --add-reverse of a typed one, else --out-edges."""
        name = self._stored.edge_type(edge_type)
        return Edges(*self._arrays("out_edges", name, self._ends(name, 0, ids), *Edges._fields))

    def find_edges(self, ids: Any, edge_type: EdgeType | str | None = None
                   ) -> tuple[Array, Array]:
        """Returns the sources and the destinations of edges by edge id, int64 [ids] each.
        Needs a graph partitioned with --edge-index (FailedPrecondition)."""
        name = self._stored.edge_type(edge_type)
        src, dst = self._arrays("find_edges", name, self._edge_ids(name, ids), "src", "dst")
        return src, dst

    def edges(self, edge_type: EdgeType | str | None = None) -> Edges:
        """Returns all edges of a type by ascending edge id. They must fit this process."""
        name = self._stored.edge_type(edge_type)
        parts = [self._ask("in_edges", name.encode(), ids=nodes)
                 for nodes in self._parts_of_destinations(name)]
        return Edges(*map(self._to_format, _by_edge_id(parts)))

    def split(self, name: str, type: Type | None = None) -> Array | Edges:
        """Returns the nodes of a split ("train", "SCHEME/train"), int64 [nodes], in the
        split's own order; of an edge type its edges, with the id -1 for those that the graph
        lacks.

        Raises:
          NotFound (a KeyError): no such split; it lists those there are.
        """
        of_edges = self._stored.is_edge_type(type)
        its_type = self._stored.edge_type(type) if of_edges else self._stored.node_type(type)
        answer = self._ask("split", its_type.encode(), name.encode())
        if not of_edges:
            return self._to_format(answer.tensor("id"))
        return Edges(*(self._to_format(answer.tensor(field)) for field in Edges._fields))

    # ---- Sampling, shares and partitions ------------------------------------------------

    def sample_neighbors(self, nodes: Any, fanout: Any, *, random_seed: int = 0, index: int = 0,
                         replace: bool = False, prob: str | None = None, edge_dir: str = "in",
                         edge_mask: str | None = None, exclude_edges: Any = None,
                         ) -> dict[EdgeType, Edges]:
        """Samples one hop into nodes, each once however often it is named. Returns the edges
        of each type, those of none included. They are those that a loader of the nodes with
        this `random_seed`, without shuffling, has in batch `index` of epoch 0: equal keys,
        nodes and options give equal edges on every fleet and partitioning.

        Args:
          nodes: ids; in a typed graph a mapping of them by node type.
          fanout: how many edges of each type a node gets, -1 for all; or a mapping by edge
            type, in which types that are left out get none.
          random_seed, index: the key of the draws.
          replace: draw with replacement.
          prob: "weight" to draw by the stored weights; None: uniformly.
          edge_dir: "in", "out" or "both"; the latter need reverse edges.
          edge_mask: the name of a mask of edges; only its edges count.
          exclude_edges: ids of edges, or a mapping of them by type, which are not returned,
            as if the graph lacked them. Needs --edge-index, edge_dir "in", no `prob`, and no
            `replace` unless all edges are taken.
        """
        seeds = _by_type(nodes, self._stored.node_type, self._stored.num_nodes)
        excluded = _by_type({} if exclude_edges is None else exclude_edges,
                            self._stored.edge_type, self._stored.num_edge_ids)
        if isinstance(fanout, Mapping):
            fanout = _named(fanout, self._stored.edge_type)
        options = to_json({
            "fanout": fanout, "random_seed": _library.whole("random_seed", random_seed),
            "index": _library.whole("index", index), "replace": bool(replace),
            "prob": prob or "", "edge_dir": edge_dir, "edge_mask": edge_mask or ""})
        answer = self._ask("sample", *_lists(seeds), *_lists(excluded), options.encode(),
                           keeps=(seeds, excluded))
        return {its: Edges(*(self._to_format(answer.tensor(name + self._suffix(its)))
                             for name in Edges._fields)) for its in self.edge_types}

    def node_split(self, nodes: Any, rank: int, world_size: int, *,
                   node_type: NodeType | None = None, force_even: bool = True,
                   locality: bool = True) -> Array:
        """Returns one rank's share of nodes, int64, ascending. Every node is in exactly one
        rank's share, and ranks need not talk.

        Args:
          nodes: the name of a split, ids, or a mask.
          force_even: shares differ by at most 1. Else a rank has what is in its partitions,
            those p of P with floor(p * world_size / P) == rank.
          locality: a rank gets what is in its partitions first; else ids are cut in order.
        """
        name = self._stored.node_type(node_type)
        return self._share("node_split", name, nodes, self.num_nodes(name), rank=rank,
                           world_size=world_size, force_even=force_even, locality=locality)

    def edge_split(self, edges: Any, rank: int, world_size: int, *,
                   edge_type: EdgeType | str | None = None, force_even: bool = True,
                   locality: bool = True) -> Array:
        """Returns one rank's share of edges by edge id, like `node_split`. Needs --edge-index,
        unless `locality` is false and `force_even` true."""
        name = self._stored.edge_type(edge_type)
        return self._share("edge_split", name, edges, self._stored.num_edge_ids(name), rank=rank,
                           world_size=world_size, force_even=force_even, locality=locality)

    def partitions(self) -> list[dict[str, Any]]:
        """Returns of each partition its number as "partition", its "nodes" and "edges",
        numbers by type, and "owners", the addresses of servers that are up."""
        return json.loads(self._text("partitions"))

    def node_partitions(self, ids: Any = None, node_type: NodeType | None = None) -> Array:
        """Returns the partition of each node, int64 [ids]."""
        name = self._stored.node_type(node_type)
        return self._arrays("node_partitions", name, to_ids(ids, self.num_nodes(name)),
                            "partition")[0]

    def edge_partitions(self, ids: Any = None, edge_type: EdgeType | str | None = None) -> Array:
        """Returns the partition of each edge, that of its destination, int64 [ids]. Needs
        --edge-index."""
        name = self._stored.edge_type(edge_type)
        return self._arrays("edge_partitions", name, self._edge_ids(name, ids), "partition")[0]

    def partition_nodes(self, partition: int, node_type: NodeType | None = None) -> Array:
        """Returns the ids of a partition's nodes, int64, ascending."""
        name = self._stored.node_type(node_type)
        answer = self._ask("partition_nodes", name.encode(),
                           _library.whole("partition", partition, 32))
        return self._to_format(answer.tensor("id"))

    def partition_edges(self, partition: int, edge_type: EdgeType | str | None = None) -> Array:
        """Returns the ids of the edges that end at a partition's nodes, int64, ascending."""
        name = self._stored.edge_type(edge_type)
        answer = self._ask("partition_edges", name.encode(),
                           _library.whole("partition", partition, 32))
        return self._to_format(answer.tensor("id"))

    def __repr__(self) -> str:
        return (f"Graph({self._stored.name!r}, num_nodes={self.num_nodes()}, "
                f"num_edges={self.num_edges()})")

    # ---- Asking -------------------------------------------------------------------------

    def _ends(self, edge_type: str, end: int, ids: Any) -> numpy.ndarray:
        """Returns ids of nodes at this end of edges: 0 the source, -1 the destination."""
        return to_ids(ids, self.num_nodes(edge_type.split(",")[end]))

    def _edge_ids(self, edge_type: str, ids: Any) -> numpy.ndarray:
        return to_ids(ids, self._stored.num_edge_ids(edge_type))

    def _parts_of_destinations(self, edge_type: str) -> list[numpy.ndarray]:
        """Returns the nodes at which edges end, in parts that have about as many edges."""
        nodes = self._ends(edge_type, -1, None)
        degrees = self._ask("in_degrees", edge_type.encode(), ids=nodes).tensor("degree").numpy()
        part = numpy.cumsum(degrees) // _EDGES_OF_A_CALL
        parts = numpy.split(nodes, numpy.flatnonzero(numpy.diff(part)) + 1)
        return [found for found in parts if degrees[found].any()]

    def _suffix(self, edge_type: EdgeType) -> str:
        return "/" + "__".join(edge_type) if self.heterogeneous else ""

    def _share(self, function: str, its_type: str, given: Any, count: int,
               **options: Any) -> Array:
        split = given.encode() if isinstance(given, str) else None
        ids = numpy.empty(0, numpy.int64) if split else to_ids(given, count)
        answer = self._ask(function, its_type.encode(), split, ids=ids,
                           last=(to_json(options).encode(),))
        return self._to_format(answer.tensor("id"))

    def _rows(self, function: str, its_type: str, column: str, ids: numpy.ndarray) -> Array:
        answer = self._ask(function, its_type.encode(), column.encode(), ids=ids)
        known = self._stored.columns(its_type).get(column)
        as_bool = known is not None and known.dtype == "bool"
        return self._to_format(answer.tensor(column), dtype="bool" if as_bool else None)

    def _arrays(self, function: str, its_type: str, ids: numpy.ndarray,
                *names: str) -> list[Array]:
        answer = self._ask(function, its_type.encode(), ids=ids)
        return [self._to_format(answer.tensor(name)) for name in names]


def _by_edge_id(parts: list[Answer]) -> list[numpy.ndarray]:
    """Returns the edges of all parts, as the fields of Edges, by ascending id."""
    if not parts:
        return [numpy.empty(0, numpy.int64) for _ in Edges._fields]
    arrays = {name: numpy.concatenate([part.tensor(name).bits() for part in parts])
              for name in Edges._fields}
    order = numpy.argsort(arrays["e_id"], kind="stable")
    return [arrays[name][order] for name in Edges._fields]


def _by_type(given: Any, name_of: Any, count_of: Any) -> dict[str, numpy.ndarray]:
    """Returns ids by the names of their types; those that are no mapping are of the only
    type."""
    by_type = given if isinstance(given, Mapping) else {None: given}
    return {name: to_ids(ids, count_of(name)) for name, ids in _named(by_type, name_of).items()}


def _named(by_type: Mapping[Any, Any], name_of: Any) -> dict[str, Any]:
    """Returns the values by the names of their types. Raises ValueError where two are of one
    type."""
    named = {name_of(its): value for its, value in by_type.items()}
    if len(named) != len(by_type):
        raise ValueError(f"{', '.join(map(repr, by_type))} name a type twice; allowed: each type "
                         "once")
    return named


def _lists(by_type: Mapping[str, numpy.ndarray]) -> tuple[Any, int]:
    """Returns an array of tributary_ids, and its length. The ids must outlive it."""
    raw = (_library.RawIds * len(by_type))(*(
        _library.RawIds(name.encode(), ids.ctypes.data_as(ctypes.c_void_p), len(ids))
        for name, ids in by_type.items()))
    return raw, len(by_type)
