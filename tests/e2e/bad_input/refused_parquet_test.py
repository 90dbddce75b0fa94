"""`partition` of Parquet: DGL's chunks, and tables of edges and nodes.

Apart from the other formats, because Arrow does not run under sanitizers.
"""

import functools
import os
import unittest

import numpy as np

from tests.e2e.bad_input import small_inputs as small
from tests.e2e.bad_input.refusals import (RefusalTable, cases_of, changed, cut,
                                          metadata)

WRONG = "INVALID_ARGUMENT: {in}"
WEIGHT = "; allowed: finite, not negative"
NULL = np.iinfo(np.int64).min  # as parquet() has it


def chunk(name, **columns):
    """Writes a chunk anew."""
    return lambda source: small.parquet(f"{source}/{name}.parquet", **columns)


CUT_OFF = (": Parquet magic bytes not found in footer. Either the file is "
           "corrupted or this is not a parquet file.")
NOT_NUMBERS = ("holds texts; allowed: numbers of one type, one of them per row "
               "and column, or one column of lists")
SECOND = small.BUYS[2:]  # the ends in buys-1

dgl = cases_of("dgl parquet", small.dgl_parquet, "--format", "dgl-chunked")
DGL = [
    dgl("a truncated chunk", cut("buys-1.parquet", 4),
        "DATA_LOSS: {in}/buys-1.parquet" + CUT_OFF),
    dgl("an empty chunk", lambda source: os.truncate(
        source + "/buys-1.parquet", 0),
        "DATA_LOSS: {in}/buys-1.parquet: Parquet file size is 0 bytes"),
    dgl("a chunk that is not there", lambda source: os.remove(
        source + "/buys-1.parquet"),
        "NOT_FOUND: {in}/metadata.json: edges.user:buys:item: "
        "{in}/buys-1.parquet: No such file or directory"),
    dgl("a wrong count of nodes", metadata("num_nodes_per_chunk",
                                           value=[[2], [2, 2]]),
        WRONG + "/metadata.json: node_data.item.feat: 3 rows in 2 files; "
        "allowed: 4, as the type's number says; the first file that differs is "
        "{in}/feat-1.parquet"),
    dgl("a wrong count of edges", metadata("num_edges_per_chunk",
                                           value=[[2, 3]]),
        WRONG + "/metadata.json: edges.user:buys:item: 4 rows in 2 files; "
        "allowed: 5, as the type's number says; the first file that differs is "
        "{in}/buys-1.parquet"),
    dgl("an unknown type", metadata("edge_type", value=["user:buys:film"]),
        WRONG + '/metadata.json: edge_type "user:buys:film": "film" is no node '
        "type; allowed: user, item"),
    dgl("a type twice", metadata("node_type", value=["user", "user"]),
        WRONG + '/metadata.json: node_type has "user" twice'),
    dgl("an unknown id", chunk("buys-1", c=changed(SECOND, 1, 1, value=3)),
        "OUT_OF_RANGE: {in}/buys-1.parquet, row 1, column c1: 3 is no node of "
        "type item; allowed: 0 to 2"),
    dgl("a negative id", chunk("buys-1", c=changed(SECOND, 1, 0, value=-3)),
        "OUT_OF_RANGE: {in}/buys-1.parquet, row 1, column c0: -3 is no node of "
        "type user; allowed: 0 to 1"),
    dgl("a null for an id", chunk("buys-1", c0_or_null=np.array([1, NULL]),
                                  c1=SECOND[:, 1]),
        WRONG + '/buys-1.parquet: row 1, column "c0": a null; allowed: a value '
        "in each row"),
    dgl("a missing column", chunk("buys-1", c0=SECOND[:, 0]),
        WRONG + "/buys-1.parquet has 1 columns; {in}/buys-0.parquet has 2"),
    dgl("ids of another type", chunk("buys-1", c=SECOND.astype(float)),
        WRONG + '/buys-1.parquet: column 0, "c0", has another name, type or '
        'width than "c0" of {in}/buys-0.parquet'),
    dgl("a NaN weight", chunk("w-1", c=np.array([2, np.nan])),
        "OUT_OF_RANGE: {in}/w-1.parquet, row 1, column c: weight nan" + WEIGHT),
    dgl("a text for a weight", chunk("w-0", c=["0.5", "1"]),
        WRONG + '/w-1.parquet: column 0, "c", has another name, type or width '
        'than "c" of {in}/w-0.parquet'),
]


