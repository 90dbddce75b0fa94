"""Files that users write by hand or by numpy: of inputs, and of servers."""

import os
import unittest

import numpy as np

from tests.e2e.bad_input import graph_edits as edit
from tests.e2e.bad_input.cases import FAILURE, Case, Table
from tests.e2e.bad_input.ogb_files_test import listen_at
from tests.e2e.bad_input.privileges import no_override, why_override

SAMPLE = ("sample", "--graph", "{graph}", "--num-neighbors", "2",
          "--input-nodes", "@{here}/ids.npy")
STATUS = ("status", "--servers", "file:{here}/list", "--timeout", "1")
FLEET = ("sample", "--servers", "file:{here}/list", "--num-neighbors", "2",
         "--input-nodes", "train", "--rpc-timeout", "0.3")


def ids(name, make, *words, **more):
    """make(path) writes the file of inputs."""
    return Case("inputs: " + name, SAMPLE, ("ids.npy", *words), FAILURE,
                spoil=lambda here: make(here + "/ids.npy"), **more)


def weights(name, make, *words):
    """make(path) writes the weights of the three nodes."""
    return Case("weights of inputs: " + name,
                ("sample", "--graph", "{graph}", "--num-neighbors", "2",
                 "--input-nodes", "*", "--input-weight", "@{here}/w.npy"),
                words, FAILURE, spoil=lambda here: make(here + "/w.npy"))


def array(*args, **kwargs):
    return lambda path: np.save(path, np.array(*args, **kwargs))


def spoilt(change):
    def make(path):
        np.save(path, np.array([2, 0, 1]))
        edit.change_bytes(os.path.dirname(path), "ids.npy", change)
    return make


def text(data):
    def make(path):
        with open(path, "wb") as f:
            f.write(data)
    return make


def closed(make):
    def make_closed(path):
        make(path)
        os.chmod(path, 0)
    return make_closed


def replaced(old, new):
    return spoilt(lambda data: data.replace(old, new))


def servers(name, make, *words, args=STATUS, **more):
    """make(path) writes the list of servers."""
    return Case(f"{args[0]}: {name}", args, words, FAILURE,
                spoil=lambda here: make(here + "/list"), **more)


