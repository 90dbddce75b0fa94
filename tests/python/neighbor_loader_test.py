"""The arguments of NeighborLoader: each makes the batches of its counterpart on the command
line of `tributary sample`, or says why it does not."""

import inspect
import os
import re
import types
import unittest
import warnings

import numpy

import tributary_gnn as tg
from tests.e2e import processes, sampling
from tests.python import graphs
from tests.python.loading import Enumerator, Generator, Sampler, lines_of
from tributary_gnn import _arguments, source

IDS = [7, 3, 3, 11, 42]


class FromPyg:
    """Stands in for PyG's NumNeighbors."""
    values = {"node__to__node": [4, 3]}
    default = [1, 1]


# Arguments of NeighborLoader, and the flags that mean the same.
SAME = {
    "nothing": ({}, []),
    "replace": ({"replace": True}, ["--replace"]),
    "disjoint": ({"disjoint": True}, ["--disjoint"]),
    "bidirectional": ({"subgraph_type": "bidirectional"},
                      ["--subgraph-type", "bidirectional"]),
    "induced": ({"subgraph_type": Enumerator}, ["--subgraph-type", "induced"]),
    "directed": ({"directed": False}, ["--subgraph-type", "induced"]),
    "drop_last": ({"drop_last": True}, ["--drop-last"]),
    "not shuffled": ({"shuffle": False}, ["--shuffle", "none"]),
    "by a word": ({"shuffle": "none"}, ["--shuffle", "none"]),
    "weight_attr": ({"weight_attr": "weight"}, ["--draw", "weighted"]),
    "times of edges": ({"time_attr": "edge"}, ["--time", "edge"]),
    "times of nodes": ({"time_attr": "node_time", "temporal_strategy": "last"},
                       ["--time", "node", "--temporal-strategy", "last"]),
    "input_time": ({"time_attr": "edge", "input_time": 20, "strict": True},
                   ["--time", "edge", "--input-time", "20", "--strict"]),
    "input_time of each": (
        {"time_attr": "edge", "input_time": numpy.arange(30)},
        ["--time", "edge", "--input-time", ",".join(map(str, range(30)))]),
    "session's options": (
        {"collect": "x,time", "time": "node", "edge_mask": "even", "collect_degrees": True,
         "feature_dtype": "float16", "omit_edge_ids": True},
        ["--collect", "x,time", "--time", "node", "--edge-mask", "even", "--collect-degrees",
         "--feature-dtype", "float16", "--omit-edge-ids"]),
    "more of them": (
        {"expand": "all", "draw": "labor", "layer_dependency": True, "edge_dir": "out",
         "edge_predicate": "edge_weight > 0.5"},
        ["--expand", "all", "--draw", "labor", "--layer-dependency", "--edge-dir", "out",
         "--edge-predicate", "edge_weight > 0.5"]),
    "a limit": ({"subgraph_type": "induced", "max_scanned_edges": 5000},
                ["--subgraph-type", "induced", "--max-scanned-edges", "5000"]),
    "SequentialSampler": ({"shuffle": False, "sampler": Sampler("SequentialSampler")},
                          ["--shuffle", "none"]),
    "RandomSampler": ({"shuffle": False, "sampler": Sampler("RandomSampler", replacement=False)},
                      []),
    "generator": ({"random_seed": None, "generator": Generator()}, []),
    "none of what is optional": (
        {"transform": None, "is_sorted": False, "filter_per_worker": None, "sampler": None,
         "batch_sampler": None, "num_workers": 0, "pin_memory": False, "timeout": 0,
         "prefetch_factor": None, "worker_init_fn": None, "persistent_workers": False,
         "in_order": True, "generator": None, "neighbor_sampler": None, "custom_cls": None},
        []),
    "source's options": ({"num_threads": 1, "channel_size": "32MB", "prefetch_factor": 2,
                          "timeout": 30, "worker_concurrency": 2}, []),
}

