"""Handles of the C library that several threads may call at the same time."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable

from . import errors
from ._handle import NO_ERRORS, Handle
from ._library import last_error


class SharedHandle(Handle):
    """A handle whose calls do not exclude each other. close() cancels those that other
    threads are in, and waits for their ends; without `cancel` the last of them closes it."""

    def __init__(self, what: str, pointer: ctypes.c_void_p, close: Callable[[Any], None],
                 cancel: Callable[[Any], int] | None, keeps: Any = None):
        super().__init__(what, pointer, close, cancel, keeps)
        self._callers: list[int] = []  # threads, each once for each of its calls
        self._no_caller = threading.Condition(threading.RLock())

    def call(self, function: Callable[..., int], *arguments: Any) -> int:
        """See Handle.call."""
        pointer = self._enter()
        try:
            code = function(pointer, *arguments)
            if code in NO_ERRORS:
                return code
            raise last_error(code)
        finally:
            self._leave()

    def close(self) -> None:
        """Cancels, waits for the calls of other threads, and closes. Again: nothing. Where
        the garbage collector closes it in a call of this thread, that call closes it."""
        if not self._is_own_process():
            return
        self.cancel()
        with self._no_caller:
            self._close_after_call = True
            if threading.get_ident() in self._callers or (self._callers and not self._cancel):
                return
            while self._callers:
                self._no_caller.wait()
            self._close_pointer()

    def busy(self) -> bool:
        """Whether a thread is in a call."""
        return bool(self._callers)

    def _enter(self) -> ctypes.c_void_p:
        with self._excluding(self._no_caller):
            if self._close_after_call:
                raise errors.FailedPrecondition(f"the {self._what} is closed")
            pointer = self._open_pointer()
            self._callers.append(threading.get_ident())
            return pointer

    def _leave(self) -> None:
        with self._excluding(self._no_caller):
            self._callers.remove(threading.get_ident())
            if not self._callers and self._is_own_process():
                self._no_caller.notify_all()
                if self._close_after_call:
                    self._close_pointer()
