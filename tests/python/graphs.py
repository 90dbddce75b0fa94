"""Graphs that tests of the package read, and sources of their batches."""

import contextlib
import os

import tributary_gnn as tg
from tests.e2e import folders, processes


def cora(folder):
    """A homogeneous graph of four partitions."""
    return folders.partition(folders.CORA, os.path.join(folder, "cora4"), 4, "metis")


def aifb(folder):
    """A typed graph of two partitions, whose nodes have no features."""
    return folders.partition(folders.AIFB, os.path.join(folder, "aifb"), 2, "random",
                             "--add-reverse")


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
