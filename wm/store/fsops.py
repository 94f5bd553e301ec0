"""The only access to the data folder (ST-6): one method per system call.

Does not know documents, locks or durability classes; operations of several steps are in `atomic`,
`evidence`, `quarantine`. A subclass that overrides these methods can trace, fail or cut off every
access of the store.

Protects: nothing below the data folder is reached through a symlink; everything is opened
relative to a folder descriptor, closed at exec, 0600 or 0700 whatever the umask says; no
descriptor is left open on any error path. The methods raise plain OSError; callers turn it into
one StoreError with a full sentence by `explained` (ST-5, F06-F10, F70, F72).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from wm.errors import StoreError
from wm.text.tables import Tables

FILE_MODE = 0o600
FOLDER_MODE = 0o700
CHUNK = 1024 * 1024
Bytes = bytes | bytearray | memoryview
MAX_FLUSHES = 8
"""Number of flushes of one commit that run at once."""

# Errors of a file system that cannot flush folders; every other error of a folder flush is real.
_NO_FOLDER_FLUSH = frozenset({errno.EINVAL, errno.ENOTSUP})
# macOS: errors of a volume without a full flush; the ordinary flush is then the best available.
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

    def __exit__(self, *_error: object) -> None:
        self.disk.close(self)


class Disk:
    """System calls on one data folder. Paths have `/` between safe names, no `..`."""

    parallel = True
    """Whether several flushes may run at once; disks that trace or fail calls set False."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._identity: tuple[int, int] | None = None
        self._flushers: tuple[int, ThreadPoolExecutor] | None = None
        """The process id of the flush threads, and their pool."""

    # --- folders ------------------------------------------------------------------------

    def make_home(self) -> bool:
        """Create the data folder and missing folders above it; True if the data folder was
        missing."""
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

    def mkdir(self, folder: Handle, name: str) -> None:
        """Create a folder 0700; FileExistsError if the name is taken."""
        os.mkdir(name, FOLDER_MODE, dir_fd=folder.fd)
        # A umask may have removed all permissions; the folder could then not be opened.
        os.chmod(name, FOLDER_MODE, dir_fd=folder.fd)

    def list(self, folder: Handle) -> list[str]:
        """Names in a folder, sorted. Names that are not UTF-8 contain surrogates."""
        return sorted(os.listdir(folder.fd))

    def names(self, folder: Handle) -> Iterator[str]:
        """Names in a folder, one at a time and unsorted: for folders of any size."""
        with os.scandir(folder.fd) as entries:
            for entry in entries:
                yield entry.name

    # --- files --------------------------------------------------------------------------

    def read(self, folder: Handle, name: str, limit: int) -> bytes:
        """The whole file. EFBIG beyond `limit` bytes, EISDIR or EINVAL for anything but a regular
        file."""
        fd = os.open(name, os.O_RDONLY | _FILE_FLAGS, dir_fd=folder.fd)
        try:
            return self._read_all(fd, name, _size(fd, name), limit)
        finally:
            os.close(fd)

    def has(self, folder: Handle, name: str, raw: bytes) -> bool:
        """Whether a file has exactly these bytes. EISDIR or EINVAL for anything but a regular
        file."""
        try:
            return self.read(folder, name, len(raw)) == raw
        except OSError as error:
            if error.errno != errno.EFBIG:
                raise
            return False

    def create(self, folder: Handle, name: str) -> Handle:
        """A new empty file for writing; FileExistsError if the name is taken."""
        return self._new(folder, name)

    def open(self, folder: Handle, name: str, *, write: bool = False) -> Handle:
        """Open an existing file; with `write`, in append mode. EINVAL for a pipe or a device opened
        to write, which would swallow the bytes."""
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
                continue  # another process was faster

    def read_at(self, file: Handle, offset: int, size: int) -> bytes:
        """Up to `size` bytes from `offset`; less at the end of the file."""
        return os.pread(file.fd, size, offset)

    def write(self, file: Handle, data: Bytes) -> None:
        """Append all of `data`, however many calls it takes."""
        rest = memoryview(data)
        while rest:
            rest = rest[self.write_some(file, rest) :]

    def write_some(self, file: Handle, data: memoryview) -> int:
        """One write call; returns the number of bytes written. Never 0 for a regular file."""
        done = os.write(file.fd, data)
        if done == 0:
            raise OSError(errno.EIO, "the file accepts no more bytes", file.path)
        return done

    def truncate(self, file: Handle, size: int) -> None:
        os.ftruncate(file.fd, size)

    def close(self, handle: Handle) -> None:
        """Close once; closing a closed handle does nothing.

        Errors of the drive at this point are dropped: the descriptor is gone either way, and what
        must be on disk was flushed before.
        """
        fd, handle.fd = handle.fd, -1
        if fd < 0:
            return
        try:
            os.close(fd)
        except OSError as error:
            if error.errno == errno.EBADF:
                raise  # another part of the process closed it: a bug, and the number may be reused

    # --- names --------------------------------------------------------------------------

    def rename(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
        """Rename `old` to `new`, replacing it; `target` is the folder of `new` if it differs."""
        os.rename(old, new, src_dir_fd=folder.fd, dst_dir_fd=(target or folder).fd)

    def link(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
        """Add a second name for a file; FileExistsError if `new` is taken."""
        os.link(
            old, new, src_dir_fd=folder.fd, dst_dir_fd=(target or folder).fd, follow_symlinks=False
        )

    def unlink(self, folder: Handle, name: str) -> None:
        os.unlink(name, dir_fd=folder.fd)

    def remove(self, folder: Handle, name: str) -> bool:
        """Unlink a name; False if there is none."""
        try:
            self.unlink(folder, name)
        except FileNotFoundError:
            return False
        return True

    def rmdir(self, folder: Handle, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=folder.fd)

    def stat(self, folder: Handle, name: str) -> os.stat_result:
        """Status of the name itself; does not follow a symlink."""
        return os.stat(name, dir_fd=folder.fd, follow_symlinks=False)

    def exists(self, folder: Handle, name: str) -> bool:
        try:
            self.stat(folder, name)
        except FileNotFoundError:
            return False
        return True

    def status(self, handle: Handle) -> os.stat_result:
        """Status of an open handle."""
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
        """Flush several handles at once, in the time of the slowest. Raises the first error, after
        all.

        One after the other, a lone agent's update waits three or four times for the drive: 0.15 x
        the rate of sqlite instead of 0.4 x (decision record 0025).
        """
        others: Iterable[OSError | None] = map(self._try_flush, handles[1:])
        if self.parallel and len(handles) > 1:
            # After a fork the child has the executor, but none of its threads.
            if self._flushers is None or self._flushers[0] != os.getpid():
                self._flushers = os.getpid(), ThreadPoolExecutor(MAX_FLUSHES, "wm-flush")
            # If no thread can be started, they are flushed one after the other.
            with contextlib.suppress(RuntimeError):
                others = self._flushers[1].map(self._try_flush, handles[1:])
        for error in [*map(self._try_flush, handles[:1]), *others]:
            if error is not None:
                raise error

    def _try_flush(self, handle: Handle) -> OSError | None:
        try:
            self.flush(handle)
        except OSError as error:
            return error
        return None

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
        """Open the data folder. ESTALE if another folder has its path now: the old one was moved
        away or deleted while wm ran, and must not be recreated in the wrong place (F25)."""
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
        """Flush a folder above the data folder, so that the name of a new folder in it is
        durable."""
        fd = os.open(path, _FOLDER_FLAGS)
        with Handle(self, "..", fd, is_folder=True) as parent:
            self.flush(parent)

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
    """The process that holds a kernel lock on a file, 0 if the system does not report it.

    Linux lists locks by device and inode. Some file systems (btrfs, overlay) list another device
    number than stat returns, so the inode alone decides when only one line has it.
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
    """The inodes with a kernel lock, as far as the system lists them; on any device, because some
    file systems list another device number than stat returns."""
    found = (words[5].rpartition(":")[2] for words in _locks() if len(words) > 5)
    return frozenset(int(inode) for inode in found if inode.isdigit())


def _locks() -> list[list[str]]:
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as listing:
            return [line.split() for line in listing]
    except OSError:
        return []


def process_name(pid: int) -> str:
    """The system's name of a process, "" if unknown."""
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


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


# --- error messages ------------------------------------------------------------------------------

TABLES = Tables("wm.store")
_FIXES = {getattr(errno, name): fix for name, fix in TABLES.rows("fixes", columns=2)}

_NO_GROWTH = "The system limits the size of files: raise `ulimit -f`, or try another drive."
"""The fix for EFBIG while writing. While reading, EFBIG means a document beyond our own limit."""


def explain(error: OSError, doing: str, path: str) -> StoreError:
    """The StoreError that describes `error`. doing: "read", "write", … path: absolute."""
    code = error.errno or 0
    reason = error.strerror or str(error)
    fix = _FIXES.get(code, "Run `wm doctor` for details.")
    if code == errno.EFBIG and doing == "write":
        fix = _NO_GROWTH
    found = StoreError(f"Could not {doing} {path}: {reason}.", fix=fix)
    found.__cause__ = error
    return found


@contextlib.contextmanager
def explained(doing: str, *parts: object) -> Iterator[None]:
    """Turn every OSError inside into a StoreError that describes it. The path is `parts` joined by
    `/`."""
    try:
        yield
    except OSError as error:
        path = "/".join(str(part) for part in parts if part != "")
        raise explain(error, doing, path) from error


@contextlib.contextmanager
def if_there(doing: str, *parts: object) -> Iterator[None]:
    """As `explained`, but a missing file or folder ends the block without an error."""
    with explained(doing, *parts), contextlib.suppress(FileNotFoundError):
        yield
