"""Decide which files of a workspace may be deleted, each with the rule that allows it (GV-1..3).

Deletes nothing itself. A document and the files beside it (previous copy, lock, temporary file)
are one unit, and so is a session with all its documents: a unit is deleted or kept as one.
Never planned for deletion: files that wm does not know, memory, journal, tombstones and evidence,
and anything that is young, pinned or locked. Files are classified by name; damage is not a reason
to delete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct, field

from wm.settings import StorageSettings

_DAY_S = 86_400.0


class FileKind(Enum):
    """The kind of document that a file belongs to."""

    OUTPUT = "kept tool output"
    SESSION = "state of a session"
    SISTER = "other document of a session"
    EPOCH = "prompt epoch"
    TRASH = "trashed entry"
    RECORDING = "recorded bodies of a session"
    PAGED = "paged content of a session"
    VECTORS = "saved vectors"
    KEPT = "what is never swept"
    UNKNOWN = "not ours"


_TURN = (
    *(FileKind.VECTORS, FileKind.SESSION, FileKind.SISTER, FileKind.EPOCH),
    *(FileKind.OUTPUT, FileKind.RECORDING, FileKind.PAGED, FileKind.TRASH),
)
"""Order of deletion. A session's state goes first, so that a crash leaves only orphans."""
SWEPT = frozenset(_TURN)
_OF_A_SESSION = (
    *(FileKind.SISTER, FileKind.EPOCH, FileKind.OUTPUT, FileKind.RECORDING, FileKind.PAGED),
)


class FilePart(Enum):
    """The role of a file within its document."""

    DOCUMENT = "the document"
    COPY = "a second copy of it, which counts where the document is gone"
    LOCK = "its lock file"
    TEMP = "a temporary file of a writer"
    OLD = "what it was in an older version"


class SweepRule(Enum):
    """The rule that allows a deletion."""

    OUTPUT_AGE = "output_age"
    OUTPUT_COUNT = "output_count"
    RECORDING_AGE = "recording_age"
    OBJECT_AGE = "object_age"
    ORPHAN = "orphan"
    TRASH_AGE = "trash_age"
    VECTORS_AGE = "vectors_age"
    STALE_SESSION = "stale_session"
    LOST_TRANSCRIPT = "lost_transcript"
    QUOTA = "quota"
    DEAD_WRITER = "dead_writer"
    ORPHAN_LOCK = "orphan_lock"


_ALONE = {FilePart.LOCK: SweepRule.ORPHAN_LOCK, FilePart.OLD: SweepRule.ORPHAN}
"""What may be deleted when its document is gone, and by which rule."""


class FileFact(NamedTuple):
    """A file as the sweep read it.

    document: the path of the document that the file belongs to, or its own path. session: `<sid>`,
    "" if the name does not contain it. modified: seconds since 1970. pinned: a user wants to keep
    it, or may want to. locked: a writer holds the lock. lost: the agent's own transcript of this
    session is gone (set on the session's state only).
    """

    path: str
    document: str
    kind: FileKind
    part: FilePart
    session: str
    modified: float
    size: int
    pinned: bool = False
    locked: bool = False
    lost: bool = False


class Deletion(Struct, frozen=True):
    """One file that may be deleted. session: that of its document; the name of a lock or a previous
    copy does not contain it."""

    file: FileFact
    rule: SweepRule
    session: str = ""


class SweepPlan(Struct, frozen=True):
    """The planned deletions, in order, and what stays. over: bytes above the quota that no rule may
    delete. young: bytes of recorded bodies that a later sweep may delete."""

    deletions: tuple[Deletion, ...] = ()
    scanned: int = 0
    kept_bytes: int = 0
    over: int = 0
    young: int = 0


class _FileUnit(Struct):
    """A document with every file beside it."""

    kind: FileKind
    session: str
    path: str
    files: list[FileFact] = field(default_factory=list)
    exists: bool = False
    modified: float = float("-inf")
    size: int = 0
    safe: bool = False
    lost: bool = False


def plan(
    facts: Iterable[FileFact], limits: StorageSettings, now: datetime, *, max_bytes: int = -1
) -> SweepPlan:
    """Plan the deletions of one workspace. max_bytes: its quota; -1 takes it from the settings."""
    return _Planner(facts, limits, now.timestamp()).plan(
        limits.workspace_max_bytes if max_bytes < 0 else max_bytes
    )


def allowance(sizes: Sequence[int], max_bytes: int) -> int:
    """The per-workspace limit, in bytes, with which all workspaces together fit into `max_bytes`.

    Large workspaces give way, small ones stay as they are. If everything fits, the limit is at
    least the size of the largest workspace.
    """
    left, most = max_bytes, max(sizes, default=0)
    if sum(sizes) <= max_bytes:
        return most
    ordered = sorted(sizes)
    for index, size in enumerate(ordered):
        share = left // (len(ordered) - index)
        if size > share:
            return max(0, share)
        left -= size
    return most


