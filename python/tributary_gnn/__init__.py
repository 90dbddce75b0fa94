"""Tributary: batches of sampled neighbourhoods from a fleet of servers, from worker
processes, or from this process; docs/python.md has the way from nothing to batches."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import errors
from ._library import library_path, program_path, version
from .batch import Batch, Tensor
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
    from .pyg_stores import FeatureStore, GraphStore

# They need torch_geometric, which importing this package does not import.
_OF_PYG = ("FeatureStore", "GraphStore")

__all__ = [
    "Aborted", "AlreadyExists", "Batch", "Cancelled", "DataLoss", "DeadlineExceeded", "Edges",
    "Error", "FailedPrecondition", "Fleet", "Graph", "GraphSAINTRandomWalkSampler", "Internal",
    "InvalidArgument", "LayerWiseLoader", "LibraryMissing", "LinkNeighborLoader", "Loader",
    "NeighborLoader", "Node2VecLoader", "NotFound", "OutOfRange", "PPRLoader",
    "PermissionDenied", "ResourceExhausted", "ShaDowKHopSampler", "Sizes", "Source", "Tensor",
    "Unauthenticated", "Unavailable", "Unimplemented", "Unknown", "errors", "library_path",
    "log_to", "partition", "program_path", "serve", "version",
]


def __getattr__(name: str) -> Any:
    if name not in _OF_PYG:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        stores = importlib.import_module(".pyg_stores", __name__)
    except ModuleNotFoundError as error:
        raise ImportError(f"{name} needs the package {error.name}, which is not installed; "
                          "tributary_gnn.Graph reads the same without it") from error
    return getattr(stores, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_OF_PYG])
