"""The arguments of LinkNeighborLoader: each makes the batches of its counterpart on the
command line of `tributary sample`, or says why it does not."""

import os
import random
import types
import unittest
import warnings

import numpy

import tributary_gnn as tg
from tests.e2e import folders, processes, sampling
from tests.python import graphs
from tests.python.loading import Enumerator, lines_of

SPLIT = 30


def _rows():
    rng = random.Random(7)
    return [(rng.randrange(60), rng.randrange(60)) for _ in range(500)]


def split_graph(folder):
    """A homogeneous graph with the split of links `train`: its first SPLIT edges."""
    rows = _rows()
    source = folders.write_ogb(
        os.path.join(folder, "source"), 60, rows, splits={"train": rows[:SPLIT]},
        x=[[number] for number in range(60)],
        files={"weight": [1 + number % 3 for number in range(len(rows))],
               "time": [number % 40 for number in range(len(rows))]})
    return folders.partition(source, os.path.join(folder, "graph"), 2, "random",
                             "--edge-weight", "weight", "--edge-time", "time", "--degrees",
                             "--out-edges")


class FromPyg:
    """Stands in for PyG's NegativeSampling."""
    mode = types.SimpleNamespace(value="binary")
    amount = 0.5
    src_weight = dst_weight = None


class Weighted(FromPyg):
    dst_weight = numpy.ones(60)


# Arguments of LinkNeighborLoader, and the flags that mean the same.
SAME = {
    "nothing": ({}, []),
    "none": ({"neg_sampling": "none"}, []),
    "no ratio": ({"neg_sampling_ratio": 0.0}, []),
    "binary": ({"neg_sampling": "binary"}, ["--neg-sampling", "binary"]),
    "triplet": ({"neg_sampling": "triplet", "neg_amount": 2},
                ["--neg-sampling", "triplet", "--neg-amount", "2"]),
    "a mapping": ({"neg_sampling": {"mode": "destination", "amount": 3}},
                  ["--neg-sampling", "destination", "--neg-amount", "3"]),
    "a tuple": ({"neg_sampling": ("triplet", 2.0)},
                ["--neg-sampling", "triplet", "--neg-amount", "2"]),
    "PyG's": ({"neg_sampling": FromPyg}, ["--neg-sampling", "binary", "--neg-amount", "0.5"]),
    "a ratio": ({"neg_sampling_ratio": 1.5}, ["--neg-sampling", "binary", "--neg-amount", "1.5"]),
    "by degree": ({"neg_sampling": "binary", "neg_degree_power": 0.75, "neg_strict": True,
                   "on_exhausted": "accept"},
                  ["--neg-sampling", "binary", "--neg-degree-power", "0.75", "--neg-strict",
                   "--on-exhausted", "accept"]),
    "excluded": ({"exclude": "self"}, ["--exclude", "self"]),
    "enclosing": ({"enclosing": True}, ["--enclosing"]),
    "replace": ({"replace": True}, ["--replace"]),
    "disjoint": ({"disjoint": True}, ["--disjoint"]),
    "directional": ({"subgraph_type": "directional"}, []),
    "drop_last": ({"drop_last": True}, ["--drop-last"]),
    "not shuffled": ({"shuffle": False}, ["--shuffle", "none"]),
    "weight_attr": ({"weight_attr": "w"}, ["--draw", "weighted"]),
    "times": ({"time_attr": "since", "edge_label_time": 20, "temporal_strategy": "last"},
              ["--time", "edge", "--input-time", "20", "--temporal-strategy", "last"]),
    "a time of numpy": ({"time_attr": "edge", "edge_label_time": numpy.int64(20)},
                        ["--time", "edge", "--input-time", "20"]),
    "times of each": (
        {"time_attr": "edge", "edge_label_time": numpy.arange(SPLIT), "strict": True},
        ["--time", "edge", "--input-time", ",".join(map(str, range(SPLIT))), "--strict"]),
    "session's options": (
        {"collect": "x", "expand": "all", "collect_degrees": True, "feature_dtype": "float16"},
        ["--collect", "x", "--expand", "all", "--collect-degrees", "--feature-dtype",
         "float16"]),
}

PAIRS = numpy.array([[1, 2, 3, 40], [5, 5, 7, 1]])

