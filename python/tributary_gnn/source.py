"""Where batches are made: in this process, in worker processes, by a fleet of servers."""

from __future__ import annotations

import ctypes
import json
import os
from typing import Any, Callable, Mapping

from . import _library
from ._handle import Handle, in_callback
from ._interrupt import interruptible
from ._json import to_json
from ._memory import reuse_large_blocks

# Receives the reason of a wait, "" at its end, and the seconds until it is an error.
WaitObserver = Callable[[str, float], None]

# Every option of docs/modes.md, of any mode.
OPTION_NAMES = (
    "mode", "graph", "servers", "master_addr", "master_port", "server_rank", "num_clients",
    "client_rank", "max_servers", "num_workers", "num_threads", "feature_memory",
    "worker_devices", "worker_concurrency", "num_rpc_threads", "rpc_timeout", "channel_size",
    "buffer_size", "prefetch_size", "pin_memory", "trainer_cache", "trainer_cache_list",
    "transport", "trace_file", "worker_key", "tls_ca", "tls_cert", "tls_key", "graph_name",
    "huge_pages", "numa_node", "worker_program",
)


def _with_mode(options: dict[str, Any]) -> dict[str, Any]:
    """Names the mode where the options show it: servers are remote, a graph's folder is
    sampled in this process."""
    if options.get("mode") is None:
        if options.get("servers") is not None:
            options["mode"] = "remote"
        elif options.get("graph") is not None:
            options["mode"] = "collocated"
        elif options.get("master_addr") is not None:
            options["mode"] = "remote"
    return options


def _with_program(options: dict[str, Any]) -> dict[str, Any]:
    """Names the program of the workers of mode mp, where it is known."""
    if options.get("mode") == "mp" and options.get("worker_program") is None:
        program = _library.program_path()
        if program is not None:
            options["worker_program"] = os.path.abspath(program)
    return options


def _options_text(options: Mapping[str, Any] | str | None, keywords: dict[str, Any]) -> str:
    if isinstance(options, str):
        if keywords:
            raise TypeError("options are given as a text and by keyword; allowed: one of them")
        return _text_with_program(options)
    both = sorted(set(options or {}) & set(keywords))
    if both:
        raise TypeError(f"{', '.join(both)}: given in options and by keyword; allowed: once")
    return to_json(_with_program(_with_mode({**(options or {}), **keywords})))


def _text_with_program(text: str) -> str:
    """Returns the text, as it stands unless its mode is mp and it names no program."""
    try:
        options = json.loads(text)
    except ValueError:
        return text  # the library says what is wrong
    if not isinstance(options, dict):
        return text
    added = _with_program(dict(options))
    return text if added == options else to_json(added)


def _wait_callback(on_wait: WaitObserver | None) -> Any:
    if on_wait is None:
        return None
    observer = on_wait

    def call(_context: Any, reason: bytes, seconds_left: float) -> None:
        with in_callback():
            observer(reason.decode(errors="replace"), seconds_left)

    return _library.WaitCallback(call)


class Source:
    """Makes batches, in one of three modes (docs/modes.md has their options):

        Source(graph="cora4")                               # threads of this process
        Source(mode="mp", graph="cora4", num_workers=2)     # processes that it starts
        Source(servers="file:servers.txt")                  # a fleet

    Args:
      options: the options as a mapping, or as the JSON of `--worker-options`.
      on_wait: called when a loader has waited for servers for more than 2 s, and then each
        second, with the reason and the seconds until the wait is an error; with an empty
        reason when the wait has ended. It runs on a thread of the library, and may call
        nothing of this package but `Loader.cancel`. What it raises goes to
        sys.unraisablehook.
      keywords: options by name, beside a mapping's. A mode that is not given follows from
        `servers` or `graph`.

    A source is closed by `close`, by `with`, when nothing refers to it, and when the
    program ends; its workers end with its last loader. Any thread may use it.

    Raises:
      InvalidArgument: a wrong option; others say what could not be opened.
      LibraryMissing: there is no C library.
    """

    def __init__(self, options: Mapping[str, Any] | str | None = None, *,
                 on_wait: WaitObserver | None = None, **keywords: Any):
        text = _options_text(options, keywords).encode()
        library = _library.library()
        callback = _wait_callback(on_wait)

        def open_source() -> Handle:
            pointer = ctypes.c_void_p()
            _library.check(library.tributary_source_open(
                text, ctypes.cast(callback, ctypes.c_void_p) if callback else None, None,
                ctypes.byref(pointer)))
            if json.loads(text).get("mode") == "remote":
                reuse_large_blocks()
            return Handle("source", pointer, library.tributary_source_close, keeps=callback)

        self._callback = callback
        self._handle = interruptible(open_source, Handle.close)
        self._handle.close_with(self, at_exit=True)

    def shutdown(self, timeout: float = 10.0) -> None:
        """Tells servers that were started with --num-clients that this trainer is done,
        within `timeout` seconds. Does nothing where batches are made locally."""
        self._handle.call(_library.library().tributary_source_shutdown, int(timeout * 1000))

    def close(self) -> None:
        """Closes it; its loaders go on. A second time it does nothing."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle.closed()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()
