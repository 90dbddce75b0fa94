"""A client of a script: a trainer that finds its servers at master_addr:master_port."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable

from ... import _arguments, errors
from . import loaders
from ._meeting import Connection
from .context import DistRole, get_context, set_context

_connection: Connection | None = None


def init_client(num_servers: int, num_clients: int, client_rank: int, master_addr: str,
                master_port: int | str, num_rpc_threads: int = 4,
                client_group_name: str | None = None, is_dynamic: bool = False, *,
                request_timeout: float = 180) -> None:
    """Finds the servers of init_server(), and returns when they, and all other clients unless
    is_dynamic, have come. The group fails if this process then ends without shutdown_client().

    Args:
      num_servers, num_clients, client_rank: as servers have them, and which client this is.
      master_addr, master_port: where server 0 is met.
      num_rpc_threads: no effect; that of the worker options is the loader's.
      client_group_name: the context's group_name.
      is_dynamic: whether the servers say so.
      request_timeout: seconds within which all must come.

    Raises:
      DeadlineExceeded: server 0 is not there in time.
      InvalidArgument: servers that say other numbers, or a rank that is there.
      Aborted: a member ended meanwhile, or not all have come in time; it names them.
    """
    global _connection  # pylint: disable=global-statement
    if _connection is not None:
        raise errors.FailedPrecondition("this process is a client; allowed: shutdown_client() "
                                        "before another init_client()")
    connection = Connection((master_addr, int(master_port)), time.monotonic() + request_timeout)
    try:
        found = connection.meet(role="client", rank=client_rank, num_servers=num_servers,
                                num_clients=None if is_dynamic else num_clients)
        set_context(DistRole.CLIENT, client_group_name, (num_clients, num_servers), client_rank,
                    ",".join(found))
    except BaseException:
        connection.close()
        raise
    _connection = connection


def shutdown_client() -> None:
    """Closes the loaders of this process, and says that it is done: the servers end when all
    clients are.

    Raises:
      FailedPrecondition: this process is no client.
    """
    global _connection  # pylint: disable=global-statement
    if _connection is None:
        raise errors.FailedPrecondition(
            f"this process is no client (its context is {get_context()}); allowed: "
            "shutdown_client() once, after init_client()")
    connection, _connection = _connection, None
    for loader in [*loaders.opened]:
        loader.close()
    if not connection.say_done():
        _arguments.warn("server 0 has ended before this client")
    connection.close()


def request_server(server_rank: int, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Returns 1 for torch.cuda.device_count, with which scripts of GLT choose the number of
    sampling workers: servers sample with their CPUs. Servers run no other function.

    Raises:
      TypeError: another function; it names what reads the graph.
    """
    torch = sys.modules.get("torch")
    if torch is not None and func is torch.cuda.device_count:
        _arguments.warn_once("glt.device_count", (
            "request_server(func=torch.cuda.device_count) is 1: servers sample with their CPUs, "
            "which count as one device"))
        return 1
    name = getattr(func, "__name__", repr(func))
    raise TypeError(f"servers run no functions of clients, such as {name}; instead: "
                    "tributary_gnn.Graph, which reads their graph, `tributary status` and "
                    "`tributary doctor`")


def async_request_server(server_rank: int, func: Callable[..., Any], *args: Any,
                         **kwargs: Any) -> Any:
    """Refused like request_server()."""
    raise TypeError("servers run no functions of clients; instead: request_server() and what it "
                    "names")
