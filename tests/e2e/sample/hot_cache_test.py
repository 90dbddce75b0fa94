"""`tributary cache`: made, served, verified, replaced and damaged."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling

CORA = "tests/data/cora"
SAMPLED = ("--num-neighbors", "10,5", "--batch-size", "32")


def make(graph, size="0.1", *flags, inputs="train"):
    return processes.run("cache", "--graph", graph, "--hot-cache", size,
                         "--input-nodes", inputs, *SAMPLED, *flags)


class HotCacheTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.graph = folders.partition(
            CORA, os.path.join(self.folder, "cora4"), 4, "metis")
        self.hot = os.path.join(self.graph, "hot")

    def lines(self, *flags):
        return sampling.lines_and_hits(
            [self.graph, self.graph], ["0,1", "2,3"], *flags)

    def test_batches_are_the_same(self):
        expected = sampling.lines(self.graph)
        self.assertEqual(self.lines(), (expected, 0))
        done = make(self.graph)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("wrote", done.stdout)
        lines, hits = self.lines()
        self.assertEqual(lines, expected)
        self.assertGreater(hits, 0)
        self.assertEqual(self.lines("--hot-cache", "off"), (expected, 0))
        self.assertIn("are their owners'",
                      processes.run_ok("verify", self.graph))
        shutil.rmtree(self.hot)
        self.assertEqual(self.lines(), (expected, 0))

    def test_partition_makes_the_cache_that_cache_makes(self):
        made = make(self.graph)
        before = self.files()
        self.graph = os.path.join(self.folder, "again4")
        self.hot = os.path.join(self.graph, "hot")
        done = self.partition()
        self.assertEqual(done.returncode, 0, done.stderr)
        wrote, table = done.stdout.split("\n", 1)
        self.assertTrue(wrote.startswith(f"wrote {self.graph} nodes="), wrote)
        self.assertEqual(table.replace(self.graph, "G"),
                         made.stdout.replace(self.folder + "/cora4", "G"))
        self.assertEqual(self.files(), before)
        # A Job that runs again: what is there stays, what is not is made.
        self.assertIn("hot was there already",
                      self.partition("--keep-existing").stderr)
        shutil.rmtree(self.hot)
        self.assertEqual(self.partition("--keep-existing").stdout, done.stdout)
        self.assertEqual(self.files(), before)

    def partition(self, *more, parts=4, size="0.1", inputs="train",
                  sampled=SAMPLED):
        return processes.run(
            "partition", "--input", CORA, "--format", "ogb", "--out",
            self.graph, "--num-parts", parts, "--method", "metis",
            "--hot-cache", size, "--input-nodes", inputs, *sampled, *more)

    def test_partition_refuses_before_it_begins(self):
        self.graph = os.path.join(self.folder, "none")
        for how, says in (
                ({"size": "1.5"}, "--hot-cache 1.5\nallowed: "),
                ({"size": ""}, "--input-nodes without --hot-cache\n"
                 "allowed: with it, whose batches it describes"),
                ({"parts": 1}, "--hot-cache with --num-parts 1\n"
                 "allowed: 2 partitions or more"),
                ({"sampled": ("--num-neighbors", "x")}, "--num-neighbors"),
                ({"inputs": "@none.npy"}, "none.npy")):
            with self.subTest(how=how):
                done = self.partition(**how)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(says, done.stderr)
                self.assertFalse(os.path.exists(self.graph))
                self.assertFalse(os.path.exists(self.graph + ".partial"))

    def test_a_graph_without_its_cache_is_complete(self):
        self.graph = os.path.join(self.folder, "whole")
        done = self.partition(inputs="nosplit")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nosplit", done.stderr)
        self.assertIn(f"{self.graph} is complete without it; `tributary cache`"
                      " makes one", done.stderr)
        processes.run_ok("verify", self.graph)
        self.assertFalse(os.path.exists(self.graph + "/hot"))
        self.assertFalse(os.path.exists(self.graph + ".partial"))

    def test_partitions_are_verified_with_their_caches(self):
        self.assertEqual(make(self.graph).returncode, 0)
        said = processes.run_ok("verify", self.graph, "--partitions", "1,2")
        # A tenth of 2708 nodes each; about a third of them is compared.
        whole, compared = map(int, re.search(
            r"the cache's (\d+) rows are whole; (\d+) of them", said).groups())
        self.assertEqual(whole, 540)
        self.assertTrue(0 < compared < whole, compared)
        for part in (0, 3):
            shutil.rmtree(f"{self.graph}/part-{part}")
            shutil.rmtree(f"{self.hot}/part-{part}")
        self.assertEqual(said, processes.run_ok(
            "verify", self.graph, "--partitions", "1,2"))
        path = os.path.join(self.hot, "part-2", "node", "orig_id.npy")
        os.truncate(path, os.path.getsize(path) - 8)
        processes.run_ok("verify", self.graph, "--partitions", "1")
        done = processes.run("verify", self.graph, "--partitions", "1,2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("hot/part-2/node/orig_id.npy", done.stderr)

    def test_the_same_command_makes_the_same_cache(self):
        first = make(self.graph)
        before = self.files()
        self.assertEqual(make(self.graph).stdout, first.stdout)
        self.assertEqual(self.files(), before)
        # 2708 nodes; a partition's cache has a tenth of them.
        self.assertIn("partition 0: 270 rows", first.stdout)
        make(self.graph, "0.01")
        self.assertLess(len(self.files()["part-0/node/x.npy"]),
                        len(before["part-0/node/x.npy"]))

    def test_a_session_as_text_makes_the_same_cache(self):
        make(self.graph)
        before = self.files()  # with the command line of hot.json
        session = os.path.join(self.folder, "session.json")
        with open(session, "w", encoding="ascii") as file:
            json.dump({"input_nodes": "train", "num_neighbors": [10, 5],
                       "batch_size": 32}, file)
        processes.run_ok("cache", "--graph", self.graph, "--hot-cache", "0.1",
                         "--session", session)
        self.assertEqual(self.files(), before)

    def files(self):
        return {os.path.relpath(os.path.join(root, name), self.hot):
                pathlib.Path(root, name).read_bytes()
                for root, _, names in os.walk(self.hot) for name in names}

    def test_local_order_and_a_dry_run(self):
        done = make(self.graph, "100KB", "--shuffle", "local", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists(self.hot))
        self.assertIn("102400B", done.stdout)
        self.assertEqual(done.stdout.count("\npartition") +
                         done.stdout.startswith("partition"), 4)

    def test_rows_that_trainers_hold_are_left_to_them(self):
        def remote(done):
            return [float(found) for found in re.findall(
                r"remote of a batch: \S+ rows, (\d+)", done.stdout)]

        whole = make(self.graph)
        done = make(self.graph, "0.1", "--trainer-cache", "0.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        # Servers are asked for less by far, and cache the next rows.
        for less, all_of_it in zip(remote(done), remote(whole)):
            self.assertLess(less, 0.7 * all_of_it)
        rank = np.load(os.path.join(self.graph, "hot-lists/sampled/node/rank.npy"))
        held = len(rank) // 5
        for part in range(4):
            cached = np.load(os.path.join(
                self.hot, f"part-{part}/node/internal_id.npy"))
            self.assertGreater(len(cached), 200)
            self.assertGreaterEqual(rank[cached].min(), held)
        lines, hits = self.lines()
        self.assertEqual(lines, sampling.lines(self.graph))
        self.assertGreater(hits, 0)

    def test_a_typed_graph(self):
        source = folders.random_hetero(os.path.join(self.folder, "typed"),
                                       random.Random(3))
        graph = folders.partition(source, os.path.join(self.folder, "typed3"),
                                  3)
        how = dict(inputs="user:train", fanouts="4,3", batch_size=8)
        expected = sampling.lines(graph, **how)
        done = make(graph, "0.3", inputs="user:train")
        self.assertEqual(done.returncode, 0, done.stderr)
        with processes.Fleet(graph, ["0", "1", "2"]) as fleet:
            self.assertEqual(
                sampling.lines(("servers", fleet.addresses()), **how), expected)
        processes.run_ok("verify", graph)

    def test_a_killed_run_leaves_the_old_cache(self):
        self.assertEqual(make(self.graph).returncode, 0)
        before = self.files()
        rng = random.Random(1)
        for _ in range(5):
            with processes.Process(
                    "cache", "--graph", self.graph, "--hot-cache", "0.9",
                    "--input-nodes", "*", *SAMPLED) as running:
                processes.until(lambda: not running.running() or any(
                    ".tmp-" in name for name in os.listdir(self.graph)))
                try:
                    running.wait(rng.random() / 2)
                except subprocess.TimeoutExpired:  # it runs, as it should
                    running.send(signal.SIGKILL)
                    running.wait()
            # The old one or the new one, whole.
            self.assertIn("are their owners'",
                          processes.run_ok("verify", self.graph))
        done = make(self.graph)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), before)

    def test_refusals(self):
        for flags, says in (
                (("0",), "--hot-cache 0\nallowed: a share"),
                (("1.5",), "--hot-cache 1.5"),
                (("0.1", "--shuffle", "none"), "--shuffle"),
                (("0.1", "--trainer-cache", "1.5"),
                 "--trainer-cache 1.5\nallowed: a share from 0 to 1"),
                (("0.1", "--list", "degree"),
                 "--list degree with --hot-cache, --trainer-cache or --dry-run"),
                (("0.1", "--trainer-cache", "0.1", "--shuffle", "local"),
                 "--trainer-cache with --shuffle local"),
                (("0.1", "--shuffle", "local", "--input-weight", "@w.npy"),
                 "w.npy"),
                (("0.1", "--batches", "1000:2000"),
                 "no batch in [1000, 2000)")):
            with self.subTest(flags=flags):
                done = make(self.graph, *flags)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(says, done.stderr)
                self.assertFalse(os.path.exists(self.hot))
                self.assertFalse([n for n in os.listdir(self.graph)
                                  if ".tmp-" in n])

    def test_a_server_names_a_damaged_cache(self):
        self.assertEqual(make(self.graph).returncode, 0)
        path = os.path.join(self.hot, "part-2", "node", "x.npy")
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\x7f")
        for command in (("serve", "--graph", self.graph, "--partitions", "2,3",
                         "--listen", "127.0.0.1:0"), ("verify", self.graph)):
            done = processes.run(*command)
            self.assertEqual(done.returncode, 1)
            self.assertIn("hot/part-2/node/x.npy: its CRC32C", done.stderr)


if __name__ == "__main__":
    unittest.main()
