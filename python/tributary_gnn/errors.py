"""Exceptions, one for each status of the C library (Abseil's and gRPC's codes).

Each is an `Error`, and also the built-in exception that Python code expects: a wrong
option is a ValueError, a wait that took too long a TimeoutError. The text says what is
wrong, where, and what is allowed.
"""

from __future__ import annotations


class Error(Exception):
    """Base of all exceptions of this package. `code` is the status of the C library."""

    code = 2

    # KeyError's own would quote the text.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class LibraryMissing(Error, ImportError):
    """libtributary.so is not there, cannot be loaded, or is of another version."""


class Cancelled(Error, RuntimeError):
    """The loader was cancelled or closed while it waited."""

    code = 1


class Unknown(Error, RuntimeError):
    """An error without a code of its own."""


class InvalidArgument(Error, ValueError):
    """An option, or options together, that are refused."""

    code = 3


class DeadlineExceeded(Error, TimeoutError):
    """What was waited for did not come within rpc_timeout."""

    code = 4


class NotFound(Error, KeyError):
    """No such graph, split, file or tensor."""

    code = 5


class AlreadyExists(Error, RuntimeError):
    """What was to be made is there."""

    code = 6


class PermissionDenied(Error, PermissionError):
    """The certificate or the servers' policy does not allow it."""

    code = 7


class ResourceExhausted(Error, RuntimeError):
    """Memory, descriptors or a server's budget are used up."""

    code = 8


class FailedPrecondition(Error, RuntimeError):
    """Not in this state: a closed loader, a cursor of another graph, batches that are
    kept until they fill the receive ring, a handle of the parent process."""

    code = 9


class Aborted(Error, RuntimeError):
    """What was begun was given up, such as a run that another one replaced."""

    code = 10


class OutOfRange(Error, IndexError):
    """A number beyond the end."""

    code = 11


class Unimplemented(Error, NotImplementedError):
    """Servers or this version do not have it."""

    code = 12


class Internal(Error, RuntimeError):
    """A fault of Tributary itself."""

    code = 13


class Unavailable(Error, ConnectionError):
    """No server that could answer was reached."""

    code = 14


class DataLoss(Error, RuntimeError):
    """Bytes that are damaged or missing."""

    code = 15


class Unauthenticated(Error, PermissionError):
    """The other end's certificate, or this one's, was not accepted."""

    code = 16


BY_CODE: dict[int, type[Error]] = {
    kind.code: kind
    for kind in (
        Cancelled, Unknown, InvalidArgument, DeadlineExceeded, NotFound, AlreadyExists,
        PermissionDenied, ResourceExhausted, FailedPrecondition, Aborted, OutOfRange,
        Unimplemented, Internal, Unavailable, DataLoss, Unauthenticated,
    )
}


def of_code(code: int, text: str) -> Error:
    """Returns the exception for a status of the C library."""
    return BY_CODE.get(code, Unknown)(text)
