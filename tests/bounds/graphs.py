"""Graphs whose batches range from 84 bytes to 40 MiB.

Input i of INPUTS is a hub: what it draws with fanout -1 is a batch of about
SIZES[i] bytes. `wide`: by the rows of its many neighbours; `narrow`: by its
many edges to few neighbours, so that nearly all of the batch is made, not read.
"""

import gzip
import os

from tests.e2e import processes

KIB, MIB = 1 << 10, 1 << 20
# One above 32 MiB, mixed with others below: 40 comes twice.
SIZES = [4 * KIB, 6 * MIB, 40 * MIB, 64 * KIB, 20 * MIB, 12 * MIB, 300 * KIB,
         31 * MIB, 4 * KIB, 2 * MIB, 40 * MIB, 15 * MIB, 900 * KIB, 0, 25 * MIB,
         8 * KIB]
INPUTS = len(SIZES)

WIDE_DIM = 1024
WIDE_ROW = 4 * WIDE_DIM + 8 + 16  # x, n_id, and one edge
NARROW_POOL = 300
NARROW_HOPS = 3  # each draws all edges of the hub again
NARROW_EDGE = 16 * NARROW_HOPS


def _gzip(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with gzip.open(path + ".csv.gz", "wb", compresslevel=1) as f:
        f.write(text.encode())


def _write(folder, num_nodes, degrees, pool, rows_of_x=None):
    """Edge j of hub i comes from node INPUTS + j % pool."""
    raw = os.path.join(folder, "raw", "")
    edges = []
    for hub, degree in enumerate(degrees):
        tail = f",{hub}\n"
        edges.extend(str(INPUTS + j % pool) + tail for j in range(degree))
    _gzip(raw + "num-node-list", f"{num_nodes}\n")
    _gzip(raw + "num-edge-list", f"{len(edges)}\n")
    _gzip(raw + "edge", "".join(edges))
    if rows_of_x is not None:
        _gzip(raw + "node-feat", rows_of_x)
    inputs = "".join(f"{i}\n" for i in range(INPUTS))
    _gzip(os.path.join(folder, "split", "only", "train"), inputs)


def _partition(source, out, parts):
    processes.run_ok("partition", "--input", source, "--out", out,
                     "--num-parts", parts)
    return out


def wide(folder, parts):
    degrees = [size // WIDE_ROW for size in SIZES]
    pool = max(degrees)
    tail = ",1" * (WIDE_DIM - 1) + "\n"
    x = "".join(f"{v}{tail}" for v in range(INPUTS + pool))
    source = os.path.join(folder, "wide.source")
    _write(source, INPUTS + pool, degrees, pool, x)
    return _partition(source, os.path.join(folder, "wide"), parts)


def narrow(folder, parts):
    degrees = [size // NARROW_EDGE for size in SIZES]
    source = os.path.join(folder, "narrow.source")
    _write(source, INPUTS + NARROW_POOL, degrees, NARROW_POOL)
    return _partition(source, os.path.join(folder, "narrow"), parts)


def epoch_of(name, *flags):
    """The options of tests.e2e.sampling for one epoch, a batch for a hub."""
    hops = {"wide": 1, "narrow": NARROW_HOPS}[name]
    return dict(fanouts=",".join(["-1"] * hops), batch_size=1, epoch=0,
                flags=("--shuffle", "none", "--expand", "all", *flags))
