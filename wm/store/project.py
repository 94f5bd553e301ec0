"""The two files that `wm` keeps in a user's project: the session contract and the handoff (CT).

They belong to the user: read without following links, replaced as a whole through a file beside
them that takes the old one's mode, and never written where something other than a plain file
stands. Knows nothing of what they say. The data folder has a door of its own (`fsops`).

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

PARTS = 64
"""Reads that one file may take; one that grows all the time is not followed."""


class Trouble(UserError):
    """Why a file cannot be read or written. `kind`: a stable word."""

    def __init__(self, kind: str, message: str, fix: str) -> None:
        super().__init__(message, fix=fix)
        self.kind = kind


class ProjectFile(Struct, frozen=True):
    """One file: the project's root (its real path), a folder in it, a name in that."""

    root: str
    folder: str
    name: str

    @property
    def path(self) -> str:
        return os.path.join(self.root, self.folder, self.name)

    @property
    def stands(self) -> bool:
        """Whether anything is there, whatever it is."""
        return os.path.lexists(self.path)

    def read(self, limit: int) -> bytes | None:
        """Its bytes, of a longer one `limit` + 1; None where there is none. Raises Trouble."""
        try:
            with self._opened() as folder:
                return self._read_in(folder, limit)
        except FileNotFoundError:
            return None

    def _read_in(self, folder: int, limit: int) -> bytes | None:
        try:
            # Not blocking: a pipe in the place of a file must not hold anybody up.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(self.name, flags, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._trouble(error, self.path) from None
        try:
            self._must_be_plain(os.fstat(fd))
            parts: list[bytes] = []
            size = 0
            while size <= limit and len(parts) < PARTS and (part := os.read(fd, limit + 1 - size)):
                parts.append(part)
                size += len(part)
            return b"".join(parts)
        except OSError as error:
            raise self._trouble(error, self.path) from None
        finally:
            os.close(fd)

    def replace(self, data: bytes, *, over: bytes | None) -> bool:
        """Write the file; its folder is made where it is missing. over: what it must still say,
        None: nothing may be there. False where somebody else was faster. Raises Trouble."""
        try:
            os.mkdir(os.path.join(self.root, self.folder), 0o777 & _rights(self.root))
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
            # As late as can be: an editor that saved meanwhile is not overwritten.
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
        """That of the file; a new one is as open as its folder."""
        try:
            found = os.stat(self.name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return 0o666 & stat.S_IMODE(os.fstat(folder).st_mode)
        self._must_be_plain(found)
        return stat.S_IMODE(found.st_mode) & 0o777

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The folder, which is no link. Raises FileNotFoundError and Trouble."""
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

    def _must_be_plain(self, found: os.stat_result) -> None:
        if stat.S_ISREG(found.st_mode):
            return
        kind = "link" if stat.S_ISLNK(found.st_mode) else "not_a_file"
        if stat.S_ISDIR(found.st_mode):
            kind = "folder"
        raise self._told(kind, self.path)

    def _trouble(self, error: OSError, path: str) -> Trouble:
        """What an error means for the user."""
        if os.path.islink(path):
            return self._told("link", path)
        if error.errno in (errno.ENOTDIR, errno.EEXIST) and os.path.lexists(path):
            return self._told("folder_is_file", path)
        if error.errno in (errno.EACCES, errno.EPERM):
            return self._told("no_right", path)
        if error.errno in (errno.EISDIR, errno.ENXIO):
            return self._told("folder" if error.errno == errno.EISDIR else "not_a_file", path)
        if error.errno == errno.EROFS:
            return self._told("read_only", path)
        return Trouble(
            "unusable", f"{path} cannot be used: {error.strerror}.", "Mend that, and try again."
        )

    def _told(self, kind: str, path: str) -> Trouble:
        message, fix = _TOLD[kind]
        return Trouble(kind, message.format(path=path), fix.format(path=path))


_TOLD = {
    "link": (
        "{path} is a symbolic link, which is not followed.",
        "Put a plain file there, inside the project.",
    ),
    "folder": (
        "{path} is a folder; it must be a file.",
        "Move the folder away, and do it again.",
    ),
    "folder_is_file": (
        "{path} is a file; it must be a folder.",
        "Move the file away, and do it again.",
    ),
    "not_a_file": (
        "{path} is no plain file (a pipe, a socket or a device).",
        "Remove it, and do it again.",
    ),
    "no_right": (
        "{path} may not be read or written by you.",
        "Give yourself the right: chmod u+rw {path}",
    ),
    "read_only": (
        "{path} lies on a file system that can only be read.",
        "Mount it for writing.",
    ),
}  # fmt: skip


def project_root(folder: str, *, marker: str) -> str:
    """The project that a folder lies in: the nearest one upwards that has `marker` in it, at
    most the root of the git worktree; that root where none has. Outside git the folder itself."""
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


def _rights(folder: str) -> int:
    """The mode of a folder: what is made in it is as open."""
    try:
        return stat.S_IMODE(os.stat(folder).st_mode) & 0o777
    except OSError:
        return 0o700


def _remove(name: str, folder: int) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)
