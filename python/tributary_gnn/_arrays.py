"""Lists of ids, masks, times and weights, as the C library takes them: .npy files.

They are files in memory without a name (memfd), which the library opens by
/proc/self/fd/N while a loader is opened.
"""

from __future__ import annotations

import os
from typing import Any

import numpy

from . import errors

# Kinds of dtypes of numbers, true and false, and times.
NUMBERS = "biufM"


class ArrayFiles:
    """Arrays that a session names, until the loader is open:

        with ArrayFiles() as files:
            Loader(source, {"input_nodes": files.text("input_nodes", ids), ...})
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._descriptors: list[int] = []

    def text(self, name: str, values: Any) -> str:
        """Returns the text of the option `name` whose list is this one-dimensional array,
        list or tensor."""
        return self.array_text(name, as_array(name, values))

    def array_text(self, name: str, array: numpy.ndarray) -> str:
        """Returns the text of the option `name` whose file is the array, of any shape."""
        descriptor = os.memfd_create(f"tributary {name}", os.MFD_CLOEXEC)
        self._descriptors.append(descriptor)
        with open(descriptor, "wb", closefd=False) as file:
            numpy.save(file, array, allow_pickle=False)
        path = f"/proc/self/fd/{descriptor}"
        self._names[path] = name
        return "@" + path

    def explain(self, error: errors.Error) -> errors.Error:
        """Returns the error with the names of options for those of files."""
        text = str(error)
        # Longer ones first: /proc/self/fd/1 begins /proc/self/fd/12.
        for path in sorted(self._names, key=len, reverse=True):
            text = text.replace(path, self._names[path])
        return type(error)(text)

    def __enter__(self) -> ArrayFiles:
        return self

    def __exit__(self, *unused: Any) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())


def to_numpy(values: Any) -> numpy.ndarray:
    """Returns an array, a list or a tensor as NumPy's array, of any shape and dtype."""
    if hasattr(values, "detach"):  # a torch.Tensor, perhaps on a GPU
        values = values.detach().cpu().numpy()
    return numpy.asarray(values)


def as_array(name: str, values: Any) -> numpy.ndarray:
    """Returns numbers, or true and false, as an array of one dimension.

    Raises:
      TypeError, ValueError: they are something else.
    """
    array = to_numpy(values)
    if array.size == 0:
        array = array.reshape(0).astype(numpy.int64)
    if array.dtype.kind not in NUMBERS:
        raise TypeError(f"{name} is {values!r:.100}; allowed: numbers, or a mask of bool")
    if array.ndim == 0:
        raise ValueError(f"{name} is one number, {values!r}; allowed: a list or an array")
    return array
