"""The scripts of examples/python train over two local servers to an accuracy, in one process
and with two ranks under torchrun."""

import argparse
import os
import sys
import unittest
import unittest.mock

import torch

import tributary_gnn as tg
from examples.python import link_model
from tests.e2e import folders, processes
from tests.python import graphs
from tests.python.pyg import edge_labels, part_of_ddi, train_test

TYPED = "examples/python/typed_graph.py"
LINKS = "examples/python/link_prediction.py"
TEMPORAL = "examples/python/temporal_links.py"
EDGES = "examples/python/edge_tasks.py"
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

    def test_classes_of_edges(self):
        """The most frequent class has a fifth of the test edges."""
        rows = edge_labels.relations()
        test = [label for split, _, label in rows if split == "test"]
        majority = max(map(test.count, set(test))) / len(test)
        self.assertLess(majority, 0.25)
        self.expect(0.95, EDGES, self.servers(lambda folder: edge_labels.partition(folder, rows)),
                    "--task", "classification", "--epochs", "1")

    def test_values_of_edges(self):
        """The mean value has an R^2 of 0, by definition."""
        rows = edge_labels.first_days()
        self.expect(0.45, EDGES, self.servers(lambda folder: edge_labels.partition(folder, rows)),
                    "--task", "regression", "--epochs", "4")


class EdgeLoadersTest(unittest.TestCase):
    """What edge_tasks.py reads of a graph whose label is the edge's row: batches have the labels
    of their own links, and neither these edges nor their reverse, nor any label."""

    EDGES = [(k % 7, 7 + k % 5) for k in range(35)]

    def options(self, exclude):
        folder = self.enterContext(processes.temporary_folder())
        rows = [(edge_labels.SPLITS[k % 3], edge, k) for k, edge in enumerate(self.EDGES)]
        return argparse.Namespace(
            graph=edge_labels.partition(folder, rows), scheme="only", exclude=exclude,
            num_neighbors=[-1, -1], batch_size=4, seed=1)

    def test_labels_and_excluded_edges(self):
        with unittest.mock.patch.object(sys, "path", ["examples/python", *sys.path]):
            import edge_tasks
        for exclude in ("none", "self", "reverse_id"):
            options = self.options(exclude)
            for loader, labels in zip(edge_tasks.open_loaders(options),
                                      edge_tasks.read_labels(options)):
                for batch in loader:
                    self.expect_labels(batch, labels[batch.input_id].tolist())
                    self.expect_excluded(exclude, batch, labels[batch.input_id])

    def expect_labels(self, batch, labels):
        self.assertNotIn("edge_attr", batch)
        ends = batch.n_id[batch.edge_label_index].T.tolist()
        self.assertEqual([list(self.EDGES[int(row)]) for row in labels], ends)

    def expect_excluded(self, exclude, batch, rows):
        """Row r of the edges is edge 2 r, and its reverse 2 r + 1."""
        sampled = set(batch.e_id.tolist())
        own = {int(2 * row) for row in rows}
        reverse = {edge + 1 for edge in own}
        self.assertEqual(bool(own & sampled), exclude == "none")
        self.assertEqual(bool(reverse & sampled), exclude != "reverse_id")


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
