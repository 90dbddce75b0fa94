"""The lines that the C library logs."""

from __future__ import annotations

import atexit
import ctypes
import logging
from typing import Any

from . import _library
from ._handle import in_callback

# By the library's level: debug, info, warning, error; 4 is off.
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)
_OFF = len(_LEVELS)

_callback: Any = None  # what the library calls


def log_to(logger: logging.Logger | None, level: int = logging.WARNING) -> None:
    """Passes the library's lines from `level` (logging.INFO, ...) on to a logger of Python's
    logging, or to stderr if it is None. Initially warnings and errors go to stderr.

    It holds for the whole process. Handlers run on the library's threads, and must call
    nothing of this package. When the program ends, lines go to stderr again.
    """
    global _callback  # pylint: disable=global-statement
    callback = None if logger is None else _library.LogCallback(_passing_to(logger))
    library = _library.library()
    _library.check(library.tributary_set_log(
        _level_of(level), ctypes.cast(callback, ctypes.c_void_p) if callback else None, None))
    # No thread is in the one before any more.
    if callback is not None:
        atexit.register(_back_to_stderr)
    _callback = callback


def _level_of(level: int) -> int:
    return next((number for number, of_python in enumerate(_LEVELS) if level <= of_python), _OFF)


def _passing_to(logger: logging.Logger) -> Any:
    def call(_context: Any, level: int, line: bytes) -> None:
        with in_callback():
            logger.log(_LEVELS[level], "%s", line.decode(errors="replace"))

    return call


def _back_to_stderr() -> None:
    atexit.unregister(_back_to_stderr)
    log_to(None)
