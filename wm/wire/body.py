"""Index of a Messages request as spans of its own bytes. Pure (PX-3).

Nothing is parsed and serialized again: the index holds positions, and `splice` leaves all other
bytes unchanged. A malformed body is no error: it has no index and is forwarded as it is. The
scanner only knows strings and brackets; the values between them are parsed on demand, one block
at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wm.formats.jsontext import string_end

# Each pattern can match in one way only, so that no input causes backtracking.
_SCALAR = re.compile(rb'[^\s"{}\[\]:,]+')
_SIGN = re.compile(rb'["{}\[\]]')
_SPACE = re.compile(rb"[ \t\r\n]*")
_QUOTE = ord('"')
_OPEN = frozenset(b"{[")

MAX_PARTS = 200_000
"""Limit on members or items of one object or list; no conversation has more."""


class _NotIndexable(Exception):
    """Internal control flow: the bytes are not a request that this module can index."""


class ByteSpan(Struct, frozen=True):
    """Bytes `start` to `end` of a body."""

    start: int
    end: int

    def of(self, raw: bytes) -> bytes:
        return raw[self.start : self.end]


class Block(Struct, frozen=True, dict=True):
    """A content block. `text`: the whole content is one string, not a list of blocks."""

    span: ByteSpan
    raw: bytes
    text: bool = False

    @cached_property
    def value(self) -> dict[str, Any]:
        """The block as an object; {} if it is not one."""
        try:
            found = json.loads(self.raw)
        except (ValueError, RecursionError):
            return {}
        if self.text:
            return {"type": "text", "text": found} if isinstance(found, str) else {}
        return found if isinstance(found, dict) else {}

    @property
    def type(self) -> str:
        found = self.value.get("type")
        return found if isinstance(found, str) else ""

    @cached_property
    def _members(self) -> dict[str, ByteSpan]:
        return members(self.raw, ByteSpan(0, len(self.raw))) or {}

    def member(self, name: str) -> ByteSpan | None:
        """The span of a member's value in the body; None if it is missing, or any name is
        repeated."""
        found = self._members.get(name)
        if found is None:
            return None
        return ByteSpan(self.span.start + found.start, self.span.start + found.end)

    def without(self, name: str) -> ByteSpan | None:
        """The span of a whole member with one of the commas beside it; None as for `member`."""
        value = self.member(name)
        if value is None:
            return None
        before = [s.end for s in self._members.values() if self.span.start + s.end < value.start]
        if before:
            return ByteSpan(self.span.start + max(before), value.end)
        rest = self.raw[value.end - self.span.start :].lstrip()
        comma = len(self.raw) - len(rest) if rest.startswith(b",") else -1
        end = self.span.start + comma + 1 if comma >= 0 else value.end
        return ByteSpan(self.span.start + self.raw.index(b"{") + 1, end)

    def forget(self) -> None:
        """Drop the parsed value; it is parsed again on demand."""
        self.__dict__.pop("value", None)


class Message(Struct, frozen=True):
    """One message. role: as written, or ""."""

    span: ByteSpan
    role: str
    blocks: tuple[Block, ...]


class Body(Struct, frozen=True):
    """An indexed request. fields: the members of the outermost object, in order.

    reused: how many messages at the beginning were taken from the previous body.
    """

    raw: bytes
    fields: dict[str, ByteSpan]
    system: tuple[Block, ...]
    tools: tuple[Block, ...]
    messages: tuple[Message, ...]
    reused: int = 0

    def value(self, name: str) -> Any:
        """A small member as a value; None if it is missing or unreadable."""
        span = self.fields.get(name)
        if span is None:
            return None
        try:
            return json.loads(span.of(self.raw))
        except (ValueError, RecursionError):
            return None


def index(raw: bytes, before: Body | None = None) -> Body | None:
    """The index of a request; None if the bytes are not a request.

    before: an earlier body of the same conversation. Messages with the same bytes at the same
    position are taken from it, so that a long history is not parsed again every turn.
    """
    try:
        return _index(raw, before)
    except (_NotIndexable, RecursionError):
        return None


def unread(body: Body) -> Body:
    """The same body without parsed blocks, to be kept as `before` of a later `index`."""
    for message in body.messages:
        for block in message.blocks:
            block.forget()
    return replace(body, system=(), tools=())


def splice(raw: bytes, replacements: Sequence[tuple[ByteSpan, bytes]]) -> bytes:
    """The body with these spans replaced, all other bytes unchanged.

    Raises ValueError for spans that overlap or are out of range.
    """
    ordered = sorted(replacements, key=lambda item: (item[0].start, item[0].end))
    if any(a.end > b.start for (a, _), (b, _) in pairwise(ordered)):
        raise ValueError("spans overlap")
    if ordered and not 0 <= ordered[0][0].start <= ordered[-1][0].end <= len(raw):
        raise ValueError("a span lies outside of the body")
    parts: list[bytes | memoryview] = []
    view, at = memoryview(raw), 0
    for span, new in ordered:
        parts += (view[at : span.start], new)
        at = span.end
    parts.append(view[at:])
    return b"".join(parts)


def members(raw: bytes, span: ByteSpan) -> dict[str, ByteSpan] | None:
    """Spans of an object's members; None if it is no object or repeats a name."""
    try:
        fields, end = _object(raw, span.start, lambda _name, at: _end(raw, at))
    except (_NotIndexable, RecursionError):
        return None
    return fields if end == span.end else None


