"""Complete the events of a hook from the last lines of the agent's own transcript.

Some agents say only there how a command ended, what the model said, and how full the context is.
`lines` are the records of its end, the newest first, and read only as far as needed. A record that
is missing leaves an event as it is: an unknown exit code stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from wm.domain.payloads.fields import integer, mapping, text
from wm.domain.payloads.hook_values import ParsedHook
from wm.formats.events import AssistantText, Event, ToolFinished, UsageReported

Record = Mapping[str, Any]


def completed(parsed: ParsedHook, lines: Iterable[Record]) -> ParsedHook:
    """Return the call with what the transcript adds to its events."""
    add = COMPLETIONS.get(parsed.agent)
    return parsed if add is None else replace(parsed, events=tuple(add(parsed, lines)))


def _codex(parsed: ParsedHook, lines: Iterable[Record]) -> Iterable[Event]:
    if not any(isinstance(event, ToolFinished) for event in parsed.events):
        return [*parsed.events, *_codex_usage(lines)]
    code = {"exit_code": _codex_exit_code(parsed.call_id, lines)}
    return [
        event.model_copy(update=code)
        if isinstance(event, ToolFinished) and event.tool == "bash"
        else event
        for event in parsed.events
    ]


def _codex_exit_code(call_id: str, lines: Iterable[Record]) -> int | None:
    for line in lines:
        item = mapping(mapping(line, "payload"), "item")
        if text(item, "type") == "CommandExecution" and text(item, "id") == call_id:
            return integer(item, "exit_code")
    return None


def _codex_usage(lines: Iterable[Record]) -> Iterable[Event]:
    for line in lines:
        payload = mapping(line, "payload")
        info = mapping(payload, "info")
        if text(payload, "type") == "token_count" and info:
            used = integer(mapping(info, "last_token_usage"), "total_tokens") or 0
            return _used("codex", used, integer(info, "model_context_window") or 0)
    return ()


def _copilot(parsed: ParsedHook, lines: Iterable[Record]) -> Iterable[Event]:
    """What the model said last, and its usage. A subagent's records name their agent."""
    own = [line for line in lines if not text(line, "agentId")]
    message = next((_data(line) for line in own if line.get("type") == "assistant.message"), {})
    words = text(message, "content")
    used = next((_data(line) for line in own if line.get("type") == "session.usage_record"), {})
    usage = mapping(used, "usage")
    tokens = (integer(usage, "inputTokens") or 0) + (integer(usage, "outputTokens") or 0)
    spoken = [AssistantText(text=words)] if words else []
    return [
        *parsed.events,
        *spoken,
        *_used("copilot", tokens, integer(usage, "maxPromptTokens") or 0),
    ]


def _data(line: Record) -> Record:
    return mapping(line, "data")


def _gemini(parsed: ParsedHook, lines: Iterable[Record]) -> Iterable[Event]:
    answer = next((line for line in lines if mapping(line, "tokens")), {})
    used = integer(mapping(answer, "tokens"), "total") or 0
    return [*parsed.events, *_used("gemini", used, 0, text(answer, "model"))]


def _used(agent: str, tokens: int, limit: int, model: str = "") -> list[Event]:
    if tokens <= 0:
        return []
    return [UsageReported(tokens=tokens, limit=limit, model=model, source=agent)]


COMPLETIONS: Mapping[str, Callable[[ParsedHook, Iterable[Record]], Iterable[Event]]] = {
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
}
