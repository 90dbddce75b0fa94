#!/usr/bin/env python3
"""Writes the splits of an OGB dataset that are PyTorch's pickles as text that
`tributary partition` reads, in the same folders.

    python ogb_splits.py dataset/ogbl_collab
    tributary partition --input dataset/ogbl_collab --add-reverse --out collab.graph

This file is all that is needed, beside NumPy and torch. Pickles may run any code:
convert only what you trust. What is converted (the names are those of OGB's
`get_edge_split` and `get_idx_split`):

    array                             split/SCHEME/train.csv
    edge, edge_neg                    split/SCHEME/train.csv, train_neg.csv
    source_node, target_node          split/SCHEME/train.csv
    a dict by type                    split/SCHEME/TYPE/train.csv
    head, relation, tail              raw/train.csv, of triples, with
                                      raw/num-relation-list.csv
    the same of a typed graph         split/SCHEME/HEAD___RELATION___TAIL/train.csv

Other arrays (weights, years, corrupted heads and tails) are named and left out.
"""

import argparse
import gzip
import pathlib
import pickle
import sys

import numpy as np

NAMES = ("train", "valid", "test")


class SplitError(Exception):
    """What is wrong with the dataset or the command line."""


def load(path):
    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=False)
    except (pickle.UnpicklingError, EOFError, RuntimeError) as error:
        raise SplitError(f"{path} is damaged, or no pickle: {error}") from error


def whole_numbers(what, *columns):
    """The columns as arrays of the same length."""
    columns = [column.cpu() if hasattr(column, "cpu") else column for column in columns]
    columns = [np.asarray(column) for column in columns]
    if any(c.ndim == 0 or c.size and c.dtype.kind not in "iu" for c in columns):
        raise SplitError(f"{what} has no whole numbers")
    if len(columns) > 1 and any(c.shape != (len(columns[0]),) for c in columns):
        raise SplitError(f"{what} has columns of unequal length, or of several dimensions")
    return columns


def text_of(path):
    """The text PATH.csv or PATH.csv.gz; None if there is none."""
    for suffix in (".csv", ".csv.gz"):
        file = path.with_name(path.name + suffix)
        if file.exists():
            return file
    return None


