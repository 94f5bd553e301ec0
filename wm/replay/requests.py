"""Requests as a client sent them: the common form of every kind of recording.

If a recording holds messages but no request, one is built the way Claude Code builds it: a cache
mark at the end of the system prompt and one at the end of the last message.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from wm.domain.times import parse
from wm.wire.rows import BlockRow
from wm.wire.usage import Usage, usage_of

MARK = {"type": "ephemeral"}
MAX_BODY_BYTES = 32 * 1024 * 1024
"""The service accepts no larger request."""

UNSEEN = "(not in the recording) "
"""Prefix of a block that replaces request content missing from the recording."""

JsonObject = dict[str, Any]


class Sent(Struct, frozen=True):
    """One request. conversation: requests of the same name follow each other. cache: requests of
    the same name share a prompt cache. at: seconds, None if unknown. usage: as reported by the
    service. output: tokens of the answer if only its text is known. outline: for a request without
    its body, its row, size in bytes and number of messages."""

    raw: bytes
    conversation: str
    at: float | None = None
    usage: Usage | None = None
    output: int = 0
    cache: str = ""
    call: str = "main"
    outline: tuple[BlockRow, int, int] | None = None


class SkippedRequests(Struct):
    """Number of skipped requests, by reason."""

    counts: dict[str, int] = field(default_factory=dict)

    def add(self, reason: str) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + 1


def reported(usage: Any) -> Usage | None:
    """The usage that the service reported; None for one without a prompt."""
    found = usage_of(usage)
    return found if found and found.prompt else None


def seconds(text: Any) -> float | None:
    """A time of the recording in seconds since 1970."""
    moment = parse(text) if isinstance(text, str) else None
    return moment.timestamp() if moment is not None else None


def written(value: Any) -> bytes:
    """Compact JSON, as clients write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def request_of(
    model: str,
    system: list[JsonObject],
    messages: list[bytes],
    last: JsonObject,
    tools: Sequence[JsonObject] = (),
) -> bytes:
    """A request made of serialised messages; `last`, the last message, gets the cache mark."""
    head = written({"model": model, "max_tokens": 8192, "tools": tools, "system": system})[:-1]
    body = b",".join((*messages, written(marked(last))))
    return head + b',"messages":[' + body + b"]}"


def marked(message: JsonObject) -> JsonObject:
    """A message with a cache mark at its last block, if one is allowed there."""
    content = blocks_of(message.get("content"))
    if not content or content[-1].get("type") in ("thinking", "redacted_thinking"):
        return message
    return {**message, "content": [*content[:-1], {**content[-1], "cache_control": MARK}]}


def blocks_of(content: Any) -> list[JsonObject]:
    """Content as a list of blocks; empty text gives none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [block for block in content if isinstance(block, dict)] if content else []


def system_of(text: str, unseen_chars: int = 0) -> list[JsonObject]:
    """A marked system prompt. unseen_chars: size of what else preceded the messages."""
    parts = [text] if text else []
    if unseen_chars > 0:
        parts.append(UNSEEN.ljust(max(len(UNSEEN), unseen_chars), "."))
    blocks: list[JsonObject] = [{"type": "text", "text": part} for part in parts]
    return [*blocks[:-1], {**blocks[-1], "cache_control": MARK}] if blocks else []
