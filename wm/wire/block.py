"""A content block of a request: its bytes, and what they say. Pure (PX-2, PX-3).

Values are parsed when they are first needed. What is derived from them (type, identity, size,
mark) is kept with the block, also when the parsed value is dropped and when the block moves to
another position (`Block.moved`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from wm.text.jsontext import as_text, objects_in
from wm.wire.spans import ByteSpan, members

MARK = "cache_control"
SPELLED_MARK = b'"%b"' % MARK.encode()
"""Bytes without it hold no cache mark, so they need no parsing for one."""
CHARS_PER_TOKEN = 4
IMAGE_TOKENS = 1_600


def digest(content: bytes) -> str:
    """16 hex digits that identify this content."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


class Block(Struct, frozen=True, dict=True):
    """A content block. `text`: the complete content is one string, not a list of blocks."""

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

    @cached_property
    def type(self) -> str:
        return self._word("type")

    @cached_property
    def call(self) -> str:
        """The id of a tool call, or of the call that a result answers; "" for any other block."""
        return self._word({"tool_use": "id", "tool_result": "tool_use_id"}.get(self.type, ""))

    @cached_property
    def signature(self) -> str:
        """The service's signature of a thinking block; "" for any other."""
        known = {"thinking": "signature", "redacted_thinking": "data"}
        return self._word(known.get(self.type, ""))

    @cached_property
    def ttl(self) -> str:
        """Lifetime of the cache mark on the block or inside a tool result; "" without one."""
        return ttl_of(self.value) if SPELLED_MARK in self.raw else ""

    @cached_property
    def identity(self) -> str:
        """16 hex digits for the content. Cache marks and spelling (a list with one text, or the
        text alone) are not content; a client moves and changes them. An unreadable block is
        identified by its bytes."""
        return digest(self._plain())

    @cached_property
    def tokens(self) -> int:
        """One token for four characters, the usual rule of thumb; cache marks and spelling do not
        count. An image counts as a large one; a PDF's content is not examined."""
        value = _unmarked(self.value)
        images = 0
        for part in (value, *objects_in(value.get("content"))):
            if part.get("type") == "image" and part.pop("source", None) is not None:
                images += 1
        chars = len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) if value else 0
        return max(1, (chars or len(self.raw)) // CHARS_PER_TOKEN + images * IMAGE_TOKENS)

    @cached_property
    def derived(self) -> dict[Any, Any]:
        """Values that were computed from this block, by their other inputs."""
        return {}

    @cached_property
    def _members(self) -> dict[str, ByteSpan]:
        return members(self.raw, ByteSpan(0, len(self.raw))) or {}

    def member(self, name: str) -> ByteSpan | None:
        """The span of a member's value in the body; None if it is missing, or any name is
        repeated."""
        found = self._members.get(name)
        return None if found is None else found.moved(self.span.start)

    def without(self, name: str) -> ByteSpan | None:
        """The span of a complete member with one of the commas beside it; None as for `member`."""
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

    def moved(self, by: int) -> Block:
        """The same block, so many bytes further on in a body."""
        found = Block(self.span.moved(by), self.raw, self.text)
        found.__dict__.update(self.__dict__)
        return found

    def forget(self) -> None:
        """Drop the parsed value; it is parsed again on demand."""
        self.__dict__.pop("value", None)

    def _word(self, name: str) -> str:
        return as_text(self.value.get(name))

    def _plain(self) -> bytes:
        if not self.value:
            return self.raw
        text = json.dumps(_unmarked(self.value), sort_keys=True, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")


def _unmarked(value: dict[str, Any]) -> dict[str, Any]:
    """Without cache marks, also inside tool results, and with content as a list."""
    kept = {name: inner for name, inner in value.items() if name != MARK}
    content = kept.get("content")
    if isinstance(content, str):
        kept["content"] = [{"type": "text", "text": content}]
    elif isinstance(content, list):
        kept["content"] = [_unmarked(c) if isinstance(c, dict) else c for c in content]
    return kept


def ttl_of(value: Mapping[str, Any]) -> str:
    """Lifetime of the cache mark of a block or a request, or of one inside a tool result; ""
    without one."""
    mark = value.get(MARK)
    if isinstance(mark, dict):
        return "1h" if mark.get("ttl") == "1h" else "5m"
    if value.get("type") != "tool_result":
        return ""
    return next((ttl for part in objects_in(value.get("content")) if (ttl := ttl_of(part))), "")
