"""Fleets that are a name: it appears, gains servers and loses them, as a
headless Service does. The programs see a resolv.conf of their own."""

import os
import re
import socket
import struct
import threading
import unittest

from tests.e2e import folders, processes
from tests.e2e.bad_input import privileges

NAME = "fleet.test"


class NameServer:
    """Answers A questions for NAME over UDP; `addresses` None: no such name."""

    def __init__(self):
        # An address of its own: port 53 of another one may be taken.
        pid = os.getpid()
        self.address = f"127.{pid >> 16 & 127}.{pid >> 8 & 255}.{pid & 255}"
        self.addresses = None
        self.ttl = 1
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((self.address, 53))
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self):
        self._socket.sendto(b"end", (self.address, 53))
        self._thread.join(processes.DEADLINE)
        self._socket.close()

    def _run(self):
        while True:
            request, client = self._socket.recvfrom(4096)
            if request == b"end":
                return
            self._socket.sendto(self._answer(request), client)

    def _answer(self, request):
        at, labels = 12, []
        while request[at]:
            labels.append(request[at + 1:at + 1 + request[at]].decode())
            at += 1 + request[at]
        question = request[12:at + 5]
        kind = struct.unpack("!H", request[at + 1:at + 3])[0]
        known = ".".join(labels).lower() == NAME and self.addresses is not None
        found = self.addresses if known and kind == 1 else []
        records = b"".join(
            struct.pack("!HHHIH", 0xC00C, 1, 1, self.ttl, 4) +
            socket.inet_aton(address) for address in found)
        return (request[:2] + struct.pack("!HHHHH", 0x8180 | (0 if known else 3),
                                          1, len(found), 0, 0) +
                question + records)


class DnsNamesTest(unittest.TestCase):
    def setUp(self):
        folder = processes.temporary_folder()
        self.addCleanup(folder.cleanup)
        self.graph = folders.partition(folders.CORA,
                                       os.path.join(folder.name, "g"), 2)
        try:
            self.names = NameServer()
        except OSError as e:
            self.skipTest(f"no port 53: {e}")
        self.addCleanup(self.names.close)
        resolv = os.path.join(folder.name, "resolv.conf")
        with open(resolv, "w", encoding="ascii") as file:
            file.write(f"nameserver {self.names.address}\n")
        self.preexec = privileges.own_mounts(
            resolv, os.path.realpath("/etc/resolv.conf"))
        why = privileges.why_not(self.preexec, "a mount namespace")
        if why:
            self.skipTest(why)

    def status(self, port):
        return processes.Process("status", "--servers",
                                 f"dns:///{NAME}:{port}", "--wait", "1m",
                                 preexec=self.preexec)

    def test_a_fleet_that_appears_server_by_server(self):
        with processes.Server(self.graph, "--partitions", "0") as zero:
            port = zero.address.rsplit(":", 1)[1]
            with self.status(port) as waiting:
                processes.until(lambda: "waiting" in waiting.stderr())
                self.assertRegex(waiting.stderr(), r": name not found$")
                with processes.Server(self.graph, "--partitions", "1",
                                      listen=f"127.0.0.2:{port}"):
                    self.names.addresses = ["127.0.0.1"]
                    self.assertTrue(waiting.running())
                    self.names.addresses = ["127.0.0.1", "127.0.0.2"]
                    lines = waiting.read_lines()
                    self.assertEqual(waiting.wait(), 0, waiting.stderr())
        self.assertEqual(
            [re.match(r"(\S+):\d+ ready .* partitions=(.)/2", line).groups()
             for line in lines], [("127.0.0.1", "0"), ("127.0.0.2", "1")])

    def test_peers_are_found_and_let_go_by_name(self):
        """The first server is told of a name alone, whose TTL is 1 s."""
        self.names.addresses = []
        probe = socket.create_server(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        with processes.Process(
                "serve", "--graph", self.graph, "--partitions", "0",
                "--listen", f"127.0.0.1:{port}", "--peers",
                f"dns:///{NAME}:{port}", preexec=self.preexec) as first:
            self.assertIn("ready", first.read_line())
            with processes.Server(self.graph, "--partitions", "1",
                                  listen=f"127.0.0.2:{port}"):
                self.names.addresses = ["127.0.0.1", "127.0.0.2"]
                processes.until(lambda: "peers=1/1" in self.reported(port))
            self.names.addresses = ["127.0.0.1"]
            processes.until(lambda: "peers=0/0" in self.reported(port))

    def reported(self, port):
        return processes.run("status", "--servers",
                             f"127.0.0.1:{port}").stdout


if __name__ == "__main__":
    unittest.main()
