"""Payloads of all agents with canaries wherever the agent, the user or a tool can put text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.canary.tokens import Mint
from wm.domain.payloads import DIALECTS, dialect_of, opencode
from wm.domain.payloads.normaliser import Dialect

SESSION = "canary-1"

OUTPUTS = (
    "src/{n}.py:3:1: F821 undefined name '{n}'\nError: {t}\n",
    "FAILED tests/test_{n}.py::test_a - AssertionError: {t}\n1 failed in 0.1s\n",
    "error[E0308]: mismatched types {t}\n --> src/{n}.rs:3:4\n",
    "src/{n}.ts(3,4): error TS2322: {t}\n",
    'Traceback (most recent call last):\n  File "{n}.py", line 3, in f\nValueError: {t}\n',
    "make: *** [{n}] Error 2\n{t}\n",
    "{t}\n{b}\n",
)


def others(mint: Mint) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Agent, hook and payload of the agents that are neither Claude Code nor OpenCode."""
    for dialect in DIALECTS:
        if dialect.agent == "claude-code":
            continue
        own = {ours: theirs for theirs, ours in dialect.names.items()}
        for event, payload in _every_event(mint, dialect):
            body = {"session_id": SESSION, **payload}
            yield dialect.agent, event, {own.get(key, key): value for key, value in body.items()}


def claude(mint: Mint) -> Iterator[tuple[str, dict[str, Any]]]:
    """Hook and payload: every event and tool that is known, and some that are not."""
    yield from _every_event(mint, dialect_of("claude-code"))
    yield "UserPromptSubmit", {"session_id": SESSION, "prompt": _asked(mint, "asked")}
    yield "Stop", {"session_id": SESSION, "last_assistant_message": _decided(mint, "decided")}
    yield "PreCompact", {"session_id": SESSION, "trigger": "auto"}
    yield "PostCompact", {"session_id": SESSION, "compact_summary": _candidates(mint, "summary")}
    yield (
        "SessionStart",
        {"session_id": mint.name("claude-code: session id", known=True), "source": "startup"},
    )
    yield (
        "UserPromptSubmit",
        {"session_id": mint.name("claude-code: session id", known=True), "prompt": "Hi."},
    )


def _every_event(mint: Mint, dialect: Dialect) -> Iterator[tuple[str, dict[str, Any]]]:
    """Under Claude Code's names of fields."""
    for event in (*dialect.meanings, "Notification", "SubagentStop"):
        where = f"{dialect.agent} {event}"
        base = {"session_id": SESSION, "hook_event_name": event}
        if "Tool" in event:
            for tool in (*dialect.tools, "WebFetch", "mcp__x__y"):
                for output in OUTPUTS:
                    yield event, {**base, **_claude_tool(mint, f"{where} {tool}", tool, output)}
            continue
        yield event, {**base, **_spoken(mint, where)}
        yield event, {**base, **_spoken(mint, where, wide=True), **mint.member(where)}


def _spoken(mint: Mint, where: str, *, wide: bool = False) -> dict[str, Any]:
    def text_of(name: str) -> str:
        text = mint.text(f"{where} {name}")
        return f"{text}\n{mint.block(f'{where} {name}')}" if wide else text

    return {
        "prompt": text_of("prompt"),
        "prompt_id": mint.name(f"{where} prompt_id"),
        "source": "compact" if wide else "startup",
        "trigger": text_of("trigger"),
        "reason": text_of("reason"),
        "custom_instructions": text_of("custom_instructions"),
        "compact_summary": text_of("compact_summary"),
        "last_assistant_message": text_of("last_assistant_message"),
        # Agents choose the name of a transcript at random, so a random one is not a secret.
        "transcript_path": f"/tmp/{mint.name(f'{where} transcript_path', known=True)}.jsonl",
        "message": text_of("message"),
    }


