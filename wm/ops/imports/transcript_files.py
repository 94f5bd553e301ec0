"""Where agents keep the transcripts of the sessions of a workspace.

The beginning of each file says where its session was started. Only Claude Code also names a folder
after that, in a form that several folders share. OpenCode keeps all sessions in one database, which
is opened for reading only.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from wm.domain.imports.foreign import ForeignFile
from wm.domain.payloads.prompt_text import unquoted
from wm.ops.imports.foreign_file import UnreadableFile
from wm.text.jsontext import as_object, as_text, object_of

PLACES = {
    "claude": "projects/*/*.jsonl",
    "codex": "sessions/*/*/*/rollout-*.jsonl",
    "copilot": "session-state/*/events.jsonl",
    "gemini": "tmp/*/chats/*.jsonl",
    "qwen": "projects/*/chats/*.jsonl",
}
"""Agent -> where its own folder has transcripts."""


MOST_LINES = 100
"""Lines before the first one that names a folder, such as summaries."""


def transcripts_of(
    folders: Mapping[str, Path], is_here: Callable[[str], bool], projects: Sequence[str] = ()
) -> Iterator[Path]:
    """The transcripts of sessions that were started here. folders: each agent's own. projects: the
    folders whose name, as Claude Code writes it, counts if a transcript names no folder."""
    names = set(map(claude_name, projects))
    for agent, pattern in PLACES.items():
        for path in sorted(folders[agent].glob(pattern)) if agent in folders else ():
            began = began_in(str(path))
            # "my/app" and "my-app" have one name there, so what the transcript says comes first.
            named = path.parent.name in names and path.parent.name != claude_name(began or "")
            if began is None or is_here(began) or named:
                yield path


def claude_name(folder: str) -> str:
    """The name under which Claude Code keeps the sessions of a folder."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in folder)


def began_in(path: str) -> str | None:
    """Where a session was started: its first lines say it, for Gemini CLI a file beside it. "" if
    they do not, None if the file cannot be read, so that reading it says why."""
    try:
        beside = Path(path).parent.parent / ".project_root"
        if beside.is_file():
            return beside.read_text("utf-8").strip()
        if not Path(path).is_file():
            return ""  # opening a FIFO would wait for a writer
        with open(path, "rb") as lines:
            for line in islice(lines, MOST_LINES):
                first = object_of(line) or {}
                context = as_object(as_object(first.get("data")).get("context"))
                places = (first, as_object(first.get("payload")), context)
                if found := next((p["cwd"] for p in places if p.get("cwd")), ""):
                    return str(found)
    except ValueError:
        return ""
    except OSError:
        return None
    return ""


OPENCODE_DATABASE = "opencode/opencode.db"
"""OpenCode's database, below the user's data folder."""

_SESSIONS = "SELECT 1 FROM session WHERE parent_id IS NULL AND is_here(directory) LIMIT 1"
_SAID = """
    SELECT session.id, message.data, part.data, part.time_created
    FROM part JOIN message ON message.id = part.message_id
    JOIN session ON session.id = part.session_id
    WHERE session.parent_id IS NULL
    AND is_here(session.directory) AND instr(part.data, '"text"')
    ORDER BY part.time_created, part.id
"""
"""The parts of all messages of sessions that were started here, without subagents."""


def has_sessions(path: str, is_here: Callable[[str], bool]) -> bool:
    """Whether OpenCode's database has sessions that were started here; True if it cannot be read,
    so that reading it says why."""
    found = _rows(path, _SESSIONS, is_here)
    return isinstance(found, UnreadableFile) or bool(found)


def from_database(
    path: str, is_here: Callable[[str], bool], max_chars: int
) -> ForeignFile | UnreadableFile:
    """What was said in OpenCode's sessions that were started here, as lines of a transcript."""
    found = _rows(path, _SAID, is_here)
    if isinstance(found, UnreadableFile):
        return found
    return ForeignFile(path, "\n".join(_line(*row) for row in found), max_chars=max_chars)


def _rows(
    path: str, query: str, is_here: Callable[[str], bool]
) -> list[tuple[str, str, str, int]] | UnreadableFile:
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as database:
            database.create_function("is_here", 1, is_here)
            return database.execute(query).fetchall()
    except sqlite3.Error as error:
        return UnreadableFile(
            path, f"it is in use, or not a database of OpenCode that wm knows ({error})"
        )


def _line(session: str, message: str, part: str, at: int) -> str:
    """One part of a message in the form of a transcript's line."""
    said = object_of(part) or {}
    is_text = said.get("type") == "text" and not (said.get("synthetic") or said.get("ignored"))
    text = as_text(said.get("text")) if is_text else ""
    role = (object_of(message) or {}).get("role")
    text = unquoted(text) if role == "user" else text
    line = {"type": role, "sessionId": session, "timestamp": at, "message": {"content": text}}
    return json.dumps(line, ensure_ascii=False)