def items(raw: bytes, span: ByteSpan) -> list[ByteSpan]:
    """Spans of a list's items; [] if it is no list."""
    try:
        return _list(raw, span.start, partial(_end, raw))[0]
    except (_NotIndexable, RecursionError):
        return []


def _index(raw: bytes, before: Body | None) -> Body:
    parts: dict[str, tuple[Block, ...]] = {}
    messages: list[Message] = []
    reused = 0

    def member(name: str, at: int) -> int:
        nonlocal reused
        if name == "messages":
            messages.extend(_known(raw, before, at))
            reused = len(messages)
            return _messages(raw, at, messages)
        if name in ("system", "tools"):
            parts[name], end = _blocks(raw, at)
            return end
        return _end(raw, at)

    fields, _ = _object(raw, _space(raw, 0), member)
    system, tools = parts.get("system", ()), parts.get("tools", ())
    return Body(raw, fields, system, tools, tuple(messages), reused)


def _known(raw: bytes, before: Body | None, at: int) -> tuple[Message, ...]:
    """The messages of the previous body that are unchanged in this one, whose list begins at `at`.
    Usually all are unchanged, or all but the last, whose cache mark moved. So the search starts at
    the end and goes back in growing steps, then forward by bisection."""
    if before is None or before.fields.get("messages", ByteSpan(-1, -1)).start != at:
        return ()
    messages = before.messages

    def is_unchanged(count: int) -> bool:
        # One byte more than the message, so that the next bytes cannot continue its value.
        return not count or raw.startswith(before.raw[: messages[count - 1].span.end + 1])

    bad, good, step = len(messages) + 1, len(messages), 1
    while not is_unchanged(good):
        bad, good, step = good, max(0, good - step), step * 2
    while bad - good > 1:
        middle = (bad + good) // 2
        if is_unchanged(middle):
            good = middle
        else:
            bad = middle
    return messages[:good]


def _messages(raw: bytes, at: int, found: list[Message]) -> int:
    """Index the list that begins at `at`, after the known messages. Returns its end."""

    def item(start: int) -> int:
        found.append(_message(raw, start))
        return found[-1].span.end

    if found:
        return _rest_of_list(raw, found[-1].span.end, item, [])
    return _list(raw, at, item)[1]


