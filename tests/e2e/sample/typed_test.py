"""Typed graphs that the test makes up, with features, labels and attributes."""

import dataclasses
import gzip
import json
import os
import random
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.e2e.typed import HELD, TypedTest
from tests.oracle import graph as graphs
from tests.oracle.link_batch import Links
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec


class MadeUpTest(TypedTest, unittest.TestCase):
    """With features, labels and attributes."""

    INPUT_TYPE, FANOUTS = "user", (3, 2, -1)
    BY_TYPE = {("user", "knows", "user"): (4, 0, 2),
               ("item", "has", "tag"): (0, 0, 0)}
    BATCH_SIZE = 7

    @staticmethod
    def make_source(folder):
        return folders.random_hetero(folder, random.Random(5))

    def test_names(self):
        with processes.temporary_folder() as out:
            self.sample(self.graphs[2], "--out", out)
            with np.load(f"{out}/batch-1-0.npz") as made:
                names = set(made.files)
        self.assertTrue({"x/user", "y/user", "x/item", "n_id/ghost",
                         "edge_attr/user__buys__item",
                         "edge_index/ghost__haunts__user"} <= names, names)
        # No label, no feature, not planned.
        self.assertFalse({"y/item", "x/ghost", "n_id/alone", "batch_size/item",
                          "e_id/item__has__tag"} & names)

    TYPES = [("item", "has", "tag"), ("user", "buys", "item"),
             ("user", "knows", "user")]

    def lists_of(self, name, rows):
        """TYPE:@FILE of each type."""
        lists = []
        for t in self.TYPES:
            path = os.path.join(self.folder, f"{name}-{t[1]}.csv")
            with open(path, "w") as f:
                f.writelines(",".join(map(str, row)) + "\n"
                             for row in rows[t])
            lists.append(f"{','.join(t)}:@{path}")
        return ";".join(lists)

    def links(self, rng, labelled):
        """Of each type, edges and pairs that are none."""
        count = lambda t: self.oracle.graph.node_types[t].count
        links = {}
        for number, t in zip((9, 40, 25), self.TYPES):
            edges = self.oracle.graph.edge_types[t].edges
            pairs = [rng.choice(edges)[:2] if rng.random() < 0.5 else
                     (rng.randrange(count(t[0])), rng.randrange(count(t[2])))
                     for _ in range(number)]
            links[t] = [(*pair, rng.randrange(1, 5)) if labelled else pair
                        for pair in pairs]
        return links

    def check_links(self, spec, links, flags, disjoint=False):
        """Of several types in one session: from folders and from a fleet."""
        spec = dataclasses.replace(
            spec, neighbours=Spec([2, 2], self.SEED, disjoint=disjoint),
            types={t: len(rows) for t, rows in links.items()})
        oracle = Loader(self.oracle.graph,
                        [link for t in self.TYPES for link in links[t]], spec,
                        self.BATCH_SIZE)
        expected = [oracle.line(self.EPOCH, g)
                    for g in range(oracle.num_batches())]
        flags = ["--kind", "link", "--input-edges",
                 self.lists_of("links", links), *flags,
                 *(["--disjoint"] if disjoint else [])]
        with processes.Fleet(self.graphs[5], HELD[5]) as fleet:
            for where, threads in ((self.graphs[1], 1), (self.graphs[3], 4),
                                   (("servers", fleet.addresses()), 2)):
                with self.subTest(where=where, flags=flags[4:]):
                    self.assertEqual(sampling.lines(
                        where, inputs=None, fanouts="2,2",
                        batch_size=self.BATCH_SIZE, seed=self.SEED,
                        epoch=self.EPOCH,
                        flags=[*flags, "--threads", threads]), expected)

    def test_links_of_several_edge_types(self):
        rng = random.Random(7)
        self.check_links(
            Links(None, negatives="binary", amount=1.5, strict=True,
                  accept=True), self.links(rng, True),
            ["--neg-sampling", "binary", "--neg-amount", 1.5, "--neg-strict",
             "--on-exhausted", "accept"])
        self.check_links(Links(None, negatives="destination", amount=2),
                         self.links(rng, False),
                         ["--neg-sampling", "destination", "--neg-amount", 2],
                         disjoint=True)
        links = self.links(rng, False)
        own = {t: [[rng.randrange(11) for _ in range(3)] for _ in links[t]]
               for t in self.TYPES}
        self.check_links(
            Links(None, negatives="triplet",
                  own=[row for t in self.TYPES for row in own[t]]), links,
            ["--neg-sampling", "triplet", "--neg-destination",
             self.lists_of("own", own)])

    def test_fleet_commands(self):
        graph = self.graphs[5]
        self.assertIn("ok    graph.json: source, 165 nodes, 1208 edges",
                      processes.run_ok("doctor", "--graph", graph))
        with processes.Fleet(graph, HELD[5]) as fleet:
            servers = ("--servers", fleet.addresses())
            self.assertEqual(
                processes.run_ok("status", *servers).count("graph=source"), 3)
            self.assertNotIn("fail", fleet.doctor())
            report = json.loads(processes.run_ok(
                "bench", "stream", *servers, "--input-nodes", "user:train",
                "--num-neighbors", "3,2", "--batch-size", 8, "--json"))
            self.assertEqual(report["edges"], 1208)
            self.assertGreater(report["edges_per_second"], 0)


