"""The oracle's PPR against the vectors of docs/sampling.md."""

import unittest

import numpy as np

from tests.oracle import digest, graph
from tests.oracle.loader import Loader
from tests.oracle.ppr_batch import MASS, Ppr, scores, share

SEVEN_ROWS = [(1, 0), (2, 0), (3, 0), (4, 0), (2, 0), (0, 1), (3, 1), (5, 2),
              (5, 5), (4, 3), (0, 3), (1, 3)]


class PprTest(unittest.TestCase):
    def batch(self, **options):
        return Loader(graph.homogeneous(7, SEVEN_ROWS), [0, 3, 1, 6],
                      Ppr(seed=7, **options), 3).batch(0, 0)

    def test_three_of_each(self):
        b = self.batch(top_k=3, alpha=0.25, epsilon=0.01)
        self.assertEqual(b["ppr_id"].tolist(),
                         [[4, 3, 0], [6, -1, -1], [1, 4, 0]])
        self.assertEqual(b["n_id"].tolist(), [3, 6, 1, 4, 0])
        self.assertEqual(
            digest.line(0, 0, b),
            "0 0 e181a45687ecd726d81f4dcfc82d1c23028ed29c3c272ae315323b91004b"
            "79d8 3 5 0 228")

    def test_little_is_pushed(self):
        self.assertEqual(
            digest.line(0, 0, self.batch(top_k=4, alpha=0.5, epsilon=0.3)),
            "0 0 91e26e9666d4d091319d5f80200b849332945dc1722d078ad60f41aec5b9"
            "030e 3 4 0 268")

    def test_cora(self):
        g = graph.read_ogb("tests/data/cora", True)
        for spec, line in (
                (Ppr(32, 11),
                 "2 0 66125a12dcffb99841ca0d676c3489fbb08685f043df268d67d77d53"
                 "6155ff2a 32 678 0 3913920"),
                (Ppr(16, 11, 0.25, 0.001),
                 "2 0 582b8f0d8d9c5236eb0e6c43c26a7c91bcf8cb3d9a1d2818fe289147"
                 "dbcd26a9 32 389 0 2244556")):
            loader = Loader(g, g.split(graph.NODE, "train"), spec, 32)
            self.assertEqual(loader.line(2, 0), line)

    def test_aifb(self):
        g = graph.read_ogb("tests/data/aifb", True)
        spec = Ppr(5, 11, 0.15, 0.001, "schema",
                   ("schema", "subClassOf", "schema"))
        self.assertEqual(
            Loader(g, [39, 30, 14, 12, 16, 30], spec, 4).line(1, 0),
            "1 0 993b3a2496418d43e1b8e01e7e4461e24ca28c8e208f3b2582e6364e6613"
            "7b0e 4 19 0 528")

    def test_the_linear_system_is_nearly_solved(self):
        """Residuals are all that is missing of the true scores."""
        edges = graph.homogeneous(7, SEVEN_ROWS).edge_types[graph.EDGE]
        step = np.zeros((7, 7))  # from where a walk stands to where it goes
        for v in range(7):
            around = [u for u, _ in edges.in_edges(v)] or [v]
            for u in around:
                step[u, v] += 1 / len(around)
        alpha = 0.25
        exact = alpha * np.linalg.inv(np.eye(7) - (1 - alpha) * step)
        for v in range(7):
            found = scores(edges, v, share(alpha), 1)
            made = np.array([found.get(u, 0) / MASS for u in range(7)])
            self.assertLess(np.abs(exact[:, v] - made).max(), 1e-8)


if __name__ == "__main__":
    unittest.main()
