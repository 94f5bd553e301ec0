"""Transcripts of agents: what the user said in earlier sessions of this project.

Only the words that the user typed are read: not those of the model, of a tool, of a summary, of a
subagent or of a notification. They teach what the same messages would have taught while they were
typed (EX-1, EX-7), except what is not certain. Each statement is dated by its message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wm.api.imports import ImportFact
from wm.domain.facts import Refusal
from wm.domain.imports import foreign
from wm.domain.imports.foreign import ForeignFile, ForeignMemory, ImportSource
from wm.domain.learning import requests
from wm.domain.learning.forgets import beside_forgets
from wm.domain.learning.stated import Statement
from wm.domain.memory.tombstones import named
from wm.domain.payloads.prompt_text import of_user
from wm.secrets.redact import LABEL_DIGEST_CHARS, PRIVATE_LABEL, Redactor, labels_in
from wm.settings import GateSettings
from wm.text.jsontext import as_object, as_text, object_of, objects_in

NAME = "transcripts"
_NOT_TYPED = ("isMeta", "isSidechain", "isCompactSummary", "agentId")
"""Marks of a line that the client, a subagent or a summary wrote in the user's place."""

_REDACTOR = Redactor(lambda _secret: "0" * LABEL_DIGEST_CHARS)
"""A message is redacted before it is taken apart: a sentence may lose what marks its secret."""

Line = Mapping[str, Any]


class _Message(NamedTuple):
    is_users: bool
    text: str


def wants(parts: tuple[str, ...]) -> bool:
    return len(parts) > 2 and parts[-3] == "projects" and parts[-1].endswith(".jsonl")


def parse(file: ForeignFile) -> ForeignMemory | Refusal:
    """Extract what the messages of one transcript teach."""
    facts: dict[str, ImportFact] = {}
    forgettings: list[foreign.Forgetting] = []
    codes: list[str] = []
    session = answer = ""
    is_known, is_subagents = not file.text.strip(), False
    lines = file.text.split("\n")
    for number, text in enumerate(lines, 1):
        line = object_of(text)
        if line is None:
            # The last line of a session that is still running may be incomplete.
            codes += ["damaged"] if text.strip() and number < len(lines) else []
            continue
        session = _session(line) or session
        is_known |= bool(session) or "leafUuid" in line or "snapshot" in line
        is_subagents |= _begins_subagent(line)
        message = _message(line)
        if message is None or is_subagents:
            continue
        if not message.is_users:
            answer = message.text or answer
            continue
        said = _REDACTOR.text(of_user(message.text))
        asked, gone = requests.find_requests_and_forgets(said, GateSettings())
        stated = requests.taught(beside_forgets(said, gone), answer, asked)
        at = foreign.moment(line.get("timestamp")) or file.modified
        forgettings += (foreign.Forgetting(one, file.path, number, at) for one in gone)
        name = foreign.words(session)
        where = {"file": file.path, "line": number, "session": name, "created_at": at}
        for fact in _facts(file, asked, stated, where):
            if isinstance(fact, str):
                codes.append(fact)
            else:
                facts[fact.id] = fact  # the last time it was said
    if not is_known:
        return Refusal("unknown_format", "It is not a transcript of an agent that wm knows.")
    kept = not_forgotten(facts.values(), forgettings)
    codes += ["forgotten"] * (len(facts) - len(kept))
    return ForeignMemory(
        tuple(kept), foreign.tally(file.path, codes), forgettings=tuple(forgettings)
    )


def not_forgotten(
    facts: Iterable[ImportFact], forgettings: Iterable[foreign.Forgetting]
) -> list[ImportFact]:
    """The statements that no later message, of the same session or another one, asks to forget."""
    left = list(facts)
    for one in forgettings:
        said = (fact for fact in left if fact.came_from == NAME and one.follows(fact))
        gone = named(said, one.text)
        left = [fact for fact in left if fact not in gone]
    return left


