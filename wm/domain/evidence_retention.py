"""Decide which evidence records may be deleted (GV-3). Pure; deletes nothing itself.

A record may go when it is older than the limit, or beyond the newest N. A record never goes while
it explains an entry that exists: what admitted or superseded it, or what a person did to it. An
entry exists while it is in the memory, in the trash, in the journal, or under a tombstone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from wm.domain.times import iso, parse
from wm.text.tables import Tables

_TABLES = Tables("wm.domain")

ADMITTING = frozenset(_TABLES.words("admitting"))
"""Types of records that explain how an entry came into the memory, or what replaced it."""

NAMING = _TABLES.words("naming")
"""Detail fields with ids of entries other than the record's own."""

ACTING = ("user", "agent")
"""Phases of acts by a person or an agent."""

_SHOWN = "included"
"""That an entry was shown does not explain its existence, and keeping such records would keep one
per prompt."""


class EvidenceLimits(Struct, frozen=True):
    """Records older than `max_age_days` or beyond the newest `max_events` may go."""

    max_age_days: float
    max_events: int


def purgeable(
    records: Iterable[Mapping[str, Any]],
    *,
    existing: Collection[str],
    admissions: Collection[str],
    limits: EvidenceLimits,
    now: datetime,
) -> frozenset[int]:
    """The positions of the records (plain JSON objects, oldest first) that may go.

    existing: ids of entries that exist. admissions: ids of records that entries name as theirs. A
    record without a time does not count as old. Keeps no record in memory: a log may be large.
    """
    oldest = iso(now - timedelta(days=limits.max_age_days))
    count = 0
    free, old = [], []
    for at, record in enumerate(records):
        count += 1
        if str(record.get("eventId")) in admissions or answers(record, existing):
            continue
        free.append(at)
        if _is_before(record.get("createdAt"), oldest):
            old.append(at)
    first_kept = count - limits.max_events
    return frozenset((*old, *(at for at in free if at < first_kept)))


def answers(record: Mapping[str, Any], existing: Collection[str]) -> bool:
    """Whether the record explains an entry that exists."""
    if record.get("phase") not in ACTING and str(record.get("type")) not in ADMITTING:
        return False
    return any(entry in existing for entry in _named(record))


def _named(record: Mapping[str, Any]) -> Iterable[str]:
    yield str(record.get("entry") or "")
    details = record.get("details")
    if not isinstance(details, Mapping):
        return
    for name in NAMING:
        value = details.get(name)
        if isinstance(value, str):
            yield value
        elif isinstance(value, (list, tuple)) and name != _SHOWN:
            yield from map(str, value)


def _is_before(at: object, oldest: str) -> bool:
    """Our own times compare as text; others are parsed."""
    if not isinstance(at, str):
        return False
    if len(at) == len(oldest) and at.endswith("Z"):
        return at < oldest
    moment = parse(at)
    return moment is not None and iso(moment) < oldest
