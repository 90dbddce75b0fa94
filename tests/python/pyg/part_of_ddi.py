"""A part of ogbl-ddi that trains in seconds: the edges, links and negatives between its first
nodes."""

import gzip
import os

from tests.e2e import folders

DDI = "tests/data/ogbl-ddi"
NODES = 1500
# As many batches of a power of two for each of two ranks.
TRAIN = 32 * 1024


def _pairs(name):
    with gzip.open(os.path.join(DDI, name + ".csv.gz"), "rt") as file:
        pairs = (tuple(map(int, line.split(","))) for line in file)
        return [pair for pair in pairs if max(pair) < NODES]


def write(folder):
    """Writes it in OGB's raw layout, and returns the folder: train has every n-th edge, so that
    there are TRAIN links."""
    edges = _pairs("raw/edge")
    splits = {name: _pairs("split/target/" + name)
              for name in ("valid", "valid_neg", "test", "test_neg")}
    splits["train"] = edges[::len(edges) // TRAIN][:TRAIN]
    return folders.write_ogb(folder, NODES, edges, splits=splits)


def partition(folder):
    """The path of the graph in two partitions, and that of the raw layout."""
    raw = write(os.path.join(folder, "ddi_part"))
    return folders.partition(raw, os.path.join(folder, "ddi"), 2, "metis", "--add-reverse"), raw
