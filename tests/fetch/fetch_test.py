"""tributary-fetch against an S3 server: what arrives, what is fetched twice,
and what is said when something is wrong."""

import filecmp
import hashlib
import json
import os
import random
import shutil
import subprocess
import unittest

from tests.e2e import processes
from tests.fetch import store

FETCH = "cli/fetch/tributary-fetch"
CHUNK = 8 << 20


def same(left, right):
    """Whether two folders have the same files with the same bytes."""
    compared = filecmp.dircmp(left, right)
    if compared.left_only or compared.right_only:
        return False
    _, different, odd = filecmp.cmpfiles(left, right, compared.common_files,
                                         shallow=False)
    return not different and not odd and all(
        same(os.path.join(left, name), os.path.join(right, name))
        for name in compared.common_dirs)


def canonical(said):
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode()


def files_of(graph):
    with open(os.path.join(graph, "graph.json"), encoding="utf-8") as file:
        return json.load(file)["files"]


class FetchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = os.path.join(cls.folder, "cora")
        processes.run_ok("partition", "--input", "tests/data/cora", "--format",
                         "ogb", "--out", cls.graph, "--num-parts", 4)
        # Of several chunks: 30 MB of features in one partition.
        cls.large = os.path.join(cls.folder, "large")
        processes.run_ok("generate", "rmat", "--out", cls.large, "--scale", 14,
                         "--edges", 60000, "--feat-dim", 500,
                         "--hot-list", "off")
        cls.store = cls.enterClassContext(store.Store())

    def setUp(self):
        self.out = os.path.join(
            self.enterContext(processes.temporary_folder()), "graph")
        self.proxy = self.enterContext(store.Proxy(self.store))
        self.prefix = self.id().rsplit(".", 1)[1]
        self.url = f"s3://graphs/{self.prefix}"

    def start(self, *words, **variables):
        return processes.Process(
            *words, program=FETCH,
            environment=store.environment(self.proxy.endpoint, **variables))

    def run_fetch(self, *words, **variables):
        return subprocess.run(
            [FETCH, *words], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=store.DEADLINE,
            env=store.environment(self.proxy.endpoint, **variables))

    def ok(self, *words):
        done = self.run_fetch(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *words, code=1, **variables):
        done = self.run_fetch(*words, **variables)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stderr

    def key(self, path):
        return f"{self.prefix}/{path}"


class RoundTripTest(FetchTest):
    def test_what_comes_back_is_the_graph(self):
        self.assertIn("stored", self.ok("put", self.graph, self.url))
        self.assertIn("fetched", self.ok("get", self.url, self.out))
        self.assertTrue(same(self.graph, self.out))
        processes.run_ok("verify", self.out)
        self.assertFalse(os.path.exists(self.out + ".fetching"))

    def test_a_file_of_many_chunks(self):
        self.ok("put", self.large, self.url)
        self.ok("get", self.url, self.out, "--jobs", "3")
        self.assertTrue(same(self.large, self.out))
        total = sum(file["bytes"] for file in files_of(self.large))
        self.assertGreater(total, 3 * CHUNK)
        json_bytes = os.path.getsize(os.path.join(self.large, "graph.json"))
        self.assertEqual(self.proxy.bytes_served(), total + json_bytes)

    def test_the_second_run_does_nothing(self):
        self.ok("put", self.graph, self.url)
        before = self.proxy.count()
        self.assertIn("complete already", self.ok("put", self.graph, self.url))
        # graph.json, and the files.json of the hot list: their sizes, then they.
        self.assertLessEqual(self.proxy.count() - before, 4)
        self.ok("get", self.url, self.out)
        before = self.proxy.count()
        self.assertIn("complete already", self.ok("get", self.url, self.out))
        # graph.json, whether there is a cache of hot rows, the names below
        # hot-lists, and the files.json of the hot list.
        self.assertLessEqual(self.proxy.count() - before, 6)

    def test_only_what_a_server_of_a_partition_reads(self):
        self.ok("put", self.graph, self.url)
        self.ok("get", self.url, self.out, "--partitions", "1,3")
        self.assertEqual(
            sorted(os.listdir(self.out)),
            ["graph.json", "hot-lists", "node_map", "part-1", "part-3",
             "splits"])
        with processes.Server(self.out, "--partitions", "1,3"):
            pass
        said = self.refused("get", self.url, self.out)
        self.assertIn("other partitions go into another folder", said)
        self.assertIn("there is no partition 4; the graph has 0 to 3",
                      self.refused("get", self.url, self.out + "2",
                                   "--partitions", "4"))

    def test_a_share_of_the_partitions(self):
        self.ok("put", self.graph, self.url)
        self.ok("get", self.url, self.out, "--partitions", "1%2")
        self.assertEqual(
            sorted(os.listdir(self.out)),
            ["graph.json", "hot-lists", "node_map", "part-1", "part-3",
             "splits"])

    def test_files_that_are_no_graph(self):
        self.store.put(self.key("a/one.csv"), b"1,2\n")
        self.store.put(self.key("two.csv"), b"")
        self.ok("get", self.url, self.out, "--any-files")
        with open(os.path.join(self.out, "a", "one.csv"), "rb") as file:
            self.assertEqual(file.read(), b"1,2\n")
        self.assertEqual(os.path.getsize(os.path.join(self.out, "two.csv")), 0)
        self.assertIn("complete already",
                      self.ok("get", self.url, self.out, "--any-files"))

    def test_a_folder_as_the_source(self):
        self.ok("get", f"file://{self.graph}", self.out)
        self.assertTrue(same(self.graph, self.out))