def _claude_tool(mint: Mint, where: str, tool: str, output: str) -> dict[str, Any]:
    shown = _output(mint, where, output)
    path = f"/srv/{mint.name(f'{where} path', known=True)}/a.py"  # tools make random folders
    return {
        "tool_name": tool,
        "tool_input": {
            "command": f"TOKEN={mint.name(f'{where} env')} pytest --key '{mint.text(where)}'",
            "file_path": path,
            "notebook_path": path,
            "pattern": mint.text(f"{where} pattern"),
            "path": path,
            "url": f"https://x.example/?api_key={mint.name(f'{where} url')}",
            "headers": {"Authorization": f"Bearer {mint.name(f'{where} header')}"},
            **mint.member(f"{where} input"),
        },
        "tool_response": {
            "stdout": shown,
            "stderr": mint.text(f"{where} stderr"),
            "type": "text",
            "file": {"filePath": path, "content": shown},
            "filenames": [path],
            "content": f"{path}:3:{mint.text(where)}",
            "llmContent": f"Output: {shown}\nExit Code: 1",
            "textResultForLlm": f"{shown}\n<shellId: 0 completed with exit code 1>",
        },
        "error": f"Exit code 1\n{shown}",
    }


def _output(mint: Mint, where: str, form: str) -> str:
    return form.format(
        n=mint.name(f"{where} output name", known=True),
        t=mint.text(f"{where} output"),
        b=mint.block(where),
    )


def opencode_posts(mint: Mint, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and body of what the plugin posts."""
    base = {"directory": folder, "worktree": folder}
    given: dict[str, Any] = {"sessionID": SESSION}
    for name in opencode.EVENTS:
        where = f"opencode {name}"
        text = mint.text(f"{where} text")
        yield (
            name,
            {
                **base,
                "input": {**given, "messageID": mint.name(f"{where} id"), "tool": "edit"},
                "output": {
                    "text": text,
                    "output": text,
                    "parts": [
                        {"type": "text", "text": _asked(mint, where)},
                        {"type": "text", "text": mint.block(where), "synthetic": True},
                    ],
                    "system": [mint.text(f"{where} system")],
                },
                "event": {
                    "properties": {
                        "sessionID": SESSION,
                        "info": {"id": SESSION, "parentID": ""},
                        "part": {
                            "sessionID": SESSION,
                            "type": "tool",
                            "tool": "bash",
                            "state": {
                                "status": "error",
                                "input": {"command": f"make {mint.text(f'{where} command')}"},
                                "error": mint.text(f"{where} error"),
                            },
                        },
                    }
                },
                "summary": _candidates(mint, where),
            },
        )
    for tool in (*opencode.TOOL_KINDS, "webfetch"):
        for output in OUTPUTS:
            where = f"opencode tool {tool}"
            path = f"/srv/{mint.name(f'{where} path', known=True)}.py"
            arguments = {
                "command": f"PASS={mint.name(f'{where} environment')} npm test",
                "filePath": path,
                "patchText": f"*** Update File: {path}\n+{mint.text(where)}\n",
                "workdir": f"/srv/{mint.name(f'{where} workdir')}",
                **mint.member(f"{where} arguments"),
            }
            yield (
                "tool.execute.after",
                {
                    **base,
                    "input": {**given, "tool": tool, "args": arguments},
                    "output": {"output": _output(mint, where, output), "metadata": {"exit": 1}},
                },
            )
    child = mint.name("opencode: parent session")
    info = {"id": mint.name("opencode: session id", known=True), "parentID": child}
    yield "session.created", {**base, "event": {"properties": {"info": info}}}


def _asked(mint: Mint, where: str) -> str:
    """Every way to ask: kept, denied, deferred, forgotten, too much."""
    forms = (
        "Remember that {}.", "Don't remember that {}.", "From now on use {} for releases.",
        "Merke dir: {}", "记住，{}", "Should I remember that {}?", "Forget that {}.",
        "```\nremember that {}\n```", "> remember that {}", "Remember: {}",
    )  # fmt: skip
    return "\n\n".join(form.format(mint.text(f"{where} request")) for form in forms)


def _decided(mint: Mint, where: str) -> str:
    forms = ("Decision: we keep {} for releases.", "We decided to use {} in the registry.", "{}")
    return "\n".join(form.format(mint.text(f"{where} decision")) for form in forms)


def _candidates(mint: Mint, where: str) -> str:
    forms = (
        "- [project] The registry is reached with {}.", "- [decision] {}", "- {}",
        "REPLACE [M1] {}", "REPLACE [M1] [decision] {}", "REINFORCE [M9] {}", "- [oops] {}", "{}",
    )  # fmt: skip
    lines = [form.format(mint.text(f"{where} candidate")) for form in forms]
    head = f"{mint.text(f'{where} prose')}\n\nMemory candidates:\nMemory ref snapshot id: c_0"
    return "\n".join((head, *lines, mint.block(f"{where} candidate")))
