"""Servers that die, freeze or drain while an epoch is being made."""

import os
import re
import signal
import time
import unittest
import urllib.request

from tests.e2e import folders, processes, sampling


def batches_made(server):
    """Batches that a server has made, by its own metrics."""
    with urllib.request.urlopen(f"http://{server.http}/metrics",
                                timeout=10) as reply:
        text = reply.read().decode()
    made = re.findall(r"^tributary_batches_total(?:\{[^}]*\})? ([0-9.e+]+)$",
                      text, re.M)
    return sum(map(float, made))


class FailureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)
        # Long enough that a pipe of a page holds back who writes its lines.
        cls.options = dict(inputs=",".join(map(str, range(600))),
                           batch_size=2, fanouts="4,4")
        cls.expected = sampling.lines(cls.graph, **cls.options)
        assert len(cls.expected) == 300

    def client(self, servers, *flags):
        where = ("servers", ",".join(s.address for s in servers))
        return processes.Process(
            *sampling.arguments(where, flags=flags, **self.options),
            small_pipe=True)

    def server(self):
        return processes.Server(self.graph, "--http", "127.0.0.1:0")

    def epoch_with(self, harm):
        """Harms a server once it has made some batches; the lines."""
        with self.server() as a, self.server() as b, self.client(
                [a, b], "--rpc-timeout", 30) as client:
            lines = [client.read_line() for _ in range(20)]
            made = {s: batches_made(s) for s in (a, b)}
            victim = max(made, key=made.get)
            self.assertGreater(made[victim], 0)
            harm(victim)
            lines += client.read_lines()
            self.assertEqual(client.wait(), 0, client.stderr())
            return lines

    def test_a_killed_server_changes_nothing(self):
        self.assertEqual(self.epoch_with(lambda s: s.kill()), self.expected)

    def test_a_frozen_server_changes_nothing(self):
        self.assertEqual(
            self.epoch_with(lambda s: s.send(signal.SIGSTOP)), self.expected)

    def test_a_drained_server_changes_nothing_and_exits_0(self):
        drained = []

        def drain(server):
            server.send(signal.SIGTERM)
            drained.append(server.wait())

        self.assertEqual(self.epoch_with(drain), self.expected)
        self.assertEqual(drained, [0])

    def test_the_only_server_dies(self):
        with self.server() as only, self.client(
                [only], "--rpc-timeout", 3) as client:
            for _ in range(20):
                client.read_line()
            only.kill()
            began = time.monotonic()
            client.read_lines()
            self.assertEqual(client.wait(), 1)
            self.assertLess(time.monotonic() - began, 3 + 5)
            error = client.stderr()
            self.assertIn(only.address, error)
            self.assertRegex(error, r"batch \d+")
            self.assertRegex(error, r"partition")
            self.assertLessEqual(len(error.splitlines()), 3, error)

    def test_no_server_answers(self):
        with self.server() as gone:
            gone.kill()
            began = time.monotonic()
            done = processes.run(*sampling.arguments(
                ("servers", gone.address), flags=("--rpc-timeout", 2)))
            self.assertEqual(done.returncode, 1)
            self.assertLess(time.monotonic() - began, 2 + 5)
            self.assertIn(gone.address, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_idle_servers_end_at_sigterm(self):
        with self.server() as server:
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(20), 0, server.stderr())

    def test_sigint_ends_a_server_too(self):
        with self.server() as server:
            server.send(signal.SIGINT)
            self.assertEqual(server.wait(20), 0, server.stderr())


if __name__ == "__main__":
    unittest.main()
