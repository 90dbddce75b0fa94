"""Which of the trainers that share the batches this one is."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple


class Place(NamedTuple):
    """`found`: it was not given, but found in torch.distributed or the environment."""

    rank: int
    world_size: int
    found: bool


def place(rank: int | None, world_size: int | None) -> Place:
    """Returns the rank and the number of ranks: as given, else those of torch.distributed
    where the program has initialised it, else those that torchrun put into RANK and
    WORLD_SIZE, else 0 of 1.

    Raises:
      TypeError: only one of the two is given.
      ValueError: RANK and WORLD_SIZE are no numbers.
    """
    if (rank is None) != (world_size is None):
        raise TypeError("rank and world_size go together; allowed: both, or neither")
    if rank is not None and world_size is not None:
        return Place(rank, world_size, found=False)
    return _of_torch() or _of_environment() or Place(0, 1, found=False)


def _of_torch() -> Place | None:
    torch = sys.modules.get("torch")  # not imported for this
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return Place(distributed.get_rank(), distributed.get_world_size(), found=True)


def _of_environment() -> Place | None:
    rank, world_size = os.environ.get("RANK"), os.environ.get("WORLD_SIZE")
    if rank is None or world_size is None:
        return None
    try:
        return Place(int(rank), int(world_size), found=True)
    except ValueError:
        raise ValueError(
            f"RANK is {rank!r} and WORLD_SIZE {world_size!r}; allowed: whole numbers, as "
            "torchrun sets them, or rank= and world_size=") from None
