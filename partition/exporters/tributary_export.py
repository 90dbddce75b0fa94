#!/usr/bin/env python3
"""Writes a graph that DGL or GraphLearn-for-PyTorch (GLT) has partitioned as
chunks that `tributary partition` reads, in the ids of the original graph.

    python tributary_export.py dgl --part-config FOLDER/graph.json --out CHUNKS
    python tributary_export.py glt --root FOLDER --out CHUNKS

then, with the partitions as they were:

    tributary partition --input CHUNKS --format dgl-chunked --out graph \\
        --num-parts 4 --method assignment --assignment CHUNKS/assignment

This file is all that is needed, beside NumPy, and dgl or torch (for GLT). It takes
one partition at a time into memory, and some bytes for each node and edge. GLT's
files are pickles, which may run any code: export only what you trust.
"""

# mypy: ignore-errors
# It runs where another system's packages are, and has no types.

import argparse
import json
import pathlib
import pickle
import re
import shutil
import sys

import numpy as np


class ExportError(Exception):
    """What is wrong with the partitions or the command line."""


def to_numpy(values):
    """A tensor as an array; bfloat16, which NumPy lacks, as two raw bytes."""
    if not hasattr(values, "detach"):
        return np.asarray(values)
    values = values.detach().cpu()
    if str(values.dtype) == "torch.bfloat16":
        import torch

        return values.contiguous().view(torch.int16).numpy().view("V2")
    return values.numpy()


def load_torch(path):
    import torch

    return torch.load(path, map_location="cpu", weights_only=False)


class Ids:
    """Which ids of 0 to count - 1 have been met; each must be, once."""

    def __init__(self, what, count):
        self.what, self.count = what, count
        self.met = np.zeros(count, dtype=bool)

    def add(self, ids):
        wrong = ids[(ids < 0) | (ids >= self.count)]
        if wrong.size:
            raise ExportError(f"{self.what}: the original id {wrong[0]}; allowed: 0 to "
                              f"{self.count - 1}, each once")
        # np.unique finds those that are twice among `ids` themselves.
        if self.met[ids].any() or np.unique(ids).size != ids.size:
            raise ExportError(f"{self.what}: an original id is there twice, so these are "
                              "not the ids of the original graph")
        self.met[ids] = True

    def finish(self):
        if not self.met.all():
            raise ExportError(f"{self.what}: id {int(np.argmin(self.met))} is in no part")


def type_path(name):
    """The path of a node type's files, as docs/graph-format.md says (Types in
    paths)."""
    rest = re.sub(r"[/.]|_$", lambda match: f",{ord(match[0]):02x}", name)
    path = ""
    while len(rest.encode()) > 200:
        part = rest.encode()[:198].decode(errors="ignore")
        path, rest = f"{path}{part},+/", rest[len(part):]
    return path + rest


class Chunks:
    """A folder in DGL's chunked format, with a file for each array."""

    def __init__(self, out, graph_name):
        self.out = pathlib.Path(out)
        if self.out.exists():
            raise ExportError(f"--out {out} exists; name a folder that does not")
        self.folder = self.out.with_name(self.out.name + ".unfinished")
        shutil.rmtree(self.folder, ignore_errors=True)  # of a run that was ended
        self.folder.mkdir(parents=True)
        self.graph_name = graph_name
        self.nodes, self.edges = {}, {}  # counts by type
        self.arrays = {}  # by (kind, type, name): (file, array)
        self.written = {}  # the number of rows

    def put(self, kind, type_name, name, ids, rows):
        """Puts rows of the array `name` of a type at these ids. The array has a
        row for each node or edge, and is made when its first rows come."""
        count = (self.nodes if kind == "node_data" else self.edges)[type_name]
        key, shape = (kind, type_name, name), (count, *rows.shape[1:])
        if key not in self.arrays:
            text = f"{len(self.arrays)}-{type_name}-{name}"[:60]
            safe = re.sub(r"[^\w.-]+", "_", text)
            file = f"{kind}/{safe}.npy"
            path = self.folder / file
            path.parent.mkdir(exist_ok=True)
            if np.prod(shape):
                made = np.lib.format.open_memmap(path, "w+", rows.dtype, shape)
            else:  # no bytes can be mapped
                np.save(path, made := np.empty(shape, rows.dtype))
            self.arrays[key], self.written[key] = (file, made), 0
        made = self.arrays[key][1]
        if made.dtype != rows.dtype or made.shape != shape:
            raise ExportError(f"{type_name}/{name}: {rows.dtype} {list(rows.shape[1:])} "
                              f"in one part, {made.dtype} {list(made.shape[1:])} before")
        made[ids] = rows
        self.written[key] += len(rows)

    def save_assignment(self, type_name, partitions):
        path = self.folder / "assignment" / f"{type_path(type_name)}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, partitions)

    def finish(self):
        """Writes metadata.json and gives the folder its name."""
        data = {kind: {} for kind in ["edges", "node_data", "edge_data"]}
        for (kind, type_name, name), (file, array) in self.arrays.items():
            written = self.written[kind, type_name, name]
            if written != len(array):
                raise ExportError(f"{type_name}/{name} is in some parts only: {written} "
                                  f"of {len(array)} rows")
            if isinstance(array, np.memmap):
                array.flush()
            files = {"format": {"name": "numpy"}, "data": [file]}
            if kind == "edges":
                data[kind][type_name] = files
            else:
                data[kind].setdefault(type_name, {})[name] = files
        metadata = {"graph_name": self.graph_name, "node_type": list(self.nodes),
                    "num_nodes_per_chunk": [[n] for n in self.nodes.values()],
                    "edge_type": list(self.edges),
                    "num_edges_per_chunk": [[n] for n in self.edges.values()],
                    **data}
        text = json.dumps(metadata, indent=2) + "\n"
        (self.folder / "metadata.json").write_text(text)
        self.folder.rename(self.out)


