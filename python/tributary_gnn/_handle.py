"""Handles of the C library: who may use them, and how they are closed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import weakref
from typing import Any, Callable, Iterator

from . import errors
from ._library import END_OF_EPOCH, NOT_YET, OK, last_error

NO_ERRORS = (OK, NOT_YET, END_OF_EPOCH)
_thread = threading.local()


@contextlib.contextmanager
def in_callback() -> Iterator[None]:
    """Marks that this thread is one of the library's and runs a callback."""
    before = getattr(_thread, "in_callback", False)
    _thread.in_callback = True
    try:
        yield
    finally:
        _thread.in_callback = before


class Handle:
    """A pointer of the library, closed once, and by the process that opened it.

    Calls on it exclude each other, so that none meets a pointer that close() has freed.
    `cancel` ends the call that another thread is in; a handle without it is closed at the
    end of that call. `keeps` lives until it is closed.
    In a child of fork() nothing is locked, as the threads that hold the locks are not
    there: the library refuses the pointer by name, and closing it does nothing.
    """

    def __init__(self, what: str, pointer: ctypes.c_void_p, close: Callable[[Any], None],
                 cancel: Callable[[Any], int] | None = None, keeps: Any = None):
        self._what = what
        self._pointer: ctypes.c_void_p | None = pointer
        self._close = close
        self._cancel = cancel
        self._keeps = keeps
        self._pid = os.getpid()
        self._close_after_call = False
        # Reentrant: a signal's handler may close what it interrupts.
        self._one_call = threading.RLock()
        self._changes = threading.RLock()

    def call(self, function: Callable[..., int], *arguments: Any) -> int:
        """Calls `function` with the pointer and the arguments. Returns OK, NOT_YET or
        END_OF_EPOCH; raises the exception of another status."""
        try:
            with self._excluding(self._one_call):
                code = function(self._open_pointer(), *arguments)
                if code in NO_ERRORS:
                    return code
                raise last_error(code)
        finally:
            if self._close_after_call:
                self.close()

    def cancel(self) -> None:
        """Ends the call that another thread is in, and all later ones. Any thread."""
        with self._excluding(self._changes):
            if self._pointer is not None and self._cancel is not None:
                self._cancel(self._pointer)

    def close(self) -> None:
        """Cancels, waits for the call that another thread is in, and closes. Again: nothing."""
        if not self._is_own_process():
            return
        self.cancel()
        self._close_after_call = True  # first: the call may end at this instant
        if not self._one_call.acquire(blocking=self._cancel is not None):
            return
        try:
            self._close_pointer()
        finally:
            self._one_call.release()

    def closed(self) -> bool:
        """Whether close() was called."""
        return self._pointer is None

    def close_with(self, owner: Any, at_exit: bool) -> None:
        """Closes the handle when `owner` is no longer referred to, or the program ends."""
        weakref.finalize(owner, _close_safely, self).atexit = at_exit

    def _is_own_process(self) -> bool:
        return os.getpid() == self._pid

    def _excluding(self, lock: Any) -> Any:
        return lock if self._is_own_process() else contextlib.nullcontext()

    def _close_pointer(self) -> None:
        with self._changes:
            pointer, self._pointer = self._pointer, None
        if pointer is not None:
            self._close(pointer)
            self._keeps = None

    def _open_pointer(self) -> ctypes.c_void_p:
        if self._pointer is None:
            raise errors.FailedPrecondition(f"the {self._what} is closed")
        return self._pointer


def _close_safely(handle: Handle) -> None:
    """Closes it, on another thread where this is one of the library's, in a callback: the
    garbage collector may run there, and the library must not wait for its own thread."""
    if getattr(_thread, "in_callback", False):
        threading.Thread(target=handle.close, name="tributary-close").start()
    else:
        handle.close()
