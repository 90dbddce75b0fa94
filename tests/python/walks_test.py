"""Node2VecLoader and GraphSAINTRandomWalkSampler: what they make of walks, against what a
reader of PyG's sources would make of them by hand."""

import collections
import os
import unittest
import unittest.mock
import warnings

import numpy

import tributary_gnn as tg
from tests.e2e import folders, processes
from tests.python import graphs
from tributary_gnn import _arguments

NODES, STEPS, ROOTS, LENGTH = 60, 5, 6, 3
WINDOW, WALKS, INPUTS = 3, 2, 4

# The loader, arguments, the exception, and what its text says.
REFUSED = [
    ("node2vec", {"walk_length": None}, TypeError, "walk_length and context_size are required"),
    ("node2vec", {"walk_length": 1}, ValueError, "walk_length is 1; allowed: from 2"),
    ("node2vec", {"context_size": 6}, ValueError, "context_size is 6; allowed: 1 to walk_length"),
    ("node2vec", {"num_negative_samples": 0}, ValueError, "num_negative_samples is 0"),
    ("node2vec", {"embedding_dim": 3}, TypeError, "an argument of the model"),
    ("node2vec", {"metapath": "a,b,c"}, TypeError, "tributary_gnn.Loader"),
    ("node2vec", {"input_id": [1]}, TypeError, "the first column of the walks"),
    ("node2vec", {"random_seed": "x"}, ValueError, "random_seed"),
    ("node2vec", {"p": 1000}, ValueError, "p"),
    ("node2vec", {"walk_lenght": 3}, TypeError, "did you mean walk_length?"),
    ("node2vec", {"qqq": 3}, TypeError, "PyG's Node2Vec.loader()"),
    ("saint", {"batch_size": None}, TypeError, "batch_size and walk_length are required"),
    ("saint", {"num_steps": 0}, ValueError, "num_steps is 0"),
    ("saint", {"sample_coverage": -1}, ValueError, "sample_coverage -1"),
    ("saint", {"input_nodes": "train"}, TypeError, "instead: num_steps and random_seed"),
    ("saint", {"sampler": [1]}, TypeError, "instead: num_steps and random_seed"),
    ("saint", {"walk_length": 0}, ValueError, "walk_length"),
    ("saint", {"walk_lengt": 3}, TypeError, "did you mean walk_length?"),
    ("saint", {"q": 0}, ValueError, "q"),
]
NOTED = [
    ("node2vec", {"zero_copy": True}, "made of a copy"),
    ("saint", {"shuffle": "none"}, "drawn at random in any case"),
    ("saint", {"drop_last": True}, "all steps have batch_size walks"),
]


def arrays_of(batch):
    return {name: array.tolist() for name, array in batch.items()}


class WalksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.graph = graphs.columned(folder.name)
        cls.neighbours, cls.edges = cls.read_edges(cls.graph)
        path = [(0, 1), (1, 2), (2, 3)]  # a walk from 3 ends at 0
        cls.path = folders.partition(
            folders.write_ogb(os.path.join(folder.name, "path_source"), 5, path),
            os.path.join(folder.name, "path"), 2)

    @staticmethod
    def read_edges(graph):
        """The neighbours of each node, and the ends of each edge by id."""
        neighbours, edges = collections.defaultdict(set), {}
        with tg.NeighborLoader(graph, [-1], batch_size=NODES, format="numpy") as loader:
            [batch] = loader
        for (source, destination), edge in zip(batch.n_id[batch.edge_index].T.tolist(),
                                               batch.e_id.tolist()):
            neighbours[destination].add(source)
            edges[edge] = source, destination
        return neighbours, edges

    def node2vec(self, **arguments):
        loader = tg.Node2VecLoader(**{
            "data": self.graph, "walk_length": 5, "context_size": WINDOW,
            "walks_per_node": WALKS, "num_negative_samples": 2, "batch_size": INPUTS,
            "format": "numpy", "random_seed": 11, **arguments})
        self.addCleanup(loader.close)
        return loader

    def saint(self, **arguments):
        loader = tg.GraphSAINTRandomWalkSampler(**{
            "data": self.graph, "batch_size": ROOTS, "walk_length": LENGTH, "num_steps": STEPS,
            "format": "numpy", "random_seed": 11, **arguments})
        self.addCleanup(loader.close)
        return loader

    # ---- Node2Vec ----------------------------------------------------------------------

    def windows_by_hand(self, walks, inputs):
        """`walks`: [inputs x WALKS, length], input by input."""
        in_order = [walks[i * WALKS + k] for k in range(WALKS) for i in range(inputs)]
        return [walk[j:j + WINDOW] for j in range(len(walks[0]) + 1 - WINDOW)
                for walk in in_order]

    def test_positive_walks_are_windows_of_the_sessions_walks(self):
        session = {"kind": "walk", "input_nodes": "*", "walk_length": 4, "walks_per_node": WALKS,
                   "batch_size": INPUTS, "shuffle": "none", "random_seed": 11}
        source = self.enterContext(tg.Source(graph=self.graph))
        walks = self.enterContext(tg.Loader(source, session))
        walks.start_epoch(0)
        count = 0
        for positive, _ in self.node2vec():
            expected = walks.next()["walks"].numpy().tolist()
            self.assertEqual(positive.tolist(), self.windows_by_hand(expected, INPUTS))
            for row in positive.tolist():
                for here, there in zip(row, row[1:]):
                    self.assertIn(there, self.neighbours[here])
            count += 1
        self.assertEqual(count, NODES / INPUTS)

    def test_a_walk_stays_where_it_ends(self):
        [(positive, _)] = self.node2vec(data=self.path, input_nodes=[3, 4], context_size=5)
        self.assertEqual(positive.tolist(), [[3, 2, 1, 0, 0], [4] * 5] * WALKS)

    def test_negative_walks_begin_where_positive_ones_do(self):
        seen = numpy.zeros(NODES, int)
        for positive, negative in self.node2vec():
            self.assertEqual((negative.dtype, negative.shape),
                             (numpy.int64, (2 * len(positive), WINDOW)))
            starts = positive[:INPUTS * WALKS, 0].tolist()
            self.assertEqual(negative[:2 * INPUTS * WALKS, 0].tolist(), starts * 2)
            seen += numpy.bincount(negative[:, 1:].ravel(), minlength=NODES)
        # 60 nodes, drawn 720 windows x 2 times: each is expected to be seen 24 times or more.
        self.assertGreater(seen.min(), 0)

    def test_they_are_drawn_by_seed_epoch_and_index(self):
        def negatives(epoch=3, **arguments):
            loader = self.node2vec(**arguments)
            loader.set_epoch(epoch)
            return [negative.tolist() for _, negative in loader]
        drawn = negatives()
        self.assertEqual(drawn, negatives())
        for other in (negatives(4), negatives(random_seed=12)):
            self.assertNotEqual(drawn[0], other[0])
        self.assertNotEqual(*[[row[1:] for row in rows] for rows in drawn[:2]])
        shares = [negatives(rank=rank, world_size=2) for rank in range(2)]
        self.assertEqual([shares[i % 2][i // 2] for i in range(len(drawn))], drawn)

    def test_arguments_of_walks(self):
        """With q = 100 and p = 0.01 walks go back and forth, where they can."""
        back = sum(int((positive[:, 0] == positive[:, 2]).sum())
                   for positive, _ in self.node2vec(p=0.01, q=100))
        some = sum(int((positive[:, 0] == positive[:, 2]).sum())
                   for positive, _ in self.node2vec())
        self.assertGreater(back, 2 * some)
        starts = [positive[0, 0] for positive, _ in self.node2vec(
            input_nodes=[5, 9, 2], batch_size=1)]
        self.assertEqual(starts, [5, 9, 2])

    # ---- GraphSAINT --------------------------------------------------------------------

    def test_a_step_is_the_subgraph_of_its_walks(self):
        steps = list(self.saint())
        self.assertEqual([step.index for step in steps], list(range(STEPS)))
        self.assertEqual([step.epoch for step in steps], [0] * STEPS)
        for step in steps:
            nodes = step.n_id.tolist()
            self.assertEqual(nodes, sorted(set(nodes)))
            self.assertTrue(ROOTS <= len(nodes) <= ROOTS * (LENGTH + 1), len(nodes))
            inside = {edge for edge, ends in self.edges.items() if set(ends) <= set(nodes)}
            self.assertEqual(set(step.e_id.tolist()), inside)
            self.assertEqual(len(step.e_id), len(inside))
            for ends, edge in zip(step.n_id[step.edge_index].T.tolist(), step.e_id.tolist()):
                self.assertEqual(tuple(ends), self.edges[edge])
            self.assertEqual(set(step), {"n_id", "x", "edge_index", "e_id"})
            # All but the roots are reached: a step of a walk leads to a neighbour.
            reached = {there for here in nodes for there in self.neighbours[here]}
            self.assertLessEqual(len(set(nodes) - reached), ROOTS)

    def test_a_walk_that_ends_is_shorter(self):
        steps = list(self.saint(data=self.path, batch_size=4, num_steps=20))
        self.assertTrue(any(len(step.n_id) < 5 for step in steps))
        for step in steps:
            self.assertTrue(set(step.n_id.tolist()) <= set(range(5)))

    def test_epochs_differ_and_are_repeated(self):
        loader = self.saint()
        epochs = [[arrays_of(step) for step in loader] for _ in range(2)]
        self.assertNotEqual(*epochs)
        loader.set_epoch(0)
        self.assertEqual([arrays_of(step) for step in loader], epochs[0])
        self.assertEqual([arrays_of(step) for step in self.saint()], epochs[0])
        other = [arrays_of(step) for step in self.saint(random_seed=12)]
        self.assertNotEqual(other, epochs[0])

    def test_ranks_share_the_steps(self):
        whole = [arrays_of(step) for step in self.saint()]
        for world in (2, 3, 7):
            shares = [self.saint(rank=rank, world_size=world) for rank in range(world)]
            steps = {}
            for share in shares:
                given = {step.index: arrays_of(step) for step in share}
                self.assertEqual(len(given), len(share))
                steps.update(given)
            self.assertEqual([steps[index] for index in range(STEPS)], whole)

    def test_another_number_of_ranks_goes_on(self):
        whole = [arrays_of(step) for step in self.saint()]
        loader = self.saint(rank=0, world_size=2)
        next(iter(loader))  # so that each of two has given one
        state = loader.state_dict()
        for world in (1, 2, 4):
            steps = {}
            for rank in range(world):
                resumed = self.saint(rank=rank, world_size=world)
                resumed.load_state_dict(state)
                steps.update((step.index, arrays_of(step)) for step in resumed)
                following = [step.epoch for step in resumed]
                self.assertEqual(following, [1] * len(resumed))
            self.assertEqual(sorted(steps), [2, 3, 4])
            self.assertEqual([steps[index] for index in (2, 3, 4)], whole[2:])
        with self.assertRaisesRegex(tg.FailedPrecondition, "other options of the walks"):
            self.saint(walk_length=2).load_state_dict(state)

    def test_a_state_without_an_iterator_is_the_next_epochs_beginning(self):
        resumed = self.saint()
        resumed.load_state_dict(self.saint().state_dict())
        self.assertEqual([arrays_of(step) for step in resumed],
                         [arrays_of(step) for step in self.saint()])

    def test_norms_are_pygs(self):
        """As PyG counts: over whole rounds of num_steps, until nodes are covered."""
        loader = self.saint(sample_coverage=4)
        counted = self.saint()
        nodes, edges, samples, epoch = numpy.zeros(NODES), numpy.zeros(600), 0, 0
        while nodes.sum() < 4 * NODES:
            with unittest.mock.patch("tributary_gnn._draws.ROOTS", 2):
                counted.set_epoch(epoch)
                for step in counted:
                    nodes[step.n_id] += 1
                    edges[step.e_id] += 1
                    samples += 1
            epoch += 1
        self.assertEqual(samples % STEPS, 0)
        for step in loader:
            node_norm = samples / numpy.maximum(nodes[step.n_id], 0.1) / NODES
            numpy.testing.assert_allclose(step.node_norm, node_norm, rtol=1e-6)
            self.assertEqual(step.node_norm.dtype, numpy.float32)
            self.assertEqual(step.edge_norm.dtype, numpy.float32)
            for norm, edge in zip(step.edge_norm, step.e_id.tolist()):
                often = nodes[self.edges[edge][0]]
                if edges[edge] == 0:
                    self.assertAlmostEqual(norm, 1e4 if often else 0.1, places=6)
                else:
                    self.assertAlmostEqual(norm, min(often / edges[edge], 1e4), places=4)

    def test_counts_are_kept_in_a_folder(self):
        folder = os.path.join(self.folder, "norms")
        first = [arrays_of(step) for step in self.saint(sample_coverage=2, save_dir=folder)]
        [name] = os.listdir(folder)
        path = os.path.join(folder, name)
        with numpy.load(path) as saved:
            arrays = dict(saved)
        arrays["samples"] *= 2
        numpy.savez(path, **arrays)  # which is seen only if it is read
        second = [arrays_of(step) for step in self.saint(sample_coverage=2, save_dir=folder)]
        numpy.testing.assert_allclose(second[0]["node_norm"],
                                      2 * numpy.array(first[0]["node_norm"]), rtol=1e-6)
        with self.assertRaisesRegex(tg.FailedPrecondition, "counts of another graph"):
            self.saint(sample_coverage=2, save_dir=folder, walk_length=2)

    def test_a_step_too_large_says_what_decides(self):
        with self.assertRaisesRegex(ValueError, "batch_size and walk_length say how many"):
            iter(self.saint(max_scanned_edges=0))

    def test_cancelled(self):
        loader = self.saint()
        loader.cancel()
        with self.assertRaises(tg.Cancelled):
            iter(loader)

    def test_over_servers_and_workers(self):
        whole = [arrays_of(step) for step in self.saint()]
        with processes.Fleet(self.graph, ["0", "all"]) as fleet:
            fleet.doctor()
            for arguments in ({"data": fleet.addresses()}, {"num_workers": 2}):
                with self.subTest(**arguments):
                    loader = self.saint(**arguments)
                    self.assertEqual([arrays_of(step) for step in loader], whole)
                    self.assertEqual(len(list(loader)), STEPS)
                    loader.close()

    # ---- Both --------------------------------------------------------------------------

    def test_a_refusal_says_what_is_allowed(self):
        for name, arguments, kind, text in REFUSED:
            with self.subTest(name, arguments=arguments):
                with self.assertRaises(kind) as caught:
                    getattr(self, name)(**arguments)
                self.assertIn(text, str(caught.exception))

    def test_what_has_no_effect_is_said_once(self):
        for name, arguments, text in NOTED:
            with self.subTest(name, arguments=arguments):
                _arguments._warned.clear()
                with self.assertWarnsRegex(UserWarning, text) as caught:
                    getattr(self, name)(**arguments)
                self.assertEqual(caught.filename, __file__)
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    getattr(self, name)(**arguments)


if __name__ == "__main__":
    unittest.main()