class Ranges:
    """DGL's ids: for each type and partition a range [begin, end)."""

    def __init__(self, by_type):
        rows = []  # begin, end, type, the first id within the type
        self.types = list(by_type)
        self.counts = {}
        self.by_type = {}
        for t, (name, ranges) in enumerate(by_type.items()):
            first = 0
            self.by_type[name] = []
            for begin, end in ranges:
                rows.append((begin, end, t, first))
                self.by_type[name].append((first, first + end - begin))
                first += end - begin
            self.counts[name] = first
        rows = np.array(sorted(row for row in rows if row[0] < row[1]), np.int64)
        self.rows = rows.reshape(-1, 4)

    def within_types(self, ids, what):
        """The type of each id, and the id within its type."""
        at = np.searchsorted(self.rows[:, 0], ids, "right") - 1
        if ids.size and (at.min() < 0 or (ids >= self.rows[at, 1]).any()):
            raise ExportError(f"{what}: an id that the part config lacks")
        begin, _, kind, first = self.rows[at].T
        return kind, ids - begin + first


class DglPartitions:
    """A folder that dgl.distributed.partition_graph or dispatch_data.py made."""

    def __init__(self, args):
        from dgl.data.utils import load_graphs, load_tensors

        self.load_graphs, self.load_tensors = load_graphs, load_tensors
        self.args = args
        self.config_path = pathlib.Path(args.part_config)
        self.config = json.loads(self.config_path.read_text())
        for key in ["graph_name", "num_parts", "node_map", "edge_map"]:
            if key not in self.config:
                raise ExportError(f"{args.part_config} has no key {key}; allowed: DGL's "
                                  "part config")
        node_map, edge_map = self.config["node_map"], self.config["edge_map"]
        if not isinstance(node_map, dict):
            raise ExportError(f"{args.part_config}: node_map is not by ranges "
                              "(reshuffle=False), as DGL no longer makes it")
        self.nodes, self.edges = Ranges(node_map), Ranges(edge_map)
        self.homogeneous = self.nodes.types == ["_N"] and len(edge_map) == 1
        if any(t.count(":") != 2 for t in self.edges.types):
            raise ExportError(f"{args.part_config} names edge types as DGL before 1.0; first "
                              "run its tools/change_etype_to_canonical_etype.py")
        self.maps = ({}, {})  # of nodes and edges: original ids by type
        if args.mapping:
            self.read_mapping(args.mapping, load_torch(args.mapping))

    def read_mapping(self, path, mapping):
        if not isinstance(mapping, (tuple, list)) or len(mapping) != 2:
            raise ExportError(
                f"--mapping {path}; allowed: a file of torch.save((node_map, edge_map), FILE)")
        for known, ranges, found in zip(self.maps, (self.nodes, self.edges), mapping):
            if not isinstance(found, dict):
                found = {ranges.types[0]: found}
            for type_name, ids in found.items():
                name = type_name if isinstance(type_name, str) else ":".join(type_name)
                known[name] = to_numpy(ids).astype(np.int64)
            for type_name, count in ranges.counts.items():
                if known.get(type_name, np.empty(0)).size != count:
                    raise ExportError(f"--mapping {path} has not the {count} ids "
                                      f"of type {type_name}")

    def file(self, part, key):
        if key not in self.config.get(f"part-{part}", {}):
            raise ExportError(f"{self.config_path}: part-{part} has no {key}; partitions "
                              "of GraphBolt need use_graphbolt=False")
        return self.config_path.parent / self.config[f"part-{part}"][key]

    def originals(self, part):
        """Functions of (type, ids within the type) to original ids, for the
        nodes and the edges of a partition."""
        if self.args.mapping:
            return [lambda t, ids, m=m: m[t][ids] for m in self.maps]
        if self.args.dgl_ids:
            return [lambda t, ids: ids] * 2
        folder = self.file(part, "part_graph").parent
        paths = [folder / "orig_nids.dgl", folder / "orig_eids.dgl"]
        if not all(path.exists() for path in paths):
            raise ExportError(
                f"{folder} holds no original ids: DGL numbers nodes and edges anew "
                "and drops the old ids, unless partition_graph was called with "
                "return_mapping=True (save what it returns by torch.save, and give "
                "--mapping FILE) or dispatch_data.py with --save-orig-nids and "
                "--save-orig-eids. With --dgl-ids DGL's new ids are exported")
        return [self.part_originals(path, part, ranges)
                for path, ranges in zip(paths, (self.nodes, self.edges))]

    def part_originals(self, path, part, ranges):
        own = {t: to_numpy(ids).astype(np.int64)
               for t, ids in self.load_tensors(str(path)).items()}

        def of(type_name, ids):
            begin, end = ranges.by_type[type_name][part]
            known = own.get(type_name, np.empty(0, np.int64))
            if known.size != end - begin:
                raise ExportError(f"{path} has {known.size} ids of type {type_name}; the "
                                  f"part config {end - begin}")
            return known[ids - begin]

        return of


    def part_data(self, part, key, ranges):
        """(type, name, first id, rows) of each array of a part's nodes or edges."""
        path = self.file(part, key)
        for full_name, tensor in self.load_tensors(str(path)).items():
            type_name, _, name = full_name.rpartition("/")
            type_name = type_name or ranges.types[0]
            if type_name not in ranges.by_type:
                raise ExportError(f"{path}: {full_name} is of no type of the part config")
            rows = to_numpy(tensor)
            begin, end = ranges.by_type[type_name][part]
            if rows.shape[0] != end - begin:
                raise ExportError(f"{path}: {full_name} has {rows.shape[0]} rows; the "
                                  f"part config {end - begin}")
            yield type_name, name, np.arange(begin, end), rows

    def part_edges(self, part):
        """For each edge type its name, and of the part's own edges the ids and the
        ids of both ends, all within their types."""
        path = self.file(part, "part_graph")
        graph = self.load_graphs(str(path))[0][0]
        own = to_numpy(graph.edata["inner_edge"]) == 1
        eids = to_numpy(graph.edata["_ID"]).astype(np.int64)[own]
        kinds, ids = self.edges.within_types(eids, path)
        nids = to_numpy(graph.ndata["_ID"]).astype(np.int64)
        src, dst = (self.nodes.within_types(nids[to_numpy(end)[own]], path)[1]
                    for end in graph.edges())
        for t, name in enumerate(self.edges.types):
            at = kinds == t
            yield name, ids[at], src[at], dst[at]


