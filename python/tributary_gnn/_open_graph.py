"""An open graph of the C library: how it is opened, asked and closed."""

from __future__ import annotations

import copy
import ctypes
import json
from typing import Any, TypeVar

import numpy

from . import _library
from ._answer import Answer, converter
from ._handle import Handle
from ._interrupt import interruptible
from ._opening import open_source
from ._ranks import Place
from ._shared_handle import SharedHandle
from ._stored_graph import StoredGraph
from .source import Source, WaitObserver

Self = TypeVar("Self", bound="OpenGraph")


class OpenGraph:
    """What is left of `Graph` without its calls; see there for the arguments."""

    def __init__(self, data: Any = None, *, format: str = "numpy", timeout: float | None = None,
                 on_wait: WaitObserver | None = None, **options: Any):
        self._to_format = converter(format)
        self._kept_open: OpenGraph | None = None  # whose handle this one uses
        self._owns_source = not isinstance(data, Source)
        self.source = open_source("Graph", data, options, on_wait, Place(0, 1, found=False))
        try:
            self._handle = self._open(-1 if timeout is None else int(timeout * 1000))
        except BaseException:
            self._close_source()
            raise
        self._handle.close_with(self, at_exit=True)
        self._stored = StoredGraph(self.schema(), json.loads(self._text("columns")))

    def in_format(self: Self, format: str) -> Self:
        """Returns the same open graph with results of another format. It is closed with this
        one, which it keeps open."""
        other = copy.copy(self)
        other._to_format = converter(format)
        other._kept_open = self
        return other

    def schema(self) -> dict[str, Any]:
        """Returns the graph's schema, graph.json (docs/graph-format.md)."""
        return json.loads(self._text("schema"))

    # ---- Ends --------------------------------------------------------------------------

    def cancel(self) -> None:
        """Makes the calls that wait in other threads, and all later ones that ask servers,
        raise Cancelled."""
        self._handle.cancel()

    def close(self) -> None:
        """Closes it, and the source if it was opened for this graph, and ends the calls that
        other threads are in. A second time it does nothing."""
        self._handle.close()
        self._close_source()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle.closed()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    # ---- Calls of the library ----------------------------------------------------------

    def _open(self, timeout_ms: int) -> SharedHandle:
        library = _library.library()
        source_handle, callback = self.source._handle, self.source._callback

        def open_graph() -> SharedHandle:
            pointer = ctypes.c_void_p()
            source_handle.call(library.tributary_graph_open, None, timeout_ms,
                               ctypes.byref(pointer))
            return SharedHandle("graph", pointer, library.tributary_graph_close,
                                cancel=library.tributary_graph_cancel, keeps=callback)

        return interruptible(open_graph, Handle.close)

    def _close_source(self) -> None:
        if self._owns_source:
            self.source.close()

    def _ask(self, function: str, *arguments: Any, ids: numpy.ndarray | None = None,
             last: tuple[Any, ...] = (), keeps: Any = None) -> Answer:
        """Asks with the arguments, the ids and their number, and the last arguments."""
        called = getattr(_library.library(), "tributary_graph_" + function)
        handle = self._handle
        given = () if ids is None else (ids.ctypes.data_as(ctypes.c_void_p), len(ids))

        def ask(_held: Any = (ids, keeps)) -> Answer:  # also when nobody waits any more
            pointer = ctypes.c_void_p()
            handle.call(called, *arguments, *given, *last, ctypes.byref(pointer))
            return Answer(pointer)

        return interruptible(ask, Answer.close)

    def _text(self, name: str) -> str:
        pointer = ctypes.c_void_p()
        self._handle.call(getattr(_library.library(), "tributary_graph_" + name),
                          ctypes.byref(pointer))
        return _library.take_text(pointer)
