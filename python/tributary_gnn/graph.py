"""The stored graph, read by ids, as DGL's DistGraph is."""

from __future__ import annotations

import copy
import ctypes
import json
from typing import Any, NamedTuple

import numpy

from . import _library
from ._answer import Answer, Array, converter
from ._handle import Handle
from ._ids import to_ids
from ._interrupt import interruptible
from ._opening import open_source
from ._ranks import Place
from ._shared_handle import SharedHandle
from ._stored_graph import Column, StoredGraph
from .graph_types import EdgeType, NodeType, Type
from .source import Source, WaitObserver

# `edges` reads parts of about so many, each of which must fit the receive ring.
_EDGES_OF_A_CALL = 1 << 18


class Edges(NamedTuple):
    """Edges of one type, by the ids of their ends and their own: int64 [edges] each."""

    src: Array
    dst: Array
    e_id: Array


class Graph:
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

    def __init__(self, data: Any = None, *, format: str = "numpy", timeout: float | None = None,
                 on_wait: WaitObserver | None = None, **options: Any):
        self._to_format = converter(format)
        self._kept_open: Graph | None = None  # whose handle this one uses
        self._owns_source = not isinstance(data, Source)
        self.source = open_source("Graph", data, options, on_wait, Place(0, 1, found=False))
        try:
            self._handle = self._open(-1 if timeout is None else int(timeout * 1000))
        except BaseException:
            self._close_source()
            raise
        self._handle.close_with(self, at_exit=True)
        self._stored = StoredGraph(self.schema(), json.loads(self._text("columns")))

    def in_format(self, format: str) -> Graph:
        """Returns the same open graph with results of another format. It is closed with this
        one, which it keeps open."""
        other = copy.copy(self)
        other._to_format = converter(format)
        other._kept_open = self
        return other

    # ---- What the graph has ------------------------------------------------------------

    def schema(self) -> dict[str, Any]:
        """Returns the graph's schema, graph.json (docs/graph-format.md)."""
        return json.loads(self._text("schema"))

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

    # ---- Ends --------------------------------------------------------------------------

    def cancel(self) -> None:
        """Makes the calls that wait in other threads, and all later ones that ask servers,
        raise Cancelled."""
        self._handle.cancel()

    def close(self) -> None:
        """Closes it, and the source if it was opened for this graph, and ends the calls that
        other threads are in. A second time it does nothing."""
        self._handle.close()
        self._close_source()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle.closed()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return (f"Graph({self._stored.name!r}, num_nodes={self.num_nodes()}, "
                f"num_edges={self.num_edges()})")

    # ---- Calls of the library ----------------------------------------------------------

    def _open(self, timeout_ms: int) -> SharedHandle:
        library = _library.library()
        source_handle, callback = self.source._handle, self.source._callback

        def open_graph() -> SharedHandle:
            pointer = ctypes.c_void_p()
            source_handle.call(library.tributary_graph_open, None, timeout_ms,
                               ctypes.byref(pointer))
            return SharedHandle("graph", pointer, library.tributary_graph_close,
                                cancel=library.tributary_graph_cancel, keeps=callback)

        return interruptible(open_graph, Handle.close)

    def _close_source(self) -> None:
        if self._owns_source:
            self.source.close()

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

    def _rows(self, function: str, its_type: str, column: str, ids: numpy.ndarray) -> Array:
        answer = self._ask(function, its_type.encode(), column.encode(), ids=ids)
        known = self._stored.columns(its_type).get(column)
        as_bool = known is not None and known.dtype == "bool"
        return self._to_format(answer.tensor(column), dtype="bool" if as_bool else None)

    def _arrays(self, function: str, its_type: str, ids: numpy.ndarray,
                *names: str) -> list[Array]:
        answer = self._ask(function, its_type.encode(), ids=ids)
        return [self._to_format(answer.tensor(name)) for name in names]

    def _ask(self, function: str, *arguments: Any, ids: numpy.ndarray | None = None) -> Answer:
        called = getattr(_library.library(), "tributary_graph_" + function)
        handle = self._handle
        given = () if ids is None else (ids.ctypes.data_as(ctypes.c_void_p), len(ids))

        def ask() -> Answer:  # it holds the ids, also when nobody waits for it any more
            pointer = ctypes.c_void_p()
            handle.call(called, *arguments, *given, ctypes.byref(pointer))
            return Answer(pointer)

        return interruptible(ask, Answer.close)

    def _text(self, name: str) -> str:
        pointer = ctypes.c_void_p()
        self._handle.call(getattr(_library.library(), "tributary_graph_" + name),
                          ctypes.byref(pointer))
        return _library.take_text(pointer)


def _by_edge_id(parts: list[Answer]) -> list[numpy.ndarray]:
    """Returns the edges of all parts, as the fields of Edges, by ascending id."""
    if not parts:
        return [numpy.empty(0, numpy.int64) for _ in Edges._fields]
    arrays = {name: numpy.concatenate([part.tensor(name).bits() for part in parts])
              for name in Edges._fields}
    order = numpy.argsort(arrays["e_id"], kind="stable")
    return [arrays[name][order] for name in Edges._fields]
