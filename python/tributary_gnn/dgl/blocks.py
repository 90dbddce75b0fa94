"""Sampled edges, and blocks made of them: DGL's message-flow graphs, without DGL."""

from __future__ import annotations

import copy
import functools
import importlib
import logging
from typing import Any, Callable, Iterator, Mapping, MutableMapping, NamedTuple

import torch

from ..graph_types import EdgeType, NodeType

_LOGGER = logging.getLogger("tributary_gnn.dgl")

NID = EID = "_ID"
NTYPE = ETYPE = "_TYPE"

Frame = dict  # column: tensor


class View:
    """The frame of one type: `view.data[name]`."""

    def __init__(self, data: Frame):
        self.data = data


class FramesByType:
    """The frames of all types: `frames[type].data[name]`."""

    def __init__(self, frames: Mapping[Any, Frame], name_of: Callable[[Any], Any]):
        self._frames, self._name_of = frames, name_of

    def __getitem__(self, its_type: Any) -> View:
        return View(self._frames[self._name_of(its_type)])


class Columns(MutableMapping[str, Any]):
    """The columns of all types by name, as DGL's `ndata`: a tensor where there is one type,
    else the tensors of the types that have it, by type."""

    def __init__(self, frames: Mapping[Any, Frame]):
        self._frames = frames

    def __getitem__(self, name: str) -> Any:
        found = {its: frame[name] for its, frame in self._frames.items() if name in frame}
        if not found:
            raise KeyError(f"no column {name!r}; there are: {', '.join(map(repr, self))}")
        return next(iter(found.values())) if len(self._frames) == 1 else found

    def __setitem__(self, name: str, values: Any) -> None:
        if len(self._frames) == 1 and not isinstance(values, Mapping):
            values = {next(iter(self._frames)): values}
        for its, rows in values.items():
            self._frames[its][name] = rows

    def __delitem__(self, name: str) -> None:
        self[name]  # a KeyError if there is none  # pylint: disable=pointless-statement
        for frame in self._frames.values():
            frame.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(set().union(*self._frames.values())))

    def __len__(self) -> int:
        return len(set().union(*self._frames.values()))


class EdgesOfType(NamedTuple):
    """Edges of one type: int64 [edges] each."""

    src: torch.Tensor
    dst: torch.Tensor
    e_id: torch.Tensor


class TypedEdges:
    """Edges by type, and what DGL's graphs say of them."""

    def __init__(self, edges: Mapping[EdgeType, EdgesOfType]):
        self._edges = dict(edges)
        self.edge_frames: dict[EdgeType, Frame] = {
            its: {EID: found.e_id} for its, found in self._edges.items()}

    @property
    def canonical_etypes(self) -> list[EdgeType]:
        """The edge types."""
        return list(self._edges)

    @property
    def etypes(self) -> list[str]:
        """The relations of the edge types."""
        return [its[1] for its in self._edges]

    def to_canonical_etype(self, etype: Any) -> EdgeType:
        """Returns the edge type of a relation, or of its three names, or of None the only
        one. Raises ValueError, which lists them."""
        found = [its for its in self._edges
                 if etype is None or etype in (its, its[1], ",".join(its))]
        if len(found) == 1:
            return found[0]
        raise ValueError(f"the edge type is {etype!r}; allowed: {', '.join(map(str, self._edges))}")

    def num_edges(self, etype: Any = None) -> int:
        """Returns the number of edges of a type; of None, of all."""
        if etype is None:
            return sum(len(found.src) for found in self._edges.values())
        return len(self._edges[self.to_canonical_etype(etype)].src)

    number_of_edges = num_edges

    @property
    def edata(self) -> Columns:
        """The columns of edges; `edata[dgl.EID]` are their ids."""
        return Columns(self.edge_frames)

    def edge_data_of(self, etype: Any) -> Frame:
        """Returns the columns of one edge type."""
        return self.edge_frames[self.to_canonical_etype(etype)]

    @property
    def edges(self) -> EdgesView:
        """`edges(etype=...)` gives the ends of edges, `edges[etype].data` their columns."""
        return EdgesView(self)

    def all_edges(self, form: str = "uv", order: str | None = None, etype: Any = None) -> Any:
        """See `edges`."""
        return self.edges(form=form, order=order, etype=etype)

    def to(self, device: Any) -> Any:
        """Returns the same on a device."""
        moved = copy.copy(self)
        moved._edges = {its: EdgesOfType(*(part.to(device) for part in found))
                        for its, found in self._edges.items()}
        moved.edge_frames = _moved(self.edge_frames, device)
        return moved


