"""Inputs as users have them, as options of a session."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any

import numpy as np


class ListFiles:
    """Lists of numbers as files that the library reads when a loader is opened.
    A context manager: the files are gone after it."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0

    def __enter__(self) -> ListFiles:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def option(self, values: Any, what: str) -> str:
        """@FILE of an array, list or torch tensor of one dimension."""
        array = np.asarray(values)
        if array.ndim != 1 or array.dtype.kind not in "biuf":
            raise ValueError(f"{what} has shape {list(array.shape)} and dtype "
                             f"{array.dtype}; allowed: numbers in one dimension")
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="tributary_gnn-")
        self._count += 1
        path = os.path.join(self._folder.name, f"{self._count}.npy")
        np.save(path, array)
        return "@" + path


def node_inputs(value: Any, files: ListFiles) -> str:
    """PyG's `input_nodes` as the option of that name.

    None: all nodes. A split's name, ids or a mask; (type, one of these) in a
    typed graph."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return f"{value[0]}:{node_inputs(value[1], files)}"
    if value is None:
        return "*"
    if isinstance(value, (str, pathlib.PurePath)):
        return str(value)
    array = np.asarray(value)
    if array.dtype.kind == "f" or array.size == 0:
        raise ValueError(
            f"input_nodes has {array.size} values of dtype {array.dtype}; allowed: "
            "ids (whole numbers), a mask (bool), a split's name, None for all "
            "nodes, or (type, one of these)")
    return files.option(array, "input_nodes")
