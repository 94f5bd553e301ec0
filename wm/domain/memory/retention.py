"""Retention strength of entries, and their ageing (WM-2, WM-3).

Strength = type x source x importance x 2^(-effective age / half-life). Days without activity in
the workspace count a quarter, so a pause costs an entry little; an entry that recurs after a week
gets a longer half-life. Nothing is deleted because of a number from here: weak entries are shown
later, not forgotten.

The current dormancy is computed from `last_activity_at` BEFORE a visit is recorded; the visit
then writes it as an interval, so that the strength before and after is the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from wm.domain.facts import Detail
from wm.domain.times import days_between, iso, parse
from wm.formats.evidence import Outcome
from wm.formats.workspace_memory import DormantInterval, MemoryEntry, WorkspaceMemory
from wm.settings import MemorySettings

DAY_S = 86400.0
_MILLISECOND = timedelta(milliseconds=1)

VISIT_WRITTEN_AFTER = timedelta(days=1)
"""How often a long session records activity: far below the dormancy limit, and without a flush per
message."""


class Reinforcement(Struct, frozen=True):
    """The result of a recurrence. outcome: reinforced | unchanged (words of the evidence log)."""

    entry: MemoryEntry
    outcome: Outcome
    reason_codes: tuple[str, ...]
    details: Mapping[str, Detail]


class Ageing(Struct, frozen=True):
    """The calendar of one workspace at one moment; computed once, used for every entry.

    begins, quiet_days: for the dormant intervals from `begins[i]` on, the number of days that they
    cover together until now. An entry benefits only from intervals that began after it did.
    """

    now: datetime
    settings: MemorySettings
    begins: tuple[datetime, ...]
    quiet_days: tuple[float, ...]

    def days(self, entry: MemoryEntry) -> float:
        """Effective age in days; 0 for a future or invalid date."""
        begin = parse(clock_of(entry))
        if begin is None:
            return 0.0
        age = (self.now - begin).total_seconds() / DAY_S
        if age <= 0.0 or not self.begins:
            return max(0.0, age)
        return max(0.0, age - (1.0 - self.settings.dormant_rate) * self._quiet_since(begin))

    def strength(self, entry: MemoryEntry) -> float:
        """Retention strength, 0 or more; comparable between entries of one workspace."""
        half_life = half_life_days(entry, self.settings)
        start = initial_strength(entry, self.settings) * suspect_rate(entry, self.settings)
        return _decayed(start, self.days(entry), half_life)

    def _quiet_since(self, begin: datetime) -> float:
        at = bisect_left(self.begins, begin)
        return self.quiet_days[at] if at < len(self.begins) else 0.0


def clock_of(entry: MemoryEntry) -> str:
    """The time from which the entry's age counts."""
    return entry.retention_clock or entry.updated_at or entry.created_at


def touched(entry: MemoryEntry, now: datetime, **changes: object) -> MemoryEntry:
    """The entry, changed at `now`. Its age stays, unless `changes` sets `retention_clock`."""
    update = {"retention_clock": clock_of(entry), "updated_at": iso(now), **changes}
    return entry.model_copy(update=update)


def ageing(memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings) -> Ageing:
    """The calendar of `memory` at `now`: recorded pauses and the current one."""
    spans = [s for s in map(_span, memory.dormant_intervals) if s is not None]
    ongoing = _ongoing(memory, now=now, settings=settings)
    if ongoing is not None:
        spans.append(ongoing)
    begins, quiet = _quiet_days((b, min(e, now)) for b, e in spans if b < now)
    return Ageing(now=now, settings=settings, begins=begins, quiet_days=quiet)


def strength(
    entry: MemoryEntry, memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings
) -> float:
    """Retention strength of one entry. For many entries call `ageing` once."""
    return ageing(memory, now=now, settings=settings).strength(entry)


COURSE_POINTS = 24
"""Points of the past and of the future in `course`."""


def course(
    entry: MemoryEntry,
    memory: WorkspaceMemory,
    *,
    now: datetime,
    settings: MemorySettings,
    ahead_days: float,
) -> list[tuple[datetime, float]]:
    """Strength at points of time from the entry's clock until now, and on for `ahead_days` if the
    workspace stays active and the entry does not recur. Earlier reinforcements are not in it."""
    begin = min(parse(clock_of(entry)) or now, now)
    past = [begin + (now - begin) * step / COURSE_POINTS for step in range(COURSE_POINTS)]
    points = [(at, strength(entry, memory, now=at, settings=settings)) for at in past]
    left = strength(entry, memory, now=now, settings=settings)
    half_life = half_life_days(entry, settings)
    for step in range(COURSE_POINTS + 1):
        days = ahead_days * step / COURSE_POINTS
        points.append((now + timedelta(days=days), _decayed(left, days, half_life)))
    return points


def initial_strength(entry: MemoryEntry, settings: MemorySettings) -> float:
    """Type x source x importance. An unknown word has the smallest weight of its kind."""
    return (
        weight(settings.type_weights, entry.type)
        * weight(settings.source_weights, entry.source)
        * settings.importance_weights.get(entry.user_importance, 1.0)
    )


def suspect_rate(entry: MemoryEntry, settings: MemorySettings) -> float:
    """The factor for the strength of an entry whose code changed or is gone (WM-9)."""
    return settings.suspect_rate if entry.suspect else 1.0


