"""tributary_gnn.partition of what DGL and GLT have partitioned. Stand-ins of torch and DGL are in
this process, and so in no other test's."""

import os
import pathlib
import unittest

import numpy as np

import tributary_gnn as tg
from tests.e2e import processes
from tests.exporters import stand_ins


class OtherPartitionsTest(unittest.TestCase):
    """Folders as DGL and GLT write them (tests/exporters/stand_ins.py)."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(processes.temporary_folder()))
        self.out = str(self.folder / "graph")
        rng = np.random.default_rng(4)
        self.ends = rng.integers(0, 23, (60, 2))
        self.feat = rng.random((23, 2), np.float32)
        self.parts = rng.integers(0, stand_ins.PARTS, 23)
        self.graph = stand_ins.Partitioned({"_N:_E:_N": self.ends}, {"_N": self.parts},
                                           {("_N", "feat"): self.feat}, {})
        labels = self.folder / "label.npy"
        np.save(labels, np.arange(23) % 5)
        train = self.folder / "train.npy"
        np.save(train, np.array([2, 7]))
        self.options = {"node_data": {"label": labels}, "node_ids": {"train": [train]},
                        "edge_index": True}

    def expect_graph(self):
        with tg.Graph(self.out) as graph:
            np.testing.assert_array_equal(np.stack(graph.find_edges(range(60)), 1), self.ends)
            np.testing.assert_array_equal(graph.node_data("x"), self.feat)
            np.testing.assert_array_equal(graph.node_data("y"), np.arange(23) % 5)
            np.testing.assert_array_equal(graph.split("train"), [2, 7])
            np.testing.assert_array_equal(graph.node_partitions(), self.parts)

    def test_dgl(self):
        stand_ins.Dgl(self.graph, self.folder).save_original_ids()
        tg.partition(self.folder / "made.json", self.out, stand_ins.PARTS, "assignment",
                     format="dgl-partition", **self.options)
        self.expect_graph()
        left = [name for name in os.listdir(self.folder) if name.startswith(".chunks")]
        self.assertEqual(left, [])

    def test_glt(self):
        stand_ins.Glt(self.graph, self.folder / "glt")
        tg.partition(self.folder / "glt", self.out, stand_ins.PARTS, "assignment",
                     format="glt-partition", **self.options)
        self.expect_graph()

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(tg.InvalidArgument, "no META; allowed: GLT's partitions"):
            tg.partition(self.folder, self.out, format="glt-partition")
        self.assertFalse(os.path.exists(self.out))


if __name__ == "__main__":
    unittest.main()