def _facts(
    file: ForeignFile, asked: requests.Requests, stated: Sequence[Statement], where: Line
) -> Iterator[ImportFact | str]:
    """What one message teaches; a code for what is skipped of it."""
    found = [(one.text, one.type or "", "explicit") for one in asked.found]
    if asked.unparsed:
        found.append((asked.unparsed, "", "explicit"))
    for one in stated:
        if one.is_certain and not one.only_change:
            found.append((one.text, one.type, "stated"))
        else:
            yield "not_certain"
    for text, kind, source in found:
        hidden = "secret" if labels_in(text) or PRIVATE_LABEL in text else ""
        yield (
            hidden
            or foreign.unfit(text, file)
            or ImportFact(
                id=foreign.id_of_text(text),
                text=text,
                type=kind,
                source=source,
                updated_at=where["created_at"],
                reasons=("imported",),
                came_from=NAME,
                **where,
            )
        )


# --- the formats of the agents -----------------------------------------------------------------


def _session(line: Line) -> str:
    """The session that a line names; "" for most lines of some agents."""
    inner = as_object(line.get("payload")) or as_object(line.get("data"))
    names = (line.get("sessionId"), inner.get("session_id"), inner.get("sessionId"))
    return next((name for name in names if isinstance(name, str) and name), "")


def _begins_subagent(line: Line) -> bool:
    """Whether a file's head says that a model wrote the prompts in it (Codex, Gemini CLI)."""
    payload = as_object(line.get("payload"))
    if line.get("type") == "session_meta":
        sources = payload.get("source", ""), payload.get("thread_source", "user")
        return not isinstance(sources[0], str) or sources[1] != "user"
    return "projectHash" in line and line.get("kind", "main") != "main"


def _message(line: Line) -> _Message | None:
    """What the user typed, or the model answered; None for any other line."""
    if any(line.get(mark) for mark in _NOT_TYPED):
        return None
    if isinstance(line.get("payload"), dict):
        return _of_codex(line["payload"])
    if isinstance(line.get("data"), dict):
        if line["data"].get("source") not in (None, "", "user"):
            return None  # a skill's text
        return _by_kind(line, "user.message", "assistant.message", line["data"].get("content"))
    if "provenance" in line:
        shown = as_object(line.get("systemPayload")).get("displayText")
        parts = shown or as_object(line.get("message")).get("parts")
        return _by_kind(line, "user", "assistant", parts)
    if "content" in line:
        return _by_kind(line, "user", "gemini", line.get("displayContent") or line["content"])
    return _of_claude(line)


def _of_claude(line: Line) -> _Message | None:
    if line.get("type") == "attachment":  # typed while the agent worked
        queued = as_object(line.get("attachment"))
        is_typed = queued.get("type") == "queued_command" and queued.get("commandMode") == "prompt"
        line = {**queued, "type": "user", "message": {"content": queued.get("prompt")}}
        if not is_typed or queued.get("isMeta"):
            return None
    if as_object(line.get("origin")).get("kind", "human") != "human":
        return None
    return _by_kind(line, "user", "assistant", as_object(line.get("message")).get("content"))


def _of_codex(payload: Line) -> _Message | None:
    """Only its events: the items of a response include what the client adds to a prompt."""
    item = as_object(payload.get("item")) or payload
    content = item.get("content", item.get("message"))
    if item.get("type") in ("UserMessage", "user_message"):
        return _Message(True, _text(content))
    is_answer = item.get("type") in ("AgentMessage", "agent_message")
    return _Message(False, _text(content)) if is_answer else None


def _by_kind(line: Line, user: str, model: str, content: Any) -> _Message | None:
    kind = line.get("type")
    return _Message(kind == user, _text(content)) if kind in (user, model) else None


def _text(content: Any) -> str:
    """The texts of a message, without thoughts and without what tools returned."""
    if isinstance(content, str):
        return content
    parts = (part for part in objects_in(content) if part.get("thought") is not True)
    texts = (
        as_text(part.get("text")) for part in parts if part.get("type", "text") in ("text", "Text")
    )
    return "\n".join(text for text in texts if text)


SOURCE = ImportSource(
    name=NAME,
    spots=(),  # the transcripts themselves say which workspace they belong to
    wants=wants,
    parse=parse,
    json=False,
    max_bytes=256 * 1024 * 1024,
    is_asked_for=True,
    can_be_users=True,
)
