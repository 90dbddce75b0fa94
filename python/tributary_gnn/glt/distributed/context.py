"""Which process of which group this one is."""

from __future__ import annotations

import dataclasses
import enum


class DistRole(enum.Enum):
    """What a process is in its group."""

    WORKER = 1
    SERVER = 2
    CLIENT = 3


_GROUPS = {DistRole.WORKER: "_default_worker", DistRole.SERVER: "_default_server",
           DistRole.CLIENT: "_default_client"}


@dataclasses.dataclass
class DistContext:
    """The place of this process among those of its role, and among all.

    role: DistRole.WORKER, SERVER or CLIENT.
    group_name: the name of the processes of this role.
    world_size, rank: their number, and which of them this is.
    global_world_size, global_rank: the same over all roles, servers first.

    Raises:
      ValueError: a rank that is not below its world size.
    """

    role: DistRole
    group_name: str
    world_size: int
    rank: int
    global_world_size: int
    global_rank: int

    def __post_init__(self) -> None:
        if not 0 <= self.rank < self.world_size:
            raise ValueError(f"rank is {self.rank} and world size {self.world_size}; allowed: a "
                             "rank of 0 to world size - 1")

    def is_worker(self) -> bool:
        """Whether it samples and trains."""
        return self.role is DistRole.WORKER

    def is_server(self) -> bool:
        """Whether it serves batches."""
        return self.role is DistRole.SERVER

    def is_client(self) -> bool:
        """Whether it trains with batches of servers."""
        return self.role is DistRole.CLIENT

    def num_servers(self) -> int:
        """Returns the number of servers; 0 in a group of workers."""
        if self.is_client():
            return self.global_world_size - self.world_size
        return self.world_size if self.is_server() else 0

    def num_clients(self) -> int:
        """Returns the number of clients; 0 in a group of workers, and of servers whose
        number of clients is not fixed."""
        if self.is_server():
            return self.global_world_size - self.world_size
        return self.world_size if self.is_client() else 0

    @property
    def worker_name(self) -> str:
        """The name of the group and the rank in it."""
        return f"{self.group_name}-{self.rank}"


_context: DistContext | None = None
_servers = ""


def get_context() -> DistContext | None:
    """Returns what init_worker_group, init_server or init_client has made of this process;
    None before."""
    return _context


def servers() -> str:
    """Returns the servers that this client has found, as loaders take them; "" before."""
    return _servers


def set_context(role: DistRole, name: str | None, sizes: tuple[int, int], rank: int,
                found: str = "") -> None:
    """Makes this process number `rank` of its role. `sizes` are the numbers of processes of
    this role and of the other one; `found` is what servers() returns."""
    global _context, _servers  # pylint: disable=global-statement
    _servers = found
    first = sizes[1] if role is DistRole.CLIENT else 0
    _context = DistContext(role, name or _GROUPS[role], sizes[0], rank, sum(sizes), first + rank)


def init_worker_group(world_size: int, rank: int, group_name: str | None = None) -> None:
    """Makes this process number `rank` of `world_size` that sample and train. They need not
    meet: nothing is opened.

    Raises:
      ValueError: a rank that is not below world_size.
    """
    set_context(DistRole.WORKER, group_name, (world_size, 0), rank)
