"""Notice that something in a folder was removed or replaced (F23-F25).

It reports only that something changed; the callback finds out what. watchdog reports at once and
costs nothing while idle. If the system has no file watch left, the folder is polled.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct


class FolderWatch(Struct, eq=False):
    """Calls `look` on the loop after something in one of the folders, or a folder itself, was moved
    or deleted."""

    loop: asyncio.AbstractEventLoop
    look: Callable[[], None]
    poll_s: float
    _reader: Any = None
    _timer: asyncio.TimerHandle | None = None

    def start(self, folders: Iterable[Path]) -> str:
        """Begin, on the loop. Returns the reason for polling; "" if it does not poll."""
        try:
            self._reader = _inotify(folders, self) if _ON_LINUX else _observer(folders, self)
        except OSError as error:
            self._poll()
            return error.strerror or str(error)
        return ""

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.stop()
            reader.join()

    def _poll(self) -> None:
        self._timer = self.loop.call_later(self.poll_s, self._poll)
        self.look()

    # watchdog calls these methods on its own thread.

    def on_event(self, _event: object) -> None:
        with suppress(RuntimeError):  # the loop is closed already
            self.loop.call_soon_threadsafe(self.look)

    def on_queue_overflow(self) -> None:
        self.on_event(None)

    def on_watch_deleted(self, _descriptor: object) -> None:
        """Nothing to do: `on_event` has reported the folder already."""

    def dispatch(self, event: object) -> None:
        self.on_event(event)


_ON_LINUX = sys.platform.startswith("linux")


def _inotify(folders: Iterable[Path], watch: FolderWatch) -> Any:
    """watchdog's inotify reader; its observer does not report that a folder itself was moved."""
    from watchdog.observers import inotify_c  # loads only on Linux, and takes 30 ms

    names = inotify_c.InotifyConstants
    inside = names.IN_MOVED_FROM | names.IN_MOVED_TO | names.IN_DELETE
    mask = inotify_c.Mask(inside | names.IN_DELETE_SELF | names.IN_MOVE_SELF)
    reader = inotify_c.InotifyFD()
    reader.start()
    try:
        for folder in folders:
            reader.add_callback(os.fsencode(folder), mask, watch, inotify_c.CallbackId(id(watch)))
    except OSError:
        reader.stop()
        raise
    return reader


def _observer(folders: Iterable[Path], watch: FolderWatch) -> Any:
    from watchdog.events import DirDeletedEvent, DirMovedEvent, FileDeletedEvent, FileMovedEvent
    from watchdog.observers import Observer

    observer = Observer()
    events = [DirDeletedEvent, DirMovedEvent, FileDeletedEvent, FileMovedEvent]
    for folder in folders:
        observer.schedule(watch, str(folder), event_filter=events)  # type: ignore[arg-type]
    observer.start()
    return observer
