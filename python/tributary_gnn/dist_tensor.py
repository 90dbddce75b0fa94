"""Tensors whose rows live on the servers, as DGL's DistTensor."""

from __future__ import annotations

import ctypes
import json
import operator
from typing import Any, Mapping, Sequence

import numpy

from . import _library
from ._answer import Array
from ._arrays import to_numpy
from ._ids import to_ids
from ._interrupt import interruptible
from ._json import to_json
from ._memory import ask_for_huge_pages
from ._shared_handle import SharedHandle
from .batch import float32_of_bits
from .dist_context import DistContext, wait

# What NumPy has for bfloat16: its bits.
_BITS = {"bfloat16": "uint16"}


class DistTensor:
    """Rows [num_rows] or [num_rows, dim] on the servers of a `DistContext`, that all ranks read
    and write (docs/distributed-data.md):

        memory = DistTensor(context, "memory", (num_nodes, 64), policy="node:paper")
        memory[ids] = values                   # float32 [ids, 64]
        rows = memory[ids]

    A name is within the job and the graph. Reads and writes of one rank are in order; others
    see a write in calls that begin after it has returned. A row is read and written whole.
    Ids are given as those of `Graph`.

    Args:
      context: the group. All ranks open the same tensors in the same order: a collective.
      name: 1 to 300 bytes of UTF-8.
      shape: (num_rows,) or (num_rows, dim); a number is (num_rows,).
      dtype: "float32", ... as in NumPy, or a dtype of NumPy or torch.
      initial: what rows hold until they are written: "zeros", "ones", or a mapping of "kind"
        ("uniform" with "low" and "high", "normal" with "mean" and "std", "xavier_uniform" with
        "gain"), and "random_seed". Servers run no code of trainers, so it is no function.
      policy: "node:TYPE" or "edge:SRC,REL,DST": the rows are those of nodes or edges, of which
        there must be as many.
      persistent: whether it stays after the run, until `tributary tensors drop`.

    Raises:
      AlreadyExists: it has another shape, dtype, initial value or policy.
      InvalidArgument (a ValueError): a wrong argument, or ranks that ask for different ones.
      ResourceExhausted: it does not fit the servers' --tensor-memory.
    """

    def __init__(self, context: DistContext, name: str, shape: Sequence[int] | int,
                 dtype: Any = "float32", *, initial: str | Mapping[str, Any] = "zeros",
                 policy: str | None = None, persistent: bool = False):
        self.context = context
        self._handle = self._open({
            "name": name, **_rows_of(shape), "dtype": dtype_name(dtype),
            "policy": policy or "", "persistent": bool(persistent),
            "initial": _initial(initial)})
        self._handle.close_with(self, at_exit=True)
        described = json.loads(self._text("schema"))
        self.name: str = described["name"]
        self._dtype: str = described["dtype"]
        self.num_rows: int = described["num_rows"]
        self.dim: int = described["dim"]
        self._numpy_dtype = numpy.dtype(_BITS.get(self._dtype, self._dtype))

    @property
    def dtype(self) -> Any:
        """The name of the dtype of rows, as in NumPy."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """(num_rows,) or (num_rows, dim)."""
        return self._shape(self.num_rows)

    def __len__(self) -> int:
        return self.num_rows

    def read(self, ids: Any = None) -> Array:
        """Returns rows, [ids] or [ids, dim], in the order of the ids. bfloat16 is float32 in
        NumPy, which has none. After rounds of gradients were closed it waits until they are
        applied.

        Raises:
          OutOfRange (an IndexError): no such row; nothing is read.
          Unavailable (a ConnectionError): a server that holds rows is lost, and the run over.
        """
        rows = to_ids(ids, self.num_rows)
        if self.context.format == "torch":
            return self._read_to_torch(rows)
        values = self._read_bits(rows)
        return float32_of_bits(values) if self._dtype in _BITS else values

    def set(self, ids: Any, values: Any) -> None:
        """Sets rows; of a row that comes twice, the last value wins. `values` are numbers,
        [ids] or [ids, dim], or one row or number for all.

        Raises:
          TypeError: numbers that the dtype cannot hold, as floats in int64.
          ValueError: another shape.
          OutOfRange (an IndexError): no such row; nothing is written.
        """
        self._write("set", ids, values)

    def add(self, ids: Any, values: Any) -> None:
        """Adds to rows, like `set`; a row that comes twice is added twice."""
        self._write("add", ids, values)

    def __getitem__(self, ids: Any) -> Array:
        """Returns rows; of one number a tensor of one row, as DGL's."""
        return self.read(indexed(ids, self.num_rows))

    def __setitem__(self, ids: Any, values: Any) -> None:
        self.set(indexed(ids, self.num_rows), values)

    def prefetch(self, ids: Any) -> None:
        """Begins to read rows that the next `read` of the same ids gives. No value depends on
        it."""
        rows = to_ids(ids, self.num_rows)
        self._call("prefetch", *_pointer(rows), keeps=rows)

    def copy_from(self, other: DistTensor) -> None:
        """Sets all rows to those of a tensor of the same shape and dtype. A collective."""
        handle, function = self._handle, _library.library().tributary_rows_copy
        wait(lambda: other._handle.call(
            lambda pointer: handle.call(lambda own: function(own, pointer))))

    def drop(self) -> None:
        """Ends it on the servers. A collective."""
        self._call("drop")
        self.close()

    def close(self) -> None:
        """Closes it here; the rows stay. A second time it does nothing."""
        self._handle.close()

    def __repr__(self) -> str:
        return f"DistTensor({self.name!r}, {list(self.shape)}, {self._dtype})"

    # ---- For optimizers ----------------------------------------------------------------

    def attach_optimizer(self, kind: str) -> None:
        """Gives the rows, float32, the state of an optimizer: "sgd", "adagrad" or "adam". A
        collective."""
        self._call("attach_optimizer", kind.encode())

    def push(self, place: int, ids: numpy.ndarray, gradients: numpy.ndarray,
             step: _library.RawStep) -> None:
        """Stages gradients, float32 [ids, dim], of distinct ascending rows, int64 [ids], in
        the running round, at a place that no other push of any rank has.

        Raises:
          OutOfRange (an IndexError): a gradient that is not finite; it names the row.
        """
        rows = numpy.ascontiguousarray(ids, numpy.int64)
        values = numpy.ascontiguousarray(gradients, numpy.float32)
        self._call("push", _library.whole("place", place, 32), *_pointer(rows),
                   values.ctypes.data_as(ctypes.c_void_p), values.nbytes,
                   ctypes.byref(step), keeps=(rows, values))

    # ---- Rows --------------------------------------------------------------------------

    def _shape(self, num_rows: int) -> tuple[int, ...]:
        return (num_rows, self.dim) if self.dim else (num_rows,)

    def _read_bits(self, rows: numpy.ndarray) -> numpy.ndarray:
        values = numpy.empty(self._shape(len(rows)), self._numpy_dtype)
        ask_for_huge_pages(values.ctypes.data, values.nbytes)
        self._call("read", *_pointer(rows), values.ctypes.data_as(ctypes.c_void_p),
                   values.nbytes, keeps=(rows, values))
        return values

    def _read_to_torch(self, rows: numpy.ndarray) -> Any:
        import torch  # pylint: disable=import-outside-toplevel
        values = torch.empty(self._shape(len(rows)), dtype=getattr(torch, self._dtype))
        ask_for_huge_pages(values.data_ptr(), values.nbytes)
        self._call("read", *_pointer(rows), ctypes.c_void_p(values.data_ptr()), values.nbytes,
                   keeps=(rows, values))
        return values

    def _write(self, function: str, ids: Any, values: Any) -> None:
        rows = to_ids(ids, self.num_rows)
        held = self._to_bits(values)
        shape = self._shape(len(rows))
        try:
            spread = numpy.ascontiguousarray(numpy.broadcast_to(held, shape))
        except ValueError:
            raise ValueError(f"values of {self.name} are {list(held.shape)}; allowed: "
                             f"{list(shape)}, or one row or number") from None
        self._call(function, *_pointer(rows), spread.ctypes.data_as(ctypes.c_void_p),
                   spread.nbytes, keeps=(rows, spread))

    def _to_bits(self, values: Any) -> numpy.ndarray:
        if self._dtype in _BITS:
            return self._bits_of_torch(values)
        array = to_numpy(values)
        if array.dtype == self._numpy_dtype:
            return array
        if not _holds(self._numpy_dtype, array):
            raise TypeError(f"values of {self.name} are {array.dtype}, such as "
                            f"{array.flat[0] if array.size else None}; allowed: {self._dtype}, or "
                            "numbers that it holds")
        return array.astype(self._numpy_dtype)

    def _bits_of_torch(self, values: Any) -> numpy.ndarray:
        if str(getattr(values, "dtype", "")) != "torch.bfloat16":
            raise TypeError(f"values of {self.name}, which is bfloat16; allowed: a torch tensor "
                            "of bfloat16, as NumPy has none")
        import torch  # pylint: disable=import-outside-toplevel
        return values.detach().cpu().contiguous().view(torch.int16).numpy().view(numpy.uint16)

    # ---- Calls of the library ----------------------------------------------------------

    def _open(self, options: dict[str, Any]) -> SharedHandle:
        library = _library.library()
        context_handle, text = self.context._handle, to_json(options).encode()

        def open_rows() -> SharedHandle:
            pointer = ctypes.c_void_p()
            context_handle.call(library.tributary_rows_open, text, ctypes.byref(pointer))
            opened = SharedHandle("tensor", pointer, library.tributary_rows_close, cancel=None)
            context_handle.tensors.add(opened)
            return opened

        return interruptible(open_rows, SharedHandle.close)

    def _call(self, name: str, *arguments: Any, keeps: Any = None) -> None:
        function, handle = getattr(_library.library(), "tributary_rows_" + name), self._handle

        def call(_held: Any = keeps) -> None:  # what it points to, also when nobody waits
            handle.call(function, *arguments)

        wait(call)

    def _text(self, name: str) -> str:
        pointer = ctypes.c_void_p()
        self._handle.call(getattr(_library.library(), "tributary_rows_" + name),
                          ctypes.byref(pointer))
        return _library.take_text(pointer)


