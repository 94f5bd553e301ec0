"""Cache marks that `wm` places itself (PX-4). Pure.

At a cut everything behind the first changed block is written again. What is before it is read only
if a mark finds it, and the client's marks at the end are more than 20 blocks away. So the request
gets a mark where an earlier request had one and nothing before it has changed: the stable boundary.
If there is room, a second one behind the changes lets the next cut begin there.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.wire.body import Block, Body, ByteSpan, Message
from wm.wire.cachesim import MAX_MARKS
from wm.wire.history import MARK
from wm.wire.policy import json_of
from wm.wire.rows import ttl_of

_UNMARKABLE = frozenset(("thinking", "redacted_thinking"))
_SPELLED = b'"%b"' % MARK.encode()


def end_mark(body: Body) -> str:
    """Lifetime of the mark at the end of the last message; "" without one."""
    if not body.messages or not body.messages[-1].blocks:
        return ""
    own = body.value(MARK)
    if isinstance(own, dict):
        return "1h" if own.get("ttl") == "1h" else "5m"
    return ttl_of(body.messages[-1].blocks[-1].value)


def own_marks(
    body: Body, messages: Sequence[int]
) -> tuple[list[tuple[ByteSpan, bytes]], tuple[int, ...]]:
    """The splices that mark the ends of these messages, as many as four marks allow, and which of
    them are marked.

    A mark has the lifetime of the one at the end. If the client uses all four, the mark in the
    message before the last is given up: it marks what is written again anyway.
    """
    ttl = end_mark(body)
    wanted = [number for number in messages if _can_be_marked(body.messages[number])]
    if not ttl or not wanted:
        return [], ()
    mark = json_of({"type": "ephemeral", **({"ttl": "1h"} if ttl == "1h" else {})})
    marked = _marked(body)
    room = MAX_MARKS - len(marked) - isinstance(body.value(MARK), dict)
    given_up: list[tuple[ByteSpan, bytes]] = []
    if room < 1:
        spans = [block.member(MARK) for block in marked[:-1] if _in_messages(block, body.messages)]
        if not spans or spans[-1] is None:
            return [], ()
        given_up, room = [(spans[-1], b"null")], room + 1
    chosen = wanted[: max(0, room)]
    return [*given_up, *(_inserted(body.messages[n].blocks[-1], mark) for n in chosen)], (*chosen,)


def _can_be_marked(message: Message) -> bool:
    if not message.blocks:
        return False
    block = message.blocks[-1]
    return not (block.type in _UNMARKABLE or ttl_of(block.value) or block.raw == b'""')


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
