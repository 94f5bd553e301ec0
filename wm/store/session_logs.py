"""Logs of one session each: `flows/<sid>.jsonl` and `recordings/<sid>.jsonl` (PX-10, PX-11).

Flows are the figures of the exchanges that a proxy passed on; recordings are the bodies, if the
user asked for them. A line is written before its acknowledgement and flushed with the next relaxed
flush. The next writer cuts an incomplete last line. A flow log that has grown too large keeps its
newer half; a recording log that has reached its limit takes nothing more, because its lines refer
to each other.

Lists and deletes the logs of paging, too, which `paging_logs` writes. `domain.recording` and `ops`
decide what a line means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TypeVar

from pydantic import ValidationError

from wm.domain.recording import RecordingIndex
from wm.errors import StoreError
from wm.formats.base import Record
from wm.formats.flow import Flow
from wm.formats.recording import Recording
from wm.store import jsonlines, paths
from wm.store.core import Core, Recent, Wait
from wm.store.fsops import Handle, explained, if_there
from wm.store.paths import FilePlace

R = TypeVar("R", bound=Record)

MAX_FLOW_BYTES = 4 * 1024 * 1024
"""Size of a flow log, some thousand exchanges, beyond which its older half is dropped."""
MAX_LOG_BYTES = 1024 * 1024 * 1024
"""Upper limit of a log, whatever limit the user sets."""

Make = Callable[[RecordingIndex], Recording | None]
"""Makes the record to write from an index of the log's records; None to write nothing."""
INDEXES = 4
"""Number of recording logs whose index is kept."""


# --- lines --------------------------------------------------------------------------------------


def encode(record: Record, key: bytes, limit: int = MAX_LOG_BYTES) -> bytes:
    """The line of a record. StoreError if it is larger than `limit`."""
    line = jsonlines.encode(record.__pydantic_serializer__.to_json(record, by_alias=True), key)
    if len(line) > limit:
        raise StoreError.of("recording.large_record", size=len(line), limit=limit)
    return line


def decode(model: type[R], raw: bytes, key: bytes) -> tuple[R, ...]:
    """The records of a log in order; lines that cannot be read are left out (ST-3)."""
    return tuple(_decoded(model, jsonlines.read(raw, key).records))


def decode_newest(raw: bytes, key: bytes) -> Iterator[Flow]:
    """Flows, newest first; each record is parsed only when it is asked for."""
    return _decoded(Flow, reversed(jsonlines.read(raw, key).records))


def _decoded(model: type[R], records: Iterable[bytes]) -> Iterator[R]:
    for body in records:
        try:
            yield model.model_validate_json(body)
        except ValidationError:
            continue


def indexed(raw: bytes, key: bytes) -> tuple[RecordingIndex, int]:
    """The index of a recording log's records, and where its last complete line ends."""
    index = RecordingIndex()
    for line in decode(Recording, raw, key):
        index.learn(line)
    return index, jsonlines.read(raw, key).complete_bytes


def sessions(names: Iterable[str]) -> tuple[str, ...]:
    """The sessions whose logs are among these file names, sorted."""
    return tuple(sorted(set(filter(None, map(paths.session_of_log, names)))))


# --- files --------------------------------------------------------------------------------------


