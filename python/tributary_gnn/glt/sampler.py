"""The names of graphlearn_torch.sampler that scripts use."""

from __future__ import annotations

import enum
from typing import Any

__all__ = ["NegativeSampling", "NegativeSamplingMode"]


class NegativeSamplingMode(enum.Enum):
    """Pairs that are no links, or other destinations for each source."""

    binary = "binary"  # pylint: disable=invalid-name
    triplet = "triplet"  # pylint: disable=invalid-name


class NegativeSampling:
    """Which negatives DistLinkNeighborLoader draws.

    Args:
      mode: "binary", "triplet".
      amount: negatives for each link; a whole number with "triplet".
      weight: not taken: neg_degree_power= of the loader draws negatives by their degrees.

    Raises:
      ValueError, TypeError: another mode or amount, or a weight.
    """

    def __init__(self, mode: NegativeSamplingMode | str, amount: float = 1, weight: Any = None):
        self.mode = NegativeSamplingMode(mode)
        self.amount = amount
        if amount <= 0 or (self.is_triplet() and amount != int(amount)):
            raise ValueError(f"amount is {amount}; allowed: more than 0, and a whole number with "
                             "'triplet'")
        if weight is not None:
            raise TypeError("weight is not taken; instead: neg_degree_power= of the loader, which "
                            "draws negatives by their degrees")
        self.src_weight = self.dst_weight = None  # as PyG's has them

    def is_binary(self) -> bool:
        """Whether pairs are drawn."""
        return self.mode is NegativeSamplingMode.binary

    def is_triplet(self) -> bool:
        """Whether destinations are drawn."""
        return self.mode is NegativeSamplingMode.triplet
