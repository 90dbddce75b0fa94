"""The C library libtributary.so (trainer_client/c/tributary.h), bound by ctypes.

ctypes releases the interpreter's lock (GIL) while a function of the library runs.
"""

from __future__ import annotations

import ctypes
import functools
import operator
import os
import shutil

from . import errors

ABI_VERSION = 3
LIBRARY_VARIABLE = "TRIBUTARY_LIBRARY"
PROGRAM_VARIABLE = "TRIBUTARY_PROGRAM"

OK = 0
NOT_YET = 100
END_OF_EPOCH = 101

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_POINTER = ctypes.c_void_p
_OUT = ctypes.POINTER(ctypes.c_void_p)


class RawTensor(ctypes.Structure):
    """tributary_tensor: a tensor that the batch owns."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("dtype_name", ctypes.c_char_p),
        ("dtype", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
    ]


class RawBatchKey(ctypes.Structure):
    """tributary_batch_key."""

    _fields_ = [
        ("epoch", ctypes.c_uint64),
        ("index", ctypes.c_uint64),
        ("session", ctypes.c_char * 65),
        ("num_tensors", ctypes.c_uint64),
    ]


class RawLoaderSizes(ctypes.Structure):
    """tributary_loader_sizes."""

    _fields_ = [
        ("num_inputs", ctypes.c_uint64),
        ("num_batches", ctypes.c_uint64),
        ("begin_index", ctypes.c_uint64),
        ("end_index", ctypes.c_uint64),
        ("rounds", ctypes.c_uint64),
    ]


class RawIds(ctypes.Structure):
    """tributary_ids: ids of one type."""

    _fields_ = [
        ("type", ctypes.c_char_p),
        ("ids", ctypes.c_void_p),
        ("num_ids", ctypes.c_uint64),
    ]


class RawStep(ctypes.Structure):
    """tributary_step: the step of a round of gradients."""

    _fields_ = [
        ("learning_rate", ctypes.c_double),
        ("eps", ctypes.c_double),
        ("beta1", ctypes.c_double),
        ("beta2", ctypes.c_double),
        ("scale", ctypes.c_double),
    ]


# Callbacks: they take the GIL on the library's own threads.
WaitCallback = ctypes.CFUNCTYPE(None, _POINTER, ctypes.c_char_p, ctypes.c_double)
LogCallback = ctypes.CFUNCTYPE(None, _POINTER, ctypes.c_int32, ctypes.c_char_p)

# name: (result, arguments), as in the header.
_STATUS = ctypes.c_int32
_IDS = ctypes.c_void_p  # const int64_t*
_OF_IDS = [_POINTER, ctypes.c_char_p, _IDS, ctypes.c_uint64, _OUT]
_LISTS = ctypes.POINTER(RawIds)
_SHARED_OUT = [_POINTER, ctypes.c_char_p, ctypes.c_char_p, _IDS, ctypes.c_uint64,
               ctypes.c_char_p, _OUT]
_OF_PARTITION = [_POINTER, ctypes.c_char_p, ctypes.c_uint32, _OUT]
# void*, or const void*, and its bytes
_VALUES = [_POINTER, _IDS, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64]
_FUNCTIONS: dict[str, tuple] = {
    "tributary_abi_version": (ctypes.c_uint32, []),
    "tributary_version": (ctypes.c_char_p, []),
    "tributary_last_error": (ctypes.c_char_p, []),
    "tributary_text_free": (None, [_POINTER]),
    # The callbacks are passed as pointers, so that None is NULL.
    "tributary_set_log": (_STATUS, [ctypes.c_int32, _POINTER, _POINTER]),
    "tributary_source_open": (_STATUS, [ctypes.c_char_p, _POINTER, _POINTER, _OUT]),
    "tributary_source_shutdown": (_STATUS, [_POINTER, ctypes.c_int64]),
    "tributary_source_close": (None, [_POINTER]),
    "tributary_loader_open": (
        _STATUS, [_POINTER, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint32, _OUT]),
    "tributary_loader_start_epoch": (_STATUS, [_POINTER, ctypes.c_uint64]),
    "tributary_loader_resume": (_STATUS, [_POINTER, ctypes.c_char_p]),
    "tributary_loader_limit": (_STATUS, [_POINTER, ctypes.c_uint64, ctypes.c_uint64]),
    "tributary_loader_next": (_STATUS, [_POINTER, ctypes.c_int64, _OUT]),
    "tributary_loader_descriptor": (_STATUS, [_POINTER, ctypes.POINTER(ctypes.c_int)]),
    "tributary_loader_get_sizes": (_STATUS, [_POINTER, ctypes.POINTER(RawLoaderSizes)]),
    "tributary_loader_inputs_in_batch": (
        _STATUS, [_POINTER, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)]),
    "tributary_loader_schema": (_STATUS, [_POINTER, _OUT]),
    "tributary_loader_cursor": (_STATUS, [_POINTER, ctypes.c_uint64, _OUT]),
    "tributary_loader_statistics": (_STATUS, [_POINTER, _OUT]),
    "tributary_loader_cancel": (_STATUS, [_POINTER]),
    "tributary_loader_close": (None, [_POINTER]),
    "tributary_batch_get_key": (_STATUS, [_POINTER, ctypes.POINTER(RawBatchKey)]),
    "tributary_batch_digest": (_STATUS, [_POINTER, ctypes.c_char_p]),
    "tributary_batch_tensor_at": (
        _STATUS, [_POINTER, ctypes.c_uint64, ctypes.POINTER(RawTensor)]),
    "tributary_batch_tensor": (
        _STATUS, [_POINTER, ctypes.c_char_p, ctypes.POINTER(RawTensor)]),
    "tributary_batch_dlpack": (_STATUS, [_POINTER, ctypes.c_char_p, _OUT]),
    "tributary_batch_dlpack_unversioned": (_STATUS, [_POINTER, ctypes.c_char_p, _OUT]),
    "tributary_batch_close": (None, [_POINTER]),
    "tributary_graph_open": (_STATUS, [_POINTER, ctypes.c_char_p, ctypes.c_int64, _OUT]),
    "tributary_graph_schema": (_STATUS, [_POINTER, _OUT]),
    "tributary_graph_columns": (_STATUS, [_POINTER, _OUT]),
    "tributary_graph_read_nodes": (
        _STATUS, [_POINTER, ctypes.c_char_p, ctypes.c_char_p, _IDS, ctypes.c_uint64, _OUT]),
    "tributary_graph_read_edges": (
        _STATUS, [_POINTER, ctypes.c_char_p, ctypes.c_char_p, _IDS, ctypes.c_uint64, _OUT]),
    "tributary_graph_in_degrees": (_STATUS, _OF_IDS),
    "tributary_graph_out_degrees": (_STATUS, _OF_IDS),
    "tributary_graph_in_edges": (_STATUS, _OF_IDS),
    "tributary_graph_out_edges": (_STATUS, _OF_IDS),
    "tributary_graph_find_edges": (_STATUS, _OF_IDS),
    "tributary_graph_split": (_STATUS, [_POINTER, ctypes.c_char_p, ctypes.c_char_p, _OUT]),
    "tributary_graph_sample": (_STATUS, [_POINTER, _LISTS, ctypes.c_uint64, _LISTS,
                                         ctypes.c_uint64, ctypes.c_char_p, _OUT]),
    "tributary_graph_node_split": (_STATUS, _SHARED_OUT),
    "tributary_graph_edge_split": (_STATUS, _SHARED_OUT),
    "tributary_graph_partitions": (_STATUS, [_POINTER, _OUT]),
    "tributary_graph_node_partitions": (_STATUS, _OF_IDS),
    "tributary_graph_edge_partitions": (_STATUS, _OF_IDS),
    "tributary_graph_partition_nodes": (_STATUS, _OF_PARTITION),
    "tributary_graph_partition_edges": (_STATUS, _OF_PARTITION),
    "tributary_graph_cancel": (_STATUS, [_POINTER]),
    "tributary_graph_close": (None, [_POINTER]),
    "tributary_arrays_tensor": (
        _STATUS, [_POINTER, ctypes.c_char_p, ctypes.POINTER(RawTensor)]),
    "tributary_arrays_close": (None, [_POINTER]),
    "tributary_context_open": (_STATUS, [_POINTER, ctypes.c_char_p, _OUT]),
    "tributary_context_barrier": (_STATUS, [_POINTER, ctypes.c_char_p]),
    "tributary_context_gather": (
        _STATUS, [_POINTER, ctypes.c_char_p, ctypes.c_char_p, _OUT]),
    "tributary_context_save": (_STATUS, [_POINTER, ctypes.c_char_p]),
    "tributary_context_restore": (_STATUS, [_POINTER, ctypes.c_char_p]),
    "tributary_context_close_round": (_STATUS, [_POINTER]),
    "tributary_context_draining": (_STATUS, [_POINTER, ctypes.POINTER(ctypes.c_int32)]),
    "tributary_context_finish": (_STATUS, [_POINTER]),
    "tributary_context_cancel": (_STATUS, [_POINTER]),
    "tributary_context_close": (None, [_POINTER]),
    "tributary_rows_open": (_STATUS, [_POINTER, ctypes.c_char_p, _OUT]),
    "tributary_rows_schema": (_STATUS, [_POINTER, _OUT]),
    "tributary_rows_read": (_STATUS, _VALUES),
    "tributary_rows_prefetch": (_STATUS, [_POINTER, _IDS, ctypes.c_uint64]),
    "tributary_rows_set": (_STATUS, _VALUES),
    "tributary_rows_add": (_STATUS, _VALUES),
    "tributary_rows_attach_optimizer": (_STATUS, [_POINTER, ctypes.c_char_p]),
    "tributary_rows_push": (
        _STATUS, [_POINTER, ctypes.c_uint32, _IDS, ctypes.c_uint64, ctypes.c_void_p,
                  ctypes.c_uint64, ctypes.POINTER(RawStep)]),
    "tributary_rows_copy": (_STATUS, [_POINTER, _POINTER]),
    "tributary_rows_drop": (_STATUS, [_POINTER]),
    "tributary_rows_close": (None, [_POINTER]),
}


def library_path() -> str:
    """Returns the path of libtributary.so: $TRIBUTARY_LIBRARY, else the package's own."""
    return os.environ.get(LIBRARY_VARIABLE) or os.path.join(_PACKAGE, "lib", "libtributary.so")


