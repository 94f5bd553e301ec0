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


class RecordedThread(Struct):
    """The messages of one conversation for its next request; ready: the same, as they are sent.
    unseen: the size of what was sent and is in no line; -1 until a usage is known."""

    messages: list[JsonObject] = field(default_factory=list)
    ready: list[bytes] = field(default_factory=list)
    unseen: int = -1
    at: float | None = None

    def add(self, role: str, blocks: list[JsonObject]) -> None:
        """Merge consecutive lines of one role into a message; the user's own words come before what
        the client adds. A line without blocks adds nothing."""
        if not blocks:
            return
        place = len(self.messages)
        if role == "user" and place and self.messages[-1]["role"] == "system":
            place -= 1
        if place and self.messages[place - 1]["role"] == role:
            place -= 1
            blocks = [*self.messages.pop(place)["content"], *blocks]
            del self.ready[place]
        message: JsonObject = {"role": role, "content": blocks}
        self.messages.insert(place, message)
        self.ready.insert(place, written(message))

    def why_no_request(self) -> str:
        """Why there is no request of these messages for an answer; "" if there is one."""
        if not self.messages or self.messages[-1]["role"] == "assistant":
            return "answers without a question"
        is_large = sum(map(len, self.ready)) > MAX_BODY_BYTES
        return "requests larger than the service takes" if is_large else ""
