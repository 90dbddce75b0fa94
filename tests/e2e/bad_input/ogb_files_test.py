"""`tributary partition`: an OGB folder with something wrong in it."""

import gzip
import os
import shutil
import socket
import unittest

from tests.e2e.bad_input import graph_edits as edit
from tests.e2e.bad_input.cases import FAILURE, ROWS, Case, Table
from tests.e2e.bad_input.privileges import no_override, why_override

ARGS = ("partition", "--input", "{here}/source", "--format", "ogb", "--out",
        "{here}/out", "--num-parts", "2", "--method", "random")


def path_of(here, stem, kind=".csv.gz"):
    folder = "split/only" if stem in ("train", "valid", "test") else "raw"
    return os.path.join(here, "source", folder, stem + kind)


def put(stem, text):
    """The file says `text` instead: bytes, gzipped."""
    def spoil(here):
        with gzip.open(path_of(here, stem), "wb") as f:
            f.write(text)
    return spoil


def plain(stem, text):
    def spoil(here):
        os.remove(path_of(here, stem))
        with open(path_of(here, stem, ".csv"), "wb") as f:
            f.write(text)
    return spoil


def gone(stem):
    return lambda here: os.remove(path_of(here, stem))


def raw_bytes(stem, change):
    def spoil(here):
        with open(path_of(here, stem), "r+b") as f:
            data = change(f.read())
            f.seek(0)
            f.truncate()
            f.write(data)
    return spoil


def instead(stem, make):
    """Something else of the file's name: make(path)."""
    def spoil(here):
        os.remove(path_of(here, stem))
        make(path_of(here, stem))
    return spoil


