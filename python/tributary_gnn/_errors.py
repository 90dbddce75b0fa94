"""The exceptions of the package: one class for each status code."""

from __future__ import annotations


class TributaryError(Exception):
    """An error of the client or of the servers. Its text says what is wrong,
    where, and what is allowed."""


class Cancelled(TributaryError):
    """The loader was cancelled or closed while it was waited for."""


class InvalidArgument(TributaryError, ValueError):
    """An option, or options that do not go together."""


class DeadlineExceeded(TributaryError, TimeoutError):
    """No server made the batch within `rpc_timeout`; the text says why."""


class NotFound(TributaryError, LookupError):
    """A graph, split or tensor that is not there."""


class PermissionDenied(TributaryError, PermissionError):
    """The servers' policy refuses the call."""


class ResourceExhausted(TributaryError, MemoryError):
    """A batch does not fit the receive ring, or batches that are kept fill it."""


class FailedPrecondition(TributaryError, RuntimeError):
    """A handle of another process or in use by another thread, or a graph that
    lacks what is asked for."""


class OutOfRange(TributaryError, IndexError):
    """An epoch, batch or id that there is not."""


class Unavailable(TributaryError, ConnectionError):
    """No server can be reached; the text names them."""


class DataLoss(TributaryError, OSError):
    """Bytes of the graph or of a message are damaged."""


class Unauthenticated(TributaryError, PermissionError):
    """A certificate is missing or not accepted."""


# Codes of Abseil and gRPC, as tributary.h has them.
BY_CODE: dict[int, type[TributaryError]] = {
    1: Cancelled,
    3: InvalidArgument,
    4: DeadlineExceeded,
    5: NotFound,
    7: PermissionDenied,
    8: ResourceExhausted,
    9: FailedPrecondition,
    11: OutOfRange,
    14: Unavailable,
    15: DataLoss,
    16: Unauthenticated,
}
