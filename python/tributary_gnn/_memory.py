"""How the process allocates large blocks, such as copies of features.

The library's connections fix the thresholds of glibc's malloc at those of a server
(channel/grpc/receive_memory.h): a block of 1 MiB or more is mapped anew each time that it is
allocated, and each of its pages is faulted in. In a program that computes with large tensors
this costs more than copying them.
"""

from __future__ import annotations

import ctypes
import mmap
import os

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD of malloc.h
_HUGE_PAGE = 14  # MADV_HUGEPAGE of sys/mman.h
# What glibc adapts to by itself where blocks of this size are freed; it takes no larger one.
LARGEST_FROM_HEAP = 32 << 20
_KEPT = 2 * LARGEST_FROM_HEAP
_VARIABLES = ("MALLOC_ARENA_MAX", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")


def reuse_large_blocks() -> None:
    """Lets blocks below 32 MiB come from malloc's heaps, each of which keeps up to 64 MiB
    that are free. Does nothing where the user has set malloc by environment variables, as the
    library does then."""
    if any(name in os.environ for name in _VARIABLES) or "malloc" in os.environ.get(
            "GLIBC_TUNABLES", ""):
        return
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(_TRIM_THRESHOLD, _KEPT)
    mallopt(_MMAP_THRESHOLD, LARGEST_FROM_HEAP)


def ask_for_huge_pages(address: int, nbytes: int) -> None:
    """Asks the kernel for huge pages for a block that is to be written, which are faulted in
    512 times as fast. Does nothing for blocks that come from a heap."""
    if nbytes < LARGEST_FROM_HEAP:
        return
    begin = -(-address // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (address + nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    # Advice only: what becomes of it is no error.
    ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _HUGE_PAGE)
