"""The exporter over folders that are laid out as DGL and GLT write them.

Neither DGL nor PyTorch is among the tests' dependencies: tests/exporters/stand_ins.py
writes the folders. What the real packages write has been exported by hand
(docs/testing.md).
"""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

from partition.exporters import tributary_export
from tests.exporters.stand_ins import PARTS, Dgl, Glt, Partitioned, dump

# Numbers of nodes, and of edges by type.
NODES = {"author": 7, "paper": 12}
EDGES = {"author:writes:paper": 20, "paper:cites:paper": 31}


def typed_graph(seed=3):
    rng = np.random.default_rng(seed)
    ends = {}
    for name, count in EDGES.items():
        src, _, dst = name.split(":")
        ends[name] = np.stack([rng.integers(0, NODES[src], count),
                               rng.integers(0, NODES[dst], count)], 1)
    feat = rng.random((NODES["paper"], 3), np.float32)
    writes = "author:writes:paper"
    year = rng.integers(1990, 2020, EDGES[writes])
    part = {t: rng.integers(0, PARTS, n) for t, n in NODES.items()}
    return Partitioned(ends, part, {("paper", "feat"): feat}, {(writes, "year"): year})


def homogeneous_graph(seed=4):
    """With features of nodes and edges, and weights that decimal text has exactly,
    as the text of a float32 weight must."""
    rng = np.random.default_rng(seed)
    node, edge = "_N", "_N:_E:_N"
    return Partitioned(
        {edge: rng.integers(0, 23, (60, 2))}, {node: rng.integers(0, PARTS, 23)},
        {(node, "feat"): rng.random((23, 2), np.float32)},
        {(edge, "feat"): rng.random((60, 4), np.float32),
         (edge, "weight"): rng.integers(0, 40, 60).astype(np.float32) / 8})


