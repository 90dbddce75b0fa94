"""Exports tensors by DLPack's protocol for Python: capsules around the C library's
structures (https://dmlc.github.io/dlpack/latest/python_spec.html)."""

from __future__ import annotations

import collections
import ctypes
import sys
from typing import Any, Callable

from . import _library
from ._handle import Handle

CPU = (1, 0)
_VERSION = 1
_NAME = b"dltensor"
_VERSIONED_NAME = b"dltensor_versioned"

_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    """DLManagedTensor, whose DLTensor has 48 bytes."""

    _fields_ = [("tensor", ctypes.c_uint8 * 48), ("context", ctypes.c_void_p),
                ("deleter", _Deleter)]


class _VersionedManaged(ctypes.Structure):
    """DLManagedTensorVersioned, up to its flags."""

    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p),
                ("deleter", _Deleter), ("flags", ctypes.c_uint64)]


def _python(name: str, result: Any, *arguments: Any) -> Any:
    """Returns a function of Python's own interface, which runs with the GIL held."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new_capsule = _python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p,
                       ctypes.c_void_p)
_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_pointer_of = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object,
                      ctypes.c_char_p)

# Capsules that may not have been taken. They have no destructor: a consumer that refuses a
# tensor drops its capsule while its error is set, and then no code in Python can run. So
# each is kept here until it was taken, which renames it, or nobody else refers to it.
_exported: collections.deque = collections.deque()


def _take(queue: collections.deque) -> tuple[Any, int]:
    """Takes the first element; returns it, and how many references to it there were."""
    taken = queue.popleft()
    return taken, sys.getrefcount(taken)


# Of an element that nothing else refers to. Versions of Python count differently.
_OWN_REFERENCES = _take(collections.deque([object()]))[1]


def _delete(capsule: Any) -> None:
    for name, kind in ((_NAME, _Managed), (_VERSIONED_NAME, _VersionedManaged)):
        if _is_valid(capsule, name):
            pointer = _pointer_of(capsule, name)
            kind.from_address(pointer).deleter(pointer)


def _is_taken(capsule: Any) -> bool:
    return not (_is_valid(capsule, _NAME) or _is_valid(capsule, _VERSIONED_NAME))


def release_refused() -> None:
    """Deletes the tensors of capsules that were dropped without being taken."""
    for _ in range(len(_exported)):
        try:
            capsule, references = _take(_exported)
        except IndexError:  # another thread does the same
            return
        if references == _OWN_REFERENCES:
            _delete(capsule)
        elif not _is_taken(capsule):
            _exported.append(capsule)


def check_request(stream: Any, dl_device: tuple[int, int] | None, copy: bool | None) -> None:
    """Raises BufferError for what __dlpack__ was asked and cannot do."""
    if stream is not None:
        raise BufferError(f"stream is {stream!r}; allowed: None, for tensors are on the CPU")
    if dl_device is not None and tuple(dl_device) != CPU:
        raise BufferError(f"dl_device is {dl_device}; allowed: {CPU}, the CPU")
    if copy:
        raise BufferError("copy is True; allowed: None or False; copy the imported tensor")


def export(batch: Handle, name: str, max_version: tuple[int, int] | None) -> Any:
    """Returns a capsule with the tensor, which holds the batch's memory until its consumer
    deletes it; of version 1 where `max_version` allows that."""
    release_refused()
    versioned = max_version is not None and max_version[0] >= _VERSION
    library = _library.library()
    function: Callable[..., int] = (
        library.tributary_batch_dlpack if versioned
        else library.tributary_batch_dlpack_unversioned)
    managed = ctypes.c_void_p()
    batch.call(function, name.encode(), ctypes.byref(managed))
    capsule = _new_capsule(managed, _VERSIONED_NAME if versioned else _NAME, None)
    _exported.append(capsule)
    return capsule