def listen_at(path):
    """A unix socket, whose path must be short."""
    at = os.open(os.path.dirname(path), os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(f"/proc/self/fd/{at}/{os.path.basename(path)}")
    finally:
        os.close(at)


def named(name, flag, text, *words):
    """The file that `flag` names, NAME, says `text`."""
    def spoil(here):
        with gzip.open(path_of(here, "NAME"), "wb") as f:
            f.write(text)
    return Case(f"{flag} {name}", ARGS + (flag, "NAME"),
                ("NAME.csv.gz", *words), FAILURE, spoil)


def ogb(name, spoil, *words, **more):
    return Case(name, ARGS, words, FAILURE, spoil, **more)


CASES = [
    # The edge list.
    ogb("an edge to no node", put("edge", b"0,1\n1,3\n2,0\n"), "edge.csv.gz",
        "line 2", '"3"', "0 to 2"),
    ogb("a negative id", put("edge", b"0,1\n-1,2\n2,0\n"), "line 2", '"-1"'),
    ogb("three columns", put("edge", b"0,1,2\n" * 3), "edge", "3 cells",
        "allowed: 2"),
    ogb("one column", put("edge", b"0\n1\n2\n"), "edge", "1 cells"),
    ogb("a ragged edge", put("edge", b"0,1\n1\n2,0\n"), "line 2", "1 cells"),
    ogb("a word for an id", put("edge", b"0,one\n1,2\n2,0\n"), "line 1",
        '"one"'),
    ogb("nan for an id", put("edge", b"0,1\nnan,2\n2,0\n"), "line 2",
        '"nan"', "node ids"),
    ogb("a fraction for an id", put("edge", b"0,1\n1.5,2\n2,0\n"), '"1.5"'),
    ogb("an id of 2 to the 63",
        put("edge", b"0,1\n9223372036854775808,2\n2,0\n"),
        "9223372036854775808"),
    ogb("an id of 2 to the 64",
        put("edge", b"0,1\n18446744073709551616,2\n2,0\n"),
        "18446744073709551616"),
    ogb("an id of 1e400", put("edge", b"0,1\n1e400,2\n2,0\n"), '"1e400"'),
    ogb("an empty line", put("edge", b"0,1\n\n2,0\n"), "line 2", "1 cells"),
    ogb("an empty cell", put("edge", b"0,1\n,2\n2,0\n"), "an empty cell"),
    ogb("a header line", put("edge", b"src,dst\n0,1\n1,2\n2,0\n"), "line 1",
        '"src"'),
    ogb("a byte order mark", put("edge", b"\xef\xbb\xbf0,1\n1,2\n2,0\n"),
        "line 1", "\\xef\\xbb\\xbf0", "node ids"),
    ogb("UTF-16", put("edge", "0,1\n1,2\n".encode("utf-16")), "line 1",
        "\\xff\\xfe"),
    ogb("semicolons", put("edge", b"0;1\n1;2\n2;0\n"), "1 cells"),
    ogb("control characters", put("edge", b"0,\x1b[2J\n1,2\n2,0\n"),
        "\\x1b[2J"),
    ogb("a NUL", put("edge", b"0,1\x00\n1,2\n2,0\n"), "line 1"),
    ogb("no UTF-8", put("edge", b"0,\xc3(\n1,2\n2,0\n"), "\\xc3("),
    ogb("a very long cell", put("edge", b"0," + b"9" * 100000 + b"\n"),
        "line 1", "999"),
    ogb("a line of 65 MiB", put("edge", b"0" * (65 << 20)), "line 1",
        "longer than 67108864"),
    ogb("old Mac line ends", put("edge", b"0,1\r1,2\r2,0\r"), "line 1"),
    ogb("fewer edges than counted", put("edge", b"0,1\n"), "has 1 rows",
        "wanted: 3"),
    ogb("more edges than counted", put("edge", b"0,1\n" * 4), "line 4",
        "3 wanted"),
    ogb("no edges' file", gone("edge"), "raw/edge", "is not there"),
    ogb("an empty edges' file", put("edge", b""), "has 0 rows", "wanted: 3"),
    # Counts.
    ogb("no count of nodes", gone("num-node-list"), "num-node-list"),
    ogb("no count of edges", gone("num-edge-list"), "num-edge-list"),
    ogb("no nodes", put("num-node-list", b"0\n"), "node-feat", "0 wanted"),
    ogb("a negative count", put("num-node-list", b"-3\n"), "num-node-list",
        '"-3"'),
    ogb("a count of 2 to the 63", put("num-node-list",
                                      b"9223372036854775808\n"),
        "9223372036854775808", "one whole number"),
    ogb("a count of 2 to the 62", put("num-node-list",
                                      b"4611686018427387904\n"),
        "4611686018427387904", "one whole number"),
    ogb("a count that no memory holds", put("num-edge-list",
                                            b"72057594037927936\n"),
        "edge", "72057594037927936"),
    ogb("two counts", put("num-node-list", b"3\n3\n"), "num-node-list",
        "one row more"),
    ogb("no count in its file", put("num-node-list", b""), "num-node-list",
        "0 rows"),
    ogb("a word for a count", put("num-node-list", b"three\n"), '"three"'),
    ogb("nan for a count", put("num-edge-list", b"nan\n"), '"nan"'),
    ogb("another number of edges", put("num-edge-list", b"5\n"), "edge",
        "wanted: 5"),
    # Features and labels.
    ogb("too few features", put("node-feat", b"1,2\n3,4\n"), "node-feat",
        "2 rows", "wanted: 3"),
    ogb("too many features", put("node-feat", b"1,2\n" * 4), "node-feat",
        "line 4"),
    ogb("ragged features", put("node-feat", b"1,2\n3\n5,6\n"), "line 2",
        "1 cells", "the first row has 2"),
    ogb("an empty feature", put("node-feat", b"1,2\n3,\n5,6\n"), "line 2",
        "an empty cell"),
    ogb("a word for a feature", put("node-feat", b"1,2\n3,x\n5,6\n"),
        '"x"', "decimal"),
    ogb("a feature of 1e400", put("node-feat", b"1,2\n3,1e400\n5,6\n"),
        '"1e400"', "float32's range"),
    ogb("a feature in hex", put("node-feat", b"1,2\n3,0x1p3\n5,6\n"),
        '"0x1p3"'),
    ogb("a decimal comma", put("node-feat", b"1,2\n3,4,5\n5,6\n"), "line 2",
        "3 cells"),
    ogb("too many labels", put("node-label", b"1\n2\n3\n4\n"), "node-label",
        "line 4"),
    ogb("a word for a label", put("node-label", b"1\ncat\n3\n"), '"cat"'),
    ogb("ragged labels", put("node-label", b"1\n2,3\n4\n"), "line 2"),
    ogb("too few edge features", put("edge-feat", b"1\n2\n"), "edge-feat",
        "2 rows", "wanted: 3"),
    ogb("a word for an edge feature", put("edge-feat", b"1\nx\n3\n"),
        "edge-feat", '"x"'),
    # Splits.
    ogb("a split of no node", put("train", b"0\n7\n"), "train", '"7"',
        "0 to 2"),
    ogb("a split of a negative node", put("train", b"0\n-1\n"), '"-1"'),
    ogb("a split of nan", put("train", b"nan\n"), '"nan"'),
    ogb("a split that grows wider", put("train", b"0\n1,2\n"), "line 2"),
    ogb("a scheme with a comma in its name",
        lambda here: shutil.move(here + "/source/split/only",
                                 here + "/source/split/a,b"), "'a,b'"),
    # Files that are no files.
    ogb("gzip cut short", raw_bytes("edge", edit.half),
        "edge", "cut off"),
    ogb("gzip cut short in its check value", raw_bytes(
        "edge", lambda d: d[:-3]), "edge", "cut off"),
    ogb("gzip cut short in its header", raw_bytes("edge", lambda d: d[:7]),
        "edge", "cut off"),
    ogb("a flipped byte", raw_bytes("edge", edit.flip(-12)), "edge", "damaged"),
    ogb("gzip's check value is wrong", raw_bytes("edge", edit.flip(-5)), "edge",
        "damaged"),
    ogb("trailing garbage after gzip", raw_bytes(
        "edge", lambda d: d + b"garbage"), "edge", "no gzip follows"),
    ogb("both csv and csv.gz", lambda here: shutil.copy(
        path_of(here, "edge"), path_of(here, "edge", ".csv")),
        "as .csv and as .csv.gz"),
    ogb("a folder for a file", instead("edge", os.mkdir), "a folder",
        "a regular file"),
    ogb("a FIFO for a file", instead("edge", os.mkfifo), "a FIFO",
        "a regular file"),
    ogb("a socket for a file", instead("edge", listen_at), "a socket",
        "a regular file"),
    ogb("a device for a file", instead("edge", lambda path: os.symlink(
        "/dev/null", path)), "a device", "a regular file"),
    ogb("a loop of links", instead("edge", lambda path: os.symlink(
        path, path)), "edge", "symbolic links"),
    ogb("a link to nothing", instead("edge", lambda path: os.symlink(
        "/no/such", path)), "edge", "No such file"),
    ogb("an unreadable file", lambda here: os.chmod(path_of(here, "edge"), 0),
        "edge", "Permission denied", preexec=no_override, skip=why_override),
    ogb("an unreadable folder", lambda here: os.chmod(here + "/source/raw",
                                                      0),
        "raw", "Permission denied", preexec=no_override, skip=why_override),
    # Weights, times and masks.
    named("of a negative weight", "--edge-weight", b"1\n-0.5\n2\n", "line 2",
          '"-0.5"', "not negative"),
    named("of nan", "--edge-weight", b"1\n2\nnan\n", "line 3", '"nan"',
          "finite"),
    named("of inf", "--edge-weight", b"inf\n1\n2\n", "line 1", '"inf"',
          "finite"),
    named("of 1e400", "--edge-weight", b"1\n1e400\n2\n", "line 2", '"1e400"'),
    named("of a word", "--edge-weight", b"1\nheavy\n2\n", '"heavy"'),
    named("of two columns", "--edge-weight", b"1,2\n" * 3, "line 1", "2 cells",
          "allowed: 1"),
    named("with an empty line", "--edge-weight", b"1\n\n3\n", "line 2",
          "an empty cell"),
    named("with a header", "--edge-weight", b"weight\n1\n2\n3\n", "line 1",
          '"weight"'),
    named("of too few rows", "--edge-weight", b"1\n2\n", "2 rows", "wanted: 3"),
    named("of too many rows", "--edge-time", b"1\n2\n3\n4\n", "line 4"),
    named("of a fraction", "--edge-time", b"1\n2\n3.5\n", "line 3", '"3.5"',
          "whole number", "smaller unit"),
    named("of 2 to the 63", "--edge-time", b"9223372036854775808\n1\n2\n",
          "9223372036854775808", "int64"),
    named("of a date", "--edge-time", b"2004-05-01\n1\n2\n", '"2004-05-01"'),
    named("of 2", "--edge-masks", b"1\n2\n0\n", "line 2", '"2"',
          "0 or 1, false or true"),
    named("of a half", "--edge-masks", b"0.5\n1\n0\n", "line 1", '"0.5"'),
    named("of a word", "--edge-masks", b"1\n0\nyes\n", "line 3", '"yes"'),
    named("with an empty line", "--edge-masks", b"1\n\n0\n", "line 2",
          "an empty cell"),
    named("of too few rows", "--edge-masks", b"True\nFalse\n", "2 rows",
          "wanted: 3"),
    named("of two columns", "--edge-masks", b"1,0\n" * 3, "2 cells",
          "allowed: 1"),
    named("of nan", "--node-time", b"1\nnan\n3\n", "line 2", '"nan"'),
    named("of too few rows", "--node-time", b"1\n", "1 rows", "wanted: 3"),
    named("of no bytes", "--node-time", b"", "0 rows", "wanted: 3"),
    Case("weights that are not there", ARGS + ("--edge-weight", "none"),
         ("raw/none.csv.gz", "--edge-weight", "is not there")),
    Case("times that are not there", ARGS + ("--node-time", "none"),
         ("raw/none.csv.gz", "--node-time", "is not there")),
    Case("a path for a name", ARGS + ("--edge-time", "../raw/edge"),
         ("--edge-time", "../raw/edge", "without folder")),
    Case("a name with its suffix", ARGS + ("--edge-time", "t.csv.gz"),
         ("--edge-time", "t.csv.gz", "without folder and .csv.gz")),
    Case("an empty name", ARGS + ("--node-time", ""),
         ("--node-time", '""', "without folder")),
    Case("a scheme of edge splits that is not", ARGS + ("--edge-splits", "x"),
         ("--edge-splits", '"x"', "allowed: only")),
    ogb("a split of edge rows", put("train", b"0\n7\n"),
        "--edge-splits only"),
    Case("a row of edges that is not", ARGS + ("--edge-splits", "only"),
         ("line 2", '"3"', "edge ids 0 to 2"), FAILURE,
         put("train", b"0\n3\n")),
    ogb("a pair of a node that is not", put("train", b"0,1\n0,3\n"), "line 2",
        '"3"', "node ids 0 to 2"),
    ogb("pairs with a number alone", put("train", b"0,1\n2\n"), "line 2",
        "1 cells", "allowed: 2"),
    # The folder as a whole.
    ogb("no folder", lambda here: shutil.rmtree(here + "/source"), "source",
        "OGB's layout"),
    ogb("an empty folder", lambda here: (
        shutil.rmtree(here + "/source"), os.mkdir(here + "/source")),
        "OGB's layout"),
    ogb("half of the heterogeneous layout", put(
        "triplet-type-list", b"a,b,c\n"), "num-node-dict", "is not there"),
]


class OgbFilesTest(Table):
    CASES = CASES

    def prepare(self, case, here):
        self.write_source(os.path.join(here, "source"),
                          e=[[1], [2], [3]])

    def tearDown(self):
        # So that the folder can be removed.
        raw = os.path.join(self.folder, self._testMethodName, "source/raw")
        if os.path.isdir(raw):
            os.chmod(raw, 0o755)

    def accepted(self, spoil, nodes=3, edges=3, flags=()):
        here = os.path.join(self.folder, self._testMethodName + str(
            len(os.listdir(self.folder))))
        self.prepare(None, here)
        spoil(here)
        done = self.run_program([word.replace("{here}", here)
                                 for word in (*ARGS, *flags)], here)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn(f"nodes={nodes} edges={edges} ", done.stdout.decode())

    def test_what_the_cases_change_works(self):
        self.accepted(lambda here: None)

    def test_what_is_strange_but_right_works(self):
        lines = b"".join(b"%d,%d\n" % row for row in ROWS)
        for name, spoil in {
                "CRLF": put("edge", lines.replace(b"\n", b"\r\n")),
                "no last newline": put("edge", lines[:-1]),
                "no gzip": plain("edge", lines),
                "nan and inf": put("node-feat", b"nan,inf\n-inf,-nan\n1,2\n"),
                "no features": gone("node-feat"),
                "two gzip members": raw_bytes(
                    "edge", lambda d: gzip.compress(lines[:4]) +
                    gzip.compress(lines[4:])),
        }.items():
            with self.subTest(name):
                self.accepted(spoil)

    def test_weights_and_times_that_are_right_work(self):
        for flag, text in {
                "--edge-weight": b"0\n-0\n1e-400\n",
                "--edge-time": b"-9223372036854775808\n1e3\n 7.0 \n",
                "--node-time": b"1\r\n+2\r\n3\r\n",
        }.items():
            with self.subTest(flag):
                self.accepted(put("NAME", text), flags=(flag, "NAME"))
        with self.subTest("edge splits"):
            self.accepted(put("train", b"0\n2\n"),
                          flags=("--edge-splits", "only"))
        with self.subTest("pairs of nodes"):
            self.accepted(put("train", b"0,1\n2,2\n"))

    def test_nothing_at_all_is_a_graph(self):
        def empty(here):
            for stem in ("edge", "train", "node-feat", "node-label",
                         "edge-feat"):
                put(stem, b"")(here)
            put("num-node-list", b"0\n")(here)
            put("num-edge-list", b"0\n")(here)
        self.accepted(empty, nodes=0, edges=0)


if __name__ == "__main__":
    unittest.main()
