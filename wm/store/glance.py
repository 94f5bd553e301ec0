"""A look at a small document that keeps the interpreter's lock (ST-4, ST-6).

Each call of the system through `os` gives the lock away. Whoever answers beside a thread that
computes waits to get it back, a dozen times for one document that did not change, while the calls
themselves take a microsecond each. Here they are made with the lock held. Only the main thread
looks so: in a daemon that is the loop, which a drive that hangs would stop either way. From any
other thread it would stop the loop, too.

It tells only "unchanged", by the exact bytes: whatever else it meets, the usual way looks again,
and that way says what it was. Linux only; elsewhere nobody looks so.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

MOST_BYTES = 64 * 1024
"""Of a document; to read and compare so many takes some microseconds."""

_AT_FDCWD = -100
_AT_EMPTY_PATH = 0x1000
_STATX_INO = 0x100
_STATX_BYTES = 256
# The inode, and the major and minor number of the device, where the kernel's `statx` has them on
# every architecture.
_INODE, _DEVICE = struct.Struct("=Q"), struct.Struct("=II")
_INODE_AT, _DEVICE_AT = 32, 136

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_Call = Callable[..., int]


class _Calls(Struct, frozen=True):
    """The system's own, with the interpreter's lock held. -1: it went wrong."""

    openat: _Call
    statx: _Call
    pread: _Call
    close: _Call


def _find_calls() -> _Calls | None:
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.PyDLL(None)
    number, text, place = ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p
    forms = {
        "openat": (number, (number, text, number)),
        "statx": (number, (number, text, number, ctypes.c_uint, place)),
        "pread": (ctypes.c_ssize_t, (number, place, ctypes.c_size_t, ctypes.c_long)),
        "close": (number, (number,)),
    }
    try:
        found = {name: getattr(library, name) for name in forms}
    except AttributeError:  # an old C library
        return None
    for name, (answer, arguments) in forms.items():
        found[name].restype, found[name].argtypes = answer, arguments
    return _Calls(**found)


_calls = _find_calls()


def head_of_unchanged(
    home: Path,
    identity: tuple[int, int],
    folder: str,
    name: str,
    raw: bytes,
    beside: str,
    head_bytes: int,
) -> bytes | None:
    """The first bytes of the file `beside`, where the one called `name` in the same folder has
    exactly the bytes `raw`. None where that is not so, or cannot be told from here.

    identity: device and inode of the data folder. No symlink below it is followed.
    """
    if _calls is None or len(raw) > MOST_BYTES or not _is_main_thread():
        return None
    at = _open_folder(_calls, home, identity, folder)
    if at < 0:
        return None
    try:
        if _read(_calls, at, name, len(raw) + 1) != raw:
            return None
        return _read(_calls, at, beside, head_bytes)
    finally:
        _calls.close(at)


def _is_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def _open_folder(calls: _Calls, home: Path, identity: tuple[int, int], folder: str) -> int:
    """The descriptor of a folder below the data folder; -1 where there is none to trust."""
    fd = calls.openat(_AT_FDCWD, os.fsencode(home), _FOLDER)
    if fd >= 0 and _identity(calls, fd) != identity:
        calls.close(fd)
        return -1
    for part in folder.split("/") if folder else ():
        if fd < 0:
            break
        inner = calls.openat(fd, part.encode(), _FOLDER | os.O_NOFOLLOW)
        calls.close(fd)
        fd = inner
    return fd


def _identity(calls: _Calls, fd: int) -> tuple[int, int] | None:
    told = bytearray(_STATX_BYTES)
    if calls.statx(fd, b"", _AT_EMPTY_PATH, _STATX_INO, _place_of(told)) != 0:
        return None
    device = os.makedev(*_DEVICE.unpack_from(told, _DEVICE_AT))
    return device, int(_INODE.unpack_from(told, _INODE_AT)[0])


def _read(calls: _Calls, folder: int, name: str, most: int) -> bytes | None:
    """The first bytes of a file; None where it cannot be read."""
    fd = calls.openat(folder, name.encode(), _FILE)
    if fd < 0:
        return None
    found = bytearray(most)
    count = calls.pread(fd, _place_of(found), most, 0)
    calls.close(fd)
    return None if count < 0 else bytes(memoryview(found)[:count])


def _place_of(room: bytearray) -> Any:
    """Where its bytes stand. An array of `ctypes` would make a type of every length, which only
    the collector takes away again."""
    return ctypes.byref(ctypes.c_char.from_buffer(room))
