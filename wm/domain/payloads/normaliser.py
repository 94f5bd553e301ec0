"""Turn any agent's hook call into events, and an outcome into what the hook prints.

An agent is a `Dialect`: its row of `dialects.toml`, and a function that reads what a tool of it
printed. Every call is read as if Claude Code had made it, because most agents copied its fields.
OpenCode's plugin has its own adapter. Decides nothing about memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from wm.domain.payloads import prompt_text
from wm.domain.payloads.fields import check_object, integer, mapping, require, strings, text
from wm.domain.payloads.hook_values import HookOutcome, ParsedHook, Reply, Want
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    CompactionStarted,
    Event,
    SessionEnded,
    SessionStarted,
    ToolFinished,
    UsageReported,
    UserPrompt,
)
from wm.text.tables import Tables

TABLES = Tables("wm.domain.payloads", "dialects.toml")

PATCH_FILES = ("*** Update File: ", "*** Add File: ", "*** Move to: ", "*** Delete File: ")


class FinishedCall(Struct, frozen=True):
    """A finished call, under Claude Code's names of fields.

    kind: one of `formats.events.TOOLS`. has_failed: the agent used its hook for failures.
    """

    kind: str
    name: str
    body: Mapping[str, Any]
    has_failed: bool = False

    @property
    def tool_input(self) -> Mapping[str, Any]:
        return mapping(self.body, "tool_input")

    @property
    def response(self) -> Any:
        return self.body.get("tool_response")

    @property
    def error(self) -> str:
        return text(self.body, "error")

    @property
    def changes_files(self) -> bool:
        return self.kind in ("edit", "write")


class ToolResult(Struct, frozen=True):
    """The fields of `ToolFinished` of the same names, as an agent reported them."""

    output: str = ""
    exit_code: int | None = None
    failed: bool = False
    replaceable: str = ""
    paths: tuple[str, ...] = ()


def _replaces_nothing(_body: Mapping[str, Any], _output: str) -> dict[str, Any]:
    return {}


class Dialect:
    """One agent's hooks. read_result: what a finished call left behind. replaced: the fields of a
    reply that put a shorter output in the place of a tool's."""

    def __init__(
        self,
        agent: str,
        read_result: Callable[[FinishedCall], ToolResult],
        replaced: Callable[[Mapping[str, Any], str], dict[str, Any]] = _replaces_nothing,
    ) -> None:
        row: Mapping[str, Any] = TABLES.table(agent)
        self.agent, self.read_result, self.replaced = agent, read_result, replaced
        self.title = text(row, "title")
        self.names: Mapping[str, str] = mapping(row, "names")
        self.tools: Mapping[str, str] = mapping(row, "tools")
        self.sources: Mapping[str, str] = mapping(row, "sources")
        self.keeps = row["keeps"] is True
        self.nested, self.plain = row.get("nested") is True, row.get("plain") is True
        self.limited = text(row, "limited")
        self.context, self.shown = text(row, "context"), text(row, "shown")
        self.not_with = text(row, "not_with")
        self.recorded = frozenset(strings(row, "record"))
        self.meanings: dict[str, str] = {}
        self.wants: dict[str, frozenset[Want]] = {}
        for hook, words in mapping(row, "events").items():
            meaning, *wants = words.split()
            self.meanings[hook], self.wants[hook] = meaning, frozenset(map(Want, wants))

    def parse(self, name: str, payload: Any, project: str = "") -> ParsedHook:
        """Parse one hook call. Hooks that are not used return no events.

        project: the hook's environment names it, the payload does not. Raises HostError for a
        payload that is not an object, names no session, or lacks a field that its event needs.
        """
        where = f"{self.title}'s {name}"
        body = self.renamed(check_object(payload, where=where))
        in_subagent = bool(text(body, "agent_id"))
        session = require(body, "session_id", where=where)
        read = READERS.get(self.meanings.get(name, ""))
        if self.not_with in body:
            read = None
        events = read(_Call(self, name, where, body)) if read is not None else ()
        cwd = text(body, "cwd") or next(iter(strings(body, "workspace_roots")), "")
        return ParsedHook(
            agent=self.agent,
            session_id=(in_subagent and text(body, "parent_agent_id")) or session,
            directory=project or cwd,
            events=_of_subagent(events) if in_subagent else events,
            wants=frozenset() if in_subagent else self.wants.get(name, frozenset()),
            keeps=self.keeps,
            record=text(body, "transcript_path") if name in self.recorded else "",
            call_id=text(body, "tool_use_id"),
        )

    def reply(self, name: str, outcome: HookOutcome) -> Reply:
        """Return the hook's output: text where the model reads it, and nothing elsewhere."""
        wants = self.wants.get(name, frozenset())
        if Want.INSTRUCTIONS in wants and self.plain:
            return outcome.instructions or None
        if not wants:
            return None
        blocks = outcome.blocks if Want.BLOCKS in wants else ()
        new = (*outcome.notices, outcome.review)
        appended = new if Want.NOTICES in wants else (outcome.instructions,)
        context = "\n\n".join(part for part in (*blocks, *appended) if part)
        answer: dict[str, Any] = {self.context: context} if context else {}
        if outcome.output and self.meanings[name] == "result":
            answer |= self.replaced(self.renamed(outcome.payload), outcome.output)
        if answer and self.nested:
            answer = {"hookSpecificOutput": {"hookEventName": name, **answer}}
        if outcome.shown and self.shown:
            answer = {self.shown: outcome.shown, **answer}
        return answer or None

    def renamed(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The payload under Claude Code's names of fields."""
        names = self.names
        return {names.get(key, key): value for key, value in payload.items()} if names else payload


class _Call(Struct, frozen=True):
    """One hook call, its fields under Claude Code's names."""

    dialect: Dialect
    name: str
    where: str
    body: Mapping[str, Any]


def _of_subagent(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Keep a subagent's changes on disk, which are facts of the session; drop what it read, said or
    was asked."""
    return tuple(
        e.model_copy(update={"aside": True})
        for e in events
        if isinstance(e, ToolFinished) and e.tool in ("bash", "edit", "write")
    )


def _session_start(call: _Call) -> tuple[Event, ...]:
    source = text(call.body, "source") or "startup"
    return (
        SessionStarted(
            source=call.dialect.sources.get(source, source),
            transcript=text(call.body, "transcript_path"),
            context_tokens=integer(call.body, "context_tokens") or 0,
        ),
    )


def _prompt(call: _Call) -> tuple[Event, ...]:
    if call.body.get("prompt") == "":
        return ()  # Qwen Code sends one after each batch of tools
    sent = require(call.body, "prompt", where=call.where)
    words = prompt_text.of_user(sent)
    typed = UserPrompt(text=words, message_id=text(call.body, "prompt_id"))
    return (*((typed,) if words else ()), *attached(prompt_text.added(sent)))


def attached(shown: str) -> tuple[Event, ...]:
    """Return an event for text that the client added to the user's words, such as a mentioned file:
    shown to the model, but not the words of the user (TR-3)."""
    return (ToolFinished(tool="other", name="attachment", output=shown),) if shown else ()


def _tool(call: _Call) -> tuple[Event, ...]:
    name = require(call.body, "tool_name", where=call.where)
    kind = call.dialect.tools.get(name, "other")
    has_failed = call.dialect.meanings[call.name] == "failure"
    done = FinishedCall(kind, name, call.body, has_failed)
    result = call.dialect.read_result(done)
    named = (text(done.tool_input, key) for key in ("file_path", "notebook_path", "path"))
    path, command = next(filter(None, named), ""), text(done.tool_input, "command")
    return (
        ToolFinished(
            tool=kind,
            name=name,
            command=command if kind == "bash" else "",
            paths=result.paths or touched_files(kind, path, command, result.output),
            output=result.output,
            exit_code=result.exit_code,
            failed=result.failed,
            replaceable=result.replaceable,
            cwd=text(call.body, "cwd"),
        ),
    )


def touched_files(kind: str, path: str, patch: str, output: str) -> tuple[str, ...]:
    """Return the files that a tool of this kind read or changed, or that a search found. path,
    patch: what the call named; one of them is empty."""
    if kind == "grep":
        return prompt_text.matched_paths(output)
    if kind not in ("read", "edit", "write"):
        return ()
    return (path,) if path else patched_files(patch)


def patched_files(patch: str) -> tuple[str, ...]:
    """Return the files that a patch in the form of `apply_patch` names, each once."""
    found: dict[str, None] = {}
    for line in patch.splitlines():
        for mark in PATCH_FILES:
            if line.startswith(mark) and len(found) < prompt_text.MAX_MATCHED_PATHS:
                found[line[len(mark) :].strip()] = None
    return tuple(path for path in found if path)


def _compaction_started(call: _Call) -> tuple[Event, ...]:
    return (CompactionStarted(trigger=text(call.body, "trigger")),)


def _compacts(call: _Call) -> tuple[Event, ...]:
    """An agent without a hook for the end of a compaction."""
    return (*_compaction_started(call), CompactionFinished())


def _compaction_finished(call: _Call) -> tuple[Event, ...]:
    return (CompactionFinished(summary=text(call.body, "compact_summary")),)


def _stopped(call: _Call) -> tuple[Event, ...]:
    words = text(call.body, "last_assistant_message")
    answer = (AssistantText(text=words),) if words else ()
    tokens = integer(call.body, "input_tokens") or 0
    limit = integer(call.body, "context_limit") or 0
    used = UsageReported(tokens=tokens, limit=limit, source=call.dialect.agent)
    return (*answer, used) if tokens > 0 else answer


def _session_end(call: _Call) -> tuple[Event, ...]:
    return (SessionEnded(reason=text(call.body, "reason")),)


READERS: Mapping[str, Callable[[_Call], tuple[Event, ...]]] = {
    "start": _session_start,
    "prompt": _prompt,
    "result": _tool,
    "failure": _tool,
    "compacting": _compaction_started,
    "compacted": _compaction_finished,
    "compaction": _compacts,
    "stop": _stopped,
    "end": _session_end,
}
"""The meanings of `dialects.toml`, and how each is read."""
