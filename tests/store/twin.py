"""The twin that `FileStore` is compared with: the same interface, without files.

Documents pass through the same encoding as on disk, so that a document that could not be written
there cannot be written here. No document is ever damaged, too new or changed outside, except by
`change_outside`.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

from wm.domain.recording import RecordingIndex
from wm.errors import Busy, StoreError, Unwritable
from wm.formats.base import Document
from wm.formats.evidence import EvidenceRecord
from wm.formats.flow import Flow
from wm.formats.ledger import LedgerRecord
from wm.formats.paged_object import PagedObject
from wm.formats.recording import Recording
from wm.settings import StoreSettings
from wm.store import envelope, evidence, jsonlines, paths, session_logs
from wm.store.base import Health, LogReading, Maker, Reading, Ref, SavedVectors
from wm.store.files import FileStore
from wm.store.key import KEY_BYTES
from wm.store.paths import RELAXED, FilePlace
from wm.store.transaction import write_order

D = TypeVar("D", bound=Document)


def discard_vectors(store: MemoryStore | FileStore, workspace: str) -> int:
    """Delete the saved vectors of a workspace, as a person may; returns their number."""
    if isinstance(store, FileStore):
        files = [*(store.home / paths.vectors_folder(workspace)).glob("[!.]*")]
        for file in files:
            file.unlink()
        return len(files)
    saved = [place for place in store.saved_vectors if place[0] == workspace]
    for place in saved:
        del store.saved_vectors[place]
    return len(saved)


class MemoryStore:
    """The interface of a `FileStore`, in memory only."""

    def __init__(self, settings: StoreSettings | None = None) -> None:
        self.settings = settings or StoreSettings()
        self._key = secrets.token_bytes(KEY_BYTES)
        self._guard = threading.Lock()
        self._readings: dict[FilePlace, tuple[Ref[Document], Reading[Any]]] = {}
        self._lines: dict[str, bytes] = {}
        self._logs: dict[FilePlace, bytes] = {}
        self.saved_vectors: dict[tuple[str, Maker], SavedVectors] = {}
        self._locks: dict[FilePlace, threading.Lock] = {}
        self._dirty = False

    def read(self, ref: Ref[D]) -> Reading[D]:
        place = paths.place(ref)
        with self._guard:
            kept = self._readings.get(place)
        return Reading(None, Health.MISSING) if kept is None else kept[1]

    def transaction(self, refs: Sequence[Ref[Document]]) -> MemoryTransaction:
        return MemoryTransaction(self, refs)

    def names(self, model: type[D], workspace: str = "") -> tuple[str, ...]:
        folder = paths.folder(model, workspace)
        with self._guard:
            found = [paths.name_of(model, p.name) for p in self._readings if p.folder == folder]
        return tuple(sorted(name for name in found if name is not None))

    def memories(self) -> tuple[str, ...]:
        return self.workspaces()

    def workspaces(self) -> tuple[str, ...]:
        with self._guard:
            keys = {ref.workspace for ref, _ in self._readings.values()} | set(self._lines)
        return tuple(sorted(keys - {""}))

    def evidence(self, workspace: str) -> LogReading:
        paths.workspace_folder(workspace)
        with self._guard:
            raw = self._lines.get(workspace, b"")
        bodies = jsonlines.read(raw, self._key).records
        return LogReading(tuple(EvidenceRecord.model_validate_json(body) for body in bodies))

    def keep(self, ref: Ref[D], document: D) -> None:
        self.apply({ref: self.encode(ref, document)}, ())
        self._dirty = True

    def discard(self, refs: Sequence[Ref[Document]]) -> int:
        there = [ref for ref in refs if self.read(ref).health is not Health.MISSING]
        self.apply(dict.fromkeys(there), ())
        return len(there)

    def append_flow(self, workspace: str, session: str, flow: Flow) -> None:
        line = session_logs.encode(flow, self._key, self.settings.max_record_bytes)
        path = paths.session_log(paths.FLOWS, workspace, session)
        with self._guard:
            self._logs[path] = self._logs.pop(path, b"") + line
        self._dirty = True

    def flows(self, workspace: str, session: str) -> tuple[Flow, ...]:
        with self._guard:
            raw = self._logs.get(paths.session_log(paths.FLOWS, workspace, session), b"")
        return session_logs.decode(Flow, raw, self._key)

    def newest_flows(self, workspace: str, session: str, most: int) -> Iterator[Flow]:
        with self._guard:
            raw = self._logs.get(paths.session_log(paths.FLOWS, workspace, session), b"")
        return session_logs.decode_newest(raw[max(0, len(raw) - most) :], self._key)

    def keep_vectors(self, workspace: str, maker: Maker, saved: SavedVectors) -> bool:
        paths.vectors_folder(workspace)
        with self._guard:
            self.saved_vectors[workspace, maker] = saved
        return True

    def vectors(self, workspace: str, maker: Maker) -> SavedVectors | None:
        paths.vectors_folder(workspace)
        with self._guard:
            return self.saved_vectors.get((workspace, maker))

    def append_recording(
        self,
        workspace: str,
        session: str,
        most: int,
        make: Callable[[RecordingIndex], Recording | None],
    ) -> bool:
        place = paths.session_log(paths.RECORDINGS, workspace, session)
        with self._guard:
            raw = self._logs.get(place, b"")
            index, _whole = session_logs.indexed(raw, self._key)
            line = make(index)
            data = session_logs.encode(line, self._key) if line is not None else b""
            if len(raw) + len(data) > most:
                return False
            self._logs[place] = raw + data
        self._dirty = True
        return True

    def recordings(self, workspace: str, session: str) -> tuple[Recording, ...]:
        with self._guard:
            raw = self._logs.get(paths.session_log(paths.RECORDINGS, workspace, session), b"")
        return session_logs.decode(Recording, raw, self._key)

    def append_paging(
        self,
        workspace: str,
        session: str,
        objects: Sequence[PagedObject],
        records: Sequence[LedgerRecord],
        *,
        most: int,
        durable: bool,
    ) -> None:
        known = self.object_ids(workspace, session)
        new = [one for one in objects if one.id not in known]
        stored = b"".join(session_logs.encode(one, self._key) for one in new)
        decided = b"".join(session_logs.encode(one, self._key) for one in records)
        place = paths.session_log(paths.OBJECTS, workspace, session)
        with self._guard:
            if new and len(self._logs.get(place, b"")) + len(stored) > most:
                raise Unwritable(f"{place.path} would have more than {most} bytes.")
        self._append_paging(place, stored)
        self._append_paging(paths.session_log(paths.DECISIONS, workspace, session), decided)

    def _append_paging(self, place: FilePlace, lines: bytes) -> None:
        with self._guard:
            if lines:  # the last one is the newest
                self._logs[place] = self._logs.pop(place, b"") + lines

    def ledger(self, workspace: str, session: str) -> tuple[LedgerRecord, ...]:
        with self._guard:
            raw = self._logs.get(paths.session_log(paths.DECISIONS, workspace, session), b"")
        return session_logs.decode(LedgerRecord, raw, self._key)

    def objects(self, workspace: str, session: str) -> tuple[PagedObject, ...]:
        with self._guard:
            raw = self._logs.get(paths.session_log(paths.OBJECTS, workspace, session), b"")
        return session_logs.decode(PagedObject, raw, self._key)

    def object_ids(self, workspace: str, session: str) -> frozenset[str]:
        return frozenset(
            name for entry in self.objects(workspace, session) for name in _ids_of(entry)
        )

    def find_object(self, workspace: str, wanted: str) -> Iterator[tuple[str, PagedObject]]:
        for session in self.latest_sessions(workspace, paths.OBJECTS, 99):
            for entry in self.objects(workspace, session):
                if any(one.startswith(wanted) for one in _ids_of(entry)):
                    yield session, entry

    def paging_bytes(self, workspace: str, session: str) -> int:
        places = (paths.session_log(kind, workspace, session) for kind in paths.PAGING)
        with self._guard:
            return sum(len(self._logs.get(place, b"")) for place in places)

    def sessions_with(self, workspace: str, *kinds: str) -> tuple[str, ...]:
        folders = [paths.logs_folder(kind, workspace) for kind in kinds]
        with self._guard:
            return session_logs.sessions([p.name for p in self._logs if p.folder in folders])

    def latest_sessions(
        self, workspace: str, kind: str, most: int | None = None
    ) -> tuple[str, ...]:
        folder = paths.logs_folder(kind, workspace)
        with self._guard:
            written: list[FilePlace] = [*self._readings, *self._logs]
            names = [p.name for p in reversed(written) if p.folder == folder]
        return tuple(filter(None, map(paths.session_of, names)))[:most]

    def logs_of(self, workspace: str, session: str) -> tuple[FilePlace, ...]:
        places = (paths.session_log(kind, workspace, session) for kind in paths.SESSION_LOGS)
        return tuple(place for place in places if place in self._logs)

    def discard_logs(self, workspace: str, session: str, *kinds: str) -> bool:
        places = [paths.session_log(kind, workspace, session) for kind in kinds]
        with self._guard:
            gone = [self._logs.pop(place, None) for place in places]
        return any(raw is not None for raw in gone)

    def flush(self) -> None:
        self._dirty = False

    def dirty(self) -> bool:
        return self._dirty

    def digest(self, text: str) -> str:
        data = b"digest\0" + text.encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, data, "sha256").hex()[:32]

    def close(self) -> None:
        self.flush()

    def change_outside(self, ref: Ref[D], document: D) -> None:
        """Make the next reads report that the file was changed to `document` outside wm."""
        with self._guard:
            kept = self._readings.get(paths.place(ref))
            in_force = None if kept is None else kept[1].document
            reading = Reading(in_force, Health.OUTSIDE, document, "changed outside wm")
            self._readings[paths.place(ref)] = (ref, reading)

    # --- for the transaction ----------------------------------------------------------------

    def lock(self, places: Sequence[FilePlace]) -> list[threading.Lock]:
        """Take the locks in order, waiting `lock_wait_s` for all together."""
        deadline = time.monotonic() + self.settings.lock_wait_s
        taken: list[threading.Lock] = []
        for place in places:
            with self._guard:
                lock = self._locks.setdefault(place, threading.Lock())
            if not lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
                for held in taken:
                    held.release()
                raise Busy(f"{place.path} is locked by another thread of this process.")
            taken.append(lock)
        return taken

    def encode(self, ref: Ref[Document], document: Document) -> Document:
        """The document as a file would return it, with the next generation."""
        kept = self.read(ref)
        before = max((d.generation for d in (kept.document,) if d is not None), default=0)
        raw, again = envelope.encode(document, before + 1, self._key)
        if len(raw) > self.settings.max_document_bytes:
            raise Unwritable(
                f"{paths.place(ref).path} would have {len(raw)} bytes, more than "
                f"{self.settings.max_document_bytes}."
            )
        return again

    def line(self, record: EvidenceRecord) -> bytes:
        return evidence.encode(record, self._key, self.settings.max_record_bytes)

    def apply(
        self, documents: dict[Ref[Document], Document | None], lines: Sequence[tuple[str, bytes]]
    ) -> None:
        """Apply all changes at once."""
        with self._guard:
            for ref, document in documents.items():
                place = paths.place(ref)
                self._readings.pop(place, None)  # the document written last comes last
                if document is not None:
                    self._readings[place] = (ref, Reading(document, Health.OK))
                    self._dirty = self._dirty or ref.model in RELAXED
            for workspace, line in lines:
                self._lines[workspace] = self._lines.get(workspace, b"") + line


def _ids_of(entry: PagedObject) -> tuple[str, ...]:
    return (entry.id, *(part.id for part in entry.parts))


class MemoryTransaction:
    """See `store.base.Transaction`. For one thread."""

    def __init__(self, store: MemoryStore, refs: Sequence[Ref[Document]]) -> None:
        self._store = store
        self._places = {ref: paths.place(ref) for ref in sorted(set(refs), key=write_order)}
        self._staged: list[tuple[Ref[Document], Document | None] | tuple[str, bytes]] = []
        self._locks = store.lock(list(dict.fromkeys(self._places.values())))

    def read(self, ref: Ref[D]) -> Reading[D]:
        self._declared(ref)
        staged = self._documents()
        if ref not in staged:
            return self._store.read(ref)
        document: Any = staged[ref]
        return Reading(document, Health.MISSING if document is None else Health.OK)

    def put(self, ref: Ref[D], document: D, *, absorbs: bool = False) -> None:
        self._declared(ref)
        self._staged.append((ref, document))

    def delete(self, ref: Ref[D]) -> None:
        self._declared(ref)
        self._staged.append((ref, None))

    def log(self, record: EvidenceRecord) -> None:
        paths.workspace_folder(record.workspace_key)
        self._staged.append((record.workspace_key, self._store.line(record)))

    def savepoint(self) -> object:
        return len(self._staged)

    def rollback(self, mark: object) -> None:
        if not isinstance(mark, int) or not 0 <= mark <= len(self._staged):
            raise StoreError("This savepoint belongs to another transaction.")
        del self._staged[mark:]

    def commit(self) -> None:
        lines = [step for step in self._staged if isinstance(step[1], bytes)]
        try:
            documents = {
                ref: None if document is None else self._store.encode(ref, document)
                for ref, document in self._documents().items()
            }
            self._store.apply(documents, lines)
        finally:
            # Also after an error: leaving the `with` must not commit again.
            self._staged.clear()

    def __enter__(self) -> MemoryTransaction:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None and self._staged:
                self.commit()
        finally:
            self.close()

    def close(self) -> None:
        """Release the locks."""
        locks, self._locks = self._locks, []
        for lock in reversed(locks):
            lock.release()

    def _declared(self, ref: Ref[Document]) -> None:
        if ref not in self._places:
            raise StoreError(f"The transaction was not opened for {paths.place(ref).path}.")

    def _documents(self) -> dict[Ref[Document], Document | None]:
        return {
            step[0]: step[1]
            for step in self._staged
            if isinstance(step[0], Ref) and not isinstance(step[1], bytes)
        }
