"""--omit-edge-ids: batches of the oracle, less their e_id, whatever holds the graph and
whoever samples."""

import os
import random
import unittest

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs
from tests.oracle.layerwise_batch import Layerwise
from tests.oracle.link_batch import Links
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec

PARTS, HELD = 4, ["0,3", "1", "2"]
SEED, EPOCH, BATCH_SIZE = 11, 2, 16


class OmittedTest:
    """Of one graph: subclasses make the source and say how it is sampled."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        source = os.path.join(cls.folder, "source")
        cls.graph = cls.make(source)
        cls.made = folders.partition(source, os.path.join(cls.folder, "made"), PARTS,
                                     "random", *cls.PARTITION)
        fleet = cls.enterClassContext(processes.Fleet(cls.made, HELD))
        cls.places = {"here": (cls.made, []),
                      "3 servers": (("servers", fleet.addresses()), []),
                      "mp": (cls.made, ["--mode", "mp", "--num-workers", 2])}

    def check(self, spec, ids, inputs, fanouts, *flags):
        def lines(where, more):
            return sampling.lines(
                where, inputs=inputs, fanouts=fanouts, batch_size=BATCH_SIZE, seed=SEED,
                epoch=EPOCH, flags=[*flags, *more])

        expected, whole = ([loader.line(EPOCH, i) for i in range(loader.num_batches())]
                           for loader in (Loader(self.graph, ids, spec, BATCH_SIZE,
                                                 omit_edge_ids=omit)
                                          for omit in (True, False)))
        for name, (where, more) in self.places.items():
            with self.subTest(place=name, flags=flags):
                self.assertEqual(lines(where, ["--omit-edge-ids", *more]), expected)
        self.assertEqual(lines(self.made, []), whole)
        # Counts of edges are the same, without what they were counted by.
        self.assertEqual([line.split()[5] for line in expected],
                         [line.split()[5] for line in whole])


class HomogeneousTest(OmittedTest, unittest.TestCase):
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
                (("--replace",), {"replace": True}),
                (("--disjoint",), {"disjoint": True}),
                (("--edge-dir", "out"), {"edge_dir": "out"}),
                (("--edge-dir", "both"), {"edge_dir": "both"}),
                (("--subgraph-type", "induced"), {"subgraph": "induced"}),
                (("--subgraph-type", "bidirectional"), {"subgraph": "bidirectional"})):
            self.check(Spec([4, 2], SEED, **options), train, "train", "4,2", *flags)
        self.check(Layerwise([9, 5], SEED), train, "train", None, "--kind", "layerwise",
                   "--nodes-per-layer", "9,5")

    def test_links_without_their_own_edges(self):
        links = [(v, v * 7 % self.N) for v in range(40)]
        path = os.path.join(self.folder, "links.csv")
        with open(path, "w", encoding="ascii") as f:
            f.writelines(f"{u},{v}\n" for u, v in links)
        flags = ["--kind", "link", "--input-edges", "@" + path]
        self.check(Links(Spec([3, 2], SEED), negatives="triplet", amount=2), links, None,
                   "3,2", *flags, "--neg-sampling", "triplet", "--neg-amount", 2)


class TypedTest(OmittedTest, unittest.TestCase):
    """A relation without edges, nodes without relations among the types."""
    PARTITION = ()

    @classmethod
    def make(cls, folder):
        folders.random_hetero(folder, random.Random(4))
        return graphs.read_ogb(folder)

    def test_types(self):
        users = self.graph.split("user", "train")
        self.check(Spec([3, 2], SEED, "user"), users, "user:train", "3,2")


if __name__ == "__main__":
    unittest.main()
