"""`partition` of arrays: OGB's binary layouts, DGL's chunks, .npy and .npz."""

import functools
import os
import re
import unittest

import numpy as np

from tests.e2e import processes
from tests.e2e.bad_input import small_inputs as small
from tests.e2e.bad_input.refusals import (RefusalTable, cases_of, changed, cut,
                                          edit, element, metadata)

ENDS = np.ascontiguousarray(small.EDGES.T)
LACKS_DIRECTORY = (" is no whole .npz file: it has no directory, as if it were "
                   "cut off")
WEIGHT = "; allowed: finite, not negative"


def binary(fault, says, spoil=None, **changes):
    return cases_of("ogb npz", functools.partial(small.ogb_binary, **changes),
                    "--edge-weight", "w")(fault, spoil, says)


DATA = "{in}/raw/data.npz"
OGB = [
    binary("a truncated file", "DATA_LOSS: " + DATA + LACKS_DIRECTORY,
           cut("raw/data.npz", 40)),
    binary("a file of half its length",
           "DATA_LOSS: {in}/raw/node-label.npz" + LACKS_DIRECTORY,
           cut("raw/node-label.npz", 150)),
    binary("a wrong count of edges",
           f"INVALID_ARGUMENT: edge_index of {DATA} has the shape [2, 5]; "
           "allowed: [2, 6], as the number of edges says",
           num_edges_list=np.array([6])),
    binary("a wrong count of nodes",
           f"INVALID_ARGUMENT: node_feat of {DATA} has the shape [4, 2]; "
           "allowed: [5] and [5, columns]", num_nodes_list=np.array([5])),
    binary("weights of another count",
           f"INVALID_ARGUMENT: w of {DATA} has the shape [4]; allowed: [5] and "
           "[5, columns]", w=small.WEIGHTS[:4]),
    binary("an unknown id", f"OUT_OF_RANGE: {DATA}:edge_index, row 0, column "
           "3: 4 is no node of type node; allowed: 0 to 3",
           edge_index=changed(ENDS, 0, 3, value=4)),
    binary("a negative id", f"OUT_OF_RANGE: {DATA}:edge_index, row 1, column "
           "2: -1 is no node of type node; allowed: 0 to 3",
           edge_index=changed(ENDS, 1, 2, value=-1)),
    binary("an unknown id in a split",
           'INVALID_ARGUMENT: {in}/split/only/train.csv line 2: "4"; allowed: '
           "node ids 0 to 3 (if these are rows of edges: --edge-splits only)",
           edit("split/only/train.csv", "2", "4")),
    binary("a NaN weight",
           f"OUT_OF_RANGE: {DATA}:w, row 3: weight nan" + WEIGHT,
           w=changed(small.WEIGHTS, 3, value=np.nan)),
    binary("a negative weight",
           f"OUT_OF_RANGE: {DATA}:w, row 3: weight -1" + WEIGHT,
           w=changed(small.WEIGHTS, 3, value=-1)),
    cases_of("ogb typed npz", functools.partial(
        small.ogb_typed_binary, relation="user___buys___film"))(
            "an unknown type", None,
            "INVALID_ARGUMENT: user___buys___film of "
            "{in}/raw/edge_index_dict.npz: a relation of an unknown type; "
            "allowed: item, user"),
    cases_of("ogb typed npz", small.ogb_typed_binary)(
        "a truncated file", cut("raw/edge_index_dict.npz", 40),
        "DATA_LOSS: {in}/raw/edge_index_dict.npz" + LACKS_DIRECTORY),
]

dgl = cases_of("dgl numpy", small.dgl_numpy, "--format", "dgl-chunked")
WRONG = "INVALID_ARGUMENT: {in}"
DGL = [
    dgl("a truncated chunk", cut("buys-1.npy", 8),
        "DATA_LOSS: {in}/buys-1.npy has 24 bytes of elements; its header says "
        "32"),
    dgl("a truncated header", cut("buys-1.npy", 100),
        "DATA_LOSS: {in}/buys-1.npy: .npy header: it is cut off"),
    dgl("a chunk that is not there", lambda source: os.remove(
        source + "/w-0.npy"),
        "NOT_FOUND: {in}/metadata.json: edge_data.user:buys:item.weight: "
        "{in}/w-0.npy: No such file or directory"),
    dgl("a wrong count of nodes", metadata("num_nodes_per_chunk",
                                           value=[[2], [2, 2]]),
        WRONG + "/metadata.json: node_data.item.feat: 3 rows in 2 files; "
        "allowed: 4, as the type's number says; the first file that differs is "
        "{in}/feat-1.npy"),
    dgl("a wrong count of edges", metadata("num_edges_per_chunk",
                                           value=[[2, 3]]),
        WRONG + "/metadata.json: edges.user:buys:item: 4 rows in 2 files; "
        "allowed: 5, as the type's number says; the first file that differs is "
        "{in}/buys-1.npy"),
    dgl("an unknown type", metadata("edge_type", value=["user:buys:film"]),
        WRONG + '/metadata.json: edge_type "user:buys:film": "film" is no node '
        "type; allowed: user, item"),
    dgl("a type twice", metadata("node_type", value=["user", "user"]),
        WRONG + '/metadata.json: node_type has "user" twice'),
    dgl("an unknown id", element("buys-1.npy", 1, 1, value=3),
        "OUT_OF_RANGE: {in}/buys-1.npy, row 1, column 1: 3 is no node of type "
        "item; allowed: 0 to 2"),
    dgl("a negative id", element("buys-0.npy", 1, 0, value=-3),
        "OUT_OF_RANGE: {in}/buys-0.npy, row 1, column 0: -3 is no node of type "
        "user; allowed: 0 to 1"),
    dgl("a NaN weight", element("w-1.npy", 1, value=np.nan),
        "OUT_OF_RANGE: {in}/w-1.npy, row 1: weight nan" + WEIGHT),
]


