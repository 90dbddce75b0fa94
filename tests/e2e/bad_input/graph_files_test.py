"""Damaged and foreign graph folders, at each command that reads one."""

import os
import shutil
import unittest

from tests.e2e import folders, processes
from tests.e2e.bad_input import graph_edits as edit
from tests.e2e.bad_input.cases import Case, Table

# Every array of the base graph; a test holds the list to the folder.
ARRAYS = [
    "degrees/node__to__node.in.npy", "degrees/node__to__node.out.npy",
    "node_map/node.npy", "node_map/node.ranks.npy",
    *(f"part-{p}/edges/node__to__node/{name}.npy" for p in (0, 1)
      for name in ("edge_attr", "edge_id", "edge_time", "edge_time_position",
                   "indices", "indptr", "mask.train", "neighbor_id",
                   "neighbor_time",
                   "neighbor_time_position", "weight", "weight_sum")),
    *(f"part-{p}/nodes/node/{name}.npy" for p in (0, 1)
      for name in ("orig_id", "time", "x", "y")),
    "splits/only/node/train.npy",
]

COMMANDS = {
    "verify": ("verify", "{here}/graph"),
    "inspect": ("inspect", "{here}/graph"),
    "sample": ("sample", "--graph", "{here}/graph", "--input-nodes", "0,1,2",
               "--num-neighbors", "2,2"),
    "split": ("sample", "--graph", "{here}/graph", "--input-nodes", "train",
              "--num-neighbors", "2,2"),
    "serve": ("serve", "--graph", "{here}/graph", "--listen", "127.0.0.1:0"),
    "serve --verify": ("serve", "--graph", "{here}/graph", "--listen",
                       "127.0.0.1:0", "--verify"),
    "bench": ("bench", "gather", "--graph", "{here}/graph", "--batch-size",
              "1"),
    "doctor": ("doctor", "--graph", "{here}/graph"),
}

EDGES = "part-0/edges/node__to__node/"
INDICES = "part-0/edges/node__to__node/indices.npy"
INDPTR = "part-0/edges/node__to__node/indptr.npy"
EDGE_ID = "part-0/edges/node__to__node/edge_id.npy"
ORIG_ID = "part-0/nodes/node/orig_id.npy"
TRAIN = "splits/only/node/train.npy"


def graph(name, command, spoil, *words, report=None):
    return Case(f"{command} {name}", COMMANDS[command], words,
                spoil=lambda here: spoil(here + "/graph"), report=report)


def bytes_of(name, change):
    return lambda g: edit.change_bytes(g, name, change)


def sealed(name, change):
    return lambda g: edit.reseal(g, name, change)


def remove(name):
    return lambda g: os.remove(os.path.join(g, name))


EACH_ARRAY = [case for name in ARRAYS for case in (
    graph(f"{name} with a flipped byte", "verify",
          bytes_of(name, edit.flip(-1)), name, "CRC32C"),
    graph(f"{name} with a flipped byte", "serve --verify",
          bytes_of(name, edit.flip(-1)), name, "CRC32C"),
    graph(f"{name} with a flipped byte of its header", "serve",
          bytes_of(name, edit.flip(12)), name),
    graph(f"{name} cut short", "sample", bytes_of(name, edit.half), name,
          "bytes; graph.json says"),
    graph(f"{name} missing", "inspect", remove(name), name, "No such file"),
)]

# A header with another word in it, of the same length.
HEADERS = [
    ("version 4", lambda d: d[:6] + b"\x04" + d[7:], "version 4", "1 to 3"),
    ("version 0", lambda d: d[:6] + b"\x00" + d[7:], "version 0", "1 to 3"),
    ("no magic", lambda d: b"PK" + d[2:], "does not begin"),
    ("a header length past the end", lambda d: d[:8] + b"\xff\xff" + d[10:],
     "cut off"),
    ("no header length", lambda d: d[:8] + b"\0\0" + d[10:], "descr"),
    ("big-endian", lambda d: d.replace(b"'<u8'", b"'>u8'"), ">u8",
     "little-endian"),
    ("another type", lambda d: d.replace(b"'<u8'", b"'<f8'"), "<f8", "<u8"),
    ("strings", lambda d: d.replace(b"'<u8'", b"'<U2'"), "<U2"),
    ("Fortran order", lambda d: d.replace(b"False, ", b"True,  "), "True",
     "row-major"),
    ("another shape", lambda d: d.replace(b"(3,)", b"(2,)"), "[2]", "[3]"),
    ("a negative shape", lambda d: d.replace(b"(3,)", b"(-3)"), "(-3)"),
    ("a shape of 2 to the 63",
     lambda d: d.replace(b"(3,), }" + b" " * 20, b"(9223372036854775808,), }  "),
     "9223372036854775808"),
]

