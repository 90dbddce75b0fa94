"""`tributary cache`: made, served, verified, replaced and damaged."""

import os
import random
import re
import shutil
import signal
import subprocess
import unittest
import urllib.request

from tests.e2e import folders, processes, sampling

CORA = "tests/data/cora"
SAMPLED = ("--num-neighbors", "10,5", "--batch-size", "32")


def make(graph, size="0.1", *flags, inputs="train"):
    return processes.run("cache", "--graph", graph, "--hot-cache", size,
                         "--input-nodes", inputs, *SAMPLED, *flags)


def metric(server, name):
    text = urllib.request.urlopen(
        f"http://{server.http}/metrics", timeout=30).read().decode()
    return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)[1])


class HotCacheTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.graph = folders.partition(
            CORA, os.path.join(self.folder, "cora4"), 4, "metis")
        self.hot = os.path.join(self.graph, "hot")

    def lines(self, *flags):
        """Of a fleet of two servers, and the rows found in their caches."""
        with processes.Fleet(self.graph, ["0,1", "2,3"], "--http",
                             "127.0.0.1:0", *flags) as fleet:
            lines = sampling.lines(("servers", fleet.addresses()))
            hits = sum(metric(s, "tributary_hot_cache_hits_total")
                       for s in fleet.servers)
            return lines, hits

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

    def files(self):
        return {os.path.relpath(os.path.join(root, name), self.hot):
                open(os.path.join(root, name), "rb").read()
                for root, _, names in os.walk(self.hot) for name in names}

    def test_local_order_and_a_dry_run(self):
        done = make(self.graph, "100KB", "--shuffle", "local", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists(self.hot))
        self.assertIn("102400B", done.stdout)
        self.assertEqual(done.stdout.count("\npartition") +
                         done.stdout.startswith("partition"), 4)

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
                (("0.1", "--shuffle", "local", "--input-weight", "@w.npy"),
                 "w.npy"),
                (("0.1", "--batches", "1000:2000"), "batches")):
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
