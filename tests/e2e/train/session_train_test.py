"""`tributary-train --session`: a session of each sort trains from its JSON as
from its flags, and in another way than without it."""

import json
import os
import random
import unittest

from tests.e2e import folders, processes, training

NODES, EDGES = 120, 1500


def make_graph(folder):
    """Nodes and edges with all columns that sessions can ask for."""
    rng = random.Random(5)
    rows = [(rng.randrange(NODES), rng.randrange(NODES)) for _ in range(EDGES)]
    times = [rng.randrange(1000) for _ in rows]
    source = folders.write_ogb(
        os.path.join(folder, "ogb"), NODES, rows,
        x=[[round(rng.gauss(0, 1), 3) for _ in range(6)]
           for _ in range(NODES)],
        y=[[rng.randrange(3)] for _ in range(NODES)],
        splits={"train": range(80), "valid": range(80, 100)},
        files={"edge_time": times,
               "edge_weight": [round(rng.uniform(0.01, 9), 3) for _ in rows],
               "node_time": [rng.randrange(500, 1000) for _ in range(NODES)]})
    return folders.partition(
        source, os.path.join(folder, "graph"), 2, "random", "--edge-time",
        "edge_time", "--edge-weight", "edge_weight", "--node-time",
        "node_time", "--neighbor-ids")


def make_links(folder):
    rng = random.Random(6)
    rows = [(rng.randrange(60), rng.randrange(60)) for _ in range(400)]
    source = folders.write_ogb(
        os.path.join(folder, "links.ogb"), 60, rows,
        x=[[round(rng.gauss(0, 1), 3)] for _ in range(60)],
        splits={"train": range(200), "valid": range(200, 260)})
    return folders.partition(source, os.path.join(folder, "links"), 2,
                             "random", "--edge-splits", "only", "--degrees")


class SessionTrainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = make_graph(cls.folder)
        cls.links = make_links(cls.folder)
        cls.typed = folders.partition(
            folders.random_hetero(os.path.join(cls.folder, "typed.ogb"),
                                  random.Random(7)),
            os.path.join(cls.folder, "typed"), 2)

    def losses(self, *flags):
        log = os.path.join(self.folder, "log")
        training.output("--epochs", 2, "--hidden", 8, "--batch-size", 16,
                        "--log", log, *flags)
        return [(line["loss"], line.get("valid_accuracy", line.get("valid_ap")))
                for line in training.events(log, "epoch")]

    def check(self, session, flags, *more):
        path = os.path.join(self.folder, "session.json")
        with open(path, "w", encoding="ascii") as f:
            json.dump(session, f)
        from_json = self.losses("--session", path, *more)
        self.assertEqual(len(from_json), 2)
        self.assertEqual(from_json, self.losses(*flags, *more))
        self.assertNotEqual(from_json, self.losses(*more))

    def nodes(self, session, flags):
        self.check(session, flags, "--graph", self.graph, "--input",
                   "train,valid", "--model", "sage")

    def test_weighted(self):
        self.nodes({"draw": "weighted", "num_neighbors": [3, 2]},
                   ["--draw", "weighted", "--num-neighbors", "3,2"])

    def test_labor(self):
        self.nodes({"draw": "labor", "layer_dependency": True},
                   ["--draw", "labor", "--layer-dependency"])

    def test_disjoint(self):
        # Trees of their own differ from a shared batch where hops are drawn.
        self.nodes({"disjoint": True, "num_neighbors": [4, 4]},
                   ["--disjoint", "--num-neighbors", "4,4"])

    def test_temporal(self):
        self.nodes({"time": "edge", "temporal_strategy": "last"},
                   ["--time", "edge", "--temporal-strategy", "last"])

    def test_predicated(self):
        self.nodes({"edge_predicate": "edge_time < 300"},
                   ["--edge-predicate", "edge_time < 300"])

    def test_inputs_by_weight(self):
        import numpy as np
        path = os.path.join(self.folder, "weights.npy")
        np.save(path, np.linspace(0.1, 5, 80))
        self.nodes({"input_weight": "@" + path}, ["--input-weight", "@" + path])

    def test_typed(self):
        fanouts = {"default": [2, 2], "item,bought_by,user": [5, 0]}
        self.check({"num_neighbors": fanouts},
                   ["--num-neighbors", "2,2;item,bought_by,user=5,0"],
                   "--graph", self.typed, "--input", "user:train")

    def test_total_over_edge_types(self):
        self.check({"draw": "across_types", "num_neighbors": [3, 2]},
                   ["--draw", "across_types", "--num-neighbors", "3,2"],
                   "--graph", self.typed, "--input", "user:train")

    def test_links(self):
        self.check({"neg_sampling": "triplet", "neg_amount": 2,
                    "neg_degree_power": 0.75, "exclude": "pair",
                    "random_seed": 4},
                   ["--neg-sampling", "triplet", "--neg-amount", 2,
                    "--neg-degree-power", 0.75, "--exclude", "pair",
                    "--random-seed", 4],
                   "--graph", self.links, "--task", "link", "--input",
                   "train,valid")

    def test_two_ranks_read_the_same_session(self):
        flags = ("--graph", self.graph, "--input", "train,valid", "--draw",
                 "weighted", "--time", "none", "--nproc", 2)
        self.assertEqual(self.losses(*flags), self.losses(*flags))


if __name__ == "__main__":
    unittest.main()
