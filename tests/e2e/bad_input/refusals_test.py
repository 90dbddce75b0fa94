"""`tributary partition`: for every format, each fault that it can have.

The message is asserted to the letter: one line with what is wrong, in which
file, line or row and column, and what is allowed. Nothing is left: no output
folder and no work folder.
"""

import functools
import json
import os
import unittest

import numpy as np

from tests.e2e.bad_input import small_inputs as small
from tests.e2e.bad_input.cases import FAILURE, Case, Table

OUT = ("--out", "{here}/out", "--num-parts", "2")


def edit(file, old, new):
    """In a file of text, of which `old` is once."""
    def spoil(source):
        with open(f"{source}/{file}", encoding="utf-8") as f:
            text = f.read()
        assert text.count(old) == 1, (text, old)
        small.write(f"{source}/{file}", text.replace(old, new))
    return spoil


def cut(file, bytes):
    """Takes bytes from a file's end."""
    def spoil(source):
        path = f"{source}/{file}"
        os.truncate(path, os.path.getsize(path) - bytes)
    return spoil


def metadata(*keys, value):
    """Sets what is at the keys of metadata.json."""
    def spoil(source):
        with open(source + "/metadata.json", encoding="utf-8") as f:
            said = json.load(f)
        functools.reduce(lambda at, key: at[key], keys[:-1], said)[
            keys[-1]] = value
        small.write(source + "/metadata.json", json.dumps(said))
    return spoil


def array(file, *index, value):
    """Sets an element of a .npy file."""
    def spoil(source):
        path = f"{source}/{file}"
        values = np.load(path)
        values[index] = value
        np.save(path, values)
    return spoil


def changed(array, *index, value):
    array = array.copy()
    array[index] = value
    return array


def format(name, make, *flags, input=""):
    """Returns a function that makes cases of a format: `says` after the name of
    the program, with {in} for the input's path."""
    def case(fault, spoil, says, *more):
        def prepare(here):
            make(here + "/in" + input)
            if spoil:
                spoil(here + "/in")
        return Case(f"{name}: {fault}",
                    ("partition", "--input", "{here}/in" + input, *flags,
                     *more, *OUT), (says,), FAILURE, prepare)
    return case


ogb = format("ogb", small.ogb_text, "--edge-weight", "w")
typed = format("ogb typed", small.ogb_typed, "--edge-weight", "w")
OGB = [
    ogb("truncated file", cut("raw/edge.csv", 2), "X"),
    ogb("truncated in a row", cut("raw/node-feat.csv", 3), "X"),
    ogb("fewer edges than counted", edit("raw/num-edge-list.csv", "5", "6"), "X"),
    ogb("more edges than counted", edit("raw/num-edge-list.csv", "5", "4"), "X"),
    ogb("features of another count", edit("raw/num-node-list.csv", "4", "5"), "X"),
    ogb("duplicate id of a split", edit("split/only/train.csv", "2", "0"), "X"),
    ogb("unknown id", edit("raw/edge.csv", "3,1", "4,1"), "X"),
    ogb("unknown id of a split", edit("split/only/train.csv", "2", "4"), "X"),
    ogb("NaN weight", edit("raw/w.csv", "0.25", "nan"), "X"),
    typed("unknown type", edit("raw/triplet-type-list.csv", "item", "film"), "X"),
    typed("duplicate type", edit("raw/num-node-dict.csv", "user,item\n2,3", "user,item,item\n2,3,3"), "X"),
    typed("duplicate relation", edit("raw/triplet-type-list.csv", "user,buys,item\n", "user,buys,item\n" * 2), "X"),
    typed("wrong count", edit("raw/num-node-dict.csv", "2,3", "2,4"), "X"),
    typed("unknown id", edit("raw/relations/user___buys___item/edge.csv", "0,2", "0,3"), "X"),
    typed("NaN weight", edit("raw/relations/user___buys___item/w.csv", "0.25", "nan"), "X"),
    typed("truncated", cut("raw/relations/user___buys___item/edge.csv", 2), "X"),
    typed("duplicate id of a split", edit("split/only/item/train.csv", "2", "0"), "X"),
]

