"""`tributary-train --feature-dtype`: it learns as with float32."""

import json
import os
import random
import subprocess
import unittest

from tests.e2e import folders, processes

TRAINER = "trainer_client/torch/tributary-train"


class TrainTest(unittest.TestCase):
    """Four classes of nodes whose features lie around a point each, in numbers
    that no lower precision has."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        rng = random.Random(2)
        n, width = 240, 12
        y = [v % 4 for v in range(n)]
        middle = [[rng.gauss(0, 1) for _ in range(width)] for _ in range(4)]
        x = [[f"{m + rng.gauss(0, 1.5):.8g}" for m in middle[c]] for c in y]
        rows = [(u, v) for v in range(n) for u in rng.sample(range(n), 6)
                if y[u] == y[v] or rng.random() < 0.3]
        nodes = list(range(n))
        rng.shuffle(nodes)
        source = folders.write_ogb(
            os.path.join(cls.folder, "source"), n, rows, x, [[c] for c in y],
            {"train": nodes[:160], "valid": nodes[160:200],
             "test": nodes[200:]})
        cls.graph = folders.partition(source, os.path.join(cls.folder, "g"), 2)

    @staticmethod
    def train(*args):
        return subprocess.run([TRAINER, *map(str, args)], text=True,
                              capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL)

    def epochs(self, dtype):
        log = os.path.join(self.folder, dtype + ".jsonl")
        done = self.train(
            "--graph", self.graph, "--num-neighbors", "5,5",
            "--batch-size", 32, "--epochs", 6, "--hidden", 16, "--dropout", 0,
            "--random-seed", 3, "--device", "cpu", "--no-progress", "--log",
            log, "--feature-dtype", dtype)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(log, encoding="ascii") as f:
            return [json.loads(line) for line in f
                    if json.loads(line)["event"] == "epoch"]

    def test_losses_are_close(self):
        stored = self.epochs("stored")
        self.assertLess(stored[-1]["loss"], 0.7 * stored[0]["loss"])
        for dtype, near in (("float16", 1e-3), ("bfloat16", 1e-3),
                            ("int8", 2e-2)):
            made = self.epochs(dtype)
            with self.subTest(dtype):
                self.assertEqual(len(made), len(stored))
                for a, b in zip(made, stored):
                    self.assertNotEqual(a["loss"], b["loss"])
                    self.assertAlmostEqual(a["loss"], b["loss"], delta=near)
                    self.assertLess(a["bytes"], 0.8 * b["bytes"])


if __name__ == "__main__":
    unittest.main()
