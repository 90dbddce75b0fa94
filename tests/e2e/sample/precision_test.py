"""--feature-dtype: what the second reading of docs/sampling.md makes, whatever
holds the graph and whoever samples."""

import os
import random
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs, precision
from tests.oracle.layerwise_batch import Layerwise
from tests.oracle.link_batch import Links
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec
from tests.oracle.ppr_batch import Ppr
from tests.oracle.walk_batch import Walk

PARTS = (1, 2, 3, 5)
FLEETS = {  # name: (parts, partitions of each server)
    "1 server": (2, ["all"]),
    "3 servers": (5, ["0,3", "1,4", "2"]),
}
SEED, EPOCH, BATCH_SIZE = 11, 2, 16
# What rounding, overflow and the lack of numbers are seen at.
ODD = ["nan", "inf", "-inf", "-0.0", "65519.99", "65520", "-1e30", "3.4e38",
       "1e-8", "2.98e-8", "-1e-40", "1.00048828125", "1.00390625"]


class PrecisionTest:
    """Of one graph: subclasses make `source` and say how it is sampled."""

    INPUTS, FANOUTS = "train", "5,3"

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph, inputs, spec = cls.make(os.path.join(cls.folder, "source"))
        cls.made = {
            parts: folders.partition(
                os.path.join(cls.folder, "source"),
                os.path.join(cls.folder, f"g{parts}"), parts,
                "random" if parts < 3 else "metis")
            for parts in PARTS}
        cls.expected = {
            dtype: cls.lines_of(Loader(cls.graph, inputs, spec, BATCH_SIZE,
                                       feature_dtype=dtype))
            for dtype in precision.LOWER}
        cls.stored = cls.lines_of(Loader(cls.graph, inputs, spec, BATCH_SIZE))

    @staticmethod
    def lines_of(loader):
        return [loader.line(EPOCH, i) for i in range(loader.num_batches())]

    def sample(self, where, *flags):
        return sampling.lines(where, inputs=self.INPUTS, fanouts=self.FANOUTS,
                              batch_size=BATCH_SIZE, seed=SEED, epoch=EPOCH,
                              flags=flags)

    def check(self, where, *more):
        for dtype, expected in self.expected.items():
            with self.subTest(dtype):
                self.assertEqual(
                    self.sample(where, "--feature-dtype", dtype, *more),
                    expected)
        self.assertEqual(
            self.sample(where, "--feature-dtype", "stored", *more),
            self.stored)

    def test_folders_and_threads(self):
        for parts in PARTS:
            for threads in (1, 4):
                with self.subTest(parts=parts, threads=threads):
                    self.check(self.made[parts], "--threads", threads)

    def test_fleets(self):
        for name, (parts, held) in FLEETS.items():
            for threads in (1, 4):
                with self.subTest(fleet=name, threads=threads), \
                        processes.Fleet(self.made[parts], held, "--threads",
                                        threads) as fleet:
                    self.check(("servers", fleet.addresses()))


