"""Claude Code's hooks as one table, and the shell line of each (IF-3).

`wm setup` writes the lines into the user's settings, and the plugin folder `claude_code/` contains
the same ones; a test compares the two. `wm.domain.payloads.claude_code` reads the payloads.

Rules of a line. It is cheap: one curl on the socket, no interpreter. It prints no error and exits
with 0 whatever happens, because exit code 2 of a hook would block the agent. It ends within its
deadline. It finds the socket at run time (ID-1), so one line is right on every machine that shares
the settings file. It needs no file of ours, so it stays silent after `wm` is removed.

`Files` says per hook what happens to a payload that the daemon did not accept. curl reads its input
only after it has connected (`-T -`), so a line that falls back only if no daemon listens needs no
copy of the payload; a line that must also survive a daemon that hangs or disconnects keeps one.
"""

from __future__ import annotations

import math
import shlex
from enum import Enum
from pathlib import Path
from typing import Any

from msgspec import Struct

from wm.agents import hook_client
from wm.settings import HookSettings

MARK = "/v1/hooks/claude-code/"
"""Part of each of our lines, and of no other program's."""

CHANGES = "Bash|Write|Edit|MultiEdit|NotebookEdit"
"""The tools that change files, or show that an error is fixed (HS-2)."""

LOOKS = "Read|Grep"
"""The tools that only make a file active (HS-1)."""

OTHERS = f"^(?!(?:{CHANGES}|{LOOKS})$)"
"""All other tools, those of MCP servers too: their output is where words come from (TR-3)."""


class Files(Enum):
    """When a payload goes to `wm hook`, which works on the files."""

    UNANSWERED = "whenever the daemon did not take it"
    UNHEARD = "without a daemon; one that hangs already has the payload"
    NEVER = "it is frequent and worth little"


class ClaudeHook(Struct, frozen=True):
    """matcher "": every call. prints: the agent reads the output of the line."""

    event: str
    matcher: str = ""
    prints: bool = True
    files: Files = Files.UNANSWERED


HOOKS = (
    ClaudeHook("SessionStart"),
    ClaudeHook("UserPromptSubmit"),
    ClaudeHook("PostToolUse", matcher=CHANGES, files=Files.UNHEARD),
    ClaudeHook("PostToolUse", matcher=LOOKS, files=Files.NEVER),
    ClaudeHook("PostToolUse", matcher=OTHERS, files=Files.NEVER),
    ClaudeHook("PostToolUseFailure"),
    ClaudeHook("PreCompact"),
    ClaudeHook("PostCompact", prints=False),
    ClaudeHook("Stop", prints=False, files=Files.NEVER),
    ClaudeHook("SessionEnd", prints=False),
)

SOCKET = (
    's=$WM_SOCKET; case "$s$WM_HOME:$XDG_RUNTIME_DIR" in '
    ":/*) s=$XDG_RUNTIME_DIR/wm/wm.sock;; esac; "
    "case $XDG_DATA_HOME in /*) d=$XDG_DATA_HOME;; *) d=$HOME/.local/share;; esac; "
    "s=${s:-${WM_HOME:-$d/wm}/run/wm.sock}"
)
"""ID-1 in POSIX shell: sets $s to the path of the socket."""

MINE = '[ -O "$s" ] || s=/'
"""Follows SOCKET: another user's socket counts as one without a listener (TR-1). `-O` is not in
POSIX, but every shell that some system uses as `sh` has it."""


KEPT = "--data-binary @-"
"""curl reads the whole payload first and sends it with its length."""

PASSED_ON = "-X POST -T -"
"""curl connects first, and sends the payload in chunks as it reads it."""


class WmCommand(Struct, frozen=True):
    """The command lines of `wm` and of its hook client on this machine."""

    wm: tuple[str, ...] = ("wm",)
    hook: tuple[str, ...] = ("wm", "hook")

    @property
    def mcp(self) -> tuple[str, ...]:
        """The command line that starts the MCP server."""
        return (*self.wm, "mcp")


def installed(python: str, package: Path) -> WmCommand:
    """This installation by path: no shim, and independent of an agent's environment."""
    return WmCommand(
        wm=(python, "-I", str(package / "__main__.py")),
        hook=(python, "-I", "-S", str(package / "agents" / "hook.py"), "hook"),
    )


def line(row: ClaudeHook, command: WmCommand, settings: HookSettings) -> str:
    """The shell line of one hook."""
    client = f"{shlex.join(command.hook)} claude-code {row.event}"
    only_files = f"{client} {hook_client.LIBRARY}"
    sink = "" if row.prints else " >/dev/null"
    if row.files is Files.UNANSWERED:
        # The payload is kept, because curl may have read it before it failed.
        post = _post(row.event, settings.event_timeout_s, KEPT)
        return (
            f'b=$(cat); {SOCKET}; {MINE}; {{ r=$(printf %s "$b" | {post}) && printf %s "$r" || '
            f"{{ case $? in 2|127) m=;; *) m={hook_client.LIBRARY};; esac; "
            f'printf %s "$b" | {client} $m; }}; }}{sink} 2>/dev/null || :'
        )
    # Before it reads a byte of the payload, curl exits with 2 (too old) or 7 (no listener), or the
    # shell with 127 (no curl).
    if row.files is Files.UNHEARD:
        cases = f"2|127) {client};; 7) {only_files};;"
    else:
        cases = f"2|127) {client} {hook_client.SOCKET};;"
    post = _post(row.event, settings.event_timeout_s, PASSED_ON)
    return f"{SOCKET}; {MINE}; {{ {post} || case $? in {cases} esac; }}{sink} 2>/dev/null || :"


def statusline(settings: HookSettings) -> str:
    """The shell line of the status line: prints what the daemon answers, or nothing."""
    post = _post("statusline", settings.event_timeout_s, KEPT)
    return f"{SOCKET}; {MINE}; {post} 2>/dev/null || :"


def hooks(command: WmCommand, settings: HookSettings) -> dict[str, list[dict[str, Any]]]:
    """The `hooks` object for settings.json and for the plugin's hooks.json."""
    events: dict[str, list[dict[str, Any]]] = {row.event: [] for row in HOOKS}
    for row in HOOKS:
        events[row.event].append(group(row, command, settings))
    return events


def group(row: ClaudeHook, command: WmCommand, settings: HookSettings) -> dict[str, Any]:
    """One matcher group of Claude Code's settings."""
    # The agent's own limit must be longer than ours: curl's wait, then the library's.
    wait = settings.event_timeout_s + (0 if row.files is Files.NEVER else settings.start_timeout_s)
    handler = {
        "type": "command",
        "command": line(row, command, settings),
        "timeout": math.ceil(wait) + 1,
    }
    return {"matcher": row.matcher, "hooks": [handler]} if row.matcher else {"hooks": [handler]}


def _post(event: str, timeout_s: float, body: str) -> str:
    """curl options: -q, because a user's .curlrc may print; no proxy; no `100 Continue`."""
    return (
        f'curl -qsf -m {timeout_s:g} --noproxy "*" --unix-socket "$s" '
        '-H Expect: -H Content-Type:application/json -H "X-Wm-Project: $CLAUDE_PROJECT_DIR" '
        f"{body} http://wm{MARK}{event}"
    )
