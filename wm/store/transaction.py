"""One locked read-modify-write cycle on files.

Order of a commit (ST-1, TR-2). The usual commit changes one document of class full, which is as wm
left it:

  stage     write into `.<name>.next0` or `.next1`, by its generation
  append    evidence
  flush     that file, its folder and the evidence, together; class full is on disk from here on
  install   the document: a power cut that reverts this leaves a next-generation file that counts
  install   its previous copy; relaxed documents

If there are several, or a file must go to quarantine, each full document is on disk under its own
name before the next one is renamed, so that a power cut leaves a fact twice, never nowhere:

  stage     everything into temporary files; an error here has changed nothing
  flush     the staged files of class full, together
  install   full documents in `WRITE_ORDER`, a folder flush between two of them
  delete    documents that give a fact away, after the one that received it
  append    evidence
  flush     the last folder and the evidence file, together; class full is on disk from here on
  install   the previous copies, which must never be newer than what is on disk; relaxed documents
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

from msgspec import Struct

from wm.errors import Conflict, OnError, StoreError, TooNew
from wm.formats.base import Document
from wm.formats.evidence import EvidenceRecord
from wm.store import atomic, evidence, paths
from wm.store.atomic import Staged
from wm.store.base import D, Health, Reading, Ref
from wm.store.copies import CopiesFound
from wm.store.core import Core, Wait
from wm.store.evidence import LogEnd
from wm.store.fsops import Handle, explained
from wm.store.locks import Lock
from wm.store.paths import RELAXED, WRITE_ORDER, FilePlace

# Number of new files that are open at once before they are flushed.
_FLUSH_TOGETHER = 64


def write_order(ref: Ref[Document]) -> tuple[int, str, str]:
    """Sort key: the order of writing and of locking."""
    return WRITE_ORDER.index(ref.model), ref.workspace, paths.place(ref).name


class _Put(Struct, frozen=True):
    """A staged document."""

    ref: Ref[Document]
    place: FilePlace
    document: Document
    generation: int
    absorbs: bool


class _Delete(Struct, frozen=True):
    ref: Ref[Document]
    place: FilePlace


class _Log(Struct, frozen=True):
    workspace: str
    line: bytes
    by_user: bool


class _Write(Struct, frozen=True):
    """A staged document and the bytes that are written for it."""

    put: _Put
    staged: Staged
    raw: bytes
    document: Document
    """The document as reading `raw` back returns it."""


class FileTransaction:
    """One locked read-modify-write cycle over the refs it was opened with. The constructor takes
    the locks. For one thread."""

    def __init__(self, core: Core, refs: Sequence[Ref[Document]]) -> None:
        self._core = core
        self._disk = core.disk
        self._key = core.key_to_write()
        self._places = {ref: paths.place(ref) for ref in sorted(set(refs), key=write_order)}
        self._folders: dict[str, Handle] = {}
        self._found: dict[str, CopiesFound[Any]] = {}
        self._staged: list[_Put | _Delete | _Log] = []
        self._latest: dict[str, int] = {}
        self._locks: list[Lock] = []
        self._deleted: set[str] = set()
        self._begin()

    # --- the cycle ------------------------------------------------------------------------

    def read(self, ref: Ref[D]) -> Reading[D]:
        """The staged document if there is one, else the one on disk. The ref must be declared."""
        place = self._place(ref)
        index = self._latest.get(place.path)
        if index is None:
            return self._copies(ref, place).reading
        step = self._staged[index]
        if isinstance(step, _Put):
            return Reading(step.document, Health.OK)  # type: ignore[arg-type]  # put by this ref
        return Reading(None, Health.MISSING)

    def put(self, ref: Ref[D], document: D, *, absorbs: bool = False) -> None:
        """Stage a document under its next generation. Raises TooNew, and StoreError for a document
        that could not be written and read back. Never raises Corrupt: a file that could not be
        read, or was changed outside, is kept in quarantine before it is replaced. `absorbs`:
        `document` includes the outside change that `read` returned, so that change needs no
        quarantine; a damaged copy beside it is still kept."""
        place = self._writable(ref)
        generation = self._copies(ref, place).generation + 1
        self._stage(place, _Put(ref, place, document, generation, absorbs))

    def delete(self, ref: Ref[D]) -> None:
        """Stage a removal of all generations of the file. A missing file is not an error."""
        place = self._writable(ref)
        self._stage(place, _Delete(ref, place))

    def log(self, record: EvidenceRecord) -> None:
        """Stage an evidence record of `record.workspace_key`."""
        paths.workspace_folder(record.workspace_key)
        line = evidence.encode(record, self._key, self._core.settings.max_record_bytes)
        self._staged.append(_Log(record.workspace_key, line, record.phase == "user"))

    def savepoint(self) -> object:
        """Return a mark for `rollback`."""
        return len(self._staged)

    def rollback(self, mark: object) -> None:
        """Drop everything staged since `mark`, so that one of several batched operations can fail
        alone."""
        if not isinstance(mark, int) or not 0 <= mark <= len(self._staged):
            raise StoreError("This savepoint belongs to another transaction.")
        del self._staged[mark:]
        self._latest = {
            step.place.path: index
            for index, step in enumerate(self._staged)
            if not isinstance(step, _Log)
        }

    def commit(self) -> None:
        """Write everything staged, in order, and flush what is of class full. On an error nothing
        is acknowledged and nothing stays staged; documents written before the error stay (each is
        complete)."""
        steps = [self._staged[index] for index in sorted(self._latest.values())]
        puts = sorted(
            (step for step in steps if isinstance(step, _Put)), key=lambda put: write_order(put.ref)
        )
        deletes = [step for step in steps if isinstance(step, _Delete)]
        logs = [step for step in self._staged if isinstance(step, _Log)]
        try:
            with (
                OnError(partial(self._forget, {log.workspace for log in logs})),
                explained("write", self._core.home),
            ):
                self._write_all(puts, deletes, logs)
        finally:
            # Also after an error: leaving the `with` must not commit again.
            self._staged.clear()
            self._latest.clear()
        self._deleted = {delete.place.path for delete in deletes}

    def _forget(self, logs: Iterable[str]) -> None:
        """After a write that failed: what was read before may no longer be what the files hold."""
        for place in self._places.values():
            self._core.cache.pop(place.path)
        self._found.clear()
        self._core.sweep_again(place.folder for place in self._places.values())
        for workspace in logs:
            self._core.log.forget(workspace)

    def close(self) -> None:
        """Release locks and folders; what is staged and not committed is dropped."""
        locks, self._locks = self._locks, []
        try:
            for lock in locks:
                if FilePlace(lock.folder.path, lock.name).path in self._deleted:
                    self._core.locks.remove(lock)
            self._core.locks.release_all(locks)
        finally:
            for folder in self._folders.values():
                self._disk.close(folder)
            self._folders.clear()

    def __enter__(self) -> FileTransaction:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        """Commit when left without an error (and not yet committed), then release the locks."""
        try:
            if kind is None and self._staged:
                self.commit()
        finally:
            self.close()

    # --- begin ------------------------------------------------------------------------------

    def _begin(self) -> None:
        with OnError(self.close):
            for place in self._places.values():
                self._folder(place.folder)
            self._locks = self._core.locks.take_all(
                [(self._folders[p.folder], p.name) for p in dict.fromkeys(self._places.values())]
            )
            for folder in list(self._folders.values()):
                locked = {p.name for p in self._places.values() if p.folder == folder.path}
                with explained("clean up", self._core.home, folder.path):
                    self._core.sweep(folder, locked)

    def _folder(self, path: str) -> Handle:
        if path not in self._folders:
            with explained("open", self._core.home, path):
                self._folders[path] = self._core.make_folder(path)
        return self._folders[path]

    def _place(self, ref: Ref[Document]) -> FilePlace:
        try:
            return self._places[ref]
        except KeyError:
            raise StoreError.of("store.not_declared", path=paths.place(ref).path) from None

    def _copies(self, ref: Ref[D], place: FilePlace) -> CopiesFound[D]:
        found = self._found.get(place.path)
        if found is None:
            with explained("read", self._core.home, place.path):
                folder = self._folder(place.folder)
                found = self._core.find(ref, place, folder, self._key, locked=True)
            self._found[place.path] = found
        return found

    def _writable(self, ref: Ref[Document]) -> FilePlace:
        place = self._place(ref)
        reading = self._copies(ref, place).reading
        if reading.health is Health.TOO_NEW:
            raise TooNew.of(
                "document.newer", path=self._core.home / place.path, detail=reading.detail
            )
        return place

    def _stage(self, place: FilePlace, step: _Put | _Delete) -> None:
        self._latest[place.path] = len(self._staged)
        self._staged.append(step)

    # --- commit -------------------------------------------------------------------------------

    def _write_all(
        self, puts: Sequence[_Put], deletes: Sequence[_Delete], logs: Sequence[_Log]
    ) -> None:
        with ExitStack() as stack:
            ends = self._open_logs(stack, logs)
            single = self._single_put(puts, deletes)
            writes = self._stage_all(stack, puts, single)
            self._check_locks()
            full = [write for write in writes if write.put.ref.model not in RELAXED]
            relaxed = [write for write in writes if write.put.ref.model in RELAXED]
            if single is not None:
                self._install_at_once(full[0], ends, logs)
            else:
                # The last folder is flushed together with the evidence.
                last = self._install_in_turn(full, more=bool(deletes))
                last += self._delete_all(deletes)
                self._append_all(ends, logs)
                durable = bool(full or deletes) or any(log.by_user for log in logs)
                self._make_durable(last, ends, durable=durable)
            for write in full:
                self._install_previous_copy(write)
            for write in relaxed:
                self._install(write)

    def _single_put(self, puts: Sequence[_Put], deletes: Sequence[_Delete]) -> _Put | None:
        """The only full document, if it directly follows its last generation: then no write order
        is needed, and nothing must go to quarantine."""
        full = [put for put in puts if put.ref.model not in RELAXED]
        if len(full) != 1 or deletes:
            return None
        found = self._copies(full[0].ref, full[0].place)
        ordinary = found.reading.health is Health.OK and found.raw is not None
        special = found.keep_main or found.keep_previous or found.old_version
        return full[0] if ordinary and not special else None

    def _open_logs(self, stack: ExitStack, logs: Sequence[_Log]) -> dict[str, LogEnd]:
        """Take the logs' locks, after those of all documents, and open the logs at a clean end."""
        workspaces = sorted({log.workspace for log in logs})
        folders = [self._folder(paths.evidence_folder(key)) for key in workspaces]
        locks = self._core.locks.take_all([(folder, evidence.LOCKED) for folder in folders])
        stack.callback(self._core.locks.release_all, locks)
        ends: dict[str, LogEnd] = {}
        for workspace, folder in zip(workspaces, folders, strict=True):
            with explained("write", self._core.home, folder.path):
                end = self._core.log.open_end(workspace, folder, self._key)
            stack.callback(self._disk.close, end.file)
            ends[workspace] = end
        return ends

    def _stage_all(
        self, stack: ExitStack, puts: Sequence[_Put], single: _Put | None
    ) -> list[_Write]:
        writes: list[_Write] = []
        unflushed: list[Handle] = []
        for put in puts:
            with explained("write", self._core.home, put.place.path):
                write = self._stage_one(put, ahead=put is single)
                stack.callback(atomic.discard, self._disk, write.staged)
                writes.append(write)
                if put.ref.model in RELAXED:
                    self._disk.close(write.staged.file)
                elif put is not single:
                    unflushed += write.staged.files()
                if len(unflushed) >= _FLUSH_TOGETHER:
                    self._flush_and_close(unflushed)
        with explained("flush", self._core.home):
            self._flush_and_close(unflushed)
        return writes

    def _stage_one(self, put: _Put, *, ahead: bool) -> _Write:
        # Encoded once per commit: many puts of one document in a batch cost one encoding.
        before = self._copies(put.ref, put.place).reading.document
        raw, decoded = self._core.encode(put.place, put.document, put.generation, before)
        staged = atomic.stage(
            self._disk,
            self._folder(put.place.folder),
            put.place.name,
            raw,
            previous_copy=put.ref.model not in RELAXED,
            file=paths.next_file(put.place.name, put.generation) if ahead else "",
        )
        return _Write(put, staged, raw, decoded)

    def _flush_and_close(self, files: list[Handle]) -> None:
        if files:
            self._disk.flush_all(files)
        for file in files:
            self._disk.close(file)
        files.clear()

    def _check_locks(self) -> None:
        """A lock file that was deleted while we held it guards nothing: another writer may be
        active."""
        for lock in self._locks:
            if not self._core.locks.is_current(lock):
                path = self._core.home / lock.folder.path / paths.lock(lock.name)
                raise Conflict.of("store.lock_replaced", path=path)

    def _install_at_once(
        self, write: _Write, ends: dict[str, LogEnd], logs: Sequence[_Log]
    ) -> None:
        """One flush for all: the document, the evidence, and the name of the next-generation file.
        That file counts from then on (`copies.find`), so the document's own name needs no flush."""
        self._append_all(ends, logs)
        with OnError(partial(self._take_back, ends.values())):
            self._make_durable([write.put.place.folder], ends, write.staged.files())
            self._install(write)

    def _take_back(self, ends: Iterable[LogEnd]) -> None:
        for end in ends:
            self._core.log.take_back(end)

    def _install_in_turn(self, writes: Sequence[_Write], *, more: bool) -> list[str]:
        """Install full documents; returns the folders that the caller still has to flush."""
        waiting: list[str] = []
        for write in writes:
            self._flush_folders(waiting)
            self._install(write)
            waiting = [write.put.place.folder]
        if more:
            self._flush_folders(waiting)
            return []
        return waiting

    def _delete_all(self, deletes: Sequence[_Delete]) -> list[str]:
        folders: dict[str, None] = {}
        for delete in deletes:
            place = delete.place
            folder = self._folder(place.folder)
            with explained("delete", self._core.home, place.path):
                self._set_aside(folder, place, self._copies(delete.ref, place), absorbs=False)
                atomic.remove(self._disk, folder, place.name)
            self._core.cache.pop(place.path)
            self._core.drop_pending(place)
            self._found.pop(place.path, None)
            folders[place.folder] = None
        return list(folders)

    def _append_all(self, ends: dict[str, LogEnd], logs: Sequence[_Log]) -> None:
        for workspace, end in ends.items():
            lines = b"".join(log.line for log in logs if log.workspace == workspace)
            with explained("write", self._core.home, end.file.path):
                self._core.log.append(end, lines)

    def _make_durable(
        self,
        folders: Sequence[str],
        ends: dict[str, LogEnd],
        files: Sequence[Handle] = (),
        *,
        durable: bool = True,
    ) -> None:
        """The flush after which class full is on disk; relaxed evidence waits for `flush`."""
        logs = list(ends.values())
        if not durable:
            for end in logs:
                self._core.add_pending(
                    FilePlace(end.folder.path, evidence.file_name(end.number)), Wait.LOG
                )
            logs = []
        fresh = [end.folder.path for end in logs if end.fresh]
        self._flush_folders([*folders, *fresh], [*(end.file for end in logs), *files])

    def _flush_folders(self, folders: Iterable[str], files: Sequence[Handle] = ()) -> None:
        with explained("flush", self._core.home):
            self._core.flush_names(folders, self._folders, files)

    def _install(self, write: _Write) -> None:
        put, place = write.put, write.put.place
        with explained("write", self._core.home, place.path):
            found = self._copies(put.ref, place)
            self._set_aside(write.staged.folder, place, found, absorbs=put.absorbs)
            atomic.install(self._disk, write.staged)
        reading = Reading(write.document, Health.OK)
        new = CopiesFound(reading, write.raw, put.generation)
        self._found[place.path] = new
        self._core.keep(place, new)
        if put.ref.model in RELAXED:
            self._core.add_pending(place, Wait.COPY)

    def _install_previous_copy(self, write: _Write) -> None:
        place = write.put.place
        with explained("write", self._core.home, place.path):
            atomic.install_previous_copy(self._disk, write.staged)
        self._core.add_pending(place, Wait.PREVIOUS_COPY)

    def _set_aside(
        self, folder: Handle, place: FilePlace, found: CopiesFound[Document], *, absorbs: bool
    ) -> None:
        """Keep files in quarantine that are about to be replaced and that wm did not write
        (ST-4)."""
        main, previous = found.to_keep(absorbs=absorbs)
        if not main and not self._is_still(folder, place, found.raw):
            main = "changed outside wm while wm was writing it"
        for name, reason in ((place.name, main), (paths.previous_copy(place.name), previous)):
            # The program that changed the file may have removed it again.
            with suppress(FileNotFoundError):
                if reason:
                    self._core.quarantine.keep(folder, name, reason)
        if found.keep_previous:
            self._disk.remove(folder, paths.previous_copy(place.name))
        if found.old_version:
            # Keep the file as an older wm wrote it, before the first converted write (ID-5).
            with suppress(FileExistsError):
                old = paths.old_version(place.name, found.old_version)
                self._disk.link(folder, place.name, old)

    def _is_still(self, folder: Handle, place: FilePlace, raw: bytes | None) -> bool:
        """Whether the file still has these bytes, or is still missing."""
        if raw is not None:
            return self._core.has(folder, place, raw)
        return not self._disk.exists(folder, place.name)
