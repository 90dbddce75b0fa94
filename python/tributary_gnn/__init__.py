"""Tributary: batches of sampled neighbourhoods from a fleet of servers, from worker
processes, or from this process; docs/python.md has the way from nothing to batches."""

from . import errors
from ._library import library_path, program_path, version
from .batch import Batch, Tensor
from .errors import (Aborted, AlreadyExists, Cancelled, DataLoss, DeadlineExceeded, Error,
                     FailedPrecondition, Internal, InvalidArgument, LibraryMissing, NotFound,
                     OutOfRange, PermissionDenied, ResourceExhausted, Unauthenticated,
                     Unavailable, Unimplemented, Unknown)
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

__all__ = [
    "Aborted", "AlreadyExists", "Batch", "Cancelled", "DataLoss", "DeadlineExceeded", "Error",
    "FailedPrecondition", "Fleet", "GraphSAINTRandomWalkSampler", "Internal", "InvalidArgument",
    "LayerWiseLoader", "LibraryMissing", "LinkNeighborLoader", "Loader", "NeighborLoader",
    "Node2VecLoader", "NotFound", "OutOfRange", "PPRLoader", "PermissionDenied",
    "ResourceExhausted", "ShaDowKHopSampler", "Sizes", "Source", "Tensor", "Unauthenticated",
    "Unavailable", "Unimplemented", "Unknown", "errors", "library_path", "log_to", "partition",
    "program_path", "serve", "version",
]
