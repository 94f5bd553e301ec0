"""What setup writes for Codex, Copilot CLI, Cursor, Gemini CLI and Qwen Code (UI-3).

One row per agent. The events come from the agent's dialect in `domain.payloads`, so a hook that
no agent reads is never installed.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from wm.agents.codex import CodexHooks, CodexServer
from wm.agents.hook_lines import Fallback, WmCommand, limit_s, line
from wm.agents.json_file import HookLists, JsonFile, Section, ServerEntry, Version
from wm.agents.parts import HOOKS_PURPOSE, SERVER_PURPOSE, SettingsPart
from wm.domain.payloads import dialect_of
from wm.settings import HookSettings

FALLBACKS = {"result": Fallback.FILES_IF_DOWN, "stop": Fallback.NONE}
"""What happens to a payload that the daemon did not take, by the meaning of its hook."""

CODEX = "codex"
LONGEST_END_S = 3
"""Codex warns in every run about a longer limit for the end of a session."""


def _group(line: str, seconds: int) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": line, "timeout": seconds}]}


def _group_in_ms(line: str, seconds: int) -> dict[str, Any]:
    handler = {"type": "command", "name": "wm", "command": line, "timeout": seconds * 1000}
    return {"hooks": [handler]}


def _copilot_handler(line: str, seconds: int) -> dict[str, Any]:
    return {"type": "command", "bash": line, "timeoutSec": seconds}


def _cursor_handler(line: str, seconds: int) -> dict[str, Any]:
    return {"command": line, "timeout": seconds}


class OtherAgent(Struct, frozen=True):
    """One agent. program: its name on the PATH. hooks, servers: its files, in its own folder; one
    file may be both. item: a line as an item of its `hooks`. server: further fields of a server.
    versioned: the file of hooks has a number."""

    agent: str
    program: str
    hooks: str
    servers: str
    item: Callable[[str, int], dict[str, Any]]
    server: Mapping[str, Any] = field(default_factory=dict)
    versioned: bool = False


OTHER_AGENTS = (
    OtherAgent(CODEX, "codex", "hooks.json", "config.toml", _group),
    OtherAgent(
        "copilot",
        "copilot",
        "hooks/wm.json",
        "mcp-config.json",
        _copilot_handler,
        server={"type": "local", "tools": ["*"]},
        versioned=True,
    ),
    OtherAgent("cursor", "cursor", "hooks.json", "mcp.json", _cursor_handler, versioned=True),
    OtherAgent("gemini", "gemini", "settings.json", "settings.json", _group_in_ms),
    OtherAgent("qwen", "qwen", "settings.json", "settings.json", _group_in_ms),
)

BOTH_PURPOSE = f"{HOOKS_PURPOSE}; {SERVER_PURPOSE}"


def parts(
    folders: Mapping[str, Path],
    command: WmCommand,
    settings: HookSettings,
    read: Callable[[Path], bytes | None],
) -> Iterator[SettingsPart]:
    """The parts of all these agents. folders: their own folders. read: the content of a file."""
    program, *words = command.mcp
    for row in OTHER_AGENTS:
        folder = folders[row.agent]
        wanted = hooks(row, shlex.quote(str(command.script)), settings)
        server: dict[str, Any] = {**row.server, "command": program, "args": words}
        if row.agent == CODEX:
            config = folder / row.servers
            section: Section = CodexHooks(agent=CODEX, wanted=wanted, config=read(config))
            yield _file(row, folder / row.hooks, HOOKS_PURPOSE, section)
            yield CodexServer(agent=CODEX, path=config, purpose=SERVER_PURPOSE, wanted=server)
            continue
        section = HookLists(agent=row.agent, wanted=wanted)
        served = ServerEntry(title=title(row.agent), wanted=server)
        own = (Version(),) if row.versioned else ()
        if row.hooks == row.servers:
            yield _file(row, folder / row.hooks, BOTH_PURPOSE, section, served)
            continue
        yield _file(row, folder / row.hooks, HOOKS_PURPOSE, *own, section)
        yield _file(row, folder / row.servers, SERVER_PURPOSE, served)


def title(agent: str) -> str:
    """The agent's name in messages."""
    return dialect_of(agent).title


def _file(row: OtherAgent, path: Path, purpose: str, *sections: Section) -> JsonFile:
    return JsonFile(agent=row.agent, path=path, purpose=purpose, sections=sections)


def hooks(row: OtherAgent, script: str, settings: HookSettings) -> dict[str, list[dict[str, Any]]]:
    """The `hooks` object of an agent. script: a word of the shell."""
    wanted = {}
    for event, meaning in dialect_of(row.agent).meanings.items():
        fallback = FALLBACKS.get(meaning, Fallback.FILES)
        seconds = limit_s(fallback, settings)
        if row.agent == CODEX and meaning == "end":
            seconds = LONGEST_END_S
        wanted[event] = [row.item(line(script, row.agent, event, fallback), seconds)]
    return wanted
