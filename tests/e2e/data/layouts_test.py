"""A batch is the same whatever holds the graph and whoever makes it."""

import os
import unittest

from tests.e2e import folders, processes, sampling

PARTS = (1, 2, 3, 4, 7)
FLEETS = {  # name: (parts, partitions of each server)
    "1 server": (4, ["all"]),
    "2 servers": (4, ["0,1", "2,3"]),
    "3 servers": (7, ["0,3,6", "1,4", "2,5"]),
    "4 servers, all replicated": (4, ["0,1", "2,3", "0,1", "2,3"]),
    "2 servers with all": (2, ["all", "all"]),
    "3 servers, one overlap": (3, ["0,1", "1,2", "2"]),
}


class LayoutTest:
    """Of one graph: subclasses set `graphs` ((parts, method) -> folder) and
    `expected`, and how they sample."""

    def test_folders(self):
        for (parts, method), graph in self.graphs.items():
            with self.subTest(parts=parts, method=method):
                self.assertEqual(self.sample(graph), self.expected)

    def test_threads(self):
        graph = self.graphs[4, "metis"]
        for threads in (1, 3, 8):
            with self.subTest(threads=threads):
                self.assertEqual(
                    self.sample(graph, "--threads", threads), self.expected)

    def test_fleets(self):
        for name, (parts, held) in FLEETS.items():
            with self.subTest(fleet=name):
                graph = self.graphs[parts, "metis"]
                with processes.Fleet(graph, held) as fleet:
                    self.assertEqual(
                        self.sample(("servers", fleet.addresses())),
                        self.expected)

    def test_servers_with_threads(self):
        graph = self.graphs[2, "random"]
        for threads in (1, 8):
            with self.subTest(threads=threads), processes.Fleet(
                    graph, ["0", "1"], "--threads", threads) as fleet:
                self.assertEqual(self.sample(("servers", fleet.addresses())),
                                 self.expected)

    def test_a_small_ring(self):
        where = self.graphs[3, "random"]
        largest = max(int(line.split()[-1]) for line in self.expected)
        self.assertEqual(
            self.sample(where, "--buffer-size", 3 * largest + (64 << 10)),
            self.expected)

    def test_another_epoch_seed_or_index_differs(self):
        graph = self.graphs[1, "random"]
        digests = [line.split()[2] for line in self.expected]
        self.assertEqual(len(set(digests)), len(digests))
        for change in ({"epoch": 3}, {"seed": 12}):
            other = [line.split()[2]
                     for line in self.sample(graph, **change)]
            self.assertFalse(set(other) & set(digests), change)


class CoraTest(LayoutTest, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graphs = {
            (parts, method): folders.partition(
                folders.CORA, os.path.join(folder, f"{method}{parts}"), parts,
                method)
            for parts in PARTS for method in ("random", "metis")}
        cls.expected = cls.sample(cls.graphs[1, "random"])
        assert len(cls.expected) == 5

    @staticmethod
    def sample(where, *flags, **options):
        return sampling.lines(where, flags=flags, **options)


class WalkTest(CoraTest):
    """Random walks that look back, and so ask two partitions for a step."""

    @staticmethod
    def sample(where, *flags, **options):
        walk = ("--kind", "walk", "--walk-length", 12, "--walks-per-node", 3,
                "--restart-prob", 0.1, "--p", 4, "--q", 0.5)
        return sampling.lines(where, fanouts=None, flags=(*walk, *flags),
                              **options)


class PprTest(CoraTest):
    """PPR top-k: rounds of questions about rows, and nothing that is drawn."""

    @staticmethod
    def sample(where, *flags, **options):
        ppr = ("--kind", "ppr", "--top-k", 10, "--epsilon", 0.001)
        return sampling.lines(where, fanouts=None, flags=(*ppr, *flags),
                              **options)


class LayerwiseTest(CoraTest):
    """Layers, whose draws are of all partitions' nodes together."""

    @staticmethod
    def sample(where, *flags, **options):
        layers = ("--kind", "layerwise", "--nodes-per-layer", "40,30")
        return sampling.lines(where, fanouts=None, flags=(*layers, *flags),
                              **options)


class LinkTest(CoraTest):
    """Links of a file, two negatives for each, which ask for edges."""

    @classmethod
    def setUpClass(cls):
        cls.links = os.path.join(
            cls.enterClassContext(processes.temporary_folder()), "links.csv")
        with open(cls.links, "w") as f:
            f.writelines(f"{i * i % 2708},{i * 7 % 2708}\n"
                         for i in range(140))
        super().setUpClass()

    NEGATIVES = ("binary", "--neg-amount", 2, "--neg-strict")

    @classmethod
    def sample(cls, where, *flags, **options):
        links = ("--kind", "link", "--input-edges", "@" + cls.links,
                 "--neg-sampling", *cls.NEGATIVES)
        return sampling.lines(where, inputs=None, flags=(*links, *flags),
                              **options)


class OwnNegativesTest(LinkTest):
    """The same links, with a list of destinations for each."""

    @classmethod
    def setUpClass(cls):
        own = os.path.join(
            cls.enterClassContext(processes.temporary_folder()), "own.csv")
        with open(own, "w") as f:
            f.writelines(f"{i * 31 % 2708},{i * i * 3 % 2708},{i}\n"
                         for i in range(140))
        cls.NEGATIVES = ("triplet", "--neg-destination", "@" + own)
        super().setUpClass()


class InducedTest(CoraTest):
    """A subgraph of its own for each input, with edges of all partitions."""

    @staticmethod
    def sample(where, *flags, **options):
        return sampling.lines(
            where, fanouts="6,4",
            flags=("--disjoint", "--subgraph-type", "induced", *flags),
            **options)


class RmatTest(LayoutTest, unittest.TestCase):
    """Hubs and isolated nodes; inputs by a list with duplicates."""

    INPUTS = ",".join(str(i * i % 1000) for i in range(100))

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graphs = {(parts, method): os.path.join(folder, f"{method}{parts}")
                      for parts in PARTS for method in ("random", "metis")}
        for (parts, method), out in cls.graphs.items():
            processes.run_ok("generate", "rmat", "--scale", 10, "--edges",
                             20000, "--feat-dim", 5, "--random-seed", 3,
                             "--num-parts", parts, "--method", method,
                             "--out", out)
        cls.expected = cls.sample(cls.graphs[1, "random"])
        assert len(cls.expected) == 7
        cls.both_ways = os.path.join(folder, "both-ways")
        processes.run_ok("generate", "rmat", "--scale", 10, "--edges", 20000,
                         "--feat-dim", 5, "--random-seed", 3, "--num-parts",
                         2, "--out-edges", "--out", cls.both_ways)

    def test_out_edges_change_no_batch_of_in_edges(self):
        processes.run_ok("verify", self.both_ways)
        self.assertEqual(self.sample(self.both_ways), self.expected)
        out = self.sample(self.both_ways, "--edge-dir", "out")
        self.assertEqual(len(out), len(self.expected))
        self.assertNotEqual(out, self.expected)

    @classmethod
    def sample(cls, where, *flags, **options):
        return sampling.lines(where, inputs=cls.INPUTS, fanouts="15,10,5",
                              batch_size=16, flags=flags, **options)


if __name__ == "__main__":
    unittest.main()
