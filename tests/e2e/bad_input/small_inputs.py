"""One small graph in every format that `partition` reads.

Four nodes with two features and a label, five edges with a weight, a split
`train`; typed formats have users (2), items (3) and who buys what (4 edges).
Text is plain, so that a test edits lines; each file is small enough to see.
"""

import json
import os
import re
import subprocess
import tempfile

import numpy as np

NPY_TO_PARQUET = "cli/parquet/testing/npy_to_parquet"

EDGES = np.array([(0, 1), (1, 2), (2, 0), (3, 1), (0, 3)])
WEIGHTS = np.array([0.5, 1, 2, 0.25, 1])
FEATURES = np.array([(1, 2), (3, 4), (5, 6), (7, 8)], np.float32)
LABELS = np.array([0, 1, 0, 1])
TRAIN = np.array([0, 2])

BUYS = np.array([(0, 1), (1, 2), (1, 0), (0, 2)])
ITEMS = np.array([(1, 2), (3, 4), (5, 6)], np.float32)
BUYS_WEIGHTS = np.array([0.5, 1, 2, 0.25])


# What partition says of the graphs that have types without features.
_FEATURELESS = re.compile(r"^tributary partition: note: (no node has features|"
                          r"node types without features: [a-z, ]+)\n", re.M)


def without_notes(stderr):
    """What partition said, but for the note on types without features."""
    return _FEATURELESS.sub("", stderr)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def rows(values, delimiter=","):
    """Text, a line a row."""
    return "".join(delimiter.join(f"{cell:g}" for cell in np.atleast_1d(row)) +
                   "\n" for row in values)


def save(path, array):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.save(path, array)


