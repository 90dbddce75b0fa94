"""Compares the rates at which Python reads batches with that of the C++ loader.

    ./dev bench python [--graph DIR] [--rounds N] [--batches N] [--modes mp,remote,tensors]

In each round every way reads as many batches of one session: the C++ loader (`tributary
bench`), which drops each batch at once, and the loaders of tributary_gnn. Ways take turns,
and each round begins with another one. A ratio is the median of the rounds' own ratios, so
that other work on the machine, which is the same for all ways of a round, counts little.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.python import tensors, way

TRIBUTARY = "cli/tributary"
CPP = "C++"
FANOUTS, BATCH_SIZE, SEED = [15, 10, 5], 1024, 1
SESSION = {"num_neighbors": FANOUTS, "batch_size": BATCH_SIZE, "random_seed": SEED}


class PythonWay:
    """A process of way.py, which waits for its turns."""

    def __init__(self, name):
        self._popen = subprocess.Popen([sys.executable, "-B", "-m", way.__name__, name],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._popen.stdin.close()
        self._popen.wait()
        self._popen.stdout.close()

    def turn(self, place, count):
        """Returns batches per second, MB of a batch and CPU milliseconds of a batch."""
        self._popen.stdin.write(json.dumps(
            {"source": place.options, "session": SESSION, "count": count}) + "\n")
        self._popen.stdin.flush()
        answer = self._popen.stdout.readline()
        if not answer:
            raise SystemExit("bench python: a way to read batches failed, see above")
        said = json.loads(answer)
        return (count / said["seconds"], said["bytes"] / said["batches"] / 1e6,
                1000 * said["cpu_seconds"] / count)


class CppWay:
    """`tributary bench`, started anew for each turn."""

    def turn(self, place, count):
        """Returns what PythonWay.turn does, without the CPU time."""
        done = subprocess.run(
            [TRIBUTARY, "bench", *place.flags, "--input-nodes", "*", "--num-neighbors",
             ",".join(map(str, FANOUTS)), "--batch-size", str(BATCH_SIZE), "--random-seed",
             str(SEED), "--batches", f"0:{count + 1}", "--json"],
            stdout=subprocess.PIPE, text=True, check=True)
        said = json.loads(done.stdout)
        return (said["batches_per_second"],
                said["bytes_per_second"] / said["batches_per_second"] / 1e6, None)


class Place:
    """Where batches are made: options for Python, and flags that say the same."""

    def __init__(self, options, flags):
        self.options = options
        self.flags = flags


def workers(options):
    """Mode mp."""
    return Place({"mode": "mp", "graph": options.graph, "num_workers": options.num_workers,
                  "num_threads": options.threads, "channel_size": options.buffer_size},
                 ["gather", "--graph", options.graph, "--mode", "mp", "--num-workers",
                  str(options.num_workers), "--threads", str(options.threads), "--buffer-size",
                  options.buffer_size])


def fleet(options, address):
    """Mode remote."""
    return Place({"servers": address, "buffer_size": options.buffer_size},
                 ["stream", "--servers", address, "--buffer-size", options.buffer_size])


@contextlib.contextmanager
def server(options):
    """A server of the graph on this machine; yields its address."""
    with subprocess.Popen([TRIBUTARY, "serve", "--graph", options.graph, "--listen",
                           "127.0.0.1:0", "--threads", str(options.threads)],
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            ready = process.stdout.readline()
            words = dict(word.split("=", 1) for word in ready.split()[1:])
            if "listen" not in words:
                raise SystemExit(f"bench python: the server is not ready: {ready!r}")
            yield words["listen"]
        finally:
            process.terminate()


def measure(place, ways, options):
    """Returns the turns of each way by its name."""
    turns = {name: [] for name in ways}
    names = list(ways)
    for number in range(options.rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            turns[name].append(ways[name].turn(place, options.batches))
    return turns


def spread(values, form):
    """Writes a median, and the least and the most."""
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def table(turns):
    """Writes the lines of one mode's table."""
    cpp = [rate for rate, _, _ in turns[CPP]]
    yield "| way | batches/s | of C++ | CPU ms a batch |"
    yield "| --- | --- | --- | --- |"
    for name, turn in turns.items():
        rates = [rate for rate, _, _ in turn]
        ratios = [rate / other for rate, other in zip(rates, cpp)]
        cpu = "" if name == CPP else f"{statistics.median(cpu for _, _, cpu in turn):.1f}"
        yield f"| {name} | {spread(rates, '.1f')} | {spread(ratios, '.3g')} | {cpu} |"


def report(mode, turns, options):
    """Prints one mode's table, once all ways are seen to have read the same batches."""
    sizes = {name: statistics.median(size for _, size, _ in turn)
             for name, turn in turns.items()}
    if max(sizes.values()) > 1.02 * min(sizes.values()):
        raise SystemExit(f"bench python: ways read other batches, in MB: {sizes}")
    load = " ".join(f"{part:.1f}" for part in os.getloadavg())
    print(f"mode {mode}: {options.rounds} rounds of {options.batches} batches of "
          f"{sizes[CPP]:.1f} MB, load {load} on {os.cpu_count()} cores", flush=True)
    print(*table(turns), sep="\n", flush=True)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench python",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--graph", help="a graph folder; without it a graph is generated")
    parser.add_argument("--scale", type=int, default=20, help="2^SCALE nodes are generated")
    parser.add_argument("--edges", type=int, default=15_000_000, help="edges to generate")
    parser.add_argument("--modes", default="mp,remote",
                        help="mp, remote: batches; tensors: rows of a tensor on a server")
    parser.add_argument("--ways", default=",".join(way.NAMES), help="beside C++")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--batches", type=int, default=40, help="of each way in a round")
    parser.add_argument("--num-workers", type=int, default=1, help="of mode mp")
    parser.add_argument("--threads", type=int, default=1, help="of a worker, of the server")
    parser.add_argument("--buffer-size", default="512MB")
    options = parser.parse_args()
    for given, allowed in ((options.modes, ("mp", "remote", "tensors")), (options.ways, way.NAMES)):
        for word in given.split(","):
            if word not in allowed:
                parser.error(f"{word!r}; allowed: {', '.join(allowed)}")
    return options


def main():
    options = arguments()
    with contextlib.ExitStack() as stack:
        if options.graph is not None:  # run.sh has changed the folder
            options.graph = os.path.join(os.environ.get("CALLED_IN", ""), options.graph)
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            options.graph = os.path.join(folder, "graph")
            subprocess.run([TRIBUTARY, "generate", "rmat", "--scale", str(options.scale),
                            "--edges", str(options.edges), "--feat-dim", "100",
                            "--random-seed", "1", "--out", options.graph],
                           stdout=subprocess.DEVNULL, check=True)
        ways = {CPP: CppWay()}
        for name in options.ways.split(","):
            ways[name] = stack.enter_context(PythonWay(name))
        for mode in options.modes.split(","):
            if mode == "tensors":
                with server(options) as address:
                    print(*tensors.table(TRIBUTARY, address, options.rounds, 4), sep="\n")
                continue
            with server(options) if mode == "remote" else contextlib.nullcontext() as address:
                place = fleet(options, address) if address else workers(options)
                report(mode, measure(place, ways, options), options)


if __name__ == "__main__":
    main()
