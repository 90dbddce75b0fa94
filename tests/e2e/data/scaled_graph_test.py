"""`partition --feature-dtype int8`: what is stored, and the batches of it, by
numpy and the second reading of docs/sampling.md."""

import json
import os
import random
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs, precision
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec

SEED, EPOCH, BATCH_SIZE = 11, 2, 16
# What rows of int8 make of numbers that are huge, tiny or none.
ODD = ["nan", "inf", "-inf", "-0.0", "-1e30", "3.4e38", "-3.4028235e38",
       "1e-40", "1e-45", "65520"]
N, WIDTH = 90, 19
ZEROS = 17  # a node whose features are all 0
FLAGS = ("--feature-dtype", "int8")


def products(a):
    """The numbers that rows stored as int8 with a scale stand for."""
    values, scale = precision.to_int8(a)
    with np.errstate(all="ignore"):
        return values.astype(np.float32) * scale[:, None]


class ScaledGraphTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.source = os.path.join(cls.folder, "source")
        rng = random.Random(5)
        rows = [(rng.randrange(N), rng.randrange(N)) for _ in range(700)]
        cell = lambda: (rng.choice(ODD) if rng.random() < 0.02
                        else f"{rng.gauss(0, 1):.9g}")
        x = [["0"] * WIDTH if v == ZEROS else [cell() for _ in range(WIDTH)]
             for v in range(N)]
        attr = [[cell() for _ in range(3)] for _ in rows]
        folders.write_ogb(cls.source, N, rows, x,
                          [[v % 5] for v in range(N)],
                          {"train": list(range(0, N, 2))}, attr)
        cls.made = {parts: cls.partition(f"g{parts}", parts)
                    for parts in (1, 2, 5)}
        cls.graph = graphs.read_ogb(cls.source)
        # The graph of the numbers that the stored one stands for.
        cls.product = graphs.read_ogb(cls.source)
        node = cls.product.node_types[graphs.NODE]
        edge = cls.product.edge_types[graphs.EDGE]
        node.x, edge.attr = products(node.x), products(edge.attr)

    @classmethod
    def partition(cls, name, parts, *flags):
        return folders.partition(cls.source, os.path.join(cls.folder, name),
                                 parts, "random", *FLAGS, *flags)

    def expected(self, dtype):
        """Of int8 what a session makes of the floating features."""
        graph = self.graph if dtype == "int8" else self.product
        loader = Loader(graph, graph.split(graphs.NODE, "train"),
                        Spec([5, 3], SEED), BATCH_SIZE,
                        feature_dtype=None if dtype == "stored" else dtype)
        return [loader.line(EPOCH, i) for i in range(loader.num_batches())]

    def check(self, where, *more):
        for dtype in ("stored", "float16", "bfloat16", "int8"):
            with self.subTest(dtype):
                self.assertEqual(
                    sampling.lines(where, fanouts="5,3", seed=SEED,
                                   epoch=EPOCH, batch_size=BATCH_SIZE,
                                   flags=["--feature-dtype", dtype, *more]),
                    self.expected(dtype))

    def test_folders(self):
        for parts, graph in self.made.items():
            with self.subTest(parts=parts):
                self.check(graph)
        self.check(self.made[2], "--mode", "mp", "--num-workers", 2)

    def test_fleets(self):
        for flags in ((), ("--feature-memory", "paged")):
            with processes.Fleet(self.made[5], ["0,3", "1,4", "2"],
                                 *flags) as fleet:
                self.check(("servers", fleet.addresses()))

    def test_hot_rows(self):
        graph = self.partition("hot", 2)
        processes.run_ok("cache", "--graph", graph, "--hot-cache", 0.5,
                         "--input-nodes", "train", "--num-neighbors", "5,3",
                         "--batch-size", BATCH_SIZE)
        self.assertIn("are their owners'", processes.run_ok("verify", graph))
        with processes.Fleet(graph, ["0", "1"]) as fleet:
            self.check(("servers", fleet.addresses()))

    def test_numpy_opens_the_rows(self):
        stored = self.graph.node_types[graphs.NODE].x
        values, scale = precision.to_int8(stored)
        seen = 0
        for p in range(2):
            at = os.path.join(self.made[2], f"part-{p}/nodes/node/")
            ids = np.load(at + "orig_id.npy")
            x = np.load(at + "x.npy", mmap_mode="r")
            self.assertEqual(x.dtype, np.dtype([("value", "i1", (WIDTH,)),
                                                ("scale", "<f4")]))
            self.assertEqual(x.shape, ids.shape)
            self.assertEqual(x["value"].tobytes(), values[ids].tobytes())
            self.assertEqual(x["scale"].tobytes(), scale[ids].tobytes())
            with np.errstate(invalid="ignore", over="ignore"):
                near = x["value"] * x["scale"][:, None]
            finite = np.isfinite(stored[ids]).all(axis=1)
            self.assertTrue(np.isnan(near[~finite]).all())
            seen += int((~finite).sum())
        self.assertGreater(seen, 3)
        self.assertEqual(scale[ZEROS], 0)
        attr = np.load(os.path.join(
            self.made[1], "part-0/edges/node__to__node/edge_attr.npy"))
        self.assertEqual(attr.dtype, np.dtype([("value", "i1", (3,)),
                                               ("scale", "<f4")]))

    def test_the_schema_says_so(self):
        with open(os.path.join(self.made[2], "graph.json"),
                  encoding="utf-8") as f:
            schema = json.load(f)
        self.assertEqual(schema["node_types"][0]["x"],
                         {"dtype": "int8", "dim": WIDTH, "scaled": True})
        self.assertEqual(schema["edge_types"][0]["edge_attr"],
                         {"dtype": "int8", "dim": 3, "scaled": True})
        self.assertEqual(schema["node_types"][0]["y"],
                         {"dtype": "int64", "dim": 0})
        text = processes.run_ok("inspect", self.made[2])
        self.assertIn(f"x scaled int8[{WIDTH}], y int64", text)
        self.assertIn("edge_attr scaled int8[3]", text)
        figures = json.loads(processes.run_ok("inspect", self.made[2],
                                              "--json"))
        self.assertEqual(figures["node_types"][0]["x"],
                         schema["node_types"][0]["x"])

    def test_verify_converts_the_input_likewise(self):
        for more in ((), ("--sample", 20)):
            processes.run_ok("verify", self.made[5], "--against", self.source,
                             *FLAGS, *more)
            done = processes.run("verify", self.made[5], "--against",
                                 self.source, *more)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"scaled int8 of width {WIDTH}", done.stderr)

    def test_whole_numbers_are_refused(self):
        arrays = os.path.join(self.folder, "arrays")
        os.makedirs(arrays)
        out = os.path.join(self.folder, "whole")
        np.save(os.path.join(arrays, "num_nodes.npy"), np.array(4))
        np.save(os.path.join(arrays, "x.npy"), np.ones((4, 3), np.int32))
        np.save(os.path.join(arrays, "edge_index.npy"),
                np.array([[0, 1], [1, 2]]))
        done = processes.run("partition", "--format", "npy", "--input", arrays,
                             "--out", out, *FLAGS)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--feature-dtype int8: x of node is int32; allowed: "
                      "float16, bfloat16, float32, float64", done.stderr)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