def export_dgl(args):
    partitions = DglPartitions(args)
    nodes, edges = partitions.nodes, partitions.edges
    node_names, edge_names = ({t: t for t in r.types} for r in (nodes, edges))
    if partitions.homogeneous:
        node_names, edge_names = {"_N": "node"}, {edges.types[0]: "node:to:node"}
    chunks = Chunks(args.out, partitions.config["graph_name"])
    chunks.nodes = {node_names[t]: n for t, n in nodes.counts.items()}
    chunks.edges = {edge_names[t]: n for t, n in edges.counts.items()}
    node_ids = {t: Ids(f"nodes of type {t}", n) for t, n in nodes.counts.items()}
    edge_ids = {t: Ids(f"edges of type {t}", n) for t, n in edges.counts.items()}
    assignment = {t: np.zeros(n, np.int64) for t, n in nodes.counts.items()}
    # Original ids of the nodes, by new ids: a part's edges begin anywhere.
    originals = {t: np.zeros(n, np.int64) for t, n in nodes.counts.items()}
    num_parts = partitions.config["num_parts"]
    for part in range(num_parts):
        print(f"tributary_export: nodes of part {part} of {num_parts}", file=sys.stderr)
        of_nodes, _ = partitions.originals(part)
        for t in nodes.types:
            begin, end = nodes.by_type[t][part]
            ids = of_nodes(t, np.arange(begin, end))
            node_ids[t].add(ids)
            assignment[t][ids] = part
            originals[t][begin:end] = ids
        for t, name, ids, rows in partitions.part_data(part, "node_feats", nodes):
            chunks.put("node_data", node_names[t], name, of_nodes(t, ids), rows)
    for part in range(num_parts):
        print(f"tributary_export: edges of part {part} of {num_parts}", file=sys.stderr)
        _, of_edges = partitions.originals(part)
        for t, ids, src, dst in partitions.part_edges(part):
            ids = of_edges(t, ids)
            edge_ids[t].add(ids)
            src_type, _, dst_type = t.split(":")
            ends = np.stack([originals[src_type][src], originals[dst_type][dst]], 1)
            chunks.put("edges", edge_names[t], "ends", ids, ends)
        for t, name, ids, rows in partitions.part_data(part, "edge_feats", edges):
            chunks.put("edge_data", edge_names[t], name, of_edges(t, ids), rows)
    for ids in [*node_ids.values(), *edge_ids.values()]:
        ids.finish()
    for t, partition in assignment.items():
        chunks.save_assignment(node_names[t], partition)
    return chunks


