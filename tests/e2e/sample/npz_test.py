"""Batches written by --out, against the csv files and the oracle."""

import glob
import os
import random
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import digest, graph as graphs
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec


def load(path):
    with np.load(path) as z:
        return {name: z[name] for name in z.files}


class BatchFilesTest(unittest.TestCase):
    """One epoch of Cora, checked edge by edge."""

    FANOUTS = (10, 5)

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        graph = folders.partition(folders.CORA, os.path.join(folder, "g"), 3)
        cls.out = os.path.join(folder, "made", "out")
        cls.lines = sampling.lines(graph, flags=("--out", cls.out))
        cls.batches = [load(os.path.join(cls.out, f"batch-2-{g}.npz"))
                       for g in range(5)]
        rows = lambda name: graphs.rows_of(
            os.path.join(folders.CORA, "raw", name))
        cls.edges = np.array(rows("edge"), np.int64)
        cls.x = np.array(rows("node-feat"), np.float32)
        cls.y = np.array(rows("node-label"), np.int64)[:, 0]
        cls.train = [int(r[0]) for r in graphs.rows_of(
            os.path.join(folders.CORA, "split", "public", "train"))]

    def test_only_finished_files(self):
        self.assertEqual(len(os.listdir(self.out)), 5)
        self.assertEqual(len(glob.glob(self.out + "/batch-2-*.npz")), 5)

    def test_digest_and_counts_of_the_line(self):
        for line, b in zip(self.lines, self.batches):
            words = line.split()
            self.assertEqual(words[2], digest.digest(b))
            self.assertEqual(words[3:], [
                str(b["input_id"].size), str(b["n_id"].size),
                str(b["e_id"].size), str(digest.payload_bytes(b))])

    def test_each_input_once(self):
        inputs = np.concatenate([b["input_id"] for b in self.batches])
        self.assertEqual(sorted(inputs), list(range(140)))
        for b in self.batches:
            taken = b["n_id"][b["seed_index"]]
            self.assertEqual(taken.tolist(),
                             [self.train[i] for i in b["input_id"]])

    def test_edges_exist_with_their_ids(self):
        for b in self.batches:
            ends = b["n_id"][b["edge_index"]]
            self.assertTrue((ends.T == self.edges[b["e_id"]]).all())

    def test_fanouts_are_filled_and_not_exceeded(self):
        degree = np.bincount(self.edges[:, 1], minlength=2708)
        for b in self.batches:
            nodes = np.concatenate([[0], np.cumsum(b["num_sampled_nodes"])])
            edges = np.concatenate([[0], np.cumsum(b["num_sampled_edges"])])
            for hop, fanout in enumerate(self.FANOUTS):
                frontier = np.arange(nodes[hop], nodes[hop + 1])
                drawn = b["edge_index"][1, edges[hop]:edges[hop + 1]]
                counts = np.bincount(drawn, minlength=b["n_id"].size)
                expected = np.zeros_like(counts)
                expected[frontier] = np.minimum(
                    fanout, degree[b["n_id"][frontier]])
                self.assertEqual(counts.tolist(), expected.tolist())
                self.assertEqual(
                    len(set(b["e_id"][edges[hop]:edges[hop + 1]])),
                    drawn.size)

    def test_nodes_are_unique_and_all_reached(self):
        for b in self.batches:
            self.assertEqual(len(set(b["n_id"])), b["n_id"].size)
            self.assertEqual(b["num_sampled_nodes"].sum(), b["n_id"].size)
            reached = set(b["edge_index"][0]) | set(b["seed_index"])
            self.assertEqual(reached, set(range(b["n_id"].size)))

    def test_features_and_labels(self):
        for b in self.batches:
            self.assertEqual(b["x"].dtype, np.float32)
            self.assertTrue((b["x"] == self.x[b["n_id"]]).all())
            self.assertEqual(b["y"].tolist(), self.y[b["n_id"]].tolist())


