"""Weights, times and masks, from a user's files to arrays that numpy opens."""

import gzip
import json
import os
import random
import shutil
import unittest

import numpy as np

from tests.e2e import folders, processes

EDGE = "edges/node__to__node/"
FLAGS = ("--edge-weight", "weight", "--edge-time", "edge_time", "--node-time",
         "node_time", "--edge-masks", "train,late")


def load(graph, part, name):
    return np.load(os.path.join(graph, f"part-{part}", name + ".npy"),
                   mmap_mode="r")


def contents(graph):
    with open(os.path.join(graph, "graph.json"), encoding="utf-8") as f:
        return json.load(f)["content_digest"]


def sums_of(weights):
    """docs/graph-format.md's, in numpy."""
    if weights.size == 0 or weights.max() == 0:
        return np.zeros(weights.size, np.uint64)
    scaled = np.rint(weights.astype(np.float64) / np.float64(weights.max()) *
                     4294967295)
    integers = np.where(weights == 0, 0, np.maximum(scaled, 1))
    return np.cumsum(integers.astype(np.uint64), dtype=np.uint64)


def order_of(times):
    return np.lexsort((np.arange(times.size), times))


class ColumnsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        rng = random.Random(5)
        cls.nodes = 60
        cls.rows = [(rng.randrange(60), 0 if rng.random() < 0.2 else
                     rng.randrange(50)) for _ in range(700)] + [(1, 1)] * 2
        # Rows of zeros, ties, and what only float64 holds.
        cls.weights = [0 if v % 7 == 3 else rng.choice([0, 0.1, 1, 2.5, 1e-9])
                       for _, v in cls.rows]
        cls.times = [rng.randrange(-3, 4) for _ in cls.rows]
        cls.masks = {"train": [rng.random() < 0.8 for _ in cls.rows],
                     "late": [int(t > 1) for t in cls.times]}
        cls.node_times = [rng.randrange(-10**12, 10**12, 10**11)
                          for _ in range(60)]
        cls.source = folders.write_ogb(
            os.path.join(cls.folder, "source"), cls.nodes, cls.rows,
            files={"weight": cls.weights, "edge_time": cls.times,
                   "node_time": cls.node_times, **cls.masks})

    def partition(self, name, parts, *flags):
        return folders.partition(self.source, os.path.join(self.folder, name),
                                 parts, "random", *FLAGS, *flags)

    def check_row(self, graph, part, begin, end, ids, reverse):
        """ids: of the sources, of all internal ids."""
        rows = load(graph, part, EDGE + "edge_id")[begin:end] >> reverse
        weights = load(graph, part, EDGE + "weight")[begin:end]
        np.testing.assert_array_equal(weights, np.array(self.weights)[rows])
        np.testing.assert_array_equal(
            load(graph, part, EDGE + "weight_sum")[begin:end],
            sums_of(weights))
        for name, mask in self.masks.items():
            stored = load(graph, part, EDGE + "mask." + name)[begin:end]
            self.assertEqual(stored.dtype, np.bool_)
            np.testing.assert_array_equal(stored,
                                          np.array(mask, np.bool_)[rows])
        sources = ids[load(graph, part, EDGE + "indices")[begin:end]]
        np.testing.assert_array_equal(
            load(graph, part, EDGE + "neighbor_id")[begin:end], sources)
        for name, times in (
                ("edge_time", np.array(self.times)[rows]),
                ("neighbor_time", np.array(self.node_times)[sources])):
            order = order_of(times)
            np.testing.assert_array_equal(
                load(graph, part, EDGE + name)[begin:end], times[order])
            np.testing.assert_array_equal(
                load(graph, part, EDGE + name + "_position")[begin:end], order)

    def check(self, graph, parts, reverse):
        ids = np.concatenate([load(graph, p, "nodes/node/orig_id")
                              for p in range(parts)])
        for p in range(parts):
            here = load(graph, p, "nodes/node/orig_id")
            np.testing.assert_array_equal(
                load(graph, p, "nodes/node/time"),
                np.array(self.node_times)[here])
            indptr = load(graph, p, EDGE + "indptr").astype(np.int64)
            for begin, end in zip(indptr[:-1], indptr[1:]):
                self.check_row(graph, p, begin, end, ids, reverse)

    def test_arrays_are_those_that_numpy_makes(self):
        for parts, flags in ((1, ()), (3, ()), (2, ("--add-reverse",)),
                             (3, ("--add-reverse", "--dedupe"))):
            with self.subTest(parts=parts, flags=flags):
                graph = self.partition(f"arrays-{parts}-{len(flags)}", parts,
                                       "--neighbor-ids", *flags)
                self.check(graph, parts, int("--add-reverse" in flags))

    def test_content_is_the_same_in_any_layout(self):
        one = self.partition("one", 1)
        three = self.partition("three", 3, "--neighbor-ids")
        self.assertEqual(contents(one), contents(three))
        processes.run_ok("verify", three, "--against", self.source, *FLAGS)
        self.assertNotEqual(contents(one), contents(folders.partition(
            self.source, os.path.join(self.folder, "bare"), 1)))

    def test_one_relation_of_many_has_weights_and_one_type_times(self):
        source = os.path.join(self.folder, "aifb")
        shutil.copytree(folders.AIFB, source)
        relation = "publication___author___person"
        at = os.path.join(source, "raw", "relations", relation)
        with gzip.open(os.path.join(at, "num-edge-list.csv.gz"), "rt") as f:
            edges = int(f.read())
        with gzip.open(os.path.join(at, "share.csv.gz"), "wt") as f:
            f.writelines(f"{1 + i % 3}\n" for i in range(edges))
        with gzip.open(os.path.join(at, "third.csv.gz"), "wt") as f:
            f.writelines(f"{i % 3 == 0}\n" for i in range(edges))
        flags = ("--edge-weight", "share", "--edge-masks", "third",
                 "--add-reverse")
        graph = folders.partition(source, os.path.join(self.folder, "typed"),
                                  2, "random", *flags)
        processes.run_ok("verify", graph, "--against", source, *flags)
        with open(os.path.join(graph, "graph.json"), encoding="utf-8") as f:
            types = json.load(f)["edge_types"]
            weighted = {(t["src"], t["rel"], t["dst"]): t["weight"]
                        for t in types if "weight" in t}
            masked = {(t["src"], t["rel"], t["dst"]) for t in types
                      if "masks" in t}
        self.assertEqual(masked, set(weighted))
        self.assertEqual(weighted, {
            ("publication", "author", "person"): "float32",
            ("person", "rev_author", "publication"): "float32"})
        for name in ("publication__author__person",
                     "person__rev_author__publication"):
            for p in (0, 1):
                ids = load(graph, p, f"edges/{name}/edge_id")
                np.testing.assert_array_equal(
                    load(graph, p, f"edges/{name}/weight"), 1 + ids % 3)
                np.testing.assert_array_equal(
                    load(graph, p, f"edges/{name}/mask.third"), ids % 3 == 0)


if __name__ == "__main__":
    unittest.main()
