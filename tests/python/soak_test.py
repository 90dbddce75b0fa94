"""Loaders in a row, left in each way, leave nothing behind.

By default some; ./dev test --deep=loaders runs 10,000 openings and 200 killed ranks.
"""

import os
import signal
import unittest

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs, leftovers, scripts

OPENINGS = int(os.environ.get("TRIBUTARY_OPENINGS", "100"))
KILLED_RANKS = int(os.environ.get("TRIBUTARY_KILLED_RANKS", "6"))
# Of an opening each way's share; a worker's start takes longer than all else.
SHARES = {"closed": 0.3, "mp": 0.05, "remote": 0.2, "garbage": 0.2, "exception": 0.2,
          "refused": 0.05}
OPTIONS = {"num_neighbors": [10, 5], "input_nodes": "train", "batch_size": 32,
           "format": "numpy"}
RING = "32MB"  # leftovers.RING_BYTES


class SoakTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.cora(folder.name)

    def expect_nothing_stays(self, way, use, **allowed):
        leftovers.expect_nothing_stays(self, use, round(SHARES[way] * OPENINGS), **allowed)

    def test_closed_loaders(self):
        def use():
            with tg.NeighborLoader(graph=self.graph, channel_size=RING, **OPTIONS) as loader:
                self.assertEqual(len(list(loader)), 5)
        self.expect_nothing_stays("closed", use)

    def test_closed_loaders_of_workers(self):
        def use():
            with tg.NeighborLoader(graph=self.graph, mode="mp", channel_size=RING,
                                   **OPTIONS) as loader:
                self.assertEqual(len(list(loader)), 5)
        self.expect_nothing_stays("mp", use)

    def test_closed_loaders_of_servers(self):
        with processes.Fleet(self.graph, ["all"]) as fleet:
            def use():
                with tg.NeighborLoader(fleet.addresses(), buffer_size=RING, **OPTIONS) as loader:
                    self.assertEqual(len(list(loader)), 5)
            # gRPC has threads and descriptors of its own, whose heaps keep what was received.
            self.expect_nothing_stays("remote", use, others=10, kept=64 << 20)

    def test_garbage(self):
        def use():
            loader = tg.NeighborLoader(self.graph, channel_size=RING, zero_copy=True, **OPTIONS)
            loader.myself = loader  # for the collector
            loader.batches = iter(loader)
            loader.batch = next(loader.batches)
        self.expect_nothing_stays("garbage", use)

    def test_exceptions_in_the_body(self):
        def use():
            loader = tg.NeighborLoader(self.graph, channel_size=RING, **OPTIONS)
            try:
                for batch in loader:
                    raise RuntimeError(batch.index)
            except RuntimeError:
                pass
        self.expect_nothing_stays("exception", use)

    def test_openings_that_are_refused(self):
        def use():
            with self.assertRaises(KeyError):
                tg.NeighborLoader(self.graph, num_neighbors=[2], input_nodes="trainn")
        self.expect_nothing_stays("refused", use)


# A rank that says the ids of its workers, and takes batches until it is killed.
RANK = """
loader = tg.NeighborLoader(graph, rank=0, world_size=2, **dict(options, **eval(sys.argv[2])))
batches = iter(loader)
next(batches)
tasks = os.listdir("/proc/self/task")
print(*(pid for task in tasks for pid in open(f"/proc/self/task/{task}/children").read().split()))
sys.stdout.flush()
while True:
    for batch in loader: pass
"""


class KilledRanksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.cora(folder.name)

    def kill_a_rank(self, data, options):
        """Kills a rank in its epochs; returns once its workers are gone, as many as those."""
        with scripts.Script(RANK, data, repr(options)) as rank:
            workers = [int(pid) for pid in rank.line().split()]
            rank.send(signal.SIGKILL)
        for pid in workers:
            processes.until(lambda pid=pid: processes.is_gone(pid))
        return len(workers)

    def test_workers_and_their_memory(self):
        def use():
            self.assertEqual(self.kill_a_rank(
                self.graph, {"mode": "mp", "num_workers": 2, "channel_size": RING}), 2)
        leftovers.expect_nothing_stays(self, use, KILLED_RANKS // 2)

    def test_servers(self):
        with processes.Fleet(self.graph, ["all"]) as fleet:
            def use():
                self.kill_a_rank(fleet.addresses(), {"buffer_size": RING})
            leftovers.expect_nothing_stays(self, use, KILLED_RANKS // 2, others=10,
                                           kept=64 << 20, pid=fleet.servers[0].pid)


if __name__ == "__main__":
    unittest.main()
