"""Graphs whose edges have a class or a value, of small real ones, with splits of edges."""

import collections
import gzip
import os

from tests.e2e import folders

FREEBASE = "tests/data/fb15k-237"
MESSAGES = "tests/data/collegemsg"
RELATIONS = 10
SPLITS = ("train", "valid", "test")


def _rows(path):
    with gzip.open(path + ".csv.gz", "rt") as file:
        return [tuple(map(int, line.split(","))) for line in file]


def relations():
    """Returns rows (split, edge, class) of the triples of FB15k-237 that have one of its most
    frequent relations: classes are these, from the most frequent on."""
    triples = {name: _rows(f"{FREEBASE}/raw/{name}") for name in SPLITS}
    often = collections.Counter(relation for _, relation, _ in triples["train"])
    classes = {relation: k for k, (relation, _) in enumerate(often.most_common(RELATIONS))}
    return [(name, (head, tail), classes[relation]) for name in SPLITS
            for head, relation, tail in triples[name] if relation in classes]


def first_days():
    """Returns rows (split, edge, value) of the pairs of CollegeMsg that exchanged messages: the
    value is the day of the first one. Of ten pairs seven are train, one valid, two test."""
    first = {}
    for pair, [time] in zip(_rows(f"{MESSAGES}/raw/edge"), _rows(f"{MESSAGES}/raw/edge-time")):
        first.setdefault(pair, time)
    begin = min(first.values())
    return [(SPLITS[(0, 0, 0, 0, 0, 0, 0, 1, 2, 2)[k % 10]], pair, (time - begin) / 86400)
            for k, (pair, time) in enumerate(first.items())]


def partition(folder, rows):
    """The path of the graph of these rows in two partitions; labels are its edge_attr."""
    edges = [edge for _, edge, _ in rows]
    raw = folders.write_ogb(
        os.path.join(folder, "raw_labels"), 1 + max(map(max, edges)), edges,
        e=[[f"{label:.6f}"] for _, _, label in rows],
        splits={name: [k for k, row in enumerate(rows) if row[0] == name] for name in SPLITS})
    return folders.partition(raw, os.path.join(folder, "labels"), 2, "random", "--add-reverse",
                             "--edge-index", "--edge-splits", "only")
