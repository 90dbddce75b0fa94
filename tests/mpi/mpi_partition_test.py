"""tributary-partition-mpi under mpirun: what it writes, recounted by NumPy."""

import gzip
import json
import math
import os
import unittest

import numpy as np

from tests.e2e import processes
from tests.mpi.mpirun import figures, run, run_ok


def planted(nodes, edges, groups, within, seed):
    """Edges of which the share `within` has both ends in one group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, nodes)
    members = [np.flatnonzero(group == g) for g in range(groups)]
    source = rng.integers(0, nodes, edges)
    target = rng.integers(0, nodes, edges)
    inside = rng.random(edges) < within
    for g in range(groups):
        chosen = inside & (group[source] == g)
        target[chosen] = rng.choice(members[g], chosen.sum())
    return np.stack([source, target])


def undirected(edges):
    """The edges without loops and parallel edges: {(low, high)}."""
    return {(min(a, b), max(a, b)) for a, b in edges.T.tolist() if a != b}


def cut_of(pairs, parts):
    return sum(parts[a] != parts[b] for a, b in pairs)


class MpiPartitionTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def test_planted_groups_are_found_and_figures_are_true(self):
        nodes = 3000
        edges = planted(nodes, 24000, groups=4, within=0.95, seed=1)
        file = self.save("edges.npy", edges)
        out = self.path("out.npy")
        said = figures(run_ok(4, "--edges", file, "--num-nodes", nodes,
                              "--num-parts", 4, "--out", out))
        parts = np.load(out)
        self.assertEqual((parts.dtype, parts.shape), (np.uint16, (nodes,)))
        pairs = undirected(edges)
        self.assertEqual(said["edges"], len(pairs))
        self.assertEqual(said["cut"], cut_of(pairs, parts))
        # A random assignment cuts 3/4, the planted one (1 - 0.95) x 3/4.
        self.assertLess(said["cut"], 0.1 * len(pairs))
        counts = np.bincount(parts, minlength=4)
        self.assertLessEqual(counts.max(), math.ceil(1.05 * nodes / 4))
        self.assertAlmostEqual(said["balance_nodes"],
                               counts.max() * 4 / nodes, places=4)
        # The same again, and from the transposed array of another type.
        again = self.path("again.npy")
        transposed = self.save(
            "rows.npy", np.ascontiguousarray(edges.T, np.uint32))
        run_ok(4, "--edges", transposed, "--num-nodes", nodes,
               "--num-parts", 4, "--out", again)
        np.testing.assert_array_equal(np.load(again), parts)

    def test_edges_and_training_nodes_are_balanced(self):
        nodes = 2000
        edges = planted(nodes, 16000, groups=2, within=0.9, seed=2)
        file = self.save("edges.npy", edges)
        train = np.random.default_rng(3).choice(nodes, 400, replace=False)
        flags = ["--edges", file, "--num-nodes", nodes, "--num-parts", 2]
        run_ok(3, *flags, "--balance", "edges", "--out", self.path("e.npy"))
        ends = np.zeros(nodes, np.int64)
        for a, b in undirected(edges):
            ends[a] += 1
            ends[b] += 1
        parts = np.load(self.path("e.npy"))
        self.assertLessEqual(np.bincount(parts, ends).max(),
                             math.ceil(1.05 * ends.sum() / 2))
        said = figures(run_ok(3, *flags, "--balance", "train", "--train",
                              self.save("train.npy", train), "--out",
                              self.path("t.npy")))
        of_train = np.bincount(np.load(self.path("t.npy"))[train])
        self.assertLessEqual(of_train.max(), 1.05 * 200)
        self.assertAlmostEqual(said["balance_train"], of_train.max() / 200,
                               places=4)

    def test_types_share_one_graph(self):
        authors, papers = 700, 900
        rng = np.random.default_rng(4)
        writes = np.stack([rng.integers(0, authors, 4000),
                           rng.integers(0, papers, 4000)])
        cites = rng.integers(0, papers, (2, 3000))
        out = self.path("parts")
        said = figures(run_ok(
            4, "--num-nodes", f"paper={papers},author={authors}", "--edges",
            "author,writes,paper=" + self.save("w.npy", writes), "--edges",
            "paper,cites,paper=" + self.save("c.npy", cites),
            "--num-parts", 3, "--out", out))
        self.assertEqual(sorted(os.listdir(out)), ["author.npy", "paper.npy"])
        parts = np.concatenate([np.load(os.path.join(out, name))
                                for name in ("author.npy", "paper.npy")])
        self.assertEqual(len(parts), authors + papers)
        joint = np.concatenate([writes + [[0], [authors]], cites + authors], 1)
        pairs = undirected(joint)
        self.assertEqual(said["edges"], len(pairs))
        self.assertEqual(said["cut"], cut_of(pairs, parts))

    def dgl_files(self, prefix, edges, counts, weights):
        """PREFIX_*.txt of types with `counts` nodes and a list of weights."""
        rows = [f"{kind} {' '.join(map(str, weights(kind, i)))} {i} 0.5\n"
                for kind, count in enumerate(counts) for i in range(count)]
        columns = len(weights(0, 0))
        self.write(f"{prefix}_nodes.txt", "".join(rows))
        self.write(f"{prefix}_edges.txt", "".join(
            f"{a} {b} {i} 0 attribute\n"
            for i, (a, b) in enumerate(edges.T.tolist())))
        self.write(f"{prefix}_stats.txt",
                   f"{sum(counts)} {edges.shape[1]} {columns}\n")
        return self.path(prefix)

    def test_files_of_pm_dglpart(self):
        edges = planted(1000, 8000, groups=2, within=0.95, seed=5)
        prefix = self.dgl_files(
            "mag", edges, [600, 400], lambda kind, i: [int(kind == 0),
                                                       int(kind == 1)])
        self.write("mag.json", json.dumps(
            {"nid": {"paper": [0, 600], "author": [600, 1000]}, "eid": {}}))
        flags = ["--dgl-files", prefix, "--num-parts", 2]
        refused = run(2, *flags)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("2 weights of each node; PT-Scotch balances one",
                      refused.stderr)
        out = self.path("parts")
        said = figures(run_ok(4, *flags, "--balance", "weight:0",
                              "--out", out))
        lines = np.loadtxt(prefix + "_part.2", dtype=np.int64)
        np.testing.assert_array_equal(lines[:, 0], np.arange(1000))
        parts = lines[:, 1]
        np.testing.assert_array_equal(
            np.load(os.path.join(out, "paper.npy")), parts[:600])
        np.testing.assert_array_equal(
            np.load(os.path.join(out, "author.npy")), parts[600:])
        self.assertEqual(said["cut"], cut_of(undirected(edges), parts))
        self.assertLessEqual(np.bincount(parts[:600]).max(), 1.05 * 300)

    def test_lists_of_dgl_files(self):
        edges = planted(400, 3000, groups=2, within=0.9, seed=6)
        prefix = self.dgl_files("one", edges, [400], lambda *_: [1])
        run_ok(3, "--dgl-files", prefix, "--num-parts", 2)
        with open(prefix + "_nodes.txt", encoding="utf-8") as file:
            nodes = file.readlines()
        with open(prefix + "_edges.txt", encoding="utf-8") as file:
            links = file.readlines()
        self.write("n1", "".join(nodes[150:]))
        self.write("n0", "".join(nodes[:150]))
        self.write("e0", "".join(links[:1000]))
        self.write("e1", "".join(links[1000:]).rstrip())  # no newline at last
        os.rename(prefix + "_part.2", self.path("before"))
        run_ok(3, "--dgl-files", prefix, "--num-parts", 2,
               "--dgl-nfiles", self.write("nfiles.txt", (
                   f"{self.path('n1')} 150 400\n{self.path('n0')} 0 150\n")),
               "--dgl-efiles", self.write("efiles.txt", (
                   f"{self.path('e0')}\n{self.path('e1')}\n")))
        with open(prefix + "_part.2", encoding="utf-8") as file, \
                open(self.path("before"), encoding="utf-8") as before:
            self.assertEqual(file.read(), before.read())

    def refused(self, *args):
        done = run(4, *args)
        self.assertEqual(done.returncode, 1)
        left = [n for n in os.listdir(self.folder) if ".tmp-" in n]
        self.assertEqual(left, [])
        lines = [line for line in done.stderr.splitlines()
                 if line.startswith("tributary-partition-mpi:")]
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0]

    def test_wrong_files_get_one_clear_error(self):
        edges = np.array([[0, 1, 2, 5], [1, 2, 3, 0]])
        file = self.save("edges.npy", edges)
        out = self.path("out.npy")
        flags = ["--num-parts", 2, "--out", out]
        self.assertIn("edges.npy, row 3: node 5 of the type node; allowed: 0 to 4",
                      self.refused("--edges", file, "--num-nodes", 5, *flags))
        self.assertIn("[2, edges] or [edges, 2]", self.refused(
            "--edges", self.save("c.npy", np.arange(6)), "--num-nodes", 6,
            *flags))
        prefix = self.dgl_files("bad", edges[:, :3], [4], lambda *_: [1])
        self.write("bad_edges.txt", "0 1\n1 2\n2 x\n")
        dgl = ["--dgl-files", prefix, *flags]
        self.assertIn("bad_edges.txt, line 3", self.refused(*dgl))
        self.write("bad_edges.txt", "0 1\n1 2\n")
        self.assertIn("the edge files have 2 lines", self.refused(*dgl))
        self.write("bad_nodes.txt", "0 1 0\n0 1 1\n0 1 3\n0 1 2\n")
        self.assertIn("with ids that ascend from 0",
                      self.refused(*dgl))
        self.write("bad_nodes.txt", "0 1 0\n0 1 1\n")
        self.assertIn("there are 2 lines of nodes", self.refused(*dgl))
        self.assertFalse(os.path.exists(out))

    def test_an_existing_target_and_several_balances_are_refused(self):
        file = self.save("edges.npy", np.array([[0, 1], [1, 2], [2, 0]]))
        flags = ["--edges", file, "--num-nodes", 3, "--num-parts", 2]
        self.assertIn("ALREADY_EXISTS", self.refused(*flags, "--out", file))
        done = run(2, *flags, "--out", self.path("x"), "--balance",
                   "nodes,train")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--method metis --balance nodes,train", done.stderr)

    def test_speed_finds_planted_groups_too(self):
        nodes = 3000
        edges = planted(nodes, 24000, groups=4, within=0.95, seed=1)
        out = self.path("out.npy")
        flags = ["--edges", self.save("edges.npy", edges), "--num-nodes",
                 nodes, "--num-parts", 4]
        said = figures(run_ok(4, *flags, "--strategy", "speed", "--out", out))
        parts = np.load(out)
        pairs = undirected(edges)
        self.assertEqual(said["cut"], cut_of(pairs, parts))
        self.assertLess(said["cut"], 0.5 * len(pairs))  # random: 3/4
        self.assertLessEqual(np.bincount(parts, minlength=4).max(),
                             math.ceil(1.05 * nodes / 4))
        done = run(2, *flags, "--strategy", "fast", "--out", out)
        self.assertEqual(done.returncode, 2)
        self.assertIn('--strategy "fast"\nallowed: quality, speed',
                      done.stderr)

    def test_memory_is_estimated_before_edges_are_read(self):
        # Reading would end with another error: 2^40 is no node.
        file = self.save("edges.npy", np.array([[0, 1 << 40], [1, 2]]))
        flags = ["--edges", file, "--num-nodes", 60_000_000, "--num-parts", 2,
                 "--out", self.path("out.npy")]
        # docs/partitioning.md: 64 MiB and a quarter of 80 x nodes, 288 x edges.
        need = (64 << 20) + (80 * 60_000_000 + 288 * 2) // 4
        self.assertIn(
            f"--memory {1 << 30}: each of 4 processes may need {need} bytes "
            "for 60000000 nodes and 2 edges",
            self.refused(*flags, "--memory", "1GiB"))
        self.assertIn(f"row 1: node {1 << 40} of the type node",
                      self.refused(*flags, "--memory", "8GiB"))
        done = run(2, *flags, "--memory", "1MiB")
        self.assertEqual(done.returncode, 2)
        self.assertIn("allowed: a size from 128MiB", done.stderr)

    def test_an_input_of_partition(self):
        with gzip.open("tests/data/cora/raw/edge.csv.gz", "rt") as file:
            edges = np.loadtxt(file, dtype=np.int64, delimiter=",").T
        out = self.path("cora.npy")
        said = figures(run_ok(4, "--input", "tests/data/cora", "--format",
                              "ogb", "--num-parts", 4, "--balance", "train",
                              "--out", out))
        parts = np.load(out)
        pairs = undirected(edges)
        self.assertEqual((said["nodes"], said["edges"], said["cut"]),
                         (2708, len(pairs), cut_of(pairs, parts)))
        self.assertEqual(parts.shape, (2708,))

    def test_few_nodes_and_no_edges(self):
        file = self.save("none.npy", np.zeros((2, 0), np.int64))
        for nodes, parts in ((0, 2), (3, 4), (5, 2)):
            with self.subTest(nodes=nodes):
                out = self.path(f"{nodes}.npy")
                run_ok(4, "--edges", file, "--num-nodes", nodes,
                       "--num-parts", parts, "--out", out)
                got = np.load(out)
                self.assertEqual(got.shape, (nodes,))
                self.assertTrue((got < parts).all())


if __name__ == "__main__":
    unittest.main()
