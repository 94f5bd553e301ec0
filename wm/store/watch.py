"""Notice documents that another program changed (ST-4).

Watches the folders `workspaces/` and `workspaces/<key>/`, which hold the documents that people
edit. Session files, epochs and logs below them change with every event of an agent, and are
checked when they are read. Reports what changed, never why: the reader finds out by checksum.

Protects: no thread wakes up while nothing happens; own writes are recognised by content, never by
time; no change is lost when the kernel's queue overflows or its watches run out (F51, F52).
The only module that imports watchdog; the daemon imports it after its first answer.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

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
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.base import FileChangeHint, Health, Ref
from wm.store.files import FileStore
from wm.store.fsops import Disk, explained

WATCHED = tuple(model for model, row in paths.LAYOUT.items() if not row.in_home and not row.folder)
"""Formats whose documents lie in the workspace's own folder."""

EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
"""Without opened and closed: reading the folder would then cause events itself, without end."""

Changed = Callable[[tuple[FileChangeHint, ...]], None]


class HintSource(Protocol):
    """A source of hints. It calls `note`, `overflow` and `fail` of its watch."""

    def start(self) -> None:
        """Start; raises OSError when the system has no watches left."""

    def stop(self) -> None: ...


class Watch:
    """Watches one data folder, on two threads of its own.

    is_ours(path): whether a document (path relative to the data folder) is as the store last
    left it; also called for missing documents. See `written_by`.
    """

    def __init__(self, disk: Disk, is_ours: Callable[[str], bool], settings: StoreSettings) -> None:
        self.disk = disk
        self._root = os.path.realpath(disk.home / paths.WORKSPACES)
        self._is_ours = is_ours
        self._settings = settings
        self._wake = threading.Condition()
        self._pending: set[str] = set()
        self._noted = 0.0
        self._rescan = False
        self._failure = ""
        self._stopping = False
        self._state = "off"
        self._source: HintSource | None = None
        self._thread: threading.Thread | None = None

    @property
    def pace_s(self) -> float:
        """Minimum time between two reports of a source, in seconds."""
        return self._settings.watch_pace_s

    @property
    def state(self) -> str:
        """`off`, `watching`, `polling: why`, or `blind: why`, for status and doctor."""
        return self._state

    def start(self, changed: Changed) -> None:
        """Start to watch; `changed` is called on a thread of the watch, with the documents that
        other programs changed. Creates `workspaces/` if it is missing; StoreError without a data
        folder."""
        if self._thread is not None:
            return
        with explained("watch", self._root):
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
        if self._source is not None:
            self._source.stop()
            self._source = None
        self._state = "off"

    # --- called by the source, on its thread ----------------------------------------------

    def note(self, folder: str, name: str) -> None:
        """Something happened to the file `name` of `workspaces/<folder>/`."""
        if _is_document(name) and paths.is_workspace(folder):
            with self._wake:
                # The thread that waits for a pause in the writing checks the time itself: woken by
                # every hint, the two threads would alternate as long as writes go on.
                due, self._noted = self._is_due(), time.monotonic()
                self._pending.add(f"{paths.WORKSPACES}/{folder}/{name}")
                if not due:
                    self._wake.notify()

    def overflow(self) -> None:
        """Hints were lost: all documents must be checked."""
        with self._wake:
            self._rescan, self._noted = True, time.monotonic()
            self._wake.notify()

    def fail(self, why: str) -> None:
        """The source no longer sees changes, or not all of them."""
        with self._wake:
            self._failure, self._noted = why, time.monotonic()
            self._wake.notify()

    # --- the watch's own thread -----------------------------------------------------------

    def _run(self, changed: Changed) -> None:
        while self._wait():
            with self._wake:
                pending, self._pending = self._pending, set()
                rescan, self._rescan = self._rescan, False
                failure, self._failure = self._failure, ""
            if failure:
                self._poll(failure)
                rescan = True
            if rescan:
                pending.update(documents(self.disk))
            foreign = tuple(sorted(path for path in pending if not self._is_ours(path)))
            if foreign:
                changed(tuple(_change(path) for path in foreign))

    def _wait(self) -> bool:
        """Sleep until there are hints and the writing has paused; False when stopping."""
        with self._wake:
            self._wake.wait_for(self._is_due)
            last = time.monotonic() + self._settings.watch_longest_s
            while not self._stopping:
                until = min(self._noted + self._settings.watch_quiet_s, last)
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
            source = _native(self)
        except OSError as error:  # no inotify instance is free
            self._poll(error.strerror or str(error))
            return
        try:
            source.start()
        except OSError as error:
            source.stop()
            self._poll(error.strerror or str(error))
        else:
            self._source, self._state = source, "watching"

    def _poll(self, why: str) -> None:
        """Switch to polling the folder."""
        if self._source is not None:
            self._source.stop()
            self._source = None
        try:
            with self.disk.folder(paths.WORKSPACES):
                pass
        except OSError as error:
            self._state = f"blind: {error.strerror or error}"
            return
        source = _Observed(
            self,
            PollingObserverVFS(
                os.lstat, self._shallow, polling_interval=self._settings.watch_poll_s
            ),
        )
        source.start()
        self._source, self._state = source, f"polling: {why}"

    def _shallow(self, path: str | None) -> Iterator[os.DirEntry[str]]:
        """The folders that a poll may read: `workspaces/` and the folders in it, no deeper."""
        if path is None or self._root not in (path, os.path.dirname(path)):
            return iter(())
        return os.scandir(path)


