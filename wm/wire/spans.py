"""Positions in a JSON text: the spans of an object's members and of a list's items. Pure (PX-3).

The scanner only knows strings and brackets. It raises `NotIndexable` for anything that is not the
JSON it expects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial

from msgspec import Struct

from wm.text.jsontext import string_end

# Each pattern can match in one way only, so that no input causes backtracking.
_SCALAR = re.compile(rb'[^\s"{}\[\]:,]+')
_SIGN = re.compile(rb'["{}\[\]]')
_SPACE = re.compile(rb"[ \t\r\n]*")
_QUOTE = ord('"')
_OPEN = frozenset(b"{[")

MAX_PARTS = 200_000
"""Limit on members or items of one object or list; no conversation has more."""


class NotIndexable(Exception):
    """Internal control flow: the bytes are not a request that this module can index."""


class ByteSpan(Struct, frozen=True):
    """Bytes `start` to `end` of a body."""

    start: int
    end: int

    def of(self, raw: bytes) -> bytes:
        return raw[self.start : self.end]

    def moved(self, by: int) -> ByteSpan:
        return ByteSpan(self.start + by, self.end + by)


def members(raw: bytes, span: ByteSpan) -> dict[str, ByteSpan] | None:
    """Spans of an object's members; None if it is not an object or repeats a name."""
    try:
        fields, end = object_at(raw, span.start, lambda _name, at: value_end(raw, at))
    except (NotIndexable, RecursionError):
        return None
    return fields if end == span.end else None


def items(raw: bytes, span: ByteSpan) -> list[ByteSpan]:
    """Spans of a list's items; [] if it is not a list."""
    try:
        return list_at(raw, span.start, partial(value_end, raw))[0]
    except (NotIndexable, RecursionError):
        return []


def object_at(
    raw: bytes, at: int, member: Callable[[str, int], int]
) -> tuple[dict[str, ByteSpan], int]:
    """The members of the object at `at`, and its end. `member` gets each name and the position of
    its value, and returns the value's end. A name that is repeated is an error."""
    fields: dict[str, ByteSpan] = {}
    if raw[at : at + 1] != b"{":
        raise NotIndexable
    at = space(raw, at + 1)
    if raw[at : at + 1] == b"}":
        return fields, at + 1
    for _ in range(MAX_PARTS):
        end = _string_end(raw, at)
        colon = space(raw, end)
        if raw[colon : colon + 1] != b":":
            raise NotIndexable
        name, start = string_value(raw[at:end]), space(raw, colon + 1)
        if name in fields:
            raise NotIndexable
        fields[name] = ByteSpan(start, member(name, start))
        at = space(raw, fields[name].end)
        sign = raw[at : at + 1]
        if sign == b"}":
            return fields, at + 1
        if sign != b",":
            raise NotIndexable
        at = space(raw, at + 1)
    raise NotIndexable


def list_at(raw: bytes, at: int, item: Callable[[int], int]) -> tuple[list[ByteSpan], int]:
    """The items of the list at `at`, and its end. `item` gets each item's position and returns its
    end."""
    if raw[at : at + 1] != b"[":
        raise NotIndexable
    at = space(raw, at + 1)
    if raw[at : at + 1] == b"]":
        return [], at + 1
    found = [ByteSpan(at, item(at))]
    return found, rest_of_list(raw, found[0].end, item, found)


def rest_of_list(raw: bytes, end: int, item: Callable[[int], int], found: list[ByteSpan]) -> int:
    """Like `list_at`, starting after an item; appends the others to `found`."""
    for _ in range(MAX_PARTS):
        at = space(raw, end)
        sign = raw[at : at + 1]
        if sign == b"]":
            return at + 1
        if sign != b",":
            raise NotIndexable
        start = space(raw, at + 1)
        end = item(start)
        found.append(ByteSpan(start, end))
    raise NotIndexable


def space(raw: bytes, at: int) -> int:
    found = _SPACE.match(raw, at)
    return found.end() if found else at


def value_end(raw: bytes, at: int) -> int:
    """The end of the value that begins at `at`."""
    sign = raw[at] if at < len(raw) else -1
    if sign == _QUOTE:
        return _string_end(raw, at)
    if sign not in _OPEN:
        scalar = _SCALAR.match(raw, at)
        if scalar is None:
            raise NotIndexable
        return scalar.end()
    depth = 0
    while found := _SIGN.search(raw, at):
        at = found.start()
        sign = raw[at]
        if sign == _QUOTE:
            at = _string_end(raw, at)
            continue
        at += 1
        if sign in _OPEN:
            depth += 1
        else:
            depth -= 1
            if not depth:
                return at
    raise NotIndexable


def _string_end(raw: bytes, at: int) -> int:
    """The end of the string that begins at `at`."""
    end = string_end(raw, at) if raw[at : at + 1] == b'"' else 0
    if not end:
        raise NotIndexable
    return end


def string_value(raw: bytes) -> str:
    """The string that this JSON is. Raises NotIndexable."""
    try:
        found = json.loads(raw)
    except ValueError:
        raise NotIndexable from None
    if not isinstance(found, str):
        raise NotIndexable
    return found
