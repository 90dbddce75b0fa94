"""tributary-fetch carries the caches of hot rows of the partitions it moves."""

import json
import os
import shutil
import unittest

from tests.e2e import processes, sampling
from tests.fetch import fetch_test


class HotCacheTest(fetch_test.FetchTest):
    SAMPLED = ("--input-nodes", "train", "--num-neighbors", "10,5",
               "--batch-size", "32")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cache(cls.graph)

    @classmethod
    def cache(cls, graph, size="0.1"):
        processes.run_ok("cache", "--graph", graph, "--hot-cache", size,
                         *cls.SAMPLED)

    def test_servers_of_some_partitions_use_their_caches(self):
        self.ok("put", self.graph, self.url)
        held = ["0,1", "2,3"]
        outs = [self.out + partitions[0] for partitions in held]
        for out, partitions in zip(outs, held):
            self.ok("get", self.url, out, "--partitions", partitions)
            parts = [f"part-{p}" for p in partitions.split(",")]
            self.assertEqual(sorted(os.listdir(out + "/hot")),
                             ["hot.json", *parts])
            self.assertIn("rows are whole", processes.run_ok(
                "verify", out, "--partitions", partitions))
        lines, hits = sampling.lines_and_hits(outs, held)
        self.assertEqual(lines, sampling.lines(self.graph))
        self.assertGreater(hits, 0)

    def test_a_graph_gets_the_cache_that_was_made_later(self):
        graph = os.path.join(self.folder, "later")
        shutil.copytree(self.graph, graph, ignore=shutil.ignore_patterns("hot"))
        self.ok("put", graph, self.url)
        self.ok("get", self.url, self.out)
        for size in ("0.1", "0.02"):
            self.cache(graph, size)
            before = self.proxy.bytes_served()
            self.assertIn("stored", self.ok("put", graph, self.url))
            self.assertIn("fetched", self.ok("get", self.url, self.out))
            self.assertTrue(fetch_test.same(graph, self.out))
            processes.run_ok("verify", self.out)
            # Without the graph, which is larger than its caches.
            of_graph = sum(f["bytes"] for f in fetch_test.files_of(graph))
            self.assertLess(self.proxy.bytes_served() - before, of_graph / 2)
            self.assertFalse(os.path.exists(self.out + ".fetching"))
            self.assertIn("complete already", self.ok("put", graph, self.url))
            self.assertIn("complete already",
                          self.ok("get", self.url, self.out))

    def test_what_is_left_of_an_older_cache_is_not_taken_for_this(self):
        self.ok("put", self.graph, self.url)
        self.ok("get", self.url, self.out)
        staged = self.out + ".fetching"
        os.rename(self.out, staged)
        # The same sizes, so that only hot.json tells.
        with open(staged + "/hot/hot.json", "r+b") as file:
            said = json.load(file)
            said["made_by"] = "another command"
            file.seek(0)
            file.truncate()
            file.write(fetch_test.canonical(said))
        with open(staged + "/hot/part-0/node/x.npy", "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\x7f")
        self.ok("get", self.url, self.out)
        self.assertTrue(fetch_test.same(self.graph, self.out))

    def test_each_server_gets_all_hot_lists(self):
        graph = os.path.join(self.folder, "lists")
        shutil.copytree(self.graph, graph,
                        ignore=shutil.ignore_patterns("hot-lists"))
        self.ok("put", graph, self.url)
        self.ok("get", self.url, self.out, "--partitions", "1")
        self.assertFalse(os.path.exists(self.out + "/hot-lists"))
        shutil.copytree(self.graph + "/hot-lists", graph + "/hot-lists")
        for names in (["degree", "sampled"], ["degree", "mine", "sampled"]):
            if "mine" in names:
                processes.run_ok("cache", "--graph", graph, *self.SAMPLED,
                                 "--list", "mine", "--epoch", "3")
            self.assertIn("stored", self.ok("put", graph, self.url))
            self.assertIn("fetched", self.ok("get", self.url, self.out,
                                             "--partitions", "1"))
            for name in names:
                self.assertTrue(fetch_test.same(
                    f"{graph}/hot-lists/{name}",
                    f"{self.out}/hot-lists/{name}"))
            self.assertEqual(sorted(os.listdir(self.out + "/hot-lists")), names)
            self.assertIn("the hot list sampled orders", processes.run_ok(
                "verify", self.out, "--partitions", "1"))
            self.assertIn("complete already", self.ok(
                "get", self.url, self.out, "--partitions", "1"))
        self.assertFalse(os.path.exists(self.out + ".fetching"))

    def test_a_damaged_cache_is_found(self):
        graph = os.path.join(self.folder, "damaged")
        shutil.copytree(self.graph, graph)
        path = graph + "/hot/part-2/node/x.npy"
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\x7f")
        self.assertRegex(
            self.refused("put", graph, self.url),
            "hot/part-2/node/x.npy is damaged: its checksum is ........ where "
            "hot/hot.json says ")
        self.ok("put", self.graph, self.url)
        with open(path, "rb") as file:
            self.store.put(self.key("hot/part-2/node/x.npy"), file.read())
        self.ok("get", self.url, self.out + "1", "--partitions", "1")
        self.assertRegex(self.refused("get", self.url, self.out),
                         "hot/part-2/node/x.npy is damaged: .*; store the "
                         "graph again")
        self.assertFalse(os.path.exists(self.out))


if __name__ == "__main__":
    unittest.main()
