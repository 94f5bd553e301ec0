"""How strongly an entry stands, and how it ages (WM-2, WM-3).

Strength = type x source x importance x 2^(-effective age / half-life). Days in which nobody
worked here count at a quarter, so a pause costs an entry little; what recurs after a week
grows a longer half-life. Nothing is deleted here or because of a number from here: weak
entries are shown later, not forgotten.

The dormancy that is still going on is read from `last_activity_at` BEFORE a visit is
recorded; the visit then writes it down as an interval, so that the strength before and
after it is the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from wm.domain.facts import Detail
from wm.domain.times import days_between, iso, parse
from wm.formats.evidence import Outcome
from wm.formats.workspace_memory import DormantInterval, MemoryEntry, WorkspaceMemory
from wm.settings import MemorySettings

DAY_S = 86400.0

VISIT_WRITTEN_AFTER = timedelta(days=1)
"""Within a session that goes on, activity is written this often: far below the dormancy limit,
and no flush per message."""


class Reinforcement(Struct, frozen=True):
    """What a recurrence did. outcome: reinforced | unchanged (words of the evidence log)."""

    entry: MemoryEntry
    outcome: Outcome
    reason_codes: tuple[str, ...]
    details: Mapping[str, Detail]


class Ageing(Struct, frozen=True):
    """The calendar of one workspace at one moment; made once, asked for every entry.

    begins, quiet_days: for the dormant intervals that begin at `begins[i]` or later, how many
    days they cover together until now. An entry profits from the intervals that began after it
    did, and from no others.
    """

    now: datetime
    settings: MemorySettings
    begins: tuple[datetime, ...]
    quiet_days: tuple[float, ...]

    def days(self, entry: MemoryEntry) -> float:
        """Effective age in days; 0 for a date in the future or one that is none."""
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

    def strengths(self, entries: Sequence[MemoryEntry]) -> list[float]:
        """`strength` of each entry, in order. Written out for thousands: a prompt waits for it."""
        most = self.settings.max_reinforcements
        half_lives = [_half_life(count, self.settings) for count in range(most + 1)]
        starts: dict[tuple[str, str, str], float] = {}
        found = []
        for entry in entries:
            kind = (entry.type, entry.source, entry.user_importance)
            start = starts.get(kind)
            if start is None:
                start = starts[kind] = initial_strength(entry, self.settings)
            if entry.suspect:
                start *= suspect_rate(entry, self.settings)
            begin = parse(entry.retention_clock or clock_of(entry))
            age = (self.now - begin).total_seconds() / DAY_S if begin is not None else 0.0
            if age > 0.0:
                if begin is not None and self.begins:
                    age -= (1.0 - self.settings.dormant_rate) * self._quiet_since(begin)
                count = entry.reinforcement_count
                half_life = half_lives[count if 0 < count < most else most if count > 0 else 0]
                start = _decayed(start, age, half_life)
            found.append(start)
        return found

    def _quiet_since(self, begin: datetime) -> float:
        at = bisect_left(self.begins, begin)
        return self.quiet_days[at] if at < len(self.begins) else 0.0


def clock_of(entry: MemoryEntry) -> str:
    """The time that the entry's age counts from."""
    return entry.retention_clock or entry.updated_at or entry.created_at


def ageing(memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings) -> Ageing:
    """The calendar of `memory` at `now`: recorded pauses and the one that is still going on."""
    spans = [s for s in map(_span, memory.dormant_intervals) if s is not None]
    ongoing = _ongoing(memory, now=now, settings=settings)
    if ongoing is not None:
        spans.append(ongoing)
    begins, quiet = _quiet_days((b, min(e, now)) for b, e in spans if b < now)
    return Ageing(now=now, settings=settings, begins=begins, quiet_days=quiet)


def effective_age_days(
    entry: MemoryEntry, memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings
) -> float:
    """Days since the entry's clock, dormant ones counted at `dormant_rate`."""
    return ageing(memory, now=now, settings=settings).days(entry)


