"""A hybrid logical clock as text: `2026-11-21T19:00:00.000Z-0000-1a2b3c4d` (SY-2).

Moment, counter and node, each of fixed width, so that the order of the texts is the order of the
changes. A new clock is later than the wall clock and than every clock that it must follow: a
machine whose wall clock is wrong still edits, and never twice at one clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from wm.domain.times import iso, parse

MOST_COUNTED = 0xFFFF


def tick(seen: Iterable[str], *, now: datetime, node: str) -> str:
    """The clock of a change at `now` on `node` that follows the clocks `seen`."""
    moment = iso(now)
    last, counter, _node = _parts(max(seen, default=""))
    if moment > last:
        return f"{moment}-0000-{node}"
    if counter < MOST_COUNTED:
        return f"{last}-{counter + 1:04x}-{node}"
    return f"{_next(last)}-0000-{node}"


def moment_of(clock: str, *, now: datetime) -> str:
    """When the change was made. A clock from the future, or from no calendar, means now."""
    moment = parse(_parts(clock)[0])
    return iso(now) if moment is None else iso(min(moment, now))


def is_of_node(clock: str, node: str) -> bool:
    """Whether the change was made in this data folder."""
    return clock.endswith(f"-{node}")


def _parts(clock: str) -> tuple[str, int, str]:
    if not clock:
        return "", -1, ""
    moment, counter, node = clock.rsplit("-", 2)
    return moment, int(counter, 16), node


def _next(moment: str) -> str:
    """A millisecond later; the moment itself where the calendar ends."""
    found = parse(moment)
    try:
        return moment if found is None else iso(found + timedelta(milliseconds=1))
    except OverflowError:
        return moment
