"""`dgl.sampling`, as far as it reads a distributed graph."""

from __future__ import annotations

from .dataloading import (MultiLayerFullNeighborSampler, MultiLayerNeighborSampler,
                          NodeDataLoader)
from .distributed import sample_neighbors

__all__ = ["MultiLayerFullNeighborSampler", "MultiLayerNeighborSampler", "NodeDataLoader",
           "sample_neighbors"]
