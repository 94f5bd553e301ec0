"""Take records out of the evidence that nothing needs any more (GV-3), beside its appenders.

A log file is rewritten without them: the new bytes into a temporary file, flushed, then renamed
over the old one, so that every crash leaves the old file or the new, whole. Files keep their
numbers, none is ever removed, and no record is ever in two of them. All reading, deciding and
writing happens without a lock; the log's lock is held for the rename only, and where the file
changed meanwhile it is left as it is until the next time. Lines that cannot be verified stay,
byte for byte: nothing goes because it could not be read (ST-3). Which records may go is the
caller's decision.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from wm.store import atomic, evidence, jsonlines, paths
from wm.store.core import Core
from wm.store.failures import explained
from wm.store.fsops import Handle

MAX_SEGMENT_BYTES = 512 * 1024 * 1024

Purgeable = Callable[[Sequence[dict[str, Any]]], Collection[int]]
"""All records of a log, oldest first -> the positions of those that may go."""


@dataclass(frozen=True)
class Rotation:
    """What was done, or with `dry_run` would be. `busy`: files that others changed meanwhile."""

    records: int = 0
    purged: int = 0
    rewritten: int = 0
    busy: int = 0
    bytes_before: int = 0
    bytes_after: int = 0


@dataclass
class _Segment:
    """One log file: its bytes, and for each line whether it is a record and which."""

    name: str
    raw: bytes
    inode: int
    lines: list[bytes]
    positions: list[int]
    """Per line the position of its record among all of the log; -1 for what is none."""

    def without(self, gone: Collection[int], key: bytes) -> tuple[bytes, int]:
        """The bytes less the lines of these records, and how many those are. A line whose
        checksum is not ours stays, whatever it says."""
        kept = [
            line
            for line, at in zip(self.lines, self.positions, strict=True)
            if at not in gone or jsonlines.verify(line[:-1], key) is None
        ]
        return b"".join(kept), len(self.lines) - len(kept)


def rotate(
    core: Core,
    workspace: str,
    purgeable: Purgeable,
    *,
    at_least: int = 1,
    dry_run: bool = False,
) -> Rotation:
    """Purge one workspace's log. at_least: records that must be purgeable for it to be worth it.

    Raises StoreError. A crash at any point loses nothing and leaves at most a temporary file.
    """
    path = paths.evidence_folder(workspace)
    with explained("rotate", core.home, path):
        try:
            folder = core.disk.folder(path)
        except FileNotFoundError:
            return Rotation()
        with folder:
            return _rotate(core, workspace, folder, purgeable, at_least, dry_run)


def _rotate(
    core: Core,
    workspace: str,
    folder: Handle,
    purgeable: Purgeable,
    at_least: int,
    dry_run: bool,
) -> Rotation:
    key = core.key_to_read()
    segments, records = _read(core, folder)
    before = sum(len(segment.raw) for segment in segments)
    gone = frozenset(purgeable(records))
    if len(gone) < max(1, at_least):
        return Rotation(records=len(records), bytes_before=before, bytes_after=before)
    purged = rewritten = busy = 0
    after = before
    for segment in segments:
        if gone.isdisjoint(segment.positions):
            continue
        new, count = segment.without(gone, key)
        if not count:
            continue
        if not dry_run and not _replace(core, workspace, folder, segment, new):
            busy += 1
            continue
        rewritten += 1
        purged += count
        after -= len(segment.raw) - len(new)
    return Rotation(len(records), purged, rewritten, busy, before, after)


def _read(core: Core, folder: Handle) -> tuple[list[_Segment], list[dict[str, Any]]]:
    """All files of the log, and all records, oldest first."""
    segments: list[_Segment] = []
    records: list[dict[str, Any]] = []
    for number in evidence.segments(core.disk.list(folder)):
        name = evidence.file_name(number)
        with core.disk.open(folder, name) as file:
            inode = core.disk.status(file).st_ino
        raw = core.disk.read(folder, name, MAX_SEGMENT_BYTES)
        lines = raw.splitlines(keepends=True) if b"\r" not in raw else _split(raw)
        positions = []
        for line in lines:
            record = _record(line)
            positions.append(-1 if record is None else len(records))
            if record is not None:
                records.append(record)
        segments.append(_Segment(name, raw, inode, lines, positions))
    return segments, records


def _split(raw: bytes) -> list[bytes]:
    return [part + b"\n" for part in raw.split(b"\n")[:-1]] + [raw[raw.rfind(b"\n") + 1 :]]


def _record(line: bytes) -> dict[str, Any] | None:
    """The record of a line that ends in a newline; None for what is none."""
    if not line.endswith(b"\n"):
        return None  # a torn tail belongs to the next appender
    try:
        found = from_json(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _replace(core: Core, workspace: str, folder: Handle, segment: _Segment, new: bytes) -> bool:
    """Give the file its new bytes; False where somebody appended or rotated meanwhile."""
    disk = core.disk
    temp = paths.temp(segment.name, secrets.token_hex(8))
    try:
        atomic.write_new(disk, folder, temp, new)
        with disk.open(folder, temp) as file:
            disk.flush(file)
        held = core.locks.take_all([(folder, evidence.LOCKED)])
        try:
            if not _unchanged(core, folder, segment):
                return False
            disk.rename(folder, temp, segment.name)
            temp = ""
            disk.flush(folder)
            core.log.forget(workspace)
        finally:
            core.locks.release_all(held)
    finally:
        if temp:
            # What cannot be cleared now is a stale temporary file, which fsck clears.
            with contextlib.suppress(OSError):
                disk.unlink(folder, temp)
    return True


def _unchanged(core: Core, folder: Handle, segment: _Segment) -> bool:
    try:
        now = core.disk.stat(folder, segment.name)
    except FileNotFoundError:
        return False
    return (now.st_ino, now.st_size) == (segment.inode, len(segment.raw))
