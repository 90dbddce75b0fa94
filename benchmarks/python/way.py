"""Reads batches in one way, once for each line of standard input.

    python3 -m benchmarks.python.way numpy

A line is JSON: the options of the source and of the session, and the number of batches to
time. For each it prints one JSON object: the seconds that they took and the CPU seconds of
this process meanwhile, without the first batch, which includes start-up, and the bytes of
all. So a process is started, and torch imported, once for many turns.
"""

import itertools
import json
import sys
import time

import tributary_gnn as tg

# Of NeighborLoader.
FORMATS = {
    "numpy zero_copy": {"format": "numpy", "zero_copy": True},
    "numpy": {"format": "numpy"},
    "torch zero_copy": {"format": "torch", "zero_copy": True},
    "torch": {"format": "torch"},
    "pyg": {"format": "pyg"},
}
NAMES = ("Loader", *FORMATS)


def timed(batches, count):
    """Takes one batch, then `count` others as a loop does; returns their seconds and CPU
    seconds."""
    next(batches)
    start, cpu = time.perf_counter(), time.process_time()
    taken = sum(1 for _ in itertools.islice(batches, count))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    if taken < count:
        raise ValueError(f"an epoch has {taken + 1} batches, {count + 1} are wanted; allowed: "
                         "fewer --batches, a larger graph")
    return {"seconds": seconds, "cpu_seconds": cpu}


def read(name, source, session, count):
    """Returns what is printed of one turn."""
    if name != "Loader":
        with tg.NeighborLoader(**source, input_nodes=None, shuffle=True, **session,
                               **FORMATS[name]) as loader:
            return {**timed(iter(loader), count), **loader.statistics()}
    with tg.Source(source) as opened, tg.Loader(
            opened, {"input_nodes": "*", "shuffle": "global", **session}) as loader:
        loader.start_epoch(0)
        return {**timed(iter(loader.next, None), count), **loader.statistics()}


def main():
    for line in sys.stdin:
        print(json.dumps(read(sys.argv[1], **json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
