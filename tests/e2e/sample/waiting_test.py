"""What a program says while it waits for servers."""

import os
import pty
import re
import subprocess
import time
import unittest

from tests.e2e import folders, processes, sampling

WAITING = r"tributary sample: waiting \d+ s more, until \d\d:\d\d:\d\d: "


def sample(servers):
    return processes.run(*sampling.arguments(
        ("servers", servers), flags=("--rpc-timeout", 4)))


class WaitingTest(unittest.TestCase):
    def assert_waits_once(self, done, reason):
        self.assertNotEqual(done.returncode, 0)
        lines = [line for line in done.stderr.splitlines()
                 if ": waiting " in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], f"^{WAITING}{re.escape(reason)}")

    def test_says_once_why_nobody_answers(self):
        self.assert_waits_once(
            sample("127.0.0.1:1"),
            "no server answers: 127.0.0.1:1 (connection refused)")

    def test_names_a_partition_that_no_server_owns(self):
        with processes.temporary_folder() as folder:
            graph = folders.partition(folders.CORA, os.path.join(folder, "g"),
                                      3)
            with processes.Server(graph, "--partitions", "0,2", "--peers",
                                  "127.0.0.1:1") as server:
                self.assert_waits_once(
                    sample(server.address),
                    "no server that answers owns partition 1 of 3: "
                    f"{server.address} (partitions 0,2)")

    def test_servers_without_peers_are_no_fleet(self):
        with processes.temporary_folder() as folder:
            graph = folders.partition(folders.CORA, os.path.join(folder, "g"),
                                      2)
            with processes.Server(graph, "--partitions", "0") as one, \
                    processes.Server(graph, "--partitions", "1") as other:
                began = time.monotonic()
                done = processes.run(*sampling.arguments(
                    ("servers", f"{one.address},{other.address}"),
                    flags=("--rpc-timeout", 60)))
                # As soon as both have said so, not at the timeout.
                self.assertLess(time.monotonic() - began, 30)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("FAILED_PRECONDITION", done.stderr)
                for server, partition in ((one, 1), (other, 0)):
                    self.assertRegex(
                        done.stderr,
                        f"server {server.address}: [^;]*partition {partition} "
                        "is not on this server, which was started without "
                        "--peers and so knows no owner of it")
                    self.assertIn("this server has 1 of its 2 partitions and "
                                  "no --peers", server.stderr())

    def test_counts_on_a_terminal(self):
        reader, terminal = pty.openpty()
        with os.fdopen(reader, "rb", buffering=0) as reader:
            try:
                done = subprocess.run(
                    [processes.TRIBUTARY, *map(str, sampling.arguments(
                        ("servers", "127.0.0.1:1"),
                        flags=("--rpc-timeout", 5)))],
                    stderr=terminal, stdin=subprocess.DEVNULL,
                    timeout=processes.DEADLINE, check=False)
            finally:
                os.close(terminal)
            self.assertNotEqual(done.returncode, 0)
            text = reader.read(4096).decode()
        counts = re.findall(r"waiting (\d) s more", text)
        self.assertGreaterEqual(len(counts), 2, text)
        self.assertEqual(counts, sorted(set(counts), reverse=True))
        # The line is erased before the error is printed.
        self.assertIn("\r\x1b[Ktributary sample: UNAVAILABLE", text)


if __name__ == "__main__":
    unittest.main()
