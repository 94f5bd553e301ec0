"""Claude Code's hooks (IF-3): the meaning of each payload, and the output of each hook.

Facts this relies on (measured with 2.1.330 and 2.1.197): a shell command that ends with
a code other than 0 arrives as PostToolUseFailure whose `error` begins with "Exit code N";
PostToolUse means 0 unless the command ran in the background, was interrupted, or the client
says that it interpreted the code otherwise. Calls made by a subagent carry `agent_id` and the
main session's id. A Stop hook that prints context makes the model continue, so Stop never prints.
PreCompact takes plain text; SessionStart, UserPromptSubmit and the two PostToolUse hooks take
`additionalContext`, which the client keeps in the conversation permanently. PostToolUse also
takes `updatedToolOutput`, an answer in the tool's own form; one in another form is dropped, and
the model reads the original. A call that failed has no such field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wm.domain.payloads import prompt_text
from wm.domain.payloads.fields import (
    check_object,
    every_text,
    mapping,
    plain,
    require,
    strings,
    text,
    whole,
)
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
from wm.text import patterns
from wm.text.tables import Tables

TOOL_KINDS = dict(Tables("wm.domain.payloads").rows("claude_code", columns=2))

CONTEXT_EVENTS = frozenset(
    {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"}
)
"""Hooks whose `additionalContext` reaches the model without a side effect."""

REPLACED = ("stdout", "content")
"""Members of an answer whose text may be shortened: of Bash, and of Grep."""

_EXIT_CODE = patterns.compile(r"^(?:Error: )?Exit code (\d{1,5})\s*(?:\n|$)")


def parse(name: str, payload: Any, project: str = "") -> ParsedHook:
    """Parse one hook call. Hooks that are not used return no events.

    project: the hook's environment names it (CLAUDE_PROJECT_DIR), the payload does not.
    Raises HostError for a payload that is not an object, has no `session_id`, or lacks a field
    that its event needs.
    """
    where = f"Claude Code's {name}"
    body = check_object(payload, where=where)
    session_id = require(body, "session_id", where=where)
    read, wants = EVENTS.get(name, (_nothing, frozenset[Want]()))
    in_subagent = bool(text(body, "agent_id"))
    events = read(body, where)
    cwd = text(body, "cwd")
    return ParsedHook(
        agent="claude-code",
        session_id=session_id,
        cwd=cwd,
        project=project,
        directory=project or cwd,
        events=_of_subagent(events) if in_subagent else events,
        wants=frozenset() if in_subagent else wants,
        keeps=True,
    )


def reply(name: str, outcome: HookOutcome) -> Reply:
    """Return the hook's output: context where the model reads it, plain text for PreCompact."""
    if name == "PreCompact":
        return outcome.instructions or None
    if name not in CONTEXT_EVENTS:
        return None
    blocks = outcome.blocks if name == "SessionStart" else ()
    context = "\n\n".join(part for part in (*blocks, *outcome.appended) if part)
    answer: dict[str, Any] = {"additionalContext": context} if context else {}
    if name == "PostToolUse" and outcome.output:
        answer["updatedToolOutput"] = _replaced(
            outcome.payload.get("tool_response"), outcome.output
        )
    shown = {"systemMessage": outcome.shown} if outcome.shown else {}
    if not answer:
        return shown or None
    return {**shown, "hookSpecificOutput": {"hookEventName": name, **answer}}


def _replaceable(kind: str, name: str, response: Any) -> str:
    """Return the text of an answer that a hook may replace. The client accepts a changed answer
    only in its original form, so the text must be one member of it."""
    if isinstance(response, str):
        return response if name.startswith("mcp__") else ""
    if not isinstance(response, Mapping) or kind in ("read", "edit", "write"):
        return ""
    member = _member(response)
    return text(response, member) if member else ""


def _member(response: Mapping[str, Any]) -> str:
    """Return the name of the member that holds an answer's text."""
    return next((key for key in REPLACED if text(response, key)), "")


def _replaced(response: Any, output: str) -> Any:
    """Return the answer with the shorter text."""
    if isinstance(response, str):
        return output
    answer = dict(response) if isinstance(response, Mapping) else {}
    member = _member(answer)
    return {**answer, member: output} if member else answer


def usage(
    payload: Mapping[str, Any], reserve: int, known_window: Callable[[str], int] = lambda _model: 0
) -> UsageReported | None:
    """Return the context usage that the status line receives; None if it is not known.

    The client compacts by itself `reserve` tokens before the window's end, so the limit is
    there; in a window that is hardly larger the limit is the window. known_window: of a model, for
    a payload without one; 0 if unknown.
    """
    context = mapping(payload, "context_window")
    model = text(mapping(payload, "model"), "id")
    window = whole(context, "context_window_size") or whole(context, "size") or known_window(model)
    used = _in_context(context, window)
    if used <= 0:
        return None
    return UsageReported(
        tokens=used,
        limit=window - reserve if window > 2 * reserve else max(0, window),
        model=model,
        source="statusline",
    )


def _in_context(context: Mapping[str, Any], window: int) -> int:
    """Return the tokens of the last request, else those of the client's own percentage, else 0.
    There is no request before the first answer, and none after a compaction."""
    current = context.get("current_usage")
    if isinstance(current, Mapping):
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return sum(max(0, whole(current, name) or 0) for name in (*names, "output_tokens"))
    share = context.get("used_percentage")
    if isinstance(share, int | float) and not isinstance(share, bool) and 0 < share <= 100:
        return int(window * share / 100)
    return 0


