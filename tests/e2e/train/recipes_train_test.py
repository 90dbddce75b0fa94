"""The commands of docs/recipes.md, on small graphs of the same layouts."""

import os
import random
import re
import shlex
import subprocess
import unittest

from tests.e2e import made_up_graphs, processes

TRAINER = "trainer_client/torch/tributary-train"
# What names machines: each recipe runs on one here.
MACHINES = ("--servers", "--nnodes", "--node-rank", "--nproc", "--master-addr")


def commands():
    """The commands of the page's code blocks, as words."""
    with open("docs/recipes.md", encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    return [shlex.split(line) for line in
            re.findall("^    (tributary.*)$", text, re.MULTILINE)]


def partition_of(name):
    return next(c for c in commands() if c[1] == "partition" and c[3] == name)


def training_of(model):
    words = next(c for c in commands()
                 if c[0] == "tributary-train" and model in c)[1:]
    return [word for i, word in enumerate(words)
            if word not in MACHINES and (i == 0 or words[i - 1] not in
                                         MACHINES)]


class RecipesTrainTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.rng = random.Random(5)

    def training_flags(self, model):
        flags = training_of(model)
        if "--checkpoint-dir" in flags:
            at = flags.index("--checkpoint-dir") + 1
            flags[at] = os.path.join(self.folder, flags[at])
        return flags

    def run_recipe(self, name, model, *more):
        words = partition_of(name)
        words[3] = os.path.join(self.folder, name)
        words[words.index("--out") + 1] = os.path.join(self.folder, "graph")
        processes.run_ok(*words[1:])
        done = subprocess.run(
            [TRAINER, "--graph", os.path.join(self.folder, "graph"),
             *self.training_flags(model), *more, "--device", "cpu",
             "--no-progress"],
            text=True, capture_output=True, timeout=120, check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("result test_accuracy=", done.stdout)

    def test_products(self):
        made_up_graphs.write_products(
            os.path.join(self.folder, "ogbn_products"), self.rng)
        self.run_recipe("ogbn_products", "sage")

    def test_mag(self):
        made_up_graphs.write_mag(os.path.join(self.folder, "ogbn_mag"),
                                 self.rng)
        self.run_recipe("ogbn_mag", "rgcn")

    def test_mag_by_the_older_script(self):
        made_up_graphs.write_mag(os.path.join(self.folder, "ogbn_mag"),
                                 self.rng)
        self.run_recipe("ogbn_mag", "rgcn", "--draw", "across_types",
                        "--replace")


if __name__ == "__main__":
    unittest.main()