def _message(raw: bytes, at: int) -> Message:
    blocks: tuple[Block, ...] = ()

    def member(name: str, start: int) -> int:
        nonlocal blocks
        if name != "content":
            return _end(raw, start)
        blocks, end = _blocks(raw, start)
        return end

    fields, end = _object(raw, at, member)
    role = _string(fields["role"].of(raw)) if "role" in fields else ""
    return Message(ByteSpan(at, end), role, blocks)


def _blocks(raw: bytes, at: int) -> tuple[tuple[Block, ...], int]:
    """The items of a list, or a string as the only text block; and the end of the value."""
    if raw[at : at + 1] != b"[":
        span = ByteSpan(at, _end(raw, at))
        is_text = raw[at] == _QUOTE
        return ((Block(span, span.of(raw), text=True),) if is_text else ()), span.end
    spans, end = _list(raw, at, partial(_end, raw))
    return tuple(Block(span, span.of(raw)) for span in spans), end


def _object(
    raw: bytes, at: int, member: Callable[[str, int], int]
) -> tuple[dict[str, ByteSpan], int]:
    """The members of the object at `at`, and its end. `member` gets each name and the position of
    its value, and returns the value's end. A name that is repeated is an error."""
    fields: dict[str, ByteSpan] = {}
    if raw[at : at + 1] != b"{":
        raise _NotIndexable
    at = _space(raw, at + 1)
    if raw[at : at + 1] == b"}":
        return fields, at + 1
    for _ in range(MAX_PARTS):
        end = _string_end(raw, at)
        colon = _space(raw, end)
        if raw[colon : colon + 1] != b":":
            raise _NotIndexable
        name, start = _string(raw[at:end]), _space(raw, colon + 1)
        if name in fields:
            raise _NotIndexable
        fields[name] = ByteSpan(start, member(name, start))
        at = _space(raw, fields[name].end)
        sign = raw[at : at + 1]
        if sign == b"}":
            return fields, at + 1
        if sign != b",":
            raise _NotIndexable
        at = _space(raw, at + 1)
    raise _NotIndexable


def _list(raw: bytes, at: int, item: Callable[[int], int]) -> tuple[list[ByteSpan], int]:
    """The items of the list at `at`, and its end. `item` gets each item's position and returns its
    end."""
    if raw[at : at + 1] != b"[":
        raise _NotIndexable
    at = _space(raw, at + 1)
    if raw[at : at + 1] == b"]":
        return [], at + 1
    found = [ByteSpan(at, item(at))]
    return found, _rest_of_list(raw, found[0].end, item, found)


def _rest_of_list(raw: bytes, end: int, item: Callable[[int], int], found: list[ByteSpan]) -> int:
    """Like `_list`, starting after an item; appends the others to `found`."""
    for _ in range(MAX_PARTS):
        at = _space(raw, end)
        sign = raw[at : at + 1]
        if sign == b"]":
            return at + 1
        if sign != b",":
            raise _NotIndexable
        start = _space(raw, at + 1)
        end = item(start)
        found.append(ByteSpan(start, end))
    raise _NotIndexable


def _space(raw: bytes, at: int) -> int:
    found = _SPACE.match(raw, at)
    return found.end() if found else at


def _end(raw: bytes, at: int) -> int:
    """The end of the value that begins at `at`."""
    sign = raw[at] if at < len(raw) else -1
    if sign == _QUOTE:
        return _string_end(raw, at)
    if sign not in _OPEN:
        scalar = _SCALAR.match(raw, at)
        if scalar is None:
            raise _NotIndexable
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
    raise _NotIndexable


def _string_end(raw: bytes, at: int) -> int:
    """The end of the string that begins at `at`."""
    end = string_end(raw, at) if raw[at : at + 1] == b'"' else 0
    if not end:
        raise _NotIndexable
    return end


def _string(raw: bytes) -> str:
    try:
        found = json.loads(raw)
    except ValueError:
        raise _NotIndexable from None
    if not isinstance(found, str):
        raise _NotIndexable
    return found
