"""GraphLearn-for-PyTorch's (GLT's) distributed names over Tributary's batches: scripts change
their import,

    import tributary_gnn.glt as glt       # import graphlearn_torch as glt

docs/migrating-from-glt.md says what becomes of each name.
"""

from __future__ import annotations

from typing import Any

from . import distributed, sampler, typing
from .typing import EdgeType, NodeType, Split, as_str, reverse_edge_type

__all__ = ["EdgeType", "NodeType", "Split", "as_str", "distributed", "reverse_edge_type",
           "sampler", "typing"]

# Other modules of GLT: what takes their place.
_INSTEAD = {
    "channel": "nothing: batches come through the loaders",
    "data": "glt.distributed.DistDataset, and tributary_gnn.partition() for graphs in memory",
    "loader": "tributary_gnn.NeighborLoader and LinkNeighborLoader, for one process too",
    "partition": "tributary_gnn.partition(), or the command `tributary partition`",
    "utils": "torch's own functions; draws follow random_seed= of the loader",
}


def __getattr__(name: str) -> Any:
    if name in _INSTEAD:
        raise AttributeError(f"module {__name__!r} has no {name!r}; instead: {_INSTEAD[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