class OracleTest(unittest.TestCase):
    """Line by line and tensor by tensor against the second reading."""

    OPTIONS = (
        # fanouts, batch size, seed, epoch, shuffle, replace, expand all
        ((3,), 7, 0, 0, True, False, False),
        ((4, 3), 16, 5, 1, True, True, False),
        ((2, 2, 2), 5, 2**64 - 1, 2**63, True, False, True),
        ((-1, 2), 9, 12345678901234567890, 7, False, False, False),
        ((3, -1), 8, 1, 2**64 - 1, True, True, True),
        ((0, 4), 11, 3, 3, True, False, True),
        ((0,), 11, 3, 3, True, False, False),
        ((1, 1, 1, 1), 1000, 9, 9, True, False, False),
    )

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())

    def compare(self, source, graph, oracle_graph, inputs, name, options):
        fanouts, size, seed, epoch, shuffle, replace, expand_all = options
        flags = ["--shuffle", "global" if shuffle else "none",
                 "--expand", "all" if expand_all else "new",
                 *(["--replace"] if replace else [])]
        loader = Loader(oracle_graph, inputs,
                        Spec(list(fanouts), seed, replace=replace,
                             expand_all=expand_all), size, shuffle)
        count = min(3, loader.num_batches())
        out = os.path.join(self.folder, "out", name)
        lines = sampling.lines(
            graph, inputs=source, fanouts=",".join(map(str, fanouts)),
            batch_size=size, seed=seed, epoch=epoch, batches=f"0:{count}",
            flags=(*flags, "--out", out))
        self.assertEqual(lines, [loader.line(epoch, g) for g in range(count)])
        for g in range(count):
            self.equal_tensors(load(f"{out}/batch-{epoch}-{g}.npz"),
                               loader.batch(epoch, g))

    def equal_tensors(self, made, expected):
        self.assertEqual(sorted(made), sorted(expected))
        for name, tensor in expected.items():
            self.assertEqual(made[name].dtype, tensor.dtype, name)
            self.assertEqual(made[name].shape, tensor.shape, name)
            self.assertEqual(made[name].tobytes(), tensor.tobytes(), name)

    def test_cora(self):
        graph = folders.partition(folders.CORA,
                                  os.path.join(self.folder, "cora"), 4,
                                  "metis")
        oracle_graph = graphs.read_ogb(folders.CORA)
        inputs = oracle_graph.split(graphs.NODE, "train")
        for i, options in enumerate(self.OPTIONS):
            with self.subTest(options=options):
                self.compare("train", graph, oracle_graph, inputs,
                             f"cora{i}", options)

    def test_random_graphs(self):
        for number in range(6):
            rng = random.Random(number)
            source = folders.random_ogb(
                os.path.join(self.folder, f"source{number}"), rng,
                num_nodes=rng.choice([5, 40, 150]),
                num_edges=rng.choice([0, 300, 1500]),
                with_columns=number % 2 == 0)
            reverse, dedupe = number % 3 == 1, number % 3 == 2
            graph = folders.partition(
                source, os.path.join(self.folder, f"graph{number}"),
                rng.choice([1, 2, 5]), "random",
                *(["--add-reverse"] if reverse else []),
                *(["--dedupe"] if dedupe else []))
            oracle_graph = graphs.read_ogb(source, reverse, dedupe)
            inputs = oracle_graph.split(graphs.NODE, "train")
            for i in (number, (number + 3) % len(self.OPTIONS)):
                with self.subTest(graph=number, options=self.OPTIONS[i]):
                    self.compare("train", graph, oracle_graph, inputs,
                                 f"random{number}-{i}", self.OPTIONS[i])

    def test_ids_from_a_file_with_duplicates(self):
        source = folders.random_ogb(os.path.join(self.folder, "dup"),
                                    random.Random(99), 30, 200, True)
        graph = folders.partition(source, os.path.join(self.folder, "dupg"),
                                  2)
        ids = [3, 29, 3, 0, 17, 17, 3, 28]
        file = os.path.join(self.folder, "ids.npy")
        np.save(file, np.array(ids, np.int32))
        self.compare("@" + file, graph, graphs.read_ogb(source), ids, "dup",
                     self.OPTIONS[0])


if __name__ == "__main__":
    unittest.main()
