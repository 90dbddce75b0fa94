"""A typed graph's tests: a batch is what the oracle says, whatever holds the
graph and whoever makes it."""

import dataclasses
import json
import os

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec

HELD = {  # partitions: what each of three servers holds of them
    1: ["all", "all", "all"],
    2: ["0", "1", "0,1"],
    3: ["0", "1", "2"],
    5: ["0,3", "1,4", "2"],
}


class TypedTest:
    """Of one graph: subclasses say how it is made and sampled."""

    FLAGS = ()  # of partition
    METHOD = {1: "random", 2: "metis", 3: "random", 5: "metis"}  # by parts
    INPUT_TYPE = FANOUTS = None
    BY_TYPE = {}
    SEED, EPOCH, BATCH_SIZE = 11, 1, 16

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.source = cls.make_source(os.path.join(cls.folder, "source"))
        cls.graphs = {
            parts: folders.partition(
                cls.source, os.path.join(cls.folder, f"parts{parts}"), parts,
                method, *cls.FLAGS)
            for parts, method in cls.METHOD.items()}
        graph = graphs.read_ogb(cls.source, "--add-reverse" in cls.FLAGS,
                                "--dedupe" in cls.FLAGS)
        spec = Spec(list(cls.FANOUTS), cls.SEED, cls.INPUT_TYPE, cls.BY_TYPE)
        cls.oracle = Loader(graph, graph.split(cls.INPUT_TYPE, "train"), spec,
                            cls.BATCH_SIZE)
        cls.expected = [cls.oracle.line(cls.EPOCH, g)
                        for g in range(cls.oracle.num_batches())]

    def sample(self, where, *flags):
        by_type = [f"{','.join(t)}={','.join(map(str, fanouts))}"
                   for t, fanouts in self.BY_TYPE.items()]
        fanouts = ";".join([",".join(map(str, self.FANOUTS)), *by_type])
        return sampling.lines(
            where, inputs=self.INPUT_TYPE + ":train", fanouts=fanouts,
            batch_size=self.BATCH_SIZE, seed=self.SEED, epoch=self.EPOCH,
            flags=flags)

    def test_folders(self):
        for parts, graph in self.graphs.items():
            for threads in (1, 4):
                with self.subTest(parts=parts, threads=threads):
                    self.assertEqual(
                        self.sample(graph, "--threads", threads),
                        self.expected)

    def test_fleets(self):
        for parts, graph in self.graphs.items():
            for held in (["all"], HELD[parts]):
                for threads in (1, 4):
                    with self.subTest(parts=parts, held=held,
                                      threads=threads), processes.Fleet(
                            graph, held, "--threads", threads) as fleet:
                        self.assertEqual(
                            self.sample(("servers", fleet.addresses())),
                            self.expected)

    def test_directions(self):
        if "--add-reverse" not in self.FLAGS:
            return
        for direction in ("out", "both"):
            spec = dataclasses.replace(self.oracle.spec, edge_dir=direction)
            oracle = Loader(self.oracle.graph, self.oracle.inputs, spec,
                            self.BATCH_SIZE)
            expected = [oracle.line(self.EPOCH, g)
                        for g in range(oracle.num_batches())]
            parts, graph = max(self.graphs.items())
            with processes.Fleet(graph, HELD[parts]) as fleet:
                for where in (*self.graphs.values(),
                              ("servers", fleet.addresses())):
                    with self.subTest(direction=direction, where=where):
                        self.assertEqual(
                            self.sample(where, "--edge-dir", direction),
                            expected)

    def test_files(self):
        out = os.path.join(self.folder, "out")
        self.sample(self.graphs[5], "--out", out)
        for g in range(len(self.expected)):
            expected = self.oracle.batch(self.EPOCH, g)
            with np.load(f"{out}/batch-{self.EPOCH}-{g}.npz") as made:
                self.assertEqual(sorted(made.files), sorted(expected))
                for name, tensor in expected.items():
                    self.assertEqual(made[name].dtype, tensor.dtype, name)
                    self.assertEqual(made[name].shape, tensor.shape, name)
                    self.assertEqual(made[name].tobytes(), tensor.tobytes(),
                                     name)

    def test_verify_against_the_source(self):
        for graph in self.graphs.values():
            processes.run_ok("verify", graph, "--against", self.source,
                             *self.FLAGS)

    def test_inspect(self):
        graph = self.oracle.graph
        contents = set()
        for parts, folder in self.graphs.items():
            said = json.loads(processes.run_ok("inspect", folder, "--json"))
            contents.add(said["content_digest"])
            self.assertTrue(said["heterogeneous"])
            self.assertEqual(said["num_partitions"], parts)
            self.assertEqual(
                {t["name"]: t["num_nodes"] for t in said["node_types"]},
                {name: t.count for name, t in graph.node_types.items()})
            self.assertEqual(
                {t["name"]: t["num_edges"] for t in said["edge_types"]},
                {",".join(name): len(t.edges)
                 for name, t in graph.edge_types.items()})
        self.assertEqual(len(contents), 1)
