"""Cache marks that `wm` places itself (PX-4). Pure.

At a cut everything behind the first changed block is written again. What is before it is read only
if a mark finds it, and the client's marks at the end are more than 20 blocks away. So the request
gets a mark where an earlier request had one and nothing before it has changed: the stable boundary.
If there is room, a second one lets the next cut begin where this one ended: behind the texts of
steps, or else behind all changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from wm.wire.body import Block, Body, ByteSpan, Message
from wm.wire.cachesim import MAX_MARKS
from wm.wire.history import MARK
from wm.wire.policy import THINKING, json_of
from wm.wire.rows import ttl_of

_SPELLED = b'"%b"' % MARK.encode()


def end_mark(body: Body) -> str:
    """Lifetime of the mark at the end of the last message; "" without one."""
    if not body.messages or not body.messages[-1].blocks:
        return ""
    own = body.value(MARK)
    if isinstance(own, dict):
        return "1h" if own.get("ttl") == "1h" else "5m"
    return ttl_of(body.messages[-1].blocks[-1].value)


class MarkRoom(Struct, frozen=True):
    """The marks that `wm` may add to a request. mark: as JSON value; None for none. given_up: the
    splice that takes one of the client's back."""

    count: int = 0
    mark: dict[str, str] | None = None
    given_up: tuple[tuple[ByteSpan, bytes], ...] = ()


def room_for(body: Body) -> MarkRoom:
    """A mark has the lifetime of the one at the end. If the client uses all four, the mark in the
    message before the last is given up: it marks what is written again anyway."""
    ttl = end_mark(body)
    if not ttl:
        return MarkRoom()
    mark = {"type": "ephemeral", **({"ttl": "1h"} if ttl == "1h" else {})}
    marked = _marked(body)
    room = MAX_MARKS - len(marked) - isinstance(body.value(MARK), dict)
    if room > 0:
        return MarkRoom(room, mark)
    spans = [block.without(MARK) for block in marked[:-1] if _in_messages(block, body.messages)]
    if not spans or spans[-1] is None:
        return MarkRoom()
    return MarkRoom(1 + min(0, room), mark, ((spans[-1], b""),))


def end_marked(message: Message, mark: Any) -> tuple[ByteSpan, bytes] | None:
    """The splice that marks the end of a message; None if that is not possible."""
    return _inserted(message.blocks[-1], json_of(mark)) if _can_be_marked(message) else None


def _can_be_marked(message: Message) -> bool:
    if not message.blocks:
        return False
    block = message.blocks[-1]
    return not (block.type in THINKING or ttl_of(block.value) or block.raw == b'""')


def _marked(body: Body) -> list[Block]:
    everything = (
        *body.tools,
        *body.system,
        *(block for message in body.messages for block in message.blocks),
    )
    return [block for block in everything if _SPELLED in block.raw and ttl_of(block.value)]


def _in_messages(block: Block, messages: Sequence[Message]) -> bool:
    return bool(messages) and block.span.start >= messages[0].span.start


def _inserted(block: Block, mark: bytes) -> tuple[ByteSpan, bytes]:
    named = _SPELLED + b":" + mark
    if block.text:
        text = b'[{"type":"text","text":' + block.raw + b"," + named + b"}]"
        return block.span, text
    start = block.span.start + 1
    return ByteSpan(start, start), named + b","
