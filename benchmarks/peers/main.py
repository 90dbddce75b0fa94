"""Measures Tributary and the systems that users compare it with, in turns.

    ./dev bench peers [--scale S] [--edges E] [--rounds N] [--batches N] [--only NAME,...]

All read batches of the same inputs in the same order from the same generated graph. In each
round every row has a turn, and each round begins with another row. The first run fetches the
peers' wheels (1.6 GB) and unpacks them (4.4 GB) into the cache. A peer that cannot be
installed or that fails is a row that says why.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import numpy

from benchmarks.peers import environments, programs, report, rows, ways

NUM_NEIGHBORS, BATCH_SIZE, FEAT_DIM, SEED = [15, 10, 5], 1024, 100, 1


def say(message):
    print(f"bench peers: {message}", file=sys.stderr, flush=True)


def concatenated(chunks, files):
    return numpy.concatenate([numpy.load(os.path.join(chunks, name)) for name in files["data"]])


def write_arrays(chunks, folder, count):
    """Writes what turn.Inputs reads, with `count` inputs, from chunks in DGL's layout."""
    metadata = json.loads(pathlib.Path(chunks, "metadata.json").read_text())
    (edges,) = metadata["edges"].values()
    (columns,) = metadata["node_data"].values()
    ends = concatenated(chunks, edges)
    nodes = sum(metadata["num_nodes_per_chunk"][0])
    degrees = numpy.bincount(ends[:, 1], minlength=nodes)
    arrays = {
        "indices": ends[numpy.argsort(ends[:, 1], kind="stable"), 0],
        "indptr": numpy.concatenate([[0], numpy.cumsum(degrees)]),
        "features": concatenated(chunks, columns["feat"]),
        "seeds": numpy.random.default_rng(SEED).permutation(nodes)[:count],
    }
    for name, array in arrays.items():
        dtype = numpy.float32 if name == "features" else numpy.int64
        numpy.save(os.path.join(folder, name), numpy.ascontiguousarray(array, dtype))


class Run:
    """What the rows of a run share: the graph, the inputs, one server of Tributary."""

    num_neighbors, batch_size, random_seed = NUM_NEIGHBORS, BATCH_SIZE, SEED

    def __init__(self, options, folder, stack):
        self.program = os.environ["TRIBUTARY_PROGRAM"]
        self.folder = folder
        self.graph = os.path.join(folder, "graph")
        self.seconds, self.workers = options.seconds, options.workers
        self.limit = options.limit
        self._stack = stack
        self._address = None
        self._environments = {}
        chunks = os.path.join(folder, "chunks")
        self._tributary("generate", "rmat", "--scale", options.scale, "--edges", options.edges,
                        "--feat-dim", FEAT_DIM, "--random-seed", SEED, "--chunks", chunks)
        self._tributary("partition", "--format", "dgl-chunked", "--input", chunks, "--out",
                        self.graph)
        write_arrays(chunks, folder, options.batches * BATCH_SIZE)

    def _tributary(self, *words):
        subprocess.run([self.program, *map(str, words)], stdout=subprocess.DEVNULL, check=True)

    def server(self):
        """Returns the address of a server of Tributary, started at the first call."""
        if self._address is None:
            server = programs.Program(
                [self.program, "serve", "--graph", self.graph, "--listen", "127.0.0.1:0",
                 "--threads", str(self.workers)], os.path.join(self.folder, "serve.log"))
            self._stack.callback(server.close, 0)
            ready = server.line(self.limit)
            self._address = dict(word.split("=", 1) for word in ready.split()[1:])["listen"]
        return self._address

    def environment(self, name):
        """Returns the variables of an environment, which is made at the first call."""
        if name not in self._environments:
            say(f"the environment {name}")
            try:
                self._environments[name] = environments.make(name)
            except environments.Unavailable as error:
                self._environments[name] = error
        if isinstance(self._environments[name], Exception):
            raise self._environments[name]
        return self._environments[name]


