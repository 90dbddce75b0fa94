"""One graph with every column, and writers of it in the formats that go in.

A writer is called with the graph, a folder that does not exist, and the scheme
of its split `train`: a name, "" for none, or None for a graph without splits.
It returns the flags of `partition` that read what it has written.
"""

import contextlib
import io
import json
import os
import pathlib
import subprocess

import numpy as np

from partition.exporters import tributary_export
from tests.e2e import folders
from tests.exporters import stand_ins

NODES, EDGES, WIDTH, ATTRIBUTES = 211, 1400, 5, 2
NPY_TO_PARQUET = "cli/parquet/testing/npy_to_parquet"


class Graph:
    """A hub, parallel edges, self loops, nodes without edges; features, labels
    and times of nodes; attributes, weights, times and a mask of edges. All
    values are exact in decimal text and in float32."""

    def __init__(self, seed=5):
        rng = np.random.default_rng(seed)
        self.src = rng.integers(0, NODES, EDGES)
        self.dst = rng.integers(0, NODES * 3 // 4, EDGES)
        self.dst[:200] = 0
        self.src[300:310], self.dst[300:310] = 7, 7
        self.x = rng.integers(-999, 999, (NODES, WIDTH)).astype(np.float32) / 8
        self.y = rng.integers(0, 9, NODES)
        self.node_time = rng.integers(-50, 50, NODES)
        self.attr = rng.integers(-99, 99, (EDGES, ATTRIBUTES)).astype(np.float32) / 4
        self.weight = rng.integers(0, 40, EDGES).astype(np.float32) / 8
        self.time = rng.integers(-20, 60, EDGES)
        self.late = self.time > 20
        self.train = np.sort(rng.permutation(NODES)[:120])

    @property
    def index(self):
        return np.stack([self.src, self.dst])

    @property
    def in_train(self):
        mask = np.zeros(NODES, bool)
        mask[self.train] = True
        return mask


def save(*path, array):
    os.makedirs(os.path.dirname(os.path.join(*path)), exist_ok=True)
    np.save(os.path.join(*path), np.ascontiguousarray(array))


def write_json(path, value):
    with open(path, "w") as file:
        json.dump(value, file)


def ogb_flags(folder):
    return ["--format", "ogb", "--input", folder, "--edge-weight", "weight",
            "--edge-time", "time", "--node-time", "node_time", "--edge-masks", "late"]


def ogb_text(graph, folder, scheme):
    folders.write_ogb(folder, NODES, graph.index.T.tolist(), graph.x.tolist(),
                      [[y] for y in graph.y], e=graph.attr.tolist(),
                      files={"weight": graph.weight, "time": graph.time,
                             "node_time": graph.node_time, "late": graph.late})
    ogb_split(graph, folder, scheme)
    return ogb_flags(folder)


def ogb_split(graph, folder, scheme):
    if scheme is not None:
        folders.write_rows(os.path.join(folder, "split", scheme, "train"),
                           [[v] for v in graph.train])


def ogb_binary(graph, folder, scheme):
    raw = os.path.join(folder, "raw")
    os.makedirs(raw)
    np.savez(os.path.join(raw, "data.npz"), edge_index=graph.index,
             node_feat=graph.x, edge_feat=graph.attr, weight=graph.weight,
             time=graph.time, node_time=graph.node_time, late=graph.late,
             num_nodes_list=np.array([NODES]), num_edges_list=np.array([EDGES]))
    np.savez(os.path.join(raw, "node-label.npz"), node_label=graph.y[:, np.newaxis])
    ogb_split(graph, folder, scheme)
    return ogb_flags(folder)


def dgl_arrays(graph, scheme):
    """The arrays of nodes and of edges by the names that have a use in DGL."""
    nodes = {"feat": graph.x, "label": graph.y, "time": graph.node_time}
    if scheme is not None:
        nodes["train_mask"] = graph.in_train
    edges = {"feat": graph.attr, "weight": graph.weight, "time": graph.time,
             "late": graph.late}
    return nodes, edges


def dgl_flags(folder):
    return ["--format", "dgl-chunked", "--input", folder, "--edge-masks", "late"]


def write_csv_chunk(path, array):
    np.savetxt(path, array.astype(np.int64) if array.dtype == bool else array,
               fmt="%.9g")


def write_parquet(path, row_group, arrays):
    """The columns of a Parquet file; npy_to_parquet is among the test's data."""
    words = []
    for name, array in arrays.items():
        save(f"{path}.{name}.npy", array=array)
        words.append(f"{name}={path}.{name}.npy")
    subprocess.run([NPY_TO_PARQUET, path, str(row_group), *words], check=True, timeout=60)
    for name in arrays:
        os.remove(f"{path}.{name}.npy")


DGL_CHUNKS = {  # suffix, the keys beside the format's name, the writer
    "csv": ("txt", {"delimiter": " "}, write_csv_chunk),
    "numpy": ("npy", {}, lambda path, array: save(path, array=array)),
    "parquet": ("parquet", {}, lambda path, array: write_parquet(
        path, len(array) // 3 + 1, {"c": array})),
}


def dgl_chunks(graph, folder, scheme, kind):
    suffix, keys, write = DGL_CHUNKS[kind]
    os.makedirs(folder)

    def chunks(name, array):
        """Two of unequal sizes."""
        names = []
        for i, piece in enumerate(np.split(array, [len(array) // 5])):
            names.append(f"{name}-{i}.{suffix}")
            write(os.path.join(folder, names[-1]), piece)
        return {"format": {"name": kind, **keys}, "data": names}

    nodes, edges = dgl_arrays(graph, scheme)
    write_json(os.path.join(folder, "metadata.json"), {
        "graph_name": "made", "node_type": ["_N"], "edge_type": ["_N:_E:_N"],
        "num_nodes_per_type": [NODES], "num_edges_per_type": [EDGES],
        "edges": {"_N:_E:_N": chunks("ends", graph.index.T)},
        "node_data": {"_N": {name: chunks("node-" + name, array)
                             for name, array in nodes.items()}},
        "edge_data": {"_N:_E:_N": {name: chunks("edge-" + name, array)
                                   for name, array in edges.items()}}})
    return dgl_flags(folder)


def placement(parts):
    """The user's own, of each node by its id."""
    return np.arange(NODES) * 7 % parts


def exported_partition(graph, folder, scheme):
    """What tributary_export.py makes of a partition that is laid out as DGL's;
    its assignment is placement(stand_ins.PARTS)."""
    made = pathlib.Path(folder)
    (made / "dgl").mkdir(parents=True)
    nodes, edges = dgl_arrays(graph, scheme)
    stand_ins.Dgl(stand_ins.Partitioned(
        {"_N:_E:_N": graph.index.T}, {"_N": placement(stand_ins.PARTS)},
        {("_N", name): array for name, array in nodes.items()},
        {("_N:_E:_N", name): array for name, array in edges.items()},
    ), made / "dgl").save_original_ids()
    chunks = os.path.join(folder, "chunks")
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        code = tributary_export.main(["dgl", "--part-config",
                                      str(made / "dgl" / "made.json"), "--out", chunks])
    if code != 0:
        raise AssertionError(said.getvalue())
    return dgl_flags(chunks)


def table_config(folder, scheme, suffix):
    """Of tables of nodes and edges whose splits are columns of 0 and 1."""
    splits = {} if scheme is None else {
        "splits": {os.path.join(scheme, "train"): "in_train"}}
    config = os.path.join(folder, "graph.json")
    write_json(config, {
        "nodes": {"node": {"table": "nodes." + suffix, "id": "id", "features": "f*",
                           "labels": "label", "time": "since", **splits}},
        "edges": {"node,to,node": {
            "table": "edges." + suffix, "src": "src", "dst": "dst", "features": "a*",
            "weight": "weight", "time": "time", "masks": {"late": "late"}}}})
    return ["--format", "edge-list", "--config", config]


def edge_list(graph, folder, scheme, name=str):
    """csv, read by flags or, if the split has a scheme, by a config; the nodes in
    another order than that of their ids, which `name` makes."""
    os.makedirs(folder)
    with open(os.path.join(folder, "edges.csv"), "w") as f:
        f.write("src,dst,a0,a1,weight,time,late\n")
        for e in range(EDGES):
            f.write(f"{name(graph.src[e])},{name(graph.dst[e])},"
                    f"{graph.attr[e, 0]},{graph.attr[e, 1]},{graph.weight[e]},"
                    f"{graph.time[e]},{int(graph.late[e])}\n")
    in_train = graph.in_train
    with open(os.path.join(folder, "nodes.csv"), "w") as f:
        f.write("id,label,since,part,in_train,"
                + ",".join(f"f{i}" for i in range(WIDTH)) + "\n")
        for v in reversed(range(NODES)):
            f.write(f"{name(v)},{graph.y[v]},{graph.node_time[v]},"
                    f"{'train' if in_train[v] else ''},{int(in_train[v])},"
                    + ",".join(str(value) for value in graph.x[v]) + "\n")
    if scheme:
        return table_config(folder, scheme, "csv")
    return ["--format", "edge-list", "--input", folder, "--features", "f*",
            "--labels", "label", "--node-time", "since", "--edge-features", "a*",
            "--edge-weight", "weight", "--edge-time", "time", "--edge-masks",
            "late", *([] if scheme is None else ["--split", "part"])]


def edge_list_of_words(graph, folder, scheme):
    """Ids whose byte order is that of the numbers."""
    return edge_list(graph, folder, scheme, lambda v: f"node {v:04}")


def parquet_edge_list(graph, folder, scheme):
    os.makedirs(folder)
    write_parquet(os.path.join(folder, "edges.parquet"), 500, {
        "src": graph.src, "dst": graph.dst, "a": graph.attr,
        "weight": graph.weight, "time": graph.time, "late": graph.late})
    back = np.arange(NODES)[::-1]
    write_parquet(os.path.join(folder, "nodes.parquet"), 100, {
        "id": back, "label": graph.y[back], "since": graph.node_time[back],
        "in_train": graph.in_train[back], "f": graph.x[back]})
    return table_config(folder, scheme, "parquet")


def named_arrays(graph, scheme):
    """By the names of docs/data.md."""
    arrays = {"edge_index": graph.index, "edge_attr": graph.attr,
              "edge_weight": graph.weight, "edge_time": graph.time,
              "late": graph.late, "x": graph.x, "y": graph.y,
              "node_time": graph.node_time}
    return arrays if scheme is None else {**arrays, "train_idx": graph.train}


def array_config(folder, scheme, place):
    """`place`: the place of an array by its name."""
    config = os.path.join(folder, "graph.json")
    write_json(config, {
        "nodes": {"node": {"features": place("x"), "labels": place("y"),
                           "time": place("node_time"),
                           "splits": {scheme + "/train": place("train_idx")}}},
        "edges": {"node,to,node": {
            "index": place("edge_index"), "features": place("edge_attr"),
            "weight": place("edge_weight"), "time": place("edge_time"),
            "masks": {"late": place("late")}}}})
    return ["--format", "npy", "--config", config]


def npy_folder(graph, folder, scheme):
    for name, array in named_arrays(graph, scheme).items():
        save(folder, name + ".npy", array=array)
    if scheme:
        return array_config(folder, scheme, lambda name: name + ".npy")
    return ["--format", "npy", "--input", folder, "--edge-masks", "late"]


def npz(graph, folder, scheme):
    os.makedirs(folder)
    file = os.path.join(folder, "graph.npz")
    arrays = named_arrays(graph, scheme)
    if scheme:
        np.savez(file, **arrays)
        return array_config(folder, scheme, lambda name: "graph.npz:" + name)
    del arrays["edge_index"]
    np.savez(file, row=graph.src, col=graph.dst, **arrays)
    return ["--format", "npy", "--input", file, "--edge-masks", "late"]


# The split's schemes that a format can have: OGB's always have a name, DGL's none.
ANY_SCHEME, NAMED, UNNAMED = (None, "", "only"), (None, "only"), (None, "")
FORMATS = {  # the writer and the schemes
    "OGB text": (ogb_text, NAMED),
    "OGB binary": (ogb_binary, NAMED),
    "DGL numpy": (lambda *to: dgl_chunks(*to, "numpy"), UNNAMED),
    "DGL csv": (lambda *to: dgl_chunks(*to, "csv"), UNNAMED),
    "DGL partition": (exported_partition, UNNAMED),
    "edge list": (edge_list, ANY_SCHEME),
    "edge list of words": (edge_list_of_words, ANY_SCHEME),
    "npy": (npy_folder, ANY_SCHEME),
    "npz": (npz, ANY_SCHEME),
}
PARQUET_FORMATS = {
    "DGL parquet": (lambda *to: dgl_chunks(*to, "parquet"), UNNAMED),
    "parquet edge list": (parquet_edge_list, ANY_SCHEME),
}
