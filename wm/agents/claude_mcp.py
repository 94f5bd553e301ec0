"""Our MCP server in the user's `.claude.json` of Claude Code: add, recognise, remove.

Pure. Claude Code reads a user's servers from that file only; `settings.json` takes none. Claude
Code writes the file all the time, so we own one member of `mcpServers`, and every other byte stays
unchanged. A server of the same name that the user added stays; ours is then not added.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wm.agents.hook_lines import WmCommand
from wm.agents.parts import SettingsPart, child, encoded, parse_object, refusal
from wm.errors import UserError
from wm.formats import jsontext
from wm.formats.jsontext import Node

SECTION, NAME = "mcpServers", "wm"


def part(path: Path, command: WmCommand) -> ClaudeServer:
    """The server that this installation wants in Claude Code's own file."""
    program, *words = command.mcp
    return ClaudeServer(
        path=path,
        purpose="the memory tools, as an MCP server",
        wanted={"type": "stdio", "command": program, "args": words, "env": {}},
    )


class ClaudeServer(SettingsPart, frozen=True, kw_only=True):
    """wanted: the server as it should be in the file."""

    wanted: dict[str, Any]

    def is_ours(self, raw: bytes) -> bool:
        # A file without our word is not ours, even if it is damaged: nobody need repair it.
        return b'"mcp"' in raw and _is_ours(self._server(self._tree(raw)[1]))

    def is_current(self, raw: bytes) -> bool:
        server = self._server(self._tree(raw)[1])
        return server is not None and (not _is_ours(server) or server.value == self.wanted)

    def remark(self, raw: bytes) -> str:
        server = self._server(self._tree(raw)[1])
        if server is None or _is_ours(server) or _command(server) == "wm":
            return ""  # none, or one that does the same
        return (
            f'{self.path} has another MCP server named "{NAME}". It is kept, so Claude Code gets '
            "wm's hooks, but not its memory tools. To get them too: rename that server, then run "
            "`wm setup` again."
        )

    def added_to(self, raw: bytes | None) -> bytes:
        text, root = self._tree(raw or b"")
        servers = root.member(SECTION)
        if servers is None:
            text = jsontext.add_member(text, root, SECTION, {NAME: self.wanted})
        else:
            text = jsontext.add_member(text, servers, NAME, self.wanted)
        return encoded(text, raw)

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:
        text, root = self._tree(raw)
        if not _is_ours(self._server(root)):
            return raw
        text = _without(text, child(root, SECTION), NAME)
        root = jsontext.parse(text)
        if not child(root, SECTION).children and not self._had_section(original):
            text = _without(text, root, SECTION)
        if original is None and not jsontext.parse(text).children:
            return None
        return encoded(text, raw)

    def _had_section(self, original: bytes | None) -> bool:
        try:
            return original is not None and self._tree(original)[1].member(SECTION) is not None
        except UserError:
            return False

    def _server(self, root: Node) -> Node | None:
        servers = root.member(SECTION)
        return None if servers is None else servers.member(NAME)

    def _tree(self, raw: bytes) -> tuple[str, Node]:
        """The text and its tree. Raises UserError unless it has the shape that we edit."""
        text, root = parse_object(self.path, raw)
        if not isinstance(root.value.get(SECTION, {}), dict):
            raise refusal(self.path, f'has "{SECTION}" that is not an object')
        return text, root


def _is_ours(server: Node | None) -> bool:
    """Whether setup wrote it: setup uses the program's full path, a user who writes `wm mcp` by
    hand does not."""
    return server is not None and _command(server).startswith("/")


def _command(server: Node) -> str:
    """The program of a server whose last argument is `mcp`; "" for any other."""
    value = server.value
    words = value.get("args") if isinstance(value, dict) else None
    if not isinstance(words, list) or words[-1:] != ["mcp"]:
        return ""
    return str(value.get("command", ""))


def _without(text: str, parent: Node, key: str) -> str:
    index = max(i for i, (name, _, _) in enumerate(parent.children) if name == key)
    return jsontext.remove(text, parent, index)
