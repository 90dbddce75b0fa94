"""What `inspect` says of partitions and of sampled neighbours, counted from the
folder's arrays by NumPy."""

import json
import os
import unittest

import numpy as np

from tests.e2e import folders, processes

PARTS = 4


class Arrays:
    """The arrays of a homogeneous graph folder, by original ids."""

    def __init__(self, folder):
        self.partition = np.load(f"{folder}/node_map/node.npy").astype(int)
        original = np.concatenate([
            np.load(f"{folder}/part-{p}/nodes/node/orig_id.npy")
            for p in range(PARTS)])
        self.neighbours = {}
        for p in range(PARTS):
            edges = f"{folder}/part-{p}/edges/node__to__node/"
            indptr = np.load(edges + "indptr.npy").astype(int)
            indices = original[np.load(edges + "indices.npy").astype(int)]
            ids = np.load(f"{folder}/part-{p}/nodes/node/orig_id.npy")
            for row, node in enumerate(ids):
                self.neighbours[node] = indices[indptr[row]:indptr[row + 1]]

    def cut(self):
        """The numbers of cut edges by partition of the destination."""
        cut = [0] * PARTS
        for node, neighbours in self.neighbours.items():
            mine = self.partition[node]
            cut[mine] += int((self.partition[neighbours] != mine).sum())
        return cut


class InspectTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graphs = {
            method: folders.partition(folders.CORA,
                                      os.path.join(cls.folder, method), PARTS,
                                      method)
            for method in ("random", "metis")}

    def inspect(self, method, *flags):
        return json.loads(processes.run_ok("inspect", self.graphs[method],
                                           "--json", *flags))

    def test_partitions(self):
        for method, graph in self.graphs.items():
            said, arrays = self.inspect(method), Arrays(graph)
            parts = said["partitions"]
            self.assertEqual([p["cut_edges"] for p in parts], arrays.cut())
            self.assertEqual([p["nodes"] for p in parts],
                             np.bincount(arrays.partition).tolist())
            for p, part in enumerate(parts):
                below = os.path.join(graph, f"part-{p}")
                self.assertEqual(part["bytes"], sum(
                    os.path.getsize(os.path.join(at, name))
                    for at, _, names in os.walk(below) for name in names))
            for split in said["splits"]:
                ids = np.load(os.path.join(
                    graph, "splits", os.path.dirname(split["name"]), "node",
                    os.path.basename(split["name"]) + ".npy"))
                counts = np.bincount(arrays.partition[ids], minlength=PARTS)
                self.assertEqual(split["partition_counts"], counts.tolist())
                self.assertAlmostEqual(split["balance"],
                                       counts.max() / counts.mean())

    def test_presampling_of_all_neighbours_is_a_count(self):
        """With fanout -1 nothing is random but the order of the inputs."""
        for method, graph in self.graphs.items():
            arrays = Arrays(graph)
            said = self.inspect(method, "--presample=-1",
                                "--batch-size", "5000")["presample"]
            train = next(s for s in self.inspect(method)["splits"]
                         if s["name"].split("/")[-1] == "train")
            scheme = os.path.dirname(train["name"])
            inputs = np.load(os.path.join(graph, "splits", scheme, "node",
                                          "train.npy"))
            sampled = remote = nodes = remote_nodes = 0
            for p in range(PARTS):
                mine = inputs[arrays.partition[inputs] == p]
                around = [arrays.neighbours[v] for v in mine]
                sampled += sum(map(len, around))
                remote += sum(int((arrays.partition[n] != p).sum())
                              for n in around)
                batch = np.unique(np.concatenate([mine, *around]))
                nodes += len(batch)
                remote_nodes += int((arrays.partition[batch] != p).sum())
            for order in ("global", "local"):
                self.assertEqual(said[order]["neighbors"], sampled)
                self.assertAlmostEqual(said[order]["remote_neighbor_share"],
                                       remote / sampled)
            self.assertEqual(said["global"]["batches"], 1)
            self.assertEqual(said["local"]["batches"], PARTS)
            self.assertEqual(said["local"]["nodes"], nodes)
            self.assertAlmostEqual(said["local"]["remote_node_share"],
                                   remote_nodes / nodes)

    def test_metis_lowers_the_share_of_local_batches_alone(self):
        flags = ("--presample", "10,5", "--batches", "8", "--batch-size", "64")
        said = {method: self.inspect(method, *flags)["presample"]
                for method in self.graphs}
        self.assertEqual(said["metis"], self.inspect("metis", *flags)["presample"])
        for order in ("global", "local"):
            self.assertLess(said["metis"][order]["remote_neighbor_share"],
                            said["random"][order]["remote_neighbor_share"] / 2)
        self.assertLess(said["metis"]["local"]["remote_node_share"],
                        said["random"]["local"]["remote_node_share"] / 2)
        for method in self.graphs:
            self.assertAlmostEqual(said[method]["global"]["remote_node_share"],
                                   1 - 1 / PARTS, places=3)

    def test_text(self):
        said = processes.run_ok("inspect", self.graphs["metis"], "--presample",
                                "10,5", "--batches", "2")
        for words in ("  partition 3: ", "  in all: cut ",
                      "  presampled 10,5 of train, 1024 inputs in a batch",
                      "    inputs of the maker's partition: "):
            self.assertIn(words, said)

    def test_wrong_flags(self):
        for flags, said in (
                (("--presample", "x"), "--presample \"x\": "),
                (("--presample", "5", "--batches", "0"), "--batches"),
                (("--presample", "5", "--input-nodes", "1,2"),
                 "allowed: [TYPE:]SPLIT"),
                (("--presample", "5", "--input-nodes", "nosplit"), "nosplit")):
            done = processes.run("inspect", self.graphs["metis"], *flags)
            self.assertNotEqual(done.returncode, 0, flags)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
