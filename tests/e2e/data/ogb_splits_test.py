"""Pickled splits of OGB datasets, written as text by ogb_splits.py and read by
`tributary partition`. PyTorch is not among the tests' dependencies: stand_ins.py
loads the pickles, which hold what OGB's datasets do.
"""

import contextlib
import io
import os
import pathlib
import shutil
import unittest

import numpy as np

from partition.exporters import ogb_splits
from tests.e2e import folders, processes
from tests.exporters.stand_ins import dump

NAMES = ("train", "valid", "test")
ROWS = folders.SEVEN_ROWS
IDS = dict(zip(NAMES, ([4, 0, 6], [1], [2, 5])))
EDGES = dict(zip(NAMES, (ROWS[:4], ROWS[4:7], ROWS[9:])))
NEGATIVES = {"valid_neg": [(6, 6), (0, 6)], "test_neg": [(5, 6)]}
BUYS, SELLS = ("user", "buys", "item"), ("item", "sold_to", "user")


class OgbSplitsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(
            self.enterContext(processes.temporary_folder()))

    def convert(self, source):
        """The exit code, and what was printed on stderr."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            code = ogb_splits.main([str(source)])
        return code, errors.getvalue()

    def check(self, write, splits, pickles, note=""):
        """`write(folder, splits)` makes a dataset with splits as text, or
        without. `pickles`: file of the scheme -> value. Expects that the
        converted dataset is the one with text."""
        text, source = self.folder / "text", self.folder / "source"
        for folder in (text, source, self.folder / "g"):
            shutil.rmtree(folder, ignore_errors=True)
        write(str(text), splits)
        write(str(source), None)
        shutil.rmtree(source / "split", ignore_errors=True)
        for name, value in pickles.items():
            dump(source / "split/only" / name, value)
        refused = processes.run("partition", "--input", source, "--out", self.folder / "g")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("partition/exporters/ogb_splits.py", refused.stderr)
        self.assertEqual(self.convert(source), (0, note))
        graph = folders.partition(str(source), str(self.folder / "g"), 2)
        processes.run_ok("verify", graph, "--against", text)

    def check_pairs(self, pickles, negatives=True, note=""):
        self.check(lambda folder, splits: folders.write_ogb(folder, 7, ROWS, splits=splits),
                   EDGES | (NEGATIVES if negatives else {}), pickles, note)

    def test_nodes(self):
        splits = {name: np.array(ids) for name, ids in IDS.items()}
        for pickles in ({"split_dict.pt": splits},
                        {name + ".pt": ids for name, ids in splits.items()}):
            self.check(lambda folder, splits: folders.write_ogb(folder, 7, ROWS, splits=splits),
                       IDS, pickles)

    def test_links(self):
        """As ogbl-collab has them."""
        splits = {name: {"edge": np.array(rows), "weight": np.ones(len(rows)),
                         "year": np.full(len(rows), 2017)}
                  for name, rows in EDGES.items()}
        for name in ("valid", "test"):
            splits[name]["edge_neg"] = np.array(NEGATIVES[name + "_neg"])
        note = "ogb_splits: note: left out: weight, year\n"
        self.check_pairs({name + ".pt": value for name, value in splits.items()}, note=note)
        self.check_pairs({"split_dict.pt": splits}, note=note)

    def test_links_with_targets(self):
        """As ogbl-citation2 has them."""
        splits = {}
        for name, rows in EDGES.items():
            source, target = np.array(rows).T
            splits[name + ".pt"] = {"source_node": source, "target_node": target}
        splits["valid.pt"]["target_node_neg"] = np.zeros((3, 1000), int)
        self.check_pairs(splits, negatives=False,
                         note="ogb_splits: note: left out: target_node_neg\n")

    def test_triples_of_one_type(self):
        """As ogbl-wikikg2 has them: the graph is that of the triples."""
        rng = np.random.default_rng(1)
        columns = {name: np.stack([rng.integers(0, 7, n), rng.integers(0, 3, n),
                                   rng.integers(0, 7, n)], 1)
                   for name, n in (("train", 20), ("valid", 3), ("test", 2))}
        columns["train"][0, 1] = 2
        pickles = {}
        for name, table in columns.items():
            head, relation, tail = table.T
            pickles[name + ".pt"] = {"head": head, "relation": relation, "tail": tail}
        pickles["test.pt"]["head_neg"] = np.zeros((2, 500), int)

        def write(folder, splits):
            folders.write_ogb(folder, 7, columns["train"][:, [0, 2]])
            if splits is not None:
                raw = os.path.join(folder, "raw", "")
                folders.write_rows(raw + "num-relation-list", [[3]])
                for name, table in columns.items():
                    folders.write_rows(raw + name, table)

        self.check(write, {}, pickles, "ogb_splits: note: left out: head_neg\n")

    def write_typed(self, folder, splits):
        folders.write_hetero(
            folder, {"user": (5, None, None), "item": (4, None, None)},
            {BUYS: ([(0, 3), (4, 1), (2, 2)], None), SELLS: ([(3, 0), (1, 1)], None)},
            splits)
        for relation, number in ((BUYS, 7), (SELLS, 2)):
            folders.write_rows(
                os.path.join(folder, "raw/relations", "___".join(relation), "edge_reltype"),
                [[number]] * 3)

    def test_types(self):
        splits = {"item": dict(zip(NAMES, ([3, 0], [1], [2])))}
        by_name = {name: {"item": np.array(splits["item"][name])} for name in NAMES}
        self.check(self.write_typed, splits, {"split_dict.pt": by_name})
        links = {"user___buys___item": {"train": [(0, 3), (2, 2)], "valid": [(4, 1)],
                                        "test": [(1, 1)], "test_neg": [(0, 0)]}}
        pickles = {name + ".pt": {BUYS: {"edge": np.array(links["user___buys___item"][name])}}
                   for name in NAMES}
        pickles["test.pt"][BUYS]["edge_neg"] = np.array([(0, 0)])
        self.check(self.write_typed, links, pickles)

    def test_typed_triples(self):
        """As ogbl-biokg has them: relations have the numbers of edge_reltype."""
        links = {"user___buys___item": {"train": [(0, 3), (2, 2)], "valid": [(4, 1)]},
                 "item___sold_to___user": {"train": [(3, 0)], "test": [(1, 1)]}}
        rows = {"train": [("user", 0, 7, "item", 3), ("item", 3, 2, "user", 0),
                          ("user", 2, 7, "item", 2)],
                "valid": [("user", 4, 7, "item", 1)], "test": [("item", 1, 2, "user", 1)]}
        pickles = {}
        for name, triples in rows.items():
            head_type, head, relation, tail_type, tail = zip(*triples)
            pickles[name + ".pt"] = {
                "head_type": list(head_type), "head": np.array(head),
                "relation": np.array(relation), "tail_type": list(tail_type),
                "tail": np.array(tail)}
        self.check(self.write_typed, links, pickles)

    def test_refusals(self):
        source = self.folder / "source"
        for value, said in (
                ({"pairs": np.zeros((1, 2), int)},
                 "train.pt has pairs; allowed: edge, source_node and target_node, or head, "
                 "relation and tail"),
                ({"edge": np.zeros((2, 3), int)},
                 "train.pt, edge, has the shape [2, 3]; allowed: [rows] or [rows, 2]"),
                ({"edge": np.zeros((2, 2))}, "train.pt, edge, has no whole numbers"),
                ({"source_node": np.zeros(2, int), "target_node": np.zeros(3, int)},
                 "train.pt has columns of unequal length"),
                ({"source_node": np.zeros((2, 1), int), "target_node": np.zeros((2, 1), int)},
                 "or of several dimensions"),
                ({"head": np.zeros(2, int), "relation": np.zeros(2, int),
                  "tail": np.zeros(3, int)}, "train.pt has columns of unequal length")):
            shutil.rmtree(source, ignore_errors=True)
            folders.write_ogb(str(source), 7, ROWS)
            dump(source / "split/only/train.pt", value)
            code, errors = self.convert(source)
            self.assertEqual(code, 1)
            self.assertIn(said, errors)
            self.assertEqual(os.listdir(source / "split/only"), ["train.pt"])

    def test_damaged_pickle(self):
        source = self.folder / "source"
        folders.write_ogb(str(source), 7, ROWS)
        (source / "split/only").mkdir(parents=True)
        (source / "split/only/train.pt").write_bytes(b"PK")
        code, errors = self.convert(source)
        self.assertEqual(code, 1)
        self.assertIn("train.pt is damaged, or no pickle", errors)

    def test_two_schemes_of_triples(self):
        """Triples have one place."""
        source = self.folder / "source"
        folders.write_ogb(str(source), 7, ROWS)
        triples = dict.fromkeys(("head", "relation", "tail"), np.zeros(2, int))
        for scheme in ("a", "b"):
            dump(source / f"split/{scheme}/train.pt", triples)
        code, errors = self.convert(source)
        self.assertEqual(code, 1)
        self.assertIn("raw/train.csv would be that of two schemes", errors)

    def test_relation_that_is_not_there(self):
        source = self.folder / "source"
        self.write_typed(str(source), None)
        dump(source / "split/only/train.pt",
             {key: np.array([3]) for key in ("head", "relation", "tail")})
        code, errors = self.convert(source)
        self.assertEqual(code, 1)
        self.assertIn("train.pt has the relation 3, which no edge_reltype", errors)

    def test_a_failed_write_leaves_nothing(self):
        source = self.folder / "source"
        folders.write_ogb(str(source), 7, ROWS)
        dump(source / "split/only/split_dict.pt",
             {name: np.array(ids) for name, ids in IDS.items()})
        # The last of three cannot be written.
        (source / "split/only/test.csv.part").mkdir()
        code, errors = self.convert(source)
        self.assertEqual(code, 1)
        self.assertIn("test.csv.part", errors)
        self.assertEqual(sorted(os.listdir(source / "split/only")),
                         ["split_dict.pt", "test.csv.part"])

    def test_nothing_is_overwritten(self):
        source = self.folder / "source"
        folders.write_ogb(str(source), 7, ROWS, splits={"valid": [1]})
        dump(source / "split/only/split_dict.pt",
             {name: np.array(ids) for name, ids in IDS.items()})
        code, errors = self.convert(source)
        self.assertEqual(code, 1)
        self.assertIn("valid.csv.gz exists; remove it, or the pickle", errors)
        self.assertFalse((source / "split/only/train.csv").exists())

    def test_no_pickles(self):
        source = folders.write_ogb(str(self.folder / "source"), 7, ROWS)
        self.assertIn("has no split_dict.pt and no train.pt", self.convert(source)[1])
        self.assertIn("has no folder raw", self.convert(self.folder)[1])


if __name__ == "__main__":
    unittest.main()
