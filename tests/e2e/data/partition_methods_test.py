"""`partition --method`: placements as docs/graph-format.md defines them, and
those of the user."""

import gzip
import os
import random
import unittest

import numpy as np

from tests.e2e import folders, processes


def ldg(num_nodes, edges, parts, permille=1050):
    """The program of docs/graph-format.md."""
    capacity = -(-num_nodes * permille // (1000 * parts))
    neighbours = [[] for _ in range(num_nodes)]
    for u, v in edges:
        if u != v:
            neighbours[max(u, v)].append(min(u, v))
    load, placed = [0] * parts, []
    for v in range(num_nodes):
        def rank(p):
            room = ((capacity - load[p]) << 32) // capacity
            count = sum(placed[u] == p for u in neighbours[v])
            return (count * room, room, -p)
        best = max((p for p in range(parts) if load[p] < capacity), key=rank)
        load[best] += 1
        placed.append(best)
    return placed


class PartitionMethodsTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def path(self, name):
        return os.path.join(self.folder, name)

    def partition(self, source, name, *flags):
        processes.run_ok("partition", "--input", source, "--format", "ogb",
                         "--out", self.path(name), *flags)
        processes.run_ok("verify", self.path(name))
        return self.path(name)

    def node_map(self, graph, node_type="node"):
        return np.load(os.path.join(graph, "node_map", node_type + ".npy"))

    def test_ldg_places_cora_as_the_document_says(self):
        with gzip.open(os.path.join(folders.CORA, "raw", "edge.csv.gz"),
                       "rt") as f:
            edges = [tuple(map(int, line.split(","))) for line in f]
        for parts, flags, permille in ((4, (), 1050),
                                       (7, ("--imbalance", "1.2"), 1200)):
            graph = self.partition(folders.CORA, f"cora{parts}", "--method",
                                   "ldg", "--num-parts", str(parts), *flags)
            placed = ldg(2708, edges, parts, permille)
            self.assertEqual(list(self.node_map(graph)), placed)

    def test_reversed_edges_place_nodes_alike(self):
        rng = random.Random(1)
        rows = [(rng.randrange(60), rng.randrange(60)) for _ in range(300)]
        source = folders.write_ogb(self.path("in"), 60, rows)
        for method in ("ldg", "metis"):
            flags = ("--method", method, "--num-parts", "3")
            plain = self.partition(source, method, *flags)
            both = self.partition(source, method + "2", *flags,
                                  "--add-reverse")
            np.testing.assert_array_equal(self.node_map(plain),
                                          self.node_map(both))

    def test_types_are_balanced(self):
        for method in ("ldg", "metis"):
            graph = self.partition(folders.AIFB, method, "--method", method,
                                   "--num-parts", "3", "--balance", "types",
                                   "--imbalance", "1.1")
            for file in os.listdir(os.path.join(graph, "node_map")):
                if file.endswith(".ranks.npy"):
                    continue
                placed = self.node_map(graph, file[:-len(".npy")])
                sizes = np.bincount(placed, minlength=3)
                self.assertLessEqual(max(sizes), 1.1 * len(placed) / 3 + 1,
                                     (method, file, sizes))

    def test_a_placement_of_the_user(self):
        rng = np.random.default_rng(2)
        placed = rng.integers(0, 5, 2708)
        np.save(self.path("parts.npy"), placed.astype(np.uint16))
        with open(self.path("parts"), "w") as f:
            f.write("".join(f"{p}\n" for p in placed))
        for name in ("parts.npy", "parts"):
            graph = self.partition(folders.CORA, "of_" + name, "--num-parts",
                                   "5", "--assignment", self.path(name))
            np.testing.assert_array_equal(self.node_map(graph), placed)
        again = self.partition(folders.CORA, "again", "--num-parts", "5",
                               "--assignment", os.path.join(graph, "node_map"))
        np.testing.assert_array_equal(self.node_map(again), placed)

    def test_the_folder_of_another_graph_places_types(self):
        first = self.partition(folders.AIFB, "first", "--num-parts", "3",
                               "--random-seed", "4")
        again = self.partition(folders.AIFB, "again", "--num-parts", "3",
                               "--assignment",
                               os.path.join(first, "node_map"))
        for file in os.listdir(os.path.join(first, "node_map")):
            with open(os.path.join(first, "node_map", file), "rb") as a, \
                    open(os.path.join(again, "node_map", file), "rb") as b:
                self.assertEqual(a.read(), b.read(), file)

    def test_wrong_flags_are_one_clear_error(self):
        np.save(self.path("short.npy"), np.zeros(7, np.int64))
        for code, text, flags in (
                (2, "allowed: random, metis, ldg, assignment",
                 ("--method", "kway")),
                (2, "--balance has the name \"size\"",
                 ("--method", "ldg", "--balance", "size")),
                (2, "--balance is not for --method random",
                 ("--balance", "nodes")),
                (2, "--imbalance", ("--method", "ldg", "--imbalance", "0.9")),
                (2, "--objective", ("--method", "metis", "--objective", "x")),
                (2, "needs --assignment", ("--method", "assignment")),
                (1, "has no training nodes", ("--balance", "train",
                                              "--method", "metis",
                                              "--num-parts", "2")),
                (1, "short.npy has 7 rows", ("--assignment",
                                             self.path("short.npy")))):
            with self.subTest(flags=flags):
                source = folders.CORA
                if "train" in flags:
                    source = folders.write_ogb(self.path("in"), 9,
                                               folders.SEVEN_ROWS)
                done = processes.run("partition", "--input", source, "--out",
                                     self.path("out"), *flags)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertFalse(os.path.exists(self.path("out")))


if __name__ == "__main__":
    unittest.main()
