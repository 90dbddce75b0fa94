"""`tributary sample --kind ppr`: the lines that docs/sampling.md states, and
numpy as the witness of what the scores mean."""

import os
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs

PPR = ("--kind", "ppr", "--top-k")


class VectorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())

    def lines(self, source, *flags, add_reverse=True, **options):
        out = os.path.join(self.folder, f"g{len(os.listdir(self.folder))}")
        graph = folders.partition(source, out, 3, "metis",
                                  *["--add-reverse"] * add_reverse)
        return sampling.lines(graph, fanouts=None, flags=(*PPR, *flags),
                              **options)

    def test_seven_nodes(self):
        source = folders.write_ogb(os.path.join(self.folder, "seven"), 7,
                                   folders.SEVEN_ROWS)
        where = {"inputs": "0,3,1,6", "batch_size": 3, "seed": 7, "epoch": 0,
                 "batches": "0:1", "add_reverse": False}
        self.assertEqual(
            self.lines(source, 3, "--alpha", 0.25, "--epsilon", 0.01, **where),
            ["0 0 e181a45687ecd726d81f4dcfc82d1c23028ed29c3c272ae315323b91004b"
             "79d8 3 5 0 228"])
        self.assertEqual(
            self.lines(source, 4, "--alpha", 0.5, "--epsilon", 0.3, **where),
            ["0 0 91e26e9666d4d091319d5f80200b849332945dc1722d078ad60f41aec5b9"
             "030e 3 4 0 268"])

    def test_cora(self):
        self.assertEqual(
            self.lines(folders.CORA, 32, batches="0:1"),
            ["2 0 66125a12dcffb99841ca0d676c3489fbb08685f043df268d67d77d536155"
             "ff2a 32 678 0 3913920"])
        self.assertEqual(
            self.lines(folders.CORA, 16, "--alpha", 0.25, "--epsilon", 0.001,
                       batches="0:1"),
            ["2 0 582b8f0d8d9c5236eb0e6c43c26a7c91bcf8cb3d9a1d2818fe289147dbcd"
             "26a9 32 389 0 2244556"])

    def test_one_edge_type_of_aifb(self):
        self.assertEqual(
            self.lines(folders.AIFB, 5, "--edge-type", "schema,subClassOf,schema",
                       "--epsilon", 0.001, inputs="schema:39,30,14,12,16,30",
                       batch_size=4, epoch=1, batches="0:1"),
            ["1 0 993b3a2496418d43e1b8e01e7e4461e24ca28c8e208f3b2582e6364e6613"
             "7b0e 4 19 0 528"])


class WitnessTest(unittest.TestCase):
    """Cora with edges both ways: the scores are those of the linear system
    (I - (1 - alpha) P) x = alpha e, less at most epsilon times the degree."""

    ALPHA, EPSILON, K, INPUTS = 0.15, 0.0001, 64, range(0, 2700, 90)

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        graph = folders.partition(folders.CORA, os.path.join(folder, "g"), 3,
                                  "random", "--add-reverse")
        out = os.path.join(folder, "out")
        sampling.lines(graph, inputs=",".join(map(str, cls.INPUTS)),
                       fanouts=None, batch_size=len(cls.INPUTS),
                       flags=(*PPR, cls.K, "--shuffle", "none", "--out", out))
        with np.load(os.path.join(out, "batch-2-0.npz")) as made:
            cls.batch = dict(made)
        rows = np.array(graphs.rows_of(os.path.join(folders.CORA, "raw",
                                                    "edge")), np.int64)
        step = np.zeros((2708, 2708))
        np.add.at(step, (rows[:, 0], rows[:, 1]), 1)
        step += step.T
        cls.degree = step.sum(axis=0)
        step /= np.maximum(1, cls.degree)
        step[np.diag_indices(2708)] += cls.degree == 0
        start = np.zeros((2708, len(cls.INPUTS)))
        start[list(cls.INPUTS), range(len(cls.INPUTS))] = cls.ALPHA
        cls.exact = np.linalg.solve(
            np.eye(2708) - (1 - cls.ALPHA) * step, start).T

    def test_scores_are_near_and_never_above(self):
        for row, ids in enumerate(self.batch["ppr_id"]):
            found = ids[ids >= 0]
            missing = (self.exact[row, found] -
                       self.batch["ppr_weight"][row, :len(found)])
            self.assertGreater(missing.min(), -1e-7)
            self.assertLess(
                (missing - self.EPSILON * self.degree[found]).max(), 1e-7)

    def test_nothing_much_larger_is_left_out(self):
        for row, ids in enumerate(self.batch["ppr_id"]):
            rest = np.setdiff1d(np.arange(2708), ids)
            least = self.batch["ppr_weight"][row, -1]
            self.assertLess(
                (self.exact[row, rest] - least -
                 self.EPSILON * self.degree[rest]).max(), 1e-7)

    def test_rows_fall_and_point_into_n_id(self):
        weight, index = self.batch["ppr_weight"], self.batch["ppr_index"]
        self.assertTrue((np.diff(weight, axis=1) <= 0).all())
        there = index >= 0
        self.assertTrue((self.batch["n_id"][index[there]] ==
                         self.batch["ppr_id"][there]).all())
        self.assertTrue((self.batch["ppr_id"][~there] == -1).all())


if __name__ == "__main__":
    unittest.main()
