"""NeighborLoader over several epochs: iterators, lengths, ranks, and states as
torchdata's StatefulDataLoader has them."""

import json
import os
import pickle
import sys
import types
import unittest
import warnings
from unittest import mock

import numpy

import tributary_gnn as tg
from tests.e2e import processes, sampling
from tests.oracle import digest
from tests.python import graphs
from tributary_gnn import _arguments


def places(batches):
    return [(batch.epoch, batch.index) for batch in batches]


def whole(epoch, batches=5):
    return [(epoch, index) for index in range(batches)]


class EpochsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.cora(folder.name)
        cls.other = graphs.columned(folder.name)

    def open(self, data=None, **arguments):
        loader = tg.NeighborLoader(data or self.graph, **{
            "num_neighbors": [3, 2], "input_nodes": "train", "batch_size": 32, "shuffle": True,
            "collect": "y", "random_seed": 7, "format": "numpy",
            **arguments})
        self.addCleanup(loader.close)
        return loader

    # ---- Iterators ---------------------------------------------------------------------

    def test_each_iter_begins_the_next_epoch(self):
        loader = self.open()
        self.assertEqual(len(loader), 5)
        for epoch in range(3):
            self.assertEqual(places(loader), whole(epoch))
        loader.set_epoch(7)
        self.assertEqual(places(loader), whole(7))
        self.assertEqual(places(loader), whole(8))

    def test_a_trace_file_has_a_line_for_each_batch(self):
        with processes.temporary_folder() as folder:
            path = os.path.join(folder, "spans.jsonl")
            traced = places(self.open(trace_file=path))
            self.assertEqual(traced, whole(0))
            with open(path, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            self.assertEqual(len(lines), len(traced))
            ids = set()
            for line, (epoch, index) in zip(lines, traced):
                [root] = [span for part in line["resourceSpans"]
                          for scope in part["scopeSpans"] for span in scope["spans"]
                          if not span.get("parentSpanId")]
                said = {a["key"]: list(a["value"].values())[0] for a in root["attributes"]}
                self.assertEqual((said["tributary.job"], int(said["tributary.epoch"]),
                                  int(said["tributary.index"])), ("default", epoch, index))
                ids.add(root["traceId"])
            self.assertEqual(len(ids), len(lines))

    def test_an_order_of_its_own_for_each_epoch(self):
        first, second = ([batch.input_id.tolist() for batch in self.open()] for _ in range(2))
        self.assertEqual(first, second)
        loader = self.open()
        self.assertEqual([batch.input_id.tolist() for batch in loader], first)
        self.assertNotEqual([batch.input_id.tolist() for batch in loader], first)

    def test_a_break_leaves_the_epoch(self):
        loader = self.open()
        for batch in loader:
            break
        self.assertEqual((batch.epoch, batch.index), (0, 0))
        self.assertEqual(places(loader), whole(1))

    def test_an_exception_in_the_body_leaves_the_epoch(self):
        loader = self.open()
        with self.assertRaises(ZeroDivisionError):
            for _ in loader:
                raise ZeroDivisionError
        self.assertEqual(places(loader), whole(1))

    def test_an_iterator_ends_with_the_next(self):
        loader = self.open()
        old = iter(loader)
        next(old)
        new = iter(loader)
        with self.assertRaisesRegex(tg.FailedPrecondition, "epoch 0 has ended"):
            next(old)
        self.assertEqual(places(new), whole(1))
        for _ in range(2):
            with self.assertRaises(StopIteration):
                next(new)

    def test_two_loaders_at_once(self):
        with tg.Source(graph=self.graph) as source:
            pairs = zip(self.open(source), self.open(source, input_nodes="valid", batch_size=100))
            self.assertEqual([(a.index, b.index) for a, b in pairs],
                             [(i, i) for i in range(5)])

    def test_a_closed_loader_says_so(self):
        loader = self.open()
        batches = iter(loader)
        loader.close()
        loader.close()
        for call in (lambda: next(batches), lambda: len(loader), loader.state_dict):
            with self.assertRaisesRegex(tg.FailedPrecondition, "the loader is closed"):
                call()

    # ---- Ranks -------------------------------------------------------------------------

    def test_ranks_share_the_batches(self):
        loaders = [self.open(rank=rank, world_size=3) for rank in range(3)]
        self.assertEqual([len(loader) for loader in loaders], [2, 2, 1])
        self.assertEqual([[batch.index for batch in loader] for loader in loaders],
                         [[0, 3], [1, 4], [2]])
        self.assertEqual(len(self.open(batch_size=140, rank=1, world_size=2)), 0)

    def expect_place(self, rank, world):
        self.assertEqual([batch.index for batch in self.open()], list(range(rank, 5, world)))

    def test_the_dataset_counts_this_ranks_inputs(self):
        for world_size in (1, 2, 3):
            for drop_last in (False, True):
                for inputs in (64, 100, 33):
                    for rank in range(world_size):
                        loader = self.open(input_nodes=list(range(inputs)), rank=rank,
                                           world_size=world_size, drop_last=drop_last)
                        self.assertEqual(len(loader.dataset),
                                         sum(batch.batch_size for batch in loader))
        self.assertEqual((loader.batch_size, loader.drop_last, repr(loader)),
                         (32, True, "NeighborLoader(0 batches, batch_size=32)"))

    def test_ranks_of_torchrun(self):
        with mock.patch.dict(os.environ, RANK="1", WORLD_SIZE="2"):
            self.expect_place(1, 2)
            self.assertEqual(len(self.open(rank=0, world_size=1)), 5)
        with mock.patch.dict(os.environ, RANK="one", WORLD_SIZE="2"):
            with self.assertRaisesRegex(ValueError, "RANK is 'one'"):
                self.open()
        with mock.patch.dict(os.environ, WORLD_SIZE="2"):
            self.expect_place(0, 1)

    def test_ranks_of_torch(self):
        distributed = types.SimpleNamespace(
            is_available=lambda: True, is_initialized=lambda: True,
            get_rank=lambda: 2, get_world_size=lambda: 3)
        torch = types.SimpleNamespace(distributed=distributed)
        with mock.patch.dict(sys.modules, torch=torch), \
                mock.patch.dict(os.environ, RANK="1", WORLD_SIZE="2"):
            self.expect_place(2, 3)
            distributed.is_initialized = lambda: False
            self.expect_place(1, 2)

    def test_a_list_of_inputs_that_ranks_share_is_said(self):
        with mock.patch.dict(os.environ, RANK="1", WORLD_SIZE="2"):
            _arguments._warned.clear()
            with self.assertWarnsRegex(UserWarning, "shared by 2 ranks") as caught:
                self.open(input_nodes=numpy.arange(9))
            self.assertEqual(caught.filename, __file__)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                _arguments._warned.clear()
                self.open(input_nodes="train")
                self.open(input_nodes=numpy.arange(9), rank=1, world_size=2)

    # ---- States ------------------------------------------------------------------------

    def continued(self, state, **arguments):
        loader = self.open(**arguments)
        loader.load_state_dict(pickle.loads(pickle.dumps(json.loads(json.dumps(state)))))
        return loader

    def test_a_state_continues_after_what_was_given(self):
        for given in range(6):
            with self.subTest(given=given):
                loader = self.open()
                loader.set_epoch(3)
                batches = iter(loader)
                for _ in range(given):
                    next(batches)
                continued = self.continued(loader.state_dict())
                self.assertEqual(places(continued), places(batches))
                self.assertEqual(places(continued), whole(4))

    def test_batches_are_the_same_after_it(self):
        expected = sampling.lines(self.graph, fanouts="3,2", seed=7, epoch=0,
                                  flags=("--collect", "y"))
        loader = self.open()
        next(iter(loader))
        self.assertEqual([digest.line(b.epoch, b.index, dict(b))
                          for b in self.continued(loader.state_dict())], expected[1:])

    def test_states_before_the_first_iterator_and_after_the_last_batch(self):
        loader = self.open()
        before = loader.state_dict()
        self.assertEqual(places(loader), whole(0))
        after = loader.state_dict()
        self.assertEqual(places(self.continued(before)), whole(0))
        self.assertEqual(places(self.continued(after)), whole(1))
        loader.set_epoch(5)
        self.assertEqual(places(self.continued(loader.state_dict())), whole(5))
        self.assertEqual(places(loader), whole(5))

    def test_a_state_counts_what_was_given_and_not_what_was_fetched(self):
        loader = self.open(prefetch_size=5)
        batches = iter(loader)
        next(batches)
        state = loader.state_dict()
        self.assertEqual(state["cursor"]["consumed"], 32)
        self.assertEqual(places(self.continued(state)), whole(0)[1:])

    def test_a_state_of_a_continued_epoch(self):
        loader = self.open()
        batches = iter(loader)
        next(batches)
        continued = self.continued(loader.state_dict())
        batches = iter(continued)
        next(batches)
        self.assertEqual(places(self.continued(continued.state_dict())), whole(0)[2:])

    def test_set_epoch_of_the_same_epoch_keeps_what_was_loaded(self):
        loader = self.open()
        next(iter(loader))
        state = loader.state_dict()
        continued = self.continued(state)
        continued.set_epoch(0)
        self.assertEqual(places(continued), whole(0)[1:])
        self.assertEqual(places(continued), whole(1))
        continued = self.continued(state)
        continued.set_epoch(6)
        self.assertEqual(places(continued), whole(6))

    def test_other_ranks_and_batch_sizes_may_continue(self):
        loaders = [self.open(rank=rank, world_size=2) for rank in range(2)]
        for loader in loaders:
            next(iter(loader))
        states = [loader.state_dict() for loader in loaders]
        self.assertEqual(states[0], states[1])
        self.assertEqual(places(self.continued(states[0])), [(0, 2), (0, 3), (0, 4)])
        rest = [batch.batch_size for batch in self.continued(states[0], batch_size=38)]
        self.assertEqual(rest, [38, 38])

    def test_a_batch_that_was_not_given_is_passed_over(self):
        loader = self.open(transform=lambda batch: 1 // (batch.index - 1) or batch.index)
        batches = iter(loader)
        next(batches)
        with self.assertRaises(ZeroDivisionError):
            next(batches)
        self.assertEqual(loader.state_dict()["cursor"]["next_index"], 1)
        next(batches)
        self.assertEqual(loader.state_dict()["cursor"]["next_index"], 3)

    def test_a_state_of_another_order_or_graph_is_refused(self):
        state = self.open().state_dict()
        for arguments, text in (({"random_seed": 8}, "random_seed"),
                                ({"shuffle": False}, "shuffle"),
                                ({"input_nodes": "valid"}, "inputs"),
                                ({"data": self.other}, "graph")):
            with self.subTest(arguments=arguments):
                loader = self.open(**arguments)
                with self.assertRaisesRegex(tg.FailedPrecondition, text):
                    loader.load_state_dict(state)
                self.assertGreater(len(list(loader)), 0)

    def test_what_is_no_state_is_refused(self):
        loader = self.open()
        for state in ({"version": 2}, {"version": 1}, {"epoch": 3},
                      {"version": 1, "finished": False, "cursor": {"epoch": 1}}):
            with self.subTest(state=state), self.assertRaises(ValueError):
                loader.load_state_dict(state)
        loader.load_state_dict({})
        self.assertEqual(places(loader), whole(0))


if __name__ == "__main__":
    unittest.main()
