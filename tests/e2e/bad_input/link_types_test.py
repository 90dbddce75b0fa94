"""`tributary sample --kind link`: lists of several edge types that do not fit
the graph, or each other."""

import os
import unittest

from tests.e2e import folders
from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table, options

SAMPLE = {"--graph": "{graph}", "--kind": "link", "--input-edges":
          "b,s,a:@{here}/bsa;a,r,b:@{here}/arb", "--num-neighbors": "1",
          "--batch-size": "2", "--random-seed": "1", "--batches": "0:1"}
TRIPLET = {"neg_sampling": "triplet"}
FILES = {"bsa": "1,1\n", "arb": "0,0\n3,2\n", "labelled": "0,0,1\n3,2,2\n",
         "real": "1,1,0.5\n", "none": "0,3\n", "own": "2\n", "own2": "1\n0\n",
         "two": "1,0\n2,1\n", "three": "3\n", "label": "1,1,5\n"}


def write(here):
    for name, text in FILES.items():
        with open(os.path.join(here, name), "w", encoding="utf-8") as f:
            f.write(text)


def links(name, words, code=FAILURE, more=(), **changes):
    return Case(name, ("sample", *options(SAMPLE, **changes), *more),
                tuple(words), code, spoil=write)


def edges(arb="arb", bsa="bsa"):
    return f"b,s,a:@{{here}}/{bsa};a,r,b:@{{here}}/{arb}"


CASES = [
    # The lists.
    links("a list of no type", ["--input-edges", "SRC,REL,DST:"], USAGE,
          input_edges="a,r,b:@{here}/arb;@{here}/bsa"),
    links("no list after a type", ["--input-edges", "allowed"], USAGE,
          input_edges="a,r,b:@{here}/arb;b,s,a:"),
    links("nothing after a semicolon", ["--input-edges", "allowed"], USAGE,
          input_edges="a,r,b:@{here}/arb;"),
    links("links for a list", ["--input-edges", "@FILE"], USAGE,
          input_edges="a,r,b:@{here}/arb;b,s,a:1,1"),
    links("a type that is not", ["'b,ss,a'", "a,r,b a,t,a b,s,a"],
          input_edges="a,r,b:@{here}/arb;b,ss,a:@{here}/bsa"),
    links("a type twice", ["a,r,b twice", "one list of each"],
          input_edges="a,r,b:@{here}/arb;a,r,b:@{here}/arb"),
    links("a split that is not", ["'tarin'"],
          input_edges="a,r,b:@{here}/arb;b,s,a:tarin"),
    links("no file", ["nothing", "No such file"],
          input_edges=edges(bsa="nothing")),
    links("a node of the other type", ["destination[0] of a,r,b is 3",
                                       "0 to 2", "node type b"],
          input_edges=edges(arb="none")),
    # What all have, or none.
    links("labels of one", ["edge_label", "b,s,a and a,r,b", "or none"],
          input_edges=edges(arb="labelled")),
    links("labels of two kinds", ["edge_label", "b,s,a and a,r,b", "float32"],
          input_edges=edges(arb="labelled", bsa="real")),
    links("times of one", ["--input-time", "b,s,a:...;a,r,b:..."], USAGE,
          time="node", input_time="a,r,b:3,4"),
    links("times of no type", ["--input-time", "b,s,a:...;a,r,b:..."], USAGE,
          time="node", input_time="3,4,5"),
    links("times that are none", ["--input-time", "soon"], USAGE,
          time="node", input_time="a,r,b:soon;b,s,a:3"),
    links("times of a link less", ["edge_label_time of a,r,b is 3 times",
                                   "2, one for each"],
          time="node", input_time="a,r,b:3,4,5;b,s,a:3"),
    links("negatives of no type", ["--neg-destination", "b,s,a:...;a,r,b:..."],
          USAGE, **TRIPLET, neg_destination="@{here}/own"),
    links("negatives of one", ["--neg-destination", "b,s,a:...;a,r,b:..."],
          USAGE, **TRIPLET, neg_destination="b,s,a:@{here}/own"),
    links("negatives that are no file", ["--neg-destination", "@FILE"], USAGE,
          **TRIPLET, neg_destination="b,s,a:2;a,r,b:@{here}/own2"),
    links("more negatives of one", ["2 ids a line", "b,s,a have 1", "as many"],
          **TRIPLET, neg_destination="b,s,a:@{here}/own;a,r,b:@{here}/two"),
    links("a negative of the other type", ["neg_destination[0] of a,r,b", "3",
                                           "0 to 2"], **TRIPLET,
          input_edges="a,r,b:@{here}/bsa;b,s,a:@{here}/bsa",
          neg_destination="a,r,b:@{here}/three;b,s,a:@{here}/own"),
    # What is of one type.
    links("subgraphs of several", ["enclosing", "several edge types",
                                   "of one"], more=("--enclosing",)),
    links("pairs of two ends", ["exclude", "edge id", "b,s,a"],
          exclude="reverse_id"),
]


class LinkTypesTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = folders.write_hetero(
            os.path.join(cls.folder, "source"),
            {"a": (4, None, None), "b": (3, None, None)},
            {("a", "r", "b"): ([(0, 0), (3, 1)], None),
             ("a", "t", "a"): ([(0, 1)], None),
             ("b", "s", "a"): ([(1, 1)], None)})
        cls.paths = {"graph": folders.partition(
            source, os.path.join(cls.folder, "graph"), 2)}

    def test_what_the_cases_change_works(self):
        write(self.folder)
        for more in ({}, {"input_edges": edges("labelled", "label")},
                     TRIPLET | {"neg_destination":
                                "a,r,b:@{here}/own2;b,s,a:@{here}/own"},
                     {"exclude": "pair"}):
            with self.subTest(more):
                made = self.works("sample", *options(SAMPLE, **more))
                self.assertEqual(len(made.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
