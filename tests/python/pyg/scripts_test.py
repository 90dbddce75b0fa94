"""The scripts of examples/python train over two local servers to an accuracy, in one process
and with two ranks under torchrun."""

import os
import unittest

import tributary_gnn as tg
from tests.e2e import folders, processes
from tests.python import graphs
from tests.python.pyg import train_test

TYPED = "examples/python/typed_graph.py"
TEMPORAL = "examples/python/temporal_links.py"
MESSAGES = "tests/data/collegemsg"


class ScriptsTest(unittest.TestCase):
    """Each figure that is wanted is below what three seeds reach (docs/python.md)."""

    def servers(self, partition):
        """The addresses of two servers of the graph that `partition` writes to a folder."""
        folder = self.enterContext(processes.temporary_folder())
        return self.enterContext(tg.serve(partition(folder), num_servers=2)).servers

    def expect(self, wanted, script, *words):
        for run in (train_test.run, train_test.torchrun):
            with self.subTest(run.__name__):
                output = run(script, *words)
                [reached] = train_test.LINE.findall(output)
                print(script, run.__name__, output, end="", flush=True)
                self.assertGreater(float(reached), wanted, output)

    def test_a_typed_graph(self):
        self.expect(0.8, TYPED, self.servers(graphs.aifb), "--epochs", "15")

    def test_a_temporal_graph(self):
        def partition(folder):
            return folders.partition(MESSAGES, os.path.join(folder, "messages"), 2, "metis",
                                     "--edge-time", "edge-time", "--edge-splits", "time",
                                     "--add-reverse")
        self.expect(0.75, TEMPORAL, self.servers(partition), f"{MESSAGES}/raw", "--epochs", "2")


if __name__ == "__main__":
    unittest.main()
