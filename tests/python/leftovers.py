"""What a process holds, to see that uses in a row leave nothing behind."""

import ctypes
import gc
import os
from typing import NamedTuple

from tests.e2e import processes

# One receive ring of the loaders that these tests open: less than this may stay.
RING_BYTES = 32 << 20
_POINTS = 40  # of the resident set, over all uses


class Held(NamedTuple):
    """What a process holds now; `shared` are mappings of shared memory."""

    descriptors: int
    threads: int
    shared: int
    resident: int

    @classmethod
    def by(cls, pid="self"):
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
            shared = sum("/memfd:" in line or "/dev/shm/" in line for line in file)
        return cls(len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")),
                   shared, pages * os.sysconf("SC_PAGE_SIZE"))

    def fits(self, most, others):
        """Whether counts are at most those, and `others` descriptors and threads more."""
        return (self.descriptors <= most.descriptors + others
                and self.threads <= most.threads + others and self.shared <= most.shared)


def collect(pid):
    """Frees what nothing refers to, and the free memory that malloc keeps in its heaps, as
    far as `pid` is this process."""
    gc.collect()
    if pid == "self":
        ctypes.CDLL(None).malloc_trim(0)


class _MallocInfo(ctypes.Structure):
    """struct mallinfo2 of malloc.h."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def allocated():
    """The bytes that malloc has given out in this process, but for those of large blocks."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _MallocInfo
    return mallinfo().uordblks


def slope(values):
    """The slope of a straight line through the values, by least squares, for each step."""
    middle, mean = (len(values) - 1) / 2, sum(values) / len(values)
    return (sum((i - middle) * (value - mean) for i, value in enumerate(values))
            / sum((i - middle) ** 2 for i in range(len(values))))


def expect_nothing_stays(case, use, times, others=0, kept=0, pid="self"):
    """Calls `use` so many times, a first time uncounted; prints and compares what `pid` holds
    before and after. Besides, `others` descriptors and threads may come and go, and malloc's
    heaps may keep so many bytes that are free. Prints malloc's bytes of this process."""
    use()
    collect(pid)
    before, blocks = Held.by(pid), allocated()
    points = []
    for number in range(times):
        use()
        if (number + 1) * _POINTS // times > number * _POINTS // times:
            collect(pid)
            points.append(Held.by(pid).resident)
    try:
        processes.until(lambda: Held.by(pid).fits(before, others))
    except processes.Timeout:
        case.fail(f"before {times} times {before}, after them {Held.by(pid)}")
    after, grown = Held.by(pid), points[-1] - before.resident
    each = times / len(points)
    print(f"{case.id().split('.')[-1]}: {times} times; descriptors {before.descriptors} to "
          f"{after.descriptors}, threads {before.threads} to {after.threads}, "
          f"shared memory {before.shared} to {after.shared}, resident set {before.resident >> 10} KiB and "
          f"{grown / 1024:+.0f}, in the second half "
          f"{slope(points[len(points) // 2:]) / each / 1024:+.3f} KiB each; given out by "
          f"malloc {blocks >> 10} KiB and {(allocated() - blocks) / 1024:+.0f}", flush=True)
    case.assertLess(grown, RING_BYTES + kept)
