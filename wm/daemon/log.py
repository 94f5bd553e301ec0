"""`daemon.log`: one JSON object per line, with names and ids, never contents (TR-1).

It is rotated by size; `daemon.log.1` is the previous file. The standard streams of a background
daemon point to it, so output of the interpreter (a crash, a requested stack) lands there too.
`LibraryLogHandler` limits what libraries send to `logging`: otherwise it would fill the disk past
every rotation, and it may quote contents (F67).
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import stat
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec import Struct

from wm.domain.times import iso

_MAX_MESSAGES = 100
"""Number of distinct library messages; further ones count as one."""
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class DaemonLog(Struct, eq=False):
    """Appends lines. A log that cannot be written never fails a request."""

    path: str
    now: Callable[[], datetime]
    max_bytes: int
    redact: Callable[[str], str] = str
    _own_streams: bool = False
    _fd: int = -1
    _size: int = 0

    def __post_init__(self) -> None:
        self._open()

    def write(self, event: str, **fields: Any) -> None:
        """Append a line. JSON escapes control characters, so they cannot break it. Secrets are
        redacted: an error message may contain a path or an id."""
        redacted = {k: self.redact(v) if isinstance(v, str) else v for k, v in fields.items()}
        line = json.dumps({"at": iso(self.now()), "event": event, **redacted}, default=str)
        data = line.encode("ascii", "replace") + b"\n"
        if self._size + len(data) > self.max_bytes:
            self.rotate()
        with contextlib.suppress(OSError):
            self._size += os.write(self._fd, data)

    def incident(self, name: str, where: str, error: BaseException) -> None:
        """Log a bug: type and stack frames. No message, because it may quote contents."""
        kind, frames = type(error).__name__, _frames(error)
        self.write("incident", id=name, where=where, error=kind, frames=frames)

    def take_streams(self) -> None:
        """Redirect stdout, stderr and `logging` to this log, through every rotation."""
        if not self._own_streams:
            logging.getLogger().addHandler(LibraryLogHandler(self))
            # The interpreter would print an uncaught exception with its message, which may quote.
            sys.excepthook = lambda _kind, error, _trace: self.incident("", "process", error)
            threading.excepthook = lambda args: self._uncaught("thread", args.exc_value)
            sys.unraisablehook = lambda args: self._uncaught("unraisable", args.exc_value)
        self._own_streams = True
        if self._fd >= 0:
            os.dup2(self._fd, 1)
            os.dup2(self._fd, 2)

    def _uncaught(self, where: str, error: BaseException | None) -> None:
        if error is not None:
            self.incident("", where, error)

    def rotate(self) -> None:
        with contextlib.suppress(OSError):
            os.replace(self.path, self.path + ".1")
        self._open()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _open(self) -> None:
        try:
            fd = os.open(self.path, _FLAGS, 0o600)
        except OSError:
            return  # keep the old file, or none
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            os.close(fd)
            return
        os.fchmod(fd, 0o600)
        self.close()
        self._fd = fd
        self._size = info.st_size
        if self._own_streams:
            self.take_streams()


class LibraryLogHandler(logging.Handler):
    """Writes what libraries send to `logging` into the daemon's log.

    It writes the message without its arguments, or the type and the frames of an exception: nothing
    that may quote (TR-1). A message is written when it first occurs and whenever its count has
    doubled since its last line, so a flood of messages becomes a few lines (F67).
    """

    def __init__(self, log: DaemonLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log
        self._times: dict[str, int] = {}

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        fields: dict[str, Any] = {"text": str(record.msg).partition("\n")[0][:200]}
        if error is not None:
            fields = {"error": type(error).__name__, "frames": _frames(error)}
        key = f"{record.name} {fields}"
        if key not in self._times and len(self._times) >= _MAX_MESSAGES:
            key, fields = "", {"text": "and further messages"}
        times = self._times[key] = self._times.get(key, 0) + 1
        if times & (times - 1) == 0:
            self._log.write("said", by=record.name, **fields, times=times)


def _frames(error: BaseException) -> list[str]:
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
