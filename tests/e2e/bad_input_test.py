"""Wrong arguments and wrong files: refused by name, in three lines at most."""

import gzip
import os
import shutil
import unittest

import numpy as np

from tests.e2e import folders, processes

FAILURE, USAGE = 1, 2

ROWS = [(0, 1), (1, 2), (2, 0)]
SAMPLE = {"--graph": "GRAPH", "--input-nodes": "train", "--num-neighbors":
          "2,2", "--batch-size": "2", "--random-seed": "1", "--epoch": "0",
          "--batches": "0:1"}

# Options to change in a `sample` that would work (None: leave it out), the
# exit code, words that stderr has.
SAMPLE_CASES = [
    ({"--graph": None}, USAGE, ["--graph", "--servers"]),
    ({"--servers": "127.0.0.1:1"}, USAGE, ["--graph", "--servers"]),
    ({"--graph": "/no/such/graph"}, FAILURE, ["/no/such/graph"]),
    ({"--graph": "SOURCE"}, FAILURE, ["graph.json"]),
    ({"--input-nodes": None}, USAGE, ["--input-nodes"]),
    ({"--input-nodes": ""}, USAGE, ["--input-nodes"]),
    ({"--input-nodes": "tarin"}, FAILURE, ["tarin", "train"]),
    ({"--input-nodes": "other/train"}, FAILURE, ["other/train"]),
    ({"--input-nodes": "1,x"}, USAGE, ["--input-nodes", "1,x"]),
    ({"--input-nodes": "-1"}, USAGE, ["--input-nodes", "-1"]),
    ({"--input-nodes": "0,3"}, FAILURE, ["3", "0", "2"]),
    ({"--input-nodes": "person:0"}, FAILURE, ["person", "node"]),
    ({"--input-nodes": "@/no/ids.npy"}, FAILURE, ["/no/ids.npy"]),
    ({"--input-nodes": "@FLOATS"}, FAILURE, ["floats.npy", "<f8"]),
    ({"--input-nodes": "@TEXT"}, FAILURE, ["text.npy"]),
    ({"--num-neighbors": "2,-2"}, USAGE, ["--num-neighbors", "2,-2"]),
    ({"--num-neighbors": "2,"}, USAGE, ["--num-neighbors"]),
    ({"--num-neighbors": "2;a,b,c=1"}, FAILURE, ["a,b,c"]),
    ({"--batch-size": "0"}, USAGE, ["--batch-size", "1 to"]),
    ({"--batch-size": "-5"}, USAGE, ["--batch-size"]),
    ({"--random-seed": "18446744073709551616"}, USAGE,
     ["--random-seed", "18446744073709551615"]),
    ({"--random-seed": "-1"}, USAGE, ["--random-seed"]),
    ({"--epoch": "1.5"}, USAGE, ["--epoch", "1.5"]),
    ({"--batches": "3"}, USAGE, ["--batches", "FROM:TO"]),
    ({"--batches": "2:2"}, USAGE, ["--batches", "2:2"]),
    ({"--batches": "5:9"}, FAILURE, ["5:9"]),
    ({"--shuffle": "yes"}, USAGE, ["--shuffle", "none, global"]),
    ({"--expand": "some"}, USAGE, ["--expand", "new, all"]),
    ({"--kind": "link"}, USAGE, ["--kind", "link", "node"]),
    ({"--threads": "0"}, USAGE, ["--threads", "1 to 64"]),
    ({"--rpc-timeout": "0"}, USAGE, ["--rpc-timeout"]),
    ({"--rpc-timeout": "nan"}, USAGE, ["--rpc-timeout"]),
    ({"--buffer-size": "huge"}, USAGE, ["--buffer-size", "huge"]),
    ({"--buffer-size": "128"}, USAGE, ["buffer_size", "128"]),
    ({"--out": "TEXT"}, FAILURE, ["text.npy"]),
    ({"--bacth": "3"}, USAGE, ["--bacth", "--batch-size"]),
    ({"--graph": None, "--servers": "nowhere"}, USAGE,
     ["nowhere", "HOST:PORT"]),
    ({"--graph": None, "--servers": "127.0.0.1:1,127.0.0.1:1"}, USAGE,
     ["127.0.0.1:1"]),
    ({"--graph": None, "--servers": "file:/no/list", "--rpc-timeout": "1"},
     FAILURE, ["/no/list"]),
]


