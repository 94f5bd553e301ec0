"""Which files the calls of a conversation read and write.

Counts file tools, and shell commands that do the same: `cat`, `head`, `tail`, `nl` and `sed -n`
of named files. Paths stay as the call names them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from wm.wire.body import Block, Message

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


class ReadCopies(Struct):
    """The newest copy of each file in one conversation: the place of the result that shows it. A
    write leaves none, because the file has changed since."""

    _newest: dict[tuple[str, str], str] = field(default_factory=dict)
    _calls: dict[str, list[Touch]] = field(default_factory=dict)

    def read_again(self, messages: Sequence[Message], is_removed: Callable[[str], bool]) -> int:
        """Number of reads in these messages of a file that has not changed since its newest copy,
        which is no longer in the context."""
        copies = {place for place in self._newest.values() if is_removed(place)}
        reads = (read for message in messages for read in reads_in(message))
        return sum(self._newest.get((read.path, read.part)) in copies for read in reads)

    def take(self, messages: Sequence[Message], places: Sequence[tuple[str, ...]]) -> None:
        """Follow the conversation by these messages."""
        for message, line in zip(messages, places, strict=True):
            for block, place in zip(message.blocks, line, strict=True):
                if found := list(touches(block)):
                    self._calls[found[0].call] = found
                elif block.type == "tool_result":
                    self._shown(self._calls.pop(str(block.value.get("tool_use_id")), []), place)

    def _shown(self, touched: Sequence[Touch], place: str) -> None:
        for touch in touched:
            if touch.writes:
                for known in [one for one in self._newest if one[0] == touch.path]:
                    del self._newest[known]
            else:
                self._newest[touch.path, touch.part] = place


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