class HomogeneousTest(PrecisionTest, unittest.TestCase):
    N = 90

    @classmethod
    def make(cls, folder):
        rng = random.Random(5)
        rows = [(rng.randrange(cls.N), rng.randrange(cls.N))
                for _ in range(700)]
        cell = lambda: (rng.choice(ODD) if rng.random() < 0.1
                        else f"{rng.gauss(0, 1):.9g}")
        x = [[cell() for _ in range(19)] for _ in range(cls.N)]
        attr = [[cell() for _ in range(3)] for _ in rows]
        train = list(range(0, cls.N, 2))
        folders.write_ogb(folder, cls.N, rows, x, [[v % 5] for v in
                                                   range(cls.N)],
                          {"train": train}, attr)
        return graphs.read_ogb(folder), train, Spec([5, 3], SEED)

    def test_worker_processes(self):
        self.check(self.made[3], "--mode", "mp", "--num-workers", 2)

    def check_kind(self, spec, inputs, given, fanouts, *flags):
        for dtype in precision.LOWER:
            with self.subTest(flags=flags, dtype=dtype):
                loader = Loader(self.graph, inputs, spec, BATCH_SIZE,
                                feature_dtype=dtype)
                self.assertEqual(sampling.lines(
                    self.made[3], inputs=given, fanouts=fanouts,
                    batch_size=BATCH_SIZE, seed=SEED, epoch=EPOCH,
                    flags=[*flags, "--feature-dtype", dtype]),
                    self.lines_of(loader))

    def test_every_kind(self):
        train = self.graph.split(graphs.NODE, "train")
        self.check_kind(Spec([4, 2], SEED, subgraph="induced"), train,
                        "train", "4,2", "--subgraph-type", "induced")
        self.check_kind(Spec([4, 2], SEED, disjoint=True), train, "train",
                        "4,2", "--disjoint")
        self.check_kind(Walk(6, SEED, 2), train, "train", None, "--kind",
                        "walk", "--walk-length", 6, "--walks-per-node", 2)
        self.check_kind(Ppr(8, SEED, 0.25, 0.001), train, "train", None, "--kind",
                        "ppr", "--top-k", 8, "--alpha", 0.25, "--epsilon",
                        0.001)
        self.check_kind(Layerwise([9, 5], SEED), train, "train", None,
                        "--kind", "layerwise", "--nodes-per-layer", "9,5")
        links = [(v, v * 7 % self.N) for v in range(40)]
        path = os.path.join(self.folder, "links.csv")
        with open(path, "w", encoding="ascii") as f:
            f.writelines(f"{u},{v}\n" for u, v in links)
        self.check_kind(Links(Spec([3, 2], SEED), negatives="triplet",
                              amount=2), links, None, "3,2", "--kind", "link",
                        "--input-edges", "@" + path, "--neg-sampling",
                        "triplet", "--neg-amount", 2)

    def test_files_of_batches(self):
        out = os.path.join(self.folder, "out")
        for dtype in precision.LOWER:
            self.sample(self.made[2], "--feature-dtype", dtype, "--out", out)
            with np.load(os.path.join(out, f"batch-{EPOCH}-0.npz")) as file:
                made = dict(file)
            x, stored = made["x"], self.graph.node_types[graphs.NODE].x
            expected = precision.LOWER[dtype](stored[made["n_id"]])
            if dtype == "int8":
                expected, scale = expected
                self.assertEqual(made["x_scale"].tobytes(), scale.tobytes())
                self.near(x * made["x_scale"][:, None], stored[made["n_id"]])
            self.assertEqual(x.dtype, expected.dtype)
            self.assertEqual(x.tobytes(), expected.tobytes())
            if dtype == "bfloat16":  # what its users do with it
                wide = (x.view(np.uint16).astype(np.uint32) << 16).view(
                    np.float32)
                self.assertEqual(wide.shape, x.shape)

    def near(self, made, stored):
        """Half a unit off at most, in rows without odd numbers."""
        plain = np.isfinite(stored).all(axis=1)
        most = np.abs(stored[plain]).max(axis=1, keepdims=True)
        off = np.abs(made[plain] - stored[plain])
        self.assertTrue(np.all(off <= most / 254 * 1.001))
        self.assertGreater(plain.sum(), 9)
        self.assertTrue(np.isnan(made[~plain]).all())

    def test_less_travels(self):
        size = lambda lines: sum(int(line.split()[-1]) for line in lines)
        self.assertLess(size(self.expected["float16"]),
                        0.75 * size(self.stored))
        self.assertEqual(size(self.expected["float16"]),
                         size(self.expected["bfloat16"]))
        self.assertLess(size(self.expected["int8"]),
                        size(self.expected["float16"]))

    def test_columns_that_are_not_there(self):
        bare = folders.write_ogb(os.path.join(self.folder, "bare"), 7,
                                 folders.SEVEN_ROWS)
        graph = folders.partition(bare, os.path.join(self.folder, "bare1"), 1)
        for where in (graph, None):
            with processes.Server(graph) as server:
                done = processes.run(*sampling.arguments(
                    where or ("servers", server.address), inputs="0,1",
                    fanouts="2", flags=["--feature-dtype", "float16"]))
            self.assertEqual(done.returncode, 1)
            self.assertIn("feature_dtype: float16, but what is collected has "
                          "no floating features: there are none; allowed: "
                          "stored", done.stderr)


class TypedTest(PrecisionTest, unittest.TestCase):
    """Types with features of several widths and none, with attributes."""

    INPUTS, FANOUTS = "user:train", "3,2"

    @classmethod
    def make(cls, folder):
        folders.random_hetero(folder, random.Random(4))
        graph = graphs.read_ogb(folder)
        return graph, graph.split("user", "train"), Spec([3, 2], SEED, "user")


if __name__ == "__main__":
    unittest.main()
