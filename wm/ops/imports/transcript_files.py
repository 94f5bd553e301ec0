"""Where further agents keep the transcripts of the sessions that began in a folder.

Claude Code names a folder after the project; these agents do not, so that each file is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from wm.text.jsontext import as_object, object_of

PLACES = {
    "codex": "sessions/*/*/*/rollout-*.jsonl",
    "copilot": "session-state/*/events.jsonl",
    "gemini": "tmp/*/chats/*.jsonl",
    "qwen": "projects/*/chats/*.jsonl",
}
"""Agent -> where its own folder has transcripts."""

MAX_FIRST_LINE = 4 * 1024 * 1024
"""Bytes."""


def transcripts_of(folders: Mapping[str, Path], directory: str) -> Iterator[Path]:
    """The transcripts of sessions that were started in a directory. folders: each agent's own."""
    for agent, pattern in PLACES.items():
        for path in sorted(folders[agent].glob(pattern)) if agent in folders else ():
            if _directory(path) == directory:
                yield path


def _directory(path: Path) -> str:
    """Where a session was started: its first line says it, for Gemini CLI a file beside it."""
    try:
        beside = path.parent.parent / ".project_root"
        if beside.is_file():
            return beside.read_text("utf-8").strip()
        with path.open("rb") as lines:
            first = object_of(lines.readline(MAX_FIRST_LINE)) or {}
    except (OSError, ValueError):
        return ""
    context = as_object(as_object(first.get("data")).get("context"))
    places = (first, as_object(first.get("payload")), context)
    return next((str(place["cwd"]) for place in places if place.get("cwd")), "")