# Arguments, the exception, and what its text says.
REFUSED = [
    ({"edge_label_indx": "train"}, TypeError, "LinkNeighborLoader has no argument "
     "'edge_label_indx'; did you mean edge_label_index?"),
    ({"qqq": 1}, TypeError, "PyG's LinkNeighborLoader and PyTorch's DataLoader, the options of "
     "docs/modes.md and of sessions of kind link"),
    ({"input_nodes": "train"}, TypeError, "instead: edge_label_index="),
    ({"input_edges": "train"}, TypeError, "instead: edge_label_index="),
    ({"input_time": 3}, TypeError, "instead: edge_label_time="),
    ({"max_scanned_edges": 3}, TypeError, "instead: enclosing=True"),
    ({"dataset": [3]}, TypeError, "edge_label_index="),
    ({"subgraph_type": "induced"}, TypeError, "instead: 'directional', or enclosing=True"),
    ({"subgraph_type": Enumerator}, TypeError, "subgraph_type='induced' is not taken"),
    ({"edge_label_index": "trainn"}, KeyError, "there is no split 'trainn'"),
    ({"edge_label_index": [1, 2, 3]}, ValueError, "has the shape [3]"),
    ({"edge_label_index": PAIRS.T}, ValueError, "has the shape [4, 2]; allowed: the name of"),
    ({"edge_label_index": PAIRS[:, :0]}, ValueError, "has the shape [2, 0]"),
    ({"edge_label_index": PAIRS * 0.5}, TypeError, "an array [2, links] of node ids"),
    ({"edge_label_index": PAIRS + 30}, ValueError, "70"),
    ({"edge_label_index": (("node", "at", "node"), PAIRS)}, ValueError, "node,at,node"),
    ({"edge_label": [1] * SPLIT}, ValueError, "edge_label with the split 'train'"),
    ({"edge_label_index": PAIRS, "edge_label": [1, 2]}, ValueError,
     "has the shape [2]; allowed: a number for each of 4 links"),
    ({"edge_label_index": PAIRS, "edge_label": ["a"] * 4}, ValueError, "a number for each"),
    ({"edge_label_index": PAIRS, "edge_label": [1] * 4, "neg_sampling": "triplet"}, ValueError,
     "label"),
    ({"edge_label_index": PAIRS, "edge_label_time": [1, 2], "time_attr": "edge"}, ValueError,
     "edge_label_time has 2 times; allowed: a time for each of 4 links"),
    ({"edge_label_time": 3}, ValueError, "edge_label_time without time_attr"),
    ({"time_attr": "edge"}, ValueError, "time_attr without edge_label_time"),
    ({"neg_sampling": "binry"}, ValueError, "none, binary, triplet, destination"),
    ({"neg_sampling": {"mode": "binary", "amout": 1}}, TypeError, "allowed: mode and amount"),
    ({"neg_sampling": 3}, TypeError, "allowed: PyG's NegativeSampling"),
    ({"neg_sampling": Weighted}, TypeError, "instead: neg_degree_power="),
    ({"neg_sampling": ("triplet", 1.5)}, ValueError, "whole"),
    ({"neg_sampling": ("binary", -1)}, ValueError, "-1"),
    ({"neg_sampling": ("binary", 1), "neg_amount": 2}, ValueError, "one of them"),
    ({"neg_sampling": "binary", "neg_sampling_ratio": 2}, ValueError, "one of them"),
    ({"neg_amount": 2}, ValueError, "neg_amount without negatives"),
    ({"neg_sampling": "triplet", "neg_destination": [1, 2]}, ValueError,
     "neg_destination is of int64 and has the shape [2]"),
    ({"edge_label_index": PAIRS, "exclude": "self"}, ValueError, "exclude"),
]


class LinkNeighborLoaderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.graph = split_graph(folder.name)
        cls.typed = graphs.aifb(folder.name)

    def open(self, **arguments):
        loader = tg.LinkNeighborLoader(**{
            "data": self.graph, "num_neighbors": [4, 3], "edge_label_index": "train",
            "batch_size": 8, "shuffle": True, "random_seed": 11, "format": "numpy", **arguments})
        self.addCleanup(loader.close)
        return loader

    def sampled(self, *flags, links="train", graph=None):
        return sampling.lines(graph or self.graph, inputs=None, fanouts="4,3", batch_size=8,
                              flags=("--kind", "link", "--input-edges", links, *flags))

    def written(self, rows):
        path = os.path.join(self.folder, "links.csv")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(",".join(map(str, row)) + "\n" for row in rows)
        return "@" + path

    def test_arguments_mean_what_flags_mean(self):
        plain = self.sampled()
        for name, (arguments, flags) in SAME.items():
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                expected = self.sampled(*flags)
                self.assertEqual(expected == plain, not flags)
                self.assertEqual(lines_of(self.open(**arguments)), expected)

    def test_listed_links(self):
        expected = self.sampled(links=self.written(PAIRS.T))
        for links in (PAIRS, PAIRS.tolist(), tuple(PAIRS), PAIRS.astype(numpy.uint8),
                      (("node", "to", "node"), PAIRS), ("node__to__node", PAIRS)):
            with self.subTest(links=links):
                self.assertEqual(lines_of(self.open(edge_label_index=links)), expected)

    def test_labels(self):
        for labels, column in (([0, 3, 1, 2], [0, 3, 1, 2]), (numpy.array([True, False] * 2),
                                                              [1, 0, 1, 0]),
                               ([0.5, 1, 2, 3], [0.5, 1, 2, 3]), ([1.0] * 4, ["1.0"] * 4)):
            rows = [(*pair, label) for pair, label in zip(PAIRS.T, column)]
            for flags, arguments in (([], {}), (["--neg-sampling", "binary"],
                                                {"neg_sampling": "binary"})):
                with self.subTest(labels=labels, **arguments):
                    self.assertEqual(
                        lines_of(self.open(edge_label_index=PAIRS, edge_label=labels,
                                           **arguments)),
                        self.sampled(*flags, links=self.written(rows)))

    def test_own_negatives(self):
        negatives = numpy.arange(2 * SPLIT).reshape(SPLIT, 2)
        path = os.path.join(self.folder, "negatives.csv")
        numpy.savetxt(path, negatives, "%d", ",")
        self.assertEqual(
            lines_of(self.open(neg_sampling="triplet", neg_destination=negatives)),
            self.sampled("--neg-sampling", "triplet", "--neg-destination", "@" + path))

    def test_all_edges(self):
        """They are in the order of their ids, which is that of the input's rows."""
        self.assertEqual(lines_of(self.open(edge_label_index=None)),
                         self.sampled(links=self.written(_rows())))
        [batch] = self.open(edge_label_index=None, batch_size=500, shuffle=False)
        ends = batch.n_id[batch.edge_label_index]
        self.assertEqual(ends.T.tolist(), [list(row) for row in _rows()])
        labelled = self.open(edge_label_index=None, edge_label=numpy.arange(500),
                             batch_size=500, shuffle=False)
        self.assertEqual(next(iter(labelled)).edge_label.tolist(), list(range(500)))

    def test_all_edges_of_a_type(self):
        kind = ("publication", "author", "person")
        loader = self.open(data=self.typed, edge_label_index=kind, batch_size=10_000)
        [batch] = loader
        edges = next(edge for edge in loader.schema()["edge_types"]
                     if (edge["src"], edge["rel"], edge["dst"]) == kind)
        source, destination = batch[kind].edge_label_index
        self.assertEqual(len(source), edges["num_edges"])
        # Those that a hop of all neighbours finds.
        everything = self.open(data=self.typed, edge_label_index=(kind, None), batch_size=10_000,
                               num_neighbors={kind: [-1]}, shuffle=False)
        [whole] = everything
        self.assertEqual(
            sorted(zip(batch["publication"].n_id[source], batch["person"].n_id[destination])),
            sorted(zip(*(whole[end].n_id[row] for end, row in zip(
                (kind[0], kind[2]), whole[kind].edge_index)))))
        with self.assertRaisesRegex(ValueError, "allowed: those of one edge type"):
            self.open(data=self.typed, edge_label_index=None)
        with self.assertRaisesRegex(ValueError, "topics"):
            self.open(data=self.typed, edge_label_index=("person", "likes", "topics"))

    def test_several_types_by_a_text(self):
        path = self.written([(1, 2), (3, 4)])
        text = f"publication,author,person:{path};person,rev_author,publication:{path}"
        self.assertEqual(
            lines_of(self.open(data=self.typed, edge_label_index=text)),
            self.sampled(links=text, graph=self.typed))

    def test_a_refusal_says_what_is_allowed(self):
        for arguments, kind, text in REFUSED:
            with self.subTest(arguments=arguments):
                with self.assertRaises(kind) as caught:
                    self.open(**arguments)
                self.assertIn(text, str(caught.exception))
                self.assertNotIn("/proc/", str(caught.exception))

    def test_input_id_names_links(self):
        [batch] = self.open(edge_label_index=PAIRS, input_id=[7, 8, 9, 10], shuffle=False)
        self.assertEqual(batch.input_id.tolist(), [7, 8, 9, 10])

    def test_epochs_and_checkpoints(self):
        loader = self.open(neg_sampling="binary")
        self.assertEqual(len(loader), 4)
        first, second = (lines_of(loader, epoch) for epoch in (0, 1))
        self.assertNotEqual(first, second)
        batches = iter(loader)
        next(batches)
        resumed = self.open(neg_sampling="binary")
        resumed.load_state_dict(loader.state_dict())
        self.assertEqual([batch.index for batch in resumed], [1, 2, 3])

    def test_ranks_share_the_batches(self):
        shares = [[batch.index for batch in self.open(rank=rank, world_size=2)]
                  for rank in range(2)]
        self.assertEqual(shares, [[0, 2], [1, 3]])

    def test_from_servers(self):
        with processes.Fleet(self.graph, ["0", "all"]) as fleet:
            fleet.doctor()
            for links in ("train", None):
                with self.subTest(links=links):
                    loader = self.open(data=fleet.addresses(), edge_label_index=links)
                    self.assertEqual(lines_of(loader),
                                     lines_of(self.open(edge_label_index=links)))
                    loader.close()


if __name__ == "__main__":
    unittest.main()
