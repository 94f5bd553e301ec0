"""Requests as a client sent them, or would have: what every kind of recording is turned into.

Where a recording holds no request, only its messages, one is put together as Claude Code does it:
a mark at the end of the system prompt and one at the end of the last message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from msgspec import Struct, field

from wm.wire.rows import Row
from wm.wire.usage import Usage

MARK = {"type": "ephemeral"}
MAX_BODY_BYTES = 32 * 1024 * 1024
"""The service takes no larger request."""

UNSEEN = "(not in the recording) "
"""How a block begins that stands for what a request held and its recording does not."""

JsonObject = dict[str, Any]


class Sent(Struct, frozen=True):
    """One request. conversation: requests of the same name follow each other. cache: those of the
    same name share a prompt cache. at: seconds, None where nobody knows. usage: as the service
    reported it. output: tokens of the answer where only its text is known. outline: the row of a
    request whose body is not known, with its size in bytes, and how many messages it has."""

    raw: bytes
    conversation: str
    at: float | None = None
    usage: Usage | None = None
    output: int = 0
    cache: str = ""
    call: str = "main"
    outline: tuple[Row, int, int] | None = None


class Left(Struct):
    """What of a file was not replayed, by reason."""

    counts: dict[str, int] = field(default_factory=dict)

    def add(self, reason: str) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + 1


class Source(Protocol):
    """Reads one recording, line by line."""

    kind: str

    def line(self, found: JsonObject) -> Iterator[Sent]:
        """The requests that this line completes."""

    def end(self) -> Iterator[Sent]:
        """What was still waiting for a line."""


def read_object(line: bytes) -> JsonObject | None:
    """One line of a recording; None for what is no JSON object."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def written(value: Any) -> bytes:
    """JSON as clients write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def request_of(
    model: str,
    system: list[JsonObject],
    messages: list[bytes],
    last: JsonObject,
    tools: Sequence[JsonObject] = (),
) -> bytes:
    """A request of ready-made messages; `last` is the last of them, which gets the mark."""
    head = written({"model": model, "max_tokens": 8192, "tools": tools, "system": system})[:-1]
    body = b",".join((*messages, written(marked(last))))
    return head + b',"messages":[' + body + b"]}"


def marked(message: JsonObject) -> JsonObject:
    """A message with a mark at its last block, where one may stand."""
    content = blocks_of(message.get("content"))
    if not content or content[-1].get("type") in ("thinking", "redacted_thinking"):
        return message
    return {**message, "content": [*content[:-1], {**content[-1], "cache_control": MARK}]}


def blocks_of(content: Any) -> list[JsonObject]:
    """Content as a list of blocks; an empty text is none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [block for block in content if isinstance(block, dict)] if content else []


def system_of(text: str, unseen_chars: int = 0) -> list[JsonObject]:
    """A system prompt, marked; unseen_chars: what else stood before the messages."""
    parts = [text] if text else []
    if unseen_chars > 0:
        parts.append(UNSEEN.ljust(max(len(UNSEEN), unseen_chars), "."))
    blocks: list[JsonObject] = [{"type": "text", "text": part} for part in parts]
    return [*blocks[:-1], {**blocks[-1], "cache_control": MARK}] if blocks else []
