"""State that the transactions of one open store share: key, folders, cache, pending flushes.

Protects: an unchanged document is parsed once (the cache compares the exact bytes and the
previous copy's generation, never time stamps), and nothing counts as acknowledged before this
process has flushed the folder names on the path to it.
"""

from __future__ import annotations

import contextlib
import errno
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from wm.errors import OnError, StoreError, Unwritable
from wm.secrets.redact import Redactor
from wm.settings import StoreSettings
from wm.store import atomic, copies, envelope, fstype, paths
from wm.store import key as keys
from wm.store.base import D, Health, Ref
from wm.store.copies import CopiesFound, Unfinished
from wm.store.evidence import EvidenceLog
from wm.store.fsops import Bytes, Disk, Handle, explained, if_there
from wm.store.locks import Locks
from wm.store.paths import CACHED, RELAXED, FilePlace
from wm.store.quarantine import Quarantine

V = TypeVar("V")

SETTLED_NS = 1_000_000_000
"""A folder unchanged for this long changes its time stamp with its next change."""


class Wait(Enum):
    """What a relaxed file needs before a power cut can no longer revert it."""

    PREVIOUS_COPY = "flush the previous copy of a document of class full"
    COPY = "copy the document to its previous copy and flush that"
    LOG = "flush the log"
    FILE = "flush a file that is written once"


class Pending(Struct, frozen=True):
    """One file that waits for a flush."""

    place: FilePlace
    wait: Wait


class Recent(Struct, Generic[V], eq=False):
    """An LRU cache of values by key. The least recently used values leave when the total size
    exceeds `limit`; the newest value stays, whatever its size. Safe for several threads."""

    limit: int
    _total: int = 0
    _kept: OrderedDict[Hashable, tuple[V, int]] = field(default_factory=OrderedDict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: Hashable) -> V | None:
        with self._guard:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: Hashable, value: V, size: int = 1) -> None:
        with self._guard:
            self._pop(key)
            self._kept[key] = value, size
            self._total += size
            while self._total > self.limit and len(self._kept) > 1:
                self._pop(next(iter(self._kept)))

    def pop(self, key: Hashable) -> V | None:
        with self._guard:
            return self._pop(key)

    def values(self) -> tuple[V, ...]:
        """All values, least recently used first."""
        with self._guard:
            return tuple(value for value, _size in self._kept.values())

    def _pop(self, key: Hashable) -> V | None:
        value, size = self._kept.pop(key, (None, 0))
        self._total -= size
        return value


