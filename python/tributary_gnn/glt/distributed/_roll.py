"""Which servers and clients of a group have come, and how it ends: without network or time."""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple

_ADDRESS = re.compile(r"[^\s,]{1,300}")
# Of clients whose number is not fixed.
_MOST_CLIENTS = 1 << 16


class Member(NamedTuple):
    """`role` is "server" or "client"."""

    role: str
    rank: int

    def __str__(self) -> str:
        return f"{self.role} {self.rank}"


class Roll:
    """The members of a group of `num_servers` servers and `num_clients` clients; None: any
    number of these, at any time.

    The group is complete once all have come. It ends well when all clients are done, or, where
    their number is not fixed, client 0 is and no other is there. It fails when a client ends
    without being done, or anyone before it is complete; a server that ends later is missed by
    the clients, if it is.

    `verdict` is None before the end, "" after a good one, else what went wrong.
    """

    def __init__(self, num_servers: int, num_clients: int | None):
        self._sizes = {"server": num_servers, "client": num_clients}
        self._addresses: dict[int, str] = {}
        self._there: set[Member] = set()
        self._done: set[Member] = set()
        self.verdict: str | None = None

    def join(self, hello: Any) -> Member:
        """Adds the member that says so: role, rank, num_servers, num_clients, address.

        Raises:
          ValueError: it is no member of this group.
        """
        if not isinstance(hello, Mapping) or hello.get("role") not in self._sizes:
            raise ValueError("what connects is no server or client of a group")
        member = Member(hello["role"], hello.get("rank", -1))
        for role, size in self._sizes.items():
            if size is not None and hello.get(f"num_{role}s") != size:
                raise ValueError(f"{member} says num_{role}s={hello.get(f'num_{role}s')!r}, and "
                                 f"server 0 {size}; allowed: the same of all")
        most = self._sizes[member.role] or _MOST_CLIENTS
        if not isinstance(member.rank, int) or not 0 <= member.rank < most:
            raise ValueError(f"{member.role}_rank is {member.rank!r}; allowed: 0 to {most - 1}")
        if member in self._there | self._done:
            raise ValueError(f"{member} is there already; allowed: each rank once")
        if member.role == "server":
            address = hello.get("address")
            if not isinstance(address, str) or not _ADDRESS.fullmatch(address):
                raise ValueError(f"{member} says no address")
            self._addresses[member.rank] = address
        self._there.add(member)
        return member

    def leave(self, member: Member, done: bool) -> None:
        """Removes a member whose connection has ended, after it said that it is done or not."""
        self._there.discard(member)
        if member.role == "client" and done:
            self._done.add(member)
        if self.verdict is not None:
            return
        if member.role == "client" and not done:
            self.verdict = f"{member} ended without shutdown_client()"
        elif not self.complete:
            self.verdict = f"{member} ended before all had come; missing: {self.missing()}"
        elif member.role == "client" and self._all_done():
            self.verdict = ""

    def give_up(self, seconds: float) -> None:
        """Fails the group if it is not complete; `seconds` were there to come."""
        if self.verdict is None and not self.complete:
            self.verdict = f"not all have come within {seconds:g} s; missing: {self.missing()}"

    @property
    def complete(self) -> bool:
        """Whether all have come."""
        return not self.missing()

    @property
    def addresses(self) -> list[str]:
        """Those of the servers, by rank, once all have come."""
        return [self._addresses[rank] for rank in sorted(self._addresses)]

    def missing(self) -> str:
        """Returns the members that have not come."""
        come = self._there | self._done | {Member("server", rank) for rank in self._addresses}
        return ", ".join(str(member) for role, size in self._sizes.items()
                         for member in (Member(role, rank) for rank in range(size or 0))
                         if member not in come)

    def _all_done(self) -> bool:
        wanted = self._sizes["client"]
        if wanted is not None:
            return len(self._done) == wanted
        there = any(member.role == "client" for member in self._there)
        return Member("client", 0) in self._done and not there
