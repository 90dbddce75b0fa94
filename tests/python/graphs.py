"""Graphs that tests of the package read, and sources of their batches."""

import contextlib
import os
import random

import tributary_gnn as tg
from tests.e2e import folders, processes


def cora(folder):
    """A homogeneous graph of four partitions."""
    return folders.partition(folders.CORA, os.path.join(folder, "cora4"), 4, "metis")


def aifb(folder):
    """A typed graph of two partitions, whose nodes have no features."""
    return folders.partition(folders.AIFB, os.path.join(folder, "aifb"), 2, "random",
                             "--add-reverse")


def _columned_source(folder):
    rng = random.Random(5)
    rows = [(rng.randrange(60), rng.randrange(60)) for _ in range(600)]
    return folders.write_ogb(
        os.path.join(folder, "columned_source"), 60, rows,
        x=[[round(rng.uniform(-9, 9), 5) for _ in range(4)] for _ in range(60)],
        splits={"train": list(range(0, 60, 2))},
        files={"weight": [round(rng.uniform(0, 3), 3) for _ in rows],
               "time": [rng.randrange(40) for _ in rows],
               "node-time": [rng.randrange(40) for _ in range(60)],
               "even": [n % 2 for n in range(len(rows))]})


def columned(folder):
    """A homogeneous graph of 60 nodes with features, weights of edges, times of edges and
    of nodes, a mask of edges and degrees."""
    return folders.partition(
        _columned_source(folder), os.path.join(folder, "columned"), 2, "random",
        "--edge-weight", "weight", "--edge-time", "time", "--node-time", "node-time",
        "--edge-masks", "even", "--neighbor-ids", "--degrees", "--out-edges")


def edge_timed(folder):
    """The same with times of edges alone."""
    return folders.partition(_columned_source(folder), os.path.join(folder, "edge_timed"), 1,
                             "random", "--edge-time", "time")


@contextlib.contextmanager
def source(mode, graph):
    """A source of the graph's batches in this mode: a fleet of two servers in `remote`."""
    if mode != "remote":
        with tg.Source(mode=mode, graph=graph, channel_size="64MB") as local:
            yield local
        return
    with processes.Fleet(graph, ["0", "all"]) as fleet:
        fleet.doctor()
        with tg.Source(servers=fleet.addresses()) as remote:
            yield remote
