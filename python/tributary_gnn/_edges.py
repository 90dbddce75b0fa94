"""All edges of a graph, as batches of all neighbours give them."""

from __future__ import annotations

from typing import Any, Mapping

import numpy

from . import errors
from .batch import Batch
from .graph_types import GraphTypes, TensorName, named_edge_types
from .loader import Loader
from .source import Source

# So many edges a batch has on average.
_EDGES_OF_A_BATCH = 1 << 18
_MOST_INPUTS = 1 << 16


def all_edges(source: Source, edge_type: str = "") -> numpy.ndarray:
    """Returns the source, the destination and the id of each edge, by id: int64 [edges, 3].

    Args:
      edge_type: "src,rel,dst"; "" in a graph of one edge type.

    Raises:
      ValueError: the graph has no such edge type, or several and none is named.
    """
    session: dict[str, Any] = {"input_nodes": "*", "num_neighbors": [0], "shuffle": "none",
                               "collect": "none"}
    if edge_type:
        destination = edge_type.rsplit(",", 1)[-1]
        session.update(input_nodes=f"{destination}:*", num_neighbors={edge_type: [0]})
    schema = _schema(source, session, edge_type)
    session["batch_size"] = _batch_size(schema)
    session["num_neighbors"] = {edge_type: [-1]} if edge_type else [-1]
    with Loader(source, session) as loader:
        return _edges_of(loader)


def _schema(source: Source, session: Mapping[str, Any], edge_type: str) -> dict[str, Any]:
    try:
        with Loader(source, session) as loader:
            schema = loader.schema()
    except errors.InvalidArgument:
        if edge_type:
            raise
        raise _unnamed() from None
    if not edge_type and len(named_edge_types(schema)) != 1:
        raise _unnamed()
    return schema


def _unnamed() -> errors.InvalidArgument:
    return errors.InvalidArgument(
        "all edges of a graph of several types; allowed: those of one edge type, as "
        "(('user', 'buys', 'item'), None)")


def _batch_size(schema: Mapping[str, Any]) -> int:
    """Returns how many nodes have so many edges that a batch is neither small nor large."""
    nodes = sum(node["num_nodes"] for node in schema["node_types"])
    edges = sum(edge["num_edges"] for edge in named_edge_types(schema))
    return max(1, min(_MOST_INPUTS, _EDGES_OF_A_BATCH * nodes // max(1, edges)))


def _edges_of(loader: Loader) -> numpy.ndarray:
    types = GraphTypes(loader.schema())
    rows = [numpy.empty((0, 3), numpy.int64)]
    loader.start_epoch(0)
    while (batch := loader.next()) is not None:
        with batch:
            rows.append(_edges_in(batch, types))
    edges = numpy.concatenate(rows)
    return edges[numpy.argsort(edges[:, 2], kind="stable")]


def _edges_in(batch: Batch, types: GraphTypes) -> numpy.ndarray:
    """Returns the edges of the only edge type that the batch samples."""
    columns = {types.parse(tensor.name): tensor for tensor in batch.tensors()}
    [(its_type, index)] = [(name.type, tensor) for name, tensor in columns.items()
                           if name.column == "edge_index"]
    ends = (None, None) if its_type is None else (its_type[0], its_type[2])
    local = index.numpy(copy=False)
    source, destination = (columns[TensorName("n_id", end)].numpy(copy=False)[local[row]]
                           for row, end in enumerate(ends))
    edge_id = columns[TensorName("e_id", its_type)].numpy(copy=False)
    return numpy.column_stack([source, destination, edge_id])