class ReversedAndDedupedTest(TypedTest, unittest.TestCase):
    """Attributes follow the edge ids that both directions share."""

    FLAGS = ("--add-reverse", "--dedupe")
    METHOD = {5: "metis"}
    INPUT_TYPE, FANOUTS = "item", (2, -1)
    BATCH_SIZE = 4

    @staticmethod
    def make_source(folder):
        return folders.random_hetero(folder, random.Random(6))


class TotalTest(TypedTest, unittest.TestCase):
    """A fanout over all edge types together, with what it can be combined."""

    FLAGS = ("--add-reverse", "--dedupe")
    METHOD = {1: "random", 5: "metis"}
    INPUT_TYPE, FANOUTS = "item", (4, 3)
    BATCH_SIZE = 5

    @staticmethod
    def make_source(folder):
        return folders.random_hetero(folder, random.Random(8))

    def test_totals(self):
        total = ["--draw", "across_types"]
        with processes.Fleet(self.graphs[5], HELD[5]) as fleet:
            for flags, options in (
                    ([], {}), (["--replace"], {"replace": True}),
                    (["--expand", "all"], {"expand_all": True}),
                    (["--disjoint"], {"disjoint": True}),
                    (["--subgraph-type", "bidirectional"],
                     {"subgraph": "bidirectional"})):
                oracle = Loader(
                    self.oracle.graph, self.oracle.inputs,
                    dataclasses.replace(self.oracle.spec, draw="across_types",
                                        **options),
                    self.BATCH_SIZE)
                expected = [oracle.line(self.EPOCH, g)
                            for g in range(oracle.num_batches())]
                self.assertNotEqual(
                    expected, self.sample(self.graphs[1], *flags))
                for where in (*self.graphs.values(),
                              ("servers", fleet.addresses())):
                    with self.subTest(flags=flags, where=where):
                        self.assertEqual(
                            self.sample(where, *total, *flags), expected)
            with self.subTest("worker processes"):
                oracle = dataclasses.replace(self.oracle.spec,
                                             draw="across_types")
                self.assertEqual(
                    self.sample(self.graphs[5], *total, "--mode", "mp",
                                "--num-workers", 2),
                    [Loader(self.oracle.graph, self.oracle.inputs, oracle,
                            self.BATCH_SIZE).line(self.EPOCH, g)
                     for g in range(len(self.expected))])


