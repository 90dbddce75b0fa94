"""What `initialize` says of this process, and the group that its graph opens."""

from __future__ import annotations

import logging
import os
from typing import Any

from .._ranks import place
from ..dist_context import DistContext
from ..errors import FailedPrecondition

_LOGGER = logging.getLogger("tributary_gnn.dgl")
# Of DGL's own transport and processes.
_WITHOUT_EFFECT = ("max_queue_size", "net_type", "num_worker_threads", "num_servers",
                   "use_graphbolt")


class _Process:
    """The state of this process: a group at most, of one graph."""

    def __init__(self) -> None:
        self.initialized = False
        self.servers: str | None = None  # None: standalone
        self.num_workers = 0
        self.options: dict[str, Any] = {}
        self.timeout = 180.0
        self.context: DistContext | None = None
        self.unnamed = 0


_process = _Process()


def initialize(ip_config: str | os.PathLike | None = None, *others: Any, num_workers: int = 0,
               timeout: float = 180, **options: Any) -> None:
    """Says where the graph and its rows are. It is called first, and comes before torch's
    process group.

    The process is one of a distributed run where `tributary launch` or torchrun has started
    it, or DGL_DIST_MODE is "distributed"; else it is standalone, and `DistGraph` takes a
    folder. Servers are those of $TRIBUTARY_SERVERS, which the launcher sets, else the hosts of
    `ip_config`, a line "HOST" or "HOST PORT" for each (port 30050).

    Args:
      ip_config: the file of hosts.
      num_workers: batches that a `DistDataLoader` makes ahead, by threads.
      timeout: seconds that a call waits.
      options: of the source (docs/modes.md): worker_key, tls_ca, ...; DGL's num_servers,
        max_queue_size, net_type, num_worker_threads and use_graphbolt have no effect.
    """
    if _process.initialized:
        raise FailedPrecondition("initialize was called before; allowed: once, or exit_client() "
                                 "before it")
    if others:
        raise TypeError(f"initialize() takes ip_config, not {len(others)} arguments more; allowed: "
                        "the others by keyword, as their order differs between versions of DGL")
    _process.options = {name: value for name, value in options.items()
                        if name not in _WITHOUT_EFFECT}
    _process.num_workers, _process.timeout = int(num_workers), timeout
    _process.servers = _servers(ip_config)
    _process.initialized = True


def _servers(ip_config: str | os.PathLike | None) -> str | None:
    launched = os.environ.get("TRIBUTARY_SERVERS")
    mode = os.environ.get("DGL_DIST_MODE")
    if mode not in (None, "standalone", "distributed"):
        raise ValueError(f"DGL_DIST_MODE is {mode!r}; allowed: 'standalone', 'distributed'")
    distributed = mode == "distributed" if mode else bool(launched or "WORLD_SIZE" in os.environ)
    if not distributed:
        _LOGGER.info("standalone, as without a launcher: DistGraph takes a folder. "
                     "DGL_DIST_MODE=distributed reads the servers of ip_config")
        return None
    if launched:
        return launched
    if ip_config is None:
        raise TypeError("initialize() without ip_config in a distributed run; allowed: the file "
                        "of hosts, or $TRIBUTARY_SERVERS")
    return f"file:{os.fspath(ip_config)}"


def open_group(graph_name: str | None, folder: str | None) -> DistContext:
    """Opens the group of this process's graph. A collective of a distributed run."""
    if not _process.initialized:
        raise FailedPrecondition("DistGraph comes before initialize(); allowed: after it")
    if _process.context is not None:
        raise FailedPrecondition("there is a DistGraph already; allowed: one, or exit_client() "
                                 "before another one")
    where = place(None, None)
    if _process.servers is not None:
        options: dict[str, Any] = {"servers": _process.servers, **_process.options}
        if graph_name:
            options["graph_name"] = graph_name
    elif folder is None:
        raise TypeError("DistGraph without part_config in standalone mode; allowed: "
                        "part_config=FOLDER of a partitioned graph. DGL_DIST_MODE=distributed "
                        "takes the servers of ip_config")
    else:
        options = {"graph": folder, **_process.options}
    _process.context = DistContext(rank=where.rank, world_size=where.world_size,
                                   timeout=_process.timeout, format="torch", **options)
    return _process.context


def context() -> DistContext:
    """Returns the group of this process."""
    if _process.context is None:
        raise FailedPrecondition("there is no DistGraph yet; allowed: DistGraph(...) first, whose "
                                 "servers hold rows")
    return _process.context


def num_workers() -> int:
    """Returns num_workers of `initialize`."""
    return _process.num_workers


def unnamed(kind: str) -> str:
    """Returns a name for a tensor without one: the same on all ranks, which make them in the
    same order."""
    _process.unnamed += 1
    return f"{kind}-{_process.unnamed}"


def get_rank() -> int:
    """Returns the rank of this process."""
    return place(None, None).rank


def get_world_size() -> int:
    """Returns the number of ranks."""
    return place(None, None).world_size


def close_group() -> None:
    """Closes this process's part; DistGraph may be opened again."""
    if _process.context is not None:
        _process.context.close()
    _process.context = None


def exit_client() -> None:
    """Ends the run on the servers once all ranks have called it, and this process's part. A
    collective. Without it the run ends with its processes."""
    global _process  # pylint: disable=global-statement
    try:
        if _process.context is not None:
            _process.context.finish()
    finally:
        close_group()
        _process = _Process()
