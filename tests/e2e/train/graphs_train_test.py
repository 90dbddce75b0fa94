"""`tributary-train --graph-name`: one of the graphs of a fleet."""

import os
import random
import subprocess
import unittest

from tests.e2e import folders, processes

TRAINER = "trainer_client/torch/tributary-train"


class GraphsTrainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graphs = [cls.graph(1, "small"), cls.graph(2, "daily"),
                      cls.graph(3, "daily")]

    @classmethod
    def graph(cls, seed, name):
        at = os.path.join(cls.folder, str(seed))
        nodes = list(range(200))
        rng = random.Random(seed)
        folders.write_ogb(
            at, 200, [(rng.choice(nodes), v) for v in nodes for _ in range(8)],
            [[float(v % 7), float(v % 3)] for v in nodes],
            [[v % 3] for v in nodes],
            {"train": nodes[:120], "valid": nodes[120:160],
             "test": nodes[160:]})
        return folders.partition(at, at + ".graph", 2, "random", "--name", name)

    def train(self, where, *flags):
        return subprocess.run(
            [TRAINER, *where, "--num-neighbors", "3,3", "--batch-size", "16",
             "--epochs", "2", "--hidden", "4", "--dropout", "0",
             "--random-seed", "3", "--device", "cpu", "--no-progress", *flags],
            text=True, capture_output=True, timeout=120,
            stdin=subprocess.DEVNULL)

    def losses(self, where, *flags):
        done = self.train(where, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if "loss" in line]
        self.assertEqual(len(lines), 2, done.stdout)
        return [line.split("loss")[1].split()[0] for line in lines]

    def test_ranks_train_on_the_graph_that_is_named(self):
        with processes.Fleet(self.graphs, ["0", "1"]) as fleet:
            fleet.doctor()
            servers = ("--servers", fleet.addresses())
            for name, graph in (("small", self.graphs[0]),
                                ("daily", self.graphs[2])):
                with self.subTest(name=name):
                    self.assertEqual(
                        self.losses(servers, "--graph-name", name, "--nproc",
                                    "2"),
                        self.losses(("--graph", graph), "--nproc", "2"))
            done = self.train(servers)
            self.assertEqual(done.returncode, 78)
            self.assertIn("several graphs are served", done.stderr)

    def test_names_are_of_servers_graphs(self):
        done = self.train(("--graph", self.graphs[0]), "--graph-name", "small")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--graph-name with --graph", done.stderr)


if __name__ == "__main__":
    unittest.main()
