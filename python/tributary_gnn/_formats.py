"""What loaders yield: NumPy, torch or PyG."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Callable

from tributary_gnn.batch import Batch

# Converts a batch of a loader. In `formats`, one module for each.
Converter = Callable[[Batch, Any], Any]


def _numpy(batch: Batch, _loader: Any) -> Batch:
    return batch


def find(name: str | None) -> Converter:
    """The converter of a format; None: the one whose packages are installed.

    Raises ValueError for another name and ImportError without the packages."""
    if name is None or name == "numpy":
        return _numpy
    raise ValueError(f"format is {name!r}; allowed: 'numpy'")
