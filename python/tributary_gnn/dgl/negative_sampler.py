"""`dgl.dataloading.negative_sampler`."""

from __future__ import annotations

from typing import Any

import torch

from . import _draws


class Uniform:
    """Draws `k` destinations for each edge, uniformly."""

    def __init__(self, k: int):
        if k < 1:
            raise ValueError(f"k is {k}; allowed: 1 or more")
        self.k = k

    def draw(self, g: Any, etype: Any, src: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns k pairs of each source of edges of a type, int64 [k * edges] each."""
        key = _draws.next_key()
        generator = torch.Generator().manual_seed((key.random_seed ^ key.number) % (1 << 63))
        return src.repeat_interleave(self.k), torch.randint(
            g.num_nodes(etype[2]), (len(src) * self.k,), generator=generator)
