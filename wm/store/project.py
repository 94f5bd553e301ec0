"""The two files that `wm` keeps in a user's project: the session contract and the handoff (CT).

They belong to the user. They are read without following links, and replaced as a whole through a
temporary file beside them that takes the old file's mode. Nothing but a regular file is ever
replaced. Does not know what the files say, and does not touch the data folder (`fsops`).

Protects: nothing outside of the project is read or written because the project says so.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct

from wm.errors import UserError
from wm.store.fsops import TABLES

PARTS = 64
"""Maximum number of reads per file; a file that keeps growing is not followed."""


class Trouble(UserError):
    """Why a file cannot be read or written. `kind`: a stable word."""

    def __init__(self, kind: str, message: str, fix: str) -> None:
        super().__init__(message, fix=fix)
        self.kind = kind


def read_regular(path: str, limit: int, *, flags: int = 0) -> tuple[bytes, os.stat_result]:
    """At most `limit` + 1 bytes of a regular file, and its status. Non-blocking: a pipe in the
    file's place must not block the caller. Raises OSError, and ValueError for a path with NUL."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", path)
        return _read_all(fd, limit), status
    finally:
        os.close(fd)


def _read_all(fd: int, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size <= limit and len(parts) < PARTS and (part := os.read(fd, limit + 1 - size)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


class ProjectFile(Struct, frozen=True):
    """One file: the project's root (its real path), a folder in it, a name in that folder."""

    root: str
    folder: str
    name: str

    @property
    def path(self) -> str:
        return os.path.join(self.root, self.folder, self.name)

    @property
    def exists(self) -> bool:
        """Whether anything exists at the path, of whatever kind."""
        return os.path.lexists(self.path)

    def read(self, limit: int) -> bytes | None:
        """The file's bytes, at most `limit` + 1 of them; None if there is no file. Raises
        Trouble."""
        try:
            with self._opened() as folder:
                return self._read_in(folder, limit)
        except FileNotFoundError:
            return None

    def _read_in(self, folder: int, limit: int) -> bytes | None:
        try:
            # Non-blocking: a pipe in the file's place must not block the caller.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(self.name, flags, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._trouble(error, self.path) from None
        try:
            self._must_be_plain(os.fstat(fd))
            return _read_all(fd, limit)
        except OSError as error:
            raise self._trouble(error, self.path) from None
        finally:
            os.close(fd)

    def replace(self, data: bytes, *, over: bytes | None) -> bool:
        """Write the file; creates its folder if it is missing. over: the content that the file must
        still have, None if it must not exist. False if another program was faster. Raises Trouble.
        """
        try:
            os.mkdir(os.path.join(self.root, self.folder), 0o777 & _mode_of(self.root))
        except FileExistsError:
            pass
        except OSError as error:
            raise self._trouble(error, os.path.join(self.root, self.folder)) from None
        try:
            with self._opened() as folder:
                return self._replace_in(folder, data, over)
        except FileNotFoundError as error:
            raise self._trouble(error, self.path) from None

    def _replace_in(self, folder: int, data: bytes, over: bytes | None) -> bool:
        temp = f".{self.name}.{os.urandom(8).hex()}.tmp"
        try:
            mode = self._mode(folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(temp, flags, 0o600, dir_fd=folder)
        except OSError as error:
            raise self._trouble(error, self.path) from None
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(fd, mode)
                os.fsync(fd)
            # Compare as late as possible, so that an editor's save meanwhile is not overwritten.
            if self._read_in(folder, max(len(over or b""), 1)) != over:
                os.unlink(temp, dir_fd=folder)
                return False
            os.rename(temp, self.name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        except OSError as error:
            _remove(temp, folder)
            raise self._trouble(error, self.path) from None
        except Trouble:
            _remove(temp, folder)
            raise
        return True

    def _mode(self, folder: int) -> int:
        """The mode of the file; a new file takes the permissions of its folder."""
        try:
            status = os.stat(self.name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return 0o666 & stat.S_IMODE(os.fstat(folder).st_mode)
        self._must_be_plain(status)
        return stat.S_IMODE(status.st_mode) & 0o777

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The open folder, never through a link. Raises FileNotFoundError and Trouble."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        path = os.path.join(self.root, self.folder)
        try:
            fd = os.open(path, flags)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise self._trouble(error, path) from None
        try:
            yield fd
        finally:
            os.close(fd)

    def _must_be_plain(self, status: os.stat_result) -> None:
        if stat.S_ISREG(status.st_mode):
            return
        kind = "link" if stat.S_ISLNK(status.st_mode) else "not_a_file"
        if stat.S_ISDIR(status.st_mode):
            kind = "folder"
        raise self._refusal(kind, self.path)

    def _trouble(self, error: OSError, path: str) -> Trouble:
        """The message for the user that describes an error."""
        if os.path.islink(path):
            return self._refusal("link", path)
        if error.errno in (errno.ENOTDIR, errno.EEXIST) and os.path.lexists(path):
            return self._refusal("folder_is_file", path)
        if error.errno in (errno.EACCES, errno.EPERM):
            return self._refusal("no_right", path)
        if error.errno in (errno.EISDIR, errno.ENXIO):
            return self._refusal("folder" if error.errno == errno.EISDIR else "not_a_file", path)
        if error.errno == errno.EROFS:
            return self._refusal("read_only", path)
        return Trouble(
            "unusable", f"{path} cannot be used: {error.strerror}.", "Fix that, and try again."
        )

    def _refusal(self, kind: str, path: str) -> Trouble:
        return Trouble(kind, _REFUSALS[kind].format(path=path), _FIXES[kind].format(path=path))


_REFUSALS = dict(TABLES.rows("refusals", columns=2))
_FIXES = dict(TABLES.rows("refusal_fixes", columns=2))


def project_root(folder: str, *, marker: str) -> str:
    """The project of a folder: the nearest folder upwards that contains `marker`, at most the root
    of the git worktree; that root if none contains it. Outside git the folder itself."""
    start = os.path.realpath(folder)
    nearest, at = "", start
    while True:
        if not nearest and os.path.lexists(os.path.join(at, marker)):
            nearest = at
        if os.path.lexists(os.path.join(at, ".git")):
            return nearest or at
        above = os.path.dirname(at)
        if above == at:
            break
        at = above
    return start


def _mode_of(folder: str) -> int:
    """The mode of a folder; what is created in it takes the same permissions."""
    try:
        return stat.S_IMODE(os.stat(folder).st_mode) & 0o777
    except OSError:
        return 0o700


def _remove(name: str, folder: int) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)