def npy(fault, says, spoil=None, **changes):
    return cases_of("npy", functools.partial(small.npy_folder, **changes),
                    "--format", "npy")(fault, spoil, says)


def npz(fault, says, spoil=None, **changes):
    return cases_of("npz", functools.partial(small.npz_file, **changes),
                    "--format", "npy", input="in.npz")(fault, spoil, says)


def of_both(case, array):
    """`array`: the place of an array by its name."""
    ends = array("edge_index")
    return [
        case("an unknown id", f"OUT_OF_RANGE: {ends}, row 0, column 3: 4 is no "
             "node of type node; allowed: 0 to 3",
             edge_index=changed(ENDS, 0, 3, value=4)),
        case("a negative id", f"OUT_OF_RANGE: {ends}, row 1, column 2: -1 is "
             "no node of type node; allowed: 0 to 3",
             edge_index=changed(ENDS, 1, 2, value=-1)),
        case("a wrong count", WRONG + ": nodes of type node are 5 by "
             f"num_nodes, count or indptr, but 4 by {array('x')}, row 0",
             num_nodes=np.array(5)),
        case("labels of another count", WRONG + ": nodes of type node are 4 by "
             f"{array('x')}, row 0, but 3 by {array('y')}, row 0",
             y=small.LABELS[:3]),
        case("weights of another count",
             f"INVALID_ARGUMENT: {array('edge_weight')}, row 0 begins a column "
             "of 4 rows, but 5 edges are of node,to,node",
             edge_weight=small.WEIGHTS[:4]),
        case("a NaN weight",
             f"OUT_OF_RANGE: {array('edge_weight')}, row 3: weight nan" +
             WEIGHT, edge_weight=changed(small.WEIGHTS, 3, value=np.nan)),
        case("an unknown id in a split",
             f"INVALID_ARGUMENT: {array('train_idx')}, row 1: 4 is no node of "
             "type node; allowed: 0 to 3", train_idx=np.array([0, 4])),
    ]


typed = cases_of("npy typed", small.typed_npy_folder, "--format", "npy")
ARRAYS = [
    *of_both(npy, lambda name: "{in}/" + name + ".npy"),
    *of_both(npz, lambda name: "{in}:" + name),
    npy("a truncated array", "DATA_LOSS: {in}/edge_index.npy has 72 bytes of "
        "elements; its header says 80", cut("edge_index.npy", 8)),
    npz("a truncated file", "DATA_LOSS: {in}" + LACKS_DIRECTORY, cut("", 40)),
    npz("a file of half its length", "DATA_LOSS: {in}" + LACKS_DIRECTORY,
        cut("", 700)),
    typed("an unknown id", element("user__buys__item/edge_index.npy", 1, 1,
                                   value=3),
          "OUT_OF_RANGE: {in}/user__buys__item/edge_index.npy, row 1, column "
          "1: 3 is no node of type item; allowed: 0 to 2"),
    cases_of("npy typed", functools.partial(
        small.typed_npy_folder, relation="user__buys__film"), "--format",
             "npy")("an unknown type", None,
                    WRONG + "/user__buys__film: film is no node type; allowed: "
                    "those with a folder, item, user"),
]


class RefusedArraysTest(RefusalTable):
    CASES = OGB + DGL + ARRAYS

    def test_what_the_cases_change_works(self):
        for number, (make, suffix, *flags) in enumerate((
                (small.ogb_binary, "", "--edge-weight", "w"),
                (small.ogb_typed_binary, ""),
                (small.dgl_numpy, "", "--format", "dgl-chunked"),
                (small.npy_folder, "", "--format", "npy"),
                (small.npz_file, ".npz", "--format", "npy"),
                (small.typed_npy_folder, "", "--format", "npy"))):
            source = f"{self.folder}/right{number}{suffix}"
            make(source)
            self.works("partition", "--input", source, *flags, "--out",
                       f"{self.folder}/graph{number}", "--num-parts", "2")

    def test_each_format_of_the_help_is_read(self):
        makers = {"ogb": small.ogb_text, "dgl-chunked": small.dgl_numpy,
                  "edge-list": small.csv_tables, "npy": small.npy_folder}
        text = " ".join(processes.run_ok("partition", "--help").split())
        named = re.search(r"--format .*?Layout of the input: ((?:[\w-]+, )*"
                          r"[\w-]+)", text)
        self.assertEqual(sorted(named[1].split(", ")), sorted(makers), text)
        for format, make in makers.items():
            source = f"{self.folder}/{format}"
            make(source)
            self.works("partition", "--input", source, "--format", format,
                       "--out", source + ".graph")

    def test_names_in_the_help_are_taken_as_it_says(self):
        """--edge-weight of each kind of place that its help names."""
        weights = f"{self.folder}/w.npy"
        np.save(weights, small.WEIGHTS)
        np.savez(f"{self.folder}/g.npz", w=small.WEIGHTS)
        for number, (make, format, name) in enumerate((
                (small.ogb_text, "ogb", "w"), (small.ogb_binary, "ogb", "w"),
                (small.csv_tables, "edge-list", "w"),
                (small.csv_tables, "edge-list", weights),
                (small.csv_tables, "edge-list", f"{self.folder}/g.npz:w"),
                (small.dgl_numpy, "dgl-chunked", "weight"))):
            source = f"{self.folder}/named{number}"
            make(source)
            self.works("partition", "--input", source, "--format", format,
                       "--edge-weight", name, "--out", source + ".graph")
            with open(source + ".graph/graph.json", encoding="utf-8") as f:
                self.assertIn('"weight":"float', f.read())


if __name__ == "__main__":
    unittest.main()