CASES = [
    # What they hold.
    Case("inputs: an id past the last", SAMPLE, ("3", "0", "2"), FAILURE,
         spoil=lambda here: np.save(here + "/ids.npy", np.array([0, 3]))),
    Case("inputs: a negative id", SAMPLE, ("-1",), FAILURE,
         spoil=lambda here: np.save(here + "/ids.npy", np.array([0, -1]))),
    Case("inputs: a mask of fewer nodes", SAMPLE,
         ("input_mask is 2 long", "allowed: 3, one for each node"), FAILURE,
         spoil=lambda here: array([True, False])(here + "/ids.npy")),
    Case("inputs: a mask of none", SAMPLE, ("input_mask is false everywhere",),
         FAILURE, spoil=lambda here: array([False] * 3)(here + "/ids.npy")),
    weights("too few", array([0.5]), "input_weight is 1 weights", "allowed: 3"),
    weights("negative", array([1.0, -1.0, 1.0]), "weight 1 is -1", "finite"),
    weights("no number", array([1.0, float("nan"), 1.0]), "weight 1 is nan"),
    weights("all zero", array([0.0] * 3), "no weight is above 0"),
    weights("no file", lambda path: None, "w.npy"),
    Case("inputs: none", SAMPLE, ("input_nodes is empty",), FAILURE,
         spoil=lambda here: np.save(here + "/ids.npy",
                                    np.array([], dtype=np.int64))),
    ids("id 2 to the 63", array([2**63], dtype=np.uint64), "element 0",
        "up to 9223372036854775807"),
    ids("fractions", array([0.0, 1.0]), "<f8", "whole numbers"),
    ids("nan", array([np.nan]), "<f8"),
    ids("strings", array(["a"]), "<U1"),
    ids("objects", lambda path: np.save(path, np.array([None]),
                                        allow_pickle=True), "|O"),
    ids("records", array([(1, 2)], dtype=[("a", "<i8"), ("b", "<i8")]),
        "descr"),
    ids("two dimensions", array([[0, 1]]), "(1, 2)", "one dimension"),
    ids("no dimension", array(0), "one dimension"),
    ids("big-endian", array([0, 1], dtype=">i8"), ">i8", "little-endian"),
    # What they are.
    ids("text", text(b"0\n1\n"), "does not begin"),
    ids("nothing", text(b""), "does not begin"),
    ids("an npz", lambda path: np.savez(open(path, "wb"), a=[1]),
        "does not begin"),
    ids("cut short", spoilt(lambda d: d[:-4]), "20 bytes", "24"),
    ids("cut in its header", spoilt(lambda d: d[:40]), "cut off"),
    ids("longer than it says", spoilt(lambda d: d + b"\0" * 8), "32 bytes",
        "24"),
    ids("version 9", spoilt(lambda d: d[:6] + b"\x09" + d[7:]), "version 9"),
    ids("a flipped byte in the header", spoilt(edit.flip(12)), "descr"),
    ids("a negative shape", replaced(b"(3,)", b"(-3)"), "(-3)"),
    ids("a shape of 2 to the 62", replaced(
        b"(3,), }" + b" " * 20, b"(4611686018427387904,), }  "),
        "4611686018427387904"),
    ids("missing", lambda path: None, "No such file"),
    ids("a folder", os.mkdir, "a folder", "a regular file"),
    ids("a FIFO", os.mkfifo, "a FIFO", "a regular file"),
    ids("a socket", listen_at, "a socket", "a regular file"),
    ids("a device", lambda p: os.symlink("/dev/zero", p), "a device"),
    ids("a loop of links", lambda p: os.symlink(p, p), "symbolic links"),
    ids("unreadable", closed(array([0])), "Permission denied",
        preexec=no_override, skip=why_override),
    Case("bench: inputs are missing",
         ("bench", "sample", "--graph", "{graph}", "--input-nodes",
          "@{here}/ids.npy"), ("ids.npy", "No such file"), FAILURE),
    # Lists of servers.
    servers("half an address", text(b"a:1\n172.31.19\n"), "list:2",
            "no IPv4 address", "HOST alone"),
    servers("a port alone", text(b"50051\n"), "list:1", "no host name"),
    servers("no port behind a colon", text(b"a:\n"), "list:1", "1..65535"),
    servers("three words", text(b"a 1 2\n"), "list:1"),
    servers("a port past the last", text(b"a:65536\n"), "1..65535"),
    servers("a byte order mark", text(b"\xef\xbb\xbfa:1\n"), "list:1",
            "\\xef\\xbb\\xbfa"),
    servers("UTF-16", text("a:1\n".encode("utf-16")), "list:1"),
    servers("control characters", text(b"\x1b[2J:1\n"), "\\x1b[2J"),
    servers("nothing", text(b""), "empty"),
    servers("comments alone", text(b"# a:1\n\n"), "empty"),
    servers("2 MiB", text(b"#" * (2 << 20)), "2097152", "1048576"),
    servers("missing", lambda path: None, "list", "No such file"),
    servers("a folder", os.mkdir, "a folder", "a regular file"),
    servers("a FIFO", os.mkfifo, "a FIFO", "a regular file"),
    servers("a device", lambda p: os.symlink("/dev/zero", p), "a device"),
    servers("a loop of links", lambda p: os.symlink(p, p), "symbolic links"),
    servers("unreadable", closed(text(b"a:1\n")), "Permission denied",
            preexec=no_override, skip=why_override),
    servers("missing", lambda path: None, "list", "No such file",
            args=FLEET),
    servers("a port alone", text(b"50051\n"), "list:1", "no host name",
            args=FLEET),
    servers("nothing", text(b""), "no server", args=FLEET),
    servers("a FIFO", os.mkfifo, "a FIFO", args=FLEET),
]


class ListFilesTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.paths = {"graph": cls.write_graph()}

    def works_with(self, make, name, args, code=0):
        here = os.path.join(self.folder, name)
        os.mkdir(here)
        make(here + ("/list" if args[0] == "status" else "/ids.npy"))
        done = self.run_program([self.fill(w, here) for w in args], here)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout.decode()

    def test_what_the_cases_change_works(self):
        self.assertEqual(len(self.works_with(
            spoilt(lambda d: d), "good", SAMPLE).splitlines()), 3)

    def test_any_whole_numbers_work(self):
        for dtype in ("i1", "u1", "<i2", "<u2", "<i4", "<u4", "<u8"):
            with self.subTest(dtype):
                self.works_with(array([2, 0], dtype=dtype), dtype[-2:],
                                SAMPLE)

    def test_what_is_strange_but_right_works(self):
        said = self.works_with(
            text(b"# a fleet\r\n127.0.0.1 1\r\n127.0.0.1:1 # again\r\n"),
            "crlf", STATUS, code=1)  # nobody is there
        self.assertEqual(len(said.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
