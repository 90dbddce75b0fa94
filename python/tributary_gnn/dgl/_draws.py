"""The keys of sampling calls: DGL's have none, ours are functions of one."""

from __future__ import annotations

import threading
from typing import NamedTuple

import torch

from .._ranks import place

# A call takes an index for each 65,536 of its nodes. So many are kept for it, and so many for
# the calls of a batch: those of more nodes, or of more calls, share keys with others.
_CALLS = 1 << 10
_STEPS = 1 << 20
# Between the seeds of ranks, which make batches of other nodes with the same numbers.
_RANKS = 0x9E3779B97F4A7C15


class Key(NamedTuple):
    """What equal draws have in common."""

    random_seed: int
    number: int


class _State(threading.local):
    """The batch that this thread makes, and how many calls it has made for it."""

    batch: int | None = None
    calls: int = 0


_state = _State()
_lock = threading.Lock()
_calls_outside = 0
_seed: int | None = None


def seed(value: int) -> None:
    """Sets the seed of all draws of this process, as DGL's. By default it is that of torch
    (torch.manual_seed), else a random one."""
    global _seed, _calls_outside  # pylint: disable=global-statement
    with _lock:
        _seed, _calls_outside = value, 0


def random_seed() -> int:
    """Returns the seed of this rank's draws; rank 0 has the one that was set."""
    own = torch.initial_seed() if _seed is None else _seed
    return (own + place(None, None).rank * _RANKS) % (1 << 63)


def next_key() -> Key:
    """Returns the key of this thread's next sampling call. Within `batch` it is a function of
    the batch and of the number of calls before it."""
    global _calls_outside  # pylint: disable=global-statement
    if _state.batch is None:
        with _lock:
            _calls_outside += 1
            return Key(random_seed(), _calls_outside * _CALLS % (1 << 62))
    _state.calls += 1
    number = _state.batch * _STEPS + _state.calls * _CALLS
    return Key(random_seed(), (1 << 62) + number % (1 << 62))


class batch:  # pylint: disable=invalid-name
    """Within it this thread's calls have the keys of a batch."""

    def __init__(self, number: int):
        self._number = number

    def __enter__(self) -> None:
        _state.batch, _state.calls = self._number, 0

    def __exit__(self, *unused: object) -> None:
        _state.batch = None