def half_life_days(entry: MemoryEntry, settings: MemorySettings) -> float:
    """Half-life after the entry's reinforcements; a count below 0 (edited by hand) is 0."""
    count = min(max(entry.reinforcement_count, 0), settings.max_reinforcements)
    return float(settings.half_life_days / (settings.half_life_growth or 1.0) ** count)


def visit(memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings) -> WorkspaceMemory:
    """Record activity in this workspace now; a pause that ends here becomes an interval.

    A visit inside a recorded interval ends that interval: it came from a clock that was ahead. A
    visit before the recorded activity changes nothing else: a clock that is behind for one boot
    must neither erase nor invent a pause.
    """
    intervals = tuple(_ended(i, now) for i in memory.dormant_intervals)
    ongoing = _ongoing(memory, now=now, settings=settings)
    if ongoing is not None:
        intervals += (DormantInterval(begin=iso(ongoing[0]), end=iso(ongoing[1])),)
    last = parse(memory.last_activity_at)
    at = memory.last_activity_at if last is not None and last > now else iso(now)
    return memory.model_copy(update={"dormant_intervals": intervals, "last_activity_at": at})


def visit_is_due(memory: WorkspaceMemory, *, now: datetime) -> bool:
    """Whether to record activity without a session start; not in a memory where nothing ages."""
    last = parse(memory.last_activity_at)
    if not memory.entries:
        return False
    return last is None or now - last >= VISIT_WRITTEN_AFTER


def reinforce(
    entry: MemoryEntry, *, session: str, now: datetime, settings: MemorySettings
) -> Reinforcement:
    """The fact of `entry` recurred. Counts once per rolling window, starting at its creation.

    A recurrence in the same session is noted in the details and is not refused.
    """
    window = timedelta(hours=settings.reinforcement_window_hours)
    stamp = parse(entry.last_reinforced_at)
    since = stamp or parse(entry.created_at)
    elapsed = now - since if since is not None else None
    details: dict[str, Detail] = {
        "elapsedMs": elapsed // _MILLISECOND if elapsed is not None else None,
        "requiredElapsedMs": window // _MILLISECOND,
        "sameSession": bool(session) and session == entry.last_reinforced_session,
        "legacyMissingTimestamp": stamp is None and entry.reinforcement_count > 0,
    }
    # A stamp further ahead than the window comes from a wrong clock and is ignored.
    if elapsed is not None and abs(elapsed) < window:
        details["reinforcementMode"] = "blocked"
        return Reinforcement(entry, "unchanged", ("min_elapsed_window",), details)
    counts = entry.reinforcement_count < settings.max_reinforcements
    details["reinforcementMode"] = "increment" if counts else "refresh"
    return Reinforcement(
        _refreshed(entry, counts=counts, session=session, now=now),
        "reinforced",
        ("elapsed_window",) if counts else ("elapsed_window", "max_count"),
        details,
    )


def _refreshed(entry: MemoryEntry, *, counts: bool, session: str, now: datetime) -> MemoryEntry:
    count = max(entry.reinforcement_count, 0) + 1 if counts else entry.reinforcement_count
    return entry.model_copy(
        update={
            "reinforcement_count": count,
            "retention_clock": iso(now),
            "last_reinforced_at": iso(now),
            "last_reinforced_session": session,
        }
    )


def _decayed(start: float, age_days: float, half_life: float) -> float:
    if age_days <= 0.0:
        return start
    return start * 2.0 ** (-age_days / half_life) if half_life > 0.0 else 0.0


def weight(weights: Mapping[str, float], word: str) -> float:
    """The weight of a word; an unknown word has the smallest weight of its kind."""
    known = weights.get(word)
    return known if known is not None else min(weights.values())


def _span(interval: DormantInterval) -> tuple[datetime, datetime] | None:
    begin, end = parse(interval.begin), parse(interval.end)
    return (begin, end) if begin is not None and end is not None and begin < end else None


def _ongoing(
    memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings
) -> tuple[datetime, datetime] | None:
    last = parse(memory.last_activity_at)
    limit = timedelta(days=settings.dormant_after_days)
    if last is None or now - last <= limit:
        return None
    return last + limit, now


def _ended(interval: DormantInterval, now: datetime) -> DormantInterval:
    span = _span(interval)
    if span is None or not span[0] < now < span[1]:
        return interval
    return interval.model_copy(update={"end": iso(now)})


def _quiet_days(
    spans: Iterable[tuple[datetime, datetime]],
) -> tuple[tuple[datetime, ...], tuple[float, ...]]:
    """For each begin, the days that the intervals from it on cover together.

    Goes from the last interval back and keeps the cover as disjoint pieces, so that overlapping
    intervals (wrong clocks, hand edits) never count a day twice.
    """
    begins: list[datetime] = []
    totals: list[float] = []
    cover: list[tuple[datetime, datetime]] = []
    total = 0.0
    for begin, end in sorted(spans, reverse=True):
        while cover and cover[-1][0] <= end:
            piece = cover.pop()
            total -= days_between(*piece)
            end = max(end, piece[1])
        cover.append((begin, end))
        total += days_between(begin, end)
        begins.append(begin)
        totals.append(total)
    return tuple(reversed(begins)), tuple(reversed(totals))
