"""A file of a served graph is cut: another server makes the batches, and the
server that lost it goes on with its other graphs."""

import glob
import os
import random
import re
import shutil
import unittest
import urllib.request

from tests.e2e import folders, processes, sampling


def damaged(server):
    """What /metrics says of each graph."""
    with urllib.request.urlopen(f"http://{server.http}/metrics",
                                timeout=10) as reply:
        text = reply.read().decode()
    return dict(re.findall(
        r'^tributary_graph_damaged\{graph="([^"@]*)[^"]*"\} (\d)$', text,
        re.M))


def makes_huge_pages():
    with open("/sys/kernel/mm/transparent_hugepage/enabled", encoding="utf-8") as file:
        return "[never]" not in file.read()


class LostFilesTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.sound = folders.partition(folders.CORA,
                                       os.path.join(folder, "sound"), 2,
                                       "random", "--name", "cora")
        source = os.path.join(folder, "source")
        folders.random_ogb(source, random.Random(1), 300, 2000, True)
        self.other = folders.partition(source, os.path.join(folder, "other"),
                                       2, "random", "--name", "other")
        self.lost = os.path.join(folder, "lost")
        shutil.copytree(self.sound, self.lost)
        self.expected = sampling.lines(self.sound)

    def cut(self, name):
        """Every partition's file of that name, under the server's mapping."""
        paths = glob.glob(os.path.join(self.lost, "**", name), recursive=True)
        self.assertTrue(paths, name)
        for path in paths:
            os.truncate(path, 0)

    def check(self, name):
        with processes.Server([self.lost, self.other], "--http", "127.0.0.1:0",
                              "--huge-pages", "off") as losing, \
                processes.Server(self.sound) as sound:
            both = f"{losing.address},{sound.address}"
            self.assertEqual(
                sampling.lines(("servers", both), flags=["--graph-name",
                                                         "cora"]),
                self.expected)
            self.assertEqual(damaged(losing), {"cora": "0", "other": "0"})
            self.cut(name)
            self.assertEqual(
                sampling.lines(("servers", both), flags=["--graph-name",
                                                         "cora"]),
                self.expected)
            self.assertEqual(damaged(losing), {"cora": "1", "other": "0"})
            self.assertEqual(
                sampling.lines(("servers", losing.address),
                               flags=["--graph-name", "other"]),
                sampling.lines(self.other))
            self.assertTrue(losing.running())
            told = losing.stderr()
            self.assertEqual(told.count("is served no longer"), 1, told)

    @unittest.skipUnless(makes_huge_pages(), "the system makes no huge pages")
    def test_a_copy_outlives_its_file(self):
        with processes.Server(self.lost, "--http", "127.0.0.1:0") as server:
            # The other files are too small to be copied.
            self.assertGreater(
                sampling.metric(server, "tributary_graph_copied_bytes"), 15e6)
            self.cut("x.npy")
            self.assertEqual(sampling.lines(("servers", server.address)),
                             self.expected)
            self.assertEqual(damaged(server), {"cora": "0"})

    @unittest.skipUnless(makes_huge_pages(), "the system makes no huge pages")
    def test_a_large_copy_is_told(self):
        large = os.path.join(self.lost, "large")
        processes.run_ok("generate", "rmat", "--scale", 14, "--edges", 20000,
                         "--feat-dim", 1100, "--out", large)
        said = r"copied 7\d MiB of it into memory, \d+ MiB in huge pages; opened in"
        with processes.Server(large) as server:
            self.assertRegex(server.stderr(), said)
        with processes.Server(large, "--huge-pages", "off") as server:
            self.assertNotRegex(server.stderr(), "copied")

    def test_rows_of_features(self):
        self.check("x.npy")

    def test_neighbours(self):
        self.check("indices.npy")

    def test_offsets(self):
        self.check("indptr.npy")


if __name__ == "__main__":
    unittest.main()
