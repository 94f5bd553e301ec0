"""Claude Code's hooks as one table, and the shell line of each (IF-3).

`wm setup` writes the lines into the user's settings, the plugin folder `claude_code/` carries
the same ones; a test holds the folder to this table. What the payloads mean stands in
`wm.domain.hooks.claude_code`.

Rules of a line. It costs little: one curl on the socket, no interpreter. It is silent and
ends with 0 whatever happens: code 2 of a hook would block the agent. It never outlives its
deadline. It finds the socket when it runs (ID-1), so one line is right on every machine that
shares the settings file. It needs no file of ours, so it stays silent where `wm` is gone.

What becomes of a payload that the daemon did not take is said per hook (`Files`). curl reads
its input only after it connected (`-T -`), so a line that falls back where nobody listens
needs no copy of it; one that must also survive a daemon that hangs or breaks off keeps one.
"""

from __future__ import annotations

import json
import math
import shlex
from enum import Enum
from pathlib import Path
from typing import Any

from msgspec import Struct

from wm.agents import hook_client
from wm.settings import HookSettings

MARK = "/v1/hooks/claude-code/"
"""What every line of ours holds; nobody else's does."""

CHANGES = "Bash|Write|Edit|MultiEdit|NotebookEdit"
"""The tools that change files, or show that an error is gone (HS-2)."""

LOOKS = "Read|Grep"
"""The tools that only make a file active (HS-1)."""

OTHERS = f"^(?!(?:{CHANGES}|{LOOKS})$)"
"""All other tools, those of MCP servers too: what they show is where words come from (TR-3)."""


class Files(Enum):
    """When a payload goes to `wm hook`, that is to the files."""

    UNANSWERED = "whenever the daemon did not take it"
    UNHEARD = "where nobody listens; a daemon that hangs has it already"
    NEVER = "it is frequent and worth little"


class ClaudeHook(Struct, frozen=True):
    """matcher "": every call. prints: the agent reads what the line prints."""

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
"""ID-1 in POSIX shell: leaves the socket's path in $s."""

MINE = '[ -O "$s" ] || s=/'
"""Behind SOCKET: another user's socket counts as one where nobody listens (TR-1). `-O` is not
in POSIX, but in every shell that is somewhere the `sh`."""


KEPT = "--data-binary @-"
"""curl reads all of the payload first and sends it with its length."""

PASSED_ON = "-X POST -T -"
"""curl connects first, and sends the payload in chunks as it reads it."""


class Command(Struct, frozen=True):
    """How `wm` is started on this machine: the words of `wm` itself, and of its hook client."""

    wm: tuple[str, ...] = ("wm",)
    hook: tuple[str, ...] = ("wm", "hook")

    @property
    def mcp(self) -> tuple[str, ...]:
        """The words that start the MCP server."""
        return (*self.wm, "mcp")


def installed(python: str, package: Path) -> Command:
    """This installation by path: no shim, and nothing that an agent's environment can bend."""
    return Command(
        wm=(python, "-I", str(package / "__main__.py")),
        hook=(python, "-I", "-S", str(package / "agents" / "hook.py"), "hook"),
    )


def line(row: ClaudeHook, command: Command, settings: HookSettings) -> str:
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
    # curl ends with 2 (too old), 7 (nobody listens) or the shell with 127 (no curl) before a
    # byte of the payload was read.
    if row.files is Files.UNHEARD:
        cases = f"2|127) {client};; 7) {only_files};;"
    else:
        cases = f"2|127) {client} {hook_client.SOCKET};;"
    post = _post(row.event, settings.event_timeout_s, PASSED_ON)
    return f"{SOCKET}; {MINE}; {{ {post} || case $? in {cases} esac; }}{sink} 2>/dev/null || :"


def statusline(settings: HookSettings) -> str:
    """The shell line of the status line: what the daemon says, or nothing."""
    post = _post("statusline", settings.event_timeout_s, KEPT)
    return f"{SOCKET}; {MINE}; {post} 2>/dev/null || :"


def hooks(command: Command, settings: HookSettings) -> dict[str, list[dict[str, Any]]]:
    """The `hooks` object: what goes into settings.json, and into the plugin's hooks.json."""
    events: dict[str, list[dict[str, Any]]] = {row.event: [] for row in HOOKS}
    for row in HOOKS:
        events[row.event].append(group(row, command, settings))
    return events


def group(row: ClaudeHook, command: Command, settings: HookSettings) -> dict[str, Any]:
    """One matcher group of Claude Code's settings."""
    # The agent's own limit stands behind ours: curl's wait, then the library's.
    wait = settings.event_timeout_s + (0 if row.files is Files.NEVER else settings.start_timeout_s)
    handler = {
        "type": "command",
        "command": line(row, command, settings),
        "timeout": math.ceil(wait) + 1,
    }
    return {"matcher": row.matcher, "hooks": [handler]} if row.matcher else {"hooks": [handler]}


def plugin_files(version: str) -> dict[str, str]:
    """The files of the plugin folder by their path in it. `wm` is looked for on the PATH there."""
    about = {
        "name": "wm",
        "version": version,
        "description": "Memory that lasts between sessions: tells the wm daemon what happens.",
        "author": {"name": "The wm maintainers"},
        "license": "MIT",
    }
    described = {
        "description": "Posts each event to the wm daemon's socket; silent where there is none.",
        "hooks": hooks(Command(), HookSettings()),
    }
    program, *words = Command().mcp
    servers = {"mcpServers": {"wm": {"type": "stdio", "command": program, "args": words}}}
    return {
        ".claude-plugin/plugin.json": _indented(about),
        ".mcp.json": _indented(servers),
        "hooks/hooks.json": _indented(described),
    }


def _post(event: str, timeout_s: float, body: str) -> str:
    """curl: -q, because a user's .curlrc may print; no proxy; no wait for `100 Continue`."""
    return (
        f'curl -qsf -m {timeout_s:g} --noproxy "*" --unix-socket "$s" '
        '-H Expect: -H Content-Type:application/json -H "X-Wm-Project: $CLAUDE_PROJECT_DIR" '
        f"{body} http://wm{MARK}{event}"
    )


def _indented(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
