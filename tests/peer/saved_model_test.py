"""A model that `tributary-train --save-model` has written, in PyG's GraphSAGE.

PyG is made by what the file's metadata says, as docs/training.md shows, and
computes the rows that `--predict '*'` writes.
"""

import json
import os
import re
import subprocess
import tempfile
import textwrap
import unittest

import numpy
import torch
from sklearn.metrics import f1_score
from torch_geometric.nn.models import GraphSAGE

PAGE = "docs/training.md"
TRIBUTARY = "cli/tributary"
TRAINER = "trainer_client/torch/tributary-train"
NODES, CHANNELS, HIDDEN, CLASSES = 120, 5, 8, 3


def read(path):
    """The metadata and tensors of a safetensors file."""
    with open(path, "rb") as file:
        data = file.read()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    metadata = header.pop("__metadata__")
    return metadata, {
        name: torch.from_numpy(numpy.frombuffer(
            data[begin + entry["data_offsets"][0]:
                 begin + entry["data_offsets"][1]],
            numpy.float32).reshape(entry["shape"]).copy())
        for name, entry in header.items()}


def run(*command):
    return subprocess.run([*map(str, command)], check=True, text=True,
                          stdout=subprocess.PIPE,
                          env={**os.environ, "OMP_NUM_THREADS": "1"}).stdout


class SavedModelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        random = numpy.random.default_rng(5)
        cls.x = random.normal(size=(NODES, CHANNELS)).astype(numpy.float32)
        cls.y = random.integers(0, CLASSES, NODES)
        cls.edges = random.integers(0, NODES, (2, 500))
        source = cls.path("source")
        os.mkdir(source)
        for name, array in (("x", cls.x), ("y", cls.y),
                            ("edge_index", cls.edges),
                            ("train_mask", numpy.arange(NODES) % 3 == 0),
                            ("val_mask", numpy.arange(NODES) % 3 == 1),
                            ("test_mask", numpy.arange(NODES) % 3 == 2)):
            numpy.save(os.path.join(source, name + ".npy"), array)
        cls.graph = cls.path("graph")
        run(TRIBUTARY, "partition", "--input", source, "--format", "npy",
            "--out", cls.graph, "--num-parts", 2, "--method", "random")

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def trained(self, name, *flags):
        """The metadata, the tensors, the rows of all nodes, and the output."""
        saved, out = self.path(name + ".safetensors"), self.path(name)
        text = run(TRAINER, "--graph", self.graph, "--input", "train,valid,test",
                   "--model", "sage", "--hidden", HIDDEN, "--num-neighbors",
                   "5,5", "--epochs", 3, "--random-seed", 1, "--device", "cpu",
                   "--no-progress", "--save-model", saved, "--predict", "*",
                   "--out", out, *flags)
        return *read(saved), numpy.load(os.path.join(out, "predictions.npy")), text

    def rows(self, tensors, **arguments):
        model = GraphSAGE(CHANNELS, HIDDEN, 2, CLASSES, **arguments)
        model.load_state_dict(tensors, strict=True)
        with torch.no_grad():
            return model.eval()(torch.from_numpy(self.x),
                                torch.from_numpy(self.edges)).numpy()

    def difference(self, *flags, without=()):
        """The largest, of what PyG computes by the metadata `without` keys."""
        said, tensors, expected, _ = self.trained(
            "model" + "".join(flags) + "".join(without), *flags)
        arguments = {key: said[key] for key in ("aggr", "norm") if key in said}
        if "norm_kwargs" in said:
            arguments["norm_kwargs"] = json.loads(said["norm_kwargs"])
        for key in without:
            del arguments[key]
        found = abs(self.rows(tensors, **arguments) - expected).max()
        print(*flags, "without", *without, f"differs by {found:.2g}")
        return found

    def test_layer_norm(self):
        self.assertLess(self.difference("--layer-norm"), 1e-5)
        # PyG's default mode loads strictly, too, and is another model.
        self.assertGreater(
            self.difference("--layer-norm", without=("norm_kwargs",)), 1e-3)

    def test_the_lines_of_the_page_load_it(self):
        with open(PAGE, encoding="utf-8") as file:
            lines = re.search(r"    import json, safetensors\n(?:    .*\n)+",
                              file.read()).group()
        for flags in ((), ("--layer-norm", "--aggr", "max")):
            name = "page" + "".join(flags)
            _, _, expected, _ = self.trained(name, *flags)
            scope = {"in_channels": CHANNELS, "hidden": HIDDEN, "layers": 2,
                     "classes": CLASSES}
            exec(textwrap.dedent(lines).replace(
                "m.safetensors", self.path(name + ".safetensors")), scope)
            with torch.no_grad():
                found = scope["model"].eval()(torch.from_numpy(self.x),
                                              torch.from_numpy(self.edges))
            self.assertLess(abs(found.numpy() - expected).max(), 1e-5)

    def test_aggregation(self):
        self.assertLess(self.difference("--aggr", "max"), 1e-5)
        self.assertGreater(
            self.difference("--aggr", "max", without=("aggr",)), 1e-3)

    def test_f1_is_that_of_scikit_learn(self):
        for average in ("micro", "macro"):
            _, _, rows, text = self.trained(
                "f1" + average, "--metric", "f1-" + average,
                "--eval-num-neighbors=-1,-1")
            test = numpy.arange(NODES) % 3 == 2
            expected = f1_score(self.y[test], rows.argmax(1)[test],
                                average=average)
            found = text.split(f"test_f1-{average}=")[1].split()[0]
            print("f1", average, found, expected)
            self.assertAlmostEqual(float(found), expected, 4)


if __name__ == "__main__":
    unittest.main()