def _of_subagent(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Keep a subagent's changes on disk, which are facts of the session; drop what it read or
    said."""
    return tuple(
        e.model_copy(update={"aside": True})
        for e in events
        if isinstance(e, ToolFinished) and e.tool in ("bash", "edit", "write")
    )


def _nothing(_payload: Mapping[str, Any], _where: str) -> tuple[Event, ...]:
    return ()


def _session_start(payload: Mapping[str, Any], _where: str) -> tuple[Event, ...]:
    return (
        SessionStarted(
            source=text(payload, "source") or "startup",
            transcript=text(payload, "transcript_path"),
            context_tokens=whole(payload, "context_tokens") or 0,
        ),
    )


def _prompt(payload: Mapping[str, Any], where: str) -> tuple[Event, ...]:
    if "prompt" not in payload or payload["prompt"] != "":
        require(payload, "prompt", where=where)
    sent = text(payload, "prompt")
    words = prompt_text.of_user(sent)
    typed = UserPrompt(text=words, message_id=text(payload, "prompt_id"))
    return (*((typed,) if words else ()), *_attached(sent))


def _attached(sent: str) -> tuple[Event, ...]:
    shown = prompt_text.added(sent)
    return (ToolFinished(tool="other", name="attachment", output=shown),) if shown else ()


def _tool_done(payload: Mapping[str, Any], where: str) -> tuple[Event, ...]:
    response = payload.get("tool_response")
    call = _call(payload, where, response)
    kind = call["tool"]
    code = _success_code(mapping(payload, "tool_input"), response) if kind == "bash" else None
    replaceable = _replaceable(kind, call["name"], response)
    output = _output(kind, response)
    return (ToolFinished(**call, output=output, exit_code=code, replaceable=replaceable),)


def _tool_failed(payload: Mapping[str, Any], where: str) -> tuple[Event, ...]:
    call = _call(payload, where, None)
    error = text(payload, "error")
    code, output = _failure(error) if call["tool"] == "bash" else (None, error)
    if payload.get("is_interrupt") is True:
        # The user interrupted it, so there is no result to judge.
        code = None
    return (ToolFinished(**call, output=output, exit_code=code, failed=code is None),)


def _call(payload: Mapping[str, Any], where: str, response: Any) -> dict[str, Any]:
    """The fields of a call, without its result."""
    name = require(payload, "tool_name", where=where)
    kind = TOOL_KINDS.get(name, "other")
    given = mapping(payload, "tool_input")
    return {
        "tool": kind,
        "name": name,
        "command": text(given, "command") if kind == "bash" else "",
        "paths": _paths(kind, given, response),
        "cwd": text(payload, "cwd"),
    }


def _compaction_started(payload: Mapping[str, Any], _where: str) -> tuple[Event, ...]:
    return (CompactionStarted(trigger=text(payload, "trigger")),)


def _compaction_finished(payload: Mapping[str, Any], _where: str) -> tuple[Event, ...]:
    return (CompactionFinished(summary=text(payload, "compact_summary")),)


def _stopped(payload: Mapping[str, Any], _where: str) -> tuple[Event, ...]:
    words = text(payload, "last_assistant_message")
    return (AssistantText(text=words),) if words else ()


def _session_end(payload: Mapping[str, Any], _where: str) -> tuple[Event, ...]:
    return (SessionEnded(reason=text(payload, "reason")),)


def _success_code(given: Mapping[str, Any], response: Any) -> int | None:
    """Return 0, unless the answer says that the code is not known or was not 0."""
    if given.get("run_in_background") is True:
        return None
    if not isinstance(response, Mapping):
        return 0
    if response.get("interrupted") is True or response.get("backgroundTaskId"):
        return None
    # `grep` and `diff` end with 1 and the client calls that a result: nothing follows from it.
    return None if text(response, "returnCodeInterpretation") else 0


def _failure(error: str) -> tuple[int | None, str]:
    """Return the exit code at the start of an error text, and the output after it."""
    match = _EXIT_CODE.match(error)
    if match is None:
        return None, error
    return int(match.group(1)), error[match.end() :]


def _paths(kind: str, given: Mapping[str, Any], response: Any) -> tuple[str, ...]:
    if kind in ("read", "edit", "write"):
        path = text(given, "file_path") or text(given, "notebook_path")
        return (path,) if path else ()
    if kind == "grep" and isinstance(response, Mapping):
        named = strings(response, "filenames")[: prompt_text.MAX_MATCHED_PATHS]
        return named or prompt_text.matched_paths(text(response, "content"))
    return ()


def _output(kind: str, response: Any) -> str:
    """Return the text that the model saw; "" for edits, whose text is the agent's own."""
    if kind in ("edit", "write"):
        return ""
    if isinstance(response, Mapping):
        if kind == "bash":
            parts = (text(response, "stdout"), text(response, "stderr"))
            return "\n".join(part for part in parts if part)
        if kind == "read":
            return text(mapping(response, "file"), "content") or every_text(response)
        if kind == "grep":
            return text(response, "content") or "\n".join(strings(response, "filenames"))
    return plain(response) or every_text(response)


_NOTICES = frozenset({Want.NOTICES})

EVENTS: Mapping[
    str, tuple[Callable[[Mapping[str, Any], str], tuple[Event, ...]], frozenset[Want]]
] = {
    "SessionStart": (_session_start, frozenset({Want.BLOCKS, Want.NOTICES})),
    "UserPromptSubmit": (_prompt, _NOTICES),
    "PostToolUse": (_tool_done, _NOTICES),
    "PostToolUseFailure": (_tool_failed, _NOTICES),
    "PreCompact": (_compaction_started, frozenset({Want.INSTRUCTIONS})),
    "PostCompact": (_compaction_finished, frozenset()),
    "Stop": (_stopped, frozenset()),
    "SessionEnd": (_session_end, frozenset()),
}
"""Every hook that is used: its reader, and what its reply needs."""
