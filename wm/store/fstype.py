"""Classify the file system of the data folder (ST-2, facts of durability).

durable       flushes reach the disk and locks work: every guarantee of the store applies
best_effort   works, but a power cut may lose more (memory disks, overlays, unknown formats)
unsupported   locks or renames do not work between machines, or a sync program replaces files:
              refused unless the user allows it

Reads the system's mount table only, never the data folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from wm.errors import StoreError
from wm.store.fsops import TABLES

DURABLE = "durable"
BEST_EFFORT = "best_effort"
UNSUPPORTED = "unsupported"

_DURABLE = frozenset(TABLES.words("durable"))
_UNSUPPORTED = frozenset(TABLES.words("unsupported"))
_NETWORK_FUSE = frozenset(TABLES.words("network_fuse"))
_SYNC_FOLDERS = frozenset(row[0] for row in TABLES.rows("sync_folders", columns=1))


class FileSystem(Struct, frozen=True):
    """kind: the system's name (`ext4`); durability: one of the three classes; sync: the path
    component that belongs to a sync program, else ""."""

    kind: str
    durability: str
    sync: str = ""


def of(path: str | os.PathLike[str]) -> FileSystem:
    """The file system of a folder, or of the nearest folder above it that exists."""
    real = os.path.realpath(path)
    return classify(real, _kind(real))


def require_supported(path: str | os.PathLike[str], allow: bool) -> FileSystem:
    """The file system of the data folder; raises StoreError for an unsupported one unless
    `allow` (the option `allow_network_folder`)."""
    found = of(path)
    if found.durability != UNSUPPORTED or allow:
        return found
    where = f"in the sync folder {found.sync!r}" if found.sync else f"on a {found.kind} file system"
    raise StoreError.of("home.network_folder", path=os.fspath(path), where=where)


def classify(real: str, kind: str) -> FileSystem:
    """The class of a resolved path on a file system of this kind ("" for unknown)."""
    sync = next((part for part in Path(real).parts if _is_sync(part)), "")
    fuse, _, flavour = kind.partition(".")
    if sync or kind in _UNSUPPORTED or (fuse == "fuse" and flavour in _NETWORK_FUSE):
        return FileSystem(kind, UNSUPPORTED, sync)
    return FileSystem(kind or "unknown", DURABLE if kind in _DURABLE else BEST_EFFORT)


def _is_sync(part: str) -> bool:
    name = part.casefold()
    return name in _SYNC_FOLDERS or name.startswith(("onedrive - ", "dropbox ("))


def _kind(real: str) -> str:
    if sys.platform == "darwin":
        return _statfs_name(real)
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").split("\n")
    except OSError:
        return ""
    return kind_in(lines, real)


def kind_in(mountinfo: Iterable[str], real: str) -> str:
    """The type of the mount that covers a resolved path; the later of two mounts at one place."""
    kind, length = "", -1
    for line in mountinfo:
        head, dash, tail = line.partition(" - ")
        fields = head.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = _unescaped(fields[4])
        covers = real == point or real.startswith(point if point.endswith("/") else point + "/")
        if covers and len(point) >= length:
            kind, length = tail.split(" ")[0], len(point)
    return kind


def _unescaped(text: str) -> str:
    """Decode the kernel's three-digit octal escapes of space, tab, newline and backslash."""
    for code, plain in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, plain)
    return text


_STATFS_NAME = slice(72, 88)
"""Offset of `f_fstypename` in macOS's struct statfs with 64-bit inodes."""


def _statfs_name(real: str) -> str:
    import ctypes  # only macOS needs it, and it is slow to import

    libc = ctypes.CDLL(None, use_errno=True)
    statfs = getattr(libc, "statfs$INODE64", None) or libc.statfs
    at = real
    while at != "/" and not os.path.lexists(at):
        at = os.path.dirname(at)
    buffer = ctypes.create_string_buffer(4096)
    if statfs(os.fsencode(at), buffer) != 0:
        return ""
    return buffer.raw[_STATFS_NAME].split(b"\0")[0].decode("ascii", "replace")
