"""Blocks of the pages about training, pasted into shells, on small graphs."""

import os
import random
import re
import unittest

import numpy as np

from tests.e2e import folders, made_up_graphs, processes
from tests.e2e.pages import page

TRAINING, LINKS = "docs/training.md", "docs/link-prediction.md"
SESSIONS = "docs/sampling/sessions.md"
CHECKPOINTS, OWN_MODEL = "docs/checkpoints.md", "examples/own_model/README.md"
NODES = 60  # of the graphs of links


def pairs(rng, count, sources=NODES, destinations=NODES):
    return [(rng.randrange(sources), rng.randrange(destinations)) for _ in range(count)]


class TrainPagesTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(folder)
        self.rng = random.Random(7)

    def path(self, *parts):
        return self.shells.path(*parts)

    def write_cora2(self):
        """A graph of that name, small enough for 40 epochs, and two servers of it."""
        made_up_graphs.write_products(self.path("raw2"), self.rng)
        folders.partition(self.path("raw2"), self.path("cora2"), 2)
        fleet = self.enterContext(processes.Fleet(self.path("cora2"), ["0", "1"]))
        fleet.doctor()
        with open(self.path("servers.txt"), "w", encoding="utf-8") as file:
            file.write(fleet.addresses().replace(",", "\n") + "\n")

    def test_in_a_minute(self):
        self.write_cora2()
        out = self.shells.paste(page.block(TRAINING, "tributary-train --graph cora2 --epochs 40   "))
        results = re.findall("^result test_accuracy=.* best_epoch", out, re.M)
        self.assertEqual(len(results), 3, out)
        # Of two ranks each, of the folder and of a fleet: the same run.
        self.assertEqual(results[1], results[2])

    def test_a_session_as_text(self):
        self.write_cora2()
        out = self.shells.paste(page.block(SESSIONS, "printf"))
        self.assertIn("result test_accuracy", out)
        self.assertRegex(out, r"(?m)^0 0 [0-9a-f]{64} 64 ")

    def test_predictions(self):
        self.write_cora2()
        self.shells.paste(page.block(
            TRAINING, "tributary-train --graph cora2 --epochs 40 --save-model"))
        for name, rows in (("p1", 100), ("p2", 100), ("p3", 300)):
            self.assertEqual(len(np.load(self.path(name, "ids.npy"))), rows)
        np.testing.assert_array_equal(*(np.load(self.path(name, "predictions.npy"))
                                        for name in ("p1", "p2")))
        names = {}
        exec(page.block(TRAINING, "import numpy").replace("p3/", self.path("p3/")), names)  # pylint: disable=exec-used
        self.assertEqual(names["classes"].shape, names["ids"].shape)

    def test_checking_a_checkpoint_by_hand(self):
        self.write_cora2()
        self.shells.paste("tributary-train --graph cora2 --epochs 2 --no-progress"
                          " --checkpoint-dir run --checkpoint-every 1\ncd run/$(ls run | tail -n 1)\n"
                          "cp checkpoint.json model.safetensors ../..")
        out = self.shells.paste(page.block(CHECKPOINTS, "head -c"))
        own, told, model = re.search(
            r'^(\w{64})  -\n"?.*?(\w{64})"\n\}\n(\w{64})  model', out, re.M | re.S).groups()
        self.assertEqual(own, told)
        self.assertIn(model, page.text_of(self.path("checkpoint.json")))

    def write_links(self, scheme="target"):
        splits = {"train": pairs(self.rng, 200), "valid": pairs(self.rng, 30),
                  "test": pairs(self.rng, 30), "valid_neg": pairs(self.rng, 40),
                  "test_neg": pairs(self.rng, 40)}
        folders.write_ogb(self.path("ddi.raw"), NODES, splits["train"], splits=splits)
        os.rename(self.path("ddi.raw/split/only"), self.path("ddi.raw/split", scheme))
        folders.partition(self.path("ddi.raw"), self.path("ddi"), 2, "random", "--add-reverse")

    def write_shop(self):
        buys, knows = pairs(self.rng, 260, NODES, 20), pairs(self.rng, 200)
        folders.write_hetero(
            self.path("shop.raw"),
            {"user": (NODES, None, None), "item": (20, None, None)},
            {("user", "buys", "item"): (buys, None), ("user", "knows", "user"): (knows, None)},
            {"user___buys___item": {"train": buys[:200], "valid": buys[200:230],
                                    "test": buys[230:]},
             "user___knows___user": {"train": knows}})
        folders.partition(self.path("shop.raw"), self.path("shop"), 2, "random", "--add-reverse")

    def test_links(self):
        self.write_links()
        self.write_shop()
        text = page.block(LINKS, "tributary-train --graph ddi")
        self.assertIn(page.block(TRAINING, "tributary-train --graph ddi"), text)
        out = self.shells.paste(text)
        self.assertEqual(len(re.findall("^result test_", out, re.M)), 2, out)

    def test_a_knowledge_graph(self):
        raw = self.path("fb.raw", "raw", "")
        for name, count in (("node", NODES), ("relation", 2), ("edge", 200)):
            folders.write_rows(f"{raw}num-{name}-list", [[count]])
        for name, count in (("train", 200), ("valid", 20), ("test", 20)):
            folders.write_rows(raw + name, [
                (a, i % 2, b) for i, (a, b) in enumerate(pairs(self.rng, count))])
        folders.partition(self.path("fb.raw"), self.path("fb"), 2, "random")
        out = self.shells.paste(page.block(LINKS, "tributary-train --graph fb"))
        self.assertIn("result test_filtered-mrr=", out)

    def test_links_in_time(self):
        edges = pairs(self.rng, 260)
        folders.write_ogb(self.path("mails"), NODES, edges,
                          files={"edge-time": range(len(edges))},
                          splits={"train": range(200), "valid": range(200, 230),
                                  "test": range(230, 260)})
        os.rename(self.path("mails/split/only"), self.path("mails/split/time"))
        out = self.shells.paste(page.block(LINKS, "zcat "))
        self.assertRegex(out, "(?m)^result test_")

    def test_a_model_of_your_own(self):
        os.makedirs(self.path("tests/data"))
        os.symlink(os.path.abspath("tests/data/cora"), self.path("tests/data/cora"))
        text = page.block(OWN_MODEL, "./dev bazel build")
        built, commands = text.split('eval "$(./dev path)"\n')
        self.assertEqual(built, "./dev bazel build //examples/own_model\n")
        os.makedirs(self.path("bazel-bin/examples/own_model"))
        os.symlink(os.path.abspath("examples/own_model/own_model"),
                   self.path("bazel-bin/examples/own_model/own_model"))
        self.assertIn("result test_accuracy=", self.shells.paste(commands))


if __name__ == "__main__":
    unittest.main()
