"""Opens the source that the first argument of a loader, or its options, name."""

from __future__ import annotations

import os
import re
from typing import Any

from ._ranks import Place
from .source import Source, WaitObserver

# Texts that name servers: file:PATH, dns:///NAME:PORT, unix:/PATH, HOST:PORT,...
_SERVERS = re.compile(r"(file|dns|unix):|.+:\d+$")


def open_source(loader: str, data: Any, options: dict[str, Any],
                on_wait: WaitObserver | None, where: Place) -> Source:
    """Returns a source of the graph that `data` or the options name, for the rank `where`;
    an open Source as it is.

    Args:
      loader: the name of the loader's class, for errors.

    Raises:
      TypeError: no graph is named, or two are, or `data` is something else, or a Source with
        options.
    """
    if isinstance(data, Source):
        given = sorted(options) + (["on_wait"] if on_wait is not None else [])
        if given:
            raise TypeError(f"{', '.join(given)}: options of the source, which is open; allowed: "
                            "tributary_gnn.Source(...) with them")
        return data
    data = getattr(data, "servers", data)  # of a Fleet
    if data is not None:
        if not isinstance(data, (str, os.PathLike)):
            raise TypeError(
                f"the graph is a {type(data).__name__}; allowed: the folder of a partitioned "
                "graph, addresses of servers, a Fleet or a Source. tributary_gnn.partition() "
                "and `tributary partition` make a folder of a graph")
        name = "servers" if _SERVERS.match(os.fspath(data)) else "graph"
        if name in options:
            raise TypeError(f"the graph is given twice, by {name}= too; allowed: once")
        options[name] = os.fspath(data)
    if not any(name in options for name in ("graph", "servers", "master_addr")):
        raise TypeError(f"no graph is given; allowed: {loader}(FOLDER or SERVERS, ...), "
                        "graph=FOLDER, servers=LIST")
    _choose_mode(options, where)
    return Source(options, on_wait=on_wait)


def _choose_mode(options: dict[str, Any], where: Place) -> None:
    """As in PyTorch, num_workers above 0 are processes. Ranks prefer servers of their own."""
    remote = options.get("mode", "remote") == "remote" and "graph" not in options
    if "graph" in options and "mode" not in options and options.get("num_workers"):
        options["mode"] = "mp"
    if remote and where.world_size > 1 and not {"num_clients", "client_rank"} & set(options):
        options.update(num_clients=where.world_size, client_rank=where.rank)
