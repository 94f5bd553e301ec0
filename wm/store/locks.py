"""Locks across threads and processes: one lock file per document, the kernel's own lock (ST-2).

filelock does the locking, on a descriptor that `fsops` opened, so that no symlink is followed.
The kernel frees a lock when its process dies: nothing is judged by age, no process id is
trusted, and a name in a message is for people only.

Protects: two holders never meet. A lock file is never unlinked, and one that somebody else
unlinked or replaced is noticed, by inode, after the lock is taken and again before anything is
written under it (F24, F28).
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from filelock import lock_descriptor, unlock_descriptor

from wm.errors import Busy
from wm.settings import StoreSettings
from wm.store import fsops, paths
from wm.store.failures import explained
from wm.store.fsops import Disk, Handle
from wm.store.paths import Place


@dataclass(slots=True, weakref_slot=True, eq=False)
class Lock:
    """A held lock: the open lock file, and the document that it guards."""

    place: Place
    handle: Handle


class Locks:
    """All locks that one store holds. A forked child holds none of them (F27)."""

    def __init__(self, disk: Disk, settings: StoreSettings) -> None:
        self._disk = disk
        self._settings = settings
        self._held: weakref.WeakSet[Lock] = weakref.WeakSet()
        os.register_at_fork(after_in_child=_in_child(weakref.ref(self)))

    def take_all(self, places: Sequence[Place]) -> list[Lock]:
        """Lock in the given order, `lock_wait_s` for all together. Busy names the holder."""
        deadline = time.monotonic() + self._settings.lock_wait_s
        taken: list[Lock] = []
        try:
            for place in places:
                taken.append(self._take(place, deadline))
        except BaseException:
            self.release_all(taken)
            raise
        return taken

    def try_take(self, place: Place) -> Lock | None:
        """The lock if it is free at once, else None."""
        with explained("lock", str(self._disk.home / place.path)):
            lock = self._open(place)
            taken = False
            try:
                taken = self._attempt(lock)
            finally:
                if not taken:
                    self._close(lock)
        return lock if taken else None

    def release_all(self, locks: Sequence[Lock]) -> None:
        """Let go in reverse order."""
        for lock in reversed(locks):
            if lock.handle.fd >= 0:
                try:
                    unlock_descriptor(lock.handle.fd)
                finally:
                    self._close(lock)

    def still_ours(self, lock: Lock) -> bool:
        """Whether the file we hold is the one that a newcomer would find."""
        try:
            with self._disk.folder(lock.place.folder) as folder:
                named = self._disk.stat(folder, paths.lock(lock.place.name))
        except FileNotFoundError:
            return False
        ours = self._disk.status(lock.handle)
        return (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino)

    def forget(self) -> None:
        """In a forked child: close our copies. The parent's locks stay as they are."""
        for lock in list(self._held):
            self._close(lock)

    def _take(self, place: Place, deadline: float) -> Lock:
        while True:
            lock = self.try_take(place)
            if lock is not None:
                return lock
            if time.monotonic() >= deadline:
                raise self._busy(place)
            time.sleep(self._settings.lock_poll_s)

    def _attempt(self, lock: Lock) -> bool:
        return lock_descriptor(lock.handle.fd, blocking=False) and self.still_ours(lock)

    def _open(self, place: Place) -> Lock:
        with self._disk.folder(place.folder) as folder:
            lock = Lock(place, self._disk.open_lock(folder, paths.lock(place.name)))
        self._held.add(lock)
        return lock

    def _close(self, lock: Lock) -> None:
        self._held.discard(lock)
        self._disk.close(lock.handle)

    def _busy(self, place: Place) -> Busy:
        path = self._disk.home / place.path
        return Busy(
            f"{path} is locked by {self._holder(place)}; waited {self._settings.lock_wait_s:g} s.",
            fix="Try again; if it stays, end that process. Its lock goes with it.",
        )

    def _holder(self, place: Place) -> str:
        try:
            with self._disk.folder(place.folder) as folder:
                pid = fsops.lock_holder(self._disk.stat(folder, paths.lock(place.name)))
        except OSError:
            pid = 0
        if pid == 0:
            return "another process"
        if pid == os.getpid():
            return f"another thread of this process ({pid})"
        name = fsops.process_name(pid)
        return f"process {pid} ({name})" if name else f"process {pid}"


def _in_child(locks: weakref.ref[Locks]) -> Callable[[], None]:
    def forget() -> None:
        found = locks()
        if found is not None:
            found.forget()

    return forget
