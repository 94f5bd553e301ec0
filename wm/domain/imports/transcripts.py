"""Transcripts of Claude Code: what the user said in earlier sessions of this project.

Only the words that the user typed are read: not those of the model, of a tool, of a summary, of a
subagent or of a notification. They teach what the same messages would have taught while they were
typed (EX-1, EX-7), except what is not certain. Each statement is dated by its message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wm.api.imports import ImportFact
from wm.domain.facts import Refusal
from wm.domain.imports.foreign import (
    CLAUDE,
    ForeignFile,
    ForeignMemory,
    ImportSource,
    Spot,
    id_of_text,
    moment,
    tally,
    unfit,
    words,
)
from wm.domain.learning.requests import find_requests
from wm.domain.learning.taught import taught
from wm.domain.payloads.prompt_text import of_user
from wm.settings import GateSettings
from wm.text.jsontext import as_object, as_text, object_of, objects_in

NAME = "transcripts"
LONGEST_LINE = 256 * 1024
"""Characters; a longer line is the output of a tool, or an image."""
_NOT_TYPED = ("isMeta", "isSidechain", "isCompactSummary")
"""Marks of a line that the client, a subagent or a summary wrote in the user's place."""


def wants(parts: tuple[str, ...]) -> bool:
    return len(parts) > 2 and parts[-3] == "projects" and parts[-1].endswith(".jsonl")


def parse(file: ForeignFile) -> ForeignMemory | Refusal:
    """Extract what the messages of one transcript teach."""
    facts: dict[str, ImportFact] = {}
    codes: list[str] = []
    answer, is_transcript = "", False
    for number, text in enumerate(file.text.split("\n"), 1):
        line = object_of(text) if len(text) <= LONGEST_LINE else None
        if line is None:
            continue  # the last line of a session that is still running may be incomplete
        is_transcript |= "sessionId" in line
        if line.get("type") == "assistant":
            answer = _text(line) or answer
        elif said := _typed(line):
            for fact in _facts(file, line, said, answer, number):
                if isinstance(fact, str):
                    codes.append(fact)
                else:
                    facts[fact.id] = fact  # the last time it was said
    if not is_transcript:
        return Refusal("unknown_format", "It is not a transcript of Claude Code.")
    return ForeignMemory(tuple(facts.values()), tally(file.path, codes))


def _typed(line: Mapping[str, Any]) -> str:
    """The words of the user in a line of a transcript; "" for any other line."""
    if line.get("type") == "attachment":  # typed while the agent worked
        line = as_object(line.get("attachment"))
        is_typed = line.get("type") == "queued_command" and line.get("commandMode") == "prompt"
    else:
        is_typed = line.get("type") == "user"
    origin = as_object(line.get("origin")).get("kind", "human")
    if not is_typed or origin != "human" or any(line.get(mark) for mark in _NOT_TYPED):
        return ""
    return of_user(_text(line))


def _text(line: Mapping[str, Any]) -> str:
    """The text of a message, without what tools returned."""
    content = line.get("prompt", as_object(line.get("message")).get("content"))
    if isinstance(content, str):
        return content
    blocks = objects_in(content)
    return "\n".join(as_text(block.get("text")) for block in blocks if block.get("type") == "text")


def _facts(
    file: ForeignFile, line: Mapping[str, Any], said: str, answer: str, number: int
) -> Iterator[ImportFact | str]:
    """What one message teaches; a code for what is skipped of it."""
    asked = find_requests(said, GateSettings())
    found = [(one.text, one.type or "", "explicit") for one in asked.found]
    for one in taught(said, answer, asked):
        if one.is_certain and not one.only_change:
            found.append((one.text, one.type, "stated"))
        else:
            yield "not_certain"
    at = moment(line.get("timestamp")) or file.modified
    for text, kind, source in found:
        yield unfit(text, file) or ImportFact(
            id=id_of_text(text),
            text=text,
            type=kind,
            source=source,
            created_at=at,
            updated_at=at,
            session=words(line.get("sessionId")),
            reasons=("imported",),
            came_from=NAME,
            file=file.path,
            line=number,
        )


SOURCE = ImportSource(
    name=NAME,
    spots=(Spot(CLAUDE, "projects/{project}/*.jsonl"),),
    wants=wants,
    parse=parse,
    json=False,
    max_bytes=256 * 1024 * 1024,
    is_asked_for=True,
    can_be_users=True,
)
