"""The oracle's enclosing subgraphs: the vectors of docs/sampling.md, and numpy's
boolean matrices."""

import unittest

import numpy as np

from tests.oracle import digest, graph
from tests.oracle.link_batch import Links, double_radius
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec


def seal(fanouts, seed):
    return Links(Spec(fanouts, seed, subgraph="induced", disjoint=True),
                 enclosing=True)


def cora_links(cora):
    edges = cora.edge_types[graph.EDGE].edges
    return ([(u, v) for u, v, _ in edges[:4000:200]] +
            [(i * 31 % 2708, i * 77 % 2708) for i in range(20)])


class EnclosingTest(unittest.TestCase):
    def test_labels(self):
        """As the SEAL paper lists them."""
        pairs = [(1, 1), (1, 2), (1, 3), (2, 2), (1, 4), (2, 3)]
        self.assertEqual([double_radius(x, y) for x, y in pairs],
                         [2, 3, 4, 5, 6, 7])

    def test_seven_nodes(self):
        links = [(0, 3, 1), (3, 1, 1), (1, 6, 0), (5, 5, 1)]
        b = Loader(graph.homogeneous(7, graph.SEVEN_ROWS), links,
                   seal([-1, -1], 7), 4, False).batch(0, 0)
        self.assertEqual(b["z"].tolist(), [1, 1, 1, 1, 1, 1, 1, 2, 0, 2, 2, 3,
                                           0, 0, 0, 5, 0, 0])
        self.assertEqual(b["e_id"].tolist(),
                         [0, 1, 4, 3, 10, 9, 5, 6, 11, 9, 5, 5, 6, 7, 0, 1, 4,
                          2, 3, 0, 1, 4, 2, 3, 10, 11, 9, 8])
        self.assertEqual(
            digest.digest(b),
            "e1ceb56cf5fab3ed089bbf1baa3b3c4ace8c324f6b5d0e1e6b8a542a267d1b27")

    def test_cora(self):
        cora = graph.read_ogb("tests/data/cora", True)
        made = Loader(cora, cora_links(cora), seal([-1, -1], 11), 40, False)
        self.assertEqual(
            made.line(2, 0),
            "2 0 3ff976521a5aa853afc6016de150810d8dd7da8c74f348533b37c3ebbe5b"
            "99a7 40 3024 21792 17779672")

    def test_labels_are_numpys(self):
        """Reached in k steps: powers of the adjacency matrix without a node."""
        cora = graph.read_ogb("tests/data/cora", True)
        links = cora_links(cora)
        b = Loader(cora, links, seal([-1, -1], 11), 40, False).batch(2, 0)
        for i, (source, destination) in enumerate(links):
            inside = np.nonzero(b["batch"] == i)[0]
            place = {node: p for p, node in enumerate(inside)}
            beside = np.zeros((len(inside), len(inside)), bool)
            for u, v in b["edge_index"].T:
                if u in place:
                    beside[place[u], place[v]] = beside[place[v],
                                                        place[u]] = True
            ends = [place[node] for node in b["edge_label_index"][:, i]]
            self.assertEqual([b["n_id"][inside[p]] for p in ends],
                             [source, destination])
            self.assertFalse(beside[ends[0], ends[1]])
            away = []
            for start, other in (ends, ends[::-1]):
                without = beside.copy()
                if start != other:
                    without[other] = without[:, other] = False
                steps = np.full(len(inside), -1)
                reached = np.zeros(len(inside), bool)
                reached[start] = True
                for step in range(len(inside)):
                    if not (reached & (steps < 0)).any():
                        break
                    steps[reached & (steps < 0)] = step
                    reached = without[reached].any(axis=0)
                away.append(steps)
            expected = [
                1 if p in ends else 0 if x < 0 or y < 0 else
                double_radius(int(x), int(y))
                for p, (x, y) in enumerate(zip(*away))]
            self.assertEqual(b["z"][inside].tolist(), expected)


if __name__ == "__main__":
    unittest.main()
