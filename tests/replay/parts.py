"""Small recordings of every kind."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wm.api.replay import ReplayReport
from wm.replay.files import recorded
from wm.replay.report import replay
from wm.replay.requests import SkippedRequests
from wm.wire.policy import Policy
from wm.wire.rows import Measure, estimate

MODEL = "claude-opus-5-5"
LONG = "the berth is free " * 300


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def used(call: str, path: str, name: str = "Read") -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": {"file_path": path}}


def result(call: str, words: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": words}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


MESSAGES = [
    user(text("Where do the ferries land?")),
    assistant(used("c1", "/pier/berths.py")),
    user(result("c1", LONG)),
    assistant(text("I look again."), used("c2", "/pier/berths.py")),
    user(result("c2", LONG)),
    assistant(text("At berth two.")),
]


def session(name: str = "harbour", **more: Any) -> dict[str, Any]:
    return {"id": name, "model": MODEL, "system": "Be brief.", "messages": MESSAGES, **more}


def capture(end: int, at: float, usage: dict[str, int] | None = None, **more: Any) -> Any:
    body = {
        "model": MODEL,
        "max_tokens": 100,
        "system": "Be brief. " * 300,
        "messages": MESSAGES[:end],
        "cache_control": {"type": "ephemeral"},
    }
    line = {"t": at, "method": "POST", "path": "/v1/messages?beta=true", "body": body}
    headers = {"X-Claude-Code-Session-Id": "s1", "user-agent": "claude-cli/2"}
    return {**line, "headers": headers, **({"usage": usage} if usage else {}), **more}


def line_of(
    kind: str, number: int, message: dict[str, Any] | None, after: int | None = None, **more: Any
) -> dict[str, Any]:
    """A line of a transcript; it follows the one before it, or the one numbered `after`."""
    parent = number - 1 if after is None else after
    line: dict[str, Any] = {
        "type": kind,
        "uuid": f"u{number}",
        "parentUuid": f"u{parent}" if parent else None,
        "sessionId": "s1",
        "timestamp": f"2026-11-21T10:00:{number:02d}.000Z",
        **more,
    }
    return {**line, "message": message} if message else line


def answer(name: str, *blocks: Any, prompt: int = 0) -> dict[str, Any]:
    usage = {"input_tokens": prompt, "output_tokens": 7} if prompt else {}
    return {**assistant(*blocks), "id": name, "model": MODEL, "usage": usage}


def written(path: Path, lines: Iterable[Any], *, packed: bool = False) -> Path:
    raw = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines)
    path.write_bytes(gzip.compress(raw.encode()) if packed else raw.encode())
    return path


def replayed(
    *paths: Path, rule: Policy | None = None, measure: Measure = estimate, **more: Any
) -> ReplayReport:
    return replay(
        paths,
        clock=lambda: 0.0,
        progress=lambda _done, _all: None,
        rule=rule,
        measure=measure,
        **more,
    )


def bodies(path: Path) -> list[dict[str, Any]]:
    return [json.loads(one.raw) for one in recorded(path, SkippedRequests(), lambda _a, _b: None)]


def plain(messages: list[Any]) -> list[Any]:
    """Without marks, contents as lists."""
    return [
        {
            "role": m["role"],
            "content": [{k: v for k, v in b.items() if k != "cache_control"} for b in m["content"]],
        }
        for m in messages
    ]
