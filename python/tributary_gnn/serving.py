"""Servers for a notebook or a test: started, and ended, by this process."""

from __future__ import annotations

import ctypes
import logging
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from typing import Any, Sequence

from . import _program, errors

_LOGGER = logging.getLogger("tributary_gnn.serve")
_READY = re.compile(r"ready listen=(\S+)(?: http=(\S+))?")
_PR_SET_PDEATHSIG = 1
# How much longer than --drain-timeout a server takes at most (`serve --help`).
_DRAIN_EXTRA_S = 20


class LocalServer:
    """One `tributary serve`."""

    def __init__(self, words: list[str], drain_s: float):
        self._drain_s = drain_s
        # In a thread that ends, the signal would come when the thread does.
        die_too = threading.current_thread() is threading.main_thread()
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [_program.program(), "serve", *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            start_new_session=True, preexec_fn=_end_with_parent if die_too else None)
        assert self.process.stderr is not None
        self._said = _program.Lines(self.process.stderr, _LOGGER)

    def ready(self, deadline: float) -> tuple[str, str | None]:
        """Waits until it serves; returns its address and that of its HTTP port."""
        stdout = self.process.stdout
        assert stdout is not None
        if not select.select([stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            raise errors.DeadlineExceeded("a server is not ready in time")
        found = _READY.match(stdout.readline())
        if found is None:
            code = self.process.wait(self._drain_s + _DRAIN_EXTRA_S)
            raise _program.failure("serve", code, self._said.end())
        return found[1], found[2]

    def end(self) -> str:
        """Drains and ends it; returns its last lines."""
        _program.end(self.process, self._drain_s + _DRAIN_EXTRA_S)
        assert self.process.stdout is not None and self.process.stderr is not None
        text = self._said.end()
        self.process.stdout.close()
        self.process.stderr.close()
        return text


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Fleet:
    """Servers of a graph on this machine. They end with a `with` block, by close(), when
    nothing refers to the fleet, and with the program:

        with tributary_gnn.serve("cora.graph", num_servers=2) as fleet:
            loader = tributary_gnn.NeighborLoader(servers=fleet.servers, ...)

    `servers` are their addresses as loaders take them, HOST:PORT,...; `http` the addresses of
    their /metrics, where http was asked for."""

    def __init__(self, folder: str | os.PathLike, partitions: Sequence[str],
                 options: dict[str, Any], timeout: float):
        self._folder = tempfile.TemporaryDirectory(prefix="tributary-fleet-")
        self._servers: list[LocalServer] = []
        self._end = weakref.finalize(self, _end_servers, self._servers, self._folder)
        self.servers = ""
        self.http: list[str] = []
        try:
            self._start(os.fspath(folder), partitions, options, timeout)
        except BaseException:
            self._end()
            raise

    def _start(self, folder: str, partitions: Sequence[str], options: dict[str, Any],
               timeout: float) -> None:
        deadline = time.monotonic() + timeout
        peers = pathlib.Path(self._folder.name, "peers")
        peers.touch()
        drain_s = float(options.get("drain_timeout", 30))
        words = ["--graph", folder, "--listen", "127.0.0.1:0", *_program.flags(options)]
        for held in partitions:
            self._servers.append(LocalServer(
                [*words, "--partitions", held, "--peers", f"file:{peers}"], drain_s))
        ready = [server.ready(deadline) for server in self._servers]
        written = peers.with_suffix(".new")
        written.write_text("".join(address + "\n" for address, _ in ready), encoding="utf-8")
        written.rename(peers)
        self.servers = ",".join(address for address, _ in ready)
        self.http = [http for _, http in ready if http is not None]

    def close(self) -> None:
        """Drains and ends the servers; does nothing the second time.

        Raises:
          Error: one of them had ended by itself; the text has its last lines.
        """
        for code, text in self._end() or ():
            if code not in (None, 0):
                raise errors.Error(f"a server ended with {code}:\n{text}")

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, kind: Any, *unused: Any) -> None:
        try:
            self.close()
        except errors.Error:
            if kind is None:  # else the error that comes is the one to see
                raise


def _end_servers(servers: list[LocalServer], folder: tempfile.TemporaryDirectory[str],
                 ) -> list[tuple[int | None, str]]:
    """Ends them; returns of each the code with which it had ended before, and its last
    lines."""
    codes = [server.process.poll() for server in servers]
    for server in servers:
        server.process.terminate()
    texts = [server.end() for server in servers]
    folder.cleanup()
    return list(zip(codes, texts))


def serve(folder: str | os.PathLike, num_servers: int = 1, *,
          partitions: Sequence[Any] | None = None, timeout: float = 120, **options: Any) -> Fleet:
    """Starts servers of a partitioned graph on loopback, and returns when they serve.

    Args:
      folder: what `partition` has written.
      num_servers: the number of servers. Server i of n holds the partitions whose number
        modulo n is i.
      partitions: instead, for each server those that it holds: "all", "0,2", [0, 2], "1%4".
      timeout: seconds within which they must serve; opening a large graph takes long.
      options: flags of `tributary serve` by keyword: threads=2, http="127.0.0.1:0",
        memory_budget="4GB", tls_ca="ca.pem", ...

    They end with the returned fleet; if this process is killed, too, unless another thread
    than the main one called this. What they say goes to the logger
    "tributary_gnn.serve".

    Raises:
      InvalidArgument, NotFound, ...: a server refuses its options or the graph; the text is
        its own.
      DeadlineExceeded (a TimeoutError): not ready within `timeout`.
    """
    if partitions is None:
        if num_servers < 1:
            raise ValueError(f"num_servers is {num_servers}; allowed: 1 or more")
        held = [f"{i}%{num_servers}" if num_servers > 1 else "all" for i in range(num_servers)]
    else:
        held = [part if isinstance(part, str) else ",".join(map(str, part))
                for part in partitions]
    refused = sorted({"listen", "peers", "graph"} & set(options))
    if refused:
        raise TypeError(f"serve() chooses {', '.join(refused)}; allowed: `tributary serve` itself")
    return Fleet(folder, held, options, timeout)
