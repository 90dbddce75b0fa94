"""Calls that wait for long, and that Ctrl-C is to end.

Python runs the handlers of signals in its main thread, between two instructions, so not
while that thread is in a function of a library.
"""

from __future__ import annotations

import functools
import os
import queue
import threading
from typing import Callable, Generic, TypeVar, cast

T = TypeVar("T")

# How long a thread waits for its next call, and how many wait: starting one costs as much
# as reading some hundred KB of rows.
_IDLE_S, _MOST_IDLE = 2.0, 4


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


class _Caller(threading.Thread):
    """Makes calls for the main thread, one after the other."""

    def __init__(self) -> None:
        super().__init__(name="tributary-call", daemon=True)
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def make(self, call: Callable[[], None]) -> None:
        """Makes a call, which raises nothing."""
        self._calls.put(call)

    def run(self) -> None:
        while True:
            try:
                call = self._calls.get(timeout=_IDLE_S)
            except queue.Empty:
                with _lock:
                    if self not in _idle:
                        continue  # a call is on its way
                    _idle.remove(self)
                return
            call()
            del call  # and what it holds
            with _lock:
                if len(_idle) >= _MOST_IDLE:
                    return
                _idle.append(self)


_idle: list[_Caller] = []
_lock = threading.Lock()


def _forget_callers() -> None:
    """A child of fork() has none of its parent's threads."""
    global _lock  # pylint: disable=global-statement
    _idle.clear()
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_callers)


def _caller() -> _Caller:
    with _lock:
        if _idle:
            return _idle.pop()
    caller = _Caller()
    caller.start()
    return caller


def interruptible(work: Callable[[], T], discard: Callable[[T], None]) -> T:
    """Returns what `work` returns, or raises what it raises.

    In the main thread the work is done by another one, so that a signal's handler can end
    the wait by an exception. Then the work goes on, and `discard` gets its result.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    result: _Result[T] = _Result(discard)
    _caller().make(functools.partial(result.run, work))
    try:
        result.done.wait()
    except BaseException:
        result.abandon()
        raise
    if result.error is not None:
        raise result.error
    return cast(T, result.value)