class Core:
    """The open data folder. Everything here is safe for several threads."""

    def __init__(self, home: Path, settings: StoreSettings, disk: Disk) -> None:
        self.home = home
        self.settings = settings
        self.disk = disk
        self.locks = Locks(disk, settings)
        # Documents hold our own digests, which look opaque; so redact only text with the form or
        # the label of a secret.
        redactor = Redactor(self._label, opaque=False)
        self.quarantine = Quarantine(
            disk, settings.quarantine_max_files, settings.max_document_bytes, redactor.text
        )
        self.log = EvidenceLog(disk, settings)
        self.cache: Recent[CopiesFound[Any]] = Recent(settings.document_cache_bytes)
        """Documents, each valid as long as its file has the same bytes."""
        self._newest: Recent[tuple[int, tuple[str, ...]]] = Recent(256)
        self._guard = threading.Lock()
        self._key: bytes | None = None
        self._writable = False
        self._anchored: set[str] = set()
        self._swept: set[str] = set()
        self._pending: dict[Pending, None] = {}

    # --- key ------------------------------------------------------------------------------

    def key_to_read(self) -> bytes:
        """The key. If there is none, a random one: then no document verifies as ours."""
        if self._key is None:
            self._key = keys.load(self.disk)
        return self._key or secrets.token_bytes(keys.KEY_BYTES)

    def _label(self, secret: str) -> str:
        return keys.digest(self.key_to_read(), secret)

    def key_to_write(self) -> bytes:
        """The key, after making sure that the data folder and the key in it are intact."""
        with self._guard:
            if not self._writable:
                self._prepare()
                self._writable = True
            assert self._key is not None
            return self._key

    def _prepare(self) -> None:
        with explained("create", self.home):
            self.disk.make_home()
        fstype.require_supported(self.home, self.settings.allow_network_folder)
        with (
            explained("open", self.home),
            self.disk.folder("") as home,
            self.locks.hold(home, paths.KEY_FILE),
        ):
            self._sweep(home, {paths.KEY_FILE})
            self._key = keys.ensure(self.disk, self.quarantine)

    # --- folders ----------------------------------------------------------------------------

    def make_folder(self, path: str) -> Handle:
        """Open a folder, creating missing folders on the path to it."""
        return atomic.make_folder(self.disk, path)

    def newest_sessions(self, path: str) -> tuple[str, ...]:
        """The `<sid>`s of the sessions with a log or a state in this folder, the one written last
        first. Reads no file. States are replaced by a rename, so their order, which costs 0.2 s for
        20,000 sessions, is valid until the folder changes; logs grow without that."""
        with if_there("read", self.home, path), self.disk.folder(path) as folder:
            changed = self.disk.status(folder).st_mtime_ns
            known = self._newest.get(path)
            if known is not None and known[0] == changed:
                return known[1]
            found = self._by_time(folder)
            # A later change within the same tick of the clock would go unnoticed.
            if path.endswith(paths.SESSIONS) and time.time_ns() - changed > SETTLED_NS:
                self._newest.put(path, (changed, found))
            return found
        return ()

    def _by_time(self, folder: Handle) -> tuple[str, ...]:
        found: dict[str, int] = {}
        spares = []
        for name in self.disk.names(folder):
            if name.endswith(".spare"):
                spares.append(name)
            elif session := paths.session_of(name):
                with contextlib.suppress(FileNotFoundError):  # the file was deleted meanwhile
                    found[session] = self.disk.stat(folder, name).st_mtime_ns
        for name in spares:  # only the previous copy of a document is left
            if (session := paths.session_of(name[1:-6])) and session not in found:
                found[session] = 0
        return tuple(sorted(found, key=lambda session: (found[session], session), reverse=True))

    def names_in(self, path: str) -> list[str]:
        """Names in a folder, sorted; none if it is missing. Raises StoreError."""
        with if_there("read", self.home, path), self.disk.folder(path) as folder:
            return self.disk.list(folder)
        return []

    def flush_names(
        self,
        paths_of_folders: Iterable[str],
        opened: Mapping[str, Handle],
        files: Sequence[Handle] = (),
    ) -> None:
        """Make the names in these folders durable: flush the folders, those above them that this
        process has not flushed yet, and `files`, all at once. opened: folders that are open."""
        wanted: dict[str, None] = dict.fromkeys(paths_of_folders)
        with self._guard:
            for path in list(wanted):
                while path and path not in self._anchored:
                    path = path.rpartition("/")[0]
                    wanted[path] = None
        if not wanted and not files:
            return
        with contextlib.ExitStack() as stack:
            handles = [
                opened.get(path) or stack.enter_context(self.disk.folder(path)) for path in wanted
            ]
            self.disk.flush_all([*files, *handles])
        with self._guard:
            self._anchored.update(wanted)

    def sweep(self, folder: Handle, locked: set[str]) -> None:
        """Once per folder: delete what dead writers left. `locked`: documents that we lock."""
        with self._guard:
            if folder.path in self._swept:
                return
            self._swept.add(folder.path)
        with OnError(partial(self.sweep_again, [folder.path])):
            self._sweep(folder, locked)

    def sweep_again(self, paths_of_folders: Iterable[str]) -> None:
        """A write failed and may have left files that it could not remove: sweep these folders
        again."""
        with self._guard:
            self._swept.difference_update(paths_of_folders)

    def replace(
        self, folder: Handle, name: str, parts: Iterable[Bytes], *, durable: bool, owner: str = ""
    ) -> None:
        """`atomic.replace`. The next writer removes the temporary file if this one cannot."""
        with OnError(partial(self.sweep_again, [folder.path])):
            atomic.replace(self.disk, folder, name, parts, durable=durable, owner=owner)

    def _sweep(self, folder: Handle, locked: set[str]) -> None:
        def is_free(name: str) -> bool:
            if name in locked:
                return True
            with self.locks.try_hold(folder, name) as lock:
                return lock is not None

        atomic.sweep(self.disk, folder, is_free)

    # --- documents ----------------------------------------------------------------------------

    def find(
        self, ref: Ref[D], place: FilePlace, folder: Handle, key: bytes, *, locked: bool = False
    ) -> CopiesFound[D]:
        """Read and judge the document; uses the cached result if it is still valid.

        locked: we hold the document's lock. Then another writer's unfinished update is finished;
        without the lock it is only counted. A cached document cannot have missed an acknowledged
        update: those need a power cut, and no cache survives one.
        """
        full = ref.model not in RELAXED | CACHED
        cached = self.cache.get(place.path)
        if cached is not None:
            following = paths.next_file(place.name, cached.generation + 1)
            missed = locked and full and self.disk.exists(folder, following)
            if not missed and self._is_unchanged(cached, place, folder):
                return cached
        next_files = self._next_files(folder, place) if full else []
        if next_files and not locked:
            found = self._read_unlocked(ref, place, folder, key, next_files)
        else:
            found = self._read(ref, place, folder, key, next_files)
            if found.unfinished is not None:
                self._finish(folder, found.unfinished)
                found = self._read(ref, place, folder, key)
        fine = found.reading.health is Health.OK and ref.model not in CACHED
        if fine and not (found.keep_previous or found.unfinished):
            self.keep(place, found)
        else:
            self.cache.pop(place.path)
        return found

    def encode(
        self, place: FilePlace, document: D, generation: int, before: D | None = None
    ) -> tuple[bytes, D]:
        """See `envelope.encode`. Raises Unwritable also beyond the size limit of documents."""
        raw, decoded = envelope.encode(document, generation, self.key_to_write(), before)
        limit = self.settings.max_document_bytes
        if len(raw) > limit:
            raise Unwritable.of(
                "store.large_document", path=self.home / place.path, size=len(raw), limit=limit
            )
        return raw, decoded

    def keep(self, place: FilePlace, found: CopiesFound[Any]) -> None:
        self.cache.put(place.path, found, len(found.raw or b""))

    def _read(
        self,
        ref: Ref[D],
        place: FilePlace,
        folder: Handle,
        key: bytes,
        next_files: Sequence[str] = (),
    ) -> CopiesFound[D]:
        return copies.find(
            self.disk,
            folder,
            place.name,
            ref.model,
            key,
            limit=self.settings.max_document_bytes,
            relaxed=ref.model in RELAXED,
            next_files=next_files,
        )

    def _read_unlocked(
        self, ref: Ref[D], place: FilePlace, folder: Handle, key: bytes, next_files: Sequence[str]
    ) -> CopiesFound[D]:
        """Count an unfinished update only if no writer is working on it: try the lock, and hold it
        while reading."""
        try:
            lock = self.locks.try_take(folder, place.name)
        except StoreError:  # a folder that cannot be written to has no active writer
            return self._read(ref, place, folder, key, next_files)
        try:
            return self._read(ref, place, folder, key, next_files if lock is not None else ())
        finally:
            self.locks.release_all([lock] if lock is not None else [])

    def _next_files(self, folder: Handle, place: FilePlace) -> list[str]:
        files = (paths.next_file(place.name, parity) for parity in (0, 1))
        return [file for file in files if self.disk.exists(folder, file)]

    def _finish(self, folder: Handle, update: Unfinished) -> None:
        """Rename the update into place. Flush it first: its writer may not have done so."""
        with self.disk.open(folder, update.file) as file:
            self.disk.flush(file)
        self.disk.rename(folder, update.file, update.target)
        self.disk.flush(folder)

    def _is_unchanged(self, cached: CopiesFound[D], place: FilePlace, folder: Handle) -> bool:
        """Whether the file still has the cached bytes. The same bytes are no proof alone: a program
        may have put them back after another process wrote a later generation (ST-4)."""
        if cached.raw is None or not self.has(folder, place, cached.raw):
            return False
        return not copies.is_overtaken(self.disk, folder, place.name, cached.generation)

    def has(self, folder: Handle, place: FilePlace, raw: bytes) -> bool:
        """Whether the document's file exists and has exactly these bytes. False for one that
        cannot be read: `find` then reads it twice, and has the previous copy."""
        try:
            return self.disk.has(folder, place.name, raw)
        except OSError as error:
            if error.errno not in (errno.ENOENT, *copies.UNREADABLE):
                raise
            return False

    # --- what waits for a flush -----------------------------------------------------------------

    def add_pending(self, place: FilePlace, wait: Wait) -> None:
        with self._guard:
            self._pending[Pending(place, wait)] = None

    def drop_pending(self, place: FilePlace) -> None:
        """The document is deleted: drop all its pending flushes."""
        with self._guard:
            if not self._pending:
                return
            for wait in Wait:
                self._pending.pop(Pending(place, wait), None)

    def take_pending(self) -> list[Pending]:
        with self._guard:
            taken = list(self._pending)
            self._pending.clear()
        return taken

    def has_pending(self) -> bool:
        with self._guard:
            return bool(self._pending)