class InterruptedTest(FetchTest):
    def test_killed_at_any_moment_it_goes_on(self):
        self.ok("put", self.large, self.url)
        total = sum(file["bytes"] for file in files_of(self.large))
        chosen = random.Random(7)
        jobs, kills = 2, 0
        while not os.path.exists(self.out):
            stop = self.proxy.count() + chosen.randrange(1, 6)
            with self.start("get", self.url, self.out, "--jobs",
                            str(jobs)) as running:
                store.until(lambda: self.proxy.count() >= stop or
                            not running.running())
                if kills < 6 and running.running():
                    running.kill()
                    kills += 1
                else:
                    self.assertEqual(running.wait(), 0, running.stderr())
        self.assertGreaterEqual(kills, 3)
        self.assertTrue(same(self.large, self.out))
        # Each kill costs at most what was on its way, and graph.json.
        json_bytes = os.path.getsize(os.path.join(self.large, "graph.json"))
        self.assertLessEqual(self.proxy.bytes_served(),
                             total + kills * jobs * CHUNK +
                             (kills + 1) * json_bytes)
        self.assertFalse(os.path.exists(self.out + ".fetching"))

    def test_the_first_bytes_of_a_file_are_kept(self):
        self.ok("put", self.large, self.url)
        served = []

        def two_chunks(number, method, path):
            if method != "GET" or not path.endswith("/x.npy"):
                return None
            served.append(path)
            return 503 if len(served) > 2 else None

        self.proxy.rule = two_chunks
        part = os.path.join(self.out + ".fetching", "part-0", "nodes", "node",
                            "x.npy.part")
        before = self.proxy.bytes_served()
        with self.start("get", self.url, self.out, "--jobs", "1") as running:
            store.until(lambda: os.path.exists(part) and
                        os.path.getsize(part) == 2 * CHUNK)
            running.kill()
        self.proxy.rule = lambda *unused: None
        self.ok("get", self.url, self.out)
        total = sum(file["bytes"] for file in files_of(self.large))
        json_bytes = os.path.getsize(os.path.join(self.large, "graph.json"))
        self.assertEqual(self.proxy.bytes_served() - before,
                         total + 2 * json_bytes)
        self.assertTrue(same(self.large, self.out))

    def test_what_was_finished_is_not_fetched_again(self):
        self.ok("put", self.graph, self.url)
        last = sorted(file["path"] for file in files_of(self.graph))[-1]
        self.proxy.rule = lambda number, method, path: (
            403 if path.endswith(last) else None)
        self.refused("get", self.url, self.out, "--jobs", "1")
        self.assertFalse(os.path.exists(self.out))
        first = self.proxy.bytes_served()
        self.proxy.rule = lambda *unused: None
        self.ok("get", self.url, self.out)
        size, = (file["bytes"] for file in files_of(self.graph)
                 if file["path"] == last)
        json_bytes = os.path.getsize(os.path.join(self.graph, "graph.json"))
        # The files of the hot list come after those of the graph.
        listed = sum(os.path.getsize(os.path.join(root, name))
                     for root, _, names in os.walk(self.graph + "/hot-lists")
                     for name in names)
        self.assertEqual(self.proxy.bytes_served() - first,
                         size + json_bytes + listed)
        self.assertTrue(same(self.graph, self.out))

    def test_damage_in_what_an_earlier_run_left_is_mended(self):
        self.ok("put", self.graph, self.url)
        staged = self.out + ".fetching"
        path = files_of(self.graph)[0]["path"]
        os.makedirs(os.path.dirname(os.path.join(staged, path)))
        with open(os.path.join(self.graph, "graph.json"), "rb") as file:
            text = file.read()
        with open(os.path.join(staged, "graph.json"), "wb") as file:
            file.write(text)
        with open(os.path.join(staged, path + ".part"), "wb") as file:
            file.write(b"spoilt")
        self.ok("get", self.url, self.out)
        self.assertTrue(same(self.graph, self.out))

    def test_what_is_left_of_another_graph_is_thrown_away(self):
        self.ok("put", self.graph, self.url)
        staged = self.out + ".fetching"
        os.makedirs(os.path.join(staged, "part-9"))
        with open(os.path.join(staged, "part-9", "x.npy"), "wb") as file:
            file.write(b"old")
        self.ok("get", self.url, self.out)
        self.assertTrue(same(self.graph, self.out))

    def test_two_at_a_time_are_refused(self):
        self.ok("put", self.graph, self.url)
        self.proxy.rule = lambda number, method, path: (
            503 if "part-" in path else None)
        before = self.proxy.count()
        with self.start("get", self.url, self.out) as first:
            store.until(lambda: self.proxy.asked_for("part-", before))
            self.assertIn("another process fetches into",
                          self.refused("get", self.url, self.out))
            self.proxy.rule = lambda *unused: None
            self.assertEqual(first.wait(), 0, first.stderr())

    def test_sigterm_ends_it_and_it_goes_on(self):
        self.ok("put", self.graph, self.url)
        self.proxy.rule = lambda number, method, path: (
            503 if "part-3" in path else None)
        before = self.proxy.count()
        with self.start("get", self.url, self.out) as running:
            store.until(lambda: self.proxy.asked_for("part-3", before))
            running.send(15)
            self.assertEqual(running.wait(), 143)
        self.proxy.rule = lambda *unused: None
        self.ok("get", self.url, self.out)
        self.assertTrue(same(self.graph, self.out))

    def test_a_put_that_was_ended_goes_on(self):
        stop = 25
        with self.start("put", self.graph, self.url, "--jobs", "2") as running:
            store.until(lambda: self.proxy.count() >= stop)
            running.kill()
        # Nobody takes it for a graph.
        self.assertIn("graph.json does not exist",
                      self.refused("get", self.url, self.out))
        stored = {path for path in
                  (file["path"] for file in files_of(self.graph))
                  if self.store.request("HEAD", self.key(path))[0] == 200}
        self.assertTrue(stored)
        before = self.proxy.count()
        self.ok("put", self.graph, self.url)
        written = {path.split("?")[0] for method, path in
                   self.proxy.requests[before:] if method == "PUT"}
        self.assertFalse(
            {f"/graphs/{self.key(path)}" for path in stored} & written)
        self.ok("get", self.url, self.out)
        self.assertTrue(same(self.graph, self.out))


