"""A batch is the same whichever format the graph came in, however it was cut.

Parquet, typed graphs and graphs of words: partition/pipeline/same_graph_test.cc and
dgl_chunked_reader_test.cc compare their content digests.
"""

import json
import os
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling

NODES, EDGES, WIDTH = 211, 1400, 5


class Graph:
    """A hub, parallel edges, self loops, nodes without edges."""

    def __init__(self, seed=5):
        rng = np.random.default_rng(seed)
        self.src = rng.integers(0, NODES, EDGES)
        self.dst = rng.integers(0, NODES * 3 // 4, EDGES)
        self.dst[:200] = 0
        self.src[300:310], self.dst[300:310] = 7, 7
        self.x = rng.integers(-999, 999, (NODES, WIDTH)).astype(np.float32) / 8
        self.y = rng.integers(0, 9, NODES)
        self.train = np.sort(rng.permutation(NODES)[:120])


def save(*path, array):
    os.makedirs(os.path.dirname(os.path.join(*path)), exist_ok=True)
    np.save(os.path.join(*path), np.ascontiguousarray(array))


def ogb_text(graph, folder):
    folders.write_ogb(folder, NODES, list(zip(graph.src, graph.dst)),
                      graph.x.tolist(), [[y] for y in graph.y],
                      {"train": graph.train})
    return ["--format", "ogb", "--input", folder]


def ogb_binary(graph, folder):
    folders.write_rows(os.path.join(folder, "split", "only", "train"),
                       [[v] for v in graph.train])
    raw = os.path.join(folder, "raw")
    os.makedirs(raw)
    np.savez(os.path.join(raw, "data.npz"),
             edge_index=np.stack([graph.src, graph.dst]), node_feat=graph.x,
             num_nodes_list=np.array([NODES]),
             num_edges_list=np.array([EDGES]))
    np.savez(os.path.join(raw, "node-label.npz"),
             node_label=graph.y[:, np.newaxis])
    return ["--format", "ogb", "--input", folder]


def dgl_chunks(graph, folder, kind):
    mask = np.zeros(NODES, bool)
    mask[graph.train] = True
    columns = {"feat": graph.x, "label": graph.y, "train_mask": mask}

    def chunks(name, array, count):
        """Of unequal sizes."""
        names = []
        for i, piece in enumerate(np.split(array, [len(array) // 5][:count - 1])):
            names.append(f"{name}-{i}." + ("npy" if kind == "numpy" else "txt"))
            if kind == "numpy":
                save(folder, names[-1], array=piece)
            else:
                np.savetxt(os.path.join(folder, names[-1]),
                           piece.astype(np.int64) if piece.dtype == bool
                           else piece, fmt="%.9g")
        return {"format": {"name": kind, **({"delimiter": " "} if kind == "csv"
                                            else {})}, "data": names}

    os.makedirs(folder)
    metadata = {
        "graph_name": "made", "node_type": ["_N"], "edge_type": ["_N:_E:_N"],
        "num_nodes_per_type": [NODES], "num_edges_per_type": [EDGES],
        "edges": {"_N:_E:_N": chunks(
            "ends", np.stack([graph.src, graph.dst], 1), 2)},
        "node_data": {"_N": {name: chunks(name, array, 2)
                             for name, array in columns.items()}}}
    with open(os.path.join(folder, "metadata.json"), "w") as f:
        json.dump(metadata, f)
    return ["--format", "dgl-chunked", "--input", folder]


def edge_list(graph, folder):
    os.makedirs(folder)
    split = np.full(NODES, "", object)
    split[graph.train] = "train"
    with open(os.path.join(folder, "edges.csv"), "w") as f:
        f.write("src,dst\n")
        f.writelines(f"{u},{v}\n" for u, v in zip(graph.src, graph.dst))
    with open(os.path.join(folder, "nodes.csv"), "w") as f:
        f.write("id,label,part," + ",".join(f"f{i}" for i in range(WIDTH)))
        for v in reversed(range(NODES)):
            f.write(f"\n{v},{graph.y[v]},{split[v]},"
                    + ",".join(str(value) for value in graph.x[v]))
        f.write("\n")
    return ["--format", "edge-list", "--input", folder, "--features", "f*",
            "--labels", "label", "--split", "part"]


def npy_folder(graph, folder):
    save(folder, "edge_index.npy", array=np.stack([graph.src, graph.dst]))
    save(folder, "x.npy", array=graph.x)
    save(folder, "y.npy", array=graph.y)
    save(folder, "train_idx.npy", array=graph.train)
    return ["--format", "npy", "--input", folder]


def npz(graph, folder):
    os.makedirs(folder)
    file = os.path.join(folder, "graph.npz")
    np.savez(file, row=graph.src, col=graph.dst, x=graph.x, y=graph.y,
             train_idx=graph.train)
    return ["--format", "npy", "--input", file]


FORMATS = {"OGB text": ogb_text, "OGB binary": ogb_binary,
           "DGL numpy": lambda *to: dgl_chunks(*to, "numpy"),
           "DGL csv": lambda *to: dgl_chunks(*to, "csv"),
           "edge list": edge_list, "npy": npy_folder, "npz": npz}


class FormatsTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        graph = Graph()
        self.inputs = {
            name: write(graph, os.path.join(self.folder, "in", name))
            for name, write in FORMATS.items()}
        # The user's own placement.
        self.assignment = os.path.join(self.folder, "placed.npy")
        save(self.assignment, array=np.arange(NODES) * 7 % 3)

    def partition(self, name, cut, *flags):
        out = os.path.join(self.folder, "-".join((name, cut)))
        printed = processes.run_ok("partition", *self.inputs[name], "--out",
                                   out, *flags)
        processes.run_ok("verify", out)
        return out, printed.split("content=")[1].strip()

    def test_every_format_and_cut_makes_the_same_batches(self):
        cuts = {"whole": ("--num-parts", 1),
                "random": ("--num-parts", 3),
                "metis": ("--num-parts", 4, "--method", "metis"),
                "ldg": ("--num-parts", 2, "--method", "ldg"),
                "own": ("--num-parts", 3, "--assignment", self.assignment)}
        digests = {}
        batches = None
        for name in self.inputs:
            # OGB names the scheme of its splits, which is content.
            scheme = "only" if name.startswith("OGB") else ""
            for cut, flags in cuts.items():
                with self.subTest(format=name, cut=cut):
                    graph, content = self.partition(name, cut, *flags)
                    self.assertEqual(digests.setdefault(scheme, content),
                                     content)
                    made = sampling.lines(graph, inputs="train",
                                          fanouts="5,4", batch_size=16)
                    batches = batches or made
                    self.assertEqual(made, batches)
        self.assertEqual(len(batches), 8)

    def test_an_own_placement_is_the_same_folder_of_every_format(self):
        """But for the graph's name and the schemes of splits."""
        first = None
        for name in self.inputs:
            graph, _ = self.partition(name, "own", "--num-parts", 3,
                                      "--assignment", self.assignment)
            arrays = {}
            for at, _, files in os.walk(graph):
                for file in files:
                    if file.endswith(".npy") and "splits" not in at:
                        path = os.path.join(at, file)
                        with open(path, "rb") as f:
                            arrays[os.path.relpath(path, graph)] = f.read()
            first = first or arrays
            with self.subTest(format=name):
                self.assertGreater(len(arrays), 3 * 4)
                self.assertEqual(arrays.keys() - {"ids/node.numbers.npy"},
                                 first.keys())
                for file, content in first.items():
                    self.assertEqual(arrays[file], content, file)


if __name__ == "__main__":
    unittest.main()