def pickled(path):
    """The objects that were dumped into a file one after another."""
    with open(path, "rb") as file:
        while True:
            try:
                yield pickle.load(file)
            except EOFError:
                return


class GltPartitions:
    """A folder that a partitioner of graphlearn_torch.partition made."""

    def __init__(self, args):
        self.root = pathlib.Path(args.root)
        if not (self.root / "META").exists():
            raise ExportError(f"{self.root} has no META; allowed: GLT's partitions")
        with open(self.root / "META", "rb") as file:
            meta = pickle.load(file)
        self.num_parts = meta["num_parts"]
        self.hetero = meta["data_cls"] != "homo"
        self.node_types = meta["node_types"] if self.hetero else ["node"]
        self.edge_types = ([tuple(t) for t in meta["edge_types"]] if self.hetero
                           else [("node", "to", "node")])

    def name(self, type_name):
        """The name of a type's folder; none in a graph without types."""
        if not self.hetero:
            return ""
        return type_name if isinstance(type_name, str) else "__".join(type_name)

    def partition_of_nodes(self, type_name):
        file = f"node_pb/{type_name}.pt" if self.hetero else "node_pb.pt"
        book = load_torch(self.root / file)
        if hasattr(book, "partition_bounds"):  # a RangePartitionBook
            bounds = to_numpy(book.partition_bounds)
            return np.searchsorted(bounds, np.arange(bounds[-1]), "right")
        return to_numpy(book).astype(np.int64)

    def graph_folders(self, edge_type):
        """Each partition's edges, or all of them together (graph caching)."""
        folders = [self.root / part / "graph" / self.name(edge_type)
                   for part in [".", *(f"part{p}" for p in range(self.num_parts))]]
        found = [folder for folder in folders if (folder / "rows.pt").exists()]
        return found[:1] if folders[0] in found else found

    def features(self, kind, type_name):
        """(ids, rows) for each piece of a type's features."""
        for p in range(self.num_parts):
            folder = self.root / f"part{p}" / kind / self.name(type_name)
            if not (folder / "feats.pkl").exists():
                continue
            for pair in zip(pickled(folder / "ids.pkl"), pickled(folder / "feats.pkl")):
                yield map(to_numpy, pair)


def export_glt_edges(partitions, edge_type, chunks):
    name = ":".join(edge_type)
    files = ["rows.pt", "cols.pt", "eids.pt", "weights.pt"]
    pieces = [[to_numpy(load_torch(folder / file)) if (folder / file).exists() else None
               for file in files] for folder in partitions.graph_folders(edge_type)]
    count = chunks.edges[name] = sum(piece[0].size for piece in pieces)
    if len(pieces) == 1 and pieces[0][2] is None:
        print(f"tributary_export: note: {name}: GLT kept no edge ids; edges are numbered "
              "as they are stored", file=sys.stderr)
        pieces[0][2] = np.arange(count)
    ids = Ids(f"edges of type {name}", count)
    for rows, cols, eids, weights in pieces:
        ids.add(eids)
        chunks.put("edges", name, "ends", eids, np.stack([rows, cols], 1))
        if weights is not None:
            chunks.put("edge_data", name, "weight", eids, weights)
    ids.finish()