class EdgesView:
    """The edges of a graph, called or indexed by type."""

    def __init__(self, graph: TypedEdges):
        self._graph = graph

    def __call__(self, form: str = "uv", order: str | None = None, etype: Any = None) -> Any:
        """Returns (sources, destinations) of a type, with form="all" the ids as well, with
        form="eid" these alone."""
        graph = self._graph
        found = graph._edges[graph.to_canonical_etype(etype)]
        if order not in (None, "eid", "srcdst"):
            raise ValueError(f"order is {order!r}; allowed: None, 'eid', 'srcdst'")
        if order == "srcdst":
            by_dst = torch.argsort(found.dst, stable=True)
            places = by_dst[torch.argsort(found.src[by_dst], stable=True)]
            found = EdgesOfType(*(part[places] for part in found))
        if form == "uv":
            return found.src, found.dst
        if form in ("all", "eid"):
            return tuple(found) if form == "all" else found.e_id
        raise ValueError(f"form is {form!r}; allowed: 'uv', 'eid', 'all'")

    def __getitem__(self, etype: Any) -> View:
        return View(self._graph.edge_data_of(etype))


class SampledGraph(TypedEdges):
    """Edges between nodes of the stored graph by their own ids, as `sample_neighbors` and
    `in_subgraph` of DGL return them: it has as many nodes as the stored graph."""

    def __init__(self, edges: Mapping[EdgeType, EdgesOfType], num_nodes: Mapping[NodeType, int]):
        super().__init__(edges)
        self._num_nodes = dict(num_nodes)

    @property
    def ntypes(self) -> list[NodeType]:
        """The node types."""
        return list(self._num_nodes)

    def num_nodes(self, ntype: NodeType | None = None) -> int:
        """Returns the number of nodes of a type; of None, of all."""
        return sum(self._num_nodes.values()) if ntype is None else self._num_nodes[ntype]

    number_of_nodes = num_nodes

    def __repr__(self) -> str:
        return f"SampledGraph({self.num_edges()} edges)"


class Block(TypedEdges):
    """A block: edges from its sources to its destinations, which are the first of the sources,
    by their places there. With the fields of DGL's blocks that models in plain torch need:

        src, dst = block.edges(etype="writes")     # int64 [edges]: places
        h = h_src[src]
        out = torch.zeros(block.num_dst_nodes("paper"), dim).index_add(0, dst, h)
    """

    is_block = True

    def __init__(self, edges: Mapping[EdgeType, EdgesOfType],
                 n_id: Mapping[NodeType, torch.Tensor], num_dst: Mapping[NodeType, int]):
        super().__init__(edges)
        self._num_dst = dict(num_dst)
        self._num_src = {its: len(ids) for its, ids in n_id.items()}
        self.src_frames: dict[NodeType, Frame] = {its: {NID: ids} for its, ids in n_id.items()}
        self.dst_frames: dict[NodeType, Frame] = {
            its: {NID: ids[:num_dst[its]]} for its, ids in n_id.items()}

    @property
    def ntypes(self) -> list[NodeType]:
        """The node types."""
        return list(self.src_frames)

    srctypes = dsttypes = ntypes

    @property
    def srcdata(self) -> Columns:
        """The columns of sources; `srcdata[dgl.NID]` are their ids."""
        return Columns(self.src_frames)

    @property
    def dstdata(self) -> Columns:
        """The columns of destinations."""
        return Columns(self.dst_frames)

    @property
    def srcnodes(self) -> FramesByType:
        """`srcnodes[ntype].data`."""
        return FramesByType(self.src_frames, self._node_type)

    @property
    def dstnodes(self) -> FramesByType:
        """`dstnodes[ntype].data`."""
        return FramesByType(self.dst_frames, self._node_type)

    def num_src_nodes(self, ntype: NodeType | None = None) -> int:
        """Returns the number of sources of a type; of None, of all."""
        return sum(self._num_src.values()) if ntype is None else self._num_src[ntype]

    def num_dst_nodes(self, ntype: NodeType | None = None) -> int:
        """Returns the number of destinations of a type; of None, of all."""
        return sum(self._num_dst.values()) if ntype is None else self._num_dst[ntype]

    number_of_src_nodes, number_of_dst_nodes = num_src_nodes, num_dst_nodes

    def in_degrees(self, etype: Any = None) -> torch.Tensor:
        """Returns the number of edges of a type that end at each destination, int64."""
        its = self.to_canonical_etype(etype)
        return torch.bincount(self._edges[its].dst, minlength=self._num_dst[its[2]])

    def to(self, device: Any) -> Block:
        """Returns the same on a device."""
        moved = super().to(device)
        moved.src_frames = _moved(self.src_frames, device)
        moved.dst_frames = _moved(self.dst_frames, device)
        return moved

    def int(self) -> Block:
        """Returns itself: places stay int64, which torch indexes by."""
        return self

    long = int

    def __repr__(self) -> str:
        return (f"Block({self.num_src_nodes()} sources, {self.num_dst_nodes()} destinations, "
                f"{self.num_edges()} edges)")

    def _node_type(self, ntype: NodeType | None) -> NodeType:
        if ntype is None and len(self.src_frames) == 1:
            return next(iter(self.src_frames))
        if ntype in self.src_frames:
            return ntype
        raise ValueError(f"the node type is {ntype!r}; allowed: "
                         f"{', '.join(map(repr, self.src_frames))}")