def indexed(index: Any, count: int) -> Any:
    """Returns the ids of an index into `count` rows: of one number, a slice, or as it is."""
    if isinstance(index, slice):
        return numpy.arange(*index.indices(count), dtype=numpy.int64)
    if hasattr(index, "__len__") and getattr(index, "ndim", 1) != 0:
        return index
    try:
        return [operator.index(index)]
    except TypeError:
        return index


def _holds(dtype: numpy.dtype, array: numpy.ndarray) -> bool:
    """Whether the dtype has the numbers, but for the rounding of floats."""
    if dtype.kind == "f" or array.size == 0:
        return array.dtype.kind in "biuf"
    if array.dtype.kind not in "biu":
        return False
    least, most = (0, 1) if dtype.kind == "b" else (
        numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
    return least <= int(array.min()) and int(array.max()) <= most


def dtype_name(dtype: Any) -> str:
    """Returns the name of a dtype of NumPy or torch, or a name as it is."""
    text = str(dtype)
    if text.startswith("torch."):
        return text[len("torch."):]
    return dtype if isinstance(dtype, str) else numpy.dtype(dtype).name


def _rows_of(shape: Sequence[int] | int) -> dict[str, int]:
    given = (shape,) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
    if len(given) not in (1, 2) or (len(given) == 2 and given[1] < 1):
        raise ValueError(f"shape is {shape!r}; allowed: (num_rows,), (num_rows, dim) with a dim of "
                         "1 or more")
    return {"num_rows": operator.index(given[0]),
            "dim": operator.index(given[1]) if len(given) == 2 else 0}


def _initial(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        return {"kind": given}
    if isinstance(given, Mapping):
        return dict(given)
    raise TypeError(
        f"initial is {given!r}; allowed: \"zeros\", \"ones\", or a mapping such as "
        "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1}: servers run no function of a trainer. "
        "Other values are written by set()")


def _pointer(ids: numpy.ndarray) -> tuple[ctypes.c_void_p, int]:
    return ids.ctypes.data_as(ctypes.c_void_p), len(ids)
