"""The rank of this process among those that share the batches."""

from __future__ import annotations

import os
import sys


def rank_and_world(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """What is given; otherwise that of an initialised torch.distributed (torch
    is not imported for it), or of torchrun's variables, or (0, 1)."""
    if rank is not None or world_size is not None:
        if rank is None or world_size is None or not 0 <= rank < world_size:
            raise ValueError(f"rank is {rank} and world_size is {world_size}; "
                             "allowed: both, with 0 <= rank < world_size")
        return rank, world_size
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "distributed"):
        group = torch.distributed
        if group.is_available() and group.is_initialized():
            return group.get_rank(), group.get_world_size()
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        return rank_and_world(int(os.environ["RANK"]),
                              int(os.environ["WORLD_SIZE"]))
    return 0, 1
