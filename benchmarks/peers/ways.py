"""Runs the rows of rows.py, a turn at a time."""

import contextlib
import json
import os
import socket
import subprocess
import sys

from benchmarks.peers import environments, programs

BUFFER = "512MB"


def one_core():
    """Keeps the calling process on one of its cores."""
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def options_of(row):
    """Returns Popen's options of a row."""
    return {"preexec_fn": one_core} if row.one_core else {}


def free_ports():
    """Returns the first of two successive ports that are free now."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            with contextlib.suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port


class Tributary:
    """`tributary bench`, started anew for each turn."""

    versions = {}

    def __init__(self, run, row):
        self._run, self._row = run, row

    def _place(self):
        """Returns the flags that say where batches are made."""
        if self._row.words[1] == "stream":
            return ["--servers", self._run.server()]
        flags = ["--graph", self._run.graph, "--threads", "1"]
        if self._row.words[1] == "gather":
            flags += ["--mode", "mp", "--num-workers", str(self._run.workers)]
        return flags

    def turn(self):
        run, row = self._run, self._row
        command = [run.program, *row.words, *self._place(), "--input-nodes",
                   "@" + os.path.join(run.folder, "seeds.npy"), "--shuffle", "none",
                   "--num-neighbors", ",".join(map(str, run.num_neighbors)), "--batch-size",
                   str(run.batch_size), "--random-seed", str(run.random_seed), "--seconds",
                   str(run.seconds), "--buffer-size", BUFFER, "--json"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=run.limit, **options_of(row))
        except subprocess.TimeoutExpired as error:
            raise programs.Failed(f"no answer in {run.limit} s") from error
        if done.returncode != 0:
            raise programs.Failed(environments.last_line(done.stderr))
        said = json.loads(done.stdout)
        used = "edges" if said["benchmark"] == "sample" else "bytes"
        return {"batches": said["batches"], "seconds": said["seconds"],
                "inputs": round(said["inputs_per_second"] * said["seconds"]),
                "edges": round(said["edges_per_second"] * said["seconds"]),
                "limit": said["limit"], "limit_per_second": said["limit_per_second"],
                "used_per_second": said[f"{used}_per_second"]}

    def close(self):
        pass


class Peer:
    """A peer's process, which waits for its turns, and its server's if it has one."""

    def __init__(self, run, row):
        self._limit = run.limit
        self._row = row
        self._run = run
        self._variables = {**os.environ, **run.environment(row.environment),
                           "OMP_NUM_THREADS": "1", **row.variables}
        self._servers = []
        try:
            words = self._start_server()
            self._reader = self._start("read", *words)
        except BaseException:
            self._close_servers(0)
            raise
        try:
            self.versions = self._reader.answer(self._limit, self._servers)["versions"]
        except BaseException:
            self.close(0)
            raise

    def _options(self):
        run = self._run
        return json.dumps({"folder": run.folder, "num_neighbors": run.num_neighbors,
                           "batch_size": run.batch_size, "random_seed": run.random_seed,
                           "seconds": run.seconds,
                           "workers": self._row.workers or run.workers})

    def _start(self, role, *words):
        log = os.path.join(self._run.folder, f"{self._row.name}.{role}.log")
        command = [sys.executable, "-B", "-m", f"benchmarks.peers.{self._row.module}",
                   self._options(), *words]
        return programs.Program(command, log, env=self._variables, **options_of(self._row))

    def _start_server(self):
        """Starts a server if the row has one; returns the reader's arguments."""
        if self._row.module == "glt_batches":
            place = str(free_ports())
        elif self._row.module == "dgl_distributed":
            place = os.path.join(self._run.folder, "dgl")
            os.makedirs(place, exist_ok=True)
            self._partition(place)
        else:
            return self._row.words
        self._servers.append(self._start("serve", "serve", place))
        return "read", place

    def _partition(self, place):
        partition = self._start("partition", "partition", place)
        try:
            if partition.line(self._limit) != "done\n":
                raise programs.Failed(partition.complaint())
        finally:
            partition.close()

    def turn(self):
        self._reader.ask()
        return self._reader.answer(self._limit, self._servers)

    def _close_servers(self, grace):
        for server in self._servers:
            server.close(grace)

    def close(self, grace=programs.GRACE):
        self._reader.close(grace)
        self._close_servers(grace)


def start(run, row):
    """Returns the way of a row; raises Failed or Unavailable."""
    return Peer(run, row) if row.environment else Tributary(run, row)
