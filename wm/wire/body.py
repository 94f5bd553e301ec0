"""Index of a Messages request as spans of its own bytes. Pure (PX-3).

Nothing is parsed and serialized again: the index holds positions, and `splice` leaves all other
bytes unchanged. A malformed body is not an error: it has no index and is forwarded as it is. What
is known of the blocks of an earlier body is kept for equal ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from msgspec import Struct

from wm.wire.block import MARK, Block, ttl_of
from wm.wire.spans import (
    ByteSpan,
    NotIndexable,
    list_at,
    object_at,
    rest_of_list,
    space,
    string_value,
    value_end,
)

Replacement = tuple[ByteSpan, bytes]
_Blocks = Mapping[bytes, Block]
"""Known blocks by their bytes."""
_COMPARED_BYTES = 32 * 1024
"""Bytes that are compared at a time: a slice is a copy, and one of this size stays in the cache of
the processor."""


class Message(Struct, frozen=True):
    """One message. role: as written, or ""."""

    span: ByteSpan
    role: str
    blocks: tuple[Block, ...]

    def moved(self, by: int) -> Message:
        """The same message, so many bytes further on."""
        if not by:
            return self
        return Message(self.span.moved(by), self.role, tuple(b.moved(by) for b in self.blocks))


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

    @property
    def ttl(self) -> str:
        """Lifetime of the request's own cache mark, which applies to its last block; "" without
        one."""
        return ttl_of({MARK: self.value(MARK)})


class Indexed(Struct, frozen=True):
    """A body, and the earlier one that it was indexed with."""

    body: Body | None
    before: Body | None


def index(raw: bytes, before: Body | None = None, source: Body | None = None) -> Body | None:
    """The index of a request; None if the bytes are not a request.

    before: an earlier body of the same conversation. Messages with the same bytes at the beginning
    are taken from it, so that a long history is not parsed again every turn. source: the request
    that this one was made from; its known blocks are kept for those with equal bytes.
    """
    try:
        return _index(raw, before, source)
    except (NotIndexable, RecursionError):
        return None


def unread(body: Body, newest: int = 0) -> Body:
    """The same body without the parsed values of its newest messages, to be kept as `before` of a
    later `index`. newest: the number of these messages; 0: all."""
    for message in body.messages[-newest:]:
        for block in message.blocks:
            block.forget()
    return body


def splice(raw: bytes, replacements: Sequence[Replacement]) -> bytes:
    """The body with these spans replaced, all other bytes unchanged; the same object without any.

    Raises ValueError for spans that overlap or are out of range.
    """
    if not replacements:
        return raw
    ordered = sorted(replacements, key=lambda item: (item[0].start, item[0].end))
    if any(a.end > b.start for (a, _), (b, _) in pairwise(ordered)):
        raise ValueError("spans overlap")
    if not 0 <= ordered[0][0].start <= ordered[-1][0].end <= len(raw):
        raise ValueError("a span lies outside of the body")
    parts: list[bytes | memoryview] = []
    view, at = memoryview(raw), 0
    for span, new in ordered:
        parts += (view[at : span.start], new)
        at = span.end
    parts.append(view[at:])
    return b"".join(parts)


def _by_bytes(blocks: Iterable[Block]) -> dict[bytes, Block]:
    return {block.raw: block for block in blocks if not block.text}


def _index(raw: bytes, before: Body | None, source: Body | None) -> Body:
    parts: dict[str, tuple[Block, ...]] = {}
    messages: list[Message] = []
    reused = 0
    heads = [b for body in (before, source) if body for b in (*body.system, *body.tools)]
    known = _by_bytes(heads)

    def member(name: str, at: int) -> int:
        nonlocal reused
        if name == "messages":
            messages.extend(_known(raw, before, at))
            reused = len(messages)
            others = source.messages[reused:] if source else ()
            return _messages(raw, at, messages, _by_bytes(b for one in others for b in one.blocks))
        if name in ("system", "tools"):
            parts[name], end = _blocks(raw, at, known)
            return end
        return value_end(raw, at)

    fields, _ = object_at(raw, space(raw, 0), member)
    system, tools = parts.get("system", ()), parts.get("tools", ())
    return Body(raw, fields, system, tools, tuple(messages), reused)


def _known(raw: bytes, before: Body | None, at: int) -> tuple[Message, ...]:
    """The messages of the previous body that are unchanged in this one, whose list begins at `at`.
    Usually all are unchanged, or all but the last, whose cache mark moved. So the search starts
    before the last, goes back in growing steps, and then forward by bisection."""
    listed = before.fields.get("messages") if before else None
    if before is None or listed is None:
        return ()
    messages, begin = before.messages, listed.start

    def is_unchanged(count: int, known: int) -> bool:
        # One byte more than the message, so that the next bytes cannot continue its value.
        first = messages[known - 1].span.end if known else begin
        end = messages[count - 1].span.end + 1
        return all(
            raw.startswith(
                before.raw[start : min(start + _COMPARED_BYTES, end)], start + at - begin
            )
            for start in range(first, end, _COMPARED_BYTES)
        )

    bad, good, step = len(messages) + 1, max(0, len(messages) - 1), 1
    while good and not is_unchanged(good, 0):
        bad, good, step = good, max(0, good - step), step * 2
    while bad - good > 1:
        middle = (bad + good) // 2
        if is_unchanged(middle, good):
            good = middle
        else:
            bad = middle
    by = at - begin
    return tuple(message.moved(by) for message in messages[:good]) if by else messages[:good]


def _messages(raw: bytes, at: int, found: list[Message], known: _Blocks) -> int:
    """Index the list that begins at `at`, after the known messages. Returns its end."""

    def item(start: int) -> int:
        found.append(_message(raw, start, known))
        return found[-1].span.end

    if found:
        return rest_of_list(raw, found[-1].span.end, item, [])
    return list_at(raw, at, item)[1]


def _message(raw: bytes, at: int, known: _Blocks) -> Message:
    blocks: tuple[Block, ...] = ()

    def member(name: str, start: int) -> int:
        nonlocal blocks
        if name != "content":
            return value_end(raw, start)
        blocks, end = _blocks(raw, start, known)
        return end

    fields, end = object_at(raw, at, member)
    role = string_value(fields["role"].of(raw)) if "role" in fields else ""
    return Message(ByteSpan(at, end), role, blocks)


def _blocks(raw: bytes, at: int, known: _Blocks) -> tuple[tuple[Block, ...], int]:
    """The items of a list, or a string as the only text block; and the end of the value."""
    if raw[at : at + 1] != b"[":
        span = ByteSpan(at, value_end(raw, at))
        is_text = raw[at : at + 1] == b'"'
        return ((Block(span, span.of(raw), text=True),) if is_text else ()), span.end
    spans, end = list_at(raw, at, partial(value_end, raw))
    return tuple(_block(raw, span, known) for span in spans), end


def _block(raw: bytes, span: ByteSpan, known: _Blocks) -> Block:
    written = span.of(raw)
    found = known.get(written)
    return Block(span, written) if found is None else found.moved(span.start - found.span.start)
