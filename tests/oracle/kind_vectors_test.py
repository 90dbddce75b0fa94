"""The oracle's PPR and layers against the vectors of docs/sampling.md."""

import unittest

import numpy as np

from tests.oracle import digest, graph
from tests.oracle.layerwise_batch import Layerwise
from tests.oracle.loader import Loader
from tests.oracle.ppr_batch import MASS, Ppr, scores, share


class PprTest(unittest.TestCase):
    def batch(self, **options):
        return Loader(graph.homogeneous(7, graph.SEVEN_ROWS), [0, 3, 1, 6],
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
        edges = graph.homogeneous(7, graph.SEVEN_ROWS).edge_types[graph.EDGE]
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


class LayerwiseTest(unittest.TestCase):
    def batch(self, *layers, **options):
        return Loader(graph.homogeneous(7, graph.SEVEN_ROWS), [0, 3, 1, 6],
                      Layerwise(list(layers), 7, **options), 3).batch(0, 0)

    def test_two_layers(self):
        b = self.batch(2, 2)
        self.assertEqual(b["n_id"].tolist(), [3, 6, 1, 0])
        self.assertEqual(b["e_id"].tolist(), [10, 5, 6, 10, 5, 6, 2])
        # Layer of 3 nodes, scale 2^60: of 0 2 4 (d = 3) and 3 0 (d = 2), 0 and
        # 3 are drawn; 3 > 1 weighs 1 / q(3), 0 > 1 weighs 1 / q(0).
        inverse = [1 / (2**60 // 4 + 0), 1 / (2**60 // 9 + 2**60 // 4)]
        self.assertEqual(sorted(b["edge_weight"][1:3].tolist()), sorted(
            float(np.float32(g / sum(inverse))) for g in inverse))
        self.assertEqual(
            digest.line(0, 0, b),
            "0 0 03f0f59f21c66298b00044b6972186868d39dd2a53339496ae225da3e314"
            "470e 3 4 7 256")

    def test_uniform(self):
        self.assertEqual(
            digest.line(0, 0, self.batch(2, 1, uniform=True)),
            "0 0 9935953c384aa9f8c7a1557d1cdbac104af82a98f64fca44e577bb1ad23c"
            "d7a7 3 5 5 224")

    def test_fastgcn(self):
        b = self.batch(3, 4, fastgcn=True)
        self.assertEqual(b["n_id"].tolist(), [3, 6, 1, 0, 2])
        self.assertEqual(b["e_id"].tolist(), [10, 5, 6, 11, 0, 1, 4])
        # Of 3's edges both drew 0; edges 0 1 4 lead from 1 (out-degree 2), 2
        # (2) and 2, of which 1 was drawn three times as often.
        self.assertEqual(b["edge_weight"].tolist()[4:], [
            float(np.float32(w)) for w in (0.6, 0.2, 0.2)])
        self.assertEqual(
            digest.digest(b),
            "2fdba2db8d07094b82739c511e8dcb10c6445c0a9dc925a8c0e5dce4be7615f5")

    def test_more_than_there_are(self):
        b = self.batch(50)
        self.assertEqual(b["edge_weight"].tolist(),
                         [float(np.float32(1 / 3))] * 3 + [0.5] * 2)
        self.assertEqual(
            digest.line(0, 0, b),
            "0 0 1b63430ca442a89cc3634c95620696fcc232678355595f0f41ce210464e9"
            "ba48 3 5 5 208")

    def test_cora(self):
        g = graph.read_ogb("tests/data/cora", True)
        for spec, line in (
                (Layerwise([64, 128], 11, fastgcn=True),
                 "2 0 5e2c95e41d937fcacca8bed453e248dc99e94cb919c6237ee3e4ea81"
                 "4acdf20b 32 55 58 317732"),
                (Layerwise([64, 64], 11),
                 "2 0 a61b72588e499768eaa1aa541c725029451e8a0325b59de94ed3e97f"
                 "8c713e27 32 121 362 703180"),
                (Layerwise([512, 256, 64], 11),
                 "2 0 e36a8c7d28ade61301d7bc367e34b4b4b66168bf9242f96a64264467"
                 "d3380b66 32 294 1786 1726080"),
                (Layerwise([64, 64], 11, True),
                 "2 0 7754c0d8f5fdaff9bb90e7b8f8eb3c75d6293a6b002f63f6deb3315e"
                 "c25ca73d 32 152 290 879928")):
            loader = Loader(g, g.split(graph.NODE, "train"), spec, 32)
            self.assertEqual(loader.line(2, 0), line)

    def test_aifb(self):
        g = graph.read_ogb("tests/data/aifb", True)
        spec = Layerwise([5, 3], 11, False, "schema",
                         ("schema", "subClassOf", "schema"))
        self.assertEqual(
            Loader(g, [39, 30, 14, 12, 16, 30], spec, 4).line(1, 0),
            "1 0 31b719d2ee38d4eb60d1be589419f550f6f3c0f15b1aa9366f9612d89caf"
            "9a4c 4 10 8 336")


if __name__ == "__main__":
    unittest.main()
