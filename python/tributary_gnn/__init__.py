"""Tributary: batches of sampled neighbourhoods from a fleet of servers, from worker
processes, or from this process; docs/python.md has the way from nothing to batches."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import errors
from ._library import library_path, program_path, version
from .batch import Batch, Tensor
from .dist_context import DistContext
from .dist_tensor import DistTensor
from .errors import (Aborted, AlreadyExists, Cancelled, DataLoss, DeadlineExceeded, Error,
                     FailedPrecondition, Internal, InvalidArgument, LibraryMissing, NotFound,
                     OutOfRange, PermissionDenied, ResourceExhausted, Unauthenticated,
                     Unavailable, Unimplemented, Unknown)
from .graph import Edges, Graph
from .graph_saint_sampler import GraphSAINTRandomWalkSampler
from .layer_wise_loader import LayerWiseLoader
from .link_neighbor_loader import LinkNeighborLoader
from .loader import Loader, Sizes
from .log import log_to
from .neighbor_loader import NeighborLoader
from .node2vec_loader import Node2VecLoader
from .partitioning import partition
from .ppr_loader import PPRLoader
from .serving import Fleet, serve
from .shadow_loader import ShaDowKHopSampler
from .source import Source

if TYPE_CHECKING:
    from .dist_embedding import DistEmbedding, SparseAdagrad, SparseAdam, SparseSGD
    from .pyg_stores import FeatureStore, GraphStore

# They need torch or torch_geometric, which importing this package does not import: their
# modules, and what reads the same without.
_GRAPH, _TENSOR = "tributary_gnn.Graph", "tributary_gnn.DistTensor"
_IMPORTED_LATE = {
    "FeatureStore": (".pyg_stores", _GRAPH), "GraphStore": (".pyg_stores", _GRAPH),
    "DistEmbedding": (".dist_embedding", _TENSOR), "SparseAdagrad": (".dist_embedding", _TENSOR),
    "SparseAdam": (".dist_embedding", _TENSOR), "SparseSGD": (".dist_embedding", _TENSOR)}

__all__ = [
    "Aborted", "AlreadyExists", "Batch", "Cancelled", "DataLoss", "DeadlineExceeded",
    "DistContext", "DistTensor", "Edges", "Error", "FailedPrecondition", "Fleet", "Graph", "GraphSAINTRandomWalkSampler", "Internal",
    "InvalidArgument", "LayerWiseLoader", "LibraryMissing", "LinkNeighborLoader", "Loader",
    "NeighborLoader", "Node2VecLoader", "NotFound", "OutOfRange", "PPRLoader",
    "PermissionDenied", "ResourceExhausted", "ShaDowKHopSampler", "Sizes", "Source", "Tensor",
    "Unauthenticated", "Unavailable", "Unimplemented", "Unknown", "errors", "library_path",
    "log_to", "partition", "program_path", "serve", "version",
]


def __getattr__(name: str) -> Any:
    if name not in _IMPORTED_LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, instead = _IMPORTED_LATE[name]
    try:
        found = importlib.import_module(module, __name__)
    except ModuleNotFoundError as error:
        raise ImportError(f"{name} needs the package {error.name}, which is not installed; "
                          f"{instead} reads the same without it") from error
    return getattr(found, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_IMPORTED_LATE])
