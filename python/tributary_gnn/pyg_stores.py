"""The stored graph by PyG's interfaces, so that PyG's own code runs over a fleet: a
FeatureStore and a GraphStore."""

# mypy: allow-subclassing-any
# PyG's classes are of no known type where it is not installed.

from __future__ import annotations

import collections
from typing import Any, NoReturn

import numpy
import torch
from torch_geometric.data import FeatureStore as PygFeatureStore
from torch_geometric.data import GraphStore as PygGraphStore
from torch_geometric.data.feature_store import TensorAttr
from torch_geometric.data.graph_store import EdgeAttr, EdgeLayout

from . import errors
from ._ids import to_ids
from ._stored_graph import Column
from .graph import Graph
from .graph_types import Type

# What node types without a column have instead, so that PyG's samplers find them.
_NODE_ID = "n_id"


def _refuse_to_write(what: str) -> NoReturn:
    raise errors.Unimplemented(
        f"{what} of a stored graph is read-only; allowed: reading; tributary_gnn.partition() "
        "makes another graph, and servers keep tensors that change (docs/distributed-data.md)")


class _Store:
    """What both stores share: the graph, and its end."""

    def __init__(self, data: Any, options: dict[str, Any]):
        given = isinstance(data, Graph)
        if given and options:
            raise TypeError(f"{', '.join(sorted(options))}: options of the graph, which is open; "
                            "allowed: tributary_gnn.Graph(...) with them")
        self.graph = data if given else Graph(data, **options)
        self._torch_graph = self.graph.in_format("torch")
        self._owns_graph = not given

    def close(self) -> None:
        """Closes the graph if it was opened for this store."""
        if self._owns_graph:
            self.graph.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


class FeatureStore(_Store, PygFeatureStore):
    """The columns of a graph's nodes and edges by PyG's interface:

        graph = Graph(servers="file:servers.txt")
        features, edges = FeatureStore(graph), GraphStore(graph)
        x = features["paper", "x", torch.tensor([3, 5])]

    Groups are node types and edge types; None, the nodes, where the graph is not typed. Names
    are those of `Graph.columns`. An index is ids, a mask, a slice, one id, or None for all.
    Tensors are torch's, in the stored dtype. `get_all_tensor_attrs` lists the columns of
    nodes alone, which PyG's loaders collect; those of edges are read by edge id.

    Args:
      data: a `Graph`, which is left open, or what `Graph` opens, with its options.

    Raises:
      NotFound (a KeyError): no such column.
      ValueError: no such group.
      OutOfRange (an IndexError): no such node or edge.
      Unimplemented: for writing.
    """

    def __init__(self, data: Any = None, **options: Any):
        PygFeatureStore.__init__(self)
        _Store.__init__(self, data, options)

    def get_all_tensor_attrs(self) -> list[TensorAttr]:
        """Returns the columns of all node types, without an index."""
        return [self._tensor_attr_cls(group, name) for group in self._node_groups()
                for name in self._names(group)]

    def _node_groups(self) -> list[str | None]:
        return list(self.graph.node_types) if self.graph.heterogeneous else [None]

    def _names(self, group: str | None) -> list[str]:
        """Returns the names, those of masks as PyG has them where only one scheme of splits
        has the name."""
        columns = list(self.graph.columns(group))
        short = collections.Counter(map(_without_scheme, columns))
        return [_without_scheme(name) if short[_without_scheme(name)] == 1 else name
                for name in columns] or [_NODE_ID]

    def _columns(self, group: Type | None) -> dict[str, Column]:
        """Returns the columns by their full and their short names."""
        columns = self.graph.columns(group)
        return {**{_without_scheme(name): column for name, column in columns.items()}, **columns}

    def _get_tensor(self, attr: TensorAttr) -> torch.Tensor:
        one = isinstance(attr.index, (int, numpy.integer))
        ids = [int(attr.index)] if one else self._ids(attr)
        if _is_edge_type(attr.group_name):
            rows = self._torch_graph.edge_data(attr.attr_name, ids, attr.group_name)
        elif attr.attr_name == _NODE_ID:
            rows = torch.from_numpy(self._node_ids(ids, attr.group_name))
        else:
            rows = self._torch_graph.node_data(attr.attr_name, ids, attr.group_name)
        return rows[0] if one else rows

    def _get_tensor_size(self, attr: TensorAttr) -> tuple[int, ...] | None:
        columns = self._columns(attr.group_name)
        if attr.attr_name not in (*columns, _NODE_ID):
            return None
        dim = columns[attr.attr_name].dim if attr.attr_name in columns else 0
        count = self._num_rows(attr.group_name)
        if attr.index is not None:
            count = len(to_ids(self._ids(attr), count))
        return (count, dim) if dim else (count,)

    def _num_rows(self, group: Type | None) -> int:
        if _is_edge_type(group):
            return self.graph.num_edges(group)
        return self.graph.num_nodes(group)

    def _ids(self, attr: TensorAttr) -> Any:
        """Returns the index, a slice as ids."""
        if not isinstance(attr.index, slice):
            return attr.index
        return numpy.arange(self._num_rows(attr.group_name))[attr.index]

    def _node_ids(self, ids: Any, group: str | None) -> numpy.ndarray:
        count = self._num_rows(group)
        nodes = to_ids(ids, count)
        if ((nodes < 0) | (nodes >= count)).any():
            raise errors.OutOfRange(f"there is no such node of type {group}; ids are 0 to "
                                    f"{count} - 1")
        return nodes

    def _put_tensor(self, tensor: Any, attr: TensorAttr) -> bool:
        _refuse_to_write(f"{attr.attr_name!r}")

    def _remove_tensor(self, attr: TensorAttr) -> bool:
        _refuse_to_write(f"{attr.attr_name!r}")


