"""Recorded sessions through the use cases, as the events that an agent sends.

A case names a session by its id; its transcript is looked up in the files and folders that `use`
was given. Two forms are read: sessions in Messages form, one a line, and the Markdown of
SpecStory, whose files begin with the start time of the session (`specstory-<start>`).
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from tests.bench.story_set import Diary

_PATHS: list[Path] = []
Case = dict[str, Any]
Hook = tuple[str, dict[str, Any]]
"""A hook of Claude Code, and its payload without the session."""

SPECSTORY = "specstory-"
NAMES = {
    "bash": "Bash",
    "execute_bash": "Bash",
    "shell": "Bash",
    "read": "Read",
    "edit": "Edit",
    "write": "Write",
}
"""Tools of other agents, as Claude Code calls them."""

_TURN = re.compile(r"^_\*\*(User|Agent)(?: - \w+)? ?\(.*\)\*\*_$", re.MULTILINE)
_TOOL = re.compile(
    r'<tool-use data-tool-type="[^"]*" data-tool-name="([^"]*)">(.*?)</tool-use>', re.DOTALL
)
_CHANGED = re.compile(
    r"(?:The file (\S+) has been (?:updated|created)|File created successfully at: (\S+))"
)
_COMMAND = re.compile(r"^(`+)(.+?)\1\s*$", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"^(?:Error: )?Exit code (\d+)", re.MULTILINE)
_NOT_TYPED = (
    "[Request interrupted",
    "<",
    "This session is being continued",
    "This conversation was compacted",
    "Caveat:",
)
"""Beginnings of messages that a client or an agent wrote in place of the user."""


def sessions(case: Case) -> Case:
    """What a whole session left: the entries, active or waiting, and its recap."""
    diary = Diary(_root(case["id"]))
    diary.event("s-1", "session_started", source="startup")
    found = False
    for name, payload in _hooks(case["id"]):
        found = True
        diary.now += timedelta(seconds=20)
        diary.hook("s-1", name, payload)
    if not found:
        print(f"{case['id']}: no transcript; --transcripts names files", file=sys.stderr)
    diary.event("s-1", "session_ended")
    (recap,) = diary.recaps() or ({},)
    kept = [{"text": e.text} for e in diary.everything() if e.status in ("active", "inbox")]
    return {"learned": kept, "recap": recap}


def _root(name: str) -> str:
    if name.startswith(SPECSTORY):
        return "/Users/sean/Source/SpecStory/getspecstory"
    return "/Users/badlogic/workspaces/pi-mono" if name.startswith("pi-") else "/workspace"


def _hooks(name: str) -> Iterator[Hook]:
    for path in filter(Path.exists, _PATHS):
        if name.startswith(SPECSTORY) and path.suffix == ".md":
            if path.name.startswith(name.removeprefix(SPECSTORY)):
                yield from _of_markdown(path.read_text("utf-8"))
                return
        elif path.suffix != ".md" and (messages := _messages(path).get(name)):
            yield from _of_messages(messages)
            return


def use(paths: Iterable[Path]) -> None:
    """Look up transcripts in these files, and in the Markdown files below these folders."""
    _PATHS.clear()
    for one in paths:
        _PATHS.extend(sorted(one.rglob("*.md")) if one.is_dir() else [one])


@cache
def _messages(path: Path) -> dict[str, list[dict[str, Any]]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode()
    rows = (json.loads(line) for line in text.splitlines() if line.strip())
    return {row["id"]: row["messages"] for row in rows}


# --- Messages form ------------------------------------------------------------------------------


def _of_messages(messages: list[dict[str, Any]]) -> Iterator[Hook]:
    calls: dict[str, dict[str, Any]] = {}
    said = ""
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] == "assistant":
            texts = [b["text"] for b in blocks if b["type"] == "text"]
            said = "\n".join(texts) or said
            calls |= {b["id"]: b for b in blocks if b["type"] == "tool_use"}
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                call = calls.get(block["tool_use_id"])
                if call is not None:
                    yield _done(call["name"], call["input"], _text(block.get("content")), block)
        typed = "\n".join(b["text"] for b in blocks if b["type"] == "text")
        if typed.strip() and not typed.lstrip().startswith(_NOT_TYPED):
            if said:
                yield "Stop", {"last_assistant_message": said}
                said = ""
            yield "UserPromptSubmit", {"prompt": typed}
    if said:
        yield "Stop", {"last_assistant_message": said}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return str(content or "")


def _done(name: str, given: dict[str, Any], output: str, block: dict[str, Any]) -> Hook:
    """The hook of a finished call. A result that is marked as an error is a failed call."""
    name = NAMES.get(name, name)
    path = given.get("file_path") or given.get("path") or given.get("filePath") or ""
    call = {
        "tool_name": name,
        "tool_input": {**given, "file_path": path},
        "cwd": given.get("workdir", ""),
    }
    code = _EXIT.search(output[:200])
    if block.get("is_error") or (name == "Bash" and code is not None and code.group(1) != "0"):
        error = output if code is not None else f"Exit code 1\n{output}"
        return "PostToolUseFailure", {**call, "error": error}
    return "PostToolUse", {**call, "tool_response": {"stdout": output}}


# --- SpecStory ----------------------------------------------------------------------------------


def _of_markdown(text: str) -> Iterator[Hook]:
    marks = list(_TURN.finditer(text))
    said = ""
    for here, after in zip(marks, [*marks[1:], None], strict=True):
        body = text[here.end() : after.start() if after else len(text)]
        body = body.strip().removesuffix("---").strip()
        if here.group(1) == "User":
            if not body or body.startswith(_NOT_TYPED):
                continue
            if said:
                yield "Stop", {"last_assistant_message": said}
                said = ""
            yield "UserPromptSubmit", {"prompt": body}
            continue
        said = _TOOL.sub("", body).strip() or said
        for call in _TOOL.finditer(body):
            if (hook := _of_tool(call.group(1), call.group(2))) is not None:
                yield hook
    if said:
        yield "Stop", {"last_assistant_message": said}


def _of_tool(name: str, body: str) -> Hook | None:
    output = "\n".join(_FENCED.findall(body))
    if name in ("Edit", "Write", "MultiEdit"):
        changed = _CHANGED.search(body)
        if changed is None:
            return None
        given = {"file_path": (changed.group(1) or changed.group(2)).rstrip(".")}
        return _done(name, given, "", {})
    if name != "Bash":
        return _done(name, {}, output, {})
    command = _COMMAND.search(body)
    return _done(name, {"command": command.group(2)}, output, {}) if command else None
