"""Identifies the content of a conversation, and how a request continues it. Pure (PX-2).

A client sends its whole history every time and moves its cache marks, which are not part of a
block's identity (`wm.wire.block`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct

from wm.wire.block import Block, digest
from wm.wire.body import Body, Message


class Continuation(Enum):
    """How a request continues the previous one of its conversation."""

    FIRST = "first"
    AGAIN = "again"
    """The same history: a retry."""
    APPENDED = "appended"
    REWOUND = "rewound"
    """A prefix of the previous history: the user went back."""
    CHANGED = "changed"
    """Different from some message on: an edit, or a fork."""
    RESTARTED = "restarted"
    """Nothing in common: a compaction, or another conversation under the same name."""


class MessageIdentity(Struct, frozen=True):
    """One message: its role, and the identity of each block."""

    role: str
    blocks: tuple[str, ...]


class ConversationHistory(Struct, frozen=True):
    """head: the identity of tools and system prompt, which precede all messages.

    places: for each block, the identity of all messages up to and with it. Equal blocks at two
    places differ in it, and the same block after another history too.
    """

    head: str
    lines: tuple[MessageIdentity, ...]
    places: tuple[tuple[str, ...], ...] = ()

    @property
    def end(self) -> str:
        """The place of the last block; "" without one."""
        return _end(self.places)


class HistoryChange(Struct, frozen=True):
    """common: number of equal messages at the beginning."""

    kind: Continuation
    common: int
    head_changed: bool = False


def history(
    body: Body, before: tuple[Body, ConversationHistory] | None = None
) -> ConversationHistory:
    """The identity of a body's content. before: an earlier body with its history; messages reused
    from it are not hashed again."""
    lines: tuple[MessageIdentity, ...] = ()
    places: tuple[tuple[str, ...], ...] = ()
    if before is not None and body.reused:
        lines = before[1].lines[: body.reused]
        places = before[1].places[: body.reused]
    fresh = [line(message) for message in body.messages[len(lines) :]]
    return ConversationHistory(_head(body), (*lines, *fresh), (*places, *_places(fresh, places)))


def _places(
    fresh: Sequence[MessageIdentity], known: Sequence[tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """The places of messages that follow known ones."""
    last = _end(known)
    found: list[tuple[str, ...]] = []
    for one in fresh:
        blocks = []
        for block in one.blocks:
            text = f"{last}/{one.role}:{block}".encode("utf-8", "replace")
            last = digest(text)
            blocks.append(last)
        found.append(tuple(blocks))
    return found


def _end(places: Sequence[tuple[str, ...]]) -> str:
    return next((line[-1] for line in reversed(places) if line), "")


def placed_blocks(
    body: Body, past: ConversationHistory, first: int = 0, end: int | None = None
) -> Iterator[tuple[int, Block, str]]:
    """Each block of these messages with the number of its message and its place, in order."""
    for number, message in enumerate(body.messages[first:end], start=first):
        for block, place in zip(message.blocks, past.places[number], strict=True):
            yield number, block, place


def line(message: Message) -> MessageIdentity:
    return MessageIdentity(message.role, tuple(block.identity for block in message.blocks))


def compare(before: ConversationHistory | None, now: ConversationHistory) -> HistoryChange:
    """How `now` continues `before`."""
    if before is None:
        return HistoryChange(Continuation.FIRST, 0)
    common = 0
    for old, new in zip(before.lines, now.lines, strict=False):
        if old is not new and old != new:  # usually identical objects: `history` reuses them
            break
        common += 1
    changed = before.head != now.head
    if common == len(before.lines):
        kind = Continuation.AGAIN if common == len(now.lines) else Continuation.APPENDED
    elif common == len(now.lines):
        kind = Continuation.REWOUND
    elif common:
        kind = Continuation.CHANGED
    else:
        kind = Continuation.RESTARTED
    return HistoryChange(kind, common, changed)


def unpaired(body: Body) -> list[str]:
    """Ids of tool calls without a result in the user's next message, and of results without a call.
    Calls in the last message still wait for their results."""
    wrong: list[str] = []
    open_calls: list[str] = []
    for message in body.messages:
        if message.role == "system":
            continue
        results = _ids(message, "tool_result")
        wrong += [name for name in open_calls if name not in results]
        wrong += [name for name in results if name not in open_calls]
        open_calls = _ids(message, "tool_use") if message.role == "assistant" else []
    return wrong


def _ids(message: Message, kind: str) -> list[str]:
    return [block.call for block in message.blocks if block.type == kind]


def _head(body: Body) -> str:
    parts = ("".join(block.identity for block in blocks) for blocks in (body.tools, body.system))
    return digest("".join(f"{part}|" for part in parts).encode())
