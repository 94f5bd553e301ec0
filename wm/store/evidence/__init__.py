"""The evidence logs: `evidence/<n>.jsonl` of each workspace, append-only (EV-1).

Protects: an acknowledged record is never cut off, whatever a crash left behind it; a torn
tail is cut back to the last complete record before the next one is written (ST-3, F14). Callers
hold the log's lock (`LOCKED` in its folder) from `open_end` until the last `append`.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Sequence
from functools import partial

from msgspec import Struct, field
from pydantic import ValidationError

from wm.errors import OnError, StoreError
from wm.formats.evidence import EvidenceRecord
from wm.settings import StoreSettings
from wm.store import envelope, jsonlines
from wm.store.base import LogReading
from wm.store.fsops import Disk, Handle

_SEGMENT = re.compile(r"([1-9][0-9]{0,8})\.jsonl", re.ASCII)
LOCKED = "log"
"""The name that an appender locks in the evidence folder of its workspace."""

_MAX_SEGMENT_BYTES = 512 * 1024 * 1024


def encode(record: EvidenceRecord, key: bytes, limit: int) -> bytes:
    """The line of a record. StoreError if it is larger than `limit` bytes or not valid JSON."""
    line = jsonlines.encode(envelope.as_json(record, "An evidence record"), key)
    if len(line) > limit:
        raise StoreError.of("evidence.large_record", size=len(line), limit=limit)
    return line


def segments(names: Sequence[str]) -> list[int]:
    """Numbers of the log files among `names`, oldest first."""
    return sorted(int(found.group(1)) for name in names if (found := _SEGMENT.fullmatch(name)))


def file_name(number: int) -> str:
    return f"{number}.jsonl"


class LogEnd(Struct):
    """The open end of a log. `size`: offset of the next record; `fresh`: this process has not
    flushed the file's name yet; `added`: bytes of records appended since it was opened."""

    workspace: str
    number: int
    folder: Handle
    file: Handle
    size: int
    fresh: bool
    added: int = 0


class EvidenceLog(Struct):
    """Evidence of all workspaces of one data folder."""

    disk: Disk
    settings: StoreSettings
    _flushed: dict[str, tuple[int, int]] = field(default_factory=dict)
    """workspace -> number and inode of the segment whose name this process has flushed."""
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def open_end(self, workspace: str, folder: Handle, key: bytes) -> LogEnd:
        """Open the newest segment at a clean end; starts a new segment if it is full."""
        number = max(segments(self.disk.list(folder)), default=1)
        end = self._open(workspace, folder, number)
        if end is not None and end.size >= self.settings.evidence_segment_bytes:
            self.disk.close(end.file)
            end, number = None, number + 1
        if end is None:
            file = self.disk.create(folder, file_name(number))
            return LogEnd(workspace, number, folder, file, 0, fresh=True)
        with OnError(partial(self.disk.close, end.file)):
            self._clean(end, key)
        return end

    def append(self, end: LogEnd, lines: bytes) -> None:
        """Write complete lines. On an error the file is cut back to its previous size."""
        try:
            self.disk.write(end.file, lines)
        except OSError:
            self.forget(end.workspace)
            # If this fails too, the next appender finds a torn tail and cuts it.
            with contextlib.suppress(OSError):
                self.disk.truncate(end.file, end.size)
            raise
        end.size += len(lines)
        end.added += len(lines)
        inode = self.disk.status(end.file).st_ino
        with self._guard:
            self._flushed[end.workspace] = (end.number, inode)

    def take_back(self, end: LogEnd) -> None:
        """Cut off the records that were added, because their change did not happen. Never raises:
        it runs while another error is reported. Records that stay describe an attempted change."""
        self.forget(end.workspace)
        with contextlib.suppress(OSError):
            self.disk.truncate(end.file, end.size - end.added)

    def forget(self, workspace: str) -> None:
        """Flush the name of the log's file again with the next append."""
        with self._guard:
            self._flushed.pop(workspace, None)

    def read(self, folder: Handle, key: bytes) -> LogReading:
        """All segments, oldest first."""
        records: list[EvidenceRecord] = []
        damaged = torn = 0
        for number in segments(self.disk.list(folder)):
            try:
                raw = self.disk.read(folder, file_name(number), _MAX_SEGMENT_BYTES)
            except FileNotFoundError:
                continue  # removed since the folder was listed; the other segments are read
            lines = jsonlines.read(raw, key)
            damaged += lines.damaged
            torn += lines.torn_bytes
            for body in lines.records:
                try:
                    records.append(EvidenceRecord.model_validate_json(body))
                except ValidationError:
                    damaged += 1
        return LogReading(tuple(records), damaged, torn)

    def _open(self, workspace: str, folder: Handle, number: int) -> LogEnd | None:
        try:
            file = self.disk.open(folder, file_name(number), write=True)
        except FileNotFoundError:
            return None
        with OnError(partial(self.disk.close, file)):
            found = self.disk.status(file)
        with self._guard:
            fresh = self._flushed.get(workspace) != (number, found.st_ino)
        return LogEnd(workspace, number, folder, file, found.st_size, fresh)

    def _clean(self, end: LogEnd, key: bytes) -> None:
        """Cut a torn tail; a complete record that only lost its newline gets it back."""
        if end.size == 0 or self.disk.read_at(end.file, end.size - 1, 1) == b"\n":
            return
        raw = self.disk.read(end.folder, file_name(end.number), _MAX_SEGMENT_BYTES)
        size = jsonlines.read(raw, key).complete_bytes
        self.disk.truncate(end.file, size)
        end.size = size
        if size and raw[size - 1 : size] != b"\n":
            self.disk.write(end.file, b"\n")
            end.size += 1
