"""Notice workspace memories that another program changed (ST-4).

Watches the folders `workspaces/` and `workspaces/<key>/`, which hold the documents that people
edit. All other documents are checked when they are read. Reports whose memory changed, never why:
the reader finds out by checksum.

Protects: no thread wakes up while nothing happens; own writes are recognised by content, never by
time; no change is lost when the kernel's queue overflows or its watches run out (F51, F52).
watchdog takes long to import: the daemon imports this module after its first answer.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.polling import PollingObserverVFS

from wm.errors import StoreError
from wm.formats.workspace_memory import WorkspaceMemory
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.base import Health, Ref
from wm.store.files import FileStore
from wm.store.fsops import Disk, explained

_FILE = paths.LAYOUT[WorkspaceMemory].file

EVENTS: list[type[FileSystemEvent]] = [
    *(FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent),
    *(DirCreatedEvent, DirMovedEvent, DirDeletedEvent),
]
"""Without opened and closed: reading the folder would then cause events itself, without end."""


class Watch:
    """Watches one data folder, on two threads.

    is_ours(key): whether the memory of a workspace is as the store last left it; also called for a
    missing one. See `written_by`. state: `off`, `watching`, `polling: why`, or `blind: why`, for
    status and doctor.
    """

    def __init__(self, disk: Disk, is_ours: Callable[[str], bool], settings: StoreSettings) -> None:
        self.disk = disk
        self.root = os.path.realpath(disk.home / paths.WORKSPACES)
        self.settings = settings
        self.state = "off"
        self._is_ours = is_ours
        self._wake = threading.Condition()
        self._pending: set[str] = set()
        self._noted = 0.0
        self._rescan = False
        self._failure = ""
        self._stopping = False
        self._source: _Inotify | _Observed | None = None
        self._thread: threading.Thread | None = None

    def start(self, changed: Callable[[str], None]) -> None:
        """Start to watch; `changed` is called on a thread of the watch, with the key of each
        workspace whose memory another program changed. Creates `workspaces/` if it is missing;
        StoreError without a data folder."""
        if self._thread is not None:
            return
        with explained("watch", self.root):
            self._ensure_root()
        self._stopping = False
        self._begin()
        self._thread = threading.Thread(
            target=self._run, args=(changed,), name="wm-watch", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; pending hints are dropped. Must not be called from `changed`."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._stop_source()
        self.state = "off"

    # --- called by the source, on its thread ----------------------------------------------

    def note(self, key: str, name: str) -> None:
        """Something happened to the file `name` of `workspaces/<key>/`."""
        if name == _FILE and paths.is_workspace(key):
            with self._wake:
                # The thread that waits for a pause in the writing checks the time itself: woken by
                # every hint, the two threads would alternate as long as writes go on.
                due, self._noted = self._is_due(), time.monotonic()
                self._pending.add(key)
                if not due:
                    self._wake.notify()

    def overflow(self) -> None:
        """Hints were lost: all workspaces must be checked."""
        with self._wake:
            self._rescan, self._noted = True, time.monotonic()
            self._wake.notify()

    def fail(self, why: str) -> None:
        """The source no longer sees changes, or not all of them."""
        with self._wake:
            self._failure, self._noted = why, time.monotonic()
            self._wake.notify()

    # --- the watch's own thread -----------------------------------------------------------

    def _run(self, changed: Callable[[str], None]) -> None:
        while self._wait():
            with self._wake:
                pending, self._pending = self._pending, set()
                rescan, self._rescan = self._rescan, False
                failure, self._failure = self._failure, ""
            if failure:
                self._poll(failure)
            if failure or rescan:
                with contextlib.suppress(OSError):
                    pending.update(workspaces(self.disk))
            for key in sorted(pending):
                if not self._is_ours(key):
                    changed(key)

    def _wait(self) -> bool:
        """Sleep until there are hints and the writing has paused; False when stopping."""
        with self._wake:
            self._wake.wait_for(self._is_due)
            last = time.monotonic() + self.settings.watch_longest_s
            while not self._stopping:
                until = min(self._noted + self.settings.watch_quiet_s, last)
                remaining = until - time.monotonic()
                if remaining <= 0:
                    break
                self._wake.wait(remaining)
            return not self._stopping

    def _is_due(self) -> bool:
        return bool(self._stopping or self._pending or self._rescan or self._failure)

    def _ensure_root(self) -> None:
        """A missing folder cannot be watched, so create it before the first workspace."""
        with self.disk.folder("") as home, contextlib.suppress(FileExistsError):
            self.disk.mkdir(home, paths.WORKSPACES)
        with self.disk.folder(paths.WORKSPACES):
            pass

    # --- sources --------------------------------------------------------------------------

    def _begin(self) -> None:
        try:
            if sys.platform == "linux":
                self._source = _Inotify(self)
            else:
                from watchdog.observers import Observer  # picks the system's own at import

                self._source = _Observed(self, Observer())
            self._source.start()
            self.state = "watching"
        except OSError as error:  # no inotify instance, or no watch, is free
            self._poll(error.strerror or str(error))

    def _stop_source(self) -> None:
        source, self._source = self._source, None
        if source is not None:
            source.stop()

    def _poll(self, why: str) -> None:
        """Switch to polling the folder."""
        self._stop_source()
        try:
            with self.disk.folder(paths.WORKSPACES):
                pass
        except OSError as error:
            self.state = f"blind: {error.strerror or error}"
            return
        poll_s = self.settings.watch_poll_s
        observer = PollingObserverVFS(os.lstat, self._shallow, polling_interval=poll_s)
        self._source = _Observed(self, observer)
        self._source.start()
        self.state = f"polling: {why}"

    def _shallow(self, path: str | None) -> Iterator[os.DirEntry[str]]:
        """The folders that a poll may read: `workspaces/` and the folders in it, no deeper."""
        if path is None or self.root not in (path, os.path.dirname(path)):
            return iter(())
        return os.scandir(path)


def written_by(store: FileStore) -> Callable[[str], bool]:
    """An `is_ours` by content: the store itself reads the memory as its own, or as missing. A
    memory that cannot be read at all counts as changed outside."""

    def is_ours(key: str) -> bool:
        try:
            reading = store.read(Ref(WorkspaceMemory, key))
        except StoreError:
            return False
        return reading.health in (Health.OK, Health.MISSING)

    return is_ours


def workspaces(disk: Disk) -> list[str]:
    """Keys of the workspaces that have a folder. Raises OSError."""
    with disk.folder(paths.WORKSPACES) as folder:
        return [name for name in disk.list(folder) if paths.is_workspace(name)]


class _Observed(FileSystemEventHandler):
    """Hints from a watchdog observer: on macOS, and for polling."""

    def __init__(self, watch: Watch, observer: Any) -> None:
        self._watch = watch
        self._observer = observer

    def start(self) -> None:
        self._observer.schedule(self, self._watch.root, recursive=True, event_filter=EVENTS)
        self._observer.start()

    def stop(self) -> None:
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        for place in (os.fsdecode(event.src_path), os.fsdecode(event.dest_path)):
            inner = os.path.relpath(place, self._watch.root).split("/") if place else []
            if len(inner) == 2:
                self._watch.note(*inner)
            elif event.is_directory and inner:
                self._watch.overflow()  # a workspace or the root was added or removed


def _paced(base: type[Any], pace_s: float) -> type[Any]:
    """watchdog's reader, limited to one read per `pace_s`.

    Every write of our own causes about six hints. Read one by one, each wakes the thread and costs
    the writer, who shares the interpreter, more than the write itself; read together they do not.
    """

    class Paced(base):  # type: ignore[misc]
        def _check_inotify_fd(self) -> bool:
            ready: bool = super()._check_inotify_fd()
            if ready:
                stopped = select.poll()
                stopped.register(self._kill_r, select.POLLIN)
                stopped.poll(pace_s * 1000)
            return ready

    return Paced


class _Inotify:
    """Hints from inotify, through watchdog's reader: one thread, one watch per workspace."""

    def __init__(self, watch: Watch) -> None:
        from watchdog.observers import inotify_c  # can be imported on Linux only

        names = inotify_c.InotifyConstants
        self._watch = watch
        self._reader = _paced(inotify_c.InotifyFD, watch.settings.watch_pace_s)()
        self._id = inotify_c.CallbackId(id(self))
        self._lock = threading.Lock()
        self._folders: dict[int, str] = {}
        """Watch descriptor -> workspace folder, "" for `workspaces/` itself."""
        moves = names.IN_MOVED_FROM | names.IN_MOVED_TO | names.IN_DELETE
        only = names.IN_ONLYDIR | names.IN_DONT_FOLLOW
        self._in_workspace = inotify_c.Mask(moves | names.IN_CLOSE_WRITE | only)
        self._in_root = inotify_c.Mask(
            moves | names.IN_CREATE | names.IN_DELETE_SELF | names.IN_MOVE_SELF | only
        )

    def start(self) -> None:
        self._reader.start()
        self._add("")
        self._add_workspaces(note=False)

    def stop(self) -> None:
        if self._reader.is_alive():
            self._reader.stop()
            if self._reader is not threading.current_thread():
                self._reader.join()

    # watchdog calls the three below on the reader's thread.

    def on_event(self, event: Any) -> None:
        with self._lock:
            folder = self._folders.get(event.wd)
        name = os.fsdecode(event.name)
        if folder:
            self._watch.note(folder, name)
        elif folder == "" and not name:
            self._watch.fail("the folder was moved or deleted")
        elif folder == "" and event.is_directory and paths.is_workspace(name):
            if event.is_create or event.is_moved_to:
                self._scan_again(note=True)
            else:
                with self._lock:  # a folder that was moved away may still send hints
                    self._folders = {wd: at for wd, at in self._folders.items() if at != name}

    def on_watch_deleted(self, wd: int) -> None:
        with self._lock:
            self._folders.pop(wd, None)

    def on_queue_overflow(self) -> None:
        self._scan_again(note=False)
        self._watch.overflow()

    def _scan_again(self, *, note: bool) -> None:
        try:
            self._add_workspaces(note=note)
        except OSError as error:
            self._watch.fail(error.strerror or str(error))

    def _add_workspaces(self, *, note: bool) -> None:
        """Watch every workspace that is not watched yet. A file written into a new folder before
        its watch was added sent no hint; `note` notes the memory of such a folder."""
        with self._lock:
            known = set(self._folders.values())
        for key in workspaces(self._watch.disk):
            if key not in known:
                self._add(key)
                if note:
                    self._watch.note(key, _FILE)

    def _add(self, folder: str) -> None:
        path = self._watch.disk.home / paths.WORKSPACES / folder
        mask = self._in_workspace if folder else self._in_root
        try:
            # Under the lock, so that no hint arrives before its folder is known.
            with self._lock:
                wd = self._reader.add_callback(os.fsencode(path), mask, self, self._id)
                self._folders[wd] = folder
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise  # a workspace may have been removed meanwhile
