"""The program `tributary`, run for a function of the package."""

from __future__ import annotations

import collections
import logging
import re
import subprocess
import threading
from typing import Any, Iterable

from . import errors
from ._library import PROGRAM_VARIABLE, program_path

_LAST_LINES = 40
# What users should know of what they gave, as that a column is left out.
_NOTE = ": note: "
_KILL_AFTER_S = 10
_STATUS = re.compile(r"^tributary[\w ]*: ([A-Z_]+): ", re.M)


def program() -> str:
    """Returns the program's path.

    Raises:
      NotFound: it is nowhere.
    """
    path = program_path()
    if path is None:
        raise errors.NotFound("the program `tributary` is not there; allowed: the one in this "
                              f"package, in PATH, or its path in ${PROGRAM_VARIABLE}")
    return path


def flags(options: dict[str, Any]) -> list[str]:
    """Returns options by keyword as flags: num_parts=2, degrees=True and
    edge_masks=["a", "b"] are --num-parts 2 --degrees --edge-masks a,b."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if isinstance(value, (list, tuple)):
            words.append(",".join(map(str, value)))
        elif value is not True:
            words.append(str(value))
    return words


class Lines:
    """The lines of a stream, logged as they come, notes as warnings; the last are kept."""

    def __init__(self, stream: Iterable[str], logger: logging.Logger):
        self._last: collections.deque[str] = collections.deque(maxlen=_LAST_LINES)
        self._thread = threading.Thread(target=self._read, args=(stream, logger), daemon=True)
        self._thread.start()

    def _read(self, stream: Iterable[str], logger: logging.Logger) -> None:
        for line in stream:
            self._last.append(line.rstrip("\n"))
            level = logging.WARNING if _NOTE in line else logging.INFO
            logger.log(level, "%s", self._last[-1])

    def end(self) -> str:
        """Waits for the stream's end, and returns its last lines."""
        self._thread.join()
        return "\n".join(self._last)


def run(command: str, words: list[str], logger: logging.Logger) -> str:
    """Runs `tributary COMMAND WORDS` to its end; returns what it prints on stdout. An
    exception meanwhile, such as KeyboardInterrupt, ends it.

    Raises:
      InvalidArgument, NotFound, ...: the command fails; the text is its own.
    """
    with subprocess.Popen([program(), command, *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace") as process:
        assert process.stdout is not None and process.stderr is not None
        said = Lines(process.stderr, logger)
        try:
            printed = process.stdout.read()
            code = process.wait()
        except BaseException:
            end(process)
            raise
        text = said.end()
    if code == 0:
        return printed
    raise failure(command, code, text)


def failure(command: str, code: int, text: str) -> errors.Error:
    """Returns the exception of a command that ended with `code` and these last lines."""
    if not text:
        return errors.Error(f"tributary {command} ended with {code} and said nothing")
    if code == 2:  # of the command line
        return errors.InvalidArgument(text)
    status = _STATUS.search(text)
    name = "".join(word.capitalize() for word in status[1].split("_")) if status else "Error"
    return getattr(errors, name, errors.Error)(text)


def end(process: subprocess.Popen[str], patience_s: float = _KILL_AFTER_S) -> None:
    """Asks the process to end, and kills it after `patience_s`."""
    process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
