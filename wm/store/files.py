"""The store on files: `store.base.Store` over one data folder (SPEC section 2).

Reads take no lock and write nothing; writes go through transactions; what class relaxed left
unflushed is brought to disk by `flush`. How each of these works stands in `copies`,
`transaction` and `flushing`. It does not know its checker: `check` and `mend` take a store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from wm.domain.recording import Index
from wm.errors import StoreError
from wm.formats.base import Document
from wm.formats.flow import Flow
from wm.formats.recording import Recording
from wm.settings import StoreSettings
from wm.store import flows, flushing, outputs, paths, recordings, vectors
from wm.store import key as keys
from wm.store.base import Health, LogReading, Maker, Reading, Ref, SavedVectors
from wm.store.core import Core
from wm.store.failures import explained
from wm.store.fsops import Disk
from wm.store.transaction import FileTransaction

D = TypeVar("D", bound=Document)


class FileStore:
    """Documents and evidence below `home`. Nothing is created before the first write."""

    def __init__(self, home: Path, settings: StoreSettings, disk: Disk | None = None) -> None:
        self.home = home
        self.settings = settings
        self.disk = disk or Disk(home)
        self.core = Core(home, settings, self.disk)
        self._indexes = recordings.Indexes()

    def read(self, ref: Ref[D]) -> Reading[D]:
        place = paths.place(ref)
        if (kept := self.core.unchanged(ref, place)) is not None:
            return kept.reading
        with explained("read", self.home, place.path):
            try:
                with self.disk.folder(place.folder) as folder:
                    key = self.core.key_to_read()
                    return self.core.find(ref, place, folder, key).reading
            except FileNotFoundError:
                return Reading(None, Health.MISSING)

    def transaction(self, refs: Sequence[Ref[Document]]) -> FileTransaction:
        return FileTransaction(self.core, refs)

    def names(self, model: type[D], workspace: str = "") -> tuple[str, ...]:
        found: set[str] = set()
        for file in self._list(paths.folder(model, workspace)):
            name = paths.name_of(model, paths.document_of_spare(file) or file)
            if name is not None:
                found.add(name)
        return tuple(sorted(found))

    def workspaces(self) -> tuple[str, ...]:
        return tuple(name for name in self._list(paths.WORKSPACES) if paths.is_workspace(name))

    def evidence(self, workspace: str) -> LogReading:
        path = paths.evidence_folder(workspace)
        with explained("read", self.home, path):
            try:
                with self.disk.folder(path) as folder:
                    return self.core.log.read(folder, self.core.key_to_read())
            except FileNotFoundError:
                return LogReading()

    def keep(self, ref: Ref[D], document: D) -> None:
        outputs.keep(self.core, ref, document)

    def discard(self, refs: Sequence[Ref[Document]]) -> int:
        return outputs.discard(self.core, refs)

    def append_flow(self, workspace: str, session: str, flow: Flow) -> None:
        flows.append(self.core, workspace, session, flow)

    def flows(self, workspace: str, session: str) -> tuple[Flow, ...]:
        return flows.read(self.core, workspace, session)

    def newest_flows(self, workspace: str, session: str, most: int) -> Iterator[Flow]:
        return flows.newest(self.core, workspace, session, most)

    def flow_sessions(self, workspace: str) -> tuple[str, ...]:
        return flows.sessions(self._list(f"{paths.workspace_folder(workspace)}/{paths.FLOWS}"))

    def latest_flow_sessions(self, workspace: str, most: int) -> tuple[str, ...]:
        return flows.latest(self.core, f"{paths.workspace_folder(workspace)}/{paths.FLOWS}", most)

    def discard_flows(self, workspace: str, session: str) -> bool:
        return flows.discard(self.core, workspace, session)

    def keep_vectors(self, workspace: str, maker: Maker, saved: SavedVectors) -> bool:
        return vectors.save(self.core, workspace, maker, saved, self.settings.max_vector_bytes)

    def vectors(self, workspace: str, maker: Maker) -> SavedVectors | None:
        return vectors.load(self.core, workspace, maker, self.settings.max_vector_bytes)

    def discard_vectors(self, workspace: str) -> int:
        return vectors.discard(self.core, workspace)

    def append_recording(
        self, workspace: str, session: str, most: int, make: Callable[[Index], Recording | None]
    ) -> bool:
        return recordings.append(self.core, self._indexes, workspace, session, most, make)

    def recordings(self, workspace: str, session: str) -> tuple[Recording, ...]:
        return recordings.read(self.core, workspace, session)

    def recording_sessions(self, workspace: str) -> tuple[str, ...]:
        found = self._list(f"{paths.workspace_folder(workspace)}/{paths.RECORDINGS}")
        return recordings.sessions(found)

    def discard_recordings(self, workspace: str, session: str) -> bool:
        return recordings.discard(self.core, workspace, session)

    def flush(self) -> None:
        flushing.flush(self.core)

    def dirty(self) -> bool:
        return self.core.waits()

    def digest(self, text: str) -> str:
        """Keyed digest of a text. Makes the key, and the data folder, if there is none yet."""
        try:
            key = self.core.key_to_write()
        except StoreError:
            found = keys.load(self.disk)  # where nothing can be written, it may still be read
            if found is None:
                raise
            key = found
        return keys.digest(key, text)

    def close(self) -> None:
        self.flush()

    def _list(self, path: str) -> list[str]:
        with explained("read", self.home, path):
            try:
                with self.disk.folder(path) as folder:
                    return self.disk.list(folder)
            except FileNotFoundError:
                return []
