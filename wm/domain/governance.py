"""Decide which files of a workspace may go, each with its rule (GV-1..3). Deletes nothing itself.

A document and what lies beside it (second copy, lock, temporary file) count as one, and a session
with all its documents as one: it goes whole or stays whole. What nobody here may touch: files
that wm does not know, memory, journal, tombstones and evidence, and whatever is young, pinned or
locked. Files are told apart by what they are; damage is no reason to go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from heapq import merge
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field

from wm.settings import StorageSettings

T = TypeVar("T")

_DAY_S = 86_400.0
_STEP = 512
"""Items that are sorted at once."""


class Kind(Enum):
    """What a file belongs to."""

    OUTPUT = "kept tool output"
    SESSION = "state of a session"
    SISTER = "other document of a session"
    EPOCH = "prompt epoch"
    TRASH = "trashed entry"
    RECORDING = "recorded bodies of a session"
    VECTORS = "saved vectors"
    KEPT = "what is never swept"
    UNKNOWN = "not ours"


SWEPT = frozenset(
    {
        *(Kind.OUTPUT, Kind.SESSION, Kind.SISTER, Kind.EPOCH, Kind.TRASH),
        *(Kind.RECORDING, Kind.VECTORS),
    }
)


_TURN = (
    *(Kind.VECTORS, Kind.SESSION, Kind.SISTER, Kind.EPOCH),
    *(Kind.OUTPUT, Kind.RECORDING, Kind.TRASH),
)
"""Which documents go first: of a session its state, so that what a crash leaves is an orphan."""


class Part(Enum):
    """What a file is of its document."""

    DOCUMENT = "the document"
    COPY = "a second copy of it, which counts where the document is gone"
    LOCK = "its lock file"
    TEMP = "a temporary file of a writer"
    OLD = "what it was in an older version"


class Rule(Enum):
    """Why a file goes."""

    OUTPUT_AGE = "output_age"
    OUTPUT_COUNT = "output_count"
    RECORDING_AGE = "recording_age"
    ORPHAN = "orphan"
    TRASH_AGE = "trash_age"
    VECTORS_AGE = "vectors_age"
    STALE_SESSION = "stale_session"
    LOST_TRANSCRIPT = "lost_transcript"
    QUOTA = "quota"
    DEAD_WRITER = "dead_writer"
    ORPHAN_LOCK = "orphan_lock"


class FileFact(NamedTuple):
    """A file as it was found. document: the path of the document that it belongs to, its own if
    it is one. session: `<sid>`, "" where the file does not tell. modified: seconds since 1970.

    pinned: somebody wants it kept, or may want it. locked: somebody writes it. lost: the agent's
    own record of this session is gone (of its state only).
    """

    path: str
    document: str
    kind: Kind
    part: Part
    session: str
    modified: float
    size: int
    pinned: bool = False
    locked: bool = False
    lost: bool = False


class Deletion(Struct, frozen=True):
    """One file that may go. session: that of its document, which a lock or a copy does not tell."""

    file: FileFact
    rule: Rule
    session: str = ""


class Plan(Struct, frozen=True):
    """What may go, in the order in which it should; and what stays. over: bytes beyond the quota
    that nothing here may take."""

    deletions: tuple[Deletion, ...] = ()
    scanned: int = 0
    kept_bytes: int = 0
    over: int = 0


class _Unit(Struct):
    """A document with everything beside it."""

    kind: Kind
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
) -> Plan:
    """What may go from one workspace. max_bytes: its allowance, if not that of the settings."""
    return _Planner(facts, limits, now.timestamp()).plan(
        limits.workspace_max_bytes if max_bytes < 0 else max_bytes
    )


def allowance(sizes: Sequence[int], max_bytes: int) -> int:
    """The most bytes that each workspace may keep so that all together keep `max_bytes`: the
    large ones give, the small ones stay as they are. At least as much as the largest has where
    nobody has to give."""
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


def _in_order(items: Sequence[T], key: Callable[[T], Any]) -> Iterator[T]:
    """Sorted in short steps: one long sort of 100,000 items would let no other thread run."""
    parts = [sorted(items[at : at + _STEP], key=key) for at in range(0, len(items), _STEP)]
    return merge(*parts, key=key)


def _last(session: Sequence[_Unit]) -> float:
    """When something last happened in a session. Recorded bodies go before it does: flows tell
    the same times."""
    return max(unit.modified for unit in session if unit.kind is not Kind.RECORDING)


class _Planner:
    """One plan in the making."""

    def __init__(self, facts: Iterable[FileFact], limits: StorageSettings, now: float) -> None:
        self._limits = limits
        self._now = now
        self._young = now - limits.young_minutes * 60
        self._doomed: dict[str, Rule] = {}
        """Paths of documents that go."""
        self._units: dict[str, _Unit] = {}
        self._scanned = self._bytes = 0
        for fact in facts:
            self._take(fact)
        units = self._units.values()
        self._sessions = {u.session for u in units if u.kind is Kind.SESSION and u.exists}
        """Those that have a state."""

    def plan(self, max_bytes: int) -> Plan:
        for unit in self._units.values():
            unit.files.sort(key=attrgetter("path"))
        self._outputs()
        self._recordings()
        self._trash()
        self._vectors()
        self._orphans()
        self._rested()
        over = self._quota(max_bytes)
        deletions = tuple(self._deletions())
        kept = self._bytes - sum(deletion.file.size for deletion in deletions)
        return Plan(deletions, self._scanned, kept, over)

    def _take(self, fact: FileFact) -> None:
        self._scanned += 1
        if fact.kind is Kind.UNKNOWN:
            return
        self._bytes += fact.size
        unit = self._units.get(fact.document)
        if unit is None:
            unit = self._units[fact.document] = _Unit(fact.kind, fact.session, fact.document)
        unit.files.append(fact)
        unit.size += fact.size
        unit.session = unit.session or fact.session
        unit.exists = unit.exists or fact.part in (Part.DOCUMENT, Part.COPY)
        if fact.part is not Part.LOCK:
            unit.modified = max(unit.modified, fact.modified)
        unit.safe = unit.safe or self._is_safe(fact)
        unit.lost = unit.lost or (fact.lost and fact.kind is Kind.SESSION)

    def _is_safe(self, fact: FileFact) -> bool:
        return self._shields(fact) or fact.kind not in SWEPT

    def _of(self, kind: Kind) -> list[_Unit]:
        """The documents of a kind that are there, newest first."""
        found = [unit for unit in self._units.values() if unit.kind is kind and unit.exists]
        return list(_in_order(found, lambda unit: (-unit.modified, unit.path)))

    def _is_older(self, unit: _Unit, days: float) -> bool:
        return unit.modified < self._now - days * _DAY_S

    def _doom(self, unit: _Unit, rule: Rule) -> None:
        if not unit.safe:
            self._doomed.setdefault(unit.path, rule)

    # --- the rules ------------------------------------------------------------------------

    def _outputs(self) -> None:
        for rank, unit in enumerate(self._of(Kind.OUTPUT)):
            if self._is_older(unit, self._limits.output_max_age_days):
                self._doom(unit, Rule.OUTPUT_AGE)
            elif rank >= self._limits.max_outputs:
                self._doom(unit, Rule.OUTPUT_COUNT)

    def _recordings(self) -> None:
        for unit in self._of(Kind.RECORDING):
            if self._is_older(unit, self._limits.recording_max_age_days):
                self._doom(unit, Rule.RECORDING_AGE)

    def _trash(self) -> None:
        for unit in self._of(Kind.TRASH):
            if self._is_older(unit, self._limits.trash_max_age_days):
                self._doom(unit, Rule.TRASH_AGE)

    def _vectors(self) -> None:
        """They are made again when somebody searches; until then they may be of texts that were
        forgotten since."""
        for unit in self._of(Kind.VECTORS):
            if self._is_older(unit, self._limits.vectors_max_age_days):
                self._doom(unit, Rule.VECTORS_AGE)

    def _orphans(self) -> None:
        """Documents of sessions that have no state. An epoch that does not tell whose it is
        stays."""
        known = self._sessions | {""}
        for unit in (*self._of(Kind.SISTER), *self._of(Kind.EPOCH)):
            if unit.session not in known and self._is_older(unit, self._limits.orphan_days):
                self._doom(unit, Rule.ORPHAN)

    def _rested(self) -> None:
        for session in self._whole_sessions():
            stale = _last(session)
            if stale < self._now - self._limits.session_max_age_days * _DAY_S:
                self._doom_all(session, Rule.STALE_SESSION)
            elif session[0].lost and stale < self._now - self._limits.lost_after_days * _DAY_S:
                self._doom_all(session, Rule.LOST_TRANSCRIPT)

    def _whole_sessions(self) -> list[list[_Unit]]:
        """Each session that has a state with all its documents, the state first; oldest first."""
        sessions: dict[str, list[_Unit]] = {}
        for unit in self._of(Kind.SESSION):
            sessions.setdefault(unit.session, []).append(unit)
        # Of a document that was locked and never written there is a lock, which goes along.
        locks = [u for u in self._units.values() if u.kind is Kind.SISTER and not u.exists]
        for unit in locks:
            if unit.session in sessions:
                sessions[unit.session].append(unit)
        for kind in (Kind.SISTER, Kind.EPOCH, Kind.OUTPUT, Kind.RECORDING):
            for unit in self._of(kind):
                if unit.session in sessions:
                    sessions[unit.session].append(unit)
        return list(reversed(sessions.values()))

    def _doom_all(self, session: Sequence[_Unit], rule: Rule) -> None:
        """All of a session or nothing: half of one is worse than either."""
        if not any(unit.safe for unit in session):
            for unit in session:
                self._doom(unit, rule)

    def _quota(self, max_bytes: int) -> int:
        """Beyond the allowance go saved vectors, which can be made again, then kept outputs, then
        sessions that rest; the oldest first."""
        going = sum(unit.size for unit in self._units.values() if unit.path in self._doomed)
        loose = sum(
            self._loose_bytes(unit)
            for unit in self._units.values()
            if unit.path not in self._doomed
        )
        over = self._bytes - going - loose - max_bytes
        if over <= 0:
            return 0
        for kind in (Kind.VECTORS, Kind.RECORDING, Kind.OUTPUT):
            for unit in reversed(self._of(kind)):
                over = self._yield([unit], over)
        resting = self._now - self._limits.lost_after_days * _DAY_S
        for session in self._whole_sessions():
            if _last(session) < resting:
                over = self._yield(session, over)
        return max(0, over)

    def _yield(self, units: Sequence[_Unit], over: int) -> int:
        """Let these go if there is need; what is over then."""
        if over <= 0 or any(unit.safe for unit in units):
            return over
        for unit in units:
            if unit.path not in self._doomed:
                over -= unit.size - self._loose_bytes(unit)
            self._doom(unit, Rule.QUOTA)
        return over

    # --- files ----------------------------------------------------------------------------

    def _deletions(self) -> Iterator[Deletion]:
        """What lies loose, then documents in the order of `_TURN`; within it by path, the files
        of a document together."""
        staying = (unit for unit in self._units.values() if unit.path not in self._doomed)
        loose = [deletion for unit in staying for deletion in self._loose(unit)]
        yield from _in_order(loose, lambda deletion: deletion.file.path)
        going = [self._units[path] for path in self._doomed]
        for unit in _in_order(going, lambda unit: (_TURN.index(unit.kind), unit.path)):
            rule = self._doomed[unit.path]
            yield from (Deletion(fact, rule, unit.session) for fact in unit.files)

    def _loose(self, unit: _Unit) -> Iterator[Deletion]:
        """Files beside a document that stays, or is gone: of writers that died, and locks that
        guard nothing."""
        if any(fact.locked for fact in unit.files):
            return
        rest = [fact for fact in unit.files if fact.part is Part.TEMP and not self._shields(fact)]
        yield from (Deletion(fact, Rule.DEAD_WRITER) for fact in rest)
        if unit.exists or unit.kind not in SWEPT or len(rest) < self._temps(unit):
            return
        if unit.kind is Kind.SISTER and unit.session in self._sessions:
            return  # its session may write it yet
        for fact in unit.files:
            if fact.part in (Part.LOCK, Part.OLD) and not self._is_safe(fact):
                yield Deletion(fact, Rule.ORPHAN_LOCK if fact.part is Part.LOCK else Rule.ORPHAN)

    def _shields(self, fact: FileFact) -> bool:
        """As `_is_safe`, but a writer may die beside what is never swept, too."""
        return fact.pinned or fact.locked or fact.modified > self._young

    def _temps(self, unit: _Unit) -> int:
        return sum(fact.part is Part.TEMP for fact in unit.files)

    def _loose_bytes(self, unit: _Unit) -> int:
        return sum(deletion.file.size for deletion in self._loose(unit))
