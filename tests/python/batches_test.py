"""Batches in Python are those of `tributary sample`, in every mode: their digests are
computed here from the arrays, by a second reading of docs/sampling.md."""

import unittest

import tributary_gnn as tg
from tests.e2e import processes, sampling
from tests.oracle import digest
from tests.python import graphs


def lines_of(source, session, epoch=2):
    """What `tributary sample` would print of the epoch, from arrays; and the library's
    own digests."""
    lines, digests = [], []
    with tg.Loader(source, session) as loader:
        loader.start_epoch(epoch)
        while (batch := loader.next()) is not None:
            arrays = {tensor.name: tensor.numpy() for tensor in batch.tensors()}
            lines.append(digest.line(batch.epoch, batch.index, arrays))
            digests.append(batch.digest())
    return lines, digests


class BatchesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.cora = graphs.cora(folder.name)
        cls.aifb = graphs.aifb(folder.name)

    def expect_batches(self, graph, session, expected):
        for mode in ("collocated", "mp", "remote"):
            with self.subTest(mode=mode), graphs.source(mode, graph) as source:
                lines, digests = lines_of(source, session)
                self.assertEqual(lines, expected)
                self.assertEqual(digests, [line.split()[2] for line in expected])

    def test_of_a_homogeneous_graph(self):
        expected = sampling.lines(self.cora)
        self.assertEqual(len(expected), 5)
        self.expect_batches(self.cora, {"input_nodes": "train", "num_neighbors": [10, 5],
                                        "batch_size": 32, "random_seed": 11}, expected)

    def test_of_a_typed_graph(self):
        fanouts = "4,3;publication,author,person=2,0"
        expected = sampling.lines(self.aifb, inputs="person:train", fanouts=fanouts)
        self.assertGreater(len(expected), 1)
        self.expect_batches(self.aifb, {
            "input_nodes": "person:train", "batch_size": 32, "random_seed": 11,
            "num_neighbors": {"default": [4, 3], "publication,author,person": [2, 0]},
        }, expected)

    def test_of_other_kinds(self):
        expected = sampling.lines(self.cora, inputs="valid", fanouts=None, batch_size=100,
                                  flags=("--kind", "walk", "--walk-length", 6))
        with graphs.source("collocated", self.cora) as source:
            self.assertEqual(lines_of(source, {
                "kind": "walk", "input_nodes": "valid", "walk_length": 6, "batch_size": 100,
                "random_seed": 11})[0], expected)

    def test_ranks_share_an_epoch(self):
        expected = sampling.lines(self.cora)
        with graphs.source("collocated", self.cora) as source:
            loaders = [tg.Loader(source, {"input_nodes": "train", "num_neighbors": [10, 5],
                                          "batch_size": 32, "random_seed": 11},
                                 rank=rank, world=2) for rank in range(2)]
            for rank, loader in enumerate(loaders):
                loader.start_epoch(2)
                found = []
                while (batch := loader.next()) is not None:
                    found.append((batch.index, batch.digest()))
                self.assertEqual(loader.sizes().num_batches, 5)
                self.assertEqual(found, [(i, line.split()[2]) for i, line in
                                         enumerate(expected)][rank::2])


if __name__ == "__main__":
    unittest.main()