def binary(fault, says, spoil=None, *more, **changes):
    return format("ogb npz", functools.partial(small.ogb_binary, **changes),
                  "--edge-weight", "w")(fault, spoil, says, *more)

ENDS = np.ascontiguousarray(small.EDGES.T)
typed_binary = format("ogb typed npz", small.ogb_typed_binary)
BINARY = [
    binary("truncated file", "X", cut("raw/data.npz", 40)),
    binary("truncated array", "X", cut("raw/node-label.npz", 300)),
    binary("wrong count of edges", "X", num_edges_list=np.array([6])),
    binary("wrong count of nodes", "X", num_nodes_list=np.array([5])),
    binary("unknown id", "X", edge_index=changed(ENDS, 0, 3, value=4)),
    binary("negative id", "X", edge_index=changed(ENDS, 1, 3, value=-1)),
    binary("NaN weight", "X", w=changed(small.WEIGHTS, 3, value=np.nan)),
    binary("negative weight", "X", w=changed(small.WEIGHTS, 3, value=-1)),
    binary("weights of another count", "X", w=small.WEIGHTS[:4]),
    binary("duplicate id of a split", "X", edit("split/only/train.csv", "2", "0")),
    format("ogb typed npz", functools.partial(small.ogb_typed_binary, relation="user___buys___film"))("unknown type", None, "X"),
]

kg = format("triples", small.triples)
TRIPLES = [
    kg("truncated file", cut("raw/train.csv", 2), "X"),
    kg("fewer than counted", edit("raw/num-edge-list.csv", "5", "6"), "X"),
    kg("unknown id", edit("raw/train.csv", "3,1,1", "4,1,1"), "X"),
    kg("unknown relation", edit("raw/train.csv", "3,1,1", "3,2,1"), "X"),
    kg("unknown id in valid", edit("raw/valid.csv", "1,0,3", "1,0,4"), "X"),
    kg("duplicate name", edit("raw/relation.csv", "knows", "likes"), "X"),
    kg("wrong number of names", edit("raw/relation.csv", "knows\n", ""), "X"),
    kg("weights", None, "X", "--edge-weight", "w"),
]

dcsv = format("dgl csv", small.dgl_csv, "--format", "dgl-chunked")
dnpy = format("dgl numpy", small.dgl_numpy, "--format", "dgl-chunked")
def dgl(case, suffix):
    return [
    case("wrong count of nodes", metadata("num_nodes_per_chunk", value=[[2], [2, 2]]), "X"),
    case("wrong count of edges", metadata("num_edges_per_chunk", value=[[2, 3]]), "X"),
    case("unknown type of an edge", metadata("edge_type", value=["user:buys:film"]), "X"),
    case("unknown type of data", metadata("node_data", "film", value={}), "X"),
    case("duplicate type", metadata("node_type", value=["user", "user"]), "X"),
    case("a chunk that is not there", lambda source: os.remove(f"{source}/buys-1{suffix}"), "X"),
    case("truncated metadata", cut("metadata.json", 9), "X"),
    ]
DGL = [
    *dgl(dcsv, ".csv"), *dgl(dnpy, ".npy"),
    dcsv("truncated chunk", cut("buys-1.csv", 2), "X"),
    dcsv("chunk without its last row", cut("buys-1.csv", 4), "X"),
    dcsv("truncated features", cut("feat-0.csv", 3), "X"),
    dcsv("unknown id", edit("buys-1.csv", "0,2", "0,3"), "X"),
    dcsv("negative id", edit("buys-1.csv", "0,2", "0,-2"), "X"),
    dcsv("NaN weight", edit("w-1.csv", "0.25", "nan"), "X"),
    dnpy("truncated chunk", cut("buys-1.npy", 8), "X"),
    dnpy("truncated header", cut("buys-1.npy", 100), "X"),
    dnpy("unknown id", array("buys-1.npy", 1, 1, value=3), "X"),
    dnpy("negative id", array("buys-1.npy", 1, 1, value=-3), "X"),
    dnpy("NaN weight", array("w-1.npy", 1, value=np.nan), "X"),
    dnpy("negative weight", array("w-1.npy", 1, value=-1), "X"),
]