class Turns:
    """A row's way and the figures of its turns. A failure ends its turns."""

    def __init__(self, row, way=None):
        self.row = row
        self.figures = {"title": row.title, "includes": row.includes, "beside": row.beside,
                        "versions": {}, "failure": None, "turns": []}
        self._way = way

    @contextlib.contextmanager
    def _noting(self):
        try:
            yield
        except (environments.Unavailable, programs.Failed) as error:
            self.figures["failure"] = str(error).replace("|", "/")
            say(f"{self.row.name}: {error}")

    def start(self, run, stack):
        with self._noting():
            self._way = ways.start(run, self.row)
            stack.callback(self._way.close)
            self.figures["versions"] = self._way.versions

    def take(self, number):
        if self.figures["failure"] is None:
            with self._noting():
                turn = {"round": number, **self._way.turn()}
                self.figures["turns"].append(turn)
                say(f"round {number}: {self.row.name}: {report.rate(turn) / 1e3:.1f} thousand "
                    "inputs/s")


def machine():
    """Returns where and when this is measured."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    models = [line.split(":", 1)[1].strip() for line in text.splitlines()
              if line.startswith("model name")]
    return {"cpu": models[0] if models else "an unknown processor",
            "cores": len(os.sched_getaffinity(0)),
            "load": " ".join(f"{part:.1f}" for part in os.getloadavg()),
            "date": datetime.date.today().isoformat()}


def measure(options):
    """Returns the raw figures of a run."""
    begun = machine()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-peers-"))
        say("the graph")
        run = Run(options, folder, stack)
        all_turns = [Turns(row) for row in rows.chosen(options.only)]
        for turns in all_turns:
            turns.start(run, stack)
        for number in range(options.rounds):
            first = number % len(all_turns)
            for turns in all_turns[first:] + all_turns[:first]:
                turns.take(number)
    return {
        "options": {"scale": options.scale, "edges": options.edges, "rounds": options.rounds,
                    "batches": options.batches, "seconds": options.seconds,
                    "workers": options.workers, "feat_dim": FEAT_DIM, "batch_size": BATCH_SIZE,
                    "num_neighbors": NUM_NEIGHBORS},
        "machine": begun,
        "rows": {turns.row.name: turns.figures for turns in all_turns},
    }


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}; allowed: 1 and more")
    return number


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench peers",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=positive, default=20, help="2^SCALE nodes are generated")
    parser.add_argument("--edges", type=positive, default=15_000_000, help="edges to generate")
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--batches", type=positive, default=40, help="of an epoch")
    parser.add_argument("--seconds", type=positive, default=4,
                        help="least time of a row in a round; the epoch is repeated")
    parser.add_argument("--workers", type=positive, default=2,
                        help="worker processes, or threads of a server")
    parser.add_argument("--only", default=",".join(rows.NAMES),
                        help="names of rows; those of Tributary that they are compared with come "
                             "along")
    parser.add_argument("--limit", type=positive, default=600,
                        help="most seconds of a turn or a start")
    parser.add_argument("--json", help="a file to write the raw figures to")
    parser.add_argument("--list", action="store_true", help="list the rows and end")
    options = parser.parse_args()
    options.only = options.only.split(",")
    for name in options.only:
        if name not in rows.NAMES:
            parser.error(f"--only: {name!r}; allowed: {', '.join(rows.NAMES)}")
    whole = 2 ** options.scale // BATCH_SIZE
    if options.batches > whole:
        parser.error(f"--batches {options.batches}: 2^{options.scale} nodes are {whole} batches "
                     f"of {BATCH_SIZE} inputs; allowed: fewer --batches, a larger --scale")
    if options.json is not None:  # run.sh has changed the folder
        options.json = os.path.join(os.environ.get("CALLED_IN", ""), options.json)
        if not os.path.isdir(os.path.dirname(options.json) or "."):
            parser.error(f"--json {options.json}: no such folder")
    return options


def end(number, _):
    """Ends as an exception does, with all programs and the folder."""
    raise SystemExit(128 + number)


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, end)
    if options.list:
        for row in rows.ROWS:
            print(f"{row.name:20} {row.title}; {row.includes}; beside {row.beside}")
        return
    figures = measure(options)
    if options.json is not None:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    print(report.text(figures))
    if any(not figures["rows"][row.name]["turns"] for row in rows.chosen(options.only)
           if not row.environment):
        raise SystemExit("bench peers: Tributary itself was not measured")


if __name__ == "__main__":
    main()
