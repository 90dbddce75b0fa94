"""The trainers of a run, and the servers that hold its rows, as DGL's group is."""

from __future__ import annotations

import ctypes
import json
import os
import weakref
from typing import Any, Callable

from . import _library
from ._answer import converter
from ._handle import Handle
from ._interrupt import interruptible
from ._json import to_json
from ._opening import open_source
from ._ranks import place
from ._shared_handle import SharedHandle
from .source import Source, WaitObserver


class ContextHandle(SharedHandle):
    """The handle of a context, which closes those of its tensors, too. Where no thread is in a
    call nothing is cancelled, so that a run of one rank is ended on its servers."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.tensors: weakref.WeakSet[SharedHandle] = weakref.WeakSet()

    def close(self) -> None:
        """See SharedHandle.close."""
        if not self._is_own_process():
            return
        tensors = list(self.tensors)
        if self.busy() or any(tensor.busy() for tensor in tensors):
            super().close()
        for tensor in tensors:
            tensor.close()
        with self._no_caller:
            if not self._callers:
                self._close_after_call = True
                self._close_pointer()
                return
        super().close()


class DistContext:
    """The group of a run's trainers (docs/distributed-data.md):

        with DistContext(servers="file:servers.txt") as context:
            memory = DistTensor(context, "memory", (num_nodes, 64))
            ...
            context.finish()

    Some of its calls, which are marked, are collectives: all ranks make the same ones in the
    same order, and each waits for the others, `timeout` seconds at most.

    Args:
      data: the servers (`file:PATH`, `HOST:PORT,...`, `dns:///NAME:PORT`), a `Fleet`, or an
        open `Source`, which is left open; of one rank also the folder of a partitioned graph.
        Or `servers=LIST`, `graph=FOLDER`.
      rank, world_size: the place of this process. By default those of torch.distributed,
        else torchrun's RANK and WORLD_SIZE, else 0 of 1.
      group_name: the group's name in messages.
      attempt: tells apart the starts of one run: a later start has a larger number, which
        all of its ranks give. 0: rank 0 takes the time of day.
      timeout: the seconds that a call waits, 0.1 to 86400.
      format: "numpy" or "torch": what rows of its tensors are.
      on_wait: see `Source`.
      options: other options of the source (docs/modes.md). `worker_key` names the job: two
        runs that share it end each other.

    Any thread may use it; one at a time is in a collective. It is closed by `close`, by
    `with`, when nothing refers to it, and when the program ends. Opening is a collective.

    Raises:
      InvalidArgument (a ValueError): a wrong option, or several ranks without servers.
      DeadlineExceeded (a TimeoutError): no server answers, or ranks are missing.
    """

    def __init__(self, data: Any = None, *, rank: int | None = None,
                 world_size: int | None = None, group_name: str = "default", attempt: int = 0,
                 timeout: float = 180, format: str = "numpy",
                 on_wait: WaitObserver | None = None, **options: Any):
        self._to_format = converter(format)
        self._format = format
        where = place(rank, world_size)
        self._owns_source = not isinstance(data, Source)
        self.source = open_source("DistContext", data, options, on_wait, where)
        self.rank, self.world_size = where.rank, where.world_size
        try:
            self._handle = self._open({
                "rank": where.rank, "world_size": where.world_size, "group_name": group_name,
                "attempt": _library.whole("attempt", attempt), "timeout": timeout})
        except BaseException:
            self._close_source()
            raise
        self._handle.close_with(self, at_exit=True)

    @property
    def format(self) -> str:
        """What rows are: "numpy" or "torch"."""
        return self._format

    def barrier(self, name: str = "") -> None:
        """Waits for all ranks, which name the same barrier. A collective.

        Raises:
          DeadlineExceeded (a TimeoutError): it names the ranks that have not come.
          InvalidArgument (a ValueError): another rank is at another collective.
        """
        self._call("barrier", name.encode())

    def gather(self, text: str, name: str = "") -> list[str]:
        """Returns the texts of all ranks, by rank; each has at most 64 KiB. A collective."""
        pointer = ctypes.c_void_p()
        self._call("gather", name.encode(), text.encode(), ctypes.byref(pointer))
        return json.loads(_library.take_text(pointer))

    def save(self, folder: str | os.PathLike) -> None:
        """Writes all rows that were ever written, with the state of their optimizers, into a
        folder that rank 0 makes; no rank writes rows meanwhile. A collective.

        Raises:
          AlreadyExists: the folder is there. Others say what could not be written.
        """
        self._call("save", os.fspath(folder).encode())

    def restore(self, folder: str | os.PathLike) -> None:
        """Makes tensors that are opened from now on begin with the rows that `save` wrote,
        where the folder has some of their name; rank 0 reads it. The numbers of ranks,
        servers and partitions may have changed. A collective.

        Raises:
          DataLoss: it names the damaged file.
        """
        self._call("restore", os.fspath(folder).encode())

    def close_round(self) -> None:
        """Closes this rank's round of gradients: once all ranks have, each row that was
        pushed is stepped once. Waits until the servers have what this rank pushed; rows that
        are read later wait for the whole round. All ranks close all rounds."""
        self._call("close_round")

    @property
    def draining(self) -> bool:
        """Whether a server that holds rows wants to end, so that the run should save its rows
        and stop."""
        draining = ctypes.c_int32()
        self._handle.call(_library.library().tributary_context_draining,
                          ctypes.byref(draining))
        return bool(draining.value)

    def finish(self) -> None:
        """Ends the run on the servers once all ranks have called it: tensors that are not
        persistent end. A collective. Without it they end with the next run of the job; those
        of one rank with the context."""
        self._call("finish")

    # ---- Ends --------------------------------------------------------------------------

    def cancel(self) -> None:
        """Makes the calls that wait in other threads, those of its tensors included, and all
        later ones raise Cancelled."""
        self._handle.cancel()

    def close(self) -> None:
        """Closes it and its tensors, ends the calls that other threads are in, and closes the
        source if it was opened for it. A second time it does nothing."""
        self._handle.close()
        self._close_source()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle.closed()

    def __enter__(self) -> DistContext:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"DistContext(rank {self.rank} of {self.world_size})"

    # ---- Calls of the library ----------------------------------------------------------

    def _open(self, options: dict[str, Any]) -> ContextHandle:
        library = _library.library()
        source_handle, callback = self.source._handle, self.source._callback
        text = to_json(options).encode()

        def open_context() -> ContextHandle:
            pointer = ctypes.c_void_p()
            source_handle.call(library.tributary_context_open, text, ctypes.byref(pointer))
            return ContextHandle("context", pointer, library.tributary_context_close,
                                 cancel=library.tributary_context_cancel, keeps=callback)

        return interruptible(open_context, Handle.close)

    def _call(self, name: str, *arguments: Any) -> None:
        function = getattr(_library.library(), "tributary_context_" + name)
        handle = self._handle
        wait(lambda: handle.call(function, *arguments))

    def _close_source(self) -> None:
        if self._owns_source:
            self.source.close()


def wait(call: Callable[[], Any]) -> None:
    """Makes a call, whose end Ctrl-C may keep the caller from waiting for."""
    interruptible(call, lambda _: None)
