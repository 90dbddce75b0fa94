"""DGL's DistGraph."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, Mapping, MutableMapping

import torch

from ... import dist_tensor, errors
from ...graph import Graph
from ...graph_types import EdgeType, NodeType
from .. import _draws, _process
from ..blocks import EdgesOfType, SampledGraph
from .graph_partition_book import PartitionBook, PartitionPolicy, one_type

# What DGL's users call splits, beside their own names.
_SPLITS = {"val_mask": "valid_mask", "valid_mask": "val_mask"}
_COLUMNS = {"feat": "x", "features": "x", "label": "y", "labels": "y"}
_opened: Graph | None = None


class StoredColumn:
    """A stored column of nodes or edges of a type, that is read as a DistTensor is."""

    def __init__(self, name: str, column: Any, num_rows: int, its_type: Any,
                 read: Callable[[str, Any], torch.Tensor]):
        self.name, self.type = name, its_type
        self._dtype, self._dim, self._num_rows, self._read = (
            column.dtype, column.dim, num_rows, read)

    @property
    def split(self) -> str | None:
        """The split that this is the mask of."""
        return self.name[:-len("_mask")] if self.name.endswith("_mask") else None

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of rows."""
        return getattr(torch, self._dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows,) or (rows, dim)."""
        return (self._num_rows, self._dim) if self._dim else (self._num_rows,)

    def __len__(self) -> int:
        return self._num_rows

    def read(self, ids: Any = None) -> torch.Tensor:
        """Returns rows by ids; of None, of all."""
        return self._read(self.name, ids)

    def __getitem__(self, ids: Any) -> torch.Tensor:
        """Returns rows; of one number a tensor of one row, as DGL's."""
        return self.read(dist_tensor.indexed(ids, self._num_rows))

    def __setitem__(self, ids: Any, values: Any) -> None:
        raise errors.FailedPrecondition(
            f"{self.name} is stored in the graph's files, which are read-only; allowed: a "
            f"DistTensor of one's own, assigned as {self.name} or by another name")

    def __repr__(self) -> str:
        return f"StoredColumn({self.name!r}, {list(self.shape)}, {self._dtype})"


class Data(MutableMapping[str, Any]):
    """The columns of one type by name, as DGL's `ndata`: stored ones, and tensors that were
    assigned in this process, which come first."""

    def __init__(self, columns: Mapping[str, Any], column: Callable[[str], StoredColumn],
                 num_rows: int):
        self._columns, self._column, self._num_rows = columns, column, num_rows
        self._assigned: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self._assigned[name] if name in self._assigned else self._column(name)

    def __setitem__(self, name: str, tensor: Any) -> None:
        if not isinstance(tensor, dist_tensor.DistTensor):
            raise TypeError(f"{name} is assigned a {type(tensor).__name__}; allowed: a DistTensor")
        if len(tensor) != self._num_rows:
            raise ValueError(f"{name} is assigned a DistTensor of {len(tensor)} rows; allowed: "
                             f"{self._num_rows}")
        self._assigned[name] = tensor

    def __delitem__(self, name: str) -> None:
        del self._assigned[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._columns, *self._assigned}))

    def __len__(self) -> int:
        return len({*self._columns, *self._assigned})

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self[name] is not None
        except KeyError:
            return False


class _OfType:
    """`g.nodes[ntype].data`."""

    def __init__(self, data: Data):
        self.data = data


class _ByType:
    """`g.nodes`, `g.edges`."""

    def __init__(self, data_of: Callable[[Any], Data]):
        self._data_of = data_of

    def __getitem__(self, its_type: Any) -> _OfType:
        return _OfType(self._data_of(its_type))


