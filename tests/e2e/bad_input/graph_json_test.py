"""A graph folder whose graph.json is damaged, foreign, or no file."""

import json
import os
import shutil
import unittest

from tests.e2e.bad_input import graph_edits as edit
from tests.e2e.bad_input.cases import Case, Table
from tests.e2e.bad_input.graph_files_test import COMMANDS
from tests.e2e.bad_input.ogb_files_test import listen_at
from tests.e2e.bad_input.privileges import no_override, why_override

HUGE = 300 << 20


def text(name, change, *words, command="inspect", **more):
    """change: bytes -> bytes of graph.json."""
    return Case(name, COMMANDS[command], words, spoil=lambda here:
                edit.change_bytes(here + "/graph", "graph.json", change),
                **more)


def said(name, change, *words, command="inspect", report=None):
    """change(said): in place, the layout digest made right afterwards."""
    def spoil(here):
        value = edit.read_json(here + "/graph")
        change(value)
        edit.write_json(here + "/graph", value)
    return Case(name, COMMANDS[command], words, spoil=spoil, report=report)


def put(key, value):
    return lambda d: d.__setitem__(key, value)


def put_in(part, key, value, at=0):
    return lambda d: d[part][at].__setitem__(key, value)


def instead(name, make, *words, **more):
    def spoil(here):
        path = here + "/graph/graph.json"
        os.remove(path)
        make(path)
    return Case(name, COMMANDS["inspect"], ("graph.json", *words),
                spoil=spoil, **more)


def sparse(path):
    with open(path, "wb") as f:
        f.truncate(HUGE)


