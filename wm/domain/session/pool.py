"""The pool: key files and notes of a session, ranked by recency and frequency (CB-3).

    score = rate^age + the sum over its mentions of rate^(events since that mention)

The age counts from the first appearance; each later one is a mention, at most one per event.
Both decay at the same rate, so that an item without new mentions loses its rank. The sum is
stored as its value at the last mention, from which its value at any later event follows.

It protects one rule: an item of the current event has a place, whatever the others' scores are.
Pure; the session counts the events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wm.formats.working_memory import PoolItem
from wm.settings import WorkingSettings
from wm.text.letters import canonical

Pool = tuple[PoolItem, ...]


def score(item: PoolItem, event: int, settings: WorkingSettings) -> float:
    """Return an item's score at an event. For an item from a later event: its score at its own
    event."""
    fresh = _faded(1.0, event - item.event, settings)
    return fresh + _faded(item.weight, event - item.seen, settings)


def add(pool: Pool, items: Iterable[PoolItem], settings: WorkingSettings) -> Pool:
    """Return the pool after an event with these items, new or repeated.

    Items below the floor are removed; beyond `pool_items` the lowest, of equals the older.
    """
    known = {key(item): item for item in pool}
    met: list[str] = []
    for item in items:
        name = key(item)
        known[name] = _add_mention(known[name], item, settings) if name in known else item
        met.append(name)
    event = max((known[name].seen or known[name].event for name in met), default=0)
    return _select(known, frozenset(met), event, settings) if met else pool


def best(pool: Pool, event: int, settings: WorkingSettings) -> Pool:
    """Return the items at or above the floor, the highest score first, of equals the newer."""
    alive = [item for item in pool if score(item, event, settings) >= settings.pool_floor]
    return tuple(sorted(alive, key=_rank(event, settings), reverse=True))


def without(pool: Pool, text: str) -> Pool:
    """Return the pool without the items of this text."""
    same = canonical(text)
    return tuple(item for item in pool if canonical(item.text) != same)


def key(item: PoolItem) -> str:
    """Return the identity of an item: the exact path, or a note's canonical text."""
    return f"path {item.text}" if item.kind == "path" else f"note {canonical(item.text)}"


def _add_mention(old: PoolItem, new: PoolItem, settings: WorkingSettings) -> PoolItem:
    """Add one mention, at most one per event: three matches of one search are one event."""
    if new.event <= max(old.event, old.seen):
        return old
    weight = 1.0 + _faded(old.weight, new.event - old.seen, settings)
    return old.model_copy(
        update={"mentions": old.mentions + 1, "weight": weight, "seen": new.event, "at": new.at}
    )


def _select(
    known: dict[str, PoolItem], met: frozenset[str], event: int, settings: WorkingSettings
) -> Pool:
    rank = _rank(event, settings)
    ranked = sorted(known.items(), key=lambda pair: (pair[0] in met, rank(pair[1])), reverse=True)
    stay = {
        name
        for name, item in ranked[: settings.pool_items]
        if name in met or score(item, event, settings) >= settings.pool_floor
    }
    return tuple(item for name, item in known.items() if name in stay)


def _rank(event: int, settings: WorkingSettings) -> Callable[[PoolItem], tuple[float, int]]:
    return lambda item: (score(item, event, settings), item.event)


def _faded(value: float, events: int, settings: WorkingSettings) -> float:
    return value * float(settings.pool_rate ** max(0, events))