def _moved(frames: Mapping[Any, Frame], device: Any) -> dict[Any, Frame]:
    return {its: {name: rows.to(device) for name, rows in frame.items()}
            for its, frame in frames.items()}


@functools.lru_cache(maxsize=None)
def installed_dgl() -> Any:
    """Returns DGL, or None where it is not installed, or cannot be imported."""
    try:
        return importlib.import_module("dgl")
    except ModuleNotFoundError:
        return None
    except (ImportError, OSError) as error:
        _LOGGER.warning("DGL is installed and cannot be imported, so that blocks are this "
                        "package's: %s", error)
        return None


def make_block(edges: Mapping[EdgeType, EdgesOfType], n_id: Mapping[NodeType, torch.Tensor],
               num_dst: Mapping[NodeType, int]) -> Any:
    """Returns a block of DGL's where DGL is installed, else a `Block`. Edges are by places
    among the sources, whose first `num_dst` are the destinations."""
    dgl = installed_dgl()
    if dgl is None:
        return Block(edges, n_id, num_dst)
    ends = {its: (found.src, found.dst) for its, found in edges.items()}
    block = dgl.create_block(ends, num_src_nodes={its: len(ids) for its, ids in n_id.items()},
                             num_dst_nodes=dict(num_dst))
    for its, ids in n_id.items():
        block.srcnodes[its].data[dgl.NID] = ids
        block.dstnodes[its].data[dgl.NID] = ids[:num_dst[its]]
    for etype, found in edges.items():
        block.edges[etype].data[dgl.EID] = found.e_id
    return block


def to_block(g: SampledGraph, dst_nodes: Any = None, include_dst_in_src: bool = True) -> Any:
    """Returns the block of a graph's edges: its destinations are `dst_nodes`, ids or a mapping
    of them by node type, in their order, by default all nodes at which edges end; sources that
    are no destinations follow in the order of the edges.

    Raises:
      ValueError: an edge ends at none of `dst_nodes`, or one comes twice there.
    """
    if not include_dst_in_src:
        raise ValueError("include_dst_in_src is False; allowed: True, as a destination's own row "
                         "is among the sources")
    found = {its: g.edges(form="all", etype=its) for its in g.canonical_etypes}
    dst = _destinations(g, found, dst_nodes)
    n_id, places = {}, {}
    for ntype in g.ntypes:
        lists = [dst[ntype]] + [src for its, (src, _, _) in found.items() if its[0] == ntype]
        n_id[ntype], places[ntype] = _numbered(torch.cat(lists), len(dst[ntype]), ntype)
    return make_block(
        {its: EdgesOfType(places[its[0]](src), _places_of(dst[its[2]], ends, its), e_id)
         for its, (src, ends, e_id) in found.items()},
        n_id, {its: len(ids) for its, ids in dst.items()})


def _destinations(g: SampledGraph, found: Mapping[EdgeType, Any], given: Any
                  ) -> dict[NodeType, torch.Tensor]:
    ends: dict[NodeType, list[torch.Tensor]] = {its: [] for its in g.ntypes}
    if given is None:
        for its, (_, dst, _) in found.items():
            ends[its[2]].append(dst)
        return {its: torch.unique(torch.cat([*lists, torch.empty(0, dtype=torch.int64)]))
                for its, lists in ends.items()}
    if not isinstance(given, Mapping):
        if len(ends) != 1:
            raise ValueError(f"dst_nodes of a typed graph; allowed: a mapping by node type, of "
                             f"{', '.join(map(repr, ends))}")
        given = {next(iter(ends)): given}
    return {its: torch.as_tensor(given.get(its, []), dtype=torch.int64) for its in ends}


def _numbered(ids: torch.Tensor, num_dst: int, ntype: NodeType
              ) -> tuple[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]:
    """Returns the distinct ids by their first place, and what gives an id's place there."""
    ascending, inverse = torch.unique(ids, return_inverse=True)
    first = torch.full((len(ascending),), len(ids), dtype=torch.int64)
    first.scatter_reduce_(0, inverse, torch.arange(len(ids)), "amin")
    order = torch.argsort(first)
    place = torch.empty_like(order)
    place[order] = torch.arange(len(order))
    if len(torch.unique(ids[:num_dst])) != num_dst:
        raise ValueError(f"dst_nodes name a node of {ntype!r} twice; allowed: each once")
    return ascending[order], lambda wanted: place[torch.searchsorted(ascending, wanted)]


def _places_of(destinations: torch.Tensor, wanted: torch.Tensor, etype: EdgeType) -> torch.Tensor:
    ascending, order = torch.sort(destinations)
    at = torch.searchsorted(ascending, wanted)
    known = at < len(ascending)
    known[known.clone()] = ascending[at[known]] == wanted[known]
    if not bool(known.all()):
        node = int(wanted[~known][0])
        raise ValueError(f"an edge of type {etype} ends at node {node}, which is none of "
                         "dst_nodes; allowed: all nodes at which edges end")
    return order[at]
