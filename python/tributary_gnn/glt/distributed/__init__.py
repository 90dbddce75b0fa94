"""The names of graphlearn_torch.distributed (docs/migrating-from-glt.md)."""

from __future__ import annotations

from typing import Any

from .client import async_request_server, init_client, request_server, shutdown_client
from .context import DistContext, DistRole, get_context, init_worker_group
from .dataset import DistDataset
from .loaders import DistLinkNeighborLoader, DistNeighborLoader, DistSubGraphLoader
from .options import (CollocatedDistSamplingWorkerOptions, MpDistSamplingWorkerOptions,
                      RemoteDistSamplingWorkerOptions)
from .server import init_server, wait_and_shutdown_server

__all__ = [
    "CollocatedDistSamplingWorkerOptions", "DistContext", "DistDataset",
    "DistLinkNeighborLoader", "DistNeighborLoader", "DistRole", "DistSubGraphLoader",
    "MpDistSamplingWorkerOptions", "RemoteDistSamplingWorkerOptions", "async_request_server",
    "get_context", "init_client", "init_server", "init_worker_group", "request_server",
    "shutdown_client", "wait_and_shutdown_server",
]

_LOOKUPS = "tributary_gnn.Graph, which reads features, labels and edges by ids"
_COLLECTIVES = "torch.distributed: no function of a script runs on servers or workers"
_PARTITION = "tributary_gnn.partition(), or the command `tributary partition`"
_SAMPLED = "the loaders: batches are made by threads, workers or servers without Python"

# Other names of GLT: what takes their place.
INSTEAD = {
    **dict.fromkeys(("DistFeature", "DistGraph", "PartialFeature"), _LOOKUPS),
    **dict.fromkeys(("DistRandomPartitioner", "DistTableDataset", "DistTableRandomPartitioner"),
                    _PARTITION),
    **dict.fromkeys(("ConcurrentEventLoop", "DistCollocatedSamplingProducer", "DistLoader",
                     "DistMpSamplingProducer", "DistNeighborSampler", "DistServer",
                     "get_server"), _SAMPLED),
    **dict.fromkeys(("RpcCalleeBase", "RpcDataPartitionRouter", "all_gather", "barrier",
                     "get_rpc_master_addr", "get_rpc_master_port", "global_all_gather",
                     "global_barrier", "init_rpc", "rpc_global_request",
                     "rpc_global_request_async", "rpc_is_initialized", "rpc_register",
                     "rpc_request", "rpc_request_async", "rpc_sync_data_partitions",
                     "shutdown_rpc"), _COLLECTIVES),
}


def __getattr__(name: str) -> Any:
    if name in INSTEAD:
        raise AttributeError(f"module {__name__!r} has no {name!r}; instead: {INSTEAD[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
