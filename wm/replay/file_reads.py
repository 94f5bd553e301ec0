"""Which files the calls of a conversation read and write.

Counts file tools, and shell commands that do the same: `cat`, `head`, `tail`, `nl` and `sed -n`
of named files. Paths stay as the call names them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from wm.wire.body import Block, Body, Message
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, results

READERS = frozenset({"read", "view", "notebookread"})
WRITERS = frozenset(
    {"edit", "write", "multiedit", "create", "str_replace", "insert", "apply_patch", "notebookedit"}
)
EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool"})
SHELLS = frozenset({"bash", "shell", "execute_bash", "run"})
_PATHS = ("file_path", "filePath", "path", "notebook_path", "file_name")
_RANGE = ("offset", "limit", "line_number", "view_range", "start_line", "end_line")
_SHOWS = frozenset({"cat", "head", "tail", "nl", "sed"})
_MAX_COMMAND_CHARS = 2_000
_STEPS = re.compile(r"&&|\|\||;|\n")


class Touch(Struct, frozen=True):
    """One read or write of a file. part: the range, as the call names it."""

    call: str
    path: str
    part: str
    writes: bool


def touches(block: Block) -> Iterator[Touch]:
    """The reads and writes of a call; nothing for other blocks."""
    if block.type != "tool_use":
        return
    value = block.value
    given = value.get("input")
    fields: Mapping[str, Any] = given if isinstance(given, dict) else {}
    call, name = str(value.get("id", "")), str(value.get("name", "")).lower()
    path = next((fields[key] for key in _PATHS if isinstance(fields.get(key), str)), "")
    if name in SHELLS:
        for shown, part in _shown(str(fields.get("command") or "")):
            yield Touch(call, shown, part, writes=False)
    elif path and name in EDITORS:
        part = str(fields.get("view_range") or "")
        yield Touch(call, path, part, writes=fields.get("command") != "view")
    elif path and name in READERS:
        part = ":".join(str(fields[key]) for key in _RANGE if fields.get(key) is not None)
        yield Touch(call, path, part, writes=False)
    elif path and name in WRITERS:
        yield Touch(call, path, "", writes=True)


def reads_in(message: Message) -> Iterator[Touch]:
    """The file reads of a message."""
    for block in message.blocks:
        yield from (touch for touch in touches(block) if not touch.writes)


def removed_paths(
    body: Body, conversation: ConversationHistory, log: Mapping[str, Decision]
) -> frozenset[str]:
    """Files whose text a decision removed."""
    calls = {
        str(block.value.get("tool_use_id", ""))
        for block, name in results(body, conversation)
        if name in log
    }
    touched = (t for message in body.messages for b in message.blocks for t in touches(b))
    return frozenset(touch.path for touch in touched if touch.call in calls)


def _shown(command: str) -> Iterator[tuple[str, str]]:
    """(path, range) of files that a command line prints; nothing for long commands or
    here-documents."""
    if len(command) > _MAX_COMMAND_CHARS or "<<" in command:
        return
    for step in _STEPS.split(command):
        try:
            words = shlex.split(step.partition("|")[0])
        except ValueError:
            continue
        if not words or words[0] not in _SHOWS or ">" in step:
            continue
        if words[0] == "sed" and "-n" not in words:
            continue
        paths = [word for word in words[1:] if _is_path(word)]
        part = " ".join(word for word in words[1:] if word not in paths)
        yield from ((path, part) for path in paths)


def _is_path(word: str) -> bool:
    plain = word.strip("0123456789,$p;")
    return bool(plain) and not word.startswith("-") and ("/" in word or "." in word)
