"""Hear at once when something in a folder is removed or replaced, without asking (F23-F25).

inotify on Linux, kqueue on macOS and BSD; nothing elsewhere. It only says "look again": what
happened is found out by whoever looks. An idle folder costs nothing.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

_IN_MOVED = 0x40 | 0x80
_IN_DELETE = 0x200
_IN_SELF = 0x400 | 0x800
_IN_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC


class FolderWatch:
    """Calls `look` on the loop after something left, came to or happened to the folders."""

    def __init__(self, loop: asyncio.AbstractEventLoop, look: Callable[[], None]) -> None:
        self._loop = loop
        self._look = look
        self._fds: list[int] = []

    def watch(self, folders: Iterable[Path]) -> bool:
        """Begin; False where the system offers nothing of the kind, or no watch is left."""
        try:
            if sys.platform.startswith("linux"):
                self._inotify(folders)
            elif hasattr(__import__("select"), "kqueue"):
                self._kqueue(folders)
            else:
                return False
        except OSError:
            self.close()
            return False
        return True

    def close(self) -> None:
        if self._fds:
            self._loop.remove_reader(self._fds[0])
        for fd in self._fds:
            os.close(fd)
        self._fds = []

    def _inotify(self, folders: Iterable[Path]) -> None:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        fd = libc.inotify_init1(_IN_NONBLOCK_CLOEXEC)
        if fd < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._fds.append(fd)
        for folder in folders:
            mask = _IN_MOVED | _IN_DELETE | _IN_SELF
            if libc.inotify_add_watch(fd, os.fsencode(folder), mask) < 0:
                raise OSError(ctypes.get_errno(), "inotify")
        self._loop.add_reader(fd, self._woken, fd)

    def _kqueue(self, folders: Iterable[Path]) -> None:
        import select

        queue = select.kqueue()  # type: ignore[attr-defined,unused-ignore]
        self._fds.append(os.dup(queue.fileno()))
        for folder in folders:
            fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            self._fds.append(fd)
            event = select.kevent(  # type: ignore[attr-defined,unused-ignore]
                fd,
                filter=select.KQ_FILTER_VNODE,  # type: ignore[attr-defined,unused-ignore]
                flags=select.KQ_EV_ADD | select.KQ_EV_CLEAR,  # type: ignore[attr-defined,unused-ignore]
                fflags=select.KQ_NOTE_WRITE  # type: ignore[attr-defined,unused-ignore]
                | select.KQ_NOTE_DELETE  # type: ignore[attr-defined,unused-ignore]
                | select.KQ_NOTE_RENAME,  # type: ignore[attr-defined,unused-ignore]
            )
            queue.control([event], 0)
        self._queue = queue
        self._loop.add_reader(self._fds[0], self._drained)

    def _woken(self, fd: int) -> None:
        try:
            os.read(fd, 65536)
        except BlockingIOError:
            return
        self._look()

    def _drained(self) -> None:
        self._queue.control(None, 64, 0)
        self._look()