class DistGraph:
    """The graph of a run: its structure and data, by calls of the servers:

        g = DistGraph("papers")
        g.ndata["feat"][train_nids]

    All ids are those of the graph that was partitioned, by type. Results are torch tensors.

    Args:
      graph_name: of the graph that servers have; standalone it has no effect.
      gpb, part_config: standalone: the folder of the partitioned graph, its graph.json, or
        FOLDER.json in its place, which is what DGL's scripts name. Else no effect.

    A process has one. A collective of a distributed run.
    """

    def __init__(self, graph_name: str, gpb: Any = None, part_config: Any = None):
        global _opened  # pylint: disable=global-statement
        config = part_config if part_config is not None else gpb
        self.graph_name = graph_name
        self._context = _process.open_group(graph_name, folder_of(config))
        self.source = self._context.source
        try:
            self._graph = _opened = Graph(self.source, format="torch")
        except BaseException:
            _process.close_group()
            raise
        self._data: dict[Any, Data] = {}
        self._partition_book: PartitionBook | None = None

    # ---- What there is -----------------------------------------------------------------

    @property
    def heterogeneous(self) -> bool:
        """Whether the graph is typed."""
        return self._graph.heterogeneous

    @property
    def ntypes(self) -> list[NodeType]:
        """The node types."""
        return list(self._graph.node_types)

    @property
    def etypes(self) -> list[str]:
        """The relations of the edge types."""
        return [its[1] for its in self._graph.edge_types]

    @property
    def canonical_etypes(self) -> list[EdgeType]:
        """The edge types."""
        return list(self._graph.edge_types)

    def to_canonical_etype(self, etype: Any) -> EdgeType:
        """Returns the edge type of a relation. Raises ValueError, which lists them."""
        src, rel, dst = self._graph._stored.edge_type(one_type(etype)).split(",")
        return src, rel, dst

    def get_ntype_id(self, ntype: NodeType) -> int:
        """Returns the number of a node type in `ntypes`."""
        return self.ntypes.index(self._graph._stored.node_type(one_type(ntype)))

    def get_etype_id(self, etype: Any) -> int:
        """Returns the number of an edge type in `etypes`."""
        return self.canonical_etypes.index(self.to_canonical_etype(etype))

    def num_nodes(self, ntype: NodeType | None = None) -> int:
        """Returns the number of nodes of a type; of None, of all."""
        return self._graph.num_nodes(one_type(ntype))

    def num_edges(self, etype: Any = None) -> int:
        """Returns the number of edges of a type; of None, of all."""
        return self._graph.num_edges(one_type(etype))

    number_of_nodes, number_of_edges = num_nodes, num_edges

    def num_edge_ids(self, etype: Any = None) -> int:
        """Returns the largest edge id of a type + 1."""
        return self._graph._stored.num_edge_ids(",".join(self.to_canonical_etype(etype)))

    @property
    def idtype(self) -> torch.dtype:
        """int64."""
        return torch.int64

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return torch.device("cpu")

    def rank(self) -> int:
        """Returns the rank of this process."""
        return self._context.rank

    # ---- Data --------------------------------------------------------------------------

    @property
    def ndata(self) -> Data:
        """The columns of nodes, of a graph of one node type."""
        return self._of_nodes(None)

    @property
    def edata(self) -> Data:
        """The columns of edges, of a graph of one edge type. They are read by edge id, which
        needs --edge-index."""
        return self._of_edges(None)

    @property
    def nodes(self) -> _ByType:
        """`g.nodes[ntype].data` are the columns of a node type."""
        return _ByType(self._of_nodes)

    @property
    def edges(self) -> _ByType:
        """`g.edges[etype].data` are the columns of an edge type."""
        return _ByType(self._of_edges)

    def _of_nodes(self, ntype: NodeType | None) -> Data:
        name = self._graph._stored.node_type(one_type(ntype))
        return self._data_of(name, self.num_nodes(name), lambda column, ids: (
            self._graph.node_data(column, ids, name)))

    def _of_edges(self, etype: Any) -> Data:
        its = self.to_canonical_etype(etype)
        return self._data_of(its, self.num_edge_ids(its), lambda column, ids: (
            self._graph.edge_data(column, ids, its)))

    def _data_of(self, its_type: Any, num_rows: int, read: Callable[[str, Any], torch.Tensor]
                 ) -> Data:
        if its_type not in self._data:
            columns = self._graph.columns(its_type)
            self._data[its_type] = Data(columns, lambda name: StoredColumn(
                *_find(columns, name), num_rows, its_type, read), num_rows)
        return self._data[its_type]

    # ---- Structure ---------------------------------------------------------------------

    def in_degrees(self, v: Any = None, etype: Any = None) -> torch.Tensor:
        """Returns the number of edges that end at each node, int64 [v]."""
        return self._graph.in_degrees(_ids(v), one_type(etype))

    def out_degrees(self, u: Any = None, etype: Any = None) -> torch.Tensor:
        """Returns the number of edges that begin at each node, int64 [u]. Needs --degrees, or
        reverse edges."""
        return self._graph.out_degrees(_ids(u), one_type(etype))

    def find_edges(self, edges: Any, etype: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the sources and destinations of edges by edge id. Needs --edge-index."""
        return self._graph.find_edges(_ids(edges), one_type(etype))

    def edge_subgraph(self, edges: Any) -> SampledGraph:
        """Returns the graph of these edges, by edge id or a mapping of them by type."""
        given = edges if isinstance(edges, Mapping) else {None: edges}
        found = {}
        for etype, ids in given.items():
            of_type = torch.as_tensor(ids)
            found[self.to_canonical_etype(etype)] = EdgesOfType(
                *self.find_edges(of_type, etype), of_type)
        return self._graph_of(found)

    def in_subgraph(self, nodes: Any) -> SampledGraph:
        """Returns the graph of all edges that end at these nodes."""
        return self._graph_of(self._graph.sample_neighbors(_seeds(nodes), -1))

    def sample_neighbors(self, seed_nodes: Any, fanout: Any, edge_dir: str = "in",
                         prob: Any = None, exclude_edges: Any = None, replace: bool = False,
                         etype_sorted: bool = True, output_device: Any = None,
                         edge_mask: str | None = None) -> SampledGraph:
        """Samples `fanout` edges of each type that end at each node, -1: all, or a mapping of
        numbers by edge type. Draws are those of `dgl.seed`; see
        `tributary_gnn.Graph.sample_neighbors` for the arguments."""
        del etype_sorted
        key = _draws.next_key()
        if isinstance(fanout, torch.Tensor):
            fanout = fanout.tolist()
        if isinstance(fanout, (list, tuple)):
            if len(fanout) != len(self.etypes):
                raise ValueError(f"fanout has {len(fanout)} numbers; allowed: one for each of "
                                 f"{len(self.etypes)} edge types")
            fanout = dict(zip(self.canonical_etypes, fanout))
        graph = self._graph_of(self._graph.sample_neighbors(
            _seeds(seed_nodes), fanout, random_seed=key.random_seed, index=key.number,
            replace=replace, prob=prob, edge_dir=edge_dir, exclude_edges=exclude_edges,
            edge_mask=edge_mask))
        return graph if output_device is None else graph.to(output_device)

    def _graph_of(self, edges: Mapping[EdgeType, Any]) -> SampledGraph:
        return SampledGraph({its: EdgesOfType(*found) for its, found in edges.items()},
                            {its: self.num_nodes(its) for its in self.ntypes})

    # ---- Partitions and ranks ----------------------------------------------------------

    def get_partition_book(self) -> PartitionBook:
        """Returns the places of nodes and edges."""
        if self._partition_book is None:
            self._partition_book = PartitionBook(self._graph, self._context.rank,
                                                 self._context.world_size)
        return self._partition_book

    def get_node_partition_policy(self, ntype: NodeType) -> PartitionPolicy:
        """Returns what a tensor of a row for each node of the type takes as `part_policy`."""
        return PartitionPolicy("node:" + self._graph._stored.node_type(one_type(ntype)))

    def get_edge_partition_policy(self, etype: Any) -> PartitionPolicy:
        """Returns what a tensor of a row for each edge of the type takes."""
        return PartitionPolicy("edge:" + ",".join(self.to_canonical_etype(etype)))

    @property
    def local_partition(self) -> Any:
        """Refused: a trainer has no part of the graph in its memory."""
        raise errors.Unimplemented(
            "local_partition: a trainer holds no partition; allowed: "
            "get_partition_book().partid2nids(PARTITION), and the calls by ids")

    def barrier(self) -> None:
        """Waits for all ranks. A collective."""
        self._context.barrier()

    def __repr__(self) -> str:
        return (f"DistGraph({self.graph_name!r}, num_nodes={self.num_nodes()}, "
                f"num_edges={self.num_edges()})")


def sample_neighbors(g: DistGraph, nodes: Any, fanout: Any, edge_dir: str = "in",
                     prob: Any = None, exclude_edges: Any = None, replace: bool = False,
                     etype_sorted: bool = True, output_device: Any = None,
                     use_graphbolt: bool = False, edge_mask: str | None = None) -> SampledGraph:
    """See `DistGraph.sample_neighbors`; use_graphbolt has no effect."""
    del use_graphbolt
    return g.sample_neighbors(nodes, fanout, edge_dir, prob, exclude_edges, replace,
                              etype_sorted, output_device, edge_mask)


def sample_etype_neighbors(g: DistGraph, nodes: Any, fanout: Any, edge_dir: str = "in",
                           prob: Any = None, exclude_edges: Any = None, replace: bool = False,
                           etype_sorted: bool = True, output_device: Any = None,
                           use_graphbolt: bool = False, edge_mask: str | None = None,
                           ) -> SampledGraph:
    """See `DistGraph.sample_neighbors`; a list of fanouts is in the order of the edge types."""
    return sample_neighbors(g, nodes, fanout, edge_dir, prob, exclude_edges, replace,
                            etype_sorted, output_device, use_graphbolt, edge_mask)


def in_subgraph(g: DistGraph, nodes: Any) -> SampledGraph:
    """See `DistGraph.in_subgraph`."""
    return g.in_subgraph(nodes)


def the_graph() -> Graph:
    """Returns the graph of this process."""
    _process.context()  # FailedPrecondition without one
    assert _opened is not None
    return _opened


def folder_of(config: Any) -> str | None:
    """Returns the folder that DGL's part_config, or a folder itself, names."""
    if config is None:
        return None
    path = os.fspath(config)
    if os.path.basename(path) == "graph.json":
        return os.path.dirname(path) or "."
    stem, extension = os.path.splitext(path)
    return stem if extension == ".json" and not os.path.isdir(path) else path


def _find(columns: Mapping[str, Any], name: str) -> tuple[str, Any]:
    """Returns a column by its name or by that of DGL's users."""
    for wanted in (name, _SPLITS.get(name), _COLUMNS.get(name)):
        if wanted is None:
            continue
        if wanted in columns:
            return wanted, columns[wanted]
        schemes = [its for its in columns if its.rpartition("/")[2] == wanted]
        if len(schemes) == 1:
            return schemes[0], columns[schemes[0]]
    if name in ("feat", "features") and "edge_attr" in columns:
        return "edge_attr", columns["edge_attr"]
    raise errors.NotFound(f"there is no column {name!r}; there are: {', '.join(sorted(columns))}")


def _ids(given: Any) -> Any:
    """One number is a list of it, as in DGL."""
    return [given] if isinstance(given, int) else given


def _seeds(nodes: Any) -> Any:
    if not isinstance(nodes, Mapping):
        return _ids(nodes)
    return {one_type(its): _ids(ids) for its, ids in nodes.items()}
