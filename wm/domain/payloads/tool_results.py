"""What a finished tool call left behind, as each agent without its own module reports it.

Only Qwen Code has a hook for failures of commands. Codex names an exit code in its transcript only
(`transcript_tail`); Gemini CLI and Copilot CLI name it in the text that the model reads. A code
that is not named is unknown: nothing follows from it (HS-2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from wm.domain.payloads.fields import every_text, mapping, plain, text
from wm.domain.payloads.normaliser import FinishedCall, ToolResult
from wm.text import patterns

UNTRUSTED = "untrusted_context>"
"""Gemini CLI puts what a command or a server said into an element of this name."""

_SHELL_LINE = patterns.Lazy(r"\n?<shellId: \S{1,40} completed with exit code (\d{1,5})>\s*$")
REPORTED = ("Error", "Exit Code", "Signal", "Background PIDs", "Process Group PGID")
"""Names of the lines that a client writes behind a command's output, each at most once."""


def codex(call: FinishedCall) -> ToolResult:
    """Codex: the bare output, or the result of an MCP tool. A patch that failed sends no hook."""
    if call.changes_files:
        return ToolResult()
    return ToolResult(_text(call.response), failed=_is_error(call.response))


def gemini(call: FinishedCall) -> ToolResult:
    """Gemini CLI: the text for the model, and an `error` for other tools than commands. A code of
    0 is not named, so the absence of a code means 0 only in a complete report."""
    response = call.response if isinstance(call.response, Mapping) else {}
    error = text(mapping(response, "error"), "message")
    output = plain(response.get("llmContent")).replace(f"<{UNTRUSTED}\n", "")
    output = output.replace(f"\n</{UNTRUSTED}", "")
    if call.kind == "bash":
        return _reported(output, unnamed=0)
    if error:
        return ToolResult(error, failed=True)
    return ToolResult("" if call.changes_files else output)


def qwen(call: FinishedCall) -> ToolResult:
    """Qwen Code: the same text, and a hook for failures whose `error` is the report."""
    response = call.response if isinstance(call.response, Mapping) else {}
    output = call.error if call.has_failed else plain(response.get("llmContent"))
    if call.kind == "bash":
        found = _reported(output, unnamed=None)
        return found if found.exit_code is not None else ToolResult(output, failed=call.has_failed)
    if call.has_failed:
        return ToolResult(output, failed=True)
    return ToolResult("" if call.changes_files else output)


def copilot(call: FinishedCall) -> ToolResult:
    """Copilot CLI: a command that fails is a success whose text ends with the code. Every text may
    be replaced."""
    if call.has_failed:
        return ToolResult(call.error, failed=True)
    output = text(mapping(call.body, "tool_response"), "textResultForLlm")
    if call.changes_files:
        return ToolResult()
    if call.kind != "bash":
        return ToolResult(output, replaceable="" if call.kind == "read" else output)
    ending = _SHELL_LINE.search(output)
    if ending is None:
        return ToolResult(output, replaceable=output)
    return ToolResult(output[: ending.start()], int(ending.group(1)), replaceable=output)


def copilot_replaced(body: Mapping[str, Any], output: str) -> dict[str, Any]:
    """The fields of Copilot's reply that replace a tool's output."""
    return {"modifiedResult": {**mapping(body, "tool_response"), "textResultForLlm": output}}


def cursor(call: FinishedCall) -> ToolResult:
    """Cursor (from its documents): `tool_output` is JSON in a string; the code is 0 unless the hook
    is that for failures."""
    if call.has_failed:
        return ToolResult(call.error, failed=True)
    if call.changes_files:
        return ToolResult()
    response = call.response
    if isinstance(response, str):
        with suppress(ValueError, RecursionError):  # else it is a plain text
            response = json.loads(response)
    return ToolResult(_text(response), 0 if call.kind == "bash" else None)


def _text(response: Any) -> str:
    return plain(response) or every_text(response)


def _is_error(response: Any) -> bool:
    return isinstance(response, Mapping) and response.get("isError") is True


def _reported(report: str, *, unnamed: int | None) -> ToolResult:
    """A command's output and code, from the lines that a client writes around its output.

    unnamed: the code of a complete report that names none. A cancelled command, and one in the
    background, has no report.
    """
    before, mark, rest = report.partition("Output: ")
    if not mark or (before and not before.startswith(("Command: ", "Directory: "))):
        return ToolResult(report)
    lines = rest.split("\n")
    ends: dict[str, str] = {}
    while len(lines) > 1 and (name := lines[-1].partition(": ")[0]) in REPORTED:
        if name in ends:
            break  # the command printed this one
        ends[name] = lines.pop().partition(": ")[2]
    output, code = "\n".join(lines), ends.get("Exit Code", "")
    if code.isdecimal():
        return ToolResult(output, int(code))
    cut_off = ends.get("Signal", "(none)") != "(none)" or "Background PIDs" in ends or code
    return ToolResult(output, None if cut_off else unnamed)
