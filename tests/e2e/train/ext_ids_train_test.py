"""`tributary-train --predict --ext-ids`: rows have the ids of the user's data."""

import json
import os
import random
import unittest

import numpy as np

from tests.e2e import processes, training

USERS = ["zoe", "ann", "née", "bob", "a,b", "x y"]
ITEMS = [70, -3, 5000000000, 12]
IN_ORDER = sorted(USERS, key=str.encode)
ROWS = [(user, item) for user in USERS for item in ITEMS
        if (USERS.index(user) + ITEMS.index(item)) % 3]


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(",".join(f'"{cell}"' if "," in str(cell) else str(cell)
                                for cell in row) + "\n")


class ExtIdsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        rng = random.Random(1)
        write(cls.path("users.csv"), [("name", "age", "club"), *(
            (user, rng.random(), i % 2) for i, user in enumerate(USERS))])
        write(cls.path("buys.csv"), [("who", "what"), *ROWS])
        write(cls.path("train.csv"), [[user] for user in USERS[:4]])
        write(cls.path("links.csv"), ROWS[:5])
        with open(cls.path("shop.json"), "w", encoding="utf-8") as file:
            json.dump({
                "nodes": {"user": {"table": "users.csv", "id": "name",
                                   "features": ["age"], "labels": "club",
                                   "splits": {"train": "train.csv"}}},
                "edges": {"user,buys,item": {
                    "table": "buys.csv", "splits": {"train": "links.csv"}}}},
                file)
        cls.graph = cls.path("shop")
        processes.run_ok("partition", "--format", "edge-list", "--config",
                         cls.path("shop.json"), "--add-reverse", "--out", cls.graph,
                         "--num-parts", 2)

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    def predict(self, name, *flags, graph=None, code=0, task="node"):
        out = self.path(name)
        said = training.output(
            "--graph", graph or self.graph, "--task", task, "--model", "rgcn",
            "--epochs", 1, "--num-neighbors", "2,2", "--batch-size", 4, "--out", out,
            *flags, code=code)
        if code:
            return said
        return {file[:-4]: np.load(os.path.join(out, file))
                for file in os.listdir(out) if file.endswith(".npy")}

    def texts(self, made, name="ext_id"):
        offsets = made[name + "_offsets"]
        data = made[name + "_bytes"].tobytes()
        return [data[b:e].decode() for b, e in zip(offsets, offsets[1:])]

    def test_nodes(self):
        nodes = ("--input", "user:train", "--ext-ids", self.graph)
        made = self.predict("all", *nodes, "--predict", "user:*")
        self.assertEqual(made["ids"].tolist(), list(range(6)))
        self.assertEqual(self.texts(made), IN_ORDER)
        made = self.predict("some", *nodes, "--predict", "user:train")
        self.assertEqual(self.texts(made), USERS[:4])

    def test_links(self):
        made = self.predict("links", "--input", "user,buys,item:train",
                            "--ext-ids", self.graph, "--predict",
                            "user,buys,item:train", task="link")
        self.assertEqual(self.texts(made, "src_ext_id"), [u for u, _ in ROWS[:5]])
        self.assertEqual(made["dst_ext_id"].tolist(), [i for _, i in ROWS[:5]])

    def test_refusals(self):
        other = self.path("other")
        processes.run_ok("generate", "rmat", "--out", other, "--scale", 3,
                         "--edges", 9, "--feat-dim", 2)
        nodes = ("--input", "user:train", "--predict", "user:*")
        self.assertIn("holds another graph", self.predict(
            "no", *nodes, "--ext-ids", other, code=78))
        self.assertIn("graph.json", self.predict(
            "no", *nodes, "--ext-ids", self.path("none"), code=78))
        self.assertFalse(os.path.exists(self.path("no")))

    def test_the_dictionaries_are_verified_and_inspected(self):
        said = json.loads(processes.run_ok("inspect", self.graph, "--json"))
        ids = {t["name"]: t["ids"] for t in said["node_types"]}
        sizes = {name: os.path.getsize(os.path.join(self.graph, "ids", name))
                 for name in os.listdir(os.path.join(self.graph, "ids"))}
        self.assertEqual(ids, {
            "item": {"kind": "numbers", "bytes": sizes["item.numbers.npy"]},
            "user": {"kind": "texts", "bytes": sizes["user.offsets.npy"]
                     + sizes["user.bytes.npy"]}})
        self.assertIn(f"ids texts ({ids['user']['bytes']} bytes)",
                      processes.run_ok("inspect", self.graph))
        processes.run_ok("verify", self.graph)
        against = ("verify", self.graph, "--format", "edge-list", "--add-reverse",
                   "--config", self.path("shop.json"))
        processes.run_ok(*against)
        processes.run_ok(*against, "--sample", 3)
        path = os.path.join(self.graph, "ids", "user.bytes.npy")
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read(1)
            try:
                file.seek(-1, os.SEEK_END)
                file.write(b"!")
                file.flush()
                done = processes.run("verify", self.graph)
            finally:
                file.seek(-1, os.SEEK_END)
                file.write(last)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ids/user.bytes.npy: its CRC32C", done.stderr)

    def test_an_input_with_other_ids_differs(self):
        """The same graph by its numbers, so that its content is the same."""
        other = self.path("renamed")
        os.mkdir(other)
        for name in os.listdir(self.folder):
            if not name.endswith((".csv", ".json")):
                continue
            with open(self.path(name), encoding="utf-8") as file:
                text = file.read()
            with open(os.path.join(other, name), "w", encoding="utf-8") as file:
                file.write(text.replace("zoe", "zoo"))
        for more in ((), ("--sample", 3)):
            done = processes.run(
                "verify", self.graph, "--format", "edge-list", "--add-reverse",
                "--config", os.path.join(other, "shop.json"), *more)
            self.assertEqual(done.returncode, 1)
            self.assertIn("ids/user.bytes.npy has other ids than the input",
                          done.stderr)


if __name__ == "__main__":
    unittest.main()
