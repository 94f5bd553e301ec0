"""Claude Code's hooks as one table (IF-3).

`wm setup` writes their lines (`hook_lines`) into the user's settings, and the plugin folder
`claude_code/` contains the same ones; a test compares the two. `wm.domain.payloads.claude_code`
reads the payloads.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from wm.agents.hook_lines import Fallback, limit_s, line
from wm.settings import HookSettings

AGENT = "claude-code"

CHANGES = "Bash|Write|Edit|MultiEdit|NotebookEdit"
"""The tools that change files, or show that an error is fixed (HS-2)."""

LOOKS = "Read|Grep"
"""The tools that only make a file active (HS-1)."""

OTHERS = f"^(?!(?:{CHANGES}|{LOOKS})$)"
"""All other tools, those of MCP servers too: their output is where words come from (TR-3)."""


class ClaudeHook(Struct, frozen=True):
    """matcher "": every call."""

    event: str
    matcher: str = ""
    fallback: Fallback = Fallback.FILES


HOOKS = (
    ClaudeHook("SessionStart"),
    ClaudeHook("UserPromptSubmit"),
    ClaudeHook("PostToolUse", matcher=CHANGES, fallback=Fallback.FILES_IF_DOWN),
    ClaudeHook("PostToolUse", matcher=LOOKS, fallback=Fallback.NONE),
    ClaudeHook("PostToolUse", matcher=OTHERS, fallback=Fallback.NONE),
    ClaudeHook("PostToolUseFailure"),
    ClaudeHook("PreCompact"),
    ClaudeHook("PostCompact"),
    ClaudeHook("Stop", fallback=Fallback.NONE),
    ClaudeHook("SessionEnd"),
)


def statusline(script: str) -> str:
    """The shell line of the status line: prints what the daemon answers, or nothing."""
    return line(script, AGENT, "statusline", Fallback.NONE)


def hooks(script: str, settings: HookSettings) -> dict[str, list[dict[str, Any]]]:
    """The `hooks` object for settings.json and for the plugin's hooks.json. script: a word of the
    shell."""
    events: dict[str, list[dict[str, Any]]] = {row.event: [] for row in HOOKS}
    for row in HOOKS:
        events[row.event].append(group(row, script, settings))
    return events


def group(row: ClaudeHook, script: str, settings: HookSettings) -> dict[str, Any]:
    """One matcher group of Claude Code's settings."""
    handler = {
        "type": "command",
        "command": line(script, AGENT, row.event, row.fallback),
        "timeout": limit_s(row.fallback, settings),
    }
    return {"matcher": row.matcher, "hooks": [handler]} if row.matcher else {"hooks": [handler]}
