"""Hot lists: made with the graph and by `cache`, shown, verified and damaged."""

import json
import os
import pathlib
import shutil
import unittest

import numpy as np

from tests.e2e import folders, processes

SAMPLED = ("--input-nodes", "train", "--num-neighbors", "10,5",
           "--batch-size", "32")


class HotListTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.graph = self.path("graph")

    def path(self, name):
        return os.path.join(self.folder, name)

    def partition(self, *more, parts=2):
        return processes.run_ok(
            "partition", "--input", folders.CORA, "--format", "ogb", "--out",
            self.graph, "--num-parts", parts, *more)

    def lists(self):
        """The lists of `inspect` by name."""
        figures = json.loads(processes.run_ok("inspect", self.graph, "--json"))
        return {of["name"]: of for of in figures["hot_lists"]}

    def files(self, name="degree"):
        top = os.path.join(self.graph, "hot-lists", name)
        return {os.path.relpath(os.path.join(root, file), top):
                pathlib.Path(root, file).read_bytes()
                for root, _, names in os.walk(top) for file in names}

    def test_a_graph_has_the_list_by_degree(self):
        digests = set()
        for parts, more in ((1, ()), (3, ("--method", "metis")),
                            (2, ("--memory", "256MiB"))):
            self.graph = self.path(f"graph{parts}")
            self.partition(*more, parts=parts)
            listed = self.lists()
            self.assertEqual(list(listed), ["degree"])
            self.assertEqual(listed["degree"]["rows"], {"node": 2708})
            digests.add(listed["degree"]["digest"])
            self.assertIn(f"hot list degree {listed['degree']['digest']}: "
                          "node 2708 rows\n",
                          processes.run_ok("inspect", self.graph))
            self.assertIn("the hot list degree orders 2708 rows; the checksums"
                          " of 2708 are the graph's\n",
                          processes.run_ok("verify", self.graph))
        self.assertEqual(len(digests), 1)
        top = os.path.join(self.graph, "hot-lists", "degree", "node", "")
        order = np.load(top + "order.npy")
        self.assertEqual(sorted(order), list(range(2708)))
        ends = np.loadtxt(folders.CORA + "/raw/edge.csv.gz", delimiter=",",
                          dtype=np.int64)
        degrees = np.bincount(ends[:, 0], minlength=2708)
        wanted = np.lexsort((np.arange(2708), -degrees))
        np.testing.assert_array_equal(order, wanted)

    def test_it_is_made_again_and_left_out(self):
        said = self.partition()
        before = self.files()
        shutil.rmtree(self.graph + "/hot-lists")
        processes.run_ok("verify", self.graph)
        self.assertEqual(self.partition("--keep-existing"), said)
        self.assertEqual(self.files(), before)
        shutil.rmtree(self.graph + "/hot-lists")
        processes.run_ok("cache", "--graph", self.graph, "--list", "degree")
        self.assertEqual(self.files(), before)
        shutil.rmtree(self.graph)
        self.partition("--hot-list", "off")
        self.assertFalse(os.path.exists(self.graph + "/hot-lists"))
        self.partition("--keep-existing", "--hot-list", "off")
        self.assertFalse(os.path.exists(self.graph + "/hot-lists"))

    def test_generated_graphs_have_one_if_they_have_columns(self):
        self.graph = self.path("rmat")
        processes.run_ok("generate", "rmat", "--scale", "6", "--edges", "200",
                         "--feat-dim", "4", "--out", self.graph)
        self.assertEqual(self.lists()["degree"]["rows"], {"node": 64})
        processes.run_ok("verify", self.graph)
        shutil.rmtree(self.graph)
        processes.run_ok("generate", "rmat", "--scale", "6", "--edges", "200",
                         "--hot-list", "off", "--out", self.graph)
        self.assertFalse(os.path.exists(self.graph + "/hot-lists"))

    def test_lists_that_are_sampled_stay_side_by_side(self):
        self.partition()
        said = processes.run_ok("cache", "--graph", self.graph, *SAMPLED)
        self.assertIn(f"wrote {self.graph}/hot-lists/sampled\n", said)
        self.assertRegex(said, r"--trainer-cache +bytes held +rows covered")
        self.assertEqual(said.count(" yes\n") + said.count(" no\n"), 6)
        processes.run_ok("cache", "--graph", self.graph, *SAMPLED, "--list",
                         "second", "--epoch", "7", "--hot-cache", "0.1")
        listed = self.lists()
        self.assertEqual(sorted(listed), ["degree", "sampled", "second"])
        self.assertEqual(len({of["digest"] for of in listed.values()}), 3)
        self.assertEqual(
            processes.run_ok("verify", self.graph).count("the hot list "), 3)
        before = self.files("sampled")
        dry = processes.run_ok("cache", "--graph", self.graph, *SAMPLED,
                               "--dry-run", "--epoch", "3")
        self.assertNotIn("wrote", dry)
        self.assertEqual(self.files("sampled"), before)

    def test_the_share_of_rows_is_that_of_the_order(self):
        """What is predicted for a share is what the list's first rows cover."""
        self.partition(parts=1)
        said = processes.run_ok("cache", "--graph", self.graph, *SAMPLED)
        covered = {share: float(rows) for share, rows in
                   (line.split()[0:3:2] for line in
                    said.replace("%", "").splitlines()
                    if line.startswith("0."))}
        order = np.load(self.graph + "/hot-lists/sampled/node/order.npy")
        out = self.path("batches")
        processes.run_ok("sample", "--graph", self.graph, *SAMPLED, "--epoch",
                         "1", "--out", out)
        nodes = np.concatenate([np.load(os.path.join(out, name))["n_id"]
                                for name in sorted(os.listdir(out))
                                if name.endswith(".npz")])
        for share in ("0.1", "0.5"):
            held = order[:int(2708 * float(share))]
            # Of nodes that tie the forecast takes the mean.
            self.assertAlmostEqual(100 * np.isin(nodes, held).mean(),
                                   covered[share], delta=3)

    def test_wrong_flags_are_refused(self):
        self.partition()
        for flags, says in (
                (("--list", "a/b", *SAMPLED), "--list: a hot list called"),
                (("--list", "degree", "--hot-cache", "0.1", *SAMPLED),
                 "--list degree with --hot-cache"),
                (("--list", "degree", "--dry-run"), "--list degree with")):
            done = processes.run("cache", "--graph", self.graph, *flags)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)
        done = processes.run("partition", "--input", folders.CORA, "--out",
                             self.path("x"), "--hot-list", "all")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--hot-list", done.stderr)

    def test_damage_is_named(self):
        self.partition()
        top = os.path.join(self.graph, "hot-lists", "degree")
        for name in ("node/order.npy", "node/crc.npy", "node/rank.npy",
                     "list.json", "files.json"):
            with self.subTest(name=name):
                path = os.path.join(top, name)
                right = pathlib.Path(path).read_bytes()
                pathlib.Path(path).write_bytes(right[:-9] + b"\x01" + right[-8:])
                done = processes.run("verify", self.graph)
                self.assertEqual(done.returncode, 1)
                self.assertIn("hot-lists/degree/" + name, done.stderr)
                pathlib.Path(path).write_bytes(right)
        processes.run_ok("verify", self.graph)
        # That of another layout: what to do is said.
        other, self.graph = self.graph, self.path("other")
        self.partition(parts=3)
        shutil.rmtree(self.graph + "/hot-lists")
        shutil.copytree(other + "/hot-lists", self.graph + "/hot-lists")
        done = processes.run("verify", self.graph)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the list belongs to the layout", done.stderr)
        self.assertIn("to remove " + self.graph, done.stderr)


if __name__ == "__main__":
    unittest.main()
