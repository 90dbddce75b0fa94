"""The oracle against the vectors of edge_dir that docs/sampling.md states."""

import unittest

from tests.oracle import digest, graph
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec


class SevenNodesTest(unittest.TestCase):
    def batch(self, edge_dir, inputs, fanouts, shuffle):
        return Loader(graph.homogeneous(7, graph.SEVEN_ROWS), inputs,
                      Spec(fanouts, seed=7, edge_dir=edge_dir), 3,
                      shuffle).batch(0, 0)

    def test_out(self):
        b = self.batch("out", [0, 3, 1, 6], [2, 2], True)
        self.assertEqual(b["n_id"].tolist(), [3, 6, 1, 0])
        self.assertEqual(b["e_id"].tolist(), [2, 6, 0, 11, 5, 10])
        self.assertEqual(b["edge_index"].tolist(),
                         [[0, 0, 2, 2, 3, 3], [3, 2, 3, 0, 2, 0]])
        self.assertEqual(
            digest.digest(b),
            "5e1cd849e2779e72a6d833208ed2584136826dbaae78cfb0959bcbc0ed6f4eb3")

    def test_both(self):
        b = self.batch("both", [0, 3, 1, 6], [2, 2], True)
        self.assertEqual(b["e_id"].tolist(),
                         [10, 11, 5, 6, 2, 6, 0, 11, 1, 2, 5, 10])
        self.assertEqual(b["num_sampled_edges"].tolist(), [8, 4])
        self.assertEqual(
            digest.digest(b),
            "a9dae80f5190c43da53bc895269f862a8f21746b5226f48ed80e1598abcb3c71")

    def test_a_self_loop_comes_once(self):
        b = self.batch("both", [5, 0, 2], [-1], False)
        self.assertEqual(b["e_id"].tolist(),
                         [8, 0, 1, 4, 2, 3, 7, 7, 5, 10, 1, 4])
        self.assertEqual(b["edge_index"].tolist(),
                         [[0, 3, 2, 2, 4, 5, 0, 0, 1, 1, 2, 2],
                          [0, 1, 1, 1, 1, 1, 2, 2, 3, 4, 1, 1]])
        self.assertEqual(
            digest.digest(b),
            "a84f690d9ed1a20034b2e68836972fa4b880ce238b879135ad6d42baaa53a515")
        b = self.batch("out", [5, 0, 2], [-1], False)
        self.assertEqual(b["e_id"].tolist(), [7, 8, 5, 10, 1, 4])


class RealGraphsTest(unittest.TestCase):
    def line(self, made, inputs, spec, batch_size, epoch):
        return Loader(made, inputs, spec, batch_size).line(epoch, 0)

    def test_cora(self):
        cora = graph.read_ogb("tests/data/cora")
        train = cora.split(graph.NODE, "train")
        for edge_dir, expected in {
            "out": "07016810f723342ca07f4626eae355b1844e30fb2d5d1f660ef8c1ef"
                   "ab53c4b0 32 357 566 2061524",
            "both": "ae96d8a522a5b9a94e222dd900f7695d703b99182f17568e1902442"
                    "1423f2c5d 32 418 1132 2421208"}.items():
            spec = Spec([10, 5], 11, edge_dir=edge_dir)
            self.assertEqual(self.line(cora, train, spec, 32, 2),
                             "2 0 " + expected)

    def test_aifb(self):
        aifb = graph.read_ogb("tests/data/aifb", True)
        persons = aifb.split("person", "train")
        for edge_dir, expected in {
            "out": "dde22317346321891cfb456a56afee1d3a15a440deb02b23ba9cc08e"
                   "a2319ece 16 925 2489 50624",
            "both": "52c45f03da34bcdc66b8b95e9a0d003643705c0b4c4c59c854c05a7"
                    "4f97ad5a5 16 921 2489 49568"}.items():
            spec = Spec([4, 3], 11, "person", edge_dir=edge_dir)
            self.assertEqual(self.line(aifb, persons, spec, 16, 1),
                             "1 0 " + expected)


if __name__ == "__main__":
    unittest.main()
