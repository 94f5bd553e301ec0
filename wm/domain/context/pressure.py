"""How full a session's context is, and when that is worth a word (PS-1, PS-3).

A measure goes in, the session's pressure document comes out. What is said stands in `review`;
who says it, and where, is the business of `ops`. It protects three rules: a level is told once
per rise, a share is a finite number whatever a client reports, and what was measured before
the context was replaced counts no more after it.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from wm.domain.times import iso
from wm.formats.pressure import LEVELS, Heard, LargeItem, Pressure
from wm.settings import PressureSettings

MOST_TOKENS = 1_000_000_000
"""A larger number is no count of tokens."""


class Measure(Struct, frozen=True):
    """`used` of `limit`, in tokens or characters. limit 0: the client does not say."""

    used: int
    limit: int
    basis: str
    source: str = ""
    model: str = ""


def share(used: int, limit: int) -> float:
    """`used` of `limit` in percent, rounded down to a tenth: 94.99 is not yet 95.0. Without a
    limit there is no share, and no level."""
    if used <= 0 or limit <= 0:
        return 0.0
    return used * 1000 // limit / 10


def level_at(percentage: float, settings: PressureSettings) -> str:
    """The level of a share (PS-1)."""
    reached = [level for level in LEVELS[1:] if percentage >= _begin(level, settings)]
    return reached[-1] if reached else LEVELS[0]


def is_higher(level: str, other: str) -> bool:
    """Whether a level lies above another. "" lies below all."""
    return _rank(level) > _rank(other)


def of_tokens(
    before: Pressure | None,
    used: int,
    limit: int,
    settings: PressureSettings,
    *,
    source: str,
    model: str = "",
) -> Measure | None:
    """A client's report as a measure; None for one that says nothing.

    A client that names no window has the one that it named last for the same model, else
    `unknown_limit_tokens`. What repeats the last number from before a compaction came late.
    """
    if not 0 < used <= MOST_TOKENS or (before is not None and before.stale == used):
        return None
    if not 0 < limit <= MOST_TOKENS:
        known = before is not None and before.basis == "tokens" and before.limit > 0
        same = known and before is not None and model in ("", before.model)
        limit = before.limit if same and before is not None else settings.unknown_limit_tokens
    if before is not None and not model:
        model = before.model
    return Measure(used, limit, "tokens", source, model)


def of_characters(heard: Heard, settings: PressureSettings, *, source: str = "hooks") -> Measure:
    """What the hooks heard as a measure: for sessions whose client reports no tokens."""
    return Measure(heard.chars, max(0, settings.limit_chars), "characters", source)


def since_resume(before: Pressure, heard: Heard, settings: PressureSettings) -> Measure:
    """What a client counted once, when it took the session up again, and what was heard since."""
    used = before.began + heard.chars // max(1, settings.chars_per_token)
    return Measure(used, before.limit, "tokens", before.source, before.model)


def observe(
    before: Pressure, measure: Measure, *, now: datetime, settings: PressureSettings
) -> Pressure:
    """The document after a measure; the same object where nothing worth a write changed.

    Below the next whole percent there is none: hot state is not written for less.
    """
    percentage = share(measure.used, measure.limit)
    level = level_at(percentage, settings)
    told = _still_told(before.told, level, percentage, settings)
    after = before.model_copy(
        update={
            "level": level,
            "percentage": percentage,
            "basis": measure.basis,
            "used": measure.used,
            "limit": measure.limit,
            "model": measure.model,
            "source": measure.source,
            "last_checked": iso(now),
            "level_since": before.level_since if level == before.level else iso(now),
            "stale": 0,
            "told": told,
            "waiting": level if level != LEVELS[0] and is_higher(level, told) else "",
        }
    )
    return before if before.last_checked and _says(before) == _says(after) else after


def told(pressure: Pressure, *, now: datetime) -> Pressure:
    """The document after its `waiting` level was told; the same object where none waits."""
    if not pressure.waiting:
        return pressure
    update: dict[str, object] = {"told": pressure.waiting, "waiting": ""}
    if pressure.waiting == LEVELS[-1]:
        update["interventions_sent"] = pressure.interventions_sent + 1
        update["last_intervention_at"] = iso(now)
    else:
        update["warnings_sent"] = pressure.warnings_sent + 1
    return pressure.model_copy(update=update)


def replaced(
    pressure: Pressure, carried: Heard, *, now: datetime, settings: PressureSettings
) -> Pressure:
    """The document after the context was replaced by a summary. Its counts survive; the level
    is measured anew, and a rise from here on is told again (PS-2, PS-3)."""
    fresh = pressure.model_copy(update={"told": "", "waiting": ""})
    after = observe(fresh, of_characters(carried, settings), now=now, settings=settings)
    stale = pressure.used if pressure.basis == "tokens" else pressure.stale
    return after.model_copy(update={"model": pressure.model, "stale": stale})


def hear(heard: Heard, *, chars: int, item: LargeItem | None, settings: PressureSettings) -> Heard:
    """What was heard, and one event more. The largest items stay known, the older one of two
    of a size leaves."""
    total = heard.chars + max(0, chars)
    largest = heard.largest
    if item is not None and item.chars >= settings.least_item_chars:
        ranked = sorted((item, *largest), key=lambda i: -i.chars)
        largest = tuple(ranked[: max(0, settings.kept_items)])
    if total == heard.chars and largest == heard.largest:
        return heard
    return heard.model_copy(update={"chars": total, "largest": largest})


def _still_told(told: str, level: str, percentage: float, settings: PressureSettings) -> str:
    """What this rise was told already. A share that trembles around a border is one rise; one
    that fell clearly below it begins another."""
    if not is_higher(told, level):
        return told
    if percentage > _begin(told, settings) - settings.rearm_percent:
        return told
    return level if level != LEVELS[0] else ""


def _says(pressure: Pressure) -> tuple[object, ...]:
    return (
        pressure.level,
        int(pressure.percentage),
        pressure.basis,
        pressure.limit,
        pressure.model,
        pressure.source,
        pressure.told,
        pressure.waiting,
        bool(pressure.stale),
    )


def _begin(level: str, settings: PressureSettings) -> float:
    return {
        "moderate": settings.moderate_percent,
        "high": settings.high_percent,
        "critical": settings.critical_percent,
    }.get(level, 0.0)


def _rank(level: str) -> int:
    """Unknown words, of another version, lie below all: what they mean is not known."""
    return LEVELS.index(level) if level in LEVELS else -1
