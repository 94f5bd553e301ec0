"""Claude Code's hooks (IF-3): what a tool call left behind, and the context that it reports.

Facts this relies on (measured with 2.1.330 and 2.1.197): a shell command that ends with
a code other than 0 arrives as PostToolUseFailure whose `error` begins with "Exit code N";
PostToolUse means 0 unless the command ran in the background, was interrupted, or the client
says that it interpreted the code otherwise. Calls made by a subagent carry `agent_id` and the
main session's id. A Stop hook that prints context makes the model continue, so Stop never prints.
PreCompact takes plain text; SessionStart, UserPromptSubmit and the two PostToolUse hooks take
`additionalContext`, which the client keeps in the conversation permanently. PostToolUse also
takes `updatedToolOutput`, an answer in the tool's own form; one in another form is dropped, and
the model reads the original. A call that failed has no such field. Cursor runs the same hooks, for
sessions that are not Claude Code's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wm.domain.payloads import prompt_text
from wm.domain.payloads.fields import every_text, integer, mapping, plain, strings, text
from wm.domain.payloads.normaliser import FinishedCall, ToolResult
from wm.formats.events import UsageReported
from wm.text import patterns
from wm.text.jsontext import as_object

REPLACED = ("stdout", "content")
"""Members of an answer whose text may be shortened: of Bash, and of Grep."""

_EXIT_CODE = patterns.Lazy(r"^(?:Error: )?Exit code (\d{1,5})\s*(?:\n|$)")


def read_result(call: FinishedCall) -> ToolResult:
    """What a call of one of Claude Code's tools left behind."""
    if call.has_failed:
        return _failed(call)
    response = call.response
    found = strings(response, "filenames") if isinstance(response, Mapping) else ()
    return ToolResult(
        output=_output(call.kind, response),
        exit_code=_success_code(call.tool_input, response) if call.kind == "bash" else None,
        replaceable=_replaceable(call),
        paths=found[: prompt_text.MAX_MATCHED_PATHS] if call.kind == "grep" else (),
    )


def replaced(body: Mapping[str, Any], output: str) -> dict[str, Any]:
    """The answer with the shorter text, in its own form."""
    response = body.get("tool_response")
    if isinstance(response, str):
        return {"updatedToolOutput": output}
    answer = dict(as_object(response))
    member = _member(answer)
    return {"updatedToolOutput": {**answer, member: output} if member else answer}


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
    window = integer(context, "context_window_size") or integer(context, "size")
    window = window or known_window(model)
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
        return sum(max(0, integer(current, name) or 0) for name in (*names, "output_tokens"))
    share = context.get("used_percentage")
    if isinstance(share, int | float) and not isinstance(share, bool) and 0 < share <= 100:
        return int(window * share / 100)
    return 0


def _failed(call: FinishedCall) -> ToolResult:
    """A call that ended in PostToolUseFailure. One that the user interrupted has no result to
    judge."""
    code, output = _failure(call.error) if call.kind == "bash" else (None, call.error)
    if call.body.get("is_interrupt") is True:
        code = None
    return ToolResult(output, code, failed=code is None)


def _failure(error: str) -> tuple[int | None, str]:
    """Return the exit code at the start of an error text, and the output after it."""
    match = _EXIT_CODE.match(error)
    if match is None:
        return None, error
    return int(match.group(1)), error[match.end() :]


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


def _replaceable(call: FinishedCall) -> str:
    """Return the text of an answer that a hook may replace. The client accepts a changed answer
    only in its original form, so the text must be one member of it."""
    response = call.response
    if isinstance(response, str):
        return response if call.name.startswith("mcp__") else ""
    if not isinstance(response, Mapping) or call.kind in ("read", "edit", "write"):
        return ""
    member = _member(response)
    return text(response, member) if member else ""


def _member(response: Mapping[str, Any]) -> str:
    """Return the name of the member that holds an answer's text."""
    return next((key for key in REPLACED if text(response, key)), "")


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
