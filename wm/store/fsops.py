"""The only door to the data folder (ST-6): one method per step that the kernel takes.

Knows nothing of documents, locks or durability classes; what has several steps lives in
`atomic`, `evidence`, `quarantine`. A subclass that overrides these methods sees, fails or cuts
every access of the store.

Protects: nothing below the data folder is reached through a symlink; everything is opened
relative to a folder descriptor, closed at exec, 0600 or 0700 whatever the umask says; no
descriptor is left behind on any error path. Raises plain OSError (ST-5, F06-F10, F70, F72).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType

from msgspec import Struct

from wm.store import glance
from wm.store.lanes import Lanes

FILE_MODE = 0o600
FOLDER_MODE = 0o700
CHUNK = 1024 * 1024
_COMPARED = 256 * 1024
"""Bytes that are compared in one step: as many as a processor keeps at hand."""
_RESERVED = 512 * 1024
"""Bytes from which on a file's room is taken at once: for fewer that costs what it saves."""
MAX_LANES = 8

# One for the process: data folders are opened and left, the threads stay.
_lanes = Lanes(2 * MAX_LANES)

Errors = list[OSError]

_EXCHANGE = 2
# What a system or a file system without the swap answers.
_NO_EXCHANGE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM})


def _find_renameat2() -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    found = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if found is not None:
        found.argtypes = (
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_uint,
        )
    return found


_renameat2 = _find_renameat2()


def _find_fallocate() -> Callable[..., int] | None:
    # Elsewhere an offset may be another number.
    if not (sys.platform.startswith("linux") and sys.maxsize > 2**32):
        return None
    found = getattr(ctypes.CDLL(None, use_errno=True), "fallocate", None)
    if found is not None:
        found.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_longlong, ctypes.c_longlong)
    return found


_fallocate = _find_fallocate()
_KEEP_SIZE = 1

# A folder that cannot be flushed on this file system says so with one of these; every other
# error of a folder flush is real.
_NO_FOLDER_FLUSH = frozenset({errno.EINVAL, errno.ENOTSUP})
# macOS: what a volume without a full flush answers; then the ordinary one is all there is.
_NO_FULL_FLUSH = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOTTY})

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Handle(Struct):
    """An open file or folder; `path` is relative to the data folder ("" for itself)."""

    disk: Disk
    path: str
    fd: int
    is_folder: bool

    def __enter__(self) -> Handle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.disk.close(self)