def strength(
    entry: MemoryEntry, memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings
) -> float:
    """Retention strength of one entry. For many entries make `ageing` once and ask it."""
    return ageing(memory, now=now, settings=settings).strength(entry)


def initial_strength(entry: MemoryEntry, settings: MemorySettings) -> float:
    """Type x source x importance. A word that we do not know weighs as the least of its kind."""
    return (
        weight(settings.type_weights, entry.type)
        * weight(settings.source_weights, entry.source)
        * settings.importance_weights.get(entry.user_importance, 1.0)
    )


def suspect_rate(entry: MemoryEntry, settings: MemorySettings) -> float:
    """What is left of the strength of an entry whose code changed or is gone (WM-9)."""
    return settings.suspect_rate if entry.suspect else 1.0


def half_life_days(entry: MemoryEntry, settings: MemorySettings) -> float:
    """Half-life after the entry's reinforcements; a count below 0 (edited by hand) is 0."""
    return _half_life(min(max(entry.reinforcement_count, 0), settings.max_reinforcements), settings)


def visit(memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings) -> WorkspaceMemory:
    """Record that somebody is at work here now; a pause that this ends becomes an interval.

    A visit inside a recorded interval ends it there: that interval came from a clock that ran
    ahead. A visit before the recorded activity changes nothing else: a clock that runs behind
    for one boot must neither erase nor invent a pause.
    """
    intervals = tuple(_ended(i, now) for i in memory.dormant_intervals)
    ongoing = _ongoing(memory, now=now, settings=settings)
    if ongoing is not None:
        intervals += (DormantInterval(begin=iso(ongoing[0]), end=iso(ongoing[1])),)
    last = parse(memory.last_activity_at)
    at = memory.last_activity_at if last is not None and last > now else iso(now)
    return memory.model_copy(update={"dormant_intervals": intervals, "last_activity_at": at})


def visit_is_due(memory: WorkspaceMemory, *, now: datetime) -> bool:
    """Whether activity is to be written although no session starts; not where nothing ages."""
    last = parse(memory.last_activity_at)
    if not memory.entries:
        return False
    return last is None or now - last >= VISIT_WRITTEN_AFTER


def reinforce(
    entry: MemoryEntry, *, session: str, now: datetime, settings: MemorySettings
) -> Reinforcement:
    """The fact of `entry` recurred. Counts once in a rolling window, from its creation on.

    The same session is noted in the details and is no reason to refuse.
    """
    window = timedelta(hours=settings.reinforcement_window_hours)
    stamp = parse(entry.last_reinforced_at)
    since = stamp or parse(entry.created_at)
    elapsed = now - since if since is not None else None
    details: dict[str, Detail] = {
        "elapsedMs": _milliseconds(elapsed) if elapsed is not None else None,
        "requiredElapsedMs": _milliseconds(window),
        "sameSession": bool(session) and session == entry.last_reinforced_session,
        "legacyMissingTimestamp": stamp is None and entry.reinforcement_count > 0,
    }
    # A stamp further ahead than the window comes from a wrong clock and is not believed.
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


def _half_life(count: int, settings: MemorySettings) -> float:
    growth = settings.half_life_growth or 1.0
    return float(settings.half_life_days / growth**count)


def _decayed(start: float, age_days: float, half_life: float) -> float:
    if age_days <= 0.0:
        return start
    return start * 2.0 ** (-age_days / half_life) if half_life > 0.0 else 0.0


def weight(weights: Mapping[str, float], word: str) -> float:
    """The weight of a word; one that we do not know weighs as the least of its kind."""
    known = weights.get(word)
    return known if known is not None else min(weights.values())


def _milliseconds(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)


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

    From the last interval back, keeping the cover of what was seen as disjoint pieces, so that
    intervals that overlap (clocks, hands) never count a day twice.
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
