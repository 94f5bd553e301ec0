"""Change single values in the text of a session contract; every other byte stays (CT-1).

An added value is formatted like its neighbours. Checks only whether a field may be changed as
requested; `contract.validate` checks the resulting contract. Pure.
"""

from __future__ import annotations

import json
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from wm.domain.facts import Refusal
from wm.domain.times import iso
from wm.formats.session_contract import KEPT, LISTS, REQUIRED, RUNTIME, TEXTS
from wm.text import jsontext
from wm.text.jsontext import Node

NO_GOAL = "Say here in one sentence what this work is to reach."
FIRST_PHASE = "planning"


def scaffold(goal: str, phase: str, *, version: str, now: datetime) -> str:
    """Return the text of a new contract."""
    fields: dict[str, Any] = {
        "goal": goal or NO_GOAL,
        "current_phase": phase or FIRST_PHASE,
        **{name: [] for name in REQUIRED if name in LISTS},
        "last_updated": iso(now),
        "plugin_version": version,
        "legal_reviews": [],
        "compaction_count": 0,
    }
    return json.dumps(fields, ensure_ascii=False, indent=2) + "\n"


def changed(
    text: str, field: str, change: str, values: tuple[str, ...], *, version: str, now: datetime
) -> str | Refusal:
    """Return the text with one field changed, or why not. A change without effect returns the same
    text; every other change updates `last_updated`."""
    refused = _refused_change(field, change, values)
    if refused is not None:
        return refused
    values = tuple(value.strip() for value in values)
    if change == "set":
        wanted: Any = list(values) if field in LISTS else values[0]
        after: str | Refusal = put(text, field, wanted)
    elif change == "append":
        after = _appended(text, field, values)
    else:
        after = _removed(text, field, values)
    if isinstance(after, Refusal) or after == text:
        return after
    return put(put(after, "last_updated", iso(now)), "plugin_version", version)


def put(text: str, field: str, value: Any) -> str:
    """Return the text with a value for a field; a missing field is added last."""
    root = _tree(text)
    node = root.member(field)
    if node is None:
        return jsontext.add_member(text, root, field, value)
    return jsontext.replace(text, node, value)


def _tree(text: str) -> Node:
    """Parse a text, also one with NaN or Infinity: the check of the result reports them."""
    return jsontext.parse(text, numbers=True)


def _refused_change(field: str, change: str, values: tuple[str, ...]) -> Refusal | None:
    known = (*REQUIRED, *RUNTIME, "phases")
    if field not in known:
        settable = [name for name in known if name not in KEPT]
        word = field.rstrip("s")
        close = [name for name in settable if word in (one.rstrip("s") for one in name.split("_"))]
        close = [name for name in close if name != "phases"] or get_close_matches(field, settable)
        fix = f"Did you mean {close[0]}?" if close else f"{', '.join(settable)} can be set."
        return Refusal.of("contract.unknown_field", field=field, fix=fix)
    if field in KEPT:
        return Refusal.of("contract.kept_field", field=field)
    if field == "legal_reviews" and change != "append":
        return Refusal.of("contract.append_only")
    if field in TEXTS and change != "set":
        return Refusal.of("contract.not_a_list", field=field)
    if field in TEXTS and len(values) != 1:
        return Refusal.of("contract.one_text", field=field, count=len(values))
    if not values and change != "set":
        return Refusal.of("contract.no_text", change=change)
    return None


def _items(text: str, field: str) -> Node | Refusal | None:
    """Return the list of a field, None if it is missing."""
    node = _tree(text).member(field)
    if node is None or isinstance(node.value, list):
        return node
    return Refusal.of("contract.no_list", field=field)


def _appended(text: str, field: str, values: tuple[str, ...]) -> str | Refusal:
    for value in values:
        node = _items(text, field)
        if isinstance(node, Refusal):
            return node
        if node is None:
            text = put(text, field, [value])
        elif value not in node.value:
            text = jsontext.add_item(text, node, value)
    return text


def _removed(text: str, field: str, values: tuple[str, ...]) -> str | Refusal:
    node = _items(text, field)
    if isinstance(node, Refusal):
        return node
    items = list(node.value) if node is not None else []
    places: set[int] = set()
    for value in values:
        if value in items:
            places.add(items.index(value))
        elif value.isascii() and value.isdecimal() and 1 <= int(value[:9]) <= len(items):
            places.add(int(value[:9]) - 1)
        else:
            return Refusal.of("contract.no_such_item", field=field, value=value)
    for place in sorted(places, reverse=True):
        node = _tree(text).member(field)
        assert node is not None
        text = jsontext.remove(text, node, place)
    return text