class MaskedTest(TypedTest, unittest.TestCase):
    """Masks of two relations, whose reverse edges have their edges' values."""

    FLAGS = ("--add-reverse", "--dedupe", "--edge-masks", "train,late")
    METHOD = {1: "random", 5: "metis"}
    INPUT_TYPE, FANOUTS = "item", (3, 2)
    MASKS = {("user", "buys", "item"): {"train": 3, "late": 4},
             ("user", "knows", "user"): {"train": 5}}

    @classmethod
    def make_source(cls, folder):
        folders.random_hetero(folder, random.Random(7))
        for relation, masks in cls.MASKS.items():
            at = os.path.join(folder, "raw/relations", "___".join(relation))
            with gzip.open(os.path.join(at, "num-edge-list.csv.gz"), "rt") as f:
                edges = int(f.read())
            for name, every in masks.items():
                with open(f"{at}/{name}.csv", "w", encoding="ascii") as f:
                    f.writelines(f"{i % every != 0}\n" for i in range(edges))
        return folder

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for (src, rel, dst), masks in cls.MASKS.items():
            for t in ((src, rel, dst), (dst, "rev_" + rel, src)):
                cls.oracle.graph.edge_types[t].masks = {
                    name: [i % every != 0 for i in range(1000)]
                    for name, every in masks.items()}

    def test_masks(self):
        not_late = {("user", "buys", "item"): [("edge_mask[late]", "==", 0)]}
        knows = {None: [("self_loop", "!=", 1)]}
        with processes.Fleet(self.graphs[5], HELD[5]) as fleet:
            for flags, options in (
                    (["--edge-mask", "train"], {"edge_mask": "train"}),
                    (["--edge-mask", "late", "--edge-dir", "both"],
                     {"edge_mask": "late", "edge_dir": "both"}),
                    (["--edge-predicate",
                      "user,buys,item:edge_mask[late] == 0", "--edge-mask",
                      "train", "--edge-dir", "out"],
                     {"predicates": not_late, "edge_mask": "train",
                      "edge_dir": "out"}),
                    (["--edge-predicate", "self_loop != 1", "--edge-mask",
                      "train", "--replace"],
                     {"predicates": knows, "edge_mask": "train",
                      "replace": True})):
                oracle = Loader(
                    self.oracle.graph, self.oracle.inputs,
                    dataclasses.replace(self.oracle.spec, **options),
                    self.BATCH_SIZE)
                expected = [oracle.line(self.EPOCH, g)
                            for g in range(oracle.num_batches())]
                self.assertNotEqual(expected, self.expected)
                for where in (*self.graphs.values(),
                              ("servers", fleet.addresses())):
                    with self.subTest(flags=flags, where=where):
                        self.assertEqual(self.sample(where, *flags), expected)


class OptionsTest(unittest.TestCase):
    """With replacement, with DGL's expansion, in the order given."""

    def test_random_graphs(self):
        folder = self.enterContext(processes.temporary_folder())
        for number in range(4):
            source = folders.random_hetero(
                os.path.join(folder, f"source{number}"), random.Random(number))
            parts = number + 1
            graph = folders.partition(
                source, os.path.join(folder, f"graph{number}"), parts)
            oracle_graph = graphs.read_ogb(source)
            replace, expand_all = number % 2 == 0, number >= 2
            oracle = Loader(
                oracle_graph, oracle_graph.split("user", "train"),
                Spec([5, 3], number, "user", replace=replace,
                     expand_all=expand_all), 9, shuffle=False)
            flags = ["--shuffle", "none", "--expand",
                     "all" if expand_all else "new",
                     *(["--replace"] if replace else [])]
            with self.subTest(number):
                self.assertEqual(
                    sampling.lines(graph, inputs="user:only/train",
                                   fanouts="5,3", batch_size=9, seed=number,
                                   epoch=3, flags=flags),
                    [oracle.line(3, g) for g in range(5)])


if __name__ == "__main__":
    unittest.main()
