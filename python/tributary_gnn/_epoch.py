"""An epoch that is iterated over."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from . import errors
from .batch import Batch
from .loader import Loader

_HINT = ("; with zero_copy=True each array holds its whole batch: let go of batches (del batch) "
         "before the next, copy what you keep (numpy.array, tensor.clone), or use zero_copy=False")


class Epoch(Iterator[Any]):
    """Gives the batches of this rank that are left of an epoch.

    Args:
      loader: which has just begun or resumed it.
      epoch: its number.
      rank, world: which of its batches are this rank's.
      deliver: makes the user's object of a batch, which is closed after that.
    """

    def __init__(self, loader: Loader, epoch: int, rank: int, world: int,
                 deliver: Callable[[Batch], Any]):
        self._loader: Loader | None = loader
        self._first = loader.sizes().begin_index + rank
        self._world = world
        self._deliver = deliver
        self.epoch = epoch
        self.finished = False
        # Of this rank's batches since the epoch was begun or resumed, those up to the last
        # one that was given.
        self.consumed = 0

    def end(self) -> None:
        """Makes later calls fail: the loader goes on with another epoch."""
        self._loader = None

    def __next__(self) -> Any:
        if self.finished:
            raise StopIteration
        if self._loader is None:
            raise errors.FailedPrecondition(
                f"this iterator over epoch {self.epoch} has ended, as another one of its loader "
                "was begun; allowed: one at a time, or a loader for each")
        batch = self._next_batch(self._loader)
        if batch is None:
            self.finished = True
            raise StopIteration
        index = batch.index
        with batch:
            given = self._deliver(batch)
        # By the index: batches whose error was passed over are consumed, too.
        self.consumed = (index - self._first) // self._world + 1
        return given

    def _next_batch(self, loader: Loader) -> Batch | None:
        try:
            return loader.next()
        except errors.FailedPrecondition as error:
            if "still leased" not in str(error):
                raise
            raise errors.FailedPrecondition(str(error) + _HINT) from None
