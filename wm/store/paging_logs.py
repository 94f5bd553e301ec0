"""The two logs of paging: `objects/<sid>.jsonl` and `decisions/<sid>.jsonl` (PX-2, OB-1).

Objects are written and flushed before the decisions that refer to them, so that a crash leaves an
object that nothing refers to, never a reference to nothing. Owns these two folders; `ops.paging`
decides what a line means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct
from pydantic import ValidationError

from wm.errors import Unwritable
from wm.formats.ledger import LedgerRecord
from wm.formats.paged_object import PagedObject
from wm.store import jsonlines, paths
from wm.store.core import Core, Recent
from wm.store.fsops import Handle, if_there
from wm.store.paths import FilePlace
from wm.store.session_logs import MAX_LOG_BYTES, SessionLogs, encode

_KNOWN_LOGS = 16
_OWN_ID = re.compile(rb'"id":"(o_[0-9a-f]{12})"')
_MAX_LEDGER_BYTES = 64 * 1024 * 1024


class _LogState(Struct, frozen=True):
    """What a log held when this process looked last. ids: of its objects and their parts."""

    inode: int
    size: int
    ids: frozenset[str]


class PagingLogs(SessionLogs):
    """The paging logs of a store, which inherits from it."""

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self._states: Recent[_LogState] = Recent(_KNOWN_LOGS)
        self._named: set[tuple[str, int]] = set()
        """Path and inode of the logs whose names this process has flushed."""

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
        """Add lines to both logs; objects that are there already are left out. durable: both are on
        disk when this returns. most: bytes that the objects of a session may take.

        Raises StoreError; Unwritable if the objects do not fit, and then nothing is written.
        """
        if objects:
            self._append_objects(workspace, session, objects, most, durable)
        if records:
            key = self.core.key_to_write()
            place = paths.session_log(paths.DECISIONS, workspace, session)
            lines = b"".join(encode(record, key, _MAX_LEDGER_BYTES) for record in records)
            with self._locked(place) as (folder, file):
                self._write_lines(folder, file, place, lines, durable)

    def ledger(self, workspace: str, session: str) -> tuple[LedgerRecord, ...]:
        """The decisions of a session, oldest first; lines that cannot be read are left out."""
        place = paths.session_log(paths.DECISIONS, workspace, session)
        return self._read(place, LedgerRecord, _MAX_LEDGER_BYTES)

    def objects(self, workspace: str, session: str) -> tuple[PagedObject, ...]:
        """The objects of a session, oldest first; lines that cannot be read are left out."""
        return self._read(
            paths.session_log(paths.OBJECTS, workspace, session), PagedObject, MAX_LOG_BYTES
        )

    def object_ids(self, workspace: str, session: str) -> frozenset[str]:
        """The ids of a session's objects and their parts, without those of lines that cannot be
        read: these objects have to be written again."""
        place = paths.session_log(paths.OBJECTS, workspace, session)
        state, found = self._states.get(place.path), self._status(place)
        if state is None or (state.inode, state.size) != found:
            lines = jsonlines.read(self._raw(place), self.core.key_to_read())
            state = _LogState(*found, frozenset(_ids_in(b"\n".join(lines.records))))
            self._states.put(place.path, state)
        return state.ids

    def find_object(self, workspace: str, wanted: str) -> Iterator[tuple[str, PagedObject]]:
        """Sessions and objects with this id, or with a part of this id (all of it, or its
        beginning); the sessions whose logs were written last come first."""
        mark = f'"id":"{wanted}'.encode()
        for session in self.core.newest_sessions(paths.logs_folder(paths.OBJECTS, workspace)):
            for raw in self._raw(paths.session_log(paths.OBJECTS, workspace, session)).split(b"\n"):
                if mark in raw:
                    with suppress(ValidationError):
                        yield session, PagedObject.model_validate_json(raw)

    def paging_bytes(self, workspace: str, session: str) -> int:
        """Size of a session's objects and decisions."""
        places = (paths.session_log(kind, workspace, session) for kind in paths.PAGING)
        return sum(self._status(place)[1] for place in places)

    def _append_objects(
        self, workspace: str, session: str, objects: Sequence[PagedObject], most: int, durable: bool
    ) -> None:
        place = paths.session_log(paths.OBJECTS, workspace, session)
        key = self.core.key_to_write()
        with self._locked(place) as (folder, file):
            known = self.object_ids(workspace, session)
            new = {one.id: one for one in objects if one.id not in known}
            lines = b"".join(encode(one, key) for one in new.values())
            found = self.core.disk.status(file)
            if found.st_size + len(lines) > most:
                raise Unwritable.of("objects.no_room", path=place.path, most=most)
            size = self._write_lines(folder, file, place, lines, durable and bool(lines))
            ids = known.union(_ids_in(lines))
            self._states.put(place.path, _LogState(found.st_ino, size, ids))

    def _write_lines(
        self, folder: Handle, file: Handle, place: FilePlace, lines: bytes, durable: bool
    ) -> int:
        """Append; an incomplete last line is cut first, a complete one that only lost its newline
        gets it back, and on an error nothing stays. Returns the size afterwards."""
        disk = self.core.disk
        size = disk.status(file).st_size
        if size and disk.read_at(file, size - 1, 1) != b"\n":
            raw = disk.read(folder, place.name, MAX_LOG_BYTES)
            size = jsonlines.read(raw, self.core.key_to_write()).complete_bytes
            disk.truncate(file, size)
            if size and raw[size - 1 : size] != b"\n":
                lines = b"\n" + lines
        try:
            disk.write(file, lines)
        except OSError:
            with suppress(OSError):  # else the next writer cuts the incomplete line
                disk.truncate(file, size)
            raise
        if durable:
            self._flush_now(folder, file, place)
        return size + len(lines)

    def _flush_now(self, folder: Handle, file: Handle, place: FilePlace) -> None:
        """The log; the first time also its name, and folders above that are not on disk yet."""
        core = self.core
        named = (place.path, core.disk.status(file).st_ino)
        if named in self._named:
            core.disk.flush(file)
            return
        core.flush_names([folder.path], {folder.path: folder}, [file])
        self._named.add(named)

    def _status(self, place: FilePlace) -> tuple[int, int]:
        """Inode and size of a log; zeros if there is none."""
        disk = self.core.disk
        with if_there("read", self.core.home, place.path), disk.folder(place.folder) as folder:
            found = disk.stat(folder, place.name)
            return found.st_ino, found.st_size
        return 0, 0


def _ids_in(raw: bytes) -> Iterator[str]:
    return (found.decode("ascii") for found in _OWN_ID.findall(raw))
