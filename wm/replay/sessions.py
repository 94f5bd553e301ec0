"""Whole sessions: one per line, with id, model, system prompt and all messages.

Yields one request per assistant message, with everything before it. Such a file has no times, so
nothing expires in its cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from wm.replay import requests
from wm.wire.block import CHARS_PER_TOKEN


def is_session(found: requests.JsonObject) -> bool:
    return isinstance(found.get("messages"), list) and "type" not in found


def sessions(
    lines: Iterable[requests.JsonObject], left: requests.SkippedRequests, _path: Path
) -> Iterator[requests.Sent]:
    """The requests of a file of sessions."""
    for number, found in enumerate(lines, start=1):
        yield from _session(found, str(found.get("id") or f"session {number}"), left)


def _session(
    found: requests.JsonObject, name: str, left: requests.SkippedRequests
) -> Iterator[requests.Sent]:
    model = str(found.get("model") or "")
    system = requests.system_of(str(found.get("system") or ""))
    before: list[bytes] = []
    size = 0
    last: requests.JsonObject | None = None
    for message in found["messages"]:
        if not isinstance(message, dict) or not message.get("content"):
            left.add("messages without content")
            continue
        if message.get("role") == "assistant" and last is not None:
            if size > requests.MAX_BODY_BYTES:
                left.add("requests larger than the service takes")
                return
            raw = requests.request_of(model, system, before[:-1], last)
            output = len(requests.written(message["content"])) // CHARS_PER_TOKEN
            yield requests.Sent(raw=raw, conversation=name, output=output, cache=name)
        before.append(requests.written(message))
        size += len(before[-1])
        last = message
