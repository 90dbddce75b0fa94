"""`dgl.distributed`: docs/migrating-from-dgl.md has each name, and what differs."""

from __future__ import annotations

from ..loaders import DistDataLoader, DistEdgeDataLoader, DistNodeDataLoader
from . import nn, optim
from .._process import exit_client, get_rank, get_world_size, initialize
from .dist_graph import DistGraph, in_subgraph, sample_etype_neighbors, sample_neighbors
from .graph_partition_book import PartitionBook, PartitionPolicy
from .optim import SparseAdagrad, SparseAdam
from .rows import DistEmbedding, DistTensor
from .splits import edge_split, node_split

GraphPartitionBook = PartitionBook
get_num_client = get_world_size

__all__ = ["DistDataLoader", "DistEdgeDataLoader", "DistEmbedding", "DistGraph",
           "DistNodeDataLoader", "DistTensor", "GraphPartitionBook", "PartitionBook",
           "PartitionPolicy", "SparseAdagrad", "SparseAdam", "edge_split", "exit_client",
           "get_num_client", "get_rank", "get_world_size", "in_subgraph", "initialize", "nn", "node_split", "optim",
           "sample_etype_neighbors", "sample_neighbors"]
