"""`dgl.dataloading` over a distributed graph."""

from __future__ import annotations

from . import negative_sampler
from .loaders import DistEdgeDataLoader, DistNodeDataLoader
from .samplers import (MultiLayerFullNeighborSampler, MultiLayerNeighborSampler, NeighborSampler,
                       as_edge_prediction_sampler)

NodeDataLoader, EdgeDataLoader = DistNodeDataLoader, DistEdgeDataLoader

__all__ = ["DistEdgeDataLoader", "DistNodeDataLoader", "EdgeDataLoader",
           "MultiLayerFullNeighborSampler", "MultiLayerNeighborSampler", "NeighborSampler",
           "NodeDataLoader", "as_edge_prediction_sampler", "negative_sampler"]