def tables(fault, says, *more, **columns):
    return cases_of("parquet", functools.partial(
        small.parquet_tables, **columns), "--format", "edge-list", "--src",
                    "src", "--dst", "dst", "--features", "f*", "--labels",
                    "club", "--edge-weight", "w")(fault, None, says, *more)


SRC = small.EDGES[:, 0]
EDGES, NODES = WRONG + "/edges.parquet", WRONG + "/nodes.parquet"
cut_tables = cases_of("parquet", small.parquet_tables, "--format", "edge-list")
TABLES = [
    cut_tables("a truncated table of edges", cut("edges.parquet", 4),
               "DATA_LOSS: {in}/edges.parquet" + CUT_OFF),
    cut_tables("a truncated table of nodes", cut("nodes.parquet", 200),
               "DATA_LOSS: {in}/nodes.parquet" + CUT_OFF),
    tables("an unknown id", EDGES + ', row 3, column src: "4" is no id in the '
           "table of nodes; allowed: those in its column of ids",
           edges={"src": changed(SRC, 3, value=4)}),
    tables("an unknown word", EDGES + ', row 2, column src: "x" is no id in '
           "the table of nodes; allowed: those in its column of ids",
           edges={"src": ["0", "1", "x", "3", "0"]}),
    tables("a duplicate id", NODES + ", row 4, column id: node 2 is there a "
           "second time; allowed: each once",
           nodes={"id": np.array([0, 1, 2, 3, 2]),
                  "f": np.ones((5, 2), np.float32), "club": np.arange(5)}),
    tables("a null for an id", EDGES + ': row 3, column "src": a null; '
           "allowed: a value in each row",
           edges={"src": None, "src_or_null": changed(SRC, 3, value=NULL)}),
    tables("a null for a node's id", NODES + ': row 2, column "id": a null; '
           "allowed: a value in each row",
           nodes={"id": None, "id_or_null": np.array([0, 1, NULL, 3])}),
    tables("ids that are no whole numbers", EDGES + ", column src is float64 "
           "of width 1; allowed: one whole number a row, as "
           "a.astype(np.int64) makes it",
           edges={"src": SRC.astype(float)}),
    tables("a NaN weight", "OUT_OF_RANGE: {in}/edges.parquet, row 3, column w: "
           "weight nan" + WEIGHT,
           edges={"w": changed(small.WEIGHTS, 3, value=np.nan)}),
    tables("a null for a weight", "OUT_OF_RANGE: {in}/edges.parquet, row 3, "
           "column w: weight nan" + WEIGHT,
           edges={"w": None, "w_or_null": changed(
               small.WEIGHTS.astype(np.float32), 3, value=np.nan)}),
    tables("a weight that float64 does not hold", EDGES + ", row 2, column w: a "
           "value that float64 cannot hold; allowed: numbers that it holds "
           "exactly",
           edges={"w": changed(np.arange(5), 2, value=2 ** 53 + 1)}),
    tables("texts for features", NODES + ': column "f0" ' + NOT_NUMBERS,
           nodes={"f": None, "f0": list("abcd")}),
    tables("a missing column of ends", EDGES + ': there is no column "src"; '
           "allowed: 0 to 1, or dst, w", edges={"src": None}),
    tables("a missing column of nodes", NODES + ': there is no column "club"; '
           "allowed: 0 to 2, or id, f0, f1", nodes={"club": None}),
    tables("a wrong count", WRONG + ": nodes of type node are 4 by their "
           "table, but 3 by num_nodes, count or indptr", "--num-nodes", "3"),
]


class RefusedParquetTest(RefusalTable):
    CASES = DGL + TABLES

    def test_what_the_cases_change_works(self):
        for number, (make, *flags) in enumerate((
                (small.dgl_parquet, "--format", "dgl-chunked"),
                (small.parquet_tables, "--format", "edge-list", "--features",
                 "f*", "--labels", "club", "--edge-weight", "w"))):
            source = f"{self.folder}/right{number}"
            make(source)
            self.works("partition", "--input", source, *flags, "--out",
                       source + ".graph", "--num-parts", "2")


if __name__ == "__main__":
    unittest.main()