SEALED = [
    graph(f"indptr of {name}", "sample", sealed(INDPTR, change),
          "indptr.npy", *words)
    for name, change, *words in HEADERS
] + [
    graph("indptr that descends", "sample",
          sealed(INDPTR, edit.element(1, 9)), "indptr.npy", "ascend"),
    graph("a neighbour past the last", "verify",
          sealed(INDICES, edit.element(0, 3)), "partition 0", "neighbour 3"),
    graph("a neighbour past the last", "sample",
          sealed(INDICES, edit.element(slice(None), 3)), "3"),
    graph("a neighbour past the last", "bench",
          sealed(INDICES, edit.element(slice(None), 3)), "3"),
    graph("an edge id twice", "verify",
          sealed(EDGE_ID, edit.element(slice(None), 1)), "edge id 1", "twice"),
    graph("original ids that descend", "verify",
          sealed(ORIG_ID, edit.array(lambda v: v[::-1].copy())), "row 0",
          "node_map"),
    graph("an original id past the last", "verify",
          sealed(ORIG_ID, edit.element(1, 3)), "3"),
    graph("a negative original id", "verify",
          sealed(ORIG_ID, edit.element(0, -1)), "-1"),
    graph("a partition that is not", "verify",
          sealed("node_map/node.npy", edit.element(0, 2)), "partition"),
    graph("a partition that is not", "sample",
          sealed("node_map/node.npy", edit.element(slice(None), 2)),
          "node_map"),
    graph("a split past the last", "verify",
          sealed(TRAIN, edit.element(0, 3)), "train", "3"),
    graph("a split past the last", "split",
          sealed(TRAIN, edit.element(0, 3)), "3"),
    graph("a split of -1", "split", sealed(TRAIN, edit.element(0, -1)),
          "-1"),
    graph("a negative weight", "verify",
          sealed(EDGES + "weight.npy", edit.element(slice(None), -1)),
          "partition 0", "weight -1"),
    graph("a weight of nan", "verify",
          sealed(EDGES + "weight.npy", edit.element(slice(None), float("nan"))),
          "partition 0", "weight nan"),
    graph("sums of other weights", "verify",
          sealed(EDGES + "weight_sum.npy", edit.element(0, 7)),
          "weight_sum of position 0 is 7"),
    graph("a time's position past the row", "verify",
          sealed(EDGES + "edge_time_position.npy", edit.element(0, 9)),
          "edge_time_position 9"),
    graph("a neighbour's other time", "verify",
          sealed(EDGES + "neighbor_time.npy", edit.element(0, 99)),
          "neighbor_time of position 0 is 99"),
    graph("a neighbour's other id", "verify",
          sealed(EDGES + "neighbor_id.npy", edit.element(0, 9)),
          "neighbor_id of position 0 is 9"),
    graph("a mask of 2", "verify",
          sealed(EDGES + "mask.train.npy", edit.array(
              lambda v: (v.view("u1") + 1).view("?"))),
          "mask train of position 0 is 2"),
    graph("another mask", "verify",
          sealed(EDGES + "mask.train.npy", edit.element(0, False)), "digest"),
    graph("a mask of numbers", "sample",
          sealed(EDGES + "mask.train.npy", edit.array(
              lambda v: v.astype("u1"))), "mask.train.npy", "|u1", "|b1"),
    graph("another degree", "verify",
          sealed("degrees/node__to__node.in.npy", edit.element(0, 9)),
          "in-degree of node 0 is 9"),
    graph("degrees of other nodes", "sample",
          sealed("degrees/node__to__node.out.npy",
                 edit.array(lambda v: v[:2])), "out.npy", "[2]"),
    graph("another time of an edge", "verify",
          sealed(EDGES + "edge_time.npy", edit.element(0, 99)), "digest"),
    graph("weights of another type", "sample",
          sealed(EDGES + "weight.npy", edit.array(lambda v: v.astype("<f8"))),
          "weight.npy", "<f8", "<f4"),
    graph("times of another length", "sample",
          sealed(EDGES + "edge_time.npy", edit.array(lambda v: v[:0])),
          "edge_time.npy", "[0]"),
    graph("another label", "verify",
          sealed("part-0/nodes/node/y.npy", edit.element(0, 7)), "digest"),
    graph("another feature", "verify",
          sealed("part-1/nodes/node/x.npy", edit.element((0, 0), 7)),
          "digest"),
]


class EachArrayTest(Table):
    CASES = EACH_ARRAY + SEALED

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = cls.write_source(
            os.path.join(cls.folder, "source"), e=[[1], [2], [3]],
            files={"weight": [1, 2, 3], "edge_time": [5, 4, 3],
                   "node_time": [7, 8, 9], "train": [1, 1, 1]})
        folders.partition(
            source, os.path.join(cls.folder, "graph"), 2, "random",
            "--edge-weight", "weight", "--edge-time", "edge_time",
            "--node-time", "node_time", "--edge-masks", "train",
            "--neighbor-ids", "--degrees", "--hot-list", "off")

    def prepare(self, case, here):
        shutil.copytree(self.folder + "/graph", here + "/graph")

    def test_every_array_is_in_the_table(self):
        found = [os.path.relpath(os.path.join(at, name),
                                 self.folder + "/graph")
                 for at, _, names in os.walk(self.folder + "/graph")
                 for name in names if name.endswith(".npy")]
        self.assertEqual(sorted(found), sorted(ARRAYS))

    def test_what_the_cases_change_works(self):
        for name, args in COMMANDS.items():
            if args[0] != "serve":
                with self.subTest(name):
                    self.assertTrue(self.works(*args))
        with processes.Server(self.folder + "/graph", "--verify"):
            pass

    def test_sealing_is_right(self):
        here = self.folder + "/sealed"
        shutil.copytree(self.folder + "/graph", here)
        edit.reseal(here, ORIG_ID, edit.element(0, 1))  # as it is
        self.works("verify", here)


if __name__ == "__main__":
    unittest.main()
