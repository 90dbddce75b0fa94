"""How the servers and clients of a group find each other, and see each other end: each keeps a
connection to server 0, by lines of JSON. They say nothing of the graph."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from typing import Any

from ... import errors
from ._roll import Member, Roll

_HELLO_S = 10  # for a connection to say who it is
_RETRY_S = 0.2
# How much longer members wait than server 0, which knows who is missing.
_LATER_S = 5
_STRANGERS = 64  # connections of others than members, at once
_IDLE_S, _INTERVAL_S, _PROBES = 30, 10, 3  # a machine that has gone is noticed after a minute


def _watch(connection: socket.socket) -> None:
    """Makes the end of the machine at the other end the end of the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in ((socket.TCP_KEEPIDLE, _IDLE_S), (socket.TCP_KEEPINTVL, _INTERVAL_S),
                          (socket.TCP_KEEPCNT, _PROBES)):
        connection.setsockopt(socket.IPPROTO_TCP, option, value)


class Hub:
    """Server 0's end: a thread that tells all members the servers once the group is complete,
    and the servers its end.

    Args:
      address: where it listens.
      roll: the group, which it changes.
      timeout: seconds within which all must come.

    Raises:
      Unavailable: it cannot listen there.
    """

    def __init__(self, address: tuple[str, int], roll: Roll, timeout: float):
        try:
            family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
            self._socket = socket.create_server(address, family=family)
        except OSError as error:
            raise errors.Unavailable(f"server 0 cannot listen at {address[0]}:{address[1]}, its "
                                     f"master_addr and master_port: {error.strerror}") from None
        self._roll = roll
        self._timeout = timeout
        self._members: dict[Member, asyncio.StreamWriter] = {}
        self._told: set[Member] = set()  # the servers
        self._strangers = 0
        self._loop = asyncio.new_event_loop()
        self._listens = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tributary-hub", daemon=True)
        self._thread.start()
        self._listens.wait()

    def close(self) -> None:
        """Ends it, and all connections."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, sock=self._socket))
        self._loop.call_later(self._timeout, self._give_up)
        self._listens.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0))  # connections close
        self._loop.close()

    def _give_up(self) -> None:
        self._roll.give_up(self._timeout)
        self._tell_end()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            member = await self._meet(reader, writer)
            if member is not None:
                await self._attend(member, reader)
        finally:
            writer.close()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
                    ) -> Member | None:
        """Returns the member that has come, or None."""
        self._strangers += 1
        try:
            if self._strangers > _STRANGERS:
                return None
            _watch(writer.get_extra_info("socket"))
            line = await asyncio.wait_for(reader.readline(), _HELLO_S)
            member = self._roll.join(json.loads(line))
        except (ValueError, RecursionError) as error:  # JSON's, and of a line too long, too
            _tell(writer, refused=str(error))
            return None
        except (OSError, asyncio.TimeoutError):
            return None
        finally:
            self._strangers -= 1
        self._members[member] = writer
        if self._roll.complete and self._roll.verdict is None:
            for other in set(self._members) - self._told:
                _tell(self._members[other], servers=self._roll.addresses)
                self._told.add(other)
        self._tell_end()
        return member

    async def _attend(self, member: Member, reader: asyncio.StreamReader) -> None:
        """Waits for the end of its connection."""
        try:
            done = (await reader.readline()).strip() == b"done"
        except (OSError, ValueError):
            done = False
        del self._members[member]
        self._roll.leave(member, done)
        self._tell_end()

    def _tell_end(self) -> None:
        if self._roll.verdict is not None:
            for writer in self._members.values():
                _tell(writer, end=self._roll.verdict)


def _tell(writer: asyncio.StreamWriter, **what: Any) -> None:
    if not writer.is_closing():
        writer.write(json.dumps(what).encode() + b"\n")


class Connection:
    """A member's end. It is closed by close(), and with the process.

    Args:
      address: master_addr and master_port.
      deadline: of time.monotonic(), for all to have come.

    Raises:
      DeadlineExceeded: server 0 is not there.
    """

    def __init__(self, address: tuple[str, int], deadline: float):
        self._where = f"{address[0]}:{address[1]}"
        self._deadline = deadline
        self._socket = self._connect(address)
        _watch(self._socket)
        # The address of this machine on the way to server 0.
        self.host: str = self._socket.getsockname()[0]
        self._lines = self._socket.makefile("rb")

    def _connect(self, address: tuple[str, int]) -> socket.socket:
        while True:
            left = self._deadline - time.monotonic()
            try:
                return socket.create_connection(address, timeout=max(left, _RETRY_S))
            except OSError as error:
                if left <= 0:
                    raise errors.DeadlineExceeded(
                        f"server 0 is not at {self._where}, master_addr and master_port: "
                        f"{error}") from None
            time.sleep(_RETRY_S)

    def meet(self, **hello: Any) -> list[str]:
        """Says who this is, and returns the addresses of the servers once all have come.

        Raises:
          InvalidArgument: it is no member of the group.
          Aborted: a member ended meanwhile, or not all have come in time.
        """
        self._send(json.dumps(hello).encode())
        self._socket.settimeout(max(0, self._deadline - time.monotonic()) + _LATER_S)
        told = self.read()
        self._socket.settimeout(None)
        if "servers" in told:
            return told["servers"]
        if "refused" in told:
            raise errors.InvalidArgument(told["refused"])
        raise errors.Aborted(f"the group at {self._where} has failed: {told['end']}")

    def read(self) -> dict[str, Any]:
        """Returns the next line of server 0; the end of the connection is an end, too."""
        try:
            line = self._lines.readline()
        except OSError:
            line = b""
        return json.loads(line) if line else {"end": f"server 0 at {self._where} has ended"}

    def say_done(self) -> bool:
        """Says that this client is done. Returns whether server 0 is still there."""
        try:
            self._send(b"done")
        except OSError:
            return False
        return True

    def _send(self, line: bytes) -> None:
        self._socket.sendall(line + b"\n")

    def fileno(self) -> int:
        """The descriptor that is ready for reading when read() does not wait."""
        return self._socket.fileno()

    def close(self) -> None:
        """Closes it; a second time it does nothing."""
        self._lines.close()
        self._socket.close()
