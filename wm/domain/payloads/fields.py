"""Read values of a foreign JSON object.

A missing required field is the client's error. An optional field of an unknown shape counts as
absent, because clients add and change fields (IF-1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wm.errors import HostError
from wm.text.jsontext import as_object, as_text


def require(payload: Mapping[str, Any], key: str, *, where: str) -> str:
    """Return a non-empty string field. Raises HostError with the names of the hook and the
    field."""
    value = payload.get(key)
    if isinstance(value, str) and value:
        return value
    found = "it is missing" if value is None else f"it is {_kind(value)}"
    raise HostError(f"{where}: the payload needs {key!r} as a text, and {found}.")


def check_object(payload: Any, *, where: str) -> Mapping[str, Any]:
    """Return the payload itself. Raises HostError if it is not a JSON object."""
    if isinstance(payload, Mapping):
        return payload
    raise HostError(f"{where}: the payload must be a JSON object, and it is {_kind(payload)}.")


def text(payload: Mapping[str, Any], key: str) -> str:
    return as_text(payload.get(key))


def mapping(payload: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return as_object(payload.get(key))


def integer(payload: Mapping[str, Any], key: str) -> int | None:
    """Return a whole number, else None; true and false are not numbers."""
    value = payload.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def strings(payload: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return the texts of a list, without its other items."""
    return tuple(item for item in _items(payload, key) if isinstance(item, str))


def objects(payload: Mapping[str, Any], key: str) -> tuple[Mapping[str, Any], ...]:
    """Return the objects of a list, without its other items."""
    return tuple(item for item in _items(payload, key) if isinstance(item, Mapping))


def _items(payload: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = payload.get(key)
    return value if isinstance(value, list | tuple) else ()


def plain(value: Any) -> str:
    """Return the text of a tool's answer: a string, or the text blocks of a list or an object."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(found for item in value if (found := plain(item)))
    if isinstance(value, Mapping):
        own = value.get("text")
        return own if isinstance(own, str) else plain(value.get("content"))
    return ""


LONGEST_WORD = 4_000
MOST_TEXTS = 2_000
"""Most texts of one answer that are read."""


def every_text(value: Any) -> str:
    """Return all texts of a tool's answer, whatever its form: what a model may have read of it."""
    found: list[str] = []
    pending = [value]
    while pending and len(found) < MOST_TEXTS:
        one = pending.pop()
        if isinstance(one, str):
            # An encoded image is one word of a million letters, which a model does not read as
            # text.
            found += [one] if len(one) <= LONGEST_WORD or " " in one[:LONGEST_WORD] else []
        elif isinstance(one, Mapping):
            pending += reversed(tuple(one.values()))
        elif isinstance(one, list | tuple):
            pending += reversed(one)
    return "\n".join(filter(None, found))


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    if isinstance(value, str):
        return "a text" if value else "empty"
    return "null" if value is None else names.get(type(value), "an object")
