"""A run that goes on with other numbers of ranks within an epoch."""

import collections
import json
import os
import re
import unittest

from tests.e2e import folders, processes
from tests.e2e.train import train_chaos

# tributary-train, which records the inputs of each batch it trains on.
TRAINER = "tests/e2e/recording/recording_trainer"

INPUTS = 900
EVERY = 3  # steps between checkpoints


class TrainRanksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        at = os.path.join(cls.folder, "ogb")
        nodes = list(range(INPUTS + 60))
        folders.write_ogb(
            at, len(nodes), [(v * 7 % len(nodes), v) for v in nodes],
            [[float(v % 3)] for v in nodes], [[v % 3] for v in nodes],
            {"train": nodes[:INPUTS], "valid": nodes[INPUTS:]})
        cls.graph = folders.partition(at, at + ".graph", 2, "random")
        cls.checkpoints = os.path.join(cls.folder, "checkpoints")

    def start(self, name, world, batch_size, *flags):
        return processes.Process(
            "--graph", self.graph, "--nproc", world, "--epochs", 1,
            "--input", "train,valid", "--num-neighbors", "2,2", "--hidden", 4,
            "--batch-size", batch_size, "--device", "cpu", "--no-progress",
            "--num-classes", 3, "--checkpoint-dir", self.checkpoints,
            "--checkpoint-every", EVERY, *flags, program=TRAINER,
            environment={"OMP_NUM_THREADS": "1",
                         "TRIBUTARY_RECORD": self.record(name)})

    def record(self, name):
        return os.path.join(self.folder, name)

    def newest(self, process):
        self.assertTrue(process.running(), process.stderr())
        return train_chaos.newest_checkpoint(self.checkpoints)

    def kill_after(self, process, step):
        """Ends all once a checkpoint of at least `step` steps is there."""
        train_chaos.until(lambda: self.newest(process) >= step, step)
        ranks = processes.children_of(process)
        process.kill()
        processes.until(lambda: all(map(processes.is_gone, ranks)))

    def resumed_step(self, lines):
        steps = [int(found.group(1)) for line in lines
                 if (found := re.search(r"^resumed .* step (\d+)$", line))]
        self.assertEqual(len(steps), 1, lines)
        return steps[0]

    def batches(self, name, world):
        """Of each rank, in order: (epoch, index, inputs)."""
        ranks = []
        for rank in range(world):
            with open(f"{self.record(name)}.{rank}", encoding="ascii") as file:
                rows = [list(map(int, line.split())) for line in file]
            ranks.append([(row[0], row[1], row[2:]) for row in rows])
        return ranks

    def kept(self, name, world, steps):
        """The batches that the first `steps` steps took."""
        ranks = self.batches(name, world)
        for of_rank in ranks:
            self.assertGreaterEqual(len(of_rank), steps)
        return [batch for of_rank in ranks for batch in of_rank[:steps]]

    def test_each_input_is_taken_once(self):
        with self.start("two", 2, 4) as process:
            self.kill_after(process, 12)
        with self.start("three", 3, 4, "--resume", self.checkpoints) as process:
            self.kill_after(
                process, train_chaos.newest_checkpoint(self.checkpoints) + 12)
            second = self.resumed_step(process.read_lines())
        log = os.path.join(self.folder, "log")
        with self.start("one", 1, 7, "--resume", self.checkpoints, "--log",
                        log) as process:
            lines = process.read_lines()
            self.assertEqual(process.wait(), 0, process.stderr())
        third = self.resumed_step(lines)

        last = self.batches("one", 1)
        kept = (self.kept("two", 2, second)
                + self.kept("three", 3, third - second) + last[0])
        self.assertEqual({epoch for epoch, _, _ in kept}, {0})
        indices = [index for _, index, _ in kept]
        self.assertEqual(sorted(indices), list(range(len(indices))))
        # Each run took some: 8 and 12 inputs a step.
        self.assertGreaterEqual(second, 12)
        self.assertGreaterEqual(third - second, 12)
        self.assertEqual(sum(len(inputs) for _, _, inputs in last[0]),
                         INPUTS - 8 * second - 12 * (third - second))
        self.assertGreater(len(last[0]), 0)
        times = collections.Counter(i for _, _, ids in kept for i in ids)
        self.assertEqual(times, dict.fromkeys(range(INPUTS), 1))
        self.assertEqual(self.logged_inputs(log), [INPUTS])

    def logged_inputs(self, log):
        with open(log, encoding="utf-8") as file:
            return [line["inputs"] for line in map(json.loads, file)
                    if line["event"] == "epoch"]


if __name__ == "__main__":
    unittest.main()
