"""OGB folders that tests make, and graphs that `partition` makes of them."""

import gzip
import os

from tests.e2e import processes

CORA = "tests/data/cora"
AIFB = "tests/data/aifb"

SEVEN_ROWS = [(1, 0), (2, 0), (3, 0), (4, 0), (2, 0), (0, 1), (3, 1), (5, 2),
              (5, 5), (4, 3), (0, 3), (1, 3)]


def _write(path, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with gzip.open(path + ".csv.gz", "wt") as f:
        for row in rows:
            f.write(",".join(str(cell) for cell in row) + "\n")


def write_ogb(folder, num_nodes, rows, x=None, y=None, splits=None, e=None,
              files=None):
    """`x`, `y`, `e`: rows of cells as text or numbers, of nodes, labels and
    edges; `splits`: name -> ids; `files`: further files' name -> numbers."""
    raw = os.path.join(folder, "raw", "")
    _write(raw + "num-node-list", [[num_nodes]])
    _write(raw + "num-edge-list", [[len(rows)]])
    _write(raw + "edge", rows)
    if x is not None:
        _write(raw + "node-feat", x)
    if y is not None:
        _write(raw + "node-label", y)
    if e is not None:
        _write(raw + "edge-feat", e)
    for name, values in (files or {}).items():
        _write(raw + name, [[value] for value in values])
    for name, ids in (splits or {}).items():
        _write(os.path.join(folder, "split", "only", name),
               [[v] for v in ids])
    return folder


def random_ogb(folder, rng, num_nodes, num_edges, with_columns):
    """Parallel edges, self loops, a hub and isolated nodes included."""
    rows = []
    for _ in range(num_edges):
        v = 0 if rng.random() < 0.2 else rng.randrange(num_nodes * 3 // 4)
        rows.append((rng.randrange(num_nodes), v))
    rows += [(1, 1), *rows[:1], *rows[:1]]
    x = y = None
    if with_columns:
        x = [[round(rng.uniform(-9, 9), 5) for _ in range(3)]
             for _ in range(num_nodes)]
        y = [[rng.randrange(-1, 5)] for _ in range(num_nodes)]
    train = rng.sample(range(num_nodes), num_nodes // 2)
    return write_ogb(folder, num_nodes, rows, x, y, {"train": train})


def partition(source, out, parts=1, method="random", *flags):
    processes.run_ok("partition", "--input", source, "--format", "ogb",
                     "--out", out, "--num-parts", parts, "--method", method,
                     *flags)
    return out
