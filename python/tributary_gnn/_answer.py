"""Arrays that the C library has read, and what they become for users."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy

from . import _library
from ._handle import Handle
from .batch import Tensor

Array = Any  # numpy.ndarray, or torch.Tensor with format="torch"


class Answer:
    """Arrays that the library has made, until nothing refers to them."""

    def __init__(self, pointer: ctypes.c_void_p):
        self.handle = Handle("arrays", pointer, _library.library().tributary_arrays_close)
        self.handle.close_with(self, at_exit=False)

    def tensor(self, name: str) -> Tensor:
        """Returns the tensor of this name, which holds all of them."""
        raw = _library.RawTensor()
        self.handle.call(_library.library().tributary_arrays_tensor, name.encode(),
                         ctypes.byref(raw))
        return Tensor(self, raw)

    def close(self) -> None:
        """Releases them."""
        self.handle.close()


def converter(format: str) -> Callable[..., Array]:
    """Returns the function that makes an array of a Tensor or a NumPy array, seen as numbers
    of another `dtype` of the same size where one is given.

    Raises:
      ValueError: there is no such format.
      ImportError: there is no torch.
    """
    if format == "numpy":
        return _to_numpy
    if format == "torch":
        return _torch_converter()
    raise ValueError(f"format is {format!r}; allowed: 'numpy', 'torch'")


def _to_numpy(made: Tensor | numpy.ndarray, dtype: str | None = None) -> numpy.ndarray:
    array = made.numpy() if isinstance(made, Tensor) else made
    return array if dtype is None else array.view(dtype)


def _torch_converter() -> Callable[..., Array]:
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ModuleNotFoundError as error:
        raise ImportError(f"format 'torch' needs the package {error.name}, which is not "
                          "installed; allowed here: 'numpy', or install it") from error

    def to_torch(made: Tensor | numpy.ndarray, dtype: str | None = None) -> Any:
        if isinstance(made, Tensor) and made.dtype == "bfloat16":
            # torch of before 2.3 has no uint16.
            bits = numpy.array(made.bits()).view(numpy.int16)
            return torch.from_numpy(bits).view(torch.bfloat16)
        return torch.from_numpy(_to_numpy(made, dtype))

    return to_torch
