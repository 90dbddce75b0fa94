"""`tributary partition`: a typed OGB folder with something wrong in it."""

import gzip
import os
import shutil
import unittest

from tests.e2e import folders
from tests.e2e.bad_input import graph_edits as edit
from tests.e2e.bad_input.cases import FAILURE, Case, Table

ARGS = ("partition", "--input", "{here}/source", "--format", "ogb", "--out",
        "{here}/out", "--num-parts", "2", "--method", "random")
WRITES = "raw/relations/author___writes___paper"
CITES = "raw/relations/paper___cites___paper"
LIST = "raw/triplet-type-list"
DICT = "raw/num-node-dict"
TRAIN = "split/only/paper/train"


def path_of(here, stem):
    return os.path.join(here, "source", stem + ".csv.gz")


def put(stem, text):
    def spoil(here):
        os.makedirs(os.path.dirname(path_of(here, stem)), exist_ok=True)
        with gzip.open(path_of(here, stem), "wb") as f:
            f.write(text)
    return spoil


def gone(stem):
    return lambda here: os.remove(path_of(here, stem))


def damaged(stem, change):
    def spoil(here):
        with open(path_of(here, stem), "r+b") as f:
            data = change(f.read())
            f.seek(0)
            f.truncate()
            f.write(data)
    return spoil


def moved(name, to):
    return lambda here: shutil.move(f"{here}/source/{name}",
                                    f"{here}/source/{to}")


def hetero(name, spoil, *words, flags=()):
    return Case(name, (*ARGS, *flags), words, FAILURE, spoil)


CASES = [
    hetero("out-edges of relations", lambda here: None, "--out-edges",
           "allowed: --add-reverse", flags=("--out-edges",)),
    # Types and their counts.
    hetero("no counts of nodes", gone(DICT), "num-node-dict", "is not there"),
    hetero("no counts in their file", put(DICT, b""), "num-node-dict",
           "has 0 rows", "allowed: 2"),
    hetero("names without counts", put(DICT, b"author,paper\n"),
           "has 1 rows", "allowed: 2"),
    hetero("counts of two graphs", put(DICT, b"author,paper\n2,3\n2,3\n"),
           "has 3 rows", "allowed: 2"),
    hetero("a count too few", put(DICT, b"author,paper\n2\n"), "line 2",
           "1 cells", "the first row has 2"),
    hetero("a negative count", put(DICT, b"author,paper\n-2,3\n"), "line 2",
           '"-2" nodes of author', "a whole number"),
    hetero("a word for a count", put(DICT, b"author,paper\n2,many\n"),
           '"many" nodes of paper'),
    hetero("a count of 2 to the 63",
           put(DICT, b"author,paper\n9223372036854775808,3\n"),
           "9223372036854775808", "a whole number"),
    hetero("counts that no memory holds",
           put(DICT, b"author,paper\n2,72057594037927936\n"), "num-node-dict",
           "more nodes than memory holds"),
    hetero("a type twice", put(DICT, b"paper,paper\n2,3\n"), "line 1",
           "paper is named twice"),
    hetero("a type without a name", put(DICT, b"author,\n2,3\n"), "line 1",
           "''"),
    hetero("a slash in a type", put(DICT, b"author,../paper\n2,3\n"),
           "'../paper'"),
    hetero("two underscores in a type", put(DICT, b"author,pa__per\n2,3\n"),
           "'pa__per'"),
    hetero("a control character in a type",
           put(DICT, b"author,pa\x1b[2Jper\n2,3\n"), "\\x1b[2J"),
    hetero("no UTF-8 in a type", put(DICT, b"author,pa\xc3(\n2,3\n"),
           "\\xc3(", "UTF-8"),
    # The list of relations.
    hetero("no list of relations", gone(LIST), "triplet-type-list",
           "is not there"),
    hetero("a relation of two words", put(LIST, b"writes,paper\n"), "line 1",
           "2 cells", "head,relation,tail"),
    hetero("a ragged list", put(LIST, b"author,writes,paper\npaper\n"),
           "line 2", "1 cells"),
    hetero("a relation of no type", put(LIST, b"author,writes,papre\n"),
           "triplet-type-list.csv.gz line 1", '"papre"', "author, paper"),
    hetero("a relation twice", put(LIST, b"author,writes,paper\n" * 2),
           "line 2", "author,writes,paper is listed twice"),
    hetero("a relation without a name", put(LIST, b"author,,paper\n"),
           "line 1", "''"),
    hetero("a header line", put(LIST, b"head,relation,tail\n"), '"head"',
           "author, paper"),
    hetero("a reverse that is there", lambda here: (
        put(LIST, b"author,writes,paper\npaper,rev_writes,author\n")(here)),
        "line 1", "paper,rev_writes,author is there already", "--add-reverse",
        flags=("--add-reverse",)),
    # Relations.
    hetero("no folder of a relation", lambda here: shutil.rmtree(
        f"{here}/source/{CITES}"), "paper___cites___paper/num-edge-list",
        "is not there"),
    hetero("a relation under another name",
           moved(WRITES, "raw/relations/author__writes__paper"),
           "author___writes___paper", "is not there"),
    hetero("no edges' file", gone(CITES + "/edge"),
           "paper___cites___paper/edge", "is not there"),
    hetero("an edge from no node", put(WRITES + "/edge", b"0,1\n2,2\n1,0\n"),
           "author___writes___paper/edge.csv.gz line 2", '"2"', "0 to 1"),
    hetero("an edge to no node", put(WRITES + "/edge", b"0,1\n1,3\n1,0\n"),
           "line 2", '"3"', "0 to 2"),
    hetero("edges of a type without nodes", lambda here: (
        put(DICT, b"author,paper\n0,3\n")(here),
        put("raw/node-feat/author/node-feat", b"")(here)),
        "author___writes___paper/edge.csv.gz line 1", "there are no nodes"),
    hetero("fewer edges than counted", put(CITES + "/edge", b"0,1\n"),
           "paper___cites___paper/edge", "has 1 rows", "wanted: 2"),
    hetero("more edges than counted", put(CITES + "/num-edge-list", b"1\n"),
           "paper___cites___paper/edge", "line 2", "1 wanted"),
    hetero("no count of edges", gone(WRITES + "/num-edge-list"),
           "author___writes___paper/num-edge-list"),
    hetero("too few edge features", put(WRITES + "/edge-feat", b"1\n2\n"),
           "author___writes___paper/edge-feat", "2 rows", "wanted: 3"),
    hetero("edges cut short", damaged(WRITES + "/edge", edit.half), "edge",
           "cut off"),
    hetero("a list cut short", damaged(LIST, edit.half), "triplet-type-list",
           "cut off"),
    # Features and labels.
    hetero("too few features", put("raw/node-feat/author/node-feat", b"1,2\n"),
           "author/node-feat", "1 rows", "wanted: 2"),
    hetero("too many labels",
           put("raw/node-label/paper/node-label", b"1\n2\n3\n4\n"),
           "paper/node-label", "line 4"),
    hetero("features that are said to be there",
           put("raw/nodetype-has-feat", b"author,paper\nTrue,True\n"),
           "node-feat/paper/node-feat", "is not there",
           "nodetype-has-feat says"),
    hetero("features that are said not to be there",
           put("raw/nodetype-has-feat", b"author,paper\nFalse,False\n"),
           "node-feat/author/node-feat", "is there", "nodetype-has-feat says"),
    hetero("flipped words of labels",
           put("raw/nodetype-has-label", b"author,paper\nTrue,False\n"),
           "node-label/author/node-label", "is not there"),
    hetero("other words than True and False",
           put("raw/nodetype-has-label", b"author,paper\n0,1\n"), "line 2",
           '"0" for author', "True, False"),
    hetero("words of no type",
           put("raw/nodetype-has-feat", b"author,papre\nTrue,False\n"),
           "line 1", '"papre"', "author, paper"),
    # Splits.
    hetero("a split of no node", put(TRAIN, b"0\n3\n"), "paper/train",
           "line 2", '"3"', "0 to 2"),
    hetero("a split that is said to be there",
           put("split/only/nodetype-has-split", b"author,paper\nTrue,True\n"),
           "split/only/author", "is not there"),
    hetero("a split that is said not to be there",
           put("split/only/nodetype-has-split", b"author,paper\nFalse,False\n"),
           "split/only/paper", "is there"),
    hetero("a scheme with a comma in its name",
           moved("split/only", "split/a,b"), "'a,b'"),
]


