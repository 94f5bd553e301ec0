"""What the transactions of one open store share: key, folders, cache, and what waits for a flush.

Protects: an unchanged document is parsed once (the cache compares the exact bytes and the
spare's generation, never time stamps), and nothing counts as acknowledged while the names on the
way to it were never flushed by this process.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from wm.domain.redact import Redactor
from wm.errors import StoreError
from wm.formats.base import Document
from wm.settings import StoreSettings
from wm.store import atomic, copies, envelope, fstype, paths
from wm.store import key as keys
from wm.store.base import CACHED, RELAXED, Health, Ref
from wm.store.copies import Found, Unfinished
from wm.store.evidence import EvidenceLog
from wm.store.failures import explained
from wm.store.fsops import Disk, Handle
from wm.store.locks import Locks
from wm.store.paths import Place
from wm.store.quarantine import Quarantine

D = TypeVar("D", bound=Document)


class Wait(Enum):
    """What a relaxed file needs before a power cut cannot take it back."""

    SPARE = "flush the spare of a document of class full"
    COPY = "copy the document to its spare and flush that"
    LOG = "flush the log"
    FILE = "flush a file that is written once"


class Pending(Struct, frozen=True):
    """One file that waits for a flush."""

    place: Place
    wait: Wait


class Cache:
    """Documents by place, valid as long as the file's bytes are the same. Oldest leave first."""

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._bytes = 0
        self._found: OrderedDict[str, tuple[type[Document], Found[Document]]] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, path: str, model: type[D]) -> Found[D] | None:
        with self._guard:
            kept = self._found.get(path)
            if kept is None or kept[0] is not model:
                return None
            self._found.move_to_end(path)
        return kept[1]  # type: ignore[return-value]  # stored under this very model

    def put(self, path: str, model: type[D], found: Found[D]) -> None:
        size = len(found.raw or b"")
        with self._guard:
            self._drop(path)
            self._found[path] = (model, found)
            self._bytes += size
            while self._bytes > self._max and len(self._found) > 1:
                self._drop(next(iter(self._found)))

    def drop(self, path: str) -> None:
        with self._guard:
            self._drop(path)

    def _drop(self, path: str) -> None:
        kept = self._found.pop(path, None)
        if kept is not None:
            self._bytes -= len(kept[1].raw or b"")