CASES = [
    # Versions and kinds.
    said("a later format", put("format_version", 2), "format_version is 2",
         "reads version 1"),
    said("a later format to serve", put("format_version", 2),
         "format_version is 2", "reads version 1", command="serve"),
    said("a later format to the doctor", put("format_version", 2),
         "1 of 1 checks failed", command="doctor",
         report=("fail", "format_version is 2")),
    said("format 0", put("format_version", 0), "format_version is 0"),
    said("a negative format", put("format_version", -1), "format_version"),
    said("a format in words", put("format_version", "1"), "format_version"),
    said("a format of 2 to the 64", put("format_version", 2**64),
         "format_version"),
    said("later semantics", put("semantics_version", 2),
         "semantics_version is 2", "by version 1"),
    said("later semantics to sample", put("semantics_version", 2),
         "semantics_version is 2", "by version 1", command="sample"),
    said("somebody else's", put("format", "gnn-graph"), "gnn-graph",
         "tributary-graph"),
    said("a key of later times", put("sign", 1), 'there is no key "sign"'),
    said("an edge type's key of later times", put_in("edge_types", "sign", 1),
         "edge_types[0]", 'there is no key "sign"'),
    said("weights of no such type", put_in("edge_types", "weight", "int32"),
         "weight of edge type", "float32 and float64"),
    said("weights that are nowhere", put_in("edge_types", "weight", "float32"),
         "does not list", "weight.npy"),
    said("times that are nowhere", put_in("node_types", "timed", True),
         "does not list", "time.npy"),
    said("times that are false", put_in("edge_types", "timed", False),
         "edge_types[0]", "timed"),
    # Text that is no graph.json.
    text("empty", lambda d: b"", "graph.json", "this is no JSON here"),
    text("cut short", edit.half, "graph.json", "this is no JSON here"),
    text("cut short to sample", edit.half, "graph.json", "this is no JSON here",
         command="sample"),
    text("null", lambda d: b"null", "graph.json", "no object"),
    text("a list", lambda d: b"[]", "graph.json", "no object"),
    text("an empty object", lambda d: b"{}", "graph.json", "no key format"),
    text("nested without end", lambda d: b"[" * 1000000, "graph.json"),
    text("trailing garbage", lambda d: d + b"}", "graph.json"),
    text("no UTF-8", lambda d: d.replace(b'"node"', b'"n\xffde"'),
         "graph.json"),
    text("a NaN", lambda d: d.replace(b'"num_partitions":2',
                                      b'"num_partitions":NaN'), "graph.json"),
    text("1e400", lambda d: d.replace(b'"num_partitions":2',
                                      b'"num_partitions":1e400'),
         "graph.json"),
    text("edited", lambda d: d.replace(b'"node"', b'"nude"'), "graph.json"),
    text("a space more", lambda d: d.replace(b'"name":"source"',
                                             b'"name":"sourcf"'),
         "layout_digest", "damaged or was edited"),
    # What contradicts itself.
    said("no partitions", put("num_partitions", 0), "num_partitions is 0",
         "1 to 65536"),
    said("too many partitions", put("num_partitions", 65537),
         "num_partitions"),
    said("half a partition", put("num_partitions", 1.5), "num_partitions"),
    said("partitions of 2 to the 63", put("num_partitions", 2**63),
         "num_partitions"),
    said("no node types", put("node_types", []), "no node types"),
    said("types that are no list", put("node_types", {}), "node_types"),
    said("a key is missing", lambda d: d.pop("splits"), "splits"),
    said("no true or false", put("heterogeneous", 1), "heterogeneous"),
    said("more nodes", put_in("node_types", "num_nodes", 4), "base",
         "4 nodes"),
    said("fewer than no nodes", put_in("node_types", "num_nodes", -3),
         "num_nodes"),
    said("nodes of 2 to the 63", put_in("node_types", "num_nodes", 2**63),
         "num_nodes"),
    said("a base that descends", put_in("node_types", "base", [0, 4, 3]),
         "base", "ascend"),
    said("a base too short", put_in("node_types", "base", [0, 3]), "base"),
    said("more edges", put_in("edge_types", "num_edges", 4),
         "partition_edges", "4 edges"),
    said("edges moved", put_in("edge_types", "partition_edges", [1, 2]),
         ".npy"),
    said("an edge to no type", put_in("edge_types", "dst", "person"),
         "node,to,person"),
    said("a type with two underscores", put_in("node_types", "name", "a__x"),
         "'a__x'"),
    said("a type with a control character",
         put_in("node_types", "name", "n\x1b[2J"), "n\\x1b[2J"),
    said("an unknown dtype", put_in("node_types", "x", {"dtype": "float31",
                                                        "dim": 2}),
         "float31"),
    said("a width of 2 to the 61", put_in("node_types", "x",
                                          {"dtype": "float32",
                                           "dim": 2**61}), "dim"),
    said("another width", put_in("node_types", "x", {"dtype": "float32",
                                                     "dim": 3}), "x.npy",
         "[2, 2]", "[2, 3]"),
    said("a longer split", put_in("splits", "count", 4), "train.npy"),
    said("a split of no type", put_in("splits", "node_type", "person"),
         "person"),
    said("a path out of the graph", put_in("files", "path", "../../etc"),
         "../../etc"),
    said("an absolute path", put_in("files", "path", "/etc/passwd"),
         "/etc/passwd"),
    said("files out of order", lambda d: d["files"].reverse(), "ascend"),
    said("a file not listed", lambda d: d["files"].pop(0), "does not list",
         "node_map/node.npy"),
    said("another CRC", put_in("files", "crc32c", 1), "node_map/node.npy",
         "CRC32C", command="verify"),
    said("a CRC of 2 to the 32", put_in("files", "crc32c", 2**32), "crc32c"),
    said("a digest too short", put("content_digest", "00"),
         "content_digest"),
    said("another content digest", put("content_digest", "00" * 32),
         "digest", command="verify"),
    # No file.
    instead("missing", lambda path: None, "No such file"),
    instead("a folder", os.mkdir, "a folder", "a regular file"),
    instead("a FIFO", os.mkfifo, "a FIFO", "a regular file"),
    instead("a socket", listen_at, "a socket", "a regular file"),
    instead("a device", lambda p: os.symlink("/dev/zero", p), "a device"),
    instead("a loop of links", lambda p: os.symlink(p, p), "symbolic links"),
    instead("300 MiB", sparse, str(HUGE), "at most"),
    text("unreadable", lambda d: d, "graph.json", "Permission denied",
         preexec=no_override, skip=why_override),
]


class GraphJsonTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_graph()

    def prepare(self, case, here):
        shutil.copytree(self.folder + "/graph", here + "/graph")
        if case.name == "unreadable":
            os.chmod(here + "/graph/graph.json", 0)

    def test_what_the_cases_change_works(self):
        name = json.loads(self.works("inspect", "{here}/graph", "--json"))
        self.assertEqual(name["name"], "source")

    def test_what_is_strange_but_right_works(self):
        here = self.folder + "/same"
        shutil.copytree(self.folder + "/graph", here)
        for change in (lambda d: b"\xef\xbb\xbf" + d,
                       lambda d: json.dumps(json.loads(d),
                                            indent=2).encode()):
            edit.change_bytes(here, "graph.json", change)
            self.works("verify", here)


if __name__ == "__main__":
    unittest.main()
