"""Calls that wait for long, and that Ctrl-C is to end.

Python runs the handlers of signals in its main thread, between two instructions, so not
while that thread is in a function of a library.
"""

from __future__ import annotations

import collections
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
    """What a call gave, if somebody still waits for it. A lock is waited for and not an Event,
    whose own locks an exception of a signal's handler may leave in disorder."""

    def __init__(self, discard: Callable[[T], None]):
        self._discard = discard
        self._lock = threading.Lock()
        self._abandoned = self._arrived = False
        self._running = threading.Lock()
        self._running.acquire()  # pylint: disable=consider-using-with
        self._value: T | None = None
        self._error: BaseException | None = None

    def run(self, work: Callable[[], T]) -> None:
        """Makes the call, and keeps what it gives."""
        try:
            value = work()
        except BaseException as error:  # pylint: disable=broad-except
            self._error = error
        else:
            self._set(value)
        self._running.release()

    def wait(self) -> T:
        """Waits for the call, once."""
        self._running.acquire()  # pylint: disable=consider-using-with
        if self._error is not None:
            raise self._error
        return cast(T, self._value)

    def abandon(self) -> None:
        """Gives the value away, now or when it arrives."""
        with self._lock:
            self._abandoned = True
            arrived = self._arrived
        if arrived:
            self._discard(cast(T, self._value))

    def _set(self, value: T) -> None:
        with self._lock:
            self._value = value
            self._arrived = True
            abandoned = self._abandoned
        if abandoned:
            self._discard(value)


class _Caller(threading.Thread):
    """Makes calls for the main thread, one after the other, and ends when none has come for a
    while. Nothing here takes a lock: a signal's handler may call at any instruction of the
    main thread, and may end it by an exception there."""

    def __init__(self) -> None:
        super().__init__(name="tributary-call", daemon=True)
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ending = False

    def make(self, call: Callable[[], None]) -> bool:
        """Makes a call, which raises nothing; false: the thread is ending, and will not."""
        self._calls.put(call)
        if not self._ending:
            return True
        try:
            self._calls.get_nowait()
        except queue.Empty:
            return True  # it has seen it yet
        return False

    def run(self) -> None:
        while (call := self._next()) is not None:
            call()
            del call  # and what it holds
            if len(_idle) >= _MOST_IDLE:
                self._ending = True
                return
            _idle.append(self)

    def _next(self) -> Callable[[], None] | None:
        alone = False  # it is in no list, and no call came in the wait before
        while True:
            try:
                return self._calls.get(timeout=_IDLE_S)
            except queue.Empty:
                pass
            try:
                _idle.remove(self)
                alone = True  # nobody can take it any more
            except ValueError:
                if not alone:  # a call is on its way, or the main thread has dropped it
                    alone = True
                    continue
            self._ending = True
            try:
                return self._calls.get_nowait()
            except queue.Empty:
                return None


_idle: collections.deque[_Caller] = collections.deque()

# A child of fork() has none of its parent's threads.
os.register_at_fork(after_in_child=_idle.clear)


def _make(call: Callable[[], None]) -> None:
    """Makes a call, which raises nothing, by another thread."""
    while True:
        try:
            caller = _idle.pop()
        except IndexError:
            caller = _Caller()
            caller.start()
        if caller.make(call):
            return


class Started(Generic[T]):
    """A call that another thread makes."""

    def __init__(self, work: Callable[[], T], discard: Callable[[T], None]):
        self._result: _Result[T] = _Result(discard)
        _make(functools.partial(self._result.run, work))

    def result(self) -> T:
        """Waits for what the call returns, or raises what it raises. An exception of a
        signal's handler ends the wait, and abandons the call."""
        try:
            return self._result.wait()
        except BaseException:
            self.abandon()  # it does nothing where the call has failed
            raise

    def abandon(self) -> None:
        """Leaves the call alone: it goes on, and `discard` gets what it returns."""
        self._result.abandon()


def interruptible(work: Callable[[], T], discard: Callable[[T], None]) -> T:
    """Returns what `work` returns, or raises what it raises.

    In the main thread the work is done by another one, so that a signal's handler can end
    the wait by an exception. Then the work goes on, and `discard` gets its result.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    return Started(work, discard).result()