class GraphStore(_Store, PygGraphStore):
    """The edges of a graph by PyG's interface, each type's whole, in COO layout by ascending
    edge id: where edge ids are 0 to the number of edges - 1, as they are unless edges were
    dropped, the permutations of `csc` and `csr` are edge ids. The edges that PyG's code asks
    for must fit this process; they are read anew for each call.

    Args:
      data: a `Graph`, which is left open, or what `Graph` opens, with its options.

    Raises:
      ValueError: no such edge type, or another layout than COO; `csc` and `csr` convert.
      Unimplemented: for writing.
    """

    def __init__(self, data: Any = None, **options: Any):
        PygGraphStore.__init__(self)
        _Store.__init__(self, data, options)

    def get_all_edge_attrs(self) -> list[EdgeAttr]:
        """Returns the edge types, with their numbers of source and destination nodes; the
        type is None where the graph is not typed."""
        return [self._edge_attr_cls(
            edge_type if self.graph.heterogeneous else None, EdgeLayout.COO,
            size=(self.graph.num_nodes(edge_type[0]), self.graph.num_nodes(edge_type[-1])))
            for edge_type in self.graph.edge_types]

    def _get_edge_index(self, edge_attr: EdgeAttr) -> tuple[torch.Tensor, torch.Tensor]:
        if edge_attr.layout != EdgeLayout.COO:
            raise ValueError(f"the layout is {edge_attr.layout.value!r}; allowed: 'coo'; csc() "
                             "and csr() of the store convert it")
        if edge_attr.is_sorted:
            raise ValueError("is_sorted is True; allowed: False: edges are in the order of their "
                             "ids, and csc() of the store sorts them by destination")
        edges = self._torch_graph.edges(edge_attr.edge_type)
        return edges.src, edges.dst

    def _put_edge_index(self, edge_index: Any, edge_attr: EdgeAttr) -> bool:
        _refuse_to_write("the edge index")

    def _remove_edge_index(self, edge_attr: EdgeAttr) -> bool:
        _refuse_to_write("the edge index")


def _without_scheme(name: str) -> str:
    """Returns "train_mask" for "public/train_mask"."""
    return name.rpartition("/")[2]


def _is_edge_type(group: Type | None) -> bool:
    return isinstance(group, tuple)