def export_glt_features(partitions, kind, type_name, name, chunks):
    for ids, rows in partitions.features(f"{kind}_feat", type_name):
        chunks.put(f"{kind}_data", name, "feat", ids, rows)


def export_glt(args):
    partitions = GltPartitions(args)
    chunks = Chunks(args.out, partitions.root.resolve().name)
    for t in partitions.node_types:
        of = partitions.partition_of_nodes(t)
        chunks.nodes[t] = of.size
        chunks.save_assignment(t, of)
        export_glt_features(partitions, "node", t, t, chunks)
    for t in partitions.edge_types:
        export_glt_edges(partitions, t, chunks)
        export_glt_features(partitions, "edge", t, ":".join(t), chunks)
    return chunks


def load_values(path):
    return to_numpy(np.load(path) if path.endswith(".npy") else load_torch(path))


def split_spec(flag, text, chunks):
    """The type, name and files of "[TYPE/]NAME=FILE,..."."""
    match = re.fullmatch(r"(?:([^=]+)/)?([^=/]+)=(.+)", text)
    if not match:
        raise ExportError(f"{flag} {text}; allowed: [TYPE/]NAME=FILE")
    type_name, name, files = match.groups()
    if type_name is None and len(chunks.nodes) == 1:
        type_name = next(iter(chunks.nodes))
    if type_name in chunks.nodes:
        return type_name, name, files.split(",")
    raise ExportError(f"{flag} {text}; allowed types: {', '.join(chunks.nodes)}")


def add_node_data(args, chunks):
    """Adds arrays that lie beside the partitions: labels, and ids of splits."""
    for text in args.node_data:
        type_name, name, files = split_spec("--node-data", text, chunks)
        rows = load_values(files[0])
        count = chunks.nodes[type_name]
        if len(files) > 1 or rows.shape[0] != count:
            raise ExportError(f"--node-data {text}; allowed: a file with {count} rows")
        chunks.put("node_data", type_name, name, slice(None), rows)
    for text in args.node_ids:
        type_name, name, files = split_spec("--node-ids", text, chunks)
        count = chunks.nodes[type_name]
        mask = np.zeros(count, bool)
        for file in files:
            ids = load_values(file)
            if ((ids < 0) | (ids >= count)).any():
                raise ExportError(f"--node-ids {file}; allowed: 0 to {count - 1}")
            mask[ids] = True
        chunks.put("node_data", type_name, f"{name}_mask", slice(None), mask)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    formats = parser.add_subparsers(dest="format", required=True)
    dgl = formats.add_parser("dgl", help="a partition of DGL")
    dgl.add_argument("--part-config", required=True, help="its JSON file")
    ids = dgl.add_mutually_exclusive_group()
    ids.add_argument("--mapping", help="file of torch.save((node_map, edge_map), FILE), of "
                     "partition_graph(..., return_mapping=True)")
    ids.add_argument("--dgl-ids", action="store_true",
                     help="export DGL's new ids where the original ones are lost")
    glt = formats.add_parser("glt", help="partitions of GraphLearn-for-PyTorch")
    glt.add_argument("--root", required=True, help="their folder")
    for command in [dgl, glt]:
        command.add_argument("--out", required=True, help="folder to write")
        command.add_argument("--node-data", action="append", default=[],
                             metavar="[TYPE/]NAME=FILE",
                             help="also export an array (.npy or .pt) by original ids")
        command.add_argument("--node-ids", action="append", default=[],
                             metavar="[TYPE/]NAME=FILE,..",
                             help="also export a split, of files with original ids")
    return parser.parse_args(arguments)


def main(arguments: list) -> int:
    args = parse_arguments(arguments)
    unfinished = pathlib.Path(args.out + ".unfinished")
    try:
        chunks = export_dgl(args) if args.format == "dgl" else export_glt(args)
        add_node_data(args, chunks)
        chunks.finish()
    except (ExportError, OSError) as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        print(f"tributary_export: error: {error}", file=sys.stderr)
        return 1
    print(f"wrote {args.out} nodes={sum(chunks.nodes.values())} "
          f"edges={sum(chunks.edges.values())}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