class Dataset:
    """A folder of OGB's, and the texts that are to be written there."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.raw = self.folder / "raw"
        if not self.raw.is_dir():
            raise SplitError(f"{folder} has no folder raw; allowed: a folder of OGB's, "
                             "such as dataset/ogbl_collab")
        self.typed = ((self.raw / "edge_index_dict.npz").exists()
                      or any(text_of(self.raw / name) is not None
                             for name in ("triplet-type-list", "num-node-dict")))
        self.texts = {}  # by path without suffix: whole numbers [rows, columns]
        self.relations = 0  # of triples
        self.left_out = set()

    def put(self, path, table):
        if path in self.texts:
            raise SplitError(f"{path}.csv would be that of two schemes; convert them in "
                             "folders of their own")
        self.texts[path] = table

    def put_rows(self, path, what, rows):
        """Puts ids, or pairs of them."""
        [table] = whole_numbers(what, rows)
        if table.ndim != 1 and table.shape[1:] != (2,):
            raise SplitError(f"{what} has the shape {list(table.shape)}; allowed: "
                             "[rows] or [rows, 2]")
        self.put(path, table)

    def relation_folders(self):
        """The folder's name of each relation's number."""
        folders = {}
        packed = self.raw / "edge_reltype.npz"
        if packed.exists():
            with np.load(packed) as arrays:
                return {int(arrays[name].flat[0]): name for name in arrays
                        if arrays[name].size}
        for folder in (self.raw / "relations").glob("*___*___*"):
            file = text_of(folder / "edge_reltype")
            if file is None:
                raise SplitError(f"{folder}/edge_reltype.csv.gz is not there; it tells "
                                 "the number of a relation")
            with (gzip.open if file.suffix == ".gz" else open)(file, "rt") as text:
                line = text.readline().strip()
            if line:
                folders[int(float(line))] = folder.name
        return folders

    def add_triples(self, scheme, name, split, what):
        head, relation, tail = whole_numbers(
            what, *(split[key] for key in ("head", "relation", "tail")))
        if not self.typed:
            self.put(self.raw / name, np.stack([head, relation, tail], 1))
            self.relations = max(self.relations, relation.max(initial=-1) + 1)
            return
        folders = self.relation_folders()
        for number in np.unique(relation):
            if int(number) not in folders:
                raise SplitError(f"{what} has the relation {number}, which no "
                                 "edge_reltype of the input has")
            rows = relation == number
            self.put(scheme / folders[int(number)] / name,
                     np.stack([head[rows], tail[rows]], 1))

    def add(self, scheme, name, split, what, by_type):
        """Adds a split that errors call `what`; `by_type` tells that the keys of a
        dict are types."""
        if not isinstance(split, dict):
            self.put_rows(scheme / name, what, split)
            return
        keys = set(split)
        if {"head", "relation", "tail"} <= keys:
            taken = {"head", "relation", "tail", "head_type", "tail_type"}
            self.add_triples(scheme, name, split, what)
        elif by_type:
            taken = keys
            for key, part in split.items():
                joined = "___".join(key) if isinstance(key, tuple) else key
                self.add(scheme / joined, name, part, f"{what}, {joined},", False)
        elif "edge" in keys:
            taken = {"edge", "edge_neg"}
            for key in sorted(taken & keys):
                self.put_rows(scheme / (name + key[len("edge"):]), f"{what}, {key},",
                              split[key])
        elif {"source_node", "target_node"} <= keys:
            taken = {"source_node", "target_node"}
            ends = whole_numbers(what, split["source_node"], split["target_node"])
            self.put(scheme / name, np.stack(ends, 1))
        else:
            raise SplitError(f"{what} has {', '.join(sorted(map(str, keys)))}; allowed: "
                             "edge, source_node and target_node, or head, relation and "
                             "tail")
        self.left_out |= keys - taken

    def read(self):
        schemes = sorted(p for p in (self.folder / "split").glob("*") if p.is_dir())
        for scheme in schemes:
            whole = scheme / "split_dict.pt"
            if whole.exists():
                splits = load(whole)
                for name in NAMES:
                    if name not in splits:
                        raise SplitError(f"{whole} has no {name}")
                    self.add(scheme, name, splits[name], f"{whole}, {name},", self.typed)
                continue
            for name in NAMES:
                path = scheme / (name + ".pt")
                if path.exists():
                    self.add(scheme, name, load(path), str(path), self.typed)
        if not self.texts:
            raise SplitError(f"{self.folder}/split/SCHEME has no split_dict.pt and no "
                             "train.pt")
        if self.relations:
            self.put(self.raw / "num-relation-list", np.array([self.relations]))

    def write(self):
        """Writes all, or nothing."""
        for path in self.texts:
            if (there := text_of(path)) is not None:
                raise SplitError(f"{there} exists; remove it, or the pickle that it would "
                                 "be written from")
        parts = {path: path.with_name(path.name + ".csv.part") for path in self.texts}
        try:
            for path, part in parts.items():
                part.parent.mkdir(parents=True, exist_ok=True)
                np.savetxt(part, self.texts[path], fmt="%d", delimiter=",")
        except OSError:
            for part in parts.values():
                part.unlink(missing_ok=True)
            raise
        for path, part in parts.items():
            part.rename(path.with_name(path.name + ".csv"))
            print(f"wrote {path}.csv rows={len(self.texts[path])}")


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="ogb_splits.py", description=__doc__.split("\n\n")[0],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER",
                        help="an OGB dataset, with raw and split")
    args = parser.parse_args(arguments)
    try:
        dataset = Dataset(args.folder)
        dataset.read()
        dataset.write()
    except (SplitError, OSError) as error:
        print(f"ogb_splits: error: {error}", file=sys.stderr)
        return 1
    if dataset.left_out:
        print(f"ogb_splits: note: left out: {', '.join(sorted(map(str, dataset.left_out)))}",
              file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
