"""Partitioned graphs of what Python holds."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import pathlib
import re
import tempfile
from typing import Any, Iterator, Mapping

import numpy

from . import _dgl_graph, _program, errors, tributary_export
from ._arrays import NUMBERS, to_numpy

_LOGGER = logging.getLogger("tributary_gnn.partition")
# Formats of other systems' partitions: what tributary_export.py calls them, and their place.
_EXPORTED = {"dgl-partition": ("dgl", "--part-config"), "glt-partition": ("glt", "--root")}
_FLAGS_OF_EXPORTS = ("mapping", "dgl_ids", "node_data", "node_ids")
_PARTS_OF_TYPE = re.compile(r"[/.]|_$")


def partition(data: Any, out: str | os.PathLike, num_parts: int = 1, method: str = "random",
              **options: Any) -> pathlib.Path:
    """Writes a graph as a partitioned folder, which loaders and servers read:

        folder = tributary_gnn.partition(data, "cora.graph", num_parts=2, method="metis")

    Args:
      data: PyG's Data or HeteroData; a graph of DGL; or arrays by name, {"edge_index": [2, E],
        "x": [N, F], "y": [N], "train_mask": [N], ...}; or of a typed graph such mappings by
        type, {"paper": {...}, ("author", "writes", "paper"): {...}}; or a folder or file of a
        format that `tributary partition` reads. Arrays are NumPy's, torch tensors or lists;
        "adj" is a SciPy matrix whose entry [u, v] is an edge from u to v with that weight.
        Arrays that numpy.load(mmap_mode="r") has mapped are read where they lie.
        `train_mask`, `val_mask` and `test_mask`, or `train_idx` and so on, become splits.
        `time` is that of nodes or of edges by its length; `edge_weight` (or `weight`) and
        `edge_attr` are columns of edges (docs/data.md lists the names of arrays). Others are
        left out, which the log says as a warning.
      out: the folder to write, which must not exist.
      num_parts: the number of partitions.
      method: "random", "metis", "ldg", or "assignment" with assignment=FILE.
      options: flags of `tributary partition` by keyword: add_reverse=True, degrees=True,
        edge_masks=["train"], feature_dtype="float16", name="cora", format="ogb", ...
        With format="dgl-partition" `data` is the JSON file of a graph that DGL has
        partitioned, with "glt-partition" the folder of one of GraphLearn-for-PyTorch's, and
        method="assignment" keeps the parts as they are. They need DGL, or torch; `mapping`,
        `dgl_ids`, `node_data` ({"label": FILE}) and `node_ids` ({"train": FILES}) are flags of
        tributary_export.py (docs/migrating-from-dgl.md). GLT's files are pickles, which may
        run any code: name only what you trust.

    Returns `out` as a path. What the program says goes to the logger
    "tributary_gnn.partition".

    Raises:
      InvalidArgument (a ValueError), AlreadyExists, ...: the program refuses an option, the
        arrays, or `out`; the text is its own.
      TypeError: `data` is none of these.
    """
    words = ["--out", os.fspath(out), "--num-parts", str(num_parts), "--method", method]
    words += _program.flags(options)
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        if options.get("format") in _EXPORTED:
            return _of_other_system(path, out, num_parts, method, options)
        given = [] if "format" in options else ["--format", _format_of(path)]
        _program.run("partition", ["--input", path, *given, *words], _LOGGER)
        return pathlib.Path(out)
    if "format" in options:
        raise TypeError("format says what a folder or a file holds; allowed: without it for "
                        f"a {type(data).__name__}")
    if _dgl_graph.is_graph(data):
        data = _dgl_graph.arrays_of(data)
    # Beside `out`, where there is room for the graph.
    parent = pathlib.Path(out).absolute().parent
    with tempfile.TemporaryDirectory(dir=parent, prefix=".arrays-") as folder:
        _write(data, pathlib.Path(folder))
        named = [] if "name" in options else ["--name", pathlib.Path(out).stem]
        _program.run("partition", ["--format", "npy", "--input", folder, *named, *words], _LOGGER)
    return pathlib.Path(out)


def _of_other_system(path: str, out: str | os.PathLike, num_parts: int, method: str,
                     options: dict[str, Any]) -> pathlib.Path:
    """Writes a graph that DGL or GLT has partitioned, by way of chunks of DGL's."""
    system, root = _EXPORTED[options.pop("format")]
    words = [system, root, path]
    for name in _FLAGS_OF_EXPORTS:
        words += _flags_of_export(name, options.pop(name, None))
    with tempfile.TemporaryDirectory(dir=pathlib.Path(out).absolute().parent,
                                     prefix=".chunks-") as folder:
        chunks = os.path.join(folder, "chunks")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            code = tributary_export.main([*words, "--out", chunks])
        if code != 0:
            raise errors.InvalidArgument(said.getvalue().strip().rpartition("error: ")[2])
        if method == "assignment":
            options.setdefault("assignment", os.path.join(chunks, "assignment"))
        return partition(chunks, out, num_parts, method, format="dgl-chunked", **options)


