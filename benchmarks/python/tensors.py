"""Rates at which Python reads and writes random rows of a tensor on a server, beside those of
`tributary bench tensors`, in turns."""

import json
import statistics
import subprocess
import time

import numpy

import tributary_gnn as tg

ROWS, DIM, ROWS_PER_CALL = 1_000_000, 64, 10_000
FORMATS = ("numpy", "torch")


def cpp(program, address, seconds):
    """Returns MB/s of pulls and of pushes."""
    done = subprocess.run(
        [program, "bench", "tensors", "--servers", address, "--rows", str(ROWS), "--dim",
         str(DIM), "--rows-per-call", str(ROWS_PER_CALL), "--seconds", str(seconds), "--json"],
        stdout=subprocess.PIPE, text=True, check=True)
    said = json.loads(done.stdout)
    return said["pulled_bytes_per_second"] / 1e6, said["pushed_bytes_per_second"] / 1e6


def rate(call, seconds):
    """Returns the MB/s of rows that the calls move."""
    lists = numpy.random.default_rng(1).integers(0, ROWS, (64, ROWS_PER_CALL))
    calls = 0
    begin = time.monotonic()
    while (spent := time.monotonic() - begin) < seconds or calls == 0:
        call(lists[calls % len(lists)])
        calls += 1
    return calls * ROWS_PER_CALL * DIM * 4 / spent / 1e6


def python(address, seconds, form):
    """The same in this process."""
    with tg.DistContext(address, format=form) as context:
        rows = tg.DistTensor(context, "bench python", (ROWS, DIM))
        values = numpy.ones((ROWS_PER_CALL, DIM), numpy.float32)
        pushed = rate(lambda ids: rows.set(ids, values), seconds / 2)
        pulled = rate(rows.read, seconds / 2)
        rows.drop()
        return pulled, pushed


def table(program, address, rounds, seconds):
    """Yields the lines of the table."""
    ways = {"C++": lambda: cpp(program, address, seconds)}
    for form in FORMATS:
        ways[form] = lambda form=form: python(address, seconds, form)
    turns = {name: [] for name in ways}
    for number in range(rounds):
        names = list(ways)
        for name in names[number % len(names):] + names[:number % len(names)]:
            turns[name].append(ways[name]())
    yield f"rows: {ROWS_PER_CALL} random rows of {DIM} float32 a call, of {ROWS}"
    yield "| way | pulls, MB/s | of C++ | pushes, MB/s | of C++ |"
    yield "| --- | --- | --- | --- | --- |"
    for name, turn in turns.items():
        cells = []
        for part in (0, 1):
            rates = [rates[part] for rates in turn]
            ratio = statistics.median(
                own / other[part] for own, other in zip(rates, turns["C++"]))
            cells += [f"{statistics.median(rates):.0f}", f"{ratio:.2f}"]
        yield f"| {name} | {' | '.join(cells)} |"
