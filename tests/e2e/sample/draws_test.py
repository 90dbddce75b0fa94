"""Weights, times, trees and LABOR by the command line: what the second reading
of docs/sampling.md makes, whatever holds the graph and whoever samples."""

import os
import random
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs
from tests.oracle.link_batch import Links
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec

PARTS = (1, 2, 3, 5)
FLEETS = {  # name: (parts, partitions of each server)
    "1 server": (2, ["all"]),
    "3 servers": (5, ["0,3", "1,4", "2"]),
}
COLLEGEMSG = "tests/data/collegemsg"
SEED, EPOCH, BATCH_SIZE, FANOUTS = 11, 2, 16, [5, 3]

WEIGHTED = {
    "weighted": (["--draw", "weighted"], {"draw": "weighted"}),
    "weighted with replacement": (["--draw", "weighted", "--replace"],
                                  {"draw": "weighted", "replace": True}),
    "weighted in trees": (["--draw", "weighted", "--disjoint"],
                          {"draw": "weighted", "disjoint": True}),
}
SHARED = {
    "trees": (["--disjoint"], {"disjoint": True}),
    "trees, all expanded": (["--disjoint", "--expand", "all"],
                            {"disjoint": True, "expand_all": True}),
    "labor": (["--draw", "labor"], {"draw": "labor"}),
    "labor by layers": (
        ["--draw", "labor", "--layer-dependency", "--expand", "all"],
        {"draw": "labor", "layer_dependency": True, "expand_all": True}),
}
EDGE_TIME = {
    "edge times": (["--time", "edge"], {"time": "edge"}),
    "edge times with replacement": (["--time", "edge", "--replace"],
                                    {"time": "edge", "replace": True}),
    "last before": (
        ["--time", "edge", "--temporal-strategy", "last", "--strict"],
        {"time": "edge", "last": True, "strict": True}),
}
HEAVY = [("edge_weight", ">", 0.5)]
EARLY = [("edge_time", "<=", 30), ("edge_time", "!=", 7)]
SOME = [(1, ">=", 0.25), (0, "<", 3)]
PREDICATES = {
    "heavy edges": (["--edge-predicate", "edge_weight > 0.5"],
                    {"predicates": {None: HEAVY}}),
    "early edges, all expanded": (
        ["--edge-predicate", "node,to,node:edge_time<=30 and edge_time!=7",
         "--expand", "all"],
        {"predicates": {graphs.EDGE: EARLY}, "expand_all": True}),
    "edges by attributes, in trees": (
        ["--edge-predicate", "edge_attr[1] >= 0.25 and edge_attr[0] < 3",
         "--disjoint"], {"predicates": {None: SOME}, "disjoint": True}),
    "weighted by attributes": (
        ["--edge-predicate", "edge_attr[1] >= 0.25 and edge_attr[0] < 3",
         "--draw", "weighted"],
        {"predicates": {None: SOME}, "draw": "weighted"}),
    "weighted with replacement, early": (
        ["--edge-predicate", "edge_time <= 30 and edge_time != 7",
         "--draw", "weighted", "--replace"],
        {"predicates": {None: EARLY}, "draw": "weighted", "replace": True}),
    "labor of heavy edges": (
        ["--edge-predicate", "edge_weight > 5e-1", "--draw", "labor"],
        {"predicates": {None: HEAVY}, "draw": "labor"}),
    "last of heavy edges": (
        ["--edge-predicate", "edge_weight > 0.5", "--time", "edge",
         "--temporal-strategy", "last"],
        {"predicates": {None: HEAVY}, "time": "edge", "last": True}),
    "node times of heavy edges": (
        ["--edge-predicate", "edge_weight > 0.5", "--time", "node"],
        {"predicates": {None: HEAVY}, "time": "node"}),
}
MASKS = {
    "masked": (["--edge-mask", "train"], {"edge_mask": "train"}),
    "not in a mask, of one type": (
        ["--edge-predicate", "node,to,node:edge_mask[late] == 0", "--replace"],
        {"predicates": {graphs.EDGE: [("edge_mask[late]", "==", 0)]},
         "replace": True}),
    "masked and early, all expanded": (
        ["--edge-mask", "late", "--edge-predicate",
         "edge_time <= 30 and edge_time != 7", "--expand", "all"],
        {"edge_mask": "late", "predicates": {None: EARLY},
         "expand_all": True}),
    "weighted of a mask": (["--edge-mask", "train", "--draw", "weighted"],
                           {"edge_mask": "train", "draw": "weighted"}),
    "labor of a mask": (["--edge-mask", "train", "--draw", "labor"],
                        {"edge_mask": "train", "draw": "labor"}),
    "last of a mask": (
        ["--edge-mask", "train", "--time", "edge", "--temporal-strategy",
         "last"], {"edge_mask": "train", "time": "edge", "last": True}),
    "node times of a mask": (["--edge-mask", "train", "--time", "node"],
                             {"edge_mask": "train", "time": "node"}),
    "masked out-edges and in-edges, in trees": (
        ["--edge-mask", "train", "--edge-dir", "both", "--disjoint"],
        {"edge_mask": "train", "edge_dir": "both", "disjoint": True}),
    "masked and mirrored": (
        ["--edge-mask", "train", "--subgraph-type", "bidirectional"],
        {"edge_mask": "train", "subgraph": "bidirectional"}),
}
DIRECTIONS = {
    "out": (["--edge-dir", "out"], {"edge_dir": "out"}),
    "both": (["--edge-dir", "both"], {"edge_dir": "both"}),
    "both with replacement, weighted": (
        ["--edge-dir", "both", "--draw", "weighted", "--replace"],
        {"edge_dir": "both", "draw": "weighted", "replace": True}),
    "out in time": (["--edge-dir", "out", "--time", "edge"],
                    {"edge_dir": "out", "time": "edge"}),
    "last of both, by nodes' times": (
        ["--edge-dir", "both", "--time", "node", "--temporal-strategy",
         "last"], {"edge_dir": "both", "time": "node", "last": True}),
    "labor of both, all expanded": (
        ["--edge-dir", "both", "--draw", "labor", "--expand", "all"],
        {"edge_dir": "both", "draw": "labor", "expand_all": True}),
    "heavy edges out, in trees": (
        ["--edge-dir", "out", "--edge-predicate", "edge_weight > 0.5",
         "--disjoint"],
        {"edge_dir": "out", "predicates": {None: HEAVY}, "disjoint": True}),
    "no self loops": (["--edge-predicate", "self_loop == 0"],
                      {"predicates": {None: [("self_loop", "==", 0)]}}),
}
NODE_TIME = {
    "node times": (["--time", "node"], {"time": "node"}),
    "last of nodes": (["--time", "node", "--temporal-strategy", "last"],
                      {"time": "node", "last": True}),
}


