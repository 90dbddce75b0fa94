"""Numbers that loaders draw themselves: pure functions of the random seed and of what they
are for, as the servers' draws are."""

from __future__ import annotations

import numpy

# What numbers are for; each has a stream of its own.
NEGATIVE_WALKS, ROOTS, COVERAGE_ROOTS = range(3)


def uniform(random_seed: int, purpose: int, epoch: int, index: int, high: int,
            shape: tuple[int, ...]) -> numpy.ndarray:
    """Returns whole numbers from 0 to high - 1, int64 [shape], each equally likely."""
    key = numpy.array([random_seed, purpose], numpy.uint64)
    philox = numpy.random.Philox(key=key, counter=numpy.array([0, 0, index, epoch], numpy.uint64))
    return numpy.random.Generator(philox).integers(high, size=shape)
