"""A server ends in time whatever the other ends do: trainers that do not read,
peers that do not answer, HTTP requests that are never complete."""

import os
import signal
import socket
import time
import unittest
import urllib.request

from tests.e2e import folders, frozen, processes, sampling

DRAIN_TIMEOUT = 2
MARGIN = 15  # kEndMargin, which `serve --help` and docs/modes.md state


def metrics(server):
    with urllib.request.urlopen(f"http://{server.http}/metrics",
                                timeout=10) as reply:
        return reply.read().decode()


class DrainBoundTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)

    def trainer(self, address):
        """Asks for megabytes a batch, more than sockets hold."""
        return processes.Process(*sampling.arguments(
            ("servers", address), inputs=frozen.MANY_INPUTS,
            fanouts="10,5", batch_size=128, flags=("--rpc-timeout", 120)))

    def wait_for_stuck(self, server, stopped):
        processes.until(lambda: stopped.stopped()
                        and frozen.active(metrics(server)) > 0)

    def end(self, server):
        """Seconds from SIGTERM to the end, which is in good order."""
        began = time.monotonic()
        server.send(signal.SIGTERM)
        code = server.wait(DRAIN_TIMEOUT + MARGIN)
        took = time.monotonic() - began
        self.assertEqual(code, 0, server.stderr())
        self.assertNotIn("ending it now", server.stderr())
        return took

    def half_a_request(self, server):
        host, port = server.http.rsplit(":", 1)
        client = socket.create_connection((host, int(port)), timeout=10)
        self.addCleanup(client.close)
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n")

    def test_with_everything_stuck(self):
        with processes.Fleet(self.graph, ("0", "1"), "--http", "127.0.0.1:0",
                             "--drain-timeout", DRAIN_TIMEOUT) as fleet:
            fleet.doctor()
            server, peer = fleet.servers
            with frozen.StoppedClients(server) as stopped, \
                    self.trainer(stopped.address), \
                    self.trainer(server.address) as other:
                self.assertIsNotNone(other.read_line())
                self.wait_for_stuck(server, stopped)
                frozen.freeze(peer)  # the other's batches wait for it
                for _ in range(2):  # as many as it has threads for
                    self.half_a_request(server)
                took = self.end(server)
            self.assertGreaterEqual(took, DRAIN_TIMEOUT)
            print(f"ended {took - DRAIN_TIMEOUT:.1f} s after --drain-timeout")
            peer.send(signal.SIGCONT)

    def test_without_a_drain_at_all(self):
        with processes.Server(self.graph, "--http", "127.0.0.1:0",
                              "--drain-timeout", "0") as server:
            with frozen.StoppedClients(server) as stopped, \
                    self.trainer(stopped.address):
                self.wait_for_stuck(server, stopped)
                self.assertLess(self.end(server), MARGIN)


if __name__ == "__main__":
    unittest.main()
