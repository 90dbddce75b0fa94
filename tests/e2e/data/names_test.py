"""Names of types with any characters: the same graph as with plain names,
whatever reads, holds, copies or samples it."""

import filecmp
import json
import os
import re
import shlex
import subprocess
import unittest

import numpy as np

from tests.e2e.data import nasty_names as nasty
from tests.e2e import processes, sampling

FETCH = "cli/fetch/tributary-fetch"
INPUTS = "urn:x:y=1:train"  # TYPE:SPLIT
EDGE = ",".join((nasty.NODES["n1"], nasty.RELATIONS["r4"], nasty.NODES["n5"]))


def partition(source, out, *flags, format="npy", parts=3):
    processes.run_ok("partition", "--format", format, "--input", source, "--out",
                     out, "--num-parts", parts, *flags)
    return out


def files_of(graph):
    with open(os.path.join(graph, "graph.json"), encoding="utf-8") as file:
        return [f["path"] for f in json.load(file)["files"]]


class NamesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.npz = nasty.write_npz(cls.path("nasty.npz"), nasty.NASTY)
        cls.stored = ("--degrees", "--edge-index", "--neighbor-ids")
        cls.graph = partition(cls.npz, cls.path("nasty"), *cls.stored)
        plain = nasty.write_npz(cls.path("plain.npz"), nasty.PLAIN)
        cls.plain = partition(plain, cls.path("plain"))
        cls.expected = cls.sample(cls.graph)

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    @classmethod
    def sample(cls, where, inputs=INPUTS, fanouts=f"2,2;{EDGE}=3,1", **options):
        return sampling.lines(where, inputs=inputs, fanouts=fanouts,
                              batch_size=2, **options)

    def inspected(self, graph):
        return json.loads(processes.run_ok("inspect", graph, "--json"))

    def test_names_are_kept(self):
        said = self.inspected(self.graph)
        self.assertEqual([t["name"] for t in said["node_types"]],
                         list(nasty.NODES.values()))
        self.assertEqual(
            [t["name"] for t in said["edge_types"]],
            [",".join(nasty.NASTY[n] for n in t) for t in nasty.EDGES])
        self.assertIn("/film/actor./film/x", processes.run_ok("inspect", self.graph))

    def test_paths_are_those_of_the_format(self):
        paths = files_of(self.graph)
        for path in ("node_map/,2e,2e.npy", "part-1/nodes/,2fa,2fb,2ec/x.npy",
                     "node_map/paper,2eranks.npy", "node_map/paper.ranks.npy",
                     "splits/urn:x:y=1/train.npy",
                     "part-0/edges/,2e,2e__,2ffilm,2factor,2e,2ffilm,2fx"
                     "__,2fa,2fb,2ec/indptr.npy",
                     "degrees/é é,5f___in__paper.out.npy"):
            self.assertIn(path, paths)
        long = [p for p in paths if p.startswith("degrees/urn:") and "rrr" in p]
        self.assertEqual(len(long), 2)
        for path in long:
            self.assertRegex(path, r"^degrees/urn:x:y=1__r{187},\+/r{68}__,2e,2e"
                             r"\.(in|out)\.npy$")
        for path in paths:
            for part in path.split("/"):
                self.assertNotIn(part[0], "./")
                self.assertLessEqual(len(part.encode()), 214)

    def test_each_format_makes_this_graph(self):
        digest = self.inspected(self.graph)["content_digest"]
        made = {
            "chunks": partition(nasty.write_chunks(self.path("c"), nasty.NASTY),
                                self.path("chunks"), format="dgl-chunked"),
            "config": self.path("config")}
        processes.run_ok("partition", "--format", "npy", "--config",
                         nasty.write_config(self.path("j"), nasty.NASTY), "--out",
                         made["config"], "--num-parts", 3)
        for format, graph in made.items():
            with self.subTest(format):
                self.assertEqual(self.inspected(graph)["content_digest"], digest)
                self.assertEqual(self.sample(graph), self.expected)

    def test_folders_of_arrays(self):
        short = {**nasty.NASTY, "r5": "s/s"}
        digests = {
            self.inspected(partition(source, self.path(name)))["content_digest"]
            for name, source in (
                ("short1", nasty.write_npy(self.path("s"), short)),
                ("short2", nasty.write_npz(self.path("s.npz"), short)))}
        self.assertEqual(len(digests), 1)

    def test_verify(self):
        for graph in (self.graph, self.plain):
            self.assertIn("verified", processes.run_ok("verify", graph))
        processes.run_ok("verify", self.graph, "--format", "npy", "--against",
                         self.npz)
        processes.run_ok("verify", self.graph, "--format", "npy", "--against",
                         self.npz, "--sample", 5)

    def test_methods_and_an_assignment(self):
        digest = self.inspected(self.graph)["content_digest"]
        for method, *flags in (("metis",), ("ldg",),
                               ("assignment", "--assignment",
                                os.path.join(self.graph, "node_map"))):
            with self.subTest(method):
                graph = partition(self.npz, self.path(method), "--method",
                                  method, *flags)
                self.assertEqual(self.inspected(graph)["content_digest"], digest)
                self.assertEqual(self.sample(graph), self.expected)
        for t in nasty.NODES.values():
            path = f"node_map/{nasty.folder_of(t)}.npy"
            self.assertTrue(filecmp.cmp(os.path.join(self.graph, path),
                                        self.path("assignment", path),
                                        shallow=False))

    def test_draws_of_all_edges_are_those_of_plain_names(self):
        """Words of draws depend on names; all edges need no draw."""
        tensors = []
        for names, graph, inputs in (
                (nasty.NASTY, self.graph, INPUTS),
                (nasty.PLAIN, self.plain, "n5:train")):
            out = self.path("batches-" + inputs[:2])
            self.sample(graph, inputs, "-1,-1", flags=("--out", out))
            plain_of = {**{names[t]: t for t in nasty.NODES},
                        **{"__".join(names[n] for n in t): "__".join(t)
                           for t in nasty.EDGES}}
            tensors.append({})
            for file in sorted(os.listdir(out)):
                with np.load(os.path.join(out, file)) as batch:
                    for name in batch.files:
                        kind, _, of = name.partition("/")
                        tensors[-1][file, kind, plain_of[of]] = batch[name]
        self.assertEqual(tensors[0].keys(), tensors[1].keys())
        self.assertGreater(len(tensors[0]), 20)
        for name, array in tensors[0].items():
            np.testing.assert_array_equal(array, tensors[1][name], str(name))

    def test_fleets_and_their_cache(self):
        graph = partition(self.npz, self.path("cached"))
        for cached in (False, True):
            if cached:
                processes.run_ok("cache", "--graph", graph, "--hot-cache", "0.5",
                                 "--input-nodes", INPUTS, "--num-neighbors", "2,2",
                                 "--batch-size", 2)
                self.assertTrue(os.path.exists(os.path.join(
                    graph, "hot/part-0/,2fa,2fb,2ec/x.npy")))
                self.assertIn("are their owners'",
                              processes.run_ok("verify", graph))
            with processes.Fleet(graph, ["0", "1", "2"]) as fleet:
                servers = fleet.addresses()
                self.assertEqual(self.sample(("servers", servers)), self.expected)
                fleet.doctor()
                processes.run_ok("status", "--servers", servers)

    def test_links_and_walks_name_edge_types(self):
        links = self.path("links.csv")
        with open(links, "w") as file:
            file.write("0,1\n3,2\n")
        for kind, *flags in (
                ("link", "--input-edges", f"{EDGE}:@{links}"),
                ("walk", "--metapath", f"{EDGE}", "--walk-length", 1,
                 "--input-nodes", "urn:x:y=1:0,1,2")):
            with self.subTest(kind):
                lines = sampling.lines(
                    self.graph, inputs=None, batch_size=2,
                    fanouts="2" if kind == "link" else None,
                    flags=("--kind", kind, *flags))
                self.assertGreater(len(lines), 0)

    def test_dispatch(self):
        hosts = self.path("hosts.txt")
        with open(hosts, "w") as file:
            file.write("a 0,1\nb 2\n")
        at = shlex.quote(self.path("hosts")) + "/{host}/{to}"
        program = shlex.quote(os.path.abspath(processes.TRIBUTARY))
        processes.run_ok(
            "dispatch", "--graph", self.graph, "--hosts", hosts, "--to", "g",
            "--copy-command", f"mkdir -p {at} && cd {{graph}} && xargs -d '\\n' "
            f"cp --parents -t {at} < {{list}}",
            "--verify-command", f"{program} verify {at} --partitions "
            "{partitions} --layout-digest {digest}")
        for path in files_of(self.graph):
            host = "b" if path.startswith("part-2/") else "a"
            self.assertTrue(filecmp.cmp(self.path("hosts", host, "g", path),
                                        os.path.join(self.graph, path), False))

    def test_fetch_from_a_folder(self):
        out = self.path("fetched")
        done = subprocess.run([FETCH, "get", f"file://{self.graph}", out],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        for path in files_of(self.graph):
            self.assertTrue(filecmp.cmp(os.path.join(out, path),
                                        os.path.join(self.graph, path), False))
        self.assertEqual(self.sample(out), self.expected)

    def test_reserved_names_are_refused(self):
        for name in ("a,b", "a__b", "a\x07", "r" * 256):
            with self.subTest(name):
                config = nasty.write_config(
                    self.path(f"bad{len(name)}{ord(name[1])}"),
                    {**nasty.NASTY, "r3": name})
                done = processes.run("partition", "--format", "npy", "--config",
                                     config, "--out", self.path("bad"))
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, re.compile(
                    "is no name of a type: allowed are 1 to 255|is no edge type"))
                self.assertFalse(os.path.exists(self.path("bad")))


if __name__ == "__main__":
    unittest.main()
