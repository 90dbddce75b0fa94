"""A delivered batch, whose tensors lie in the receive ring."""

from __future__ import annotations

import ctypes
from typing import Any, Iterator, Protocol

import numpy

from . import _dlpack, _library, errors
from ._handle import Handle

# By the number of the header: as in NumPy's array interface. bfloat16, which NumPy lacks,
# is shown as its bits.
_TYPES = {1: "|u1", 2: "|i1", 3: "<i2", 4: "<i4", 5: "<i8", 6: "<f2", 7: "<u2", 8: "<f4",
          9: "<f8", 10: "|b1"}
_BFLOAT16 = 7


Array = numpy.ndarray  # Tensor has a method of the module's name


class MemoryOwner(Protocol):
    """Holds the memory of tensors until nothing refers to it any more."""

    handle: Handle


class _Lease:
    """Holds the memory of a batch until nothing refers to it any more."""

    def __init__(self, pointer: ctypes.c_void_p):
        self.handle = Handle("batch", pointer, _library.library().tributary_batch_close)
        # Not when the program ends: views may be read until its very end.
        self.handle.close_with(self, at_exit=False)


class _Memory:
    """Shows memory of the ring to NumPy, and holds its lease."""

    def __init__(self, lease: MemoryOwner, address: int, shape: tuple[int, ...], dtype: int):
        self._lease = lease
        self.__array_interface__ = {
            "version": 3, "data": (address, True), "shape": shape, "typestr": _TYPES[dtype]}


def float32_of_bits(bits: numpy.ndarray) -> numpy.ndarray:
    """Returns the numbers whose bfloat16 bits (uint16) these are. It is exact."""
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


class Tensor:
    """A tensor of a batch: [shape] of `dtype`, row-major, on the CPU, for reading only.

    It holds the batch's memory, and so does each array or tensor of another library that is
    made of it without a copy: `numpy(copy=False)`, or DLPack, as torch.from_dlpack(tensor).
    """

    def __init__(self, lease: MemoryOwner, raw: _library.RawTensor):
        self._lease = lease
        self._dtype = raw.dtype
        self._address = raw.data or 0
        self.name: str = raw.name.decode()
        self.dtype: str = raw.dtype_name.decode()
        self.shape: tuple[int, ...] = tuple(raw.shape[: raw.ndim])
        self.nbytes: int = raw.bytes

    def numpy(self, copy: bool = True) -> Array:
        """Returns the tensor as an array: one of its own, or with copy=False a read-only view
        of the ring. NumPy has no bfloat16: such numbers are always copied, to float32, which
        is exact."""
        bits = self.bits()
        if self._dtype == _BFLOAT16:
            return float32_of_bits(bits)
        return numpy.array(bits) if copy else bits

    def bits(self) -> Array:
        """Returns a read-only view of the ring: of bfloat16 as uint16, of other types as
        they are."""
        if self.nbytes == 0:
            empty = numpy.empty(self.shape, _TYPES[self._dtype])
            empty.flags.writeable = False
            return empty
        return numpy.asarray(_Memory(self._lease, self._address, self.shape, self._dtype))

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """Exports the tensor by DLPack: flagged read-only to consumers that know version 1;
        others must not write to it."""
        _dlpack.check_request(stream, dl_device, copy)
        return _dlpack.export(self._lease.handle, self.name, max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns DLPack's device: the CPU."""
        return _dlpack.CPU

    def __repr__(self) -> str:
        return f"Tensor({self.name!r}, {self.dtype}, {list(self.shape)})"


class Batch:
    """A batch: a mapping from names (docs/sampling/tensors.md) to tensors in the ring.

    Its memory returns to the ring when it is closed, or not referred to any more, and so are
    its tensors and what was made of them without a copy. Batches that are kept fill the ring.
    """

    def __init__(self, pointer: ctypes.c_void_p):
        self._lease: _Lease | None = _Lease(pointer)
        key = _library.RawBatchKey()
        self._call("get_key", ctypes.byref(key))
        self.epoch: int = key.epoch
        self.index: int = key.index  # in the epoch, over all ranks
        self.session: str = key.session.decode()  # SHA-256 of the specification
        self._num_tensors: int = key.num_tensors

    def tensors(self) -> list[Tensor]:
        """Returns all tensors, names ascending."""
        return [self._tensor("tensor_at", number) for number in range(self._num_tensors)]

    def __getitem__(self, name: str) -> Tensor:
        """Returns the tensor of this name. Raises NotFound, a KeyError."""
        return self._tensor("tensor", name.encode())

    def keys(self) -> list[str]:
        """Returns the names, ascending."""
        return [tensor.name for tensor in self.tensors()]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __len__(self) -> int:
        return self._num_tensors

    def digest(self) -> str:
        """Returns the SHA-256 of the content (docs/sampling.md): the same from any servers."""
        digest = ctypes.create_string_buffer(65)
        self._call("digest", digest)
        return digest.value.decode()

    def close(self) -> None:
        """Lets go of the memory; tensors and views that were taken of it still hold it."""
        self._lease = None

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def _held(self) -> _Lease:
        if self._lease is None:
            raise errors.FailedPrecondition("the batch is closed")
        return self._lease

    def _call(self, name: str, *arguments: Any) -> None:
        self._held().handle.call(getattr(_library.library(), "tributary_batch_" + name),
                                 *arguments)

    def _tensor(self, name: str, which: Any) -> Tensor:
        raw = _library.RawTensor()
        self._call(name, which, ctypes.byref(raw))
        return Tensor(self._held(), raw)
