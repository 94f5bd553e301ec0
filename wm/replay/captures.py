"""Captures: one request per line, with method, path, headers, body and the answer's usage.

Reads the lines and yields message requests; other lines are counted and skipped. Counts no cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wm.replay.requests import JsonObject, Sent, SkippedRequests, reported, seconds, written
from wm.wire.body import index
from wm.wire.history import history
from wm.wire.identity import MESSAGES, Conversations, identify

GOOD = 200
END = 100_000_000_000
"""Seconds, some thousand years from now; a time in milliseconds passed this value in 1973."""


def is_capture(found: JsonObject) -> bool:
    return "body" in found and ("path" in found or "method" in found)


def captures(lines: Iterable[JsonObject], left: SkippedRequests, _path: Path) -> Iterator[Sent]:
    """The requests of a capture."""
    conversations = Conversations()
    for found in lines:
        path = str(found.get("path", MESSAGES)).partition("?")[0]
        raw = _raw(found.get("body"))
        body = index(raw)
        if not path.endswith("/messages"):
            left.add("other paths of the service")
        elif found.get("status", GOOD) != GOOD:
            left.add("requests that the service refused")
        elif body is None or not body.messages:
            left.add("bodies that are not requests")
        else:
            headers = _headers(found.get("headers"))
            identity, _ = conversations.follow(identify(path, headers, body), history(body))
            yield Sent(
                raw=raw,
                conversation=identity.conversation.rstrip("/"),
                at=_at(found),
                usage=reported(found.get("usage")),
                call=identity.call,
            )


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
        if (moment := seconds(value)) is not None:
            return moment
    return None
