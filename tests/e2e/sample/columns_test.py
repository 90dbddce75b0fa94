"""--collect: the columns that are asked for, with the values of the user's files,
whatever holds the graph and whoever samples."""

import os
import random
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs
from tests.oracle.layerwise_batch import Layerwise
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec
from tests.oracle.ppr_batch import Ppr

N, M = 120, 900
SEED, EPOCH, BATCH_SIZE = 11, 2, 16
LABOR = (Spec([4, 2], SEED, draw="labor"), ("--draw", "labor"))
PLAIN = (Spec([4, 2], SEED), ())
TIMED = (Spec([4, 2], SEED, time="node"), ("--time", "node"))
HOT_CACHE = ("--hot-cache", "0.3", "--num-neighbors", "4,2", "--input-nodes",
             "train", "--batch-size", "16")
NEIGHBOURS = {  # columns: specification and flags
    "none": PLAIN,
    "x": PLAIN,
    "y,edge_attr": PLAIN,
    "weight": LABOR,  # beside edge_weight
    "x,y,edge_attr,time,weight": PLAIN,
    "seed_time,time": TIMED,
    "x,y,edge_attr": TIMED,
}


class ColumnsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        rng = random.Random(9)
        rows = [(rng.randrange(N), 0 if rng.random() < 0.2 else
                 rng.randrange(N)) for _ in range(M)]
        x = [[rng.choice([0.5, -1.25, 3])] * 2 for _ in range(N)]
        y = [[rng.randrange(4)] for _ in range(N)]
        attr = np.array([[rng.randrange(5)] for _ in rows], np.float32)
        weight = [rng.choice([0, 0.5, 1, 2.25, 100]) for _ in rows]
        times = [rng.randrange(-20, 40) for _ in range(N)]
        cls.inputs = rng.sample(range(N), 40)
        source = folders.write_ogb(
            os.path.join(cls.folder, "source"), N, rows, x, y,
            {"train": cls.inputs}, e=attr.tolist(),
            files={"weight": weight, "times": times})
        cls.graph = graphs.homogeneous(
            N, rows, np.array(x, np.float32),
            np.array(y, np.int64).reshape(-1), attr)
        cls.graph.node_types[graphs.NODE].time = times
        cls.graph.edge_types[graphs.EDGE].weight = weight
        cls.made = {parts: folders.partition(
            source, os.path.join(cls.folder, f"g{parts}"), parts, "random",
            "--edge-weight", "weight", "--node-time", "times",
            "--neighbor-ids", *(HOT_CACHE if parts > 1 else ()))
            for parts in (1, 4)}

    def setUp(self):
        fleet = self.enterContext(
            processes.Fleet(self.made[4], ["0,3", "1", "2"]))
        self.places = [self.made[1], self.made[4],
                       ("servers", fleet.addresses())]

    def check(self, spec, collect, fanouts, *flags):
        own = [self.graph.node_types[graphs.NODE].time[v] for v in self.inputs]
        loader = Loader(self.graph, self.inputs, spec, BATCH_SIZE,
                        times=own if "--time" in flags else None,
                        collect=collect.split(","))
        expected = [loader.line(EPOCH, i)
                    for i in range(loader.num_batches())]
        for where in self.places:
            with self.subTest(collect, where=where, flags=flags):
                self.assertEqual(sampling.lines(
                    where, fanouts=fanouts, batch_size=BATCH_SIZE, seed=SEED,
                    epoch=EPOCH, flags=["--collect", collect, *flags]),
                    expected)

    def test_neighbours(self):
        for collect, (spec, flags) in NEIGHBOURS.items():
            self.check(spec, collect, "4,2", *flags)

    def test_other_kinds(self):
        self.check(Layerwise([9, 5], SEED), "weight,time,edge_attr", None,
                   "--kind", "layerwise", "--nodes-per-layer", "9,5")
        self.check(Ppr(5, SEED), "time,y", None, "--kind", "ppr", "--top-k", 5)

    def test_refusals(self):
        for where in (self.made[1], self.places[-1]):
            for collect, flags, wanted in (
                    ("seed_time", (), "seed_time, but the inputs are not nodes "
                                      "with times"),
                    ("weight", ("--kind", "ppr", "--top-k", 3),
                     "weight, but no edge type of the batch has weights"),
                    ("x,z", (), "allowed: x, y, edge_attr, time, weight, "
                                "seed_time; or none")):
                fanouts = None if flags else "2"
                done = processes.run(*sampling.arguments(
                    where, fanouts=fanouts,
                    flags=["--collect", collect, *flags]))
                with self.subTest(collect, where=where):
                    self.assertIn(done.returncode, (1, 2))
                    self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    unittest.main()