def parquet(path, **columns):
    """A Parquet file of row groups of two rows; npy_to_parquet is among the
    test's data. A column is an array, [rows, C] being C columns, or a list of
    texts; those whose name ends in _or_null have nulls (see the program)."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as here:
        words = []
        for name, values in columns.items():
            if isinstance(values, list):
                write(f"{here}/{name}.txt", "".join(f"{v}\n" for v in values))
                words.append(f"{name}={here}/{name}.txt")
                continue
            save(f"{here}/{name}.npy", np.ascontiguousarray(values))
            column = name.removesuffix("_or_null")
            words.append(f"{column}{'?' if column != name else ''}="
                         f"{here}/{name}.npy")
        subprocess.run([NPY_TO_PARQUET, path, "2", *words], check=True,
                       timeout=60)


def ogb_text(folder):
    write(folder + "/raw/num-node-list.csv", "4\n")
    write(folder + "/raw/num-edge-list.csv", "5\n")
    write(folder + "/raw/edge.csv", rows(EDGES))
    write(folder + "/raw/w.csv", rows(WEIGHTS))
    write(folder + "/raw/node-feat.csv", rows(FEATURES))
    write(folder + "/raw/node-label.csv", rows(LABELS))
    write(folder + "/split/only/train.csv", rows(TRAIN))


def ogb_typed(folder):
    buys = folder + "/raw/relations/user___buys___item"
    write(folder + "/raw/num-node-dict.csv", "user,item\n2,3\n")
    write(folder + "/raw/triplet-type-list.csv", "user,buys,item\n")
    write(buys + "/num-edge-list.csv", "4\n")
    write(buys + "/edge.csv", rows(BUYS))
    write(buys + "/w.csv", rows(BUYS_WEIGHTS))
    write(folder + "/raw/node-feat/item/node-feat.csv", rows(ITEMS))
    write(folder + "/split/only/item/train.csv", rows(TRAIN))


def ogb_binary(folder, **changes):
    os.makedirs(folder + "/raw", exist_ok=True)
    arrays = {"edge_index": np.ascontiguousarray(EDGES.T),
              "node_feat": FEATURES, "w": WEIGHTS,
              "num_nodes_list": np.array([4]),
              "num_edges_list": np.array([5])}
    np.savez(folder + "/raw/data.npz", **(arrays | changes))
    np.savez(folder + "/raw/node-label.npz", node_label=LABELS[:, None])
    write(folder + "/split/only/train.csv", rows(TRAIN))


def ogb_typed_binary(folder, relation="user___buys___item"):
    os.makedirs(folder + "/raw", exist_ok=True)
    for name, arrays in {
            "num_nodes_dict": {"user": np.array([2]), "item": np.array([3])},
            "num_edges_dict": {relation: np.array([4])},
            "edge_index_dict": {relation: np.ascontiguousarray(BUYS.T)},
            "node_feat_dict": {"item": ITEMS}}.items():
        np.savez(f"{folder}/raw/{name}.npz", **arrays)


def triples(folder):
    """Two relations, `likes` and `knows`."""
    write(folder + "/raw/num-node-list.csv", "4\n")
    write(folder + "/raw/num-relation-list.csv", "2\n")
    write(folder + "/raw/num-edge-list.csv", "5\n")
    write(folder + "/raw/relation.csv", "likes\nknows\n")
    write(folder + "/raw/train.csv", "0,0,1\n1,0,2\n2,1,0\n3,1,1\n0,1,3\n")
    write(folder + "/raw/valid.csv", "1,0,3\n")
    write(folder + "/raw/test.csv", "2,1,3\n")


def _metadata(suffix, format):
    files = lambda *names: {"format": format,
                            "data": [name + suffix for name in names]}
    return {"graph_name": "small", "node_type": ["user", "item"],
            "num_nodes_per_chunk": [[2], [2, 1]],
            "edge_type": ["user:buys:item"],
            "num_edges_per_chunk": [[2, 2]],
            "edges": {"user:buys:item": files("buys-0", "buys-1")},
            "node_data": {"item": {"feat": files("feat-0", "feat-1")}},
            "edge_data": {
                "user:buys:item": {"weight": files("w-0", "w-1")}}}


def _dgl(folder, suffix, format, put):
    write(folder + "/metadata.json", json.dumps(_metadata(suffix, format)))
    for name, values in {
            "buys-0": BUYS[:2], "buys-1": BUYS[2:], "feat-0": ITEMS[:2],
            "feat-1": ITEMS[2:], "w-0": BUYS_WEIGHTS[:2],
            "w-1": BUYS_WEIGHTS[2:]}.items():
        put(f"{folder}/{name}{suffix}", values)


def dgl_csv(folder):
    _dgl(folder, ".csv", {"name": "csv", "delimiter": ","},
         lambda path, values: write(path, rows(values)))


def dgl_numpy(folder):
    _dgl(folder, ".npy", {"name": "numpy"}, save)


def dgl_parquet(folder):
    _dgl(folder, ".parquet", {"name": "parquet"},
         lambda path, values: parquet(path, c=values))


def _tables(folder, suffix, delimiter):
    lines = lambda names, values: names.replace(",", delimiter) + "\n" + rows(
        values, delimiter)
    write(f"{folder}/edges.{suffix}", lines(
        "src,dst,w", np.column_stack([EDGES, WEIGHTS])))
    write(f"{folder}/nodes.{suffix}", lines(
        "id,f0,f1,club", np.column_stack([np.arange(4), FEATURES, LABELS])))


def csv_tables(folder):
    _tables(folder, "csv", ",")


def tsv_tables(folder):
    _tables(folder, "tsv", "\t")


EDGE_COLUMNS = {"src": EDGES[:, 0], "dst": EDGES[:, 1], "w": WEIGHTS}
NODE_COLUMNS = {"id": np.arange(4), "f": FEATURES, "club": LABELS}


def parquet_tables(folder, edges={}, nodes={}):
    """`edges` and `nodes` are columns that replace those of the graph; None
    leaves one out."""
    for name, columns in (("edges", EDGE_COLUMNS | edges),
                          ("nodes", NODE_COLUMNS | nodes)):
        parquet(f"{folder}/{name}.parquet", **{
            column: values for column, values in columns.items()
            if values is not None})


ARRAYS = {"edge_index": np.ascontiguousarray(EDGES.T), "x": FEATURES,
          "y": LABELS, "edge_weight": WEIGHTS, "train_idx": TRAIN}


def npy_folder(folder, **changes):
    for name, array in (ARRAYS | changes).items():
        save(f"{folder}/{name}.npy", array)


def npz_file(path, **changes):
    np.savez(path, **(ARRAYS | changes))


def typed_npy_folder(folder, relation="user__buys__item"):
    save(folder + "/user/num_nodes.npy", np.array(2))
    save(folder + "/item/x.npy", ITEMS)
    save(f"{folder}/{relation}/edge_index.npy", np.ascontiguousarray(BUYS.T))
