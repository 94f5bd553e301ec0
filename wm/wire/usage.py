"""Reads model, usage and stop reason from an answer of the Messages API, or of the API of chat
completions. Pure (PX-11).

It parses the few events of a stream that carry these, never the text. Figures are cumulative: a
later one replaces an earlier one, a missing one leaves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import add
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple, replace

from wm.text.jsontext import as_object, as_text, object_of, objects_in
from wm.wire.sse import Decoder, StreamEvent

_RELEVANT = frozenset({"message_start", "message_delta", "message_stop", "error"})
_WORDS = (b"message_", b"error")
"""The names of those events contain one of these; the many text events contain none."""
MAX_JSON_BYTES = 64 * 1024 * 1024


_ON_THE_SOCKET = {
    "cache_read": "cacheRead",
    "cache_write_5m": "cacheWrite5m",
    "cache_write_1h": "cacheWrite1h",
}


class Usage(Struct, frozen=True, rename=_ON_THE_SOCKET):
    """Token counts, as the service reports them. `cache_write_5m` includes writes without a stated
    lifetime."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0

    @classmethod
    def of(cls, counts: object) -> Usage:
        """The counts of a record with fields of these names."""
        return cls(**{name: getattr(counts, name) for name in cls.__struct_fields__})

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, astuple(self), astuple(other)))

    @property
    def prompt(self) -> int:
        """Tokens of the complete prompt."""
        return self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h


class AnswerSummary(Struct, frozen=True):
    """usage: None if the answer contains none. error: the type of an error, also of one inside a
    stream that began well. whole: the answer is complete."""

    id: str = ""
    model: str = ""
    usage: Usage | None = None
    stop_reason: str = ""
    error: str = ""
    whole: bool = False


class AnswerReader:
    """Reads the decompressed body of an answer. stream: the body is an event stream."""

    words: tuple[bytes, ...] = _WORDS

    def __init__(self, *, stream: bool) -> None:
        self._events = Decoder(self.words) if stream else None
        self._json = bytearray()
        self._summary = AnswerSummary()

    def feed(self, data: bytes) -> None:
        if self._events is None:
            if len(self._json) + len(data) <= MAX_JSON_BYTES:
                self._json += data
            return
        self._take(self._events.feed(data))

    @property
    def is_complete(self) -> bool:
        """Whether the last event of a stream was read."""
        return self._summary.whole

    def summary(self) -> AnswerSummary:
        """The summary so far; call it at the end."""
        if self._events is not None:
            self._take(self._events.end())
        elif self._json:
            return self._plain(object_of(bytes(self._json)) or {})
        return self._summary

    def _plain(self, body: Mapping[str, Any]) -> AnswerSummary:
        if body.get("type") == "error":
            return replace(self._summary, error=_error(body), whole=True)
        return replace(_message(body, self._summary), whole=bool(body))

    def _take(self, events: list[StreamEvent]) -> None:
        for event in events:
            if event.name in _RELEVANT:
                self._event(event.name, object_of(event.data) or {})

    def _event(self, name: str, body: Mapping[str, Any]) -> None:
        match name:
            case "message_start":
                self._summary = _message(as_object(body.get("message")), self._summary)
            case "message_delta":
                delta = as_object(body.get("delta"))
                self._summary = replace(
                    self._summary,
                    usage=usage_of(body.get("usage"), self._summary.usage),
                    stop_reason=as_text(delta.get("stop_reason")),
                )
            case "message_stop":
                self._summary = replace(self._summary, whole=True)
            case "error":
                self._summary = replace(self._summary, error=_error(body))


class ChatReader(AnswerReader):
    """The same for chat completions. A stream has its usage only if the client asks for it."""

    words = (b"usage", b"finish_reason", b"[DONE]", b"error")

    def _plain(self, body: Mapping[str, Any]) -> AnswerSummary:
        return replace(_completion(body, self._summary), whole=bool(body))

    def _take(self, events: list[StreamEvent]) -> None:
        for event in events:
            if event.data == b"[DONE]":
                self._summary = replace(self._summary, whole=True)
            else:
                self._summary = _completion(object_of(event.data) or {}, self._summary)


def _completion(body: Mapping[str, Any], summary: AnswerSummary) -> AnswerSummary:
    ended = [as_text(one.get("finish_reason")) for one in objects_in(body.get("choices"))]
    usage, found = summary.usage, body.get("usage")
    if isinstance(found, Mapping):
        prompt = _count(found.get("prompt_tokens"), 0)
        cached = _count(as_object(found.get("prompt_tokens_details")).get("cached_tokens"), 0)
        output = _count(found.get("completion_tokens"), 0)
        usage = Usage(max(0, prompt - cached), output, min(cached, prompt))
    return AnswerSummary(
        id=as_text(body.get("id")) or summary.id,
        model=as_text(body.get("model")) or summary.model,
        usage=usage,
        stop_reason=next(filter(None, ended), summary.stop_reason),
        error=_error(body) if body.get("error") else summary.error,
        whole=summary.whole,
    )


def _message(body: Mapping[str, Any], summary: AnswerSummary) -> AnswerSummary:
    return replace(
        summary,
        id=as_text(body.get("id")),
        model=as_text(body.get("model")),
        usage=usage_of(body.get("usage"), summary.usage),
        stop_reason=as_text(body.get("stop_reason")),
    )


def usage_of(found: Any, before: Usage | None = None) -> Usage | None:
    """The `usage` of an answer, on top of an earlier one; `before` if the value is not one."""
    if not isinstance(found, Mapping):
        return before
    was = before or Usage()
    split = as_object(found.get("cache_creation"))
    hour = _count(split.get("ephemeral_1h_input_tokens"), was.cache_write_1h)
    short = split.get("ephemeral_5m_input_tokens")
    written = found.get("cache_creation_input_tokens")
    if isinstance(written, int) and (not isinstance(short, int) or short + hour < written):
        short = max(0, written - hour)  # the split may be missing, or zeros
    return Usage(
        input=_count(found.get("input_tokens"), was.input),
        output=_count(found.get("output_tokens"), was.output),
        cache_read=_count(found.get("cache_read_input_tokens"), was.cache_read),
        cache_write_5m=_count(short, was.cache_write_5m),
        cache_write_1h=hour,
    )


def _count(value: Any, before: int) -> int:
    return value if type(value) is int and value >= 0 else before


def _error(body: Mapping[str, Any]) -> str:
    return as_text(as_object(body.get("error")).get("type")) or "unknown"
