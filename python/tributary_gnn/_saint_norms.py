"""GraphSAINT's normalisation: how often nodes and edges are sampled."""

from __future__ import annotations

import os
from typing import Any, Mapping

import numpy

from . import errors
from .batch import Batch
from .graph_types import named_edge_types

# As in PyG, of nodes and edges that were never sampled, and of rare ones.
_NEVER = 0.1
_MOST_EDGE_NORM = 1e4


class SaintNorms:
    """The coefficients of PyG's GraphSAINTSampler: `node_norm`, by which a node's loss is
    weighed, and `edge_norm`, by which its messages are."""

    def __init__(self, nodes: numpy.ndarray, edges: numpy.ndarray, samples: int):
        self._nodes = nodes
        self._edges = edges
        self._samples = samples

    def of(self, batch: Batch) -> dict[str, numpy.ndarray]:
        """Returns both for the nodes and the edges of a batch, float32."""
        n_id, source = batch["n_id"].numpy(copy=False), batch["edge_index"].numpy(copy=False)[0]
        nodes = self._nodes[n_id].astype(numpy.float32)
        edges = self._edges[batch["e_id"].numpy(copy=False)].astype(numpy.float32)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            edge_norm = numpy.clip(nodes[source] / edges, 0, numpy.float32(_MOST_EDGE_NORM))
        edge_norm[numpy.isnan(edge_norm)] = _NEVER
        nodes[nodes == 0] = _NEVER
        node_norm = numpy.float32(self._samples) / nodes / numpy.float32(len(self._nodes))
        return {"node_norm": node_norm, "edge_norm": edge_norm}


class SaintCounts:
    """Counts the subgraphs that nodes and edges are in.

    Args:
      schema: the graph's, of one node type and one edge type.
      identity: a digest of what is counted, which a file of counts is checked by.
    """

    def __init__(self, schema: Mapping[str, Any], identity: str):
        [nodes], [edges] = schema["node_types"], named_edge_types(schema)
        self._nodes = numpy.zeros(nodes["num_nodes"], numpy.int64)
        self._edges = numpy.zeros(edges["num_edges"], numpy.int64)
        self._samples = 0
        self._identity = identity

    def add(self, batch: Batch) -> None:
        """Counts a subgraph, which has each node and each edge once."""
        self._nodes[batch["n_id"].numpy(copy=False)] += 1
        self._edges[batch["e_id"].numpy(copy=False)] += 1
        self._samples += 1

    def cover(self, coverage: int) -> bool:
        """Whether nodes were sampled so often on average."""
        return int(self._nodes.sum()) >= coverage * len(self._nodes)

    def norms(self) -> SaintNorms:
        """Returns what they say."""
        return SaintNorms(self._nodes, self._edges, self._samples)

    def save(self, folder: Any, coverage: int) -> None:
        """Writes them to a file of the folder, which is made if need be."""
        os.makedirs(folder, exist_ok=True)
        path = _path(folder, coverage)
        written = f"{path}.{os.getpid()}"  # ranks may write the same file at once
        with open(written, "wb") as file:
            numpy.savez(file, nodes=self._nodes, edges=self._edges, samples=self._samples,
                        identity=self._identity)
        os.replace(written, path)

    def load(self, folder: Any, coverage: int) -> bool:
        """Reads them from the folder, and returns whether they are there.

        Raises:
          FailedPrecondition: the file has those of another graph, or of other options.
        """
        path = _path(folder, coverage)
        if not os.path.exists(path):
            return False
        with numpy.load(path, allow_pickle=False) as saved:
            if str(saved["identity"]) != self._identity:
                raise errors.FailedPrecondition(
                    f"{path} has counts of another graph, or of other walks; allowed: another "
                    "save_dir, or remove it")
            self._nodes, self._edges = saved["nodes"], saved["edges"]
            self._samples = int(saved["samples"])
        return True


def _path(folder: Any, coverage: int) -> str:
    return os.path.join(os.fspath(folder), f"graphsaintrandomwalksampler_{coverage}.npz")
