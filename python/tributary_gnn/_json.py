"""Options as JSON."""

from __future__ import annotations

import json
import os
from typing import Any


def _plain(value: Any) -> Any:
    """Returns what JSON has for a path, an enumerator, or a number or array of NumPy or
    PyTorch."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "value"):
        return value.value
    raise TypeError(f"{value!r} of type {type(value).__name__} has no form in JSON; allowed: "
                    "texts, numbers, true and false, and lists and mappings of these")


def to_json(value: Any) -> str:
    """Returns the value as JSON on one line. Raises TypeError for what has no such form."""
    return json.dumps(value, default=_plain)