def _flags_of_export(name: str, value: Any) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if not isinstance(value, Mapping):
        return [flag, os.fspath(value)]
    files = {its: [given] if isinstance(given, (str, os.PathLike)) else given
             for its, given in value.items()}
    return [word for its, paths in files.items()
            for word in (flag, f"{its}={','.join(map(os.fspath, paths))}")]


def _format_of(path: str) -> str:
    """The format of a folder or a file, by what there is."""
    there = pathlib.Path(path)
    if (there / "metadata.json").exists():
        return "dgl-chunked"
    if (there / "raw").exists():
        return "ogb"
    if there.suffix == ".npz" or any(there.glob("*.npy")) or any(there.glob("*/*.npy")):
        return "npy"
    return "edge-list"


def _write(data: Any, folder: pathlib.Path) -> None:
    if not hasattr(data, "edge_types") and not _is_typed(data):
        _write_arrays(_columns(data), folder, "data")
        return
    for name, store in _stores(data):
        parts = (name,) if isinstance(name, str) else name
        _write_arrays(_columns(store), folder / _folder_of(parts), str(name))


def _is_typed(data: Any) -> bool:
    return isinstance(data, Mapping) and any(isinstance(v, Mapping) for v in data.values())


def _stores(data: Any) -> Iterator[tuple[Any, Any]]:
    """The stores of a typed graph by their types."""
    if isinstance(data, Mapping):
        yield from data.items()
        return
    for name in (*data.node_types, *data.edge_types):
        yield name, data[name]


def _columns(store: Any) -> dict[str, Any]:
    """The arrays of a store by name, and the number of its nodes."""
    if isinstance(store, Mapping) and not hasattr(store, "to_dict"):
        return dict(store)
    if not hasattr(store, "to_dict"):
        raise TypeError(f"a {type(store).__name__} is no graph; allowed: PyG's Data or "
                        "HeteroData, a graph of DGL, a mapping of arrays, or a path")
    columns = {name: value for name, value in store.to_dict().items() if _is_array(value)}
    num_nodes = getattr(store, "num_nodes", None)  # not of edges
    if num_nodes is not None:
        columns.setdefault("num_nodes", num_nodes)
    return columns


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array__") or isinstance(value, (list, int))


def _folder_of(parts: tuple[str, ...]) -> str:
    """A type's name in a path (docs/graph-format.md)."""
    return "__".join(_PARTS_OF_TYPE.sub(lambda c: f",{ord(c[0]):02x}", part) for part in parts)


def _write_arrays(columns: dict[str, Any], folder: pathlib.Path, whose: str) -> None:
    if hasattr(columns.get("adj"), "tocsr"):
        _add_matrix(columns)
    _name_times(columns, whose)
    _name_weights(columns)
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in columns.items():
        path = folder / f"{name}.npy"
        source = _whole_file(value)
        if source is not None:
            path.symlink_to(source)
        else:
            numpy.save(path, _as_array(name, value, whose), allow_pickle=False)


def _add_matrix(columns: dict[str, Any]) -> None:
    """Replaces `adj`, a matrix of SciPy, by its arrays."""
    matrix = columns.pop("adj").tocsr()
    columns.update(csr_indptr=matrix.indptr, csr_indices=matrix.indices,
                   edge_weight=matrix.data)
    columns.setdefault("num_nodes", matrix.shape[0])


def _name_times(columns: dict[str, Any], whose: str) -> None:
    """Calls `time` node_time or edge_time, by its length."""
    if "time" not in columns:
        return
    count = len(columns["time"])
    edges = columns.get("edge_index")
    num_edges = None if edges is None else numpy.shape(edges)[-1]
    nodes = next((columns[name] for name in ("x", "y") if name in columns), None)
    num_nodes = columns.get("num_nodes", None if nodes is None else len(nodes))
    if num_edges is None:
        name = "node_time"
    elif num_nodes is None or count != num_nodes:
        name = "edge_time"
    elif count != num_edges:
        name = "node_time"
    else:
        raise ValueError(f"{whose}: time has {count} values, as many as there are nodes and "
                         "edges; allowed: the name node_time or edge_time")
    columns[name] = columns.pop("time")


def _name_weights(columns: dict[str, Any]) -> None:
    """Calls `weight` edge_weight where it has a number for each edge."""
    if not {"weight", "edge_index"} <= set(columns) or "edge_weight" in columns:
        return
    if len(columns["weight"]) == numpy.shape(columns["edge_index"])[-1]:
        columns["edge_weight"] = columns.pop("weight")


def _whole_file(value: Any) -> str | None:
    """The .npy file that an array maps as a whole, or None."""
    path = getattr(value, "filename", None)
    if not isinstance(value, numpy.memmap) or path is None or not str(path).endswith(".npy"):
        return None
    stored = numpy.load(path, mmap_mode="r")
    same = (stored.shape == value.shape and stored.dtype == value.dtype
            and stored.offset == value.offset and stored.strides == value.strides)
    return os.path.abspath(path) if same else None


def _as_array(name: str, value: Any, whose: str) -> numpy.ndarray:
    array = to_numpy(value)
    if array.dtype.kind not in NUMBERS:
        raise TypeError(f"{whose}: {name} is of dtype {array.dtype}; allowed: numbers, bool")
    return numpy.ascontiguousarray(array)
