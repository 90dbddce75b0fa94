"""The arrays of a graph of DGL, by the names of docs/data.md."""

from __future__ import annotations

from typing import Any, Mapping

from ._arrays import to_numpy

# What DGL's users call columns; others keep their names.
_OF_NODES = {"feat": "x", "features": "x", "label": "y", "labels": "y"}
_OF_EDGES = {"feat": "edge_attr", "w": "edge_weight", "weight": "edge_weight"}
# The ids that DGL's own functions keep.
_NO_COLUMNS = ("_ID", "_TYPE")


def is_graph(data: Any) -> bool:
    """Whether it is a graph of DGL."""
    return all(hasattr(data, name) for name in ("ntypes", "canonical_etypes", "all_edges"))


def arrays_of(graph: Any) -> dict[Any, Any]:
    """Returns its arrays by name, of a graph of several types by type. Edges are in the order
    of their ids."""
    nodes = {ntype: {"num_nodes": graph.num_nodes(ntype),
                     **_columns(graph.nodes[ntype].data, _OF_NODES)} for ntype in graph.ntypes}
    edges = {}
    for etype in graph.canonical_etypes:
        src, dst = graph.all_edges(form="uv", order="eid", etype=etype)
        edges[etype] = {"edge_index": [to_numpy(src), to_numpy(dst)],
                        **_columns(graph.edges[etype].data, _OF_EDGES)}
    if len(nodes) == 1 and len(edges) == 1:
        return {**next(iter(nodes.values())), **next(iter(edges.values()))}
    return {**nodes, **edges}


def _columns(frame: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): values for name, values in frame.items()
            if name not in _NO_COLUMNS}
