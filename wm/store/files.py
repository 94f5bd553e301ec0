"""The store over one data folder (SPEC section 2).

Reads take no lock and write nothing; writes go through transactions; `flush` brings unflushed
writes of class relaxed to disk. The work is done in `copies`, `transaction` and `flushing`. Does
not import its checker: `check` and `repair` take a store.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wm.errors import StoreError
from wm.formats.base import Document
from wm.settings import StoreSettings
from wm.store import flushing, paths, vectors
from wm.store import key as keys
from wm.store.base import D, Health, LogReading, Maker, Reading, Ref, SavedVectors
from wm.store.core import Core, Wait
from wm.store.fsops import Disk, explained, if_there
from wm.store.paging_logs import PagingLogs
from wm.store.paths import CACHED, FilePlace
from wm.store.transaction import FileTransaction


class FileStore(PagingLogs):
    """Documents and evidence below `home`. Nothing is created before the first write. Safe for
    several threads and processes."""

    def __init__(self, home: Path, settings: StoreSettings, disk: Disk | None = None) -> None:
        self.home = home
        self.settings = settings
        self.disk = disk or Disk(home)
        super().__init__(Core(home, settings, self.disk))

    def read(self, ref: Ref[D]) -> Reading[D]:
        """Read a document. Takes no lock, writes nothing, changes no file (ST-2)."""
        place = paths.place(ref)
        with if_there("read", self.home, place.path), self.disk.folder(place.folder) as folder:
            return self.core.find(ref, place, folder, self.core.key_to_read()).reading
        return Reading(None, Health.MISSING)

    def transaction(self, refs: Sequence[Ref[Document]]) -> FileTransaction:
        """Lock `refs` in one global order, waiting at most `lock_wait_s`; raises Busy, which names
        the holder."""
        return FileTransaction(self.core, refs)

    def names(self, model: type[D], workspace: str = "") -> tuple[str, ...]:
        """Names of the documents of one format, sorted."""
        found: set[str] = set()
        for file in self.core.names_in(paths.folder(model, workspace)):
            document, companion = paths.companion(file)
            name = paths.name_of(model, document if companion == "spare" else file)
            if name is not None:
                found.add(name)
        return tuple(sorted(found))

    def workspaces(self) -> tuple[str, ...]:
        """Keys of the workspaces that have a folder, sorted."""
        return tuple(filter(paths.is_workspace, self.core.names_in(paths.WORKSPACES)))

    def memories(self) -> tuple[str, ...]:
        """Keys of all folders with documents: the workspaces, and `user` if it exists (ID-3)."""
        return (*self.workspaces(), *((paths.USER,) if self.core.names_in(paths.USER) else ()))

    def evidence(self, workspace: str) -> LogReading:
        """All evidence of a workspace, oldest first."""
        path = paths.evidence_folder(workspace)
        with if_there("read", self.home, path), self.disk.folder(path) as folder:
            return self.core.log.read(folder, self.core.key_to_read())
        return LogReading()

    def keep(self, ref: Ref[D], document: D) -> None:
        """Write a document of `CACHED`, completely or not at all; it replaces one of the same name.
        Raises StoreError, and Unwritable if it would exceed the size limit of documents."""
        place = _place_of_copy(ref)
        raw, _again = self.core.encode(place, document, 1)
        with (
            explained("write", self.home, place.path),
            self.core.make_folder(place.folder) as folder,
        ):
            self.core.replace(folder, place.name, [raw], durable=False)
        self.core.add_pending(place, Wait.FILE)

    def discard(self, refs: Sequence[Ref[Document]]) -> int:
        """Delete documents of `CACHED`; returns how many existed."""
        places = [_place_of_copy(ref) for ref in refs]
        for place in places:
            self.core.drop_pending(place)
        return sum(map(self._unlink, places))

    def keep_vectors(self, workspace: str, maker: Maker, saved: SavedVectors) -> bool:
        """Save one model's vectors of a workspace's texts, replacing the saved ones, completely or
        not at all. False if they exceed the size limit, or another process is saving them now."""
        return vectors.save(self.core, workspace, maker, saved, self.settings.max_vector_bytes)

    def vectors(self, workspace: str, maker: Maker) -> SavedVectors | None:
        """The saved vectors, verified; None if there are none, or they are damaged."""
        return vectors.load(self.core, workspace, maker, self.settings.max_vector_bytes)

    def flush(self) -> None:
        """Flush everything of class relaxed to disk (epoch, compaction, idle, exit)."""
        flushing.flush(self.core)

    def dirty(self) -> bool:
        """Whether anything of class relaxed is not flushed yet."""
        return self.core.has_pending()

    def digest(self, text: str) -> str:
        """Keyed digest of a text. Creates the key, and the data folder, if there is none yet."""
        try:
            key = self.core.key_to_write()
        except StoreError:
            found = keys.load(self.disk)  # a folder that cannot be written may still be readable
            if found is None:
                raise
            key = found
        return keys.digest(key, text)

    def close(self) -> None:
        """Flush and release everything."""
        self.flush()

    def _unlink(self, place: FilePlace) -> bool:
        with if_there("delete", self.home, place.path), self.disk.folder(place.folder) as folder:
            return self.disk.remove(folder, place.name)
        return False


def _place_of_copy(ref: Ref[Document]) -> FilePlace:
    """Place of a copy of tool output (PR-3). It is written once under a name that follows from its
    content, so it needs no lock and no previous copy. Its checksum shows damage, which costs that
    file only."""
    if ref.model not in CACHED:
        raise StoreError(f"A {ref.slug} document must be written in a transaction.")
    return paths.place(ref)
