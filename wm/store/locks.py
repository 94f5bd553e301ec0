"""Locks across threads and processes: one lock file per document, with a kernel lock (ST-2).

filelock does the locking, on a descriptor that `fsops` opened, so that no symlink is followed.
The kernel frees a lock when its process dies: no lock expires by age, no process id is
trusted, and a holder's name in a message is for people only.

Protects: a lock never has two holders. A lock file is unlinked by its holder only, and only when
the document is deleted. A lock file that was unlinked or replaced is detected, by inode, after the
lock is taken and again before anything is written under it (F24, F28).
"""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from functools import partial

from filelock import lock_descriptor, unlock_descriptor
from msgspec import Struct

from wm.errors import Busy, OnError
from wm.settings import StoreSettings
from wm.settings.environment import allow_open_files
from wm.store import fsops, paths
from wm.store.fsops import Disk, Handle, explained

MANY_LOCKS = 64
"""Locks from which on one transaction may need more open files than processes usually may have."""


_TAKEN_OVER: ContextVar[bool] = ContextVar("taken_over", default=False)


@contextlib.contextmanager
def taken_over_by_child() -> Iterator[None]:
    """Within it a forked child keeps the locks: it finishes the work, and this process ends."""
    token = _TAKEN_OVER.set(True)
    try:
        yield
    finally:
        _TAKEN_OVER.reset(token)


class Lock(Struct, eq=False, weakref=True):
    """A held lock: the open lock file, and the document that it guards, in its open folder."""

    folder: Handle
    name: str
    file: Handle


class Locks:
    """All locks of one store. A forked child holds none of them (F27), unless it takes over."""

    def __init__(self, disk: Disk, settings: StoreSettings) -> None:
        self._disk = disk
        self._settings = settings
        self._open: weakref.WeakSet[Lock] = weakref.WeakSet()
        _forget_in_child(weakref.ref(self))

    def take_all(self, documents: Sequence[tuple[Handle, str]]) -> list[Lock]:
        """Lock documents, each given as folder and name, in the given order and within
        `lock_wait_s` for all together. Raises Busy, which names the holder."""
        if len(documents) > MANY_LOCKS:
            allow_open_files(3 * len(documents))
        deadline = time.monotonic() + self._settings.lock_wait_s
        locks: list[Lock] = []
        with OnError(partial(self.release_all, locks)):
            for folder, name in documents:
                locks.append(self._take(folder, name, deadline))
        return locks

    @contextlib.contextmanager
    def hold(self, folder: Handle, name: str) -> Iterator[Lock]:
        """Hold the lock of one document; see `take_all`."""
        locks = self.take_all([(folder, name)])
        try:
            yield locks[0]
        finally:
            self.release_all(locks)

    @contextlib.contextmanager
    def try_hold(self, folder: Handle, name: str) -> Iterator[Lock | None]:
        """Hold the lock of one document; None if another one holds it."""
        lock = self.try_take(folder, name)
        try:
            yield lock
        finally:
            self.release_all([lock] if lock is not None else [])

    def try_take(self, folder: Handle, name: str) -> Lock | None:
        """Take the lock if it is free, else return None without waiting."""
        with explained("lock", self._disk.home, folder.path, name):
            lock = Lock(folder, name, self._disk.open_lock(folder, paths.lock(name)))
            self._open.add(lock)
            taken = False
            try:
                taken = lock_descriptor(lock.file.fd, blocking=False) and self.is_current(lock)
            finally:
                if not taken:
                    self._close(lock)
        return lock if taken else None

    def release_all(self, locks: Sequence[Lock]) -> None:
        """Release the locks in reverse order."""
        for lock in reversed(locks):
            if lock.file.fd >= 0:
                try:
                    unlock_descriptor(lock.file.fd)
                finally:
                    self._close(lock)

    def remove(self, lock: Lock) -> None:
        """Delete the lock file of a deleted document, while we hold the lock. A waiting process
        notices by inode and starts over with a new file. Never raises: a file that stays is swept
        later."""
        with contextlib.suppress(OSError):
            self._disk.unlink(lock.folder, paths.lock(lock.name))

    def is_current(self, lock: Lock) -> bool:
        """Whether the lock file at the name is still the one that we hold."""
        try:
            named = self._disk.stat(lock.folder, paths.lock(lock.name))
        except FileNotFoundError:
            return False
        opened = self._disk.status(lock.file)
        return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)

    def forget(self) -> None:
        """In a forked child: close the inherited descriptors. The parent's locks are not
        affected."""
        for lock in list(self._open):
            self._close(lock)

    def _take(self, folder: Handle, name: str, deadline: float) -> Lock:
        while True:
            lock = self.try_take(folder, name)
            if lock is not None:
                return lock
            if time.monotonic() >= deadline:
                raise self._busy(folder, name)
            time.sleep(self._settings.lock_poll_s)

    def _close(self, lock: Lock) -> None:
        self._open.discard(lock)
        self._disk.close(lock.file)

    def _busy(self, folder: Handle, name: str) -> Busy:
        path = self._disk.home / folder.path / name
        return Busy.of(
            "store.locked",
            path=path,
            holder=self._holder(folder, name),
            wait_s=self._settings.lock_wait_s,
        )

    def _holder(self, folder: Handle, name: str) -> str:
        try:
            pid = fsops.lock_holder(self._disk.stat(folder, paths.lock(name)))
        except OSError:
            pid = 0
        if pid == 0:
            return "another process"
        if pid == os.getpid():
            return f"another thread of this process ({pid})"
        name_of_process = fsops.process_name(pid)
        return f"process {pid} ({name_of_process})" if name_of_process else f"process {pid}"


def _forget_in_child(locks: weakref.ref[Locks]) -> None:
    def forget() -> None:
        if (found := locks()) and not _TAKEN_OVER.get():
            found.forget()

    os.register_at_fork(after_in_child=forget)