class ExporterTest(unittest.TestCase):
    """Exports, and compares the chunks with the graph that was partitioned."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "chunks"

    def export(self, *arguments):
        """The exit code, and what was printed on stderr."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            code = tributary_export.main([*map(str, arguments), "--out", str(self.out)])
        return code, errors.getvalue()

    def export_dgl(self, *arguments):
        return self.export("dgl", "--part-config", self.folder / "made.json", *arguments)

    def export_glt(self, *arguments):
        return self.export("glt", "--root", self.folder / "glt", *arguments)

    def exported_name(self, type_name):
        names = {"_N": "node", "_N:_E:_N": "node:to:node"}
        return names.get(type_name, type_name)

    def check(self, *left_out):
        """Expects all arrays but those that are `left_out`; returns the metadata
        and a function that reads the files of an array."""
        metadata = json.loads((self.out / "metadata.json").read_text())
        named = self.exported_name
        self.assertEqual(dict(zip(metadata["node_type"], metadata["num_nodes_per_chunk"])),
                         {named(t): [part.size] for t, part in self.graph.part.items()})
        self.assertEqual(dict(zip(metadata["edge_type"], metadata["num_edges_per_chunk"])),
                         {named(t): [len(ends)] for t, ends in self.graph.ends.items()})
        read = lambda files: np.load(self.out / files["data"][0])  # noqa: E731
        for name, ends in self.graph.ends.items():
            np.testing.assert_array_equal(read(metadata["edges"][named(name)]), ends)
        for kind in ("node_data", "edge_data"):
            for (t, name), array in getattr(self.graph, kind).items():
                if name in left_out:
                    continue
                found = read(metadata[kind][named(t)][name])
                self.assertEqual(found.dtype, array.dtype)
                np.testing.assert_array_equal(found, array)
        for t, part in self.graph.part.items():
            np.testing.assert_array_equal(
                np.load(self.out / f"assignment/{named(t)}.npy"), part)
        return metadata, read

    def write_chunks(self, folder):
        """Writes chunks of text straight from the graph."""
        folder.mkdir(parents=True)
        text = {"graph_name": "straight", "node_type": list(self.graph.part),
                "num_nodes_per_type": [part.size for part in self.graph.part.values()],
                "edge_type": list(self.graph.ends),
                "num_edges_per_type": [len(ends) for ends in self.graph.ends.values()],
                "edges": {}, "node_data": {}, "edge_data": {}}

        def write(array):
            name = f"{len(list(folder.iterdir()))}.txt"
            np.savetxt(folder / name, array, "%.9g")
            return {"format": {"name": "csv", "delimiter": " "}, "data": [name]}

        for name, ends in self.graph.ends.items():
            text["edges"][name] = write(ends)
        for kind in ("node_data", "edge_data"):
            for (t, name), array in getattr(self.graph, kind).items():
                text[kind].setdefault(t, {})[name] = write(array)
        (folder / "metadata.json").write_text(json.dumps(text))

    def digest(self, folder):
        return subprocess.run(["tests/exporters/print_digest", str(folder)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def check_digests(self):
        """Expects the digest of the graph from what DGL and GLT partitioned."""
        self.write_chunks(self.folder / "straight")
        wanted = self.digest(self.folder / "straight")
        self.assertRegex(wanted, "^[0-9a-f]{64}\n$")
        Dgl(self.graph, self.folder).save_original_ids()
        self.assertEqual(self.export_dgl()[0], 0)
        self.assertEqual(self.digest(self.out), wanted)
        Glt(self.graph, self.folder / "glt")
        self.out = self.folder / "chunks of glt"
        self.assertEqual(self.export_glt()[0], 0)
        self.assertEqual(self.digest(self.out), wanted)

    def check_refusal_without_original_ids(self):
        code, errors = self.export_dgl()
        self.assertEqual(code, 1)
        for word in ["part0 holds no original ids", "return_mapping=True",
                     "--save-orig-nids", "--save-orig-eids", "--dgl-ids"]:
            self.assertIn(word, errors)
        self.assertEqual([p.name for p in self.folder.glob("chunks*")], [])


class HomogeneousExportTest(ExporterTest):
    def setUp(self):
        super().setUp()
        self.graph = homogeneous_graph()

    def test_dgl_with_the_ids_of_dispatch_data(self):
        Dgl(self.graph, self.folder).save_original_ids()
        code, errors = self.export_dgl()
        self.assertEqual(code, 0, errors)
        self.check()

    def test_dgl_with_a_mapping(self):
        """partition_graph returns tensors where the graph has no types."""
        dump(self.folder / "map.pt", Dgl(self.graph, self.folder).mapping())
        code, errors = self.export_dgl("--mapping", self.folder / "map.pt")
        self.assertEqual(code, 0, errors)
        self.check()

    def test_a_mapping_of_another_graph_is_refused(self):
        nodes, edges = Dgl(self.graph, self.folder).mapping()
        for mapping, said in (((nodes[:-1], edges), "has not the 23 ids of type _N"),
                              ((nodes, edges[:-1]), "has not the 60 ids of type _N:_E:_N")):
            dump(self.folder / "map.pt", mapping)
            code, errors = self.export_dgl("--mapping", self.folder / "map.pt")
            self.assertEqual(code, 1)
            self.assertIn(said, errors)

    def test_dgl_without_original_ids_is_refused_by_name(self):
        made = Dgl(self.graph, self.folder)
        self.check_refusal_without_original_ids()
        for name in ("orig_nids.dgl", "orig_eids.dgl"):  # one of both
            made.save_original_ids()
            for p in range(PARTS):
                (self.folder / f"part{p}" / name).unlink()
            self.check_refusal_without_original_ids()

    def test_dgl_ids_are_those_of_the_partitions(self):
        made = Dgl(self.graph, self.folder)
        self.assertEqual(self.export_dgl("--dgl-ids")[0], 0)
        nodes, edges = made.mapping()
        self.graph.ends = {t: made.new["_N"][ends[edges]]
                           for t, ends in self.graph.ends.items()}
        self.graph.part = {t: part[nodes] for t, part in self.graph.part.items()}
        self.graph.node_data = {key: rows[nodes]
                                for key, rows in self.graph.node_data.items()}
        self.graph.edge_data = {key: rows[edges]
                                for key, rows in self.graph.edge_data.items()}
        self.check()

    def test_glt(self):
        Glt(self.graph, self.folder / "glt")
        dump(self.folder / "label.pt", np.arange(23) % 5)
        dump(self.folder / "train.pt", np.array([4, 0]))
        code, errors = self.export_glt("--node-data", f"label={self.folder}/label.pt",
                                       "--node-ids", f"train={self.folder}/train.pt")
        self.assertEqual(code, 0, errors)
        metadata, read = self.check()
        nodes = metadata["node_data"]["node"]
        np.testing.assert_array_equal(read(nodes["label"]), np.arange(23) % 5)
        np.testing.assert_array_equal(np.flatnonzero(read(nodes["train_mask"])), [0, 4])

    def test_what_was_exported_has_the_digest_of_the_graph(self):
        self.check_digests()


class TypedExportTest(ExporterTest):
    def setUp(self):
        super().setUp()
        self.graph = typed_graph()

    def test_dgl_with_the_ids_of_dispatch_data(self):
        Dgl(self.graph, self.folder).save_original_ids()
        self.assertEqual(self.export_dgl()[0], 0)
        self.check()

    def test_what_was_exported_has_the_digest_of_the_graph(self):
        self.check_digests()

    def test_dgl_with_a_mapping(self):
        dump(self.folder / "map.pt", Dgl(self.graph, self.folder).mapping())
        self.assertEqual(self.export_dgl("--mapping", self.folder / "map.pt")[0], 0)
        self.check()

    def test_dgl_without_original_ids_is_refused_by_name(self):
        Dgl(self.graph, self.folder)
        self.check_refusal_without_original_ids()

    def test_dgl_ids_are_those_of_the_partitions(self):
        made = Dgl(self.graph, self.folder)
        self.assertEqual(self.export_dgl("--dgl-ids")[0], 0)
        feat = np.load(next(self.out.glob("node_data/*feat.npy")))
        order = np.concatenate(made.node_order["paper"])
        np.testing.assert_array_equal(feat, self.graph.node_data["paper", "feat"][order])

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
        code, errors = self.export_glt(
            "--node-data", f"paper/label={self.folder}/label.pt",
            "--node-ids", f"paper/train={self.folder}/train0.pt,{self.folder}/train1.pt")
        self.assertEqual(code, 0, errors)
        metadata, read = self.check("year")
        papers = metadata["node_data"]["paper"]
        np.testing.assert_array_equal(read(papers["label"]), np.arange(12) % 5)
        np.testing.assert_array_equal(np.flatnonzero(read(papers["train_mask"])), [0, 1, 6, 7])

    def test_glt_names_the_type_that_is_not_there(self):
        Glt(self.graph, self.folder / "glt")
        code, errors = self.export_glt("--node-data", "label=label.pt")
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
        code, errors = self.export_glt()
        self.assertEqual(code, 1)
        self.assertIn("exists; name a folder that does not", errors)


if __name__ == "__main__":
    unittest.main()
