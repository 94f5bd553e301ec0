"""The two files that `wm` keeps in a user's project: the session contract and the handoff (CT).

They belong to the user. They are read without following links, and replaced atomically through a
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

from wm.errors import OnError, UserError
from wm.store.fsops import TABLES

PARTS = 64
"""Maximum number of reads per file; a file that keeps growing is not followed."""


class Trouble(UserError):
    """Why a file cannot be read or written. `kind`: a stable word."""

    def __init__(self, kind: str, message: str, fix: str) -> None:
        super().__init__(message, fix=fix)
        self.kind = kind


def read_regular(
    path: str, limit: int, *, flags: int = 0, folder: int | None = None, at_end: bool = False
) -> tuple[bytes, os.stat_result]:
    """At most `limit` + 1 bytes of a regular file, and its status. Non-blocking: a pipe in the
    file's place must not block the caller. folder: a descriptor that `path` is relative to. at_end:
    the last bytes. Raises OSError, and ValueError for a path with NUL."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags, dir_fd=folder)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            code = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.ENXIO
            raise OSError(code, "it is not a regular file", path)
        if at_end:
            os.lseek(fd, max(0, status.st_size - limit), os.SEEK_SET)
        parts: list[bytes] = []
        size = 0
        while size <= limit and len(parts) < PARTS and (part := os.read(fd, limit + 1 - size)):
            parts.append(part)
            size += len(part)
        return b"".join(parts), status
    finally:
        os.close(fd)


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
        with suppress(FileNotFoundError), self._opened() as folder:
            return self._read_in(folder, limit)
        return None

    def _read_in(self, folder: int, limit: int) -> bytes | None:
        with suppress(FileNotFoundError), _explained(self.path):
            return read_regular(self.name, limit, flags=os.O_NOFOLLOW, folder=folder)[0]
        return None

    def replace(self, data: bytes, *, over: bytes | None) -> bool:
        """Write the file; creates its folder if it is missing. over: the content that the file must
        still have, None if it must not exist. False if another program was faster. Raises Trouble.
        """
        try:
            os.mkdir(os.path.join(self.root, self.folder), 0o777 & _mode_of(self.root))
        except FileExistsError:
            pass
        except OSError as error:
            raise _trouble(error, self.root) from None
        try:
            with self._opened() as folder:
                return self._replace_in(folder, data, over)
        except FileNotFoundError as error:
            raise _trouble(error, self.path) from None

    def _replace_in(self, folder: int, data: bytes, over: bytes | None) -> bool:
        temp = f".{self.name}.{os.urandom(8).hex()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with _explained(self.path):
            mode = self._mode(folder)
            fd = os.open(temp, flags, 0o600, dir_fd=folder)
            with OnError(lambda: self._try_unlink(folder, temp)):
                with os.fdopen(fd, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fchmod(fd, mode)
                    os.fsync(fd)
                # Compare as late as possible, so that an editor's save meanwhile is not
                # overwritten.
                if self._read_in(folder, max(len(over or b""), 1)) != over:
                    os.unlink(temp, dir_fd=folder)
                    return False
                os.rename(temp, self.name, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
        return True

    def _try_unlink(self, folder: int, temp: str) -> None:
        with suppress(OSError):
            os.unlink(temp, dir_fd=folder)

    def _mode(self, folder: int) -> int:
        """The mode of the file; a new file takes the permissions of its folder."""
        with suppress(FileNotFoundError):
            return os.stat(self.name, dir_fd=folder, follow_symlinks=False).st_mode & 0o777
        return 0o666 & os.fstat(folder).st_mode

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The open folder, never through a link. Raises FileNotFoundError and Trouble."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        path = os.path.join(self.root, self.folder)
        with _explained(path):
            fd = os.open(path, flags)
        try:
            yield fd
        finally:
            os.close(fd)


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Turn every OSError inside, except that a file is missing, into a Trouble."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _trouble(error, path) from None


def _trouble(error: OSError, path: str) -> Trouble:
    """The message for the user that describes an error."""
    kind = _KINDS.get(error.errno or 0, "")
    if os.path.islink(path):
        kind = "link"
    if not kind or (kind == "folder_is_file" and not os.path.lexists(path)):
        message = f"{path} cannot be used: {error.strerror}."
        return Trouble("unusable", message, "Fix that, and try again.")
    return Trouble(kind, _REFUSALS[kind].format(path=path), _FIXES[kind].format(path=path))


_KINDS = {
    errno.ENOTDIR: "folder_is_file",
    errno.EEXIST: "folder_is_file",
    errno.EACCES: "no_right",
    errno.EPERM: "no_right",
    errno.EISDIR: "folder",
    errno.ENXIO: "not_a_file",
    errno.EROFS: "read_only",
}
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
    with suppress(OSError):
        return os.stat(folder).st_mode & 0o777
    return 0o700
