"""Assembles the message from a stream of events. Pure (PX-11).

Joins the deltas of a text, of thinking or of a call's arguments, as a client does, so that no
value is split. Unknown events and deltas are kept beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from wm.text.jsontext import as_list, as_object, as_text, object_of
from wm.wire.sse import Decoder, StreamEvent

_JOINED = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
_PARTIAL = "partial_json"


def message(pieces: Iterable[bytes]) -> bytes | None:
    """The message as JSON, formatted as clients do; None if no event contains one. An error is
    stored as `error`, unknown events as `events`."""
    decoder, made = Decoder(), MessageAssembly()
    for piece in pieces:
        for event in decoder.feed(piece):
            made.take(event)
    for event in decoder.end():
        made.take(event)
    value = made.value()
    return None if value is None else spelled(value)


def spelled(value: Any) -> bytes:
    """JSON as most clients write it; in ASCII if it contains a lone surrogate."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


class MessageAssembly(Struct, eq=False):
    """Takes the events of one message, in order; `value` is the message so far."""

    _head: dict[str, Any] = {}
    _blocks: dict[int, dict[str, Any]] = {}
    _texts: dict[tuple[int, str], list[str]] = {}
    _others: list[Any] = []

    def take(self, event: StreamEvent) -> None:
        body = object_of(event.data)
        if body is not None:
            self.add(event.name, body)

    def add(self, name: str, body: dict[str, Any]) -> None:
        """name, body: of one event."""
        match name:
            case "message_start" if isinstance(body.get("message"), dict):
                self._head = {**body["message"]}
            case "content_block_start" if isinstance(body.get("content_block"), dict):
                self._blocks[_index(body)] = {**body["content_block"]}
            case "content_block_delta" if isinstance(body.get("delta"), dict):
                self._delta(_index(body), body["delta"])
            case "message_delta":
                self._change(body)
            case "error":
                self._head["error"] = body.get("error")
            case "ping" | "content_block_stop" | "message_stop":
                pass
            case _:
                self._others.append(body)

    def _delta(self, index: int, delta: dict[str, Any]) -> None:
        kind = str(delta.get("type"))
        field = _JOINED.get(kind)
        text = delta.get(field) if field is not None else None
        if field is not None and isinstance(text, str):
            self._texts.setdefault((index, field), []).append(text)
        elif kind == "citations_delta":
            block = self._blocks.setdefault(index, {})
            block["citations"] = [*as_list(block.get("citations")), delta.get("citation")]
        else:
            self._others.append({"index": index, "delta": delta})

    def _change(self, body: dict[str, Any]) -> None:
        self._head.update(as_object(body.get("delta")))
        if isinstance(body.get("usage"), dict):
            self._head["usage"] = {**as_object(self._head.get("usage")), **body["usage"]}
        rest = {k: v for k, v in body.items() if k not in ("type", "delta", "usage")}
        self._head.update(rest)

    def value(self) -> dict[str, Any] | None:
        """The message; None if no event had a part of one."""
        if not (self._head or self._blocks or self._texts or self._others):
            return None
        blocks = {index: self._blocks.get(index, {}) for index, _ in self._texts}
        blocks.update(self._blocks)
        for (index, field), parts in self._texts.items():
            blocks[index] = _with(blocks[index], field, "".join(parts))
        content = [blocks[index] for index in sorted(blocks)]
        others = {"events": self._others} if self._others else {}
        return {**self._head, **({"content": content} if content else {}), **others}


def _with(block: dict[str, Any], field: str, text: str) -> dict[str, Any]:
    if field != _PARTIAL:
        return {**block, field: as_text(block.get(field)) + text}
    try:
        return {**block, "input": json.loads(text or "{}")}
    except (ValueError, RecursionError):
        return {**block, _PARTIAL: text}


def _index(body: dict[str, Any]) -> int:
    index = body.get("index")
    return index if type(index) is int else -1
