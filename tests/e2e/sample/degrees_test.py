"""--collect-degrees: the degrees that are counted in the list of edges, whatever
holds the graph and whoever samples."""

import os
import random
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs
from tests.oracle.layerwise_batch import Layerwise
from tests.oracle.link_batch import Links
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec

PARTS = (1, 4)
FLEETS = {  # name: (parts, partitions of each server)
    "1 server": (4, ["all"]),
    "3 servers": (4, ["0,3", "1", "2"]),
}
SEED, EPOCH, BATCH_SIZE = 11, 2, 16


class DegreesTest:
    """Of one graph: subclasses make the source and say how it is sampled."""

    # Flags of `partition`, beside --degrees.
    PARTITION = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.source = os.path.join(cls.folder, "source")
        cls.graph = cls.make(cls.source)
        cls.made = {
            parts: folders.partition(
                cls.source, os.path.join(cls.folder, f"g{parts}"), parts,
                "random", "--degrees", *cls.PARTITION)
            for parts in PARTS}

    def sample(self, where, inputs, fanouts, flags):
        return sampling.lines(
            where, inputs=inputs, fanouts=fanouts, batch_size=BATCH_SIZE,
            seed=SEED, epoch=EPOCH, flags=["--collect-degrees", *flags])

    def check(self, spec, ids, inputs, fanouts, *flags):
        loader = Loader(self.graph, ids, spec, BATCH_SIZE,
                        collect_degrees=True)
        expected = [loader.line(EPOCH, i)
                    for i in range(loader.num_batches())]
        for parts in PARTS:
            with self.subTest(parts=parts, flags=flags):
                self.assertEqual(
                    self.sample(self.made[parts], inputs, fanouts, flags),
                    expected)
        for name, addresses in self.fleets.items():
            with self.subTest(fleet=name, flags=flags):
                self.assertEqual(
                    self.sample(("servers", addresses), inputs, fanouts,
                                flags), expected)

    def setUp(self):
        self.fleets = {
            name: self.enterContext(
                processes.Fleet(self.made[parts], held)).addresses()
            for name, (parts, held) in FLEETS.items()}


class HomogeneousTest(DegreesTest, unittest.TestCase):
    N = 90
    PARTITION = ("--out-edges",)

    @classmethod
    def make(cls, folder):
        folders.random_ogb(folder, random.Random(5), cls.N, 700, True)
        return graphs.read_ogb(folder)

    def test_every_kind_with_edges(self):
        train = self.graph.split(graphs.NODE, "train")
        for flags, options in (
                ((), {}),
                (("--disjoint",), {"disjoint": True}),
                (("--expand", "all"), {"expand_all": True}),
                (("--edge-dir", "out"), {"edge_dir": "out"}),
                (("--edge-dir", "both"), {"edge_dir": "both"}),
                (("--subgraph-type", "induced"), {"subgraph": "induced"}),
                (("--subgraph-type", "bidirectional"),
                 {"subgraph": "bidirectional"})):
            self.check(Spec([4, 2], SEED, **options), train, "train", "4,2",
                       *flags)
        self.check(Layerwise([9, 5], SEED), train, "train", None, "--kind",
                   "layerwise", "--nodes-per-layer", "9,5")
        links = [(v, v * 7 % self.N) for v in range(40)]
        path = os.path.join(self.folder, "links.csv")
        with open(path, "w", encoding="ascii") as f:
            f.writelines(f"{u},{v}\n" for u, v in links)
        self.check(Links(Spec([3, 2], SEED), negatives="triplet", amount=2),
                   links, None, "3,2", "--kind", "link", "--input-edges",
                   "@" + path, "--neg-sampling", "triplet", "--neg-amount", 2)

    def test_worker_processes_and_files_of_batches(self):
        out = os.path.join(self.folder, "out")
        self.sample(self.made[4], "train", "3", [
            "--mode", "mp", "--num-workers", 2, "--out", out])
        with np.load(os.path.join(out, f"batch-{EPOCH}-0.npz")) as file:
            made = dict(file)
        rows = graphs.pairs_of(os.path.join(self.source, "raw", "edge"))
        for name, end in (("out_degree", 0), ("in_degree", 1)):
            count = np.bincount([row[end] for row in rows], minlength=self.N)
            self.assertEqual(made[name].tolist(),
                             count[made["n_id"]].tolist())

    def test_refusals(self):
        bare = folders.partition(self.source,
                                 os.path.join(self.folder, "bare"))
        for where in (bare, None):
            with processes.Server(bare) as server:
                done = processes.run(*sampling.arguments(
                    where or ("servers", server.address), fanouts="2",
                    flags=["--collect-degrees"]))
            self.assertEqual(done.returncode, 1)
            self.assertIn("stores no degrees of node,to,node; allowed: false, "
                          "or a graph partitioned with --degrees", done.stderr)
        done = processes.run(*sampling.arguments(
            self.made[1], fanouts=None,
            flags=["--collect-degrees", "--kind", "ppr", "--top-k", 3]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("collect_degrees: true, but the session's batches have "
                      "no edges; allowed: false", done.stderr)


class TypedTest(DegreesTest, unittest.TestCase):
    """A relation without edges, nodes without relations among the types."""

    @classmethod
    def make(cls, folder):
        folders.random_hetero(folder, random.Random(4))
        return graphs.read_ogb(folder)

    def test_types(self):
        users = self.graph.split("user", "train")
        self.check(Spec([3, 2], SEED, "user"), users, "user:train", "3,2")
        self.check(Spec([3, 2], SEED, "user", disjoint=True), users,
                   "user:train", "3,2", "--disjoint")


if __name__ == "__main__":
    unittest.main()