class TroubleTest(FetchTest):
    def test_every_third_request_fails(self):
        self.proxy.rule = lambda number, method, path: (
            (503, "cut", 500)[number // 3 % 3] if number % 3 == 0 else None)
        self.ok("put", self.graph, self.url)
        self.ok("get", self.url, self.out)
        self.assertTrue(same(self.graph, self.out))

    def test_a_store_that_stays_away(self):
        self.ok("put", self.graph, self.url)
        self.proxy.rule = lambda number, method, path: (
            503 if "part-2" in path else None)
        said = self.refused("get", self.url, self.out, "--retry-for", "1")
        self.assertIn("UNAVAILABLE", said)
        self.assertIn(f"{self.url}/part-2/", said)
        self.assertIn("tried again for 1s; allowed: a longer --retry-for", said)
        self.assertFalse(os.path.exists(self.out))

    def test_certificates_are_checked(self):
        files = [os.path.join(os.path.dirname(self.out), name)
                 for name in ("certificate.pem", "key.pem")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
             "2", "-subj", "/CN=store", "-addext",
             "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout",
             files[1]], check=True, capture_output=True)
        self.ok("put", self.graph, self.url)
        with store.Proxy(self.store, tls=files) as secure:
            words = ("get", self.url, self.out, "--endpoint", secure.endpoint)
            said = self.refused(*words, "--retry-for", "0")
            self.assertIn("certificate", said)
            self.assertFalse(os.path.exists(self.out))
            done = self.run_fetch(*words, SSL_CERT_FILE=files[0])
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(same(self.graph, self.out))

    def test_nothing_listens(self):
        said = self.refused("get", self.url, self.out, "--endpoint",
                            "http://127.0.0.1:1", "--retry-for", "1")
        self.assertIn("UNAVAILABLE", said)
        self.assertIn("Could not connect", said)

    def damaged(self, change):
        """What get says when an object was changed."""
        self.ok("put", self.graph, self.url)
        path = "part-2/nodes/node/x.npy"
        change(self.key(path), self.store.get(self.key(path)))
        said = self.refused("get", self.url, self.out)
        self.assertIn(f"{self.url}/{path}", said)
        self.assertFalse(os.path.exists(self.out))
        return said

    def test_a_byte_that_was_changed(self):
        said = self.damaged(lambda key, body: self.store.put(
            key, body[:-1] + bytes([body[-1] ^ 1])))
        self.assertIn("DATA_LOSS", said)
        self.assertIn("is damaged: its checksum is", said)

    def test_an_object_that_was_cut(self):
        said = self.damaged(lambda key, body: self.store.put(key, body[:-100]))
        self.assertIn("DATA_LOSS", said)
        self.assertRegex(said, r"has \d+ bytes where \d+ are expected")

    def test_an_object_that_is_missing(self):
        said = self.damaged(
            lambda key, body: self.store.request("DELETE", key))
        self.assertIn("does not exist", said)

    def test_a_graph_json_that_is_none(self):
        self.store.put(self.key("graph.json"), b"{}")
        self.assertIn(f"{self.url}/graph.json",
                      self.refused("get", self.url, self.out))

    def test_a_file_that_is_damaged_is_not_stored(self):
        copy = os.path.join(os.path.dirname(self.out), "copy")
        subprocess.run(["cp", "-r", self.graph, copy], check=True)
        path = "part-1/nodes/node/x.npy"
        with open(os.path.join(copy, path), "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\xff")
        said = self.refused("put", copy, self.url)
        self.assertIn(f"{path} is damaged", said)
        for missing in (path, "graph.json"):
            self.assertEqual(
                self.store.request("HEAD", self.key(missing))[0], 404)

    def test_another_graph_is_not_overwritten(self):
        self.ok("put", self.graph, self.url)
        self.assertIn("is of another graph than",
                      self.refused("put", self.large, self.url))
        self.ok("get", self.url, self.out)
        other = self.url + "-other"
        self.ok("put", self.large, other)
        self.assertIn("exists and does not hold",
                      self.refused("get", other, self.out))
        self.assertTrue(same(self.graph, self.out))

    def test_a_bucket_that_does_not_exist(self):
        for words in (("get", "s3://nowhere/x", self.out),
                      ("put", self.graph, "s3://nowhere/x")):
            self.assertIn("there is no such bucket here", self.refused(*words))

    def test_no_access(self):
        self.proxy.rule = lambda *unused: 403
        for words in (("get", self.url, self.out),
                      ("put", self.graph, self.url),
                      ("get", self.url, self.out, "--anonymous")):
            said = self.refused(*words, AWS_ACCESS_KEY_ID="wrong")
            self.assertIn("PERMISSION_DENIED", said)
            self.assertIn("allowed: credentials that may use this bucket", said)

    def test_who_may_not_list_gets_the_graph(self):
        self.ok("put", self.graph, self.url)
        self.proxy.rule = lambda number, method, path: (
            403 if "list-type=" in path else None)
        done = self.run_fetch("get", self.url, self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "note: .*/hot-lists may not be listed")
        self.assertFalse(os.path.exists(self.out + "/hot-lists"))
        processes.run_ok("verify", self.out)

    def test_a_disk_that_is_too_small(self):
        graph = os.path.join(self.folder, "unlisted")
        shutil.copytree(self.graph, graph,
                        ignore=shutil.ignore_patterns("hot-lists"))
        self.ok("put", graph, self.url)
        said = json.loads(self.store.get(self.key("graph.json")))
        said["files"][0]["bytes"] = 1 << 55
        del said["layout_digest"]
        made_by = said.pop("made_by")
        said["layout_digest"] = hashlib.sha256(canonical(said)).hexdigest()
        said["made_by"] = made_by
        self.store.put(self.key("graph.json"), canonical(said))
        self.assertRegex(self.refused("get", self.url, self.out),
                         r"RESOURCE_EXHAUSTED: .*: \d+ bytes are missing and "
                         r"\d+ are free; make room")

    def test_a_folder_that_cannot_be_written(self):
        self.ok("put", self.graph, self.url)
        self.assertIn("allowed: a folder in one that can be written",
                      self.refused("get", self.url, "/proc/graph"))

    def test_a_wrong_command_line(self):
        for words, says in (
                (("get", "s3://", self.out), "allowed: s3://BUCKET/PREFIX"),
                (("get", "gs://bucket/x", self.out), "allowed: s3://"),
                (("put", self.graph, self.out), "allowed: s3://BUCKET/PREFIX"),
                (("get", self.url, "/"), "allowed: a folder to make"),
                (("get", self.url, self.out, "--jobs", "0"), "--jobs"),
                (("get", self.url, self.out, "--partitions", "x"),
                 "--partitions: partition \"x\""),
                (("get", self.url, self.out, "--endpoint", "ftp://x/y"),
                 "--endpoint"),
                (("fetch",), "commands: get, put")):
            with self.subTest(words=words):
                self.assertIn(says, self.refused(*words, code=2))


if __name__ == "__main__":
    unittest.main()