def program_path() -> str | None:
    """Returns the path of the program `tributary`, which makes the workers of mode mp:
    $TRIBUTARY_PROGRAM, else the package's own, else the one in PATH; None without one."""
    given = os.environ.get(PROGRAM_VARIABLE)
    if given:
        return given
    own = os.path.join(_PACKAGE, "bin", "tributary")
    return own if os.path.exists(own) else shutil.which("tributary")


def _missing(path: str, why: str) -> errors.LibraryMissing:
    return errors.LibraryMissing(
        f"Tributary's C library {path}: {why}; allowed: a libtributary.so of this package's "
        f"version (interface {ABI_VERSION}) there, or its path in ${LIBRARY_VARIABLE}")


def _bind(library: ctypes.CDLL, path: str) -> None:
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError as error:
            raise _missing(path, f"it has no function {name}") from error
        function.restype = result
        function.argtypes = arguments


@functools.lru_cache(maxsize=None)
def _opened(path: str) -> ctypes.CDLL:
    if not os.path.exists(path):
        raise _missing(path, "there is no such file")
    try:
        library = ctypes.CDLL(os.path.abspath(path), mode=os.RTLD_LOCAL | os.RTLD_NOW)
    except OSError as error:
        raise _missing(path, f"it cannot be loaded: {error}") from error
    try:
        version = library.tributary_abi_version()
    except AttributeError as error:
        raise _missing(path, "it is another library") from error
    if version != ABI_VERSION:
        raise _missing(path, f"it has interface {version}, this package is for {ABI_VERSION}")
    _bind(library, path)
    return library


