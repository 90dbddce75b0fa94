"""The names of graphlearn_torch.typing that scripts use."""

from __future__ import annotations

import enum
from typing import Union

from ..graph_types import EdgeType, NodeType

__all__ = ["EdgeType", "NodeType", "Split", "as_str", "reverse_edge_type"]


class Split(enum.Enum):
    """A split of the stored graph, as the inputs of a loader."""

    train = "train"  # pylint: disable=invalid-name
    valid = "valid"  # pylint: disable=invalid-name
    test = "test"  # pylint: disable=invalid-name


def as_str(type: Union[NodeType, EdgeType]) -> str:
    """Returns the text of a type: "paper", "author__writes__paper"."""
    return type if isinstance(type, str) else "__".join(type)


def reverse_edge_type(etype: EdgeType) -> EdgeType:
    """Returns the type whose edges are those of `etype` turned round, as GLT names it: with or
    without "rev_", unless both ends are of one type."""
    src, rel, dst = etype
    if src != dst:
        rel = rel[len("rev_"):] if rel.startswith("rev_") else "rev_" + rel
    return dst, rel, src
