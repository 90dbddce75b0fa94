"""Arrays, tables and lists as users have them: what becomes of their types and
shapes, in the files of batches.

Errors in their words: the unit tests of partition/pipeline/inputs.
"""

import json
import os
import unittest

import numpy as np

from tests.e2e import processes

ENDS = np.array([[0, 1, 2, 3, 4, 0, 0], [1, 2, 3, 4, 5, 1, 0]])
MASK = np.array([1, 0, 1, 0, 0, 1])
EDGE_MASK = np.array([1, 0, 0, 1, 0, 0, 0])
TYPES = ("bool", "uint8", "int8", "int32", "int64")


class UserArraysTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.made = 0

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def save(self, folder, **arrays):
        os.makedirs(self.path(folder), exist_ok=True)
        for name, array in arrays.items():
            np.save(self.path(folder, name + ".npy"), array)
        return self.path(folder)

    def partition(self, *flags):
        self.made += 1
        out = self.path(f"{self.made}.graph")
        done = processes.run("partition", *flags, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, done.stderr

    def batch(self, graph, *flags):
        """The first batch, of up to nine inputs in their order."""
        out = graph + str(self.made)
        self.made += 1
        processes.run_ok("sample", "--graph", graph, "--num-neighbors", "-1",
                         "--batch-size", "9", "--shuffle", "none", "--out",
                         out, *flags)
        with np.load(os.path.join(out, "batch-0-0.npz")) as z:
            return {name: z[name] for name in z.files}

    def seeds(self, graph, inputs):
        b = self.batch(graph, "--input-nodes", inputs)
        return b["n_id"][b["seed_index"]].tolist()

    def test_masks_of_every_type(self):
        for kind in TYPES:
            with self.subTest(kind):
                arrays = self.save(
                    kind, edge_index=ENDS, num_nodes=np.int64(6),
                    train_mask=MASK.astype(kind),
                    train_edge_mask=EDGE_MASK.astype(kind))
                nodes = self.path(kind + "_nodes.npy")
                np.save(nodes, MASK.astype(kind))
                graph, _ = self.partition("--format", "npy", "--input", arrays)
                self.assertEqual(self.seeds(graph, "train"), [0, 2, 5])
                self.assertEqual(self.seeds(graph, "@" + nodes), [0, 2, 5])
                b = self.batch(graph, "--kind", "link", "--input-edges",
                               "train")
                links = b["n_id"][b["edge_label_index"]]
                self.assertEqual(links.T.tolist(), [[0, 1], [3, 4]])

    def test_masks_of_a_config(self):
        for kind in TYPES:
            with self.subTest(kind):
                self.save(kind, edge_index=ENDS, kept=MASK.astype(kind))
                config = self.path(kind + ".json")
                with open(config, "w", encoding="ascii") as file:
                    json.dump({
                        "nodes": {"node": {
                            "count": 6,
                            "splits": {"train": f"{kind}/kept.npy"}}},
                        "edges": {"node,to,node": {
                            "index": f"{kind}/edge_index.npy"}}}, file)
                graph, _ = self.partition("--format", "npy", "--config",
                                          config)
                self.assertEqual(self.seeds(graph, "train"), [0, 2, 5])

    def test_a_mask_of_other_nodes_is_refused(self):
        arrays = self.save("a", edge_index=ENDS, num_nodes=np.int64(6))
        graph, _ = self.partition("--format", "npy", "--input", arrays)
        np.save(self.path("m.npy"), MASK[:5])
        done = processes.run("sample", "--graph", graph, "--num-neighbors",
                             "1", "--input-nodes", "@" + self.path("m.npy"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("5 long", done.stderr)

    def test_one_column_of_labels_and_features(self):
        y = np.array([4, 5, 6, 7, 8, 9])
        want = None
        for shape in ((6,), (6, 1)):
            arrays = self.save(
                f"s{len(shape)}", edge_index=ENDS, y=y.reshape(shape),
                x=(y / 2).astype(np.float32).reshape(shape), train_idx=[0, 5])
            graph, _ = self.partition("--format", "npy", "--input", arrays,
                                      "--name", "g")
            b = self.batch(graph, "--input-nodes", "train")
            self.assertEqual(b["y"].tolist(), y[b["n_id"]].tolist())
            self.assertEqual(b["x"].tolist(), (y[b["n_id"], None] / 2).tolist())
            want = want or b["y"].shape
            self.assertEqual(b["y"].shape, want)

    def test_fortran_order_and_other_numbers_are_the_same_graph(self):
        rng = np.random.default_rng(5)
        x = rng.normal(size=(6, 3)).astype(np.float32)
        when = np.array([9, 8, 7, 6, 5, 4, 3])
        weight = np.array([1, 2, 0.5, 4, 1, 1, 2])
        plain = self.save("plain", edge_index=ENDS, x=x, edge_time=when,
                          edge_weight=weight.astype(np.float32),
                          node_time=np.arange(6), train_idx=[3, 1])
        other = self.save(
            "other", edge_index=np.asfortranarray(ENDS),
            x=np.asfortranarray(x), edge_time=when.astype(float),
            edge_weight=weight.astype(np.float16),
            node_time=np.arange(6).astype("M8[s]"),
            train_idx=np.array([[3], [1]], np.uint16))
        content = [self.partition("--format", "npy", "--input", folder,
                                  "--name", "g")[0] for folder in (plain, other)]
        digests = []
        for graph in content:
            with open(os.path.join(graph, "graph.json"),
                      encoding="utf-8") as file:
                digests.append(json.load(file)["content_digest"])
        self.assertEqual(*digests)

    def test_the_header_says_which_columns_are_the_ends(self):
        for text in (",src,dst\n0,10,21\n1,11,22\n", "dst,src\n21,10\n22,11\n",
                     "weight,src,dst\n3,10,21\n4,11,22\n\n\n"):
            with self.subTest(text):
                path = self.path("edges.csv")
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                graph, notes = self.partition("--format", "edge-list",
                                              "--input", path)
                b = self.batch(graph, "--input-nodes", "*", "--ext-ids")
                self.assertEqual(b["ext_id"][b["edge_index"]].tolist(),
                                 [[10, 11], [21, 22]])
                self.assertIn("the ends are the columns src, dst", notes)

    def test_weights_times_and_ids_of_inputs(self):
        arrays = self.save("a", edge_index=ENDS, num_nodes=np.int64(6),
                           edge_time=np.arange(7))
        graph, _ = self.partition("--format", "npy", "--input", arrays)
        for name, array in (("ids", np.array([[3], [5]], np.int16)),
                            ("w", np.array([2, 1])),
                            ("t", np.array([4.0, 6.0]))):
            np.save(self.path(name + ".npy"), array)
        ids = "@" + self.path("ids.npy")
        self.assertEqual(self.seeds(graph, ids), [3, 5])
        b = self.batch(graph, "--input-nodes", ids, "--time", "edge",
                       "--disjoint", "--input-time", "@" + self.path("t.npy"))
        self.assertEqual(b["n_id"][b["seed_index"]].tolist(), [3, 5])
        processes.run_ok("sample", "--graph", graph, "--num-neighbors", "1",
                         "--input-nodes", ids, "--input-weight",
                         "@" + self.path("w.npy"))


if __name__ == "__main__":
    unittest.main()
