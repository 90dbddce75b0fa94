"""The batches of one session, as the C library gives them."""

from __future__ import annotations

import ctypes
import json
import time
from typing import Any, Iterator, Mapping, NamedTuple

from . import _dlpack, _library
from ._handle import Handle
from ._interrupt import interruptible
from ._json import to_json
from ._library import whole
from .batch import Batch
from .source import Source

# Ctrl-C is seen between two waits of this length, and other threads' calls are made.
_STEP_MS = 100


def _steps(timeout: float | None) -> Iterator[int]:
    """Yields the milliseconds of each wait until `timeout` seconds have passed."""
    if timeout is None:
        while True:
            yield _STEP_MS
    end = time.monotonic() + timeout
    while (left := end - time.monotonic()) > _STEP_MS / 1000:
        yield _STEP_MS
    yield max(0, int(left * 1000))


class Sizes(NamedTuple):
    """Sizes over all ranks: of an epoch, and of the current one, whose batches are
    [begin_index, end_index), in so many rounds; the last three are 0 before the first
    epoch."""

    num_inputs: int
    num_batches: int
    begin_index: int
    end_index: int
    rounds: int


class Loader:
    """Gives the batches of a session of any kind, epoch by epoch, in ascending index:

        with Source(graph="cora4") as source:
            loader = Loader(source, {"input_nodes": "train", "num_neighbors": [10, 5]})
            loader.start_epoch(0)
            while (batch := loader.next()) is not None:
                x = batch["x"].numpy()

    Args:
      source: where batches are made.
      session: its options (docs/sampling/sessions.md), as a mapping or as JSON.
      rank, world: of `world` trainers that share the batches, this one takes those of
        `rank`: rank, rank + world, ...

    It is closed by `close`, by `with`, when nothing refers to it, and when the program
    ends. Any thread may use it; calls wait for each other, but for `cancel` and `close`.

    Raises:
      InvalidArgument, NotFound: options that are wrong, or do not fit the graph.
      DeadlineExceeded, Unavailable: no server answered within rpc_timeout.
    """

    def __init__(self, source: Source, session: Mapping[str, Any] | str, *, rank: int = 0,
                 world: int = 1):
        text = session if isinstance(session, str) else to_json(dict(session))
        place = whole("rank", rank, 32), whole("world", world, 32)
        library = _library.library()
        source_handle, callback = source._handle, source._callback

        def open_loader() -> Handle:
            pointer = ctypes.c_void_p()
            source_handle.call(library.tributary_loader_open, text.encode(), *place,
                               ctypes.byref(pointer))
            return Handle("loader", pointer, library.tributary_loader_close,
                          cancel=library.tributary_loader_cancel, keeps=callback)

        self._handle = interruptible(open_loader, Handle.close)
        self._handle.close_with(self, at_exit=True)

    def start_epoch(self, epoch: int) -> None:
        """Starts an epoch at its beginning, and asks for its first batches."""
        self._call("start_epoch", whole("epoch", epoch))

    def resume(self, cursor: Mapping[str, Any] | str) -> None:
        """Continues an epoch from what `cursor` returned, with another batch size or number
        of ranks, too.

        Raises:
          FailedPrecondition: a cursor of another graph, list of inputs, order or seed.
        """
        text = cursor if isinstance(cursor, str) else to_json(dict(cursor))
        self._call("resume", text.encode())

    def limit(self, begin: int, end: int) -> None:
        """Restricts the epoch to the batches [begin, end), before its first batch."""
        self._call("limit", whole("begin", begin), whole("end", end))

    def next(self, timeout: float | None = None) -> Batch | None:
        """Returns the next batch of this rank; None at the end of the epoch.

        Waits for at most `timeout` seconds; None: as long as rpc_timeout allows. The wait
        ends by Ctrl-C, `cancel` and `close`. An error stands for one batch, and the next
        call goes on with the batch after it, unless it is Cancelled.

        Raises:
          TimeoutError: the batch is not there yet; the next call takes it.
          FailedPrecondition: batches that are still held fill the receive ring.
          Cancelled: by another thread.
        """
        _dlpack.release_refused()
        pointer = ctypes.c_void_p()
        for milliseconds in _steps(timeout):
            code = self._call("next", milliseconds, ctypes.byref(pointer))
            if code == _library.OK:
                return Batch(pointer)
            if code == _library.END_OF_EPOCH:
                return None
        raise TimeoutError(f"no batch within {timeout} s; the next call takes it")

    def fileno(self) -> int:
        """Returns a descriptor that is ready for reading while the batch is there that
        `next(timeout=0)` has asked for: for selectors and asyncio. It is the loader's."""
        descriptor = ctypes.c_int()
        self._call("descriptor", ctypes.byref(descriptor))
        return descriptor.value

    def sizes(self) -> Sizes:
        """Returns the sizes of an epoch."""
        raw = _library.RawLoaderSizes()
        self._call("get_sizes", ctypes.byref(raw))
        return Sizes(*(getattr(raw, name) for name in Sizes._fields))

    def inputs_in_batch(self, index: int) -> int:
        """Returns the number of inputs of a batch of the current epoch; 0 outside it."""
        inputs = ctypes.c_uint64()
        self._call("inputs_in_batch", whole("index", index), ctypes.byref(inputs))
        return inputs.value

    def schema(self) -> dict[str, Any]:
        """Returns the graph's schema, graph.json (docs/graph-format.md)."""
        return json.loads(self._text("schema"))

    def cursor(self, batches: int) -> dict[str, Any]:
        """Returns how far the epoch is consumed when each rank has consumed `batches` of
        its own since it was started or resumed, for `resume`."""
        return json.loads(self._text("cursor", whole("batches", batches)))

    def statistics(self) -> dict[str, Any]:
        """Returns the counters since the loader was opened: batches, inputs, bytes,
        left_out and compact (bytes of them that servers did not send: rows that this
        process holds, and by compact edges), wire_bytes (bytes of them that servers
        sent), reassigned, hedged, needs, evicted, doubles, waited (seconds), wait_ratio."""
        return json.loads(self._text("statistics"))

    def cancel(self) -> None:
        """Makes the call that waits, and all later ones for batches and epochs, raise
        Cancelled."""
        self._handle.cancel()

    def close(self) -> None:
        """Closes it, and ends a call that another thread is in. Batches that are held stay
        valid. A second time it does nothing."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle.closed()

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def _call(self, name: str, *arguments: Any) -> int:
        return self._handle.call(getattr(_library.library(), "tributary_loader_" + name),
                                 *arguments)

    def _text(self, name: str, *arguments: Any) -> str:
        pointer = ctypes.c_void_p()
        self._call(name, *arguments, ctypes.byref(pointer))
        return _library.take_text(pointer)
