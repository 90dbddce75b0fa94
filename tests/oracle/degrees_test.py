"""Degrees of a batch's nodes against the vectors of docs/sampling.md."""

import unittest

from tests.oracle import digest, graph
from tests.oracle.layerwise_batch import Layerwise
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec
from tests.oracle.walk_batch import Walk

# Of the graph of seven nodes, by node.
IN = [5, 2, 1, 3, 0, 1, 0]
OUT = [2, 2, 2, 2, 2, 2, 0]


class DegreesTest(unittest.TestCase):
    def batch(self, spec):
        made = Loader(graph.homogeneous(7, graph.SEVEN_ROWS), [0, 3, 1, 6],
                      spec, 3, collect_degrees=True).batch(0, 0)
        nodes = made["n_id"].tolist()
        if "e_id" in made:
            self.assertEqual(made["in_degree"].tolist(),
                             [IN[v] for v in nodes])
            self.assertEqual(made["out_degree"].tolist(),
                             [OUT[v] for v in nodes])
        return made

    def test_vector(self):
        made = self.batch(Spec([2, 2], seed=7))
        self.assertEqual(made["n_id"].tolist(), [3, 6, 1, 0, 2])
        self.assertEqual(made["in_degree"].tolist(), [3, 0, 2, 5, 1])
        self.assertEqual(made["out_degree"].tolist(), [2, 0, 2, 2, 2])
        self.assertEqual(
            digest.line(0, 0, made),
            "0 0 b53fc23c811680b5e52436d163406dcb623f08b56e551fbad07b5b2b5da3"
            "9a93 3 5 6 300")

    def test_whatever_is_sampled(self):
        for spec in (Spec([1], seed=7), Spec([2, 2], seed=7, disjoint=True),
                     Spec([2, 2], seed=7, edge_dir="out"),
                     Spec([2, 2], seed=7, edge_dir="both"),
                     Spec([2, 2], seed=7, subgraph="induced"),
                     Layerwise([2, 2], 7)):
            self.batch(spec)

    def test_batches_without_edges_have_none(self):
        self.assertNotIn("in_degree", self.batch(Walk(3, 7)))

    def test_types(self):
        made = Loader(graph.small_typed(), [0, 3, 1, 2],
                      Spec([2, 2], seed=7, input_type="a"), 3,
                      collect_degrees=True).batch(0, 0)
        self.assertEqual(made["n_id/a"].tolist(), [3, 2, 1, 0])
        self.assertEqual(made["n_id/b"].tolist(), [0, 2, 1])
        # a,r,b: 0>0 1>0 2>1 3>1 0>2.
        self.assertEqual(made["in_degree/a__r__b"].tolist(), [2, 1, 2])
        self.assertEqual(made["out_degree/a__r__b"].tolist(), [1, 1, 1, 2])
        # b,s,a: 0>0 1>1 2>2 2>3 0>3.
        self.assertEqual(made["in_degree/b__s__a"].tolist(), [2, 1, 1, 1])
        self.assertEqual(made["out_degree/b__s__a"].tolist(), [2, 2, 1])
        self.assertEqual(
            digest.line(0, 0, made),
            "0 0 8c097f487cf865621a68e22f1afdb9d11afa9515b5263a530313fdb2c458"
            "87a7 3 7 14 596")


if __name__ == "__main__":
    unittest.main()
