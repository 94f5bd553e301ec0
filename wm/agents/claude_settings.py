"""Our entries in Claude Code's files: hooks and a status line in `settings.json`, and the MCP
server in `.claude.json`, because `settings.json` takes none.

Pure. Claude Code writes `.claude.json` all the time. A status line is added only if the user has
none.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from wm.agents.claude_hooks import AGENT, hooks, statusline
from wm.agents.hook_lines import WmCommand, is_ours
from wm.agents.json_file import HookLists, JsonFile, Section, ServerEntry, is_our_handler
from wm.agents.parts import HOOKS_PURPOSE, SERVER_PURPOSE
from wm.settings import HookSettings
from wm.text import jsontext
from wm.text.jsontext import Node

NAME = "statusLine"


def part(path: Path, command: WmCommand, settings: HookSettings) -> JsonFile:
    """The entries that this installation wants in Claude Code's settings."""
    script = shlex.quote(str(command.script))
    status = StatusLine(wanted={"type": "command", "command": statusline(script)})
    return JsonFile(
        agent=AGENT,
        path=path,
        purpose=HOOKS_PURPOSE,
        sections=(HookLists(agent=AGENT, wanted=hooks(script, settings)), status),
    )


def server_part(path: Path, command: WmCommand) -> JsonFile:
    """The server that this installation wants in Claude Code's own file."""
    program, *words = command.mcp
    wanted = {"type": "stdio", "command": program, "args": words, "env": {}}
    return JsonFile(
        agent=AGENT,
        path=path,
        purpose=SERVER_PURPOSE,
        sections=(ServerEntry(title="Claude Code", wanted=wanted),),
    )


class StatusLine(Section, frozen=True, kw_only=True):
    """wanted: the member `statusLine`."""

    wanted: dict[str, Any]

    def mentions(self, text: str) -> bool:
        return is_ours(text, AGENT)

    def is_ours(self, root: Node) -> bool:
        return is_our_handler(root.value.get(NAME), AGENT)

    def is_current(self, root: Node) -> bool:
        line = root.value.get(NAME)
        return line == self.wanted if is_our_handler(line, AGENT) else NAME in root.value

    def added_to(self, text: str) -> str:
        root = jsontext.parse(text)
        if root.member(NAME) is not None:
            return text
        return jsontext.add_member(text, root, NAME, self.wanted)

    def without(self, text: str, before: Node) -> str:  # noqa: ARG002
        root = jsontext.parse(text)
        for index, (name, _, line) in reversed(list(enumerate(root.children))):
            if name == NAME and is_our_handler(line.value, AGENT):
                text = jsontext.remove(text, root, index)
                root = jsontext.parse(text)
        return text
