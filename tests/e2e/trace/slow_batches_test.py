"""Batches that are slow for one known reason each: a throttled peer, a cold disk, a full
queue, a busy trainer. The trainer's trace and the server's own record both say which."""

import os
import re
import signal
import threading
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.trace import traces

SLOW_DISK = "tests/e2e/trace/slow_disk.so"


class Throttle:
    """Lets a process run a tenth of the time only, as a CPU quota does."""

    STOPPED, RUNS = 0.18, 0.02  # seconds

    def __init__(self, process):
        self._process = process
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *unused):
        self._end.set()
        self._thread.join()

    def _run(self):
        while not self._end.is_set():
            self._process.send(signal.SIGSTOP)
            self._end.wait(self.STOPPED)
            self._process.send(signal.SIGCONT)
            self._end.wait(self.RUNS)


class SlowBatchesTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def graph(self, parts):
        return folders.partition(folders.CORA, os.path.join(self.folder, "g"), parts)

    def test_a_throttled_peer(self):
        with processes.Fleet(self.graph(2), ["0", "1"]) as fleet:
            fleet.doctor()
            asked, peer = fleet.servers
            where = ("servers", asked.address)
            # So many that they do not all fit between two stops.
            many = {"inputs": "*", "batches": "0:24"}
            quick = sampling.lines(where, **many)
            with Throttle(peer):
                slow = traces.Traced(where, **many)
            self.assertEqual(slow.lines, quick)
            pattern = (rf"waiting for {re.escape(peer.address)} \(partition 1, \w+\), "
                       r"of which \S+ ms .*throttled")
            index = slow.explained(pattern)
            most, total = traces.milliseconds(slow.explanation(index))
            # It was stopped when at least one of the requests came.
            self.assertGreater(most, 1000 * Throttle.STOPPED / 4)
            self.assertGreater(most, total / 3)
            record = traces.status(asked.address, f"default/2/{index}")
            self.assertTrue(record[0].startswith(
                f"{asked.address}: batch 2/{index} of job default"), record)
            self.assertRegex(record[-1], pattern)

    def test_a_cold_disk(self):
        graph = self.graph(1)
        environment = {"LD_PRELOAD": os.path.abspath(SLOW_DISK), "SLOW_DISK_MS": "20"}
        with processes.Server(graph, "--feature-memory", "paged", "--feature-readers", 2,
                              environment=environment) as server:
            slow = traces.Traced(("servers", server.address), batches="0:3")
            self.assertEqual(slow.lines, sampling.lines(graph, batches="0:3"))
            pattern = (rf"in gather_disk on {re.escape(server.address)}: rows were read from "
                       "files that are not in memory; raise --feature-readers")
            index = slow.explained(pattern)
            most, total = traces.milliseconds(slow.explanation(index))
            self.assertGreater(most, total / 2)
            record = traces.status(server.address, f"default/2/{index}")
            self.assertRegex(record[-1], pattern)
            self.assertGreater(traces.stages(record)["gather_disk"], 20)

    def test_a_full_queue(self):
        graph = self.graph(1)
        small = {"batch_size": 2, "fanouts": "5,5", "batches": "0:12"}
        with processes.Server(graph, "--threads", 1, "--max-rate", 4 << 20) as server:
            where = ("servers", server.address)
            others = [self.enterContext(processes.Process(*sampling.arguments(
                where, inputs="*", batch_size=16,
                flags=("--worker-key", "others", "--buffer-size", "8MB")))) for _ in range(3)]
            for process in others:
                for _ in range(3):  # until credits are as large as batches
                    process.read_line()
            # Those asked for together wait for each other, and for the other job.
            slow = traces.Traced(where, "--worker-key", "team/mine", **small)
            self.assertEqual(slow.lines, sampling.lines(graph, **small))
            waits = (rf"in the queue of {re.escape(server.address)} behind (\d+) batches "
                     r"\(\d+ of this job\): the fleet is too small, or another job uses it")
            index = slow.explained(waits)
            record = traces.status(server.address, f"team/mine/2/{index}")
            self.assertGreaterEqual(int(re.search(waits, record[-1])[1]), 2)
            self.assertGreater(traces.stages(record)["queue"], 20)

    def test_a_busy_trainer(self):
        with processes.Server(self.graph(1)) as server:
            slow = traces.Traced(("servers", server.address), "--step-time", 0.3, batches="0:5")
            index = slow.explained(
                "waiting for the trainer to take it: the trainer is busy; servers are not")
            most, total = traces.milliseconds(slow.explanation(index))
            # It was asked for some steps before it was taken.
            self.assertGreater(most, 600)
            self.assertLess(total - most, 300)
            # The server had it for a moment only.
            record = traces.status(server.address, f"default/2/{index}")
            self.assertLess(sum(traces.stages(record).values()), 300)


if __name__ == "__main__":
    unittest.main()