def put(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with gzip.open(path, "wt") as f:
        f.write(text)


def cut(folder, name):
    path = os.path.join(folder, name)
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data[:len(data) // 2])


# How to spoil a good OGB folder, words that `partition` says of it.
OGB_CASES = [
    ("an edge to no node", lambda d: put(d, "raw/edge.csv.gz", "0,1\n1,3\n"),
     ["edge", "3"]),
    ("a negative id", lambda d: put(d, "raw/edge.csv.gz", "0,1\n-1,2\n"),
     ["edge", "-1"]),
    ("three columns", lambda d: put(d, "raw/edge.csv.gz", "0,1,2\n"),
     ["edge"]),
    ("one column", lambda d: put(d, "raw/edge.csv.gz", "0\n1\n"), ["edge"]),
    ("a word for an id", lambda d: put(d, "raw/edge.csv.gz", "0,one\n"),
     ["edge", "one"]),
    ("no edges' file", lambda d: os.remove(d + "/raw/edge.csv.gz"),
     ["edge"]),
    ("no count of nodes",
     lambda d: os.remove(d + "/raw/num-node-list.csv.gz"), ["num-node-list"]),
    ("gzip cut short", lambda d: cut(d, "raw/edge.csv.gz"), ["edge"]),
    ("too few feature rows",
     lambda d: put(d, "raw/node-feat.csv.gz", "1,2\n3,4\n"), ["node-feat"]),
    ("ragged features",
     lambda d: put(d, "raw/node-feat.csv.gz", "1,2\n3\n5,6\n"),
     ["node-feat"]),
    ("an empty cell",
     lambda d: put(d, "raw/node-feat.csv.gz", "1,2\n3,\n5,6\n"),
     ["node-feat"]),
    ("a word for a feature",
     lambda d: put(d, "raw/node-feat.csv.gz", "1,2\n3,x\n5,6\n"),
     ["node-feat", "x"]),
    ("too many labels",
     lambda d: put(d, "raw/node-label.csv.gz", "1\n2\n3\n4\n"),
     ["node-label"]),
    ("a split of no node",
     lambda d: put(d, "split/only/train.csv.gz", "0\n7\n"), ["train", "7"]),
    ("other number of edges",
     lambda d: put(d, "raw/num-edge-list.csv.gz", "5\n"), ["edge", "5"]),
]


class BadInputTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.source = cls.write_source("source")
        cls.graph = folders.partition(cls.source,
                                      os.path.join(cls.folder, "graph"), 2)
        floats = os.path.join(cls.folder, "floats.npy")
        np.save(floats, np.array([1.0]))
        text = os.path.join(cls.folder, "text.npy")
        with open(text, "w") as f:
            f.write("0\n1\n")
        cls.names = {"GRAPH": cls.graph, "SOURCE": cls.source,
                     "FLOATS": floats, "TEXT": text}

    @classmethod
    def write_source(cls, name):
        return folders.write_ogb(os.path.join(cls.folder, name), 3, ROWS,
                                 splits={"train": [0, 1, 2]})

    def refused(self, args, code, words):
        done = processes.run(*args)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertLessEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertEqual(done.stdout, "")
        for word in words:
            self.assertIn(word, done.stderr)

    def sample_arguments(self, changes):
        args = ["sample"]
        for option, value in (SAMPLE | changes).items():
            if value is not None:
                for name, path in self.names.items():
                    value = value.replace(name, path)
                args += [option, value]
        return args

    def test_what_the_cases_change_works(self):
        self.assertEqual(
            len(processes.run_ok(*self.sample_arguments({})).splitlines()), 1)

    def test_sample(self):
        for changes, code, words in SAMPLE_CASES:
            with self.subTest(changes):
                self.refused(self.sample_arguments(changes), code, words)

    def test_option_given_twice(self):
        args = self.sample_arguments({})
        self.refused([*args, "--epoch", "1"], USAGE, ["--epoch"])

    def test_option_without_value(self):
        self.refused([*self.sample_arguments({}), "--out"], USAGE, ["--out"])

    def test_no_command(self):
        self.refused([], USAGE, ["sample", "--help"])
        self.refused(["smaple"], USAGE, ["smaple", "sample"])
        self.refused(["bench"], USAGE, ["commands: sample, gather, stream"])
        self.refused(["bench", "stream", "--seconds", "x"], USAGE, ["--seconds"])

    def test_ogb(self):
        for number, (name, spoil, words) in enumerate(OGB_CASES):
            with self.subTest(name):
                source = self.write_source(f"bad{number}")
                spoil(source)
                out = os.path.join(self.folder, f"out{number}")
                self.refused(["partition", "--input", source, "--format",
                              "ogb", "--out", out, "--num-parts", "2",
                              "--method", "random"], FAILURE, words)
                self.assertFalse(
                    [p for p in os.listdir(self.folder)
                     if p.startswith(f"out{number}")])

    def test_partition_arguments(self):
        good = {"--input": self.source, "--format": "ogb", "--num-parts": "2",
                "--method": "random", "--out": self.folder + "/p"}
        for change, words in (
                ({"--num-parts": "0"}, ["--num-parts"]),
                ({"--num-parts": "x"}, ["--num-parts"]),
                ({"--format": "csv"}, ["--format", "ogb"]),
                ({"--method": "best"}, ["--method", "metis"])):
            with self.subTest(change):
                args = [a for pair in (good | change).items() for a in pair]
                self.refused(["partition", *args], USAGE, words)
        for change, words in (({"--input": "/no/where"}, ["/no/where"]),
                              ({"--out": self.graph}, [self.graph])):
            with self.subTest(change):
                args = [a for pair in (good | change).items() for a in pair]
                self.refused(["partition", *args], FAILURE, words)

    def test_damaged_graphs(self):
        for command in (["verify"], ["serve", "--verify", "--listen",
                                     "127.0.0.1:0", "--graph"]):
            for name in self.arrays():
                with self.subTest(command=command[0], file=name):
                    graph = self.copy_of_graph()
                    path = os.path.join(graph, name)
                    with open(path, "r+b") as f:
                        f.seek(-1, os.SEEK_END)
                        last = f.read(1)
                        f.seek(-1, os.SEEK_END)
                        f.write(bytes([last[0] ^ 1]))
                    self.refused([*command, graph], FAILURE,
                                 [os.path.basename(name)])

    def test_truncated_graphs(self):
        for name in ["graph.json", *self.arrays()]:
            with self.subTest(file=name):
                graph = self.copy_of_graph()
                cut(graph, name)
                self.refused(self.sample_arguments({"--graph": graph}),
                             FAILURE, [os.path.basename(name)])

    def arrays(self):
        found = [os.path.relpath(os.path.join(at, name), self.graph)
                 for at, _, names in os.walk(self.graph) for name in names
                 if name.endswith(".npy")
                 and os.path.getsize(os.path.join(at, name)) > 128]
        assert found
        return sorted(found)

    def copy_of_graph(self):
        graph = os.path.join(self.folder, "copy")
        shutil.rmtree(graph, ignore_errors=True)
        return shutil.copytree(self.graph, graph)


if __name__ == "__main__":
    unittest.main()
