"""`tributary-train` on labels in the types and shapes in which PyG, OGB and DGL
keep them, from `partition` on."""

import json
import os
import re
import unittest

import numpy as np

from tests.e2e import processes, training

NODES, EDGES, CLASSES = 200, 1000, 4
RNG = np.random.default_rng(1)
ENDS = RNG.integers(0, NODES, (2, EDGES))
CLASS = RNG.integers(0, CLASSES, NODES)
X = RNG.normal(size=(NODES, 8)).astype("f4")
X[np.arange(NODES), CLASS] += 3
SPLITS = {"train": range(0, 100), "valid": range(100, 150),
          "test": range(150, 190)}
# The last nodes have no label, as most nodes of ogbn-papers100M.
LABELLED = np.where(np.arange(NODES) < 190, CLASS, np.nan).astype("f4")


def write_lines(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)


class LabelsTrainTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def partition(self, name, *flags):
        out = os.path.join(self.folder, name + ".graph")
        processes.run_ok("partition", "--input",
                         os.path.join(self.folder, name), *flags, "--out", out)
        return out

    def train(self, graph, *flags):
        return training.run("--graph", graph, "--num-neighbors", "5,5",
                            "--hidden", "16", "--epochs", "8", "--batch-size",
                            "32", "--random-seed", "1", *flags)

    def losses(self, graph, *flags):
        done = self.train(graph, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        losses = [float(x) for x in re.findall(r"loss (\S+)", done.stdout)]
        self.assertLess(losses[-1], 0.7 * losses[0])
        return losses

    def arrays(self, name, **arrays):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        splits = {f"{split}_idx": list(nodes)
                  for split, nodes in SPLITS.items()}
        for array, value in {"edge_index": ENDS, "x": X, **splits,
                             **arrays}.items():
            np.save(os.path.join(folder, array + ".npy"), value)
        return self.partition(name, "--format", "npy")

    def test_papers100m_in_small(self):
        """float32 [N, 1] with NaN in OGB's binary layout, by README's
        commands: partition, serve, train with two ranks."""
        raw = os.path.join(self.folder, "papers", "raw")
        os.makedirs(raw)
        np.savez(os.path.join(raw, "data.npz"), edge_index=ENDS,
                 num_nodes_list=np.array([NODES]),
                 num_edges_list=np.array([EDGES]), node_feat=X,
                 node_year=np.full((NODES, 1), 2013))
        np.savez(os.path.join(raw, "node-label.npz"),
                 node_label=LABELLED.reshape(NODES, 1))
        for split, nodes in SPLITS.items():
            write_lines(os.path.join(self.folder, "papers", "split", "time",
                                     split + ".csv"), nodes)
        graph = self.partition("papers", "--format", "ogb", "--num-parts", "2",
                               "--method", "metis")
        with processes.Fleet(graph, ["0", "1"]) as fleet:
            done = training.run(
                "--servers", fleet.addresses(), "--model", "sage", "--task",
                "node", "--nproc", "2", "--epochs", "8", "--hidden", "16",
                "--num-neighbors", "5,5", "--batch-size", "16", "--input",
                "time/train,time/valid,time/test")
        self.assertEqual(done.returncode, 0, done.stderr)
        accuracy = float(re.search(r"test_accuracy=(\S+)", done.stdout)[1])
        self.assertGreater(accuracy, 0.6)

    def test_arrays_train_as_whole_numbers_do(self):
        whole = np.where(np.arange(NODES) < 190, CLASS, -1)
        want = self.losses(self.arrays("whole", y=whole))
        for name, y in (("column", whole.reshape(-1, 1)),
                        ("int8", whole.astype("i1")),
                        ("nan", LABELLED.astype("f8"))):
            with self.subTest(name):
                self.assertEqual(self.losses(self.arrays(name, y=y)), want)

    def test_text_with_nan(self):
        folder = os.path.join(self.folder, "list")
        write_lines(os.path.join(folder, "edges.csv"),
                    ["src,dst", *(f"{a},{b}" for a, b in ENDS.T)])
        write_lines(os.path.join(folder, "nodes.csv"), [
            "id," + ",".join(f"x{i}" for i in range(8)) + ",y,part",
            *(f"{v},{','.join(map(str, X[v]))},{LABELLED[v]},"
              f"{next((s for s in SPLITS if v in SPLITS[s]), '')}"
              for v in range(NODES))])
        graph = self.partition("list", "--format", "edge-list", "--features",
                               "x*", "--labels", "y", "--split", "part")
        self.losses(graph, "--num-classes", "4")

    def test_dgl_chunks(self):
        folder = os.path.join(self.folder, "chunks")
        files = {"edges": ENDS.T, "x": X, "y": LABELLED.reshape(-1, 1)}
        for split, nodes in SPLITS.items():
            name = {"valid": "val"}.get(split, split) + "_mask"
            files[name] = np.isin(np.arange(NODES), nodes).astype("u1")
        os.makedirs(folder)
        for name, array in files.items():
            np.save(os.path.join(folder, name + ".npy"), array)
        at = lambda name: {"format": {"name": "numpy"}, "data": [name + ".npy"]}
        data = {name: at(name) for name in files if name != "edges"}
        with open(os.path.join(folder, "metadata.json"), "w",
                  encoding="ascii") as file:
            json.dump({
                "graph_name": "g", "node_type": ["_N"],
                "num_nodes_per_type": [NODES], "edge_type": ["_N:_E:_N"],
                "num_edges_per_type": [EDGES],
                "edges": {"_N:_E:_N": at("edges")},
                "node_data": {"_N": data}, "edge_data": {}}, file)
        self.losses(self.partition("chunks", "--format", "dgl-chunked"))

    def test_no_training_label(self):
        y = np.full((NODES, 3), np.nan, "f4")
        y[100:] = RNG.random((100, 3)) > 0.5
        for task, labels, flags in (
                ("multilabel", y, ()), ("regression", y[:, 0], ()),
                ("node", np.where(np.arange(NODES) < 100, -1, CLASS), ()),
                ("node", y[:, 0], ("--num-classes", "4"))):
            with self.subTest(task):
                graph = self.arrays(f"{task}{len(flags)}", y=labels)
                done = self.train(graph, "--task", task, *flags)
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertIn("no training input has a label", done.stderr)
                self.assertNotIn("loss", done.stdout)

    def test_a_split_without_labels_is_said_once(self):
        """Of two ranks; the run goes on, and no metric of the split is a 0."""
        y = (RNG.random((NODES, 3)) > 0.5).astype("f4")
        for task, metric, labels in (("multilabel", "rocauc", y),
                                     ("multilabel", "f1-micro", y),
                                     ("regression", "rmse", y[:, 0])):
            for split in ("valid", "test"):
                with self.subTest(f"{task} {metric} {split}"):
                    missing = labels.copy()
                    missing[list(SPLITS[split])] = np.nan
                    name = f"{task}-{metric}-{split}"
                    log = os.path.join(self.folder, name + ".log")
                    done = self.train(
                        self.arrays(name, y=missing), "--task", task,
                        "--metric", metric, "--nproc", "2", "--log", log)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stderr.count("note: "), 1,
                                     done.stderr)
                    self.assertIn(
                        f"note: {metric} is not defined on the split {split}: "
                        "no input has a label", done.stderr)
                    epochs = training.events(log, "epoch")
                    [result] = training.events(log, "result")
                    for number in (result[f"{split}_{metric}"],
                                   *(e[f"valid_{metric}"] for e in epochs
                                     if split == "valid")):
                        self.assertIsNone(number)
                    other = "test" if split == "valid" else "valid"
                    self.assertIsNotNone(result[f"{other}_{metric}"])
                    self.assertNotIn(f"{split}_{metric}", done.stdout)

    def test_labels_outside_the_classes_are_said(self):
        y = CLASS.copy()
        y[100:103] = 9
        y[150:152] = 7
        done = self.train(self.arrays("more", y=y), "--nproc", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("a label outside"), 2, done.stderr)
        self.assertIn("note: 3 inputs of valid have a label outside the "
                      "model's classes 0 to 3", done.stderr)
        self.assertIn("note: 2 inputs of test have", done.stderr)

    def test_labels_that_are_no_classes(self):
        done = self.train(self.arrays("half", y=LABELLED + 0.5))
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("allowed with --task node: whole numbers", done.stderr)
        hot = self.train(self.arrays("hot", y=np.eye(CLASSES)[CLASS]))
        self.assertEqual(hot.returncode, 78, hot.stderr)
        self.assertIn("y.argmax(1)", hot.stderr)


if __name__ == "__main__":
    unittest.main()
