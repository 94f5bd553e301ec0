"""A recap of a session as a shared entry, and back (SY-3, RF-1). Pure.

The file is that of an entry; its field `text` is the recap as JSON. It is for people: a recap of
somebody else never enters a prompt or a tool's answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from wm.domain.session.recap import MAX_LISTED
from wm.domain.sync.portable import unkeyed
from wm.domain.times import iso, parse
from wm.formats.recaps import KEPT_RECAPS, Recap
from wm.formats.sharing.shared_entry import MOST_CHARS, Value

PREFIX = "r_"
LEAVES = ("agent", "branch", "started_at", "at", "asked", "changed", "checks", "commits", "open")
"""The fields that are shared. Ids of entries, which may be private, and fixes are not."""
LONGEST = 200
"""Characters of a path, a name or a sentence that is taken in."""


def is_recap(entry_id: str) -> bool:
    return entry_id.startswith(PREFIX)


def recap_id(recap: Recap) -> str:
    return PREFIX + recap.session


_MOST_AHEAD = timedelta(days=1)
"""A clock that is hours ahead keeps the order of its recaps; one that is years ahead would hold the
newest places for ever."""


def recap_fields(recap: Recap, redact: Callable[[object], object]) -> dict[str, Value]:
    """The fields of its file; none if it says nothing, or too much. redact: all texts of a value.

    Only the main files are named, and of these only those in the project.
    """
    files = tuple(filter(_is_inside, recap.main_files))
    left = tuple(one for one in recap.open if _is_inside(one.file))
    shown = recap.model_copy(update={"changed": files, "open": left})
    plain = redact(shown.model_dump(mode="json", by_alias=True, include=set(LEAVES)))
    text = unkeyed(json.dumps(plain, ensure_ascii=False))
    is_empty = not (recap.asked or files or recap.checks or recap.commits)
    return {} if is_empty or len(text) > MOST_CHARS else {"type": "recap", "text": text}


def recap_of(
    entry_id: str,
    fields: Mapping[str, Value],
    author: str,
    redact: Callable[[object], object],
    now: datetime,
) -> Recap | None:
    """The recap in the fields of an author's version, redacted and bounded; None if there is none.
    author: its name. A time more than a day ahead is taken back to that, one of no calendar is
    left out."""
    try:
        plain = json.loads(str(fields.get("text", "")))
        found = Recap.model_validate(_bounded(redact(plain)))
    except (ValueError, RecursionError):
        return None
    shared = {name: getattr(found, name) for name in LEAVES}
    shared |= {name: _past(str(shared[name]), now) for name in ("started_at", "at")}
    return Recap(session=entry_id.removeprefix(PREFIX), author=author, **shared)


def _is_inside(path: str) -> bool:
    """Whether a path is of the project."""
    return not path.startswith(("/", "~", ".."))


def _past(moment: str, now: datetime) -> str:
    at = parse(moment)
    return "" if at is None else iso(min(at, now + _MOST_AHEAD))


def _bounded(value: object) -> object:
    """The value with each text as one printable line, cut, and with lists cut."""
    if isinstance(value, str):
        return "".join(c if c.isprintable() else " " for c in value)[:LONGEST]
    if isinstance(value, list):
        return [_bounded(item) for item in value[:MAX_LISTED]]
    if isinstance(value, dict):
        return {str(name)[:LONGEST]: _bounded(item) for name, item in value.items()}
    return value


def merged(known: tuple[Recap, ...], arrived: Mapping[str, Recap | None]) -> tuple[Recap, ...]:
    """The recaps of others with those that arrived, by session; None: it was withdrawn."""
    others = {one.session: one for one in known} | dict(arrived)
    return tuple(sorted(filter(None, others.values()), key=lambda one: one.at)[-KEPT_RECAPS:])