class DrawsTest:
    """Of one graph: subclasses set `folder`, `source`, `columns` (flags of
    `partition`), `graph`, `inputs`, `times` (None: the nodes' own) and
    `options`."""

    @classmethod
    def partition(cls):
        cls.made = {
            parts: folders.partition(
                cls.source, os.path.join(cls.folder, f"g{parts}"), parts,
                "random" if parts < 3 else "metis", *cls.columns)
            for parts in PARTS}
        cls.lists = []
        for name, values in (("inputs", cls.inputs), ("times", cls.times)):
            cls.lists.append(os.path.join(cls.folder, name + ".npy"))
            if values is not None:
                np.save(cls.lists[-1], np.array(values, np.int64))
        cls.expected = {name: cls.expect(options)
                        for name, (_, options) in cls.options.items()}

    @classmethod
    def expect(cls, options):
        timed = "time" in options
        loader = Loader(cls.graph, cls.inputs,
                        Spec(FANOUTS, SEED, **options), BATCH_SIZE,
                        times=cls.times if timed else None)
        return [loader.line(EPOCH, i) for i in range(loader.num_batches())]

    def sample(self, where, flags, options, *more):
        times = (["--input-time", "@" + self.lists[1]]
                 if "time" in options and self.times is not None else [])
        return sampling.lines(
            where, inputs="@" + self.lists[0],
            fanouts=",".join(map(str, FANOUTS)), batch_size=BATCH_SIZE,
            seed=SEED, epoch=EPOCH, flags=[*flags, *times, *more])

    def check(self, where, *more):
        for name, (flags, options) in self.options.items():
            with self.subTest(name):
                self.assertEqual(self.sample(where, flags, options, *more),
                                 self.expected[name])

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


