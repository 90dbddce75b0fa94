"""A graph of 200 edge types in 200 partitions, of 120,000 files: it is written,
served by two servers, and read by one process, which may have fewer mappings
than that."""

import json
import os
import unittest

import numpy as np

from tests.e2e import processes, sampling

TYPES, PARTS, NODES, EDGES = 200, 200, 400, 800
ONE_MESSAGE = 512 << 10  # kMaxGraphTextInReply
DEADLINE = 600  # seconds, for what takes 5 to 30 where nobody else uses the disk


def write_source(folder):
    """Citations of 200 kinds between 400 papers."""
    rng = np.random.default_rng(1)
    os.makedirs(os.path.join(folder, "paper"))
    np.save(os.path.join(folder, "paper", "x.npy"), rng.random((NODES, 2), np.float32))
    np.save(os.path.join(folder, "paper", "train_idx.npy"), np.arange(0, NODES, 3))
    for r in range(TYPES):
        relation = os.path.join(folder, f"paper__cites-{r}__paper")
        os.makedirs(relation)
        np.save(os.path.join(relation, "edge_index.npy"),
                rng.integers(0, NODES, (2, EDGES)))


def batches(where):
    """Two, of one neighbour of each type, and more of one type."""
    return processes.run_ok(*sampling.arguments(
        where, inputs="paper:train", fanouts="1;paper,cites-7,paper=3",
        batch_size=4, batches="0:2"), deadline=DEADLINE).splitlines()


class ManyTypesTest(unittest.TestCase):
    def test_written_served_and_read(self):
        folder = self.enterContext(processes.temporary_folder())
        source, graph = os.path.join(folder, "source"), os.path.join(folder, "graph")
        write_source(source)
        printed = processes.run_ok("partition", "--format", "npy", "--input", source,
                                   "--out", graph, "--num-parts", PARTS,
                                   deadline=DEADLINE)
        self.assertIn(f"edges={TYPES * EDGES} partitions={PARTS}", printed)
        self.check_size(graph)
        with processes.Fleet(graph, ["0%2", "1%2"]) as fleet:
            served = batches(("servers", fleet.addresses()))
            fleet.doctor()
        alone = batches(graph)
        self.assertEqual(len(alone), 2)
        self.assertEqual(served, alone)

    def check_size(self, graph):
        """graph.json is several messages, and the arrays are more than a process
        may map by default (65,530)."""
        path = os.path.join(graph, "graph.json")
        with open(path, encoding="utf-8") as file:
            files = json.load(file)["files"]
        self.assertGreater(len(files), TYPES * PARTS * 3)
        self.assertLess(len(files), 150_000)
        self.assertGreater(os.path.getsize(path), 10 * ONE_MESSAGE)


if __name__ == "__main__":
    unittest.main()
