"""The scripts of examples/python train over two local servers to an accuracy, in one process
and with two ranks under torchrun."""

import os
import unittest

import torch

import tributary_gnn as tg
from examples.python import link_model
from tests.e2e import folders, processes
from tests.python import graphs
from tests.python.pyg import part_of_ddi, train_test

TYPED = "examples/python/typed_graph.py"
LINKS = "examples/python/link_prediction.py"
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

    def test_links(self):
        """With negatives that are drawn in place of OGB's the same model is at 0."""
        self.expect(0.05, LINKS, self.servers(lambda folder: part_of_ddi.partition(folder)[0]),
                    "--scheme", "only", "--hidden", "64", "--num-neighbors", "10", "1",
                    "--batch-size", "512", "--epochs", "5")

    def test_a_temporal_graph(self):
        def partition(folder):
            return folders.partition(MESSAGES, os.path.join(folder, "messages"), 2, "metis",
                                     "--edge-time", "edge-time", "--edge-splits", "time",
                                     "--add-reverse")
        self.expect(0.75, TEMPORAL, self.servers(partition), f"{MESSAGES}/raw", "--epochs", "2")


class HitsTest(unittest.TestCase):
    NEGATIVE = torch.tensor([0.0, 2.0, 1.0])

    def test_links_above_the_kth_best_negative_count(self):
        links = torch.tensor([3.0, 2.0, 1.0, 0.5])  # one is as good as the second best
        self.assertEqual(link_model.hits_at(2, links, self.NEGATIVE), 0.5)
        self.assertEqual(link_model.hits_at(1, links, self.NEGATIVE), 0.25)

    def test_too_few_negatives_are_refused(self):
        with self.assertRaisesRegex(ValueError, "hits@4 of 3 negatives; allowed: at least 4"):
            link_model.hits_at(4, self.NEGATIVE, self.NEGATIVE)


if __name__ == "__main__":
    unittest.main()