class RandomGraphTest(DrawsTest, unittest.TestCase):
    """Weights with zeros, equal times, masks, a hub, parallel edges,
    attributes."""

    options = {**WEIGHTED, **SHARED, **EDGE_TIME, **NODE_TIME, **PREDICATES,
               **MASKS, **DIRECTIONS}

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        rng = random.Random(3)
        n, m = 150, 1200
        rows = [(rng.randrange(n), 0 if rng.random() < 0.2 else
                 rng.randrange(n)) for _ in range(m)]
        weight = [rng.choice([0, 0.5, 1, 2.25, 100]) for _ in rows]
        time = [rng.randrange(-20, 60) for _ in rows]
        node_time = [rng.randrange(40) for _ in range(n)]
        attr = np.array([[rng.randrange(5), rng.choice([0.125, 0.25, 0.5])]
                         for _ in rows], np.float32)
        # Apart, so that all else stays as it is without them.
        train = [random.Random(e).random() < 0.7 for e in range(m)]
        cls.source = folders.write_ogb(
            os.path.join(cls.folder, "source"), n, rows,
            e=attr.tolist(),
            files={"weight": weight, "time": time, "node-time": node_time,
                   "train": train, "late": [int(t > 20) for t in time]})
        cls.columns = ["--edge-weight", "weight", "--edge-time", "time",
                       "--node-time", "node-time", "--edge-masks",
                       "train,late", "--neighbor-ids",
                       "--degrees", "--out-edges"]
        cls.graph = graphs.homogeneous(n, rows, attr=attr)
        cls.graph.node_types[graphs.NODE].time = node_time
        edges = cls.graph.edge_types[graphs.EDGE]
        edges.weight, edges.time = weight, time
        edges.masks = {"train": train, "late": [t > 20 for t in time]}
        cls.inputs = [rng.randrange(n) for _ in range(40)]
        cls.times = None
        cls.partition()

    def test_negatives_in_time(self):
        links = [(v, v * 7 % 150) for v in self.inputs]
        times = [v % 30 - 1 for v in self.inputs]  # some before all nodes
        paths = [os.path.join(self.folder, "links" + end)
                 for end in (".csv", ".npy")]
        with open(paths[0], "w") as f:
            f.writelines(f"{u},{v}\n" for u, v in links)
        np.save(paths[1], np.array(times, np.int64))
        with processes.Fleet(self.made[5], ["0,3", "1,4", "2"]) as fleet:
            for mode, amount, flags, before, strict, power in (
                    ("triplet", 3, (), False, False, 0),
                    ("binary", 2, ("--strict",), True, False, 0),
                    ("destination", 2, ("--neg-strict",), False, True, 0),
                    ("binary", 2, ("--neg-degree-power", 0.75), False, False,
                     0.75)):
                spec = Links(Spec(FANOUTS, SEED, time="node", strict=before),
                             negatives=mode, amount=amount, strict=strict,
                             accept=True, degree_power=power)
                loader = Loader(self.graph, links, spec, BATCH_SIZE,
                                times=times)
                expected = [loader.line(EPOCH, i)
                            for i in range(loader.num_batches())]
                for where in (self.made[1], self.made[3],
                              ("servers", fleet.addresses())):
                    with self.subTest(mode=mode, where=where):
                        self.assertEqual(sampling.lines(
                            where, inputs=None, fanouts="5,3",
                            batch_size=BATCH_SIZE, seed=SEED, epoch=EPOCH,
                            flags=["--kind", "link", "--input-edges",
                                   "@" + paths[0], "--input-time",
                                   "@" + paths[1], "--time", "node",
                                   "--neg-sampling", mode, "--neg-amount",
                                   amount, "--on-exhausted", "accept",
                                   *flags]), expected)


    def test_enclosing_subgraphs(self):
        links = [(v, v * 7 % 150) for v in self.inputs[:20]]
        path = os.path.join(self.folder, "pairs.csv")
        with open(path, "w") as f:
            f.writelines(f"{u},{v}\n" for u, v in links)
        for fanouts in ([-1], [3, 2]):
            spec = Links(Spec(fanouts, SEED, subgraph="induced",
                              disjoint=True), enclosing=True)
            loader = Loader(self.graph, links, spec, 8)
            expected = [loader.line(EPOCH, i)
                        for i in range(loader.num_batches())]
            with processes.Fleet(self.made[5], ["0,3", "1,4", "2"]) as fleet:
                for where in (self.made[1], self.made[3],
                              ("servers", fleet.addresses())):
                    with self.subTest(fanouts=fanouts, where=where):
                        self.assertEqual(sampling.lines(
                            where, inputs=None, batch_size=8, seed=SEED,
                            epoch=EPOCH, fanouts=",".join(map(str, fanouts)),
                            flags=["--kind", "link", "--input-edges",
                                   "@" + path, "--enclosing"]), expected)


class CollegeMsgTest(DrawsTest, unittest.TestCase):
    """Who received a message, just when it came."""

    options = {**SHARED, **EDGE_TIME}

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.source = COLLEGEMSG
        cls.columns = ["--edge-time", "edge-time", "--edge-splits", "time",
                       "--neighbor-ids"]
        cls.graph = graphs.read_ogb(COLLEGEMSG)
        time = [int(row[0]) for row in graphs.rows_of(
            os.path.join(COLLEGEMSG, "raw", "edge-time"))]
        edges = cls.graph.edge_types[graphs.EDGE]
        edges.time = time
        some = range(20_000, 20_040)
        cls.inputs = [edges.edges[e][1] for e in some]
        cls.times = [time[e] for e in some]
        cls.partition()


if __name__ == "__main__":
    unittest.main()
