"""Calls that wait for long, and that Ctrl-C is to end.

Python runs the handlers of signals in its main thread, between two instructions, so not
while that thread is in a function of a library.
"""

from __future__ import annotations

import threading
from typing import Callable, Generic, TypeVar, cast

T = TypeVar("T")


class _Result(Generic[T]):
    """What a call gave, if somebody still waits for it."""

    def __init__(self, discard: Callable[[T], None]):
        self._discard = discard
        self._lock = threading.Lock()
        self._abandoned = False
        self.done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None

    def set(self, value: T) -> None:
        with self._lock:
            self.value = value
            self.done.set()
            abandoned = self._abandoned
        if abandoned:
            self._discard(value)

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            arrived = self.done.is_set() and self.error is None
        if arrived:
            self._discard(cast(T, self.value))

    def run(self, work: Callable[[], T]) -> None:
        try:
            value = work()
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error
            self.done.set()
        else:
            self.set(value)


def interruptible(work: Callable[[], T], discard: Callable[[T], None]) -> T:
    """Returns what `work` returns, or raises what it raises.

    In the main thread the work is done by another one, so that a signal's handler can end
    the wait by an exception. Then the work goes on, and `discard` gets its result.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    result: _Result[T] = _Result(discard)
    threading.Thread(target=result.run, args=(work,), name="tributary-open", daemon=True).start()
    try:
        result.done.wait()
    except BaseException:
        result.abandon()
        raise
    if result.error is not None:
        raise result.error
    return cast(T, result.value)
