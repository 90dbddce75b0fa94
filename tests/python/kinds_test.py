"""ShaDowKHopSampler, PPRLoader and LayerWiseLoader: their batches are those of `tributary
sample`, and what has no meaning for them is refused."""

import inspect
import re
import unittest

import numpy

import tributary_gnn as tg
from tests.e2e import processes, sampling
from tests.python import graphs
from tests.python.loading import lines_of

IDS = [7, 3, 3, 11, 42]
LOADERS = {
    "ShaDowKHopSampler": {"depth": 2, "num_neighbors": 3},
    "PPRLoader": {"top_k": 5},
    "LayerWiseLoader": {"nodes_per_layer": [9, 7]},
    "Node2VecLoader": {"walk_length": 5, "context_size": 3},
    "GraphSAINTRandomWalkSampler": {"batch_size": 6, "walk_length": 3},
    "LinkNeighborLoader": {"num_neighbors": [3]},
    "NeighborLoader": {"num_neighbors": [3]},
}
SHADOW = ("--disjoint", "--subgraph-type", "induced", "--num-neighbors")
PPR = ("--kind", "ppr", "--top-k", "5")
LAYERS = ("--kind", "layerwise", "--nodes-per-layer", "9,7")
# The loader, its arguments, and the flags that mean the same.
SAME = [
    ("ShaDowKHopSampler", {}, [*SHADOW, "3,3"]),
    ("ShaDowKHopSampler", {"depth": 1, "num_neighbors": numpy.int64(4), "replace": True},
     [*SHADOW, "4", "--replace"]),
    ("ShaDowKHopSampler", {"num_neighbors": -1, "drop_last": True},
     [*SHADOW, "-1,-1", "--drop-last"]),
    ("ShaDowKHopSampler", {"draw": "weighted", "collect": "x", "max_scanned_edges": 9999},
     [*SHADOW, "3,3", "--draw", "weighted", "--collect", "x", "--max-scanned-edges", "9999"]),
    ("PPRLoader", {}, PPR),
    ("PPRLoader", {"alpha": 0.3, "epsilon": 1e-3, "shuffle": False},
     [*PPR, "--alpha", "0.3", "--epsilon", "0.001", "--shuffle", "none"]),
    ("LayerWiseLoader", {}, LAYERS),
    ("LayerWiseLoader", {"nodes_per_layer": "9,7", "importance": "fastgcn",
                         "feature_dtype": "float16"},
     [*LAYERS, "--importance", "fastgcn", "--feature-dtype", "float16"]),
]
# The loader, arguments, the exception, and what its text says.
REFUSED = [
    ("ShaDowKHopSampler", {"depth": None}, TypeError, "depth and num_neighbors are required"),
    ("ShaDowKHopSampler", {"num_neighbors": [3, 2]}, TypeError, "NeighborLoader takes a list"),
    ("ShaDowKHopSampler", {"input_nodes": "train"}, TypeError, "instead: node_idx="),
    ("ShaDowKHopSampler", {"time_attr": "time"}, TypeError, "NeighborLoader, which has it"),
    ("ShaDowKHopSampler", {"node_idx": [60]}, ValueError, "60"),
    ("ShaDowKHopSampler", {"dept": 3}, TypeError, "did you mean depth?"),
    ("ShaDowKHopSampler", {"depth": -1}, ValueError, "num_neighbors"),
    ("PPRLoader", {"top_k": None}, TypeError, "top_k is required"),
    ("PPRLoader", {"k": 3}, TypeError, "instead: top_k="),
    ("PPRLoader", {"eps": 3}, TypeError, "instead: epsilon="),
    ("PPRLoader", {"alpha": 3}, ValueError, "alpha"),
    ("PPRLoader", {"edge_type": 3}, TypeError, "edge_type has 3; allowed: an edge type"),
    ("PPRLoader", {"qqq": 3}, TypeError, "the arguments of tributary_gnn's PPRLoader"),
    ("LayerWiseLoader", {"nodes_per_layer": None}, TypeError, "nodes_per_layer is required"),
    ("LayerWiseLoader", {"nodes_per_layer": [0]}, ValueError, "nodes_per_layer"),
    ("LayerWiseLoader", {"num_neighbors": [3]}, TypeError, "instead: nodes_per_layer="),
    ("LayerWiseLoader", {"importance": "x"}, ValueError, "ladies, uniform, fastgcn"),
]
# Loaders of graphs without types: the argument of their inputs, and what they name instead.
ONE_TYPE = {
    "ShaDowKHopSampler": ("node_idx", "NeighborLoader(disjoint=True, subgraph_type='induced')"),
    "Node2VecLoader": ("input_nodes", "tributary_gnn.Loader, with a session of kind walk"),
    "GraphSAINTRandomWalkSampler": (None, "NeighborLoader(subgraph_type='induced'), or tribu"),
}


class KindsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.columned(folder.name)
        cls.typed = graphs.aifb(folder.name)

    def open(self, name, **arguments):
        inputs = "node_idx" if name == "ShaDowKHopSampler" else "input_nodes"
        loader = getattr(tg, name)(**{
            "data": self.graph, inputs: "train", "batch_size": 8, "shuffle": True,
            "random_seed": 11, "format": "numpy", **LOADERS[name], **arguments})
        self.addCleanup(loader.close)
        return loader

    def sampled(self, flags, inputs="train", graph=None):
        return sampling.lines(graph or self.graph, inputs=inputs, fanouts=None, batch_size=8,
                              flags=flags)

    def test_arguments_mean_what_flags_mean(self):
        for name, arguments, flags in SAME:
            with self.subTest(name, arguments=arguments):
                self.assertEqual(lines_of(self.open(name, **arguments)), self.sampled(flags))

    def test_inputs(self):
        for name, flags in (("ShaDowKHopSampler", [*SHADOW, "3,3"]), ("PPRLoader", PPR),
                            ("LayerWiseLoader", LAYERS)):
            argument = "node_idx" if name == "ShaDowKHopSampler" else "input_nodes"
            for inputs, text in ((IDS, "7,3,3,11,42"), (numpy.arange(60) < 2, "0,1"),
                                 (None, "*"), (("node", "train"), "train")):
                with self.subTest(name, inputs=inputs):
                    self.assertEqual(lines_of(self.open(name, **{argument: inputs})),
                                     self.sampled(flags, text))

    def test_an_edge_type_of_a_typed_graph(self):
        """It leads from a node type to itself."""
        with tg.Source(graph=self.typed) as source, tg.Loader(
                source, {"input_nodes": "person:train", "num_neighbors": [1]}) as loader:
            types = [(edge["src"], edge["rel"], edge["dst"])
                     for edge in loader.schema()["edge_types"] if edge["src"] == edge["dst"]]
        kind = types[0]
        for name, flags in (("PPRLoader", PPR), ("LayerWiseLoader", LAYERS)):
            with self.subTest(name):
                lines = self.sampled([*flags, "--edge-type", ",".join(kind)], f"{kind[0]}:*",
                                     self.typed)
                for edge_type in (kind, "__".join(kind)):
                    self.assertEqual(lines_of(self.open(
                        name, data=self.typed, input_nodes=(kind[0], None),
                        edge_type=edge_type)), lines)

    def test_a_refusal_says_what_is_allowed(self):
        for name, arguments, kind, text in REFUSED:
            with self.subTest(name, arguments=arguments):
                with self.assertRaises(kind) as caught:
                    self.open(name, **arguments)
                self.assertIn(text, str(caught.exception))
                self.assertNotIn("/proc/", str(caught.exception))

    def test_typed_graphs_are_refused_with_what_takes_them(self):
        """Whether the inputs name a type or not."""
        for name, (argument, instead) in ONE_TYPE.items():
            for inputs in ({}, {argument: "person:train"} if argument else {}):
                with self.subTest(name, **inputs), self.assertRaisesRegex(
                        TypeError, f"^{name} of a typed graph; allowed: a graph of one node type "
                                   f"and one edge type, .*{re.escape(instead)}"):
                    getattr(tg, name)(self.typed, **LOADERS[name], **inputs, format="numpy")

    def test_what_takes_typed_graphs(self):
        for disjoint in (False, True):
            with tg.NeighborLoader(self.typed, [3], ("person", "train"), disjoint=disjoint,
                                   subgraph_type="induced", format="numpy") as loader:
                self.assertGreater(len(next(iter(loader))["person"].n_id), 0)
        with tg.Source(graph=self.typed) as source, tg.Loader(
                source, {"kind": "walk", "input_nodes": "person:train", "walk_length": 1,
                         "metapath": "publication,author,person"}) as loader:
            loader.start_epoch(0)
            with loader.next() as batch:
                self.assertEqual(batch["walks"].shape, (1, 2))


class VocabularyTest(unittest.TestCase):
    """The keywords of each loader are those of sessions of its kind, or are refused."""

    def test_each_option_of_its_kind_is_there(self):
        with open("docs/sampling/sessions.md", encoding="utf-8") as page:
            rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", page.read(), re.M)
        for name in LOADERS:
            loader = getattr(tg, name)
            words = loader.vocabulary
            options = {option for option, kinds in rows
                       if {"all", words.kind} & set(kinds.split(", "))}
            known = {*inspect.signature(loader).parameters, *words.passed_on, *words.refused,
                     *words.notes, "kind"}
            with self.subTest(name):
                self.assertEqual(words.loader, name)
                self.assertEqual(options - known - UNMENTIONED.get(name, set()), set())

    def test_the_pages_table_of_loaders(self):
        with open("docs/python.md", encoding="utf-8") as page:
            rows = re.findall(r"^\| `(\w+)` \| .* \| `(\w+)` \|$", page.read(), re.M)
        self.assertEqual(dict(rows), {name: getattr(tg, name).vocabulary.kind
                                      for name in LOADERS})

    def test_all_take_the_same_arguments_beside_their_own(self):
        shared = set.intersection(*(set(inspect.signature(getattr(tg, name)).parameters)
                                    for name in LOADERS))
        self.assertEqual(shared, {"data", "transform", "batch_size", "rank", "world_size",
                                  "format", "zero_copy", "pin_memory", "to_device", "on_wait",
                                  "options"})


# Options that are what the loader is, or that do not go together with it.
UNMENTIONED = {
    "ShaDowKHopSampler": {"layer_dependency", "time", "temporal_strategy", "strict", "edge_mask",
                          "edge_predicate"},
}


if __name__ == "__main__":
    unittest.main()
