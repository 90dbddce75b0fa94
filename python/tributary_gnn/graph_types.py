"""The types of a graph, and the names that its tensors have in batches."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Union

NodeType = str
EdgeType = tuple[str, str, str]
Type = Union[NodeType, EdgeType]


class TensorName(NamedTuple):
    """A tensor's name in parts: "edge_index/author__writes__paper" is the column
    "edge_index" of the type ("author", "writes", "paper"). The type is None in a homogeneous
    graph, and of a tensor that is of several types, as "walks" is."""

    column: str
    type: Type | None


def named_edge_types(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns what the schema says of each edge type that users name: a homogeneous graph may
    have its edges once more, reversed."""
    return [edge for edge in schema["edge_types"]
            if schema["heterogeneous"] or not edge.get("reverse")]


class GraphTypes:
    """The types of a graph, from its schema (docs/graph-format.md)."""

    def __init__(self, schema: Mapping[str, Any]):
        self.heterogeneous: bool = schema["heterogeneous"]
        self.node_types: tuple[NodeType, ...] = tuple(
            node["name"] for node in schema["node_types"])
        self.edge_types: tuple[EdgeType, ...] = tuple(
            (edge["src"], edge["rel"], edge["dst"]) for edge in schema["edge_types"])
        self._by_suffix: dict[str, Type] = {name: name for name in self.node_types}
        # Names of types have no "__", so that no edge type is written as a node type.
        self._by_suffix.update(("__".join(edge), edge) for edge in self.edge_types)

    def parse(self, name: str) -> TensorName:
        """Returns the parts of a tensor's name."""
        if not self.heterogeneous or "/" not in name:
            return TensorName(name, None)
        column, _, suffix = name.partition("/")
        return TensorName(column, self._by_suffix[suffix])
