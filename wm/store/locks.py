"""Locks across threads and processes: one lock file per document, the kernel's own lock (ST-2).

filelock does the locking, on a descriptor that `fsops` opened, so that no symlink is followed.
The kernel frees a lock when its process dies: nothing is judged by age, no process id is
trusted, and a name in a message is for people only.

Protects: two holders never meet. A lock file is unlinked by its holder only, and only when the
document is gone; one that was unlinked or replaced is noticed, by inode, after the lock is taken
and again before anything is written under it (F24, F28).
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Sequence

from filelock import lock_descriptor, unlock_descriptor
from msgspec import Struct

from wm.errors import Busy
from wm.settings import StoreSettings
from wm.store import fsops, paths
from wm.store.failures import explained
from wm.store.fsops import Disk, Handle


class Lock(Struct, eq=False, weakref=True):
    """A held lock: the open lock file, and the document in an open folder that it guards."""

    folder: Handle
    name: str
    file: Handle


class Locks:
    """All locks that one store holds. A forked child holds none of them (F27)."""

    def __init__(self, disk: Disk, settings: StoreSettings) -> None:
        self._disk = disk
        self._settings = settings
        self._held: weakref.WeakSet[Lock] = weakref.WeakSet()
        os.register_at_fork(after_in_child=_in_child(weakref.ref(self)))

    def take_all(self, documents: Sequence[tuple[Handle, str]]) -> list[Lock]:
        """Lock documents, each the folder and its name there, in the given order and within
        `lock_wait_s` for all together. Busy names the holder."""
        deadline = time.monotonic() + self._settings.lock_wait_s
        taken: list[Lock] = []
        try:
            for folder, name in documents:
                taken.append(self._take(folder, name, deadline))
        except BaseException:
            self.release_all(taken)
            raise
        return taken

    def try_take(self, folder: Handle, name: str) -> Lock | None:
        """The lock if it is free at once, else None."""
        with explained("lock", self._disk.home, folder.path, name):
            lock = self._open(folder, name)
            taken = False
            try:
                taken = lock_descriptor(lock.file.fd, blocking=False) and self.still_ours(lock)
            finally:
                if not taken:
                    self._close(lock)
        return lock if taken else None

    def release_all(self, locks: Sequence[Lock]) -> None:
        """Let go in reverse order."""
        for lock in reversed(locks):
            if lock.file.fd >= 0:
                try:
                    unlock_descriptor(lock.file.fd)
                finally:
                    self._close(lock)

    def remove(self, lock: Lock) -> None:
        """Its document is deleted: so is the lock file, while we hold it and nobody else can.
        Who waits for it notices by inode and begins with a new one. Never raises: what stays is
        swept later."""
        try:
            self._disk.unlink(lock.folder, paths.lock(lock.name))
        except OSError:
            return

    def still_ours(self, lock: Lock) -> bool:
        """Whether the file we hold is the one that a newcomer would find."""
        try:
            named = self._disk.stat(lock.folder, paths.lock(lock.name))
        except FileNotFoundError:
            return False
        ours = self._disk.status(lock.file)
        return (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino)

    def forget(self) -> None:
        """In a forked child: close our copies. The parent's locks stay as they are."""
        for lock in list(self._held):
            self._close(lock)

    def _take(self, folder: Handle, name: str, deadline: float) -> Lock:
        while True:
            lock = self.try_take(folder, name)
            if lock is not None:
                return lock
            if time.monotonic() >= deadline:
                raise self._busy(folder, name)
            time.sleep(self._settings.lock_poll_s)

    def _open(self, folder: Handle, name: str) -> Lock:
        lock = Lock(folder, name, self._disk.open_lock(folder, paths.lock(name)))
        self._held.add(lock)
        return lock

    def _close(self, lock: Lock) -> None:
        self._held.discard(lock)
        self._disk.close(lock.file)

    def _busy(self, folder: Handle, name: str) -> Busy:
        path = self._disk.home / folder.path / name
        return Busy(
            f"{path} is locked by {self._holder(folder, name)}; "
            f"waited {self._settings.lock_wait_s:g} s.",
            fix="Try again; if it stays, end that process. Its lock goes with it.",
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
        told = fsops.process_name(pid)
        return f"process {pid} ({told})" if told else f"process {pid}"


def _in_child(locks: weakref.ref[Locks]) -> Callable[[], None]:
    def forget() -> None:
        found = locks()
        if found is not None:
            found.forget()

    return forget
