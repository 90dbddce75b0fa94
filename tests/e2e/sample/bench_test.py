"""`tributary bench` measures what `sample` would make, and what carries it."""

import json
import os
import select
import signal
import time
import unittest

from tests.e2e import folders, processes, sampling

STREAM = ["bench", "stream", "--json", "--seconds"]
CHANNEL = ["bench", "channel", "--json", "--seconds"]


class BenchTest(unittest.TestCase):
    def test_folder_and_fleet(self):
        with processes.temporary_folder() as folder:
            graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)
            expected = sampling.lines(graph)
            with processes.Server(graph) as server:
                for where in (["gather", "--graph", graph],
                              ["stream", "--servers", server.address]):
                    self.check(where, expected)

    def check(self, where, expected):
        said = json.loads(processes.run_ok(
            "bench", *where, "--input-nodes", "train", "--num-neighbors",
            "10,5", "--batch-size", 32, "--random-seed", 11, "--epoch", 2,
            "--json"))
        # The first batch is start-up.
        rest = [[int(word) for word in line.split()[3:]]
                for line in expected[1:]]
        self.assertEqual(said["batches"], len(rest))
        for name, column in (("inputs", 0), ("edges", 2), ("bytes", 3)):
            self.assertAlmostEqual(
                said[f"{name}_per_second"] * said["seconds"],
                sum(row[column] for row in rest), delta=0.5)


def children(pid):
    """Those that run now, by the kernel."""
    found = processes.read_proc(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in (found or "").split()]


def is_far_end(pid):
    return (processes.read_proc(f"/proc/{pid}/cmdline") or "").startswith(
        "far-end\0")


def open_child(pid):
    """A pidfd of a process that `pid` receives from."""
    end = time.monotonic() + processes.DEADLINE
    while time.monotonic() < end:
        for child in filter(is_far_end, children(pid)):
            try:
                return os.pidfd_open(child)
            except ProcessLookupError:
                pass  # its turn was over
    raise processes.Timeout(f"{pid} has no child")


def open_all(pid, count):
    """Pidfds of `count` processes that `pid` receives from, which stay."""
    end = time.monotonic() + processes.DEADLINE
    while time.monotonic() < end:
        found = list(filter(is_far_end, children(pid)))
        if len(found) != count:
            continue
        opened = []
        try:
            for child in found:
                opened.append(os.pidfd_open(child))
            return opened
        except ProcessLookupError:  # its turn was over
            for pidfd in opened:
                os.close(pidfd)
    raise processes.Timeout(f"{pid} has not {count} children")


def ends(pidfd):
    return bool(select.select([pidfd], [], [], processes.DEADLINE)[0])


class StreamTest(unittest.TestCase):
    def test_beside_raw_tcp(self):
        with processes.Process(*STREAM, 0.1) as bench:
            child = open_child(bench.pid)
            said = json.loads(bench.read_line())
            self.assertEqual(bench.wait(), 0)
            self.assertTrue(ends(child))
            os.close(child)
        self.assertEqual(said["streams"], 1)
        self.assertGreaterEqual(said["rounds"], 1)
        self.assertGreater(said["bytes_per_second"], 0)
        self.assertAlmostEqual(
            said["ratio"], said["bytes_per_second"] / said["limit_per_second"])

    def test_killed_sender_is_an_error(self):
        with processes.Process(*STREAM, 600) as bench:
            # One may be killed when its turn is over already.
            while not select.select([pidfd := os.pidfd_open(bench.pid)],
                                    [], [], 0)[0]:
                os.close(pidfd)
                # Not what a leak checker starts to look at the process.
                for child in filter(is_far_end, children(bench.pid)):
                    processes.signal_to(child, signal.SIGKILL)
            os.close(pidfd)
            self.assertEqual(bench.wait(), 1)
            self.assertIn("the sending process was killed by signal 9",
                          bench.stderr())
            self.assertIsNone(bench.read_line())

    def test_sender_ends_with_a_killed_bench(self):
        with processes.Process(*STREAM, 600) as bench:
            child = open_child(bench.pid)
            # Stopped, it sees no end of file.
            signal.pidfd_send_signal(child, signal.SIGSTOP)
            bench.kill()
            self.assertTrue(ends(child))
            os.close(child)


class ChannelTest(unittest.TestCase):
    def test_beside_memcpy(self):
        with processes.Process(*CHANNEL, 0.1) as bench:
            fillers = open_all(bench.pid, 3)
            said = json.loads(bench.read_line())
            self.assertEqual(bench.wait(), 0)
            for filler in fillers:
                self.assertTrue(ends(filler))
                os.close(filler)
        self.assertGreaterEqual(said["rounds"], 1)
        for name in ("shared_memory", "unix_socket", "grpc"):
            self.assertGreater(
                said[name]["handover_microseconds"]["mean"], 0)
            self.assertGreater(said[name]["bytes_per_second"], 0)
            self.assertAlmostEqual(
                said[name]["ratio"],
                said[name]["bytes_per_second"] / said["limit_per_second"])

    def test_each_killed_filler_is_an_error(self):
        for i in range(3):
            with processes.Process(*CHANNEL, 600) as bench:
                fillers = open_all(bench.pid, 3)
                signal.pidfd_send_signal(fillers[i], signal.SIGKILL)
                self.assertEqual(bench.wait(), 1)
                self.assertIn("the sending process was killed by signal 9",
                              bench.stderr())
                self.assertIsNone(bench.read_line())
                for filler in fillers:
                    self.assertTrue(ends(filler))
                    os.close(filler)

    def test_fillers_end_with_a_killed_bench(self):
        with processes.Process(*CHANNEL, 600) as bench:
            fillers = open_all(bench.pid, 3)
            # Stopped, they see no end of file.
            for filler in fillers:
                signal.pidfd_send_signal(filler, signal.SIGSTOP)
            bench.kill()
            for filler in fillers:
                self.assertTrue(ends(filler))
                os.close(filler)


if __name__ == "__main__":
    unittest.main()