class HeteroFilesTest(Table):
    CASES = CASES

    def prepare(self, case, here):
        folders.write_hetero(
            os.path.join(here, "source"),
            {"author": (2, [[1, 2], [3, 4]], None),
             "paper": (3, None, [[0], [1], [-1]])},
            {("author", "writes", "paper"): ([(0, 1), (1, 2), (1, 0)],
                                             [[1], [2], [3]]),
             ("paper", "cites", "paper"): ([(0, 1), (2, 2)], None)},
            {"paper": {"train": [0, 2]}})

    def partition(self, spoil=None, flags=()):
        here = os.path.join(self.folder, self._testMethodName + str(
            len(os.listdir(self.folder))))
        self.prepare(None, here)
        if spoil:
            spoil(here)
        done = self.run_program([word.replace("{here}", here)
                                 for word in (*ARGS, *flags)], here)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode(), done.stderr.decode()

    def test_what_the_cases_change_works(self):
        stdout, stderr = self.partition()
        self.assertIn("nodes=5 edges=5 ", stdout)
        self.assertEqual(stderr, "tributary partition: note: node types "
                         "without features: paper\n")
        stdout, _ = self.partition(flags=("--add-reverse",))
        self.assertIn("nodes=5 edges=10 ", stdout)

    def test_what_is_strange_but_right_works(self):
        for name, spoil in {
                "no table of features": gone("raw/nodetype-has-feat"),
                "a type that a table does not name": put(
                    "raw/nodetype-has-label", b"paper\nTrue\n"),
                "CRLF": put(LIST,
                            b"author,writes,paper\r\npaper,cites,paper\r\n"),
                "a type without nodes and edges": put(
                    DICT, b"author,ghost,paper\n2,0,3\n"),
        }.items():
            with self.subTest(name):
                self.assertIn("nodes=5 edges=5 ", self.partition(spoil)[0])

    def test_what_is_left_out_is_said(self):
        stdout, stderr = self.partition(put(LIST, b"author,writes,paper\n"))
        self.assertIn("nodes=5 edges=3 ", stdout)
        self.assertIn("paper___cites___paper is of no relation", stderr)


if __name__ == "__main__":
    unittest.main()
