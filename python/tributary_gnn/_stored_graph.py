"""What a stored graph has: its types, their sizes and columns."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

from .graph_types import EdgeType, GraphTypes, NodeType, Type


class Column(NamedTuple):
    """The rows of a column: `dim` numbers of `dtype` each, or one number where `dim` is 0."""

    dtype: str
    dim: int


def _column(described: Mapping[str, Any]) -> Column:
    """The masks of splits, which no other column is named like, are uint8 for DGL's sake."""
    dtype, is_mask = described["dtype"], described["name"].endswith("_mask")
    return Column("bool" if is_mask and dtype == "uint8" else dtype, described["dim"])


class StoredGraph:
    """Answers from the schema (docs/graph-format.md) and the columns that can be read.

    Names of types are as the C library has them: "paper", "author,writes,paper".
    """

    def __init__(self, schema: Mapping[str, Any], columns: Mapping[str, Any]):
        self.name: str = schema["name"]
        self.types = GraphTypes(schema)
        self._nodes = {its["name"]: its for its in schema["node_types"]}
        stored = {",".join((its["src"], its["rel"], its["dst"])): its
                  for its in schema["edge_types"]}
        # Without the reverse type that a graph which is not typed hides.
        self._edges = {name: stored[name] for name in columns["edges"]}
        self._columns = {name: {column["name"]: _column(column) for column in of_type}
                         for kind in ("nodes", "edges")
                         for name, of_type in columns[kind].items()}

    @property
    def edge_types(self) -> tuple[EdgeType, ...]:
        """The edge types that users see."""
        return tuple((its["src"], its["rel"], its["dst"]) for its in self._edges.values())

    def node_type(self, given: Type | None) -> str:
        """Returns the name of a node type. Raises ValueError, which lists the types."""
        if given is None and len(self._nodes) == 1:
            return next(iter(self._nodes))
        if isinstance(given, str) and given in self._nodes:
            return given
        raise ValueError(f"the node type is {given!r}; allowed: "
                         f"{', '.join(map(repr, self._nodes))}")

    def edge_type(self, given: EdgeType | str | None) -> str:
        """Returns the name of an edge type, given as ("author", "writes", "paper"), as
        "author,writes,paper", or as "writes" where that is enough."""
        if given is None and len(self._edges) == 1:
            return next(iter(self._edges))
        asked = ",".join(map(str, given)) if isinstance(given, tuple) else given
        found = [name for name in self._edges if asked in (name, name.split(",")[1])]
        if len(found) == 1:
            return found[0]
        raise ValueError(f"the edge type is {given!r}; allowed: "
                         f"{', '.join(map(str, self.edge_types))}")

    def is_edge_type(self, given: Type | None) -> bool:
        """Whether it is meant as an edge type: a triple, or its text."""
        return isinstance(given, tuple) or (isinstance(given, str) and "," in given)

    def num_nodes(self, node_type: NodeType | None) -> int:
        """Returns the number of nodes of a type; of None, of all."""
        if node_type is None:
            return sum(its["num_nodes"] for its in self._nodes.values())
        return self._nodes[self.node_type(node_type)]["num_nodes"]

    def num_edges(self, edge_type: EdgeType | str | None) -> int:
        """Returns the number of edges of a type; of None, of all."""
        if edge_type is None:
            return sum(its["num_edges"] for its in self._edges.values())
        return self._edges[self.edge_type(edge_type)]["num_edges"]

    def num_edge_ids(self, edge_type: str) -> int:
        """Returns the largest edge id + 1, which is more than the number of edges where some
        were dropped. Without an edge index it is not known; then the number of edges."""
        its = self._edges[edge_type]
        return its.get("edge_index") or its["num_edges"]

    def columns(self, given: Type | None) -> dict[str, Column]:
        """Returns the columns of a type by name."""
        name = self.edge_type(given) if self.is_edge_type(given) else self.node_type(given)
        return dict(self._columns[name])
