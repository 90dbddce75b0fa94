"""Shares of ranks: DGL's node_split and edge_split."""

from __future__ import annotations

from typing import Any

import torch

from ... import dist_tensor
from .. import _process
from .dist_graph import StoredColumn, the_graph
from .graph_partition_book import PartitionBook, one_type


def node_split(nodes: Any, partition_book: PartitionBook | None = None, ntype: str = "_N",
               rank: int | None = None, force_even: bool = True,
               node_trainer_ids: Any = None) -> torch.Tensor:
    """Returns this rank's share of nodes, int64, ascending. Every node is in exactly one rank's
    share.

    Args:
      nodes: a mask by node id: a column such as g.ndata["train_mask"], whose split is not
        read for it, a `DistTensor`, or a tensor.
      partition_book: no effect.
      ntype: the node type.
      rank: by default that of this process.
      force_even: shares differ by at most 1, and have what is in the rank's partitions first;
        else they are what is in the rank's partitions.
    """
    del partition_book
    return _share("node_split", nodes, one_type(ntype), rank, force_even, node_trainer_ids)


def edge_split(edges: Any, partition_book: PartitionBook | None = None, etype: Any = "_E",
               rank: int | None = None, force_even: bool = True,
               edge_trainer_ids: Any = None) -> torch.Tensor:
    """Returns this rank's share of edges by edge id; see `node_split`. Needs a graph that was
    partitioned with --edge-index."""
    del partition_book
    return _share("edge_split", edges, one_type(etype), rank, force_even, edge_trainer_ids)


def _share(function: str, mask: Any, its_type: Any, rank: int | None, force_even: bool,
           trainer_ids: Any) -> torch.Tensor:
    if trainer_ids is not None:
        raise TypeError(f"{function} takes no trainer ids; allowed: None: ranks share what is in "
                        "their partitions out by its order")
    context = _process.context()
    if isinstance(mask, StoredColumn):
        its_type = mask.type if its_type is None else its_type
        mask = mask.split or mask.read().bool()
    elif isinstance(mask, dist_tensor.DistTensor):
        mask = mask.read().bool()
    else:
        mask = torch.as_tensor(mask)
        mask = mask.bool() if mask.dtype == torch.uint8 else mask
        if len(mask) > 2 and mask.dtype != torch.bool and bool(((mask == 0) | (mask == 1)).all()):
            raise ValueError(f"{function}: {len(mask)} numbers that are 0 or 1; allowed: a mask of "
                             "bool or uint8, or distinct ids")
    share = getattr(the_graph(), function)
    keyword = {"node_split": "node_type", "edge_split": "edge_type"}[function]
    return share(mask, context.rank if rank is None else rank, context.world_size,
                 force_even=force_even, **{keyword: its_type})
