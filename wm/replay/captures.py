"""Captures: one request per line, with method, path, headers, body and the answer's usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wm.domain.times import parse
from wm.replay.requests import JsonObject, Sent, SkippedRequests, written
from wm.wire.body import index
from wm.wire.history import history
from wm.wire.identity import Conversations, identify
from wm.wire.usage import usage_of

GOOD = 200
END = 100_000_000_000
"""Seconds, some thousand years from now; a time in milliseconds passed this value in 1973."""


def is_capture(found: JsonObject) -> bool:
    return "body" in found and ("path" in found or "method" in found)


class Captures:
    """Implements `wm.replay.requests.Source`."""

    kind = "capture"

    def __init__(self, left: SkippedRequests) -> None:
        self._left = left
        self._conversations = Conversations()

    def line(self, found: JsonObject) -> Iterator[Sent]:
        path = str(found.get("path", "/v1/messages")).partition("?")[0]
        if not path.endswith("/messages"):
            self._left.add("other paths of the service")
            return
        if found.get("status", GOOD) != GOOD:
            self._left.add("requests that the service refused")
            return
        raw = _raw(found.get("body"))
        body = index(raw)
        if body is None or not body.messages:
            self._left.add("bodies that are no request")
            return
        headers = _headers(found.get("headers"))
        identity, _ = self._conversations.follow(identify(path, headers, body), history(body))
        usage = usage_of(found.get("usage"))
        yield Sent(
            raw=raw,
            conversation=identity.conversation.rstrip("/"),
            at=_at(found),
            usage=usage if usage and usage.prompt else None,
            call=identity.call,
        )

    def end(self) -> Iterator[Sent]:
        yield from ()


def _raw(body: Any) -> bytes:
    return body.encode("utf-8", "replace") if isinstance(body, str) else written(body)


def _headers(found: Any) -> Mapping[str, str]:
    pairs = found.items() if isinstance(found, dict) else ()
    return {str(name).lower(): str(value) for name, value in pairs}


def _at(found: JsonObject) -> float | None:
    """The time of a line in seconds since 1970. Accepts seconds, milliseconds and our own time
    format; None for an impossible time."""
    for name in ("t", "at", "time", "timestamp", "createdAt"):
        value = found.get(name)
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float) and 0 <= value < END * 1000:
            return float(value) if value < END else value / 1000
        moment = parse(value) if isinstance(value, str) else None
        if moment is not None:
            return moment.timestamp()
    return None
