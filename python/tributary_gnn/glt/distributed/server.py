"""A server of a script: the program `tributary serve` beside it."""

from __future__ import annotations

import os
import pathlib
import select
import tempfile
import time
from typing import Any

from ... import _arguments, _program, errors
from ...serving import LocalServer
from ._meeting import Connection, Hub
from ._roll import Roll
from .context import DistRole, get_context, set_context
from .dataset import DistDataset

_CHOSEN = ("graph", "listen", "num_clients", "peers")
_RPC_THREADS = 16  # GLT's default


class _ScriptServer:
    """A server, its connection, and the hub of server 0; all end by close()."""

    def __init__(self, address: tuple[str, int], roll: Roll | None, timeout: float):
        self._address = address
        self._deadline = time.monotonic() + timeout
        self._folder = tempfile.TemporaryDirectory(prefix="tributary-server-")
        self._hub: Hub | None = None
        self._connection: Connection | None = None
        self._server: LocalServer | None = None
        try:
            self._hub = Hub(address, roll, timeout) if roll is not None else None
        except BaseException:
            self.close()
            raise

    def serve(self, hello: dict[str, Any], words: list[str], drain_s: float) -> None:
        """Starts the server, and returns when all of the group have come."""
        host = self._host()
        listen = f"[{host}]:0" if ":" in host else f"{host}:0"
        peers = pathlib.Path(self._folder.name, "peers")
        peers.touch()
        self._server = LocalServer([*words, "--listen", listen, "--peers", f"file:{peers}"],
                                   drain_s)
        address, _ = self._server.ready(self._deadline)
        self._connection = Connection(self._address, self._deadline)
        servers = self._connection.meet(address=address, **hello)
        written = peers.with_suffix(".new")
        written.write_text("".join(server + "\n" for server in servers), encoding="utf-8")
        written.rename(peers)

    def _host(self) -> str:
        """Returns the address of this machine on the way to server 0, which must be there."""
        connection = Connection(self._address, self._deadline)
        connection.close()
        return connection.host

    def wait(self) -> str:
        """Returns what the group has ended with, "" if well.

        Raises:
          Error: the server of this process has ended by itself; the text has its last lines.
        """
        assert self._connection is not None and self._server is not None
        process = self._server.process
        ended = os.pidfd_open(process.pid)
        try:
            ready, _, _ = select.select([ended, self._connection], [], [])
        finally:
            os.close(ended)
        if ended in ready:
            code = process.wait()
            text, self._server = self._server.end(), None
            raise errors.Error(f"the server of this process ended with {code}:\n{text}")
        return self._connection.read()["end"]

    def close(self) -> None:
        """Drains and ends the server, and leaves the group."""
        try:
            if self._server is not None:
                self._server.end()
        finally:
            if self._connection is not None:
                self._connection.close()
            if self._hub is not None:
                self._hub.close()
            self._folder.cleanup()


_member: _ScriptServer | None = None


def init_server(num_servers: int, server_rank: int, dataset: DistDataset, master_addr: str,
                master_port: int | str, num_clients: int = 0, num_rpc_threads: int = _RPC_THREADS,
                request_timeout: float = 180, server_group_name: str | None = None,
                is_dynamic: bool = False, **flags: Any) -> None:
    """Starts the program `tributary serve` for this process, and returns when all servers, and
    all clients unless is_dynamic, have come.

    The server holds the dataset's partition, and listens at any port of the address by which
    this machine reaches master_addr. Servers and clients meet at master_addr:master_port, where
    the process of server 0 listens.

    Args:
      num_servers, server_rank: the number of servers, and which of them this is.
      dataset: after load(); its partition_idx is the partition that this server holds. Each
        partition needs a server.
      master_addr, master_port: the same for all servers and clients; master_addr is an address
        of server 0's machine.
      num_clients: the number of clients; without meaning if is_dynamic.
      num_rpc_threads: no effect; threads= is that of `tributary serve`.
      request_timeout: seconds within which the server must serve, and all must come.
      server_group_name: the context's group_name.
      is_dynamic: clients come at any time. The group ends when client 0 is done and no other
        is there.
      flags: flags of `tributary serve` by keyword: threads=8, memory_budget="8GB",
        partitions="0,2" in place of the dataset's, tls_ca="ca.pem", ... On other addresses
        than loopback certificates, or insecure=True, are needed (docs/modes.md).

    Raises:
      InvalidArgument, NotFound, ...: the server refuses its graph or its flags, or this is no
        member of the group at that address.
      DeadlineExceeded: the server does not serve, or server 0 is not there, in time.
      Aborted: a member ended meanwhile, or not all have come in time; it names them.
      Unavailable: server 0 cannot listen there.
    """
    global _member  # pylint: disable=global-statement
    refused = sorted(set(_CHOSEN) & set(flags))
    if refused:
        raise TypeError(f"init_server() chooses {', '.join(refused)}; allowed: other flags of "
                        "`tributary serve`")
    if not isinstance(dataset, DistDataset) or dataset.graph_dir is None:
        raise ValueError(f"dataset is {dataset!r:.100}; allowed: a DistDataset after load(FOLDER, "
                         "partition_idx)")
    if num_clients < 1 and not is_dynamic:
        raise ValueError(f"num_clients is {num_clients}; allowed: 1 or more, or is_dynamic=True")
    if _member is not None:
        raise errors.FailedPrecondition("this process is a server; allowed: "
                                        "wait_and_shutdown_server() before another init_server()")
    if num_rpc_threads != _RPC_THREADS:
        _arguments.warn_once("glt.server_threads", (
            f"num_rpc_threads={num_rpc_threads} has no effect; init_server(..., threads=N) sets "
            "the threads of `tributary serve`"))
    clients = None if is_dynamic else num_clients
    set_context(DistRole.SERVER, server_group_name, (num_servers, clients or 0), server_rank)
    flags.setdefault("partitions", dataset.partition_idx)
    words = ["--graph", dataset.graph_dir, *_program.flags(flags)]
    hello = {"role": "server", "rank": server_rank, "num_servers": num_servers,
             "num_clients": clients}
    member = _ScriptServer((master_addr, int(master_port)),
                     Roll(num_servers, clients) if server_rank == 0 else None, request_timeout)
    try:
        member.serve(hello, words, float(flags.get("drain_timeout", 30)))
    except BaseException:
        member.close()
        raise
    _member = member


def wait_and_shutdown_server() -> None:
    """Returns when all clients have called shutdown_client(), after this server has ended.

    Raises:
      Aborted: a client, or server 0, ended before; it names it.
      Error: the server of this process ended by itself; the text has its last lines.
      FailedPrecondition: this process is no server.
    """
    global _member  # pylint: disable=global-statement
    if _member is None:
        raise errors.FailedPrecondition(
            f"this process is no server (its context is {get_context()}); allowed: "
            "wait_and_shutdown_server() once, after init_server()")
    member, _member = _member, None
    try:
        verdict = member.wait()
    finally:
        member.close()
    if verdict:
        raise errors.Aborted(f"this server has ended, as {verdict}")
