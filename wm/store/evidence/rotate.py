"""Remove records from the evidence that nothing needs any more (GV-3), while others append.

A log file is rewritten without them: the new bytes go into a temporary file, which is flushed and
renamed over the old one, so that every crash leaves the complete old file or the complete new one.
Files keep their numbers, none is ever removed, and no record is ever in two of them. Reading,
deciding and writing happen without a lock; only the rename takes the log's lock, and a file that
changed meanwhile is left as it is until the next run. Lines that cannot be verified stay, byte for
byte: nothing is removed because it could not be read (ST-3). The caller decides which records may
go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from msgspec import Struct, field

from wm.formats.sweep_log import PurgedEvidence
from wm.store import atomic, evidence, jsonlines, paths
from wm.store.base import Pause, no_pause
from wm.store.core import Core
from wm.store.fsops import Handle, explained

MAX_SEGMENT_BYTES = 512 * 1024 * 1024

Purgeable = Callable[[Iterator[dict[str, Any]]], Collection[int]]
"""All records of a log, oldest first -> the positions of those that may be removed. It must consume
every record and keep none: a log is large."""


class _Segment(Struct):
    """One log file: its bytes, where each line ends, and which record each line is."""

    name: str
    raw: bytes
    inode: int
    ends: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    """Per line the position of its record in the complete log; -1 if it is not a record."""

    def without(self, removed: Collection[int], key: bytes, pause: Pause) -> tuple[bytes, int]:
        """The bytes without the lines of these records, and the number of removed lines. A line
        whose checksum is not ours stays, whatever it says."""
        raw, kept = memoryview(self.raw), []
        begin = kept_from = count = 0
        for end, at in zip(self.ends, self.positions, strict=True):
            if at in removed:
                pause()
                if jsonlines.verify(self.raw[begin : end - 1], key) is not None:
                    kept.append(raw[kept_from:begin])
                    kept_from = end
                    count += 1
            begin = end
        return b"".join((*kept, raw[kept_from:])), count


def rotate(
    core: Core,
    workspace: str,
    purgeable: Purgeable,
    *,
    at_least: int = 1,
    dry_run: bool = False,
    pause: Pause = no_pause,
) -> PurgedEvidence:
    """Purge one workspace's log; what was done, or with `dry_run` would be. at_least: minimum
    number of purgeable records; with fewer, nothing is rewritten.

    Raises StoreError. A crash at any point loses nothing and leaves at most a temporary file.
    """
    path = paths.evidence_folder(workspace)
    with explained("rotate", core.home, path):
        try:
            folder = core.disk.folder(path)
        except FileNotFoundError:
            return PurgedEvidence()
        with folder:
            return _rotate(core, workspace, folder, purgeable, at_least, dry_run, pause)


def _rotate(
    core: Core,
    workspace: str,
    folder: Handle,
    purgeable: Purgeable,
    at_least: int,
    dry_run: bool,
    pause: Pause,
) -> PurgedEvidence:
    key = core.key_to_read()
    segments: list[_Segment] = []
    removed = frozenset(purgeable(_records(core, folder, segments, pause)))
    records = sum(at >= 0 for segment in segments for at in segment.positions)
    before = sum(len(segment.raw) for segment in segments)
    if len(removed) < max(1, at_least):
        return PurgedEvidence(records=records, bytes_before=before, bytes=before)
    purged = busy = 0
    after = before
    for segment in segments:
        if removed.isdisjoint(segment.positions):
            continue
        new, count = segment.without(removed, key, pause)
        if not count:
            continue
        if not dry_run and not _replace(core, workspace, folder, segment, new):
            busy += 1
            continue
        purged += count
        after -= len(segment.raw) - len(new)
    return PurgedEvidence(
        records=records, purged=purged, bytes_before=before, bytes=after, busy=busy
    )


def _records(
    core: Core, folder: Handle, segments: list[_Segment], pause: Pause
) -> Iterator[dict[str, Any]]:
    """All records of the log, oldest first; appends its files to `segments` on the way."""
    count = 0
    for number in evidence.segments(core.disk.list(folder)):
        name = evidence.file_name(number)
        with core.disk.open(folder, name) as file:
            inode = core.disk.status(file).st_ino
        raw = core.disk.read(folder, name, MAX_SEGMENT_BYTES)
        segment = _Segment(name, raw, inode)
        segments.append(segment)
        begin = 0
        # Bytes behind the last newline are a torn tail, which the next appender cuts.
        while end := raw.find(b"\n", begin) + 1:
            pause()
            record = jsonlines.json_object(raw[begin:end])
            segment.ends.append(end)
            segment.positions.append(-1 if record is None else count)
            begin = end
            if record is not None:
                count += 1
                yield record


def _replace(core: Core, workspace: str, folder: Handle, segment: _Segment, new: bytes) -> bool:
    """Replace the file with the new bytes; False if another process appended or rotated
    meanwhile."""
    disk = core.disk
    with (
        atomic.temporary(disk, folder, segment.name, [new], durable=True) as temp,
        core.locks.hold(folder, evidence.LOCKED),
    ):
        unchanged = _unchanged(core, folder, segment)
        if unchanged:
            disk.rename(folder, temp, segment.name)
            disk.flush(folder)
            core.log.forget(workspace)
        else:
            disk.unlink(folder, temp)
    return unchanged


def _unchanged(core: Core, folder: Handle, segment: _Segment) -> bool:
    try:
        now = core.disk.stat(folder, segment.name)
    except FileNotFoundError:
        return False
    return (now.st_ino, now.st_size) == (segment.inode, len(segment.raw))