def _last(session: Sequence[_FileUnit]) -> float:
    """Time of the last activity in a session. Recorded bodies do not count, because they are
    deleted before the session and the flows hold the same times."""
    return max(unit.modified for unit in session if unit.kind is not FileKind.RECORDING)


class _Planner:
    """Builds one plan."""

    def __init__(self, facts: Iterable[FileFact], limits: StorageSettings, now: float) -> None:
        self._limits = limits
        self._now = now
        self._young = now - limits.young_minutes * 60
        self._planned: dict[str, SweepRule] = {}
        """Paths of the documents to delete, with the rule for each."""
        self._units: dict[str, _FileUnit] = {}
        self._scanned = self._bytes = 0
        for fact in facts:
            self._take(fact)
        units = self._units.values()
        self._sessions = {u.session for u in units if u.kind is FileKind.SESSION and u.exists}
        """Sessions that have a state document."""
        self._paged: set[str] = set()
        """Sessions whose requests may still refer to their stored steps."""

    def plan(self, max_bytes: int) -> SweepPlan:
        for unit in self._units.values():
            unit.files.sort(key=attrgetter("path"))
        self._aged()
        self._orphans()
        self._plan_inactive_sessions()
        over = self._quota(max_bytes)
        deletions = tuple(self._deletions())
        kept = self._bytes - sum(deletion.file.size for deletion in deletions)
        units = self._units.values()
        young = sum(unit.size for unit in units if unit.safe and unit.kind is FileKind.RECORDING)
        return SweepPlan(deletions, self._scanned, kept, over, young)

    def _take(self, fact: FileFact) -> None:
        self._scanned += 1
        if fact.kind is FileKind.UNKNOWN:
            return
        self._bytes += fact.size
        unit = self._units.get(fact.document)
        if unit is None:
            unit = self._units[fact.document] = _FileUnit(fact.kind, fact.session, fact.document)
        unit.files.append(fact)
        unit.size += fact.size
        unit.session = max(unit.session, fact.session)
        unit.exists = unit.exists or fact.part in (FilePart.DOCUMENT, FilePart.COPY)
        if fact.part is not FilePart.LOCK:
            unit.modified = max(unit.modified, fact.modified)
        unit.safe = unit.safe or fact.kind not in SWEPT or self._is_protected(fact)
        unit.lost = unit.lost or (fact.lost and fact.kind is FileKind.SESSION)

    def _of(self, kind: FileKind) -> list[_FileUnit]:
        """The existing documents of one kind, newest first."""
        found = [unit for unit in self._units.values() if unit.kind is kind and unit.exists]
        return sorted(found, key=lambda unit: (-unit.modified, unit.path))

    def _is_older(self, unit: _FileUnit, days: float) -> bool:
        return unit.modified < self._now - days * _DAY_S

    def _plan_deletion(self, unit: _FileUnit, rule: SweepRule) -> None:
        if not unit.safe:
            self._planned.setdefault(unit.path, rule)

    # --- the rules ------------------------------------------------------------------------

    def _aged(self) -> None:
        """Documents beyond their age, and kept outputs beyond their number. Saved vectors are
        rebuilt by the next search; until then they may describe forgotten texts."""
        limits = self._limits
        for kind, rule, days in (
            (FileKind.OUTPUT, SweepRule.OUTPUT_AGE, limits.output_max_age_days),
            (FileKind.RECORDING, SweepRule.RECORDING_AGE, limits.recording_max_age_days),
            (FileKind.TRASH, SweepRule.TRASH_AGE, limits.trash_max_age_days),
            (FileKind.VECTORS, SweepRule.VECTORS_AGE, limits.vectors_max_age_days),
        ):
            for unit in self._of(kind):
                if self._is_older(unit, days):
                    self._plan_deletion(unit, rule)
        for unit in self._of(FileKind.OUTPUT)[limits.max_outputs :]:
            self._plan_deletion(unit, SweepRule.OUTPUT_COUNT)
        paged: dict[str, list[_FileUnit]] = {}
        for unit in self._of(FileKind.PAGED):
            paged.setdefault(unit.session, []).append(unit)
        for session, logs in paged.items():  # the newest log of each first
            if self._is_older(logs[0], limits.object_max_age_days):
                self._plan_session(logs, SweepRule.OBJECT_AGE)
            else:
                self._paged.add(session)

    def _orphans(self) -> None:
        """Documents of sessions without a state. An epoch that does not name its session stays."""
        known = self._sessions | {""}
        for unit in (*self._of(FileKind.SISTER), *self._of(FileKind.EPOCH)):
            if unit.session not in known and self._is_older(unit, self._limits.orphan_days):
                self._plan_deletion(unit, SweepRule.ORPHAN)

    def _plan_inactive_sessions(self) -> None:
        for session in self._whole_sessions():
            stale = _last(session)
            if stale < self._now - self._limits.session_max_age_days * _DAY_S:
                self._plan_session(session, SweepRule.STALE_SESSION)
            elif session[0].lost and stale < self._now - self._limits.lost_after_days * _DAY_S:
                self._plan_session(session, SweepRule.LOST_TRANSCRIPT)

    def _whole_sessions(self) -> list[list[_FileUnit]]:
        """Each session that has a state, with all its documents; the state first, oldest session
        first."""
        sessions: dict[str, list[_FileUnit]] = {}
        for unit in self._of(FileKind.SESSION):
            sessions.setdefault(unit.session, []).append(unit)
        # A document that was locked but never written leaves only its lock, which is deleted too.
        locks = (u for u in self._units.values() if u.kind is FileKind.SISTER and not u.exists)
        for unit in (*locks, *(unit for kind in _OF_A_SESSION for unit in self._of(kind))):
            if unit.session in sessions:
                sessions[unit.session].append(unit)
        return list(reversed(sessions.values()))

    def _plan_session(self, session: Sequence[_FileUnit], rule: SweepRule) -> None:
        """Delete a session, or both its paging logs, as a whole or not at all: half of it is worse
        than either."""
        if not any(unit.safe for unit in session):
            for unit in session:
                self._plan_deletion(unit, rule)

    def _quota(self, max_bytes: int) -> int:
        """Above the quota, delete in this order, oldest first: saved vectors (they can be rebuilt),
        kept tool outputs, inactive sessions to whose steps no request may refer. Returns the bytes
        that are still over."""
        over = self._bytes - max_bytes
        for unit in self._units.values():
            over -= unit.size if unit.path in self._planned else self._stray_bytes(unit)
        if over <= 0:
            return 0
        for kind in (FileKind.VECTORS, FileKind.RECORDING, FileKind.OUTPUT):
            for unit in reversed(self._of(kind)):
                over = self._plan_for_quota([unit], over)
        resting = self._now - self._limits.lost_after_days * _DAY_S
        for session in self._whole_sessions():
            if _last(session) < resting and session[0].session not in self._paged:
                over = self._plan_for_quota(session, over)
        return max(0, over)

    def _plan_for_quota(self, units: Sequence[_FileUnit], over: int) -> int:
        """Delete these units while the total is over the quota. Returns the bytes that are still
        over."""
        if over <= 0 or any(unit.safe for unit in units):
            return over
        for unit in units:
            if unit.path not in self._planned:
                over -= unit.size - self._stray_bytes(unit)
            self._plan_deletion(unit, SweepRule.QUOTA)
        return over

    # --- files ----------------------------------------------------------------------------

    def _deletions(self) -> Iterator[Deletion]:
        """Stray files first, then documents in the order of `_TURN`; within one kind by path, the
        files of a document together."""
        staying = (unit for unit in self._units.values() if unit.path not in self._planned)
        stray = [deletion for unit in staying for deletion in self._stray_files(unit)]
        yield from sorted(stray, key=lambda deletion: deletion.file.path)
        going = [self._units[path] for path in self._planned]
        for unit in sorted(going, key=lambda unit: (_TURN.index(unit.kind), unit.path)):
            rule = self._planned[unit.path]
            yield from (Deletion(fact, rule, unit.session) for fact in unit.files)

    def _stray_files(self, unit: _FileUnit) -> Iterator[Deletion]:
        """Files beside a document that stays or is already gone: temporary files of dead writers,
        and locks without a document."""
        if any(fact.locked for fact in unit.files):
            return
        temps = [fact for fact in unit.files if fact.part is FilePart.TEMP]
        rest = [fact for fact in temps if not self._is_protected(fact)]
        yield from (Deletion(fact, SweepRule.DEAD_WRITER) for fact in rest)
        if unit.exists or unit.kind not in SWEPT or len(rest) < len(temps):
            return
        if unit.kind is FileKind.SISTER and unit.session in self._sessions:
            return  # its session may still write it
        for fact in unit.files:
            if fact.part in _ALONE and not self._is_protected(fact):
                yield Deletion(fact, _ALONE[fact.part])

    def _is_protected(self, fact: FileFact) -> bool:
        """Whether it must stay now. Documents that are never swept may have files of a dead writer
        beside them, which are not protected by that."""
        return fact.pinned or fact.locked or fact.modified > self._young

    def _stray_bytes(self, unit: _FileUnit) -> int:
        return sum(deletion.file.size for deletion in self._stray_files(unit))