_in_use: ctypes.CDLL | None = None


def library() -> ctypes.CDLL:
    """Returns the library, which the first call loads.

    Raises:
      LibraryMissing: it is not there, or of another version.
    """
    global _in_use  # pylint: disable=global-statement
    # A process may hold one copy: a path that changes later has no effect.
    if _in_use is None:
        _in_use = _opened(library_path())
    return _in_use


def version() -> str:
    """Returns the version of the C library, such as "0.1.0"."""
    return library().tributary_version().decode()


def last_error(code: int) -> errors.Error:
    """Returns the exception of the call that has just failed in this thread."""
    return errors.of_code(code, library().tributary_last_error().decode(errors="replace"))


def check(code: int) -> None:
    """Raises the exception of a status other than OK, which this thread just got."""
    if code != OK:
        raise last_error(code)


def whole(name: str, value: int, bits: int = 64) -> int:
    """Returns a number that fits an unsigned argument: ctypes cuts others off.

    Raises:
      TypeError: it is no whole number.
      InvalidArgument: it does not fit.
    """
    number = operator.index(value)
    if not 0 <= number < 1 << bits:
        raise errors.InvalidArgument(
            f"{name} is {number}; allowed: a whole number from 0 to {(1 << bits) - 1}")
    return number


def take_text(pointer: ctypes.c_void_p) -> str:
    """Returns a text that the library made for its caller, and releases it."""
    try:
        return ctypes.string_at(pointer).decode()
    finally:
        library().tributary_text_free(pointer)