class Disk:
    """System calls on one data folder. Paths have `/` between safe names, no `..`."""

    parallel = True
    """Whether several flushes may run at once; disks that trace or fail calls say False."""
    reserves = False
    """Whether the room of a large file is taken before its bytes are written: on ext4 that costs
    less than to ask for each block of it. Set once it is known what the data folder lies on."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._identity: tuple[int, int] | None = None
        self._rooms: list[mmap.mmap] = []
        """Rooms to compare in that nobody uses now."""

    # --- folders ------------------------------------------------------------------------

    def make_home(self) -> bool:
        """Create the data folder and what is missing on the way to it; True if it was missing."""
        if self._identity is not None or self.home.exists():
            return False
        for folder in (*reversed(self.home.parents), self.home):
            if not folder.exists():
                with contextlib.suppress(FileExistsError):  # another process was faster
                    folder.mkdir(FOLDER_MODE)
                    folder.chmod(FOLDER_MODE)
                self._flush_at(folder.parent)
        return True

    def folder(self, path: str) -> Handle:
        """Open a folder, one component at a time, never through a symlink."""
        fd = self._open_home()
        for name in path.split("/") if path else ():
            try:
                inner = os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=fd)
            finally:
                os.close(fd)
            fd = inner
        return Handle(self, path, fd, is_folder=True)

    def inner(self, folder: Handle, name: str) -> Handle:
        """Open a folder of an open one, never through a symlink."""
        fd = os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=folder.fd)
        return Handle(self, _join(folder.path, name), fd, is_folder=True)

    def mkdir(self, folder: Handle, name: str) -> None:
        """Create a folder 0700; FileExistsError if the name is taken."""
        os.mkdir(name, FOLDER_MODE, dir_fd=folder.fd)
        # The umask may have taken every right, so that it cannot be opened before this.
        os.chmod(name, FOLDER_MODE, dir_fd=folder.fd)

    def list(self, folder: Handle) -> list[str]:
        """Names in a folder, sorted. Names that are no UTF-8 come with surrogates."""
        return sorted(os.listdir(folder.fd))

    def names(self, folder: Handle) -> Iterator[str]:
        """Names in a folder, one at a time and in no order: for folders of any size."""
        with os.scandir(folder.fd) as entries:
            for entry in entries:
                yield entry.name

    # --- files --------------------------------------------------------------------------

    def read(self, folder: Handle, name: str, limit: int) -> bytes:
        """The whole file. EFBIG beyond `limit` bytes, EISDIR or EINVAL for what is no file."""
        fd = os.open(name, os.O_RDONLY | _FILE_FLAGS, dir_fd=folder.fd)
        try:
            return self._read_all(fd, name, _size(fd, name), limit)
        finally:
            os.close(fd)

    def has(self, folder: Handle, name: str, raw: bytes) -> bool:
        """Whether a file has exactly these bytes. EISDIR or EINVAL for what is no file."""
        fd = os.open(name, os.O_RDONLY | _FILE_FLAGS, dir_fd=folder.fd)
        try:
            return _size(fd, name) == len(raw) and self._begins_with(fd, raw)
        finally:
            os.close(fd)

    def head_of_unchanged(
        self, folder: str, name: str, raw: bytes, beside: str, head_bytes: int
    ) -> bytes | None:
        """The first bytes of the file `beside`, where `name` in the same folder has exactly the
        bytes `raw`; None where that is not so, or cannot be told so quickly: see `glance`."""
        # A subclass sees every access.
        if type(self) is not Disk or self._identity is None:
            return None
        return glance.head_of_unchanged(
            self.home, self._identity, folder, name, raw, beside, head_bytes
        )

    def create(self, folder: Handle, name: str) -> Handle:
        """A new empty file for writing; FileExistsError if the name is taken."""
        return self._new(folder, name)

    def open(self, folder: Handle, name: str, *, write: bool = False) -> Handle:
        """An existing file; with `write`, every write goes to its end, which a pipe or a device
        would swallow: EINVAL for those."""
        flags = (os.O_RDWR | os.O_APPEND if write else os.O_RDONLY) | _FILE_FLAGS
        fd = os.open(name, flags, dir_fd=folder.fd)
        if write and not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError(errno.EINVAL, "not a regular file", name)
        return Handle(self, _join(folder.path, name), fd, is_folder=False)

    def open_lock(self, folder: Handle, name: str) -> Handle:
        """A file to lock, created if missing. Nothing is ever written to it."""
        while True:
            try:
                fd = os.open(name, os.O_RDWR | _FILE_FLAGS, dir_fd=folder.fd)
                return Handle(self, _join(folder.path, name), fd, is_folder=False)
            except FileNotFoundError:
                pass
            try:
                return self._new(folder, name)
            except FileExistsError:
                continue  # somebody was faster

    def read_at(self, file: Handle, offset: int, size: int) -> bytes:
        """Up to `size` bytes from `offset`; less at the end of the file."""
        return os.pread(file.fd, size, offset)

    def write(self, file: Handle, data: bytes) -> None:
        """Append all of `data`, however many calls it takes."""
        rest = memoryview(data)
        if self.reserves and len(rest) >= _RESERVED:
            _reserve(file.fd, len(rest))
        while rest:
            rest = rest[self.write_some(file, rest) :]

    def write_some(self, file: Handle, data: memoryview) -> int:
        """One write call: how many bytes went out. Never 0 for a regular file."""
        done = os.write(file.fd, data)
        if done == 0:
            raise OSError(errno.EIO, "the file takes no more bytes", file.path)
        return done

    def truncate(self, file: Handle, size: int) -> None:
        os.ftruncate(file.fd, size)

    def close(self, handle: Handle) -> None:
        """Close once; a closed handle stays closed.

        What a drive tells at this late moment is dropped: the descriptor is gone either way,
        and what must be on disk was flushed before.
        """
        fd, handle.fd = handle.fd, -1
        if fd < 0:
            return
        try:
            os.close(fd)
        except OSError as error:
            if error.errno == errno.EBADF:
                raise  # closed behind our back: that is a bug, and the number may be another's

    # --- names --------------------------------------------------------------------------

    def rename(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
        """Put `old` at `new`, replacing it; `target` is the folder of `new` if another."""
        os.rename(old, new, src_dir_fd=folder.fd, dst_dir_fd=(target or folder).fd)

    def exchange(self, folder: Handle, one: str, other: str) -> bool:
        """Swap two names in one step; False, and nothing done, where the system cannot.

        FileNotFoundError if one of them is missing. Replacing a file by `rename` makes ext4
        write the new one out at once, fifty times the cost; a swap leaves that to the flush.
        """
        if _renameat2 is None:
            return False
        names = os.fsencode(one), os.fsencode(other)
        if _renameat2(folder.fd, names[0], folder.fd, names[1], _EXCHANGE) == 0:
            return True
        code = ctypes.get_errno()
        if code in _NO_EXCHANGE:
            return False
        raise OSError(code, os.strerror(code), other)

    def link(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
        """A second name for one file; FileExistsError if `new` is taken."""
        os.link(
            old,
            new,
            src_dir_fd=folder.fd,
            dst_dir_fd=(target or folder).fd,
            follow_symlinks=False,
        )

    def unlink(self, folder: Handle, name: str) -> None:
        os.unlink(name, dir_fd=folder.fd)

    def rmdir(self, folder: Handle, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=folder.fd)

    def stat(self, folder: Handle, name: str) -> os.stat_result:
        """Of the name itself, never of what a symlink points to."""
        return os.stat(name, dir_fd=folder.fd, follow_symlinks=False)

    def status(self, handle: Handle) -> os.stat_result:
        """Of what is open."""
        return os.fstat(handle.fd)

    def chmod(self, handle: Handle, mode: int) -> None:
        os.fchmod(handle.fd, mode)

    # --- durability -----------------------------------------------------------------------

    def flush(self, handle: Handle) -> None:
        """Return when the file's bytes, or the folder's names, are on the drive."""
        try:
            _flush(handle.fd)
        except OSError as error:
            if not (handle.is_folder and error.errno in _NO_FOLDER_FLUSH):
                raise

    def flush_all(self, handles: Sequence[Handle]) -> None:
        """Flush several at once: the wait of the slowest. Raises the first error, after all."""
        errors: Errors = []
        if self.parallel and len(handles) > 1:
            lanes = [handles[lane::MAX_LANES] for lane in range(min(MAX_LANES, len(handles)))]
            _lanes.run([partial(self._flush_lane, lane, errors) for lane in lanes])
        else:
            self._flush_lane(handles, errors)
        if errors:
            raise errors[0]

    def _flush_lane(self, handles: Sequence[Handle], errors: Errors) -> None:
        for handle in handles:
            try:
                self.flush(handle)
            except OSError as error:
                errors.append(error)

    # --- the data folder itself -------------------------------------------------------------

    def _new(self, folder: Handle, name: str) -> Handle:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | _FILE_FLAGS
        fd = os.open(name, flags, FILE_MODE, dir_fd=folder.fd)
        try:
            os.fchmod(fd, FILE_MODE)
        except OSError:
            os.close(fd)
            raise
        return Handle(self, _join(folder.path, name), fd, is_folder=False)

    def _open_home(self) -> int:
        """The data folder. ESTALE if another folder stands there now: it was moved away or
        deleted while we ran, and must not come back in the wrong place (F25)."""
        try:
            fd = os.open(self.home, _FOLDER_FLAGS)
        except FileNotFoundError:
            if self._identity is None:
                raise
            raise OSError(errno.ESTALE, "the data folder is gone", str(self.home)) from None
        try:
            self._recognise(os.fstat(fd))
        except OSError:
            os.close(fd)
            raise
        return fd

    def _recognise(self, found: os.stat_result) -> None:
        identity = (found.st_dev, found.st_ino)
        if self._identity is None:
            if found.st_uid != os.geteuid():
                raise PermissionError(errno.EPERM, "belongs to another user", str(self.home))
            self._identity = identity
        elif identity != self._identity:
            raise OSError(errno.ESTALE, "another folder took its place", str(self.home))

    def _flush_at(self, path: Path) -> None:
        """Flush a folder above the data folder, which keeps the name of one that we made."""
        fd = os.open(path, _FOLDER_FLAGS)
        with Handle(self, "..", fd, is_folder=True) as parent:
            self.flush(parent)

    def _begins_with(self, fd: int, raw: bytes) -> bool:
        if len(raw) <= _COMPARED:
            return os.read(fd, len(raw) + 1) == raw
        try:
            room = self._rooms.pop()
        except IndexError:
            # Whole pages: some bytes behind the begin of one, copying takes several times as long.
            room = mmap.mmap(-1, _COMPARED, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        try:
            at = 0
            while at < len(raw):
                count = os.readv(fd, (room,))
                # `startswith` looks at the bytes where they are; slices would copy them.
                if not count or not raw.startswith(memoryview(room)[:count], at):
                    return False
                at += count
            return True
        finally:
            self._rooms.append(room)

    def _read_all(self, fd: int, name: str, size: int, limit: int) -> bytes:
        if size > limit:
            raise OSError(errno.EFBIG, f"larger than {limit} bytes", name)
        first = os.read(fd, size + 1)
        if len(first) == size:
            return first
        parts = [first]
        while (part := os.read(fd, CHUNK)) != b"":
            parts.append(part)
            if sum(map(len, parts)) > limit:
                raise OSError(errno.EFBIG, f"larger than {limit} bytes", name)
        return b"".join(parts)


def _size(fd: int, name: str) -> int:
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        code = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL
        raise OSError(code, "not a regular file", name)
    return found.st_size


def lock_holder(found: os.stat_result) -> int:
    """The process that holds a kernel lock on a file, 0 if the system does not tell.

    Linux lists locks by device and inode. Some file systems (btrfs, overlay) list another
    device than stat gives, so the inode alone decides when only one line has it.
    """
    lines = _locks()
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
    by_inode = [
        (words[5], int(words[4]))
        for words in lines
        if len(words) > 5
        and words[1] == "FLOCK"
        and words[5].rpartition(":")[2] == str(found.st_ino)
        and words[4].isdigit()
    ]
    exact = [pid for place, pid in by_inode if place.startswith(device + ":")]
    if exact:
        return exact[0]
    return by_inode[0][1] if len(by_inode) == 1 else 0


def locked_inodes() -> frozenset[int]:
    """The inodes on which somebody holds a kernel lock, as far as the system tells; on whatever
    device, because not every file system lists the one that stat gives."""
    found = (words[5].rpartition(":")[2] for words in _locks() if len(words) > 5)
    return frozenset(int(inode) for inode in found if inode.isdigit())


def _locks() -> list[list[str]]:
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as listing:
            return [line.split() for line in listing]
    except OSError:
        return []


def process_name(pid: int) -> str:
    """What the system calls a process, "" if it does not tell."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _flush(fd: int) -> None:
    """fsync; on macOS, where fsync leaves the bytes in the drive's cache, F_FULLFSYNC."""
    if sys.platform == "darwin":
        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        except OSError as error:
            if error.errno not in _NO_FULL_FLUSH:
                raise
        else:
            return
    os.fsync(fd)


def _reserve(fd: int, size: int) -> None:
    """Take the room for so many more bytes; the file stays as long as it is. A request only: a
    system that does not know it, or a full drive, is told of by the write."""
    if _fallocate is None:
        return
    with contextlib.suppress(OSError):
        _fallocate(fd, _KEEP_SIZE, os.fstat(fd).st_size, size)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