class Core:
    """The open data folder. Everything here is safe for several threads."""

    def __init__(self, home: Path, settings: StoreSettings, disk: Disk) -> None:
        self.home = home
        self.settings = settings
        self.disk = disk
        self.locks = Locks(disk, settings)
        # Documents hold digests of our own, so only what has the form or the label of a secret.
        redactor = Redactor(self._label, opaque=False)
        self.quarantine = Quarantine(
            disk, settings.quarantine_max_files, settings.max_document_bytes, redactor.text
        )
        self.log = EvidenceLog(disk, settings)
        self.cache = Cache(settings.document_cache_bytes)
        self._guard = threading.Lock()
        self._key: bytes | None = None
        self._writable = False
        self._anchored: set[str] = set()
        self._swept: set[str] = set()
        self._pending: dict[Pending, None] = {}

    # --- key ------------------------------------------------------------------------------

    def key_to_read(self) -> bytes:
        """The key. Where there is none, one that fits nothing: then no document is ours."""
        if self._key is None:
            self._key = keys.load(self.disk)
        return self._key or secrets.token_bytes(keys.KEY_BYTES)

    def _label(self, secret: str) -> str:
        return keys.digest(self.key_to_read(), secret)

    def key_to_write(self) -> bytes:
        """The key, after making sure that the data folder, and in it the key, is whole."""
        with self._guard:
            if not self._writable:
                self._prepare()
                self._writable = True
            assert self._key is not None
            return self._key

    def _prepare(self) -> None:
        with explained("create", self.home):
            self.disk.make_home()
        lies_on = fstype.require_supported(self.home, self.settings.allow_network_folder)
        self.disk.reserves = lies_on.kind == "ext4"
        with explained("open", self.home), self.disk.folder("") as home:
            held = self.locks.take_all([(home, paths.KEY_FILE)])
            try:
                atomic.sweep(
                    self.disk, home, lambda name: name == paths.KEY_FILE or self._free(home, name)
                )
                self._key = keys.ensure(self.disk, self.quarantine)
            finally:
                self.locks.release_all(held)

    # --- folders ----------------------------------------------------------------------------

    def make_folder(self, path: str, above: Handle | None = None) -> Handle:
        """Open a folder, creating what is missing on the way to it. `above`: the folder that it
        is in, where that is open: then the way to it is not gone again."""
        try:
            if above is not None:
                return self.disk.inner(above, path.rpartition("/")[2])
            return self.disk.folder(path)
        except FileNotFoundError:
            upper, _, name = path.rpartition("/")
            with self.make_folder(upper) as parent:
                # Another writer may be faster.
                with contextlib.suppress(FileExistsError):
                    self.disk.mkdir(parent, name)
                self.disk.flush(parent)
            return self.disk.folder(path)

    def to_flush(self, paths_of_folders: Iterable[str]) -> list[str]:
        """The folders to flush so that names in the given ones hold: these, and those on the
        way to them that this process has not flushed yet."""
        wanted: dict[str, None] = dict.fromkeys(paths_of_folders)
        with self._guard:
            for path in list(wanted):
                while path and path not in self._anchored:
                    path = path.rpartition("/")[0]
                    wanted[path] = None
        return list(wanted)

    def flushed(self, paths_of_folders: Iterable[str]) -> None:
        """Tell that these and the way to them are on disk."""
        with self._guard:
            self._anchored.update(paths_of_folders)

    def sweep(self, folder: Handle, held: set[str]) -> None:
        """Once per folder: delete what dead writers left. `held`: documents that we lock."""
        with self._guard:
            if folder.path in self._swept:
                return
            self._swept.add(folder.path)
        try:
            atomic.sweep(self.disk, folder, lambda name: name in held or self._free(folder, name))
        except BaseException:
            self.sweep_again([folder.path])
            raise

    def sweep_again(self, paths_of_folders: Iterable[str]) -> None:
        """A write failed, and may have left what it could not take back: look once more."""
        with self._guard:
            self._swept.difference_update(paths_of_folders)

    def _free(self, folder: Handle, name: str) -> bool:
        lock = self.locks.try_take(folder, name)
        if lock is None:
            return False
        self.locks.release_all([lock])
        return True

    # --- documents ----------------------------------------------------------------------------

    def find(
        self, ref: Ref[D], place: Place, folder: Handle, key: bytes, *, held: bool = False
    ) -> Found[D]:
        """What the document is; from the cache if that still holds.

        held: we have the document's lock. Then what another writer left unfinished is finished;
        else it is counted only. A kept document can have missed no acknowledged one: those need
        a power cut, and no cache outlives that.
        """
        full = ref.model not in RELAXED | CACHED
        kept = self.cache.get(place.path, ref.model)
        missed = kept is not None and held and full and self._is_left(folder, place, kept)
        if kept is not None and not missed and self._holds(kept, place, folder):
            return kept
        left = self._left(folder, place) if full else []
        if left and not held:
            found = self._look_aside(ref, place, folder, key, left)
        else:
            found = self._look(ref, place, folder, key, left)
            if found.unfinished is not None:
                self._finish(folder, found.unfinished)
                found = self._look(ref, place, folder, key)
        fine = found.reading.health is Health.OK and ref.model not in CACHED
        if fine and not (found.keep_spare or found.unfinished):
            self.cache.put(place.path, ref.model, found)
        else:
            self.cache.drop(place.path)
        return found

    def unchanged(self, ref: Ref[D], place: Place) -> Found[D] | None:
        """What is kept, where one quick look tells that it still holds; None: `find` tells."""
        kept = self.cache.get(place.path, ref.model)
        if kept is None or not kept.raw:
            return None
        head = self.disk.head_of_unchanged(
            place.folder, place.name, kept.raw, paths.spare(place.name), envelope.HEAD_BYTES
        )
        held = head is not None and envelope.generation(head) <= kept.generation
        return kept if held else None

    def _look(
        self, ref: Ref[D], place: Place, folder: Handle, key: bytes, left: Sequence[str] = ()
    ) -> Found[D]:
        return copies.find(
            self.disk,
            folder,
            place.name,
            ref.model,
            key,
            limit=self.settings.max_document_bytes,
            relaxed=ref.model in RELAXED,
            next_files=left,
        )

    def _look_aside(
        self, ref: Ref[D], place: Place, folder: Handle, key: bytes, left: Sequence[str]
    ) -> Found[D]:
        """What is on its way counts if nobody is on it: with the lock in our hands meanwhile."""
        try:
            lock = self.locks.try_take(folder, place.name)
        except StoreError:  # a folder that cannot be written to has no writer at work
            return self._look(ref, place, folder, key, left)
        if lock is None:
            return self._look(ref, place, folder, key)
        try:
            return self._look(ref, place, folder, key, left)
        finally:
            self.locks.release_all([lock])

    def _left(self, folder: Handle, place: Place) -> list[str]:
        files = (paths.next_file(place.name, parity) for parity in (0, 1))
        return [file for file in files if self._exists(folder, file)]

    def _is_left(self, folder: Handle, place: Place, kept: Found[D]) -> bool:
        return self._exists(folder, paths.next_file(place.name, kept.generation + 1))

    def _exists(self, folder: Handle, name: str) -> bool:
        try:
            self.disk.stat(folder, name)
        except FileNotFoundError:
            return False
        return True

    def _finish(self, folder: Handle, update: Unfinished) -> None:
        """Let it take its name. Its bytes may never have been flushed: nobody knows."""
        with self.disk.open(folder, update.file) as file:
            self.disk.flush(file)
        self.disk.rename(folder, update.file, update.target)
        self.disk.flush(folder)

    def _holds(self, kept: Found[D], place: Place, folder: Handle) -> bool:
        """Whether the file has the bytes it had. The same bytes are no proof alone: somebody may
        have put them back after another process wrote a later generation (ST-4). A drive that
        fails tells nothing: `find` asks it twice, and has the spare."""
        try:
            if kept.raw is None or not self.has(folder, place, kept.raw):
                return False
        except OSError as error:
            if error.errno not in copies.UNREADABLE:
                raise
            return False
        return not copies.is_overtaken(self.disk, folder, place.name, kept.generation)

    def has(self, folder: Handle, place: Place, raw: bytes) -> bool:
        """Whether the document's file is there and has exactly these bytes."""
        try:
            return self.disk.has(folder, place.name, raw)
        except FileNotFoundError:
            return False

    # --- what waits for a flush -----------------------------------------------------------------

    def wait_for(self, place: Place, wait: Wait) -> None:
        with self._guard:
            self._pending[Pending(place, wait)] = None

    def drop_waits(self, place: Place) -> None:
        """The document is deleted: nothing of it waits any more."""
        with self._guard:
            if not self._pending:
                return
            for wait in Wait:
                self._pending.pop(Pending(place, wait), None)

    def take_waits(self) -> list[Pending]:
        with self._guard:
            taken = list(self._pending)
            self._pending.clear()
        return taken

    def waits(self) -> bool:
        with self._guard:
            return bool(self._pending)
