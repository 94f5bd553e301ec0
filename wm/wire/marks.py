"""Cache marks that `wm` places itself (PX-4). Pure.

At a cut everything behind the first changed block is written again. What is before it is read only
if a mark finds it, and the client's marks at the end are more than 20 blocks away. So the request
gets a mark where an earlier request had one and nothing before it has changed: the stable boundary.
A second one lets the next cut begin where this one ended: behind all changes, and behind the texts
of steps. If it is close behind the boundary, it finds that, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from wm.wire.block import MARK, SPELLED_MARK, Block
from wm.wire.body import Body, Message, Replacement
from wm.wire.cachesim import MAX_MARKS
from wm.wire.policy import THINKING, into_list, json_of
from wm.wire.spans import ByteSpan


def end_mark(body: Body) -> str:
    """Lifetime of the mark at the end of the last message; "" without one."""
    if not body.messages or not body.messages[-1].blocks:
        return ""
    return body.ttl or body.messages[-1].blocks[-1].ttl


class MarkRoom(Struct):
    """The marks that `wm` may add to a request. mark: as JSON value. free: how many are unused.
    given_up: message -> the splice that takes a mark of the client back. spare: the same for marks
    outside of the messages."""

    mark: dict[str, str] = field(default_factory=dict)
    free: int = 0
    given_up: dict[int, Replacement] = field(default_factory=dict)
    spare: list[Replacement] = field(default_factory=list)

    def keep(self, messages: Sequence[int]) -> None:
        """The client's marks at the ends of these messages are not given up."""
        for number in messages:
            self.given_up.pop(number, None)

    def take(self, splices: list[Replacement]) -> bool:
        """Use one mark; False if there is none. splices: gets what takes a mark of the client
        back."""
        if self.free > 0:
            self.free -= 1
        elif self.given_up:
            splices.append(self.given_up.pop(next(iter(self.given_up))))
        elif self.spare:
            splices.append(self.spare.pop())
        else:
            return False
        return True


def room_for(body: Body) -> MarkRoom:
    """A mark has the lifetime of the one at the end. If the client uses all four, its marks in the
    messages before the last can be given up: they mark what is written again anyway, or what the
    mark behind it finds. So can the first of several in front of the messages."""
    ttl = end_mark(body)
    if not ttl:
        return MarkRoom()
    mark = {"type": "ephemeral", **({"ttl": "1h"} if ttl == "1h" else {})}
    head = [block for block in (*body.tools, *body.system) if block.ttl]
    given_up: dict[int, Replacement] = {}
    used = len(head) + bool(body.ttl)
    for number, message in enumerate(body.messages):
        marked = [block for block in message.blocks if block.ttl]
        used += len(marked)
        spans = _spans(marked) if number < len(body.messages) - 1 else []
        if len(spans) == 1 == len(marked):
            given_up[number] = (spans[0], b"")
    spare = [(span, b"") for span in _spans(head[:-1])]
    return MarkRoom(mark, max(0, MAX_MARKS - used), given_up, spare)


def _spans(marked: Sequence[Block]) -> list[ByteSpan]:
    return [span for block in marked if (span := block.without(MARK)) is not None]


def client_marks(body: Body, splices: Sequence[Replacement]) -> list[int]:
    """Numbers of the messages with a mark of the client at their end that these splices keep."""
    removed = [span.start for span, new in splices if not new]
    return [
        number
        for number, message in enumerate(body.messages)
        if message.blocks
        and (block := message.blocks[-1]).ttl
        and not any(block.span.start <= start < block.span.end for start in removed)
    ]


def end_marked(message: Message, mark: Any) -> list[Replacement]:
    """The splices that mark the end of a message; [] if that is not possible."""
    return _inserted(message.blocks[-1], json_of(mark)) if _can_be_marked(message) else []


def _can_be_marked(message: Message) -> bool:
    if not message.blocks:
        return False
    block = message.blocks[-1]
    return not (block.type in THINKING or block.ttl or block.raw == b'""')


def _inserted(block: Block, mark: bytes) -> list[Replacement]:
    named = SPELLED_MARK + b":" + mark
    if block.text:
        return into_list(block, b"," + named + b"}")
    start = block.span.start + 1
    return [(ByteSpan(start, start), named + b",")]
