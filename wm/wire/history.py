"""What a conversation holds, told apart by content, and what became of it. Pure (PX-2).

A client sends its whole history every time and moves its cache marks as it goes; with the mark
goes the spelling, a list of one text or the text alone. Neither is content, so neither counts:
a block is what it says. All else counts, unknown fields too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from enum import Enum
from typing import Any

from msgspec import Struct

from wm.wire.body import Block, Body, Message

MARK = "cache_control"
_DIGEST_BYTES = 8


class Kind(Enum):
    """How a request goes on from the one before it in its conversation."""

    FIRST = "first"
    AGAIN = "again"
    """The very same history: a retry."""
    APPENDED = "appended"
    REWOUND = "rewound"
    """A beginning of it: the user went back."""
    CHANGED = "changed"
    """Another history from some message on: an edit, or a fork."""
    RESTARTED = "restarted"
    """Nothing in common: a compaction, or another conversation under the same name."""


class Line(Struct, frozen=True):
    """One message: its role, and the identity of each of its blocks."""

    role: str
    blocks: tuple[str, ...]


class History(Struct, frozen=True):
    """head: the identity of tools and system prompt, which stand before every message."""

    head: str
    lines: tuple[Line, ...]


class Change(Struct, frozen=True):
    """common: how many messages at the beginning are the same."""

    kind: Kind
    common: int
    head_changed: bool = False


def history(body: Body, before: tuple[Body, History] | None = None) -> History:
    """The identity of everything in a body. before: an earlier body with its own; what was
    reused of it is not looked at again."""
    lines: tuple[Line, ...] = ()
    if before is not None and body.reused:
        lines = before[1].lines[: body.reused]
    fresh = body.messages[len(lines) :]
    return History(_head(body), (*lines, *map(line, fresh)))


def line(message: Message) -> Line:
    return Line(message.role, tuple(identity(block) for block in message.blocks))


def identity(block: Block) -> str:
    """16 hex digits of what a block says. A block that cannot be read is its bytes."""
    value = block.value
    data = _plain(value) if value else block.raw
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def content_of(block: Block) -> dict[str, Any]:
    """A block without marks and in one spelling; {} where it cannot be read."""
    return _unmarked(block.value)


def compare(before: History | None, now: History) -> Change:
    """What `now` is to `before`."""
    if before is None:
        return Change(Kind.FIRST, 0)
    common = 0
    for old, new in zip(before.lines, now.lines, strict=False):
        if old is not new and old != new:  # mostly they are: `history` takes them over
            break
        common += 1
    changed = before.head != now.head
    if common == len(before.lines):
        kind = Kind.AGAIN if common == len(now.lines) else Kind.APPENDED
    elif common == len(now.lines):
        kind = Kind.REWOUND
    elif common:
        kind = Kind.CHANGED
    else:
        kind = Kind.RESTARTED
    return Change(kind, common, changed)


def unpaired(body: Body) -> list[str]:
    """Ids of tool calls without their result in the next message of the user, and of results
    without their call. Calls at the very end wait for theirs."""
    wrong: list[str] = []
    open_calls: list[str] = []
    for message in body.messages:
        if message.role == "system":
            continue
        results = _ids(message.blocks, "tool_result", "tool_use_id")
        wrong += [name for name in open_calls if name not in results]
        wrong += [name for name in results if name not in open_calls]
        open_calls = _ids(message.blocks, "tool_use", "id") if message.role == "assistant" else []
    return wrong


def _ids(blocks: Sequence[Block], kind: str, field: str) -> list[str]:
    return [str(block.value.get(field, "")) for block in blocks if block.type == kind]


def _head(body: Body) -> str:
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for blocks in (body.tools, body.system):
        for block in blocks:
            digest.update(identity(block).encode())
        digest.update(b"|")
    return digest.hexdigest()


def _plain(value: dict[str, Any]) -> bytes:
    return json.dumps(_unmarked(value), sort_keys=True, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _unmarked(value: dict[str, Any]) -> dict[str, Any]:
    """Without marks, which also stand in the parts of a result, and with content as a list."""
    kept = {name: inner for name, inner in value.items() if name != MARK}
    content = kept.get("content")
    if isinstance(content, str):
        kept["content"] = [{"type": "text", "text": content}]
    elif isinstance(content, list):
        kept["content"] = [_unmarked(c) if isinstance(c, dict) else c for c in content]
    return kept
