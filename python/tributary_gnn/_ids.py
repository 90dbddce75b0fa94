"""Ids of nodes and edges, as the C library takes them."""

from __future__ import annotations

from typing import Any

import numpy

from ._arrays import to_numpy


def to_ids(given: Any, count: int) -> numpy.ndarray:
    """Returns ids as an array, int64 [ids], of a list, an array, a tensor or a range of whole
    numbers, or of a mask of bool; None are all, 0 to `count` - 1.

    Raises:
      TypeError, ValueError: it is something else, or a mask of another length.
    """
    if given is None:
        return numpy.arange(count, dtype=numpy.int64)
    array = to_numpy(given)
    if array.ndim != 1:
        raise ValueError(f"ids are {given!r:.100}; allowed: a list or an array of one dimension")
    if array.dtype.kind == "b":
        return _masked(array, count)
    if array.size == 0:
        return numpy.empty(0, numpy.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"ids are {given!r:.100}; allowed: whole numbers, or a mask of bool")
    if int(array.max()) > numpy.iinfo(numpy.int64).max:
        raise ValueError(f"ids have {array.max()}; allowed: 0 to {count} - 1")
    return numpy.ascontiguousarray(array, dtype=numpy.int64)


def _masked(mask: numpy.ndarray, count: int) -> numpy.ndarray:
    if len(mask) != count:
        raise ValueError(f"ids are a mask of {len(mask)}; allowed: a mask of all {count}")
    return numpy.flatnonzero(mask)
