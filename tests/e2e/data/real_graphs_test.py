"""Each graph of tests/data, cut by each method: `verify` finds in the folder what
is in the input, and contents and batches do not depend on the cut."""

import os
import re
import unittest

from tests.e2e import processes, sampling

DATA = "tests/data"
METHODS = ("random", "metis", "ldg")
GRAPHS = {  # nodes and edges as each README counts them, flags, inputs of batches
    "aifb": (8_285, 2 * 29_043, ["--add-reverse"], "person:train"),
    "citeseer": (3_327, 9_104, [], "train"),
    "collegemsg": (1_899, 59_835, ["--edge-time", "edge-time",
                                   "--edge-splits", "time"], "*"),
    "cora": (2_708, 10_556, [], "train"),
    "fb15k-237": (14_541, 272_115, [], "entity:*"),
    "ogbl-ddi": (4_267, 2 * 1_067_911, ["--add-reverse"], "*"),
    "tolokers": (11_758, 1_038_000, [], "0/train"),
}


class RealGraphsTest(unittest.TestCase):
    def test_no_graph_is_left_out(self):
        self.assertEqual(sorted(name for name in os.listdir(DATA)
                                if os.path.isdir(os.path.join(DATA, name))),
                         sorted(GRAPHS))

    def test_each_graph_by_each_method(self):
        for name, (nodes, edges, flags, inputs) in GRAPHS.items():
            contents, batches = set(), []
            for method in METHODS:
                with self.subTest(graph=name, method=method), \
                        processes.temporary_folder() as folder:
                    graph = os.path.join(folder, "graph")
                    content = self.partition(name, method, graph, flags, nodes, edges)
                    contents.add(content)
                    batches.append(sampling.lines(
                        graph, inputs=inputs, fanouts="3,2", batches="0:2"))
            with self.subTest(graph=name):
                self.assertEqual(len(contents), 1)
                self.assertEqual(len(batches[0]), 2)
                self.assertEqual(batches, batches[:1] * len(METHODS))

    def partition(self, name, method, graph, flags, nodes, edges):
        """Cuts the graph into three parts; returns its content digest."""
        source = os.path.join(DATA, name)
        printed = processes.run_ok(
            "partition", "--input", source, "--format", "ogb", "--out", graph,
            "--num-parts", 3, "--method", method, *flags)
        said = re.search(r"nodes=(\d+) edges=(\d+) partitions=3 content=([0-9a-f]{64})",
                         printed)
        self.assertEqual((int(said[1]), int(said[2])), (nodes, edges))
        processes.run_ok("verify", graph, "--against", source, *flags)
        return said[3]


if __name__ == "__main__":
    unittest.main()