# Arguments, the exception, and what its text says.
REFUSED = [
    ({"num_neighbours": [2]}, TypeError, "no argument 'num_neighbours'; did you mean "
     "num_neighbors?"),
    ({"bach_size": 2}, TypeError, "did you mean batch_size?"),
    ({"buffersize": 2}, TypeError, "did you mean buffer_size?"),
    ({"qqq": 2}, TypeError, "allowed: the arguments of PyG's"),
    ({"num_neighbors": None}, TypeError, "num_neighbors is required"),
    ({"num_neighbors": {3: [1]}}, TypeError, "an edge type, as ('paper', 'cites', 'paper')"),
    ({"num_neighbors": {("a", "to", "b"): [1, 1]}}, ValueError, "'a,to,b' is not in graph"),
    ({"batch_sampler": [[1]]}, TypeError, "instead: batch_size"),
    ({"collate_fn": list}, TypeError, "instead: transform="),
    ({"neighbor_sampler": object()}, TypeError, "instead: num_neighbors="),
    ({"transform_sampler_output": list}, TypeError, "instead: transform="),
    ({"custom_cls": list}, TypeError, "instead: transform="),
    ({"kind": "walk"}, TypeError, "instead: tributary_gnn.Loader"),
    ({"sampler": Sampler("DistributedSampler"), "shuffle": False}, TypeError,
     "rank= and world_size="),
    ({"sampler": Sampler("RandomSampler"), "shuffle": True}, TypeError, "exclude each other"),
    ({"sampler": Sampler("WeightedRandomSampler", weights=[1, 2], replacement=True,
                         num_samples=1), "shuffle": False}, TypeError, "draws 1 of 2 inputs"),
    ({"generator": numpy.random.default_rng(1)}, TypeError, "or random_seed="),
    ({"time_attr": "time"}, ValueError, "allowed: 'node', 'edge'"),
    ({"time_attr": "edge", "time": "edge"}, ValueError, "one of them"),
    ({"input_time": [3] * 30}, ValueError, "input_time without time_attr"),
    ({"weight_attr": "w", "draw": "labor"}, ValueError, "draw='weighted'"),
    ({"input_nodes": "trainn"}, KeyError, "there is no split 'trainn'"),
    ({"input_nodes": [1, 60]}, ValueError, "input_nodes[1] is 60"),
    ({"input_nodes": numpy.array([0, 1], numpy.uint8)}, ValueError,
     "input_nodes: 2 elements 0 or 1"),
    ({"input_nodes": ["a"]}, TypeError, "allowed: numbers, or a mask of bool"),
    ({"input_nodes": 7}, ValueError, "allowed: a list or an array"),
    ({"input_nodes": ("paper", [1])}, ValueError, "node type 'paper' is not in graph"),
    ({"batch_size": 0}, ValueError, "a whole number from 1 to"),
    ({"batch_size": "many"}, ValueError, 'batch_size "many"'),
    ({"subgraph_type": "all"}, ValueError, "directional, bidirectional, induced"),
    ({"random_seed": object()}, TypeError, "has no form in JSON"),
    ({"rank": 1}, TypeError, "rank and world_size go together"),
    ({"rank": 2, "world_size": 2}, ValueError, "rank"),
    ({"rank": -1, "world_size": 2}, ValueError, "rank is -1"),
    ({"format": "csv"}, ValueError, "format is 'csv'; allowed: 'numpy'"),
    ({"graph": "elsewhere"}, TypeError, "the graph is given twice"),
    ({"data": None}, TypeError, "no graph is given"),
    ({"data": object()}, TypeError, "make a folder of a graph"),
    ({"data": "nowhere"}, KeyError, "cannot open nowhere/graph.json"),
    ({"num_threads": -1}, ValueError, "num_threads"),
    ({"mode": "fast"}, ValueError, 'mode is "fast"'),
]

# Arguments without an effect, and what the warning says.
NOTED = [
    ({"is_sorted": True}, "always sorted"),
    ({"filter_per_worker": True}, "features are gathered where batches are made"),
    ({"persistent_workers": True}, "as long as the source"),
    ({"pin_memory_device": "cuda"}, "pin_memory page-locks"),
    ({"worker_init_fn": print}, "workers run no Python"),
    ({"multiprocessing_context": "spawn"}, "programs of their own"),
    ({"in_order": False}, "always come in order"),
    ({"snapshot_every_n_steps": 3}, "exact at each step"),
]


class NeighborLoaderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.columned(folder.name)
        cls.typed = graphs.aifb(folder.name)

    def open(self, **arguments):
        loader = tg.NeighborLoader(**{
            "data": self.graph, "num_neighbors": [4, 3], "input_nodes": "train",
            "batch_size": 8, "shuffle": True, "random_seed": 11, "format": "numpy", **arguments})
        self.addCleanup(loader.close)
        return loader

    def sampled(self, *flags, inputs="train"):
        return sampling.lines(self.graph, inputs=inputs, fanouts="4,3", batch_size=8,
                              flags=flags)

    def test_arguments_mean_what_flags_mean(self):
        plain = self.sampled()
        for name, (arguments, flags) in SAME.items():
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                expected = self.sampled(*flags)
                self.assertEqual(expected == plain, not flags)
                self.assertEqual(lines_of(self.open(**arguments)), expected)

    def test_inputs(self):
        mask = numpy.zeros(60, bool)
        mask[IDS] = True
        for inputs, text in (
                ("train", "train"), (IDS, "7,3,3,11,42"), (tuple(IDS), "7,3,3,11,42"),
                (numpy.array(IDS, numpy.int32), "7,3,3,11,42"), ("7,3,3,11,42", "7,3,3,11,42"),
                (mask, "3,7,11,42"), (list(mask), "3,7,11,42"), (None, "*"),
                (("node", "train"), "train"), (("node", None), "*"),
                (("node", IDS), "7,3,3,11,42"), ([5], "5")):
            with self.subTest(inputs=inputs):
                self.assertEqual(lines_of(self.open(input_nodes=inputs)),
                                 self.sampled(inputs=text))

    def test_a_tensor_of_torch_is_an_array(self):
        tensor = types.SimpleNamespace(
            detach=lambda: types.SimpleNamespace(
                cpu=lambda: types.SimpleNamespace(numpy=lambda: numpy.array(IDS))))
        self.assertEqual(lines_of(self.open(input_nodes=tensor)),
                         self.sampled(inputs="7,3,3,11,42"))

    def test_weights_of_inputs(self):
        weights = numpy.arange(30, dtype=numpy.float64)
        sampler = Sampler("ImbalancedSampler", weights=weights, replacement=True, num_samples=30)
        drawn = lines_of(self.open(input_weight=weights))
        self.assertNotEqual(drawn, self.sampled())
        self.assertEqual(lines_of(self.open(shuffle=False, sampler=sampler)), drawn)
        with self.assertRaisesRegex(TypeError, "one of them"):
            self.open(shuffle=False, sampler=sampler, input_weight=weights)

    def test_fanouts_by_edge_type(self):
        expected = sampling.lines(self.typed, inputs="person:train", batch_size=32,
                                  fanouts="1,1;publication,author,person=4,3")
        kind = ("publication", "author", "person")
        for fanouts in ({"default": [1, 1], kind: [4, 3]},
                        {"default": (1, 1), "publication__author__person": numpy.array([4, 3])},
                        "1,1;publication,author,person=4,3"):
            with self.subTest(fanouts=fanouts):
                self.assertEqual(lines_of(self.open(
                    data=self.typed, num_neighbors=fanouts, input_nodes=("person", "train"),
                    batch_size=32)), expected)
        self.assertEqual(lines_of(self.open(num_neighbors=FromPyg)), self.sampled())

    def test_a_total_over_edge_types(self):
        expected = sampling.lines(self.typed, inputs="person:train", batch_size=32,
                                  fanouts="4,3", flags=("--draw", "across_types"))
        arguments = {"data": self.typed, "num_neighbors": [4, 3],
                     "input_nodes": ("person", "train"), "batch_size": 32}
        self.assertEqual(lines_of(self.open(**arguments, draw="across_types")), expected)
        self.assertNotEqual(lines_of(self.open(**arguments)), expected)
        arguments["num_neighbors"] = {"default": [4, 3],
                                      ("publication", "author", "person"): [2, 2]}
        with self.assertRaisesRegex(ValueError, "draw: across_types with num_neighbors by edge "
                                                "type .*allowed: num_neighbors of one list"):
            self.open(**arguments, draw="across_types")

    def test_fanouts_that_are_no_lists(self):
        for given in (5, {("node", "to", "node"): 5}):
            with self.assertRaisesRegex(TypeError, r"num_neighbors has 5; allowed: a list"):
                tg.NeighborLoader(self.graph, given)

    def test_any_name_of_the_only_times_will_do(self):
        with processes.temporary_folder() as folder:
            graph = graphs.edge_timed(folder)
            self.assertEqual(
                lines_of(self.open(data=graph, time_attr="since", input_time=20)),
                sampling.lines(graph, fanouts="4,3", batch_size=8,
                               flags=("--time", "edge", "--input-time", 20)))
        with self.assertRaisesRegex(ValueError, "have no times"):
            self.open(data=self.typed, input_nodes="person:train", time_attr="since")

    def test_a_refusal_says_what_is_allowed(self):
        for arguments, kind, text in REFUSED:
            with self.subTest(arguments=arguments):
                with self.assertRaises(kind) as caught:
                    self.open(**arguments)
                self.assertIn(text, str(caught.exception))
                self.assertNotIn("/proc/", str(caught.exception))

    def test_what_has_no_effect_is_said_once(self):
        for arguments, text in NOTED:
            with self.subTest(arguments=arguments):
                _arguments._warned.clear()
                with self.assertWarnsRegex(UserWarning, text) as caught:
                    loader = self.open(**arguments)
                self.assertEqual(caught.filename, __file__)
                self.assertEqual(lines_of(loader), self.sampled())
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    self.open(**arguments)

    def test_each_note_and_refusal_is_tested(self):
        self.assertEqual({name for arguments, _ in NOTED for name in arguments},
                         set(_arguments.NOTES))
        refused = {name for arguments, _, _ in REFUSED for name in arguments}
        self.assertEqual(set(_arguments.REFUSED) - refused, {"dataset"})

    def test_input_id_names_inputs(self):
        names = numpy.array(IDS) * 100
        [batch] = self.open(input_nodes=IDS, input_id=names, shuffle=False)
        self.assertEqual(batch.input_id.tolist(), names.tolist())

    def test_transform_gets_each_batch(self):
        loader = self.open(transform=lambda batch: (batch.index, batch.batch_size))
        self.assertEqual(list(loader), [(0, 8), (1, 8), (2, 8), (3, 6)])

    def test_where_batches_come_from(self):
        expected = self.sampled()
        opened = tg.Source(graph=self.graph)
        self.addCleanup(opened.close)
        with processes.Fleet(self.graph, ["0", "all"]) as fleet:
            fleet.doctor()
            for arguments in ({"data": fleet.addresses()}, {"data": "file:" + fleet.peers},
                              {"data": None, "servers": fleet.addresses()},
                              {"data": None, "graph": self.graph}, {"data": opened},
                              {"data": types.SimpleNamespace(servers=fleet.addresses())},
                              {"num_workers": 2}, {"mode": "mp"}):
                with self.subTest(arguments=arguments):
                    loader = self.open(**arguments)
                    self.assertEqual(lines_of(loader), expected)
                    loader.close()
        self.assertFalse(opened.closed)
        with self.assertRaisesRegex(TypeError, "num_threads: options of the source"):
            self.open(data=opened, num_threads=2)

    def test_workers_are_processes_as_in_pytorch(self):
        def workers():
            with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
                return {pid for pid in file.read().split()
                        if "worker" in processes.read_proc(f"/proc/{pid}/cmdline")}
        before = workers()
        loader = self.open(num_workers=2)
        found = {pid for pid in map(str, _children()) if pid not in before}
        self.assertEqual(len(found), 2)
        loader.close()
        processes.until(lambda: all(processes.is_gone(pid) for pid in found))


def _children():
    return processes.children_of(types.SimpleNamespace(pid=os.getpid()))


class OptionsTest(unittest.TestCase):
    """The names of options are those of the pages."""

    def test_of_sessions(self):
        with open("docs/sampling/sessions.md", encoding="utf-8") as page:
            rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", page.read(), re.M)
        of_nodes = {name for name, kinds in rows if {"all", "node"} & set(kinds.split(", "))}
        explicit = set(inspect.signature(tg.NeighborLoader).parameters)
        self.assertEqual(of_nodes - explicit - {"kind"}, set(tg.NeighborLoader.vocabulary.passed_on))

    def test_of_sources(self):
        with open("docs/modes.md", encoding="utf-8") as page:
            table = page.read().split("## Options", 1)[1].split("\n## ", 1)[0]
        names = {name for row in re.findall(r"^\| (`[^|]+`) \| [cmr ]+\|", table, re.M)
                 for name in re.findall(r"`(\w+)`", row)} - {"tls"}
        self.assertEqual(names | {"mode", "tls_ca", "tls_cert", "tls_key"},
                         set(source.OPTION_NAMES))


if __name__ == "__main__":
    unittest.main()