def written_by(store: FileStore) -> Callable[[str], bool]:
    """An `is_ours` by content: the store itself reads the document as its own, or as missing.
    A document that cannot be read at all counts as changed outside."""

    def is_ours(path: str) -> bool:
        _, key, name = path.split("/")
        model = next(model for model in WATCHED if paths.LAYOUT[model].file == name)
        try:
            return store.read(Ref(model, key)).health in (Health.OK, Health.MISSING)
        except StoreError:
            return False

    return is_ours


def documents(disk: Disk) -> Iterator[str]:
    """Paths of all watched documents, including missing ones of known workspaces."""
    try:
        with disk.folder(paths.WORKSPACES) as folder:
            keys = [name for name in disk.list(folder) if paths.is_workspace(name)]
    except OSError:
        return
    for key in keys:
        for model in WATCHED:
            yield f"{paths.workspace_folder(key)}/{paths.LAYOUT[model].file}"


def _is_document(name: str) -> bool:
    """Whether a file is a document; locks, previous copies and temporary files are not."""
    return any(paths.LAYOUT[model].file == name for model in WATCHED)


def _change(path: str) -> FileChangeHint:
    _, key, name = path.split("/")
    slug = next(model.slug for model in WATCHED if paths.LAYOUT[model].file == name)
    return FileChangeHint(workspace=key, slug=slug)


def _native(watch: Watch) -> HintSource:
    if sys.platform == "linux":
        return _Inotify(watch)
    from watchdog.observers import Observer  # picks the system's own mechanism at import

    return _Observed(watch, Observer())


class _Observed(FileSystemEventHandler):
    """Hints from a watchdog observer: on macOS, and for polling."""

    def __init__(self, watch: Watch, observer: Any) -> None:
        self._watch = watch
        self._observer = observer
        self._root = os.path.realpath(watch.disk.home / paths.WORKSPACES)

    def start(self) -> None:
        self._observer.schedule(self, self._root, recursive=True, event_filter=EVENTS)
        self._observer.start()

    def stop(self) -> None:
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        for place in (os.fsdecode(event.src_path), os.fsdecode(event.dest_path)):
            inner = os.path.relpath(place, self._root).split("/") if place else []
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
        self._reader = _paced(inotify_c.InotifyFD, watch.pace_s)()
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
        self._add_workspaces(note_documents=False)

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
            self._came_or_went(event)

    def on_watch_deleted(self, wd: int) -> None:
        with self._lock:
            self._folders.pop(wd, None)

    def on_queue_overflow(self) -> None:
        try:
            self._add_workspaces(note_documents=False)
        except OSError as error:
            self._watch.fail(error.strerror or str(error))
        self._watch.overflow()

    def _came_or_went(self, event: Any) -> None:
        name = os.fsdecode(event.name)
        if event.is_create or event.is_moved_to:
            try:
                self._add_workspaces(note_documents=True)
            except OSError as error:
                self._watch.fail(error.strerror or str(error))
        else:
            with self._lock:  # a folder that was moved away may still send hints
                self._folders = {wd: at for wd, at in self._folders.items() if at != name}

    def _add_workspaces(self, *, note_documents: bool) -> None:
        """Watch every workspace that is not watched yet. A file written into a new folder before
        its watch was added sent no hint; `note_documents` notes all documents of such a folder."""
        with self._watch.disk.folder(paths.WORKSPACES) as root:
            found = self._watch.disk.list(root)
        with self._lock:
            known = set(self._folders.values())
        for key in found:
            if paths.is_workspace(key) and key not in known:
                self._add(key)
                if note_documents:
                    self._note_documents(key)

    def _note_documents(self, key: str) -> None:
        for model in WATCHED:
            self._watch.note(key, paths.LAYOUT[model].file)

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