TABLE = ("--format", "edge-list", "--features", "f*", "--labels", "club", "--edge-weight", "w")
def tables(name, make, suffix, d):
    t = format(name, make, *TABLE)
    line = lambda text: text.replace(",", d)
    return [
    t("truncated in a row", cut("edges." + suffix, 4), "X"),
    t("truncated nodes", cut("nodes." + suffix, 2), "X"),
    t("unknown id", edit("edges." + suffix, line("3,1,"), line("4,1,")), "X"),
    t("duplicate id", edit("nodes." + suffix, line("3,7"), line("2,7")), "X"),
    t("NaN weight", edit("edges." + suffix, "0.25", "nan"), "X"),
    t("unknown column", edit("edges." + suffix, line(",w"), line(",v")), "X"),
    t("duplicate column", edit("edges." + suffix, line("dst,w"), line("w,w")), "X"),
    t("wrong count", None, "X", "--num-nodes", "3"),
    t("wrong count 2", None, "X", "--num-nodes", "3", "--ids", "dense"),
    ]
def config(said):
    return lambda source: small.write(source + "/c.json", json.dumps(said))
CONFIG = format("edge list by config", small.csv_tables, "--format", "edge-list", "--config", "{here}/in/c.json")
TABLES = [
    *tables("csv", small.csv_tables, "csv", ","),
    *tables("tsv", small.tsv_tables, "tsv", "\t"),
    CONFIG("unknown type", config({"nodes": {"user": {}, "film": {}}, "edges": {"user,knows": {"table": "edges.csv"}}}), "X"),
    CONFIG("unknown type 2", config({"nodes": {"user": {"table": "nodes.csv"}, "film": {}}, "edges": {"user,knows,user": {"table": "edges.csv"}}}), "X"),
]

def npy(fault, says, spoil=None, *more, **changes):
    return format("npy", functools.partial(small.npy_folder, **changes), "--format", "npy")(fault, spoil, says, *more)
def npz(fault, says, spoil=None, **changes):
    return format("npz", lambda path: (os.makedirs(os.path.dirname(path)), small.npz_file(path, **changes)), "--format", "npy", input="/g.npz")(fault, spoil, says)
typed_npy = format("npy typed", small.typed_npy_folder, "--format", "npy")
def both(case):
    return [
    case("unknown id", "X", edge_index=changed(ENDS, 0, 3, value=4)),
    case("negative id", "X", edge_index=changed(ENDS, 1, 3, value=-1)),
    case("wrong count", "X", num_nodes=np.array(5)),
    case("labels of another count", "X", y=small.LABELS[:3]),
    case("weights of another count", "X", edge_weight=small.WEIGHTS[:4]),
    case("NaN weight", "X", edge_weight=changed(small.WEIGHTS, 3, value=np.nan)),
    case("duplicate id of a split", "X", train_idx=np.array([0, 0])),
    case("unknown id of a split", "X", train_idx=np.array([0, 4])),
    ]
CSC = dict(edge_index=None)
ARRAYS = [
    *both(npy), *both(npz),
    npy("truncated", "X", cut("edge_index.npy", 8)),
    npz("truncated", "X", cut("g.npz", 40)),
    npz("truncated more", "X", cut("g.npz", 600)),
    format("npy typed", functools.partial(small.typed_npy_folder, relation="user__buys__film"), "--format", "npy")("unknown type", None, "X"),
    typed_npy("unknown id", array("user__buys__item/edge_index.npy", 1, 1, value=3), "X"),
]


class RefusalsTest(Table):
    CASES = [*OGB, *BINARY, *TRIPLES, *DGL, *TABLES, *ARRAYS]

    def check_refused(self, case, done):
        here = os.path.join(self.folder, self._testMethodName)
        says = case.words[0].replace("{in}", here + "/in")
        if os.environ.get("EXPLORE"):
            print(f"{case.name} [{done.returncode}] " + done.stderr.decode().replace(here + "/in", "{in}"), end="")
            return
        self.assertEqual(done.stderr.decode(),
                         f"tributary partition: {says}\n")
        super().check_refused(case, done)


if __name__ == "__main__":
    unittest.main()
