"""Processes that are stopped, and clients that stop amid their batches."""

import contextlib
import re
import select
import signal
import socket
import threading

from tests.e2e import processes

# More than once round the inputs: the batches are more than sockets hold.
INPUTS = ",".join(map(str, range(2708)))
MANY_INPUTS = ",".join([INPUTS] * 4)


def active(metrics):
    """Batches that are queued, being made or sent, in the text of /metrics."""
    return float(re.search(r"^tributary_batches_active ([0-9.e+]+)$", metrics,
                           re.M).group(1))


def freeze(process):
    process.send(signal.SIGSTOP)
    processes.until(lambda: processes.state_of(process.pid) == "T")


class StoppedClients:
    """Clients of `server`, when they call `address`, that stop reading.

    A relay: what clients send goes through; of what the server sends, `limit`
    bytes do, and then nothing more is read of it, as if they were frozen.
    """

    def __init__(self, server, limit=1 << 20):
        host, port = server.address.rsplit(":", 1)
        self._server = (host, int(port))
        self._left = limit
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self._waker, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *unused):
        self._waker.close()
        self._thread.join()
        self._woken.close()
        self._listener.close()

    def stopped(self):
        return self._left <= 0

    def _run(self):
        others = {}  # of each end, the other end
        upstream = set()
        with contextlib.ExitStack() as opened:
            while True:
                reads = [self._woken, self._listener, *others]
                if self.stopped():
                    reads = [end for end in reads if end not in upstream]
                for end in select.select(reads, [], [])[0]:
                    if end is self._woken:
                        return
                    if end is self._listener:
                        client = opened.enter_context(end.accept()[0])
                        server = opened.enter_context(socket.socket())
                        # What the system holds for it is little beside a batch.
                        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                                          65536)
                        if server.connect_ex(self._server) != 0:
                            client.close()  # the server takes no more
                            continue
                        upstream.add(server)
                        others[client], others[server] = server, client
                    elif end in others:
                        self._pass_on(end, others, end in upstream)

    def _pass_on(self, end, others, of_server):
        other = others[end]
        try:
            piece = end.recv(65536)
            if piece:
                other.sendall(piece)
        except OSError:  # one of both is gone: so is the other, then
            piece = b""
        if of_server:
            self._left -= len(piece)
        if not piece:
            for closed in (end, other):
                del others[closed]
                closed.close()
