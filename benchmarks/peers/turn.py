"""Reads epochs of batches for each line of standard input, in a peer's environment.

A line is a turn of whole epochs. Each prints one JSON object: their seconds, from the start of
the first one to the last batch, and how many batches, inputs, edges and nodes they had. Before
the first turn, after an epoch that is not counted, there is a line with the versions of the
packages that are measured.
"""

import importlib.metadata
import json
import os
import sys
import time


class Inputs:
    """What every way reads: the graph's arrays, the inputs, and how to sample.

    The folder has indptr.npy [nodes + 1] and indices.npy [edges], the in-edges of each node,
    features.npy [nodes, dim] and seeds.npy, the inputs of an epoch in their order, all int64
    but the features, which are float32.
    """

    def __init__(self, options):
        self.folder = options["folder"]
        self.fanouts = options["num_neighbors"]
        self.batch_size = options["batch_size"]
        self.workers = options["workers"]
        self.random_seed = options["random_seed"]
        self.seconds = options["seconds"]

    def path(self, name):
        return os.path.join(self.folder, name + ".npy")

    def tensor(self, name):
        """Returns an array as a tensor. The file is mapped, so that all processes share it."""
        import numpy
        import torch

        return torch.from_numpy(numpy.load(self.path(name), mmap_mode="c"))


def timed(epoch, least):
    """Reads epochs for `least` seconds; returns what is printed of the turn. A batch is
    (inputs, edges, nodes)."""
    names, total = ("batches", "inputs", "edges", "nodes"), [0] * 4
    start = time.perf_counter()
    while (seconds := time.perf_counter() - start) < least or not total[0]:
        for batch in epoch():
            total = [so_far + number for so_far, number in zip(total, (1, *batch))]
    return {"seconds": seconds, **dict(zip(names, total))}


def serve(opened, packages, close=lambda: None):
    """Prints what standard input asks for, and calls `close` at its end. `opened` takes Inputs
    and returns a function that returns an iterator over an epoch's batches; `packages` are
    those whose versions count."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    inputs = Inputs(json.loads(sys.argv[1]))
    epoch = opened(inputs)
    timed(epoch, 0)
    versions = {name: importlib.metadata.version(name) for name in packages}
    print(json.dumps({"versions": versions}), file=answers, flush=True)
    for _ in sys.stdin:
        print(json.dumps(timed(epoch, inputs.seconds)), file=answers, flush=True)
    close()
