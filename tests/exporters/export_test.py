"""The exporter over folders that are laid out as DGL and GLT write them.

Neither DGL nor PyTorch is among the tests' dependencies: `Dgl` and `Glt` below
partition a graph by their own few lines, into files of those layouts that the
stand-ins for `dgl.data.utils` and `torch` load. What the real packages write has
been exported by hand (docs/testing.md).
"""

import contextlib
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import types
import unittest

import numpy as np

from partition.exporters import tributary_export


def dump(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        pickle.dump(value, file)


def load(path, **_):
    with open(path, "rb") as file:
        return pickle.load(file)


class Graph:
    """Stands in for a DGLGraph of one partition."""

    def __init__(self, ends, ndata, edata):
        self.ends, self.ndata, self.edata = ends, ndata, edata

    def edges(self):
        return self.ends


torch = types.ModuleType("torch")
torch.load = load
dgl = types.ModuleType("dgl")
dgl.data = types.ModuleType("dgl.data")
dgl.data.utils = types.ModuleType("dgl.data.utils")
dgl.data.utils.load_tensors = load
dgl.data.utils.load_graphs = lambda path: (load(path), {})
sys.modules.update({"torch": torch, "dgl": dgl, "dgl.data": dgl.data,
                    "dgl.data.utils": dgl.data.utils})

# Numbers of nodes, and of edges by type.
NODES = {"author": 7, "paper": 12}
EDGES = {"author:writes:paper": 20, "paper:cites:paper": 31}


class TypedGraph:
    def __init__(self, seed=3):
        rng = np.random.default_rng(seed)
        self.ends = {}
        for name, count in EDGES.items():
            src, _, dst = name.split(":")
            self.ends[name] = np.stack([rng.integers(0, NODES[src], count),
                                        rng.integers(0, NODES[dst], count)], 1)
        self.feat = rng.random((NODES["paper"], 3), np.float32)
        self.year = rng.integers(1990, 2020, EDGES["author:writes:paper"])
        self.part = {t: rng.integers(0, 3, n) for t, n in NODES.items()}


class Dgl:
    """Writes partitions with DGL's new ids: those of a partition and type are
    consecutive, and each partition also has nodes of others (halo)."""

    def __init__(self, graph, folder):
        self.folder = folder
        self.node_order, self.edge_order = {}, {}  # original ids by new ones
        node_map, edge_map = {}, {}
        first = 0
        counts = {(t, p): int((graph.part[t] == p).sum()) for t in NODES for p in range(3)}
        self.new = {t: np.zeros(n, np.int64) for t, n in NODES.items()}
        for p in range(3):
            for t in NODES:
                own = np.flatnonzero(graph.part[t] == p)[::-1]
                self.new[t][own] = first + np.arange(own.size)
                node_map.setdefault(t, []).append([first, first + counts[t, p]])
                self.node_order.setdefault(t, []).append(own)
                first += own.size
        first, self.eids = 0, {}
        for p in range(3):
            for name in EDGES:
                dst = name.split(":")[2]
                own = np.flatnonzero(graph.part[dst][graph.ends[name][:, 1]] == p)[::-1]
                edge_map.setdefault(name, []).append([first, first + own.size])
                self.eids[name, p] = first + np.arange(own.size)
                self.edge_order.setdefault(name, []).append(own)
                first += own.size
        config = {"graph_name": "typed", "num_parts": 3, "node_map": node_map,
                  "edge_map": edge_map, "ntypes": {t: i for i, t in enumerate(NODES)},
                  "etypes": {t: i for i, t in enumerate(EDGES)}}
        for p in range(3):
            config[f"part-{p}"] = {key: f"part{p}/{key}.dgl" for key in
                                   ["node_feats", "edge_feats", "part_graph"]}
            self.write_part(graph, p)
        (folder / "typed.json").write_text(json.dumps(config))

    def write_part(self, graph, p):
        nids = np.arange(sum(NODES.values()))[::-1]  # of all, in any order
        at = np.argsort(nids)
        ends, eids, inner = [], [], []
        for name, order in self.edge_order.items():
            src, _, dst = name.split(":")
            rows = graph.ends[name][order[p]]
            ends.append(np.stack([at[self.new[src][rows[:, 0]]],
                                  at[self.new[dst][rows[:, 1]]]]))
            eids.append(self.eids[name, p])
            inner.append(np.ones(len(rows), np.uint8))
        # An edge of another partition, which must not be taken twice.
        ends.append(np.array([[0], [0]]))
        eids.append(np.array([0]))
        inner.append(np.zeros(1, np.uint8))
        part = self.folder / f"part{p}"
        dump(part / "part_graph.dgl", [Graph(
            tuple(np.concatenate(ends, 1)), {"_ID": nids},
            {"_ID": np.concatenate(eids), "inner_edge": np.concatenate(inner)})])
        dump(part / "node_feats.dgl",
             {"paper/feat": graph.feat[self.node_order["paper"][p]]})
        name = "author:writes:paper"
        dump(part / "edge_feats.dgl", {f"{name}/year": graph.year[self.edge_order[name][p]]})

    def save_original_ids(self):
        for p in range(3):
            part = self.folder / f"part{p}"
            dump(part / "orig_nids.dgl", {t: o[p] for t, o in self.node_order.items()})
            dump(part / "orig_eids.dgl", {t: o[p] for t, o in self.edge_order.items()})

    def mapping(self):
        """What partition_graph(return_mapping=True) returns."""
        nodes = {t: np.concatenate(o) for t, o in self.node_order.items()}
        edges = {tuple(t.split(":")): np.concatenate(o) for t, o in self.edge_order.items()}
        return nodes, edges


class Glt:
    """Writes partitions as GLT's partitioners do, features in two pieces."""

    def __init__(self, graph, folder):
        edge_types = [tuple(t.split(":")) for t in EDGES]
        dump(folder / "META", {"num_parts": 3, "data_cls": "hetero",
                               "node_types": list(NODES), "edge_types": edge_types})
        for t, part in graph.part.items():
            dump(folder / "node_pb" / f"{t}.pt", part)
        for p in range(3):
            self.write_part(graph, folder / f"part{p}", p)

    def write_part(self, graph, folder, p):
        own = np.flatnonzero(graph.part["paper"] == p)
        feats = folder / "node_feat" / "paper"
        feats.mkdir(parents=True)
        for piece in (own[:2], own[2:]):
            for name, value in (("ids", piece), ("feats", graph.feat[piece])):
                with open(feats / f"{name}.pkl", "ab") as file:
                    pickle.dump(value, file)
        for name, ends in graph.ends.items():
            src = name.split(":")[0]
            own = np.flatnonzero(graph.part[src][ends[:, 0]] == p)
            for what, value in (("rows", ends[own, 0]), ("cols", ends[own, 1]), ("eids", own)):
                dump(folder / "graph" / name.replace(":", "__") / f"{what}.pt", value)


class ExportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "chunks"
        self.graph = TypedGraph()

    def export(self, *arguments):
        """The exit code, and what was printed on stderr."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            code = tributary_export.main([*map(str, arguments), "--out", str(self.out)])
        return code, errors.getvalue()

    def export_dgl(self, *arguments):
        return self.export("dgl", "--part-config", self.folder / "typed.json", *arguments)

    def check(self):
        """Compares the chunks with the graph that was partitioned."""
        metadata = json.loads((self.out / "metadata.json").read_text())
        self.assertEqual(dict(zip(metadata["node_type"], metadata["num_nodes_per_chunk"])),
                         {t: [n] for t, n in NODES.items()})
        self.assertEqual(dict(zip(metadata["edge_type"], metadata["num_edges_per_chunk"])),
                         {t: [n] for t, n in EDGES.items()})
        read = lambda files: np.load(self.out / files["data"][0])  # noqa: E731
        for name, ends in self.graph.ends.items():
            np.testing.assert_array_equal(read(metadata["edges"][name]), ends)
        feat = read(metadata["node_data"]["paper"]["feat"])
        np.testing.assert_array_equal(feat, self.graph.feat)
        for t, part in self.graph.part.items():
            np.testing.assert_array_equal(np.load(self.out / f"assignment/{t}.npy"), part)
        return metadata, read

    def test_dgl_with_the_ids_of_dispatch_data(self):
        Dgl(self.graph, self.folder).save_original_ids()
        self.assertEqual(self.export_dgl()[0], 0)
        metadata, read = self.check()
        year = read(metadata["edge_data"]["author:writes:paper"]["year"])
        np.testing.assert_array_equal(year, self.graph.year)

    # Chunks of text that are written straight from the graph.
    def write_chunks(self, folder):
        (folder / "a").mkdir(parents=True)
        csv = {"name": "csv", "delimiter": " "}
        text = {"graph_name": "typed", "node_type": list(NODES),
                "num_nodes_per_type": list(NODES.values()), "edge_type": list(EDGES),
                "num_edges_per_type": list(EDGES.values()), "edges": {}, "node_data": {
                    "paper": {"feat": {"format": csv, "data": ["a/feat.txt"]}}}}
        np.savetxt(folder / "a/feat.txt", self.graph.feat, "%.9g")
        for t, (name, ends) in enumerate(self.graph.ends.items()):
            np.savetxt(folder / f"a/{t}.txt", ends, "%d")
            text["edges"][name] = {"format": csv, "data": [f"a/{t}.txt"]}
        (folder / "metadata.json").write_text(json.dumps(text))

    def digest(self, folder):
        return subprocess.run(["tests/exporters/print_digest", str(folder)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def test_what_was_exported_has_the_digest_of_the_graph(self):
        self.write_chunks(self.folder / "straight")
        wanted = self.digest(self.folder / "straight")
        self.assertRegex(wanted, "^[0-9a-f]{64}\n$")
        Dgl(self.graph, self.folder).save_original_ids()
        self.assertEqual(self.export_dgl()[0], 0)
        self.assertEqual(self.digest(self.out), wanted)
        Glt(self.graph, self.folder / "glt")
        self.out = self.folder / "chunks of glt"
        self.assertEqual(self.export("glt", "--root", self.folder / "glt")[0], 0)
        self.assertEqual(self.digest(self.out), wanted)

    def test_dgl_with_a_mapping(self):
        dump(self.folder / "map.pt", Dgl(self.graph, self.folder).mapping())
        self.assertEqual(self.export_dgl("--mapping", self.folder / "map.pt")[0], 0)
        self.check()

    def test_dgl_without_original_ids_is_refused_by_name(self):
        Dgl(self.graph, self.folder)
        code, errors = self.export_dgl()
        self.assertEqual(code, 1)
        for word in ["return_mapping=True", "--save-orig-nids", "--dgl-ids"]:
            self.assertIn(word, errors)
        self.assertEqual([p.name for p in self.folder.glob("chunks*")], [])

    def test_dgl_ids_are_those_of_the_partitions(self):
        made = Dgl(self.graph, self.folder)
        self.assertEqual(self.export_dgl("--dgl-ids")[0], 0)
        feat = np.load(next(self.out.glob("node_data/*feat.npy")))
        order = np.concatenate(made.node_order["paper"])
        np.testing.assert_array_equal(feat, self.graph.feat[order])

    def test_a_mapping_of_another_graph_is_refused(self):
        nodes, edges = Dgl(self.graph, self.folder).mapping()
        nodes["paper"][3] = nodes["paper"][4]
        dump(self.folder / "map.pt", (nodes, edges))
        code, errors = self.export_dgl("--mapping", self.folder / "map.pt")
        self.assertEqual(code, 1)
        self.assertIn("nodes of type paper: an original id is there twice", errors)

    def test_a_part_without_an_array_is_refused(self):
        Dgl(self.graph, self.folder).save_original_ids()
        dump(self.folder / "part1" / "node_feats.dgl", {})
        code, errors = self.export_dgl()
        self.assertEqual(code, 1)
        self.assertIn("paper/feat is in some parts only", errors)

    def test_glt(self):
        Glt(self.graph, self.folder / "glt")
        dump(self.folder / "label.pt", np.arange(12) % 5)
        for p in range(2):
            dump(self.folder / f"train{p}.pt", np.array([p, 6 + p]))
        code, errors = self.export(
            "glt", "--root", self.folder / "glt",
            "--node-data", f"paper/label={self.folder}/label.pt",
            "--node-ids", f"paper/train={self.folder}/train0.pt,{self.folder}/train1.pt")
        self.assertEqual(code, 0, errors)
        metadata, read = self.check()
        papers = metadata["node_data"]["paper"]
        np.testing.assert_array_equal(read(papers["label"]), np.arange(12) % 5)
        np.testing.assert_array_equal(np.flatnonzero(read(papers["train_mask"])), [0, 1, 6, 7])

    def test_glt_names_the_type_that_is_not_there(self):
        Glt(self.graph, self.folder / "glt")
        code, errors = self.export("glt", "--root", self.folder / "glt",
                                   "--node-data", "label=label.pt")
        self.assertEqual(code, 1)
        self.assertIn("allowed types: author, paper", errors)

    def test_paths_of_types(self):
        """Those of partition/schema/type_path_test.cc."""
        for name, path in (("paper", "paper"), ("/film/film.a_b", ",2ffilm,2ffilm,2ea_b"),
                           ("..", ",2e,2e"), ("a_", "a,5f"),
                           ("a" * 255, "a" * 198 + ",+/" + "a" * 57),
                           ("a" + "é" * 127, "a" + "é" * 98 + ",+/" + "é" * 29)):
            self.assertEqual(tributary_export.type_path(name), path)

    def test_nothing_is_overwritten(self):
        self.out.mkdir()
        Glt(self.graph, self.folder / "glt")
        code, errors = self.export("glt", "--root", self.folder / "glt")
        self.assertEqual(code, 1)
        self.assertIn("exists; name a folder that does not", errors)


if __name__ == "__main__":
    unittest.main()
