"""The store over one data folder (SPEC section 2).

Reads take no lock and write nothing; writes go through transactions; `flush` brings unflushed
writes of class relaxed to disk. The work is done in `copies`, `transaction` and `flushing`. Does
not import its checker: `check` and `repair` take a store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from wm.domain.recording import RecordingIndex
from wm.errors import StoreError, Unwritable
from wm.formats.base import Document
from wm.formats.flow import Flow
from wm.formats.recording import Recording
from wm.settings import StoreSettings
from wm.store import atomic, envelope, flushing, paths, session_logs, vectors
from wm.store import key as keys
from wm.store.base import CACHED, Health, LogReading, Maker, Reading, Ref, SavedVectors
from wm.store.core import Core, Wait
from wm.store.fsops import Disk, explained
from wm.store.paths import FilePlace
from wm.store.transaction import FileTransaction

D = TypeVar("D", bound=Document)


class FileStore:
    """Documents and evidence below `home`. Nothing is created before the first write. Safe for
    several threads and processes."""

    def __init__(self, home: Path, settings: StoreSettings, disk: Disk | None = None) -> None:
        self.home = home
        self.settings = settings
        self.disk = disk or Disk(home)
        self.core = Core(home, settings, self.disk)
        self._indexes = session_logs.Indexes(session_logs.INDEXES)

    def read(self, ref: Ref[D]) -> Reading[D]:
        """Read a document. Takes no lock, writes nothing, changes no file (ST-2)."""
        place = paths.place(ref)
        with (
            explained("read", self.home, place.path),
            suppress(FileNotFoundError),
            self.disk.folder(place.folder) as folder,
        ):
            return self.core.find(ref, place, folder, self.core.key_to_read()).reading
        return Reading(None, Health.MISSING)

    def transaction(self, refs: Sequence[Ref[Document]]) -> FileTransaction:
        """Lock `refs` in one global order, waiting at most `lock_wait_s`; raises Busy, which names
        the holder."""
        return FileTransaction(self.core, refs)

    def names(self, model: type[D], workspace: str = "") -> tuple[str, ...]:
        """Names of the documents of one format, sorted."""
        found: set[str] = set()
        for file in self._list(paths.folder(model, workspace)):
            document, companion = paths.companion(file)
            name = paths.name_of(model, document if companion == "spare" else file)
            if name is not None:
                found.add(name)
        return tuple(sorted(found))

    def workspaces(self) -> tuple[str, ...]:
        """Keys of the workspaces that have a folder, sorted."""
        return tuple(name for name in self._list(paths.WORKSPACES) if paths.is_workspace(name))

    def evidence(self, workspace: str) -> LogReading:
        """All evidence of a workspace, oldest first."""
        path = paths.evidence_folder(workspace)
        with (
            explained("read", self.home, path),
            suppress(FileNotFoundError),
            self.disk.folder(path) as folder,
        ):
            return self.core.log.read(folder, self.core.key_to_read())
        return LogReading()

    def keep(self, ref: Ref[D], document: D) -> None:
        """Write a document of `CACHED`, whole or not at all; it replaces one of the same name.
        Raises StoreError, and Unwritable if it would exceed the size limit of documents."""
        place = _place_of_copy(ref)
        raw, _again = envelope.encode(document, 1, self.core.key_to_write())
        limit = self.settings.max_document_bytes
        if len(raw) > limit:
            raise Unwritable(f"{place.path} would have {len(raw)} bytes, more than {limit}.")
        with (
            explained("write", self.home, place.path),
            self.core.make_folder(place.folder) as folder,
        ):
            atomic.replace(self.disk, folder, place.name, [raw], durable=False)
        self.core.wait_for(place, Wait.FILE)

    def discard(self, refs: Sequence[Ref[Document]]) -> int:
        """Delete documents of `CACHED`; returns how many existed."""
        places = [_place_of_copy(ref) for ref in refs]
        for place in places:
            self.core.drop_waits(place)
        return sum(map(self._unlink, places))

    def append_flow(self, workspace: str, session: str, flow: Flow) -> None:
        """Add a line to a session's flows; class relaxed. Raises StoreError."""
        session_logs.append_flow(self.core, paths.flows_place(workspace, session), flow)

    def flows(self, workspace: str, session: str) -> tuple[Flow, ...]:
        """The flows of a session, oldest first; lines that cannot be read are left out."""
        place = paths.flows_place(workspace, session)
        return session_logs.read(self.core, place, Flow, 4 * session_logs.MAX_FLOW_BYTES)

    def newest_flows(self, workspace: str, session: str, most: int) -> Iterator[Flow]:
        """The flows in the last `most` bytes of a session's log, newest first. The cost does not
        depend on the length of the log. Raises StoreError."""
        return session_logs.newest_flows(self.core, paths.flows_place(workspace, session), most)

    def flow_sessions(self, workspace: str) -> tuple[str, ...]:
        """The `<sid>`s of the sessions with flows, sorted."""
        found = self._list(f"{paths.workspace_folder(workspace)}/{paths.FLOWS}")
        return session_logs.sessions(found)

    def latest_flow_sessions(self, workspace: str, most: int) -> tuple[str, ...]:
        """The `most` sessions whose flow logs were written last, newest first."""
        folder = f"{paths.workspace_folder(workspace)}/{paths.FLOWS}"
        return session_logs.latest(self.core, folder, most)

    def discard_flows(self, workspace: str, session: str) -> bool:
        """Delete a session's flows; False if there are none."""
        return session_logs.discard(self.core, paths.flows_place(workspace, session))

    def keep_vectors(self, workspace: str, maker: Maker, saved: SavedVectors) -> bool:
        """Save one model's vectors of a workspace's texts, replacing the saved ones: whole or not
        at all. False if they exceed the size limit, or another process is saving them now."""
        return vectors.save(self.core, workspace, maker, saved, self.settings.max_vector_bytes)

    def vectors(self, workspace: str, maker: Maker) -> SavedVectors | None:
        """The saved vectors, verified; None if there are none, or no whole ones."""
        return vectors.load(self.core, workspace, maker, self.settings.max_vector_bytes)

    def discard_vectors(self, workspace: str) -> int:
        """Delete the vectors of all models for a workspace's texts; returns the number of files."""
        return vectors.discard(self.core, workspace)

    def append_recording(
        self,
        workspace: str,
        session: str,
        most: int,
        make: Callable[[RecordingIndex], Recording | None],
    ) -> bool:
        """Add a line to a session's recorded bodies; class relaxed. `make` gets an index of the
        log's records and may return None to write nothing. False if the log would exceed `most`
        bytes. Raises StoreError, and what `make` raises."""
        place = paths.recordings_place(workspace, session)
        return session_logs.append_recording(self.core, self._indexes, place, most, make)

    def recordings(self, workspace: str, session: str) -> tuple[Recording, ...]:
        """The recorded bodies of a session, oldest first; lines that cannot be read are left
        out."""
        place = paths.recordings_place(workspace, session)
        return session_logs.read(self.core, place, Recording, session_logs.MAX_LOG_BYTES)

    def recording_sessions(self, workspace: str) -> tuple[str, ...]:
        """The `<sid>`s of the sessions with recorded bodies, sorted."""
        found = self._list(f"{paths.workspace_folder(workspace)}/{paths.RECORDINGS}")
        return session_logs.sessions(found)

    def discard_recordings(self, workspace: str, session: str) -> bool:
        """Delete a session's recorded bodies; False if there are none."""
        return session_logs.discard(self.core, paths.recordings_place(workspace, session))

    def flush(self) -> None:
        """Flush everything of class relaxed to disk (epoch, compaction, idle, exit)."""
        flushing.flush(self.core)

    def dirty(self) -> bool:
        """Whether anything of class relaxed is not flushed yet."""
        return self.core.waits()

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
        with (
            explained("delete", self.home, place.path),
            suppress(FileNotFoundError),
            self.disk.folder(place.folder) as folder,
        ):
            return self.disk.remove(folder, place.name)
        return False

    def _list(self, path: str) -> list[str]:
        with (
            explained("read", self.home, path),
            suppress(FileNotFoundError),
            self.disk.folder(path) as folder,
        ):
            return self.disk.list(folder)
        return []


def _place_of_copy(ref: Ref[Document]) -> FilePlace:
    """Place of a copy of tool output (PR-3). It is written once under a name that follows from its
    content, so it needs no lock and no previous copy. Its checksum shows damage, which costs that
    file only."""
    if ref.model not in CACHED:
        raise StoreError(f"A {ref.slug} document must be written in a transaction.")
    return paths.place(ref)