class SessionLogs:
    """The session logs of a store, which inherits from it."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._indexes: Recent[tuple[tuple[int, int], RecordingIndex]] = Recent(INDEXES)
        """By path, the indexes of the recording logs that were written last, each with the inode
        and the size of its log at that time: another process may have written since."""

    def append_flow(self, workspace: str, session: str, flow: Flow) -> None:
        """Add a line to a session's flows; class relaxed. Raises StoreError."""
        core, place = self.core, paths.session_log(paths.FLOWS, workspace, session)
        line = encode(flow, core.key_to_write(), core.settings.max_record_bytes)
        with self._locked(place) as (folder, file):
            size = core.disk.status(file).st_size
            if size and (size > MAX_FLOW_BYTES or core.disk.read_at(file, size - 1, 1) != b"\n"):
                _rewrite(core, folder, place.name, line)
            else:
                core.disk.write(file, line)

    def flows(self, workspace: str, session: str) -> tuple[Flow, ...]:
        """The flows of a session, oldest first; lines that cannot be read are left out."""
        return self._read(
            paths.session_log(paths.FLOWS, workspace, session), Flow, 4 * MAX_FLOW_BYTES
        )

    def newest_flows(self, workspace: str, session: str, most: int) -> Iterator[Flow]:
        """The flows in the last `most` bytes of a session's log, newest first. The cost does not
        depend on the length of the log. Raises StoreError."""
        place, disk, raw = paths.session_log(paths.FLOWS, workspace, session), self.core.disk, b""
        with (
            if_there("read", self.core.home, place.path),
            disk.folder(place.folder) as folder,
            disk.open(folder, place.name) as log,
        ):
            raw = disk.read_at(log, max(0, disk.status(log).st_size - most), most)
        # The first line may be cut off at its beginning; its checksum then does not verify.
        return decode_newest(raw, self.core.key_to_read())

    def append_recording(self, workspace: str, session: str, most: int, make: Make) -> bool:
        """Add a line to a session's recorded bodies; class relaxed. `make` gets an index of the
        log's records and may return None to write nothing. False if the log would exceed `most`
        bytes. Raises StoreError, and what `make` raises."""
        place = paths.session_log(paths.RECORDINGS, workspace, session)
        disk, key = self.core.disk, self.core.key_to_write()
        with self._locked(place) as (folder, file):
            found = disk.status(file)
            state, index = self._indexes.get(place.path) or (None, RecordingIndex())
            size = found.st_size
            if state != (found.st_ino, size):
                index, end = indexed(disk.read(folder, place.name, MAX_LOG_BYTES), key)
                if end < size:
                    disk.truncate(file, end)
                    size = end
            line = make(index)
            data = encode(line, key) if line is not None else b""
            fits = size + len(data) <= most
            if line is not None and fits:
                disk.write(file, data)
                index.learn(line)
                size += len(data)
            self._indexes.put(place.path, ((found.st_ino, size), index))
        return fits

    def recordings(self, workspace: str, session: str) -> tuple[Recording, ...]:
        """The recorded bodies of a session, oldest first; lines that cannot be read are left
        out."""
        return self._read(
            paths.session_log(paths.RECORDINGS, workspace, session), Recording, MAX_LOG_BYTES
        )

    def sessions_with(self, workspace: str, *kinds: str) -> tuple[str, ...]:
        """The `<sid>`s of the sessions with a log of one of these kinds, such as FLOWS, sorted."""
        folders = (paths.logs_folder(kind, workspace) for kind in kinds)
        return sessions(chain.from_iterable(map(self.core.names_in, folders)))

    def latest_sessions(
        self, workspace: str, kind: str, most: int | None = None
    ) -> tuple[str, ...]:
        """The `most` sessions whose logs of this kind, or states (SESSIONS), were written last,
        newest first; None: all."""
        return self.core.newest_sessions(paths.logs_folder(kind, workspace))[:most]

    def logs_of(self, workspace: str, session: str) -> tuple[FilePlace, ...]:
        """The logs of a session that are there, in the order in which they are to be deleted."""
        places = (paths.session_log(kind, workspace, session) for kind in paths.SESSION_LOGS)
        return tuple(place for place in places if place.name in self.core.names_in(place.folder))

    def discard_logs(self, workspace: str, session: str, *kinds: str) -> bool:
        """Delete a session's logs of these kinds; False if there are none."""
        places = [paths.session_log(kind, workspace, session) for kind in kinds]
        discarded = [self._discard(place) for place in places]
        return any(discarded)

    @contextmanager
    def _locked(self, place: FilePlace) -> Iterator[tuple[Handle, Handle]]:
        """The folder and the open log, created if missing, with its lock held; afterwards the log
        is pending for a flush."""
        core = self.core
        with (
            explained("write", core.home, place.path),
            core.make_folder(place.folder) as folder,
            core.locks.hold(folder, place.name),
        ):
            try:
                file = core.disk.open(folder, place.name, write=True)
            except FileNotFoundError:
                file = core.disk.create(folder, place.name)
            with file:
                yield folder, file
        core.add_pending(place, Wait.LOG)

    def _discard(self, place: FilePlace) -> bool:
        """Delete a log and its lock file; False if there is none. It stays deleted after a power
        cut, as what a person purges must. Raises StoreError."""
        core = self.core
        core.drop_pending(place)
        with (
            if_there("delete", core.home, place.path),
            core.disk.folder(place.folder) as folder,
            core.locks.hold(folder, place.name) as lock,
        ):
            try:
                was_there = core.disk.remove(folder, place.name)
                if was_there:
                    core.disk.flush_all([folder])
                return was_there
            finally:
                core.locks.remove(lock)
        return False

    def _read(self, place: FilePlace, model: type[R], limit: int) -> tuple[R, ...]:
        """All records of a log that can be read, oldest first. Raises StoreError."""
        return decode(model, self._raw(place, limit), self.core.key_to_read())

    def _raw(self, place: FilePlace, limit: int = MAX_LOG_BYTES) -> bytes:
        """The bytes of a log, none if it is missing. Raises StoreError."""
        with (
            if_there("read", self.core.home, place.path),
            self.core.disk.folder(place.folder) as folder,
        ):
            return self.core.disk.read(folder, place.name, limit)
        return b""


def _rewrite(core: Core, folder: Handle, name: str, line: bytes) -> None:
    """Rewrite the log: complete lines only, the newer half if it is too large."""
    raw = core.disk.read(folder, name, 4 * MAX_FLOW_BYTES)
    complete = raw[: raw.rfind(b"\n") + 1]
    if len(complete) > MAX_FLOW_BYTES:
        complete = complete[complete.index(b"\n", len(complete) - MAX_FLOW_BYTES // 2) + 1 :]
    core.replace(folder, name, [complete, line], durable=False)
