"""What the system's errors mean for a person: where, what, and what to do (ST-5).

Pure. Protects the rule that every failure of the data folder is one typed StoreError with a
full sentence, whatever call it came from.
"""

from __future__ import annotations

import errno
from types import TracebackType

from wm.errors import StoreError

_FIXES = {
    errno.ENOSPC: "Free some space on that drive; the last version of everything is still there.",
    errno.EDQUOT: "Your disk quota is used up; free some space and try again.",
    errno.EROFS: "The file system is mounted read-only; remount it, or set WM_HOME elsewhere.",
    errno.EACCES: "Make the folder yours and writable (chmod u+rwx), or set WM_HOME elsewhere.",
    errno.EPERM: "Make the folder yours and writable, or set WM_HOME elsewhere.",
    errno.EMFILE: "Too many files are open in this process; close some or raise `ulimit -n`.",
    errno.ENFILE: "Too many files are open on this machine; try again when it is less busy.",
    errno.EIO: "The drive reports an error: check it, and copy the data folder elsewhere.",
    errno.ELOOP: "wm follows no symlinks in its data folder; put the real file or folder there.",
    errno.ENOTDIR: "A file or a symlink stands where a folder should be; move it away.",
    errno.EISDIR: "A folder stands where a file should be; move it away.",
    errno.EINVAL: "Something else stands where a file should be; move it away.",
    errno.EFBIG: "Move the file away or raise store.max_document_bytes in config.toml.",
    errno.ESTALE: "The data folder was moved or deleted while wm was running; restart wm.",
}

_NO_GROWTH = "The system lets no file grow so far: raise `ulimit -f`, or try another drive."
"""EFBIG where a file is written; where one is read, it is a document beyond our own limit."""


def explain(error: OSError, doing: str, path: str) -> StoreError:
    """The StoreError that tells of `error`. doing: "read", "write", … path: absolute."""
    code = error.errno or 0
    reason = error.strerror or str(error)
    fix = _FIXES.get(code, "Run `wm doctor` for more.")
    if code == errno.EFBIG and doing == "write":
        fix = _NO_GROWTH
    found = StoreError(f"Could not {doing} {path}: {reason}.", fix=fix)
    found.__cause__ = error
    return found


class explained:  # noqa: N801  # read as a clause: `with explained("write", home, path):`
    """Turn every OSError inside into the StoreError that tells of it.

    `parts` joined by `/` are the path; they are joined only when something went wrong.
    """

    __slots__ = ("_doing", "_parts")

    def __init__(self, doing: str, *parts: object) -> None:
        self._doing = doing
        self._parts = parts

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            path = "/".join(str(part) for part in self._parts if part != "")
            raise explain(error, self._doing, path) from error
