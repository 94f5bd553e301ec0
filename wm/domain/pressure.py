"""Context pressure: how full a session's context is, and when to announce it (PS-1, PS-3).

Takes a measurement and returns the session's pressure document. `pressure_review` has the wording;
`ops` decides which interface shows it. Rules: a level is announced once per rise; a share is a
finite number whatever a client reports; a measurement from before a compaction does not count
after it.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from wm.domain.times import iso
from wm.formats.pressure import LEVELS, LargeItem, Pressure, SeenContext
from wm.settings import PressureSettings

MOST_TOKENS = 1_000_000_000
"""A larger number is not a token count."""


class ContextFill(Struct, frozen=True):
    """`used` of `limit`, in tokens or characters. limit 0: unknown."""

    used: int
    limit: int
    basis: str
    source: str = ""
    model: str = ""


def share(used: int, limit: int) -> float:
    """`used` of `limit` in percent, rounded down to a tenth: 94.99 is below 95.0. 0 without a
    limit."""
    if used <= 0 or limit <= 0:
        return 0.0
    return used * 1000 // limit / 10


def level_at(percentage: float, settings: PressureSettings) -> str:
    """The level for a share (PS-1)."""
    reached = [level for level in LEVELS[1:] if percentage >= _begin(level, settings)]
    return reached[-1] if reached else LEVELS[0]


def is_higher(level: str, other: str) -> bool:
    """Is a level above another one? "" is below all."""
    return _rank(level) > _rank(other)


def of_tokens(
    before: Pressure | None,
    used: int,
    limit: int,
    settings: PressureSettings,
    *,
    source: str,
    model: str = "",
    window: int = 0,
) -> ContextFill | None:
    """A client's token report as a measurement; None if it says nothing new.

    A client that names no window gets the one it last named for the same model, else `window`, that
    of the model, else `unknown_limit_tokens`. A repeat of the last number from before a compaction
    arrived late and is ignored.
    """
    if not 0 < used <= MOST_TOKENS or (before is not None and before.stale == used):
        return None
    if not 0 < limit <= MOST_TOKENS:
        known = before is not None and before.basis == "tokens" and before.limit > 0
        same = known and before is not None and model in ("", before.model)
        usual = window or settings.unknown_limit_tokens
        limit = before.limit if same and before is not None else usual
    if before is not None and not model:
        model = before.model
    return ContextFill(used, limit, "tokens", source, model)


def of_characters(seen: SeenContext, settings: PressureSettings) -> ContextFill:
    """A measurement from the text that the hooks saw, for clients that report no tokens."""
    return ContextFill(seen.chars, max(0, settings.limit_chars), "characters", "hooks")


def since_resume(before: Pressure, seen: SeenContext, settings: PressureSettings) -> ContextFill:
    """A measurement from the client's count at resume plus the text seen since."""
    used = before.began + seen.chars // max(1, settings.chars_per_token)
    return ContextFill(used, before.limit, "tokens", before.source, before.model)


def observe(
    before: Pressure, measure: ContextFill, *, now: datetime, settings: PressureSettings
) -> Pressure:
    """The document after a measurement; the same object if nothing worth writing changed.

    Changes below one whole percent are not written.
    """
    percentage = share(measure.used, measure.limit)
    level = level_at(percentage, settings)
    reported = _still_reported(before.reported, level, percentage, settings)
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
            "reported": reported,
            "waiting": level if level != LEVELS[0] and is_higher(level, reported) else "",
        }
    )
    return before if before.last_checked and _says(before) == _says(after) else after


def announced(pressure: Pressure, *, now: datetime) -> Pressure:
    """The document after its `waiting` level was announced; the same object if none was waiting."""
    if not pressure.waiting:
        return pressure
    update: dict[str, object] = {"reported": pressure.waiting, "waiting": ""}
    if pressure.waiting == LEVELS[-1]:
        update["interventions_sent"] = pressure.interventions_sent + 1
        update["last_intervention_at"] = iso(now)
    else:
        update["warnings_sent"] = pressure.warnings_sent + 1
    return pressure.model_copy(update=update)


def replaced(
    pressure: Pressure, carried: SeenContext, *, now: datetime, settings: PressureSettings
) -> Pressure:
    """The document after a summary replaced the context. Counts survive; the level is measured
    anew, and the next rise is announced again (PS-2, PS-3)."""
    fresh = pressure.model_copy(update={"reported": "", "waiting": ""})
    after = observe(fresh, of_characters(carried, settings), now=now, settings=settings)
    stale = pressure.used if pressure.basis == "tokens" else pressure.stale
    return after.model_copy(update={"model": pressure.model, "stale": stale})


def count_event(
    seen: SeenContext, *, chars: int, item: LargeItem | None, settings: PressureSettings
) -> SeenContext:
    """Add one event to what the hooks saw. The largest items are kept; of two equal ones the older
    leaves."""
    total = seen.chars + max(0, chars)
    largest = seen.largest
    if item is not None and item.chars >= settings.least_item_chars:
        ranked = sorted((item, *largest), key=lambda i: -i.chars)
        largest = tuple(ranked[: max(0, settings.kept_items)])
    if total == seen.chars and largest == seen.largest:
        return seen
    return seen.model_copy(update={"chars": total, "largest": largest})


def _still_reported(
    reported: str, level: str, percentage: float, settings: PressureSettings
) -> str:
    """The level already announced for this rise. A share that oscillates around a border is one
    rise; after a clear fall below it, another rise begins."""
    if not is_higher(reported, level):
        return reported
    if percentage > _begin(reported, settings) - settings.rearm_percent:
        return reported
    return level if level != LEVELS[0] else ""


def _says(pressure: Pressure) -> tuple[object, ...]:
    return (
        pressure.level,
        int(pressure.percentage),
        pressure.basis,
        pressure.limit,
        pressure.model,
        pressure.source,
        pressure.reported,
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
    """Rank of a level. Unknown words, written by another version, rank below all."""
    return LEVELS.index(level) if level in LEVELS else -1
