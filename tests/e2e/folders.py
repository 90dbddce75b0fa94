"""OGB folders that tests make, and graphs that `partition` makes of them."""

import gzip
import os

from tests.e2e import processes

CORA = "tests/data/cora"
AIFB = "tests/data/aifb"

SEVEN_ROWS = [(1, 0), (2, 0), (3, 0), (4, 0), (2, 0), (0, 1), (3, 1), (5, 2),
              (5, 5), (4, 3), (0, 3), (1, 3)]


def write_rows(path, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with gzip.open(path + ".csv.gz", "wt") as f:
        for row in rows:
            f.write(",".join(str(cell) for cell in row) + "\n")


def _cells(ids):
    return [v if isinstance(v, tuple) else [v] for v in ids]


def write_ogb(folder, num_nodes, rows, x=None, y=None, splits=None, e=None,
              files=None):
    """`x`, `y`, `e`: rows of cells as text or numbers, of nodes, labels and
    edges; `splits`: name -> ids, or ends of edges as tuples; `files`: further
    files' name -> numbers."""
    raw = os.path.join(folder, "raw", "")
    write_rows(raw + "num-node-list", [[num_nodes]])
    write_rows(raw + "num-edge-list", [[len(rows)]])
    write_rows(raw + "edge", rows)
    if x is not None:
        write_rows(raw + "node-feat", x)
    if y is not None:
        write_rows(raw + "node-label", y)
    if e is not None:
        write_rows(raw + "edge-feat", e)
    for name, values in (files or {}).items():
        write_rows(raw + name, [[value] for value in values])
    for name, ids in (splits or {}).items():
        write_rows(os.path.join(folder, "split", "only", name), _cells(ids))
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


def write_hetero(folder, nodes, relations, splits=None):
    """`nodes`: type -> (number, x, y), rows as above or None; `relations`:
    (src, rel, dst) -> (rows, e); `splits`: type, or src___rel___dst, -> name
    -> ids, or ends of edges as tuples."""
    raw = os.path.join(folder, "raw", "")
    types = sorted(nodes, reverse=True)  # any order will do
    write_rows(raw + "num-node-dict", [types, [nodes[t][0] for t in types]])
    for column, stem in ((1, "feat"), (2, "label")):
        has = [nodes[t][column] is not None for t in types]
        write_rows(raw + "nodetype-has-" + stem, [types, has])
        for t in (t for t, there in zip(types, has) if there):
            write_rows(f"{raw}node-{stem}/{t}/node-{stem}", nodes[t][column])
    write_rows(raw + "triplet-type-list", relations)
    for relation, (rows, e) in relations.items():
        at = f"{raw}relations/{'___'.join(relation)}/"
        write_rows(at + "edge", rows)
        write_rows(at + "num-edge-list", [[len(rows)]])
        if e is not None:
            write_rows(at + "edge-feat", e)
    splits = splits or {}
    scheme = os.path.join(folder, "split", "only", "")
    write_rows(scheme + "nodetype-has-split", [types, [t in splits for t in types]])
    for t, named in splits.items():
        for name, ids in named.items():
            write_rows(f"{scheme}{t}/{name}", _cells(ids))
    return folder


def random_hetero(folder, rng):
    """Users, items and tags: features of several widths and none, labels,
    attributes; parallel edges, self loops, a hub; a relation without edges,
    nodes without relations, a type without nodes."""
    count = {"user": 60, "item": 90, "tag": 11, "alone": 4, "ghost": 0}
    x = lambda t, width: [[round(rng.uniform(-9, 9), 5) for _ in range(width)]
                          for _ in range(count[t])]
    y = lambda t, low: [[rng.randrange(low, 5)] for _ in range(count[t])]
    nodes = {"user": (count["user"], x("user", 3), y("user", -1)),
             "item": (count["item"], x("item", 1), None),
             "tag": (count["tag"], None, None),
             "alone": (count["alone"], x("alone", 2), y("alone", 0)),
             "ghost": (0, None, None)}

    def edges(src, dst, number, attributes=0):
        rows = [(rng.randrange(count[src]),
                 0 if rng.random() < 0.2 else rng.randrange(count[dst]))
                for _ in range(number)]
        rows += rows[:2]
        e = [[round(rng.uniform(-1, 1), 4) for _ in range(attributes)]
             for _ in rows]
        return rows, e if attributes else None

    relations = {("user", "buys", "item"): edges("user", "item", 500, 2),
                 ("item", "bought_by", "user"): edges("item", "user", 300),
                 ("user", "knows", "user"): edges("user", "user", 250, 1),
                 ("item", "has", "tag"): edges("item", "tag", 150),
                 ("tag", "below", "tag"): ([], None),
                 ("ghost", "haunts", "user"): ([], None)}
    splits = {"user": {"train": rng.sample(range(count["user"]), 40)},
              "item": {"train": rng.sample(range(count["item"]), 9)}}
    return write_hetero(folder, nodes, relations, splits)


def partition(source, out, parts=1, method="random", *flags):
    processes.run_ok("partition", "--input", source, "--format", "ogb",
                     "--out", out, "--num-parts", parts, "--method", method,
                     *flags)
    return out
