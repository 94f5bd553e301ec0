"""What setup puts into one file, and how to recognise and remove it.

Pure: texts in, texts out. `json_file` and `codex` edit files of the user; an `OwnFile`
is a file that only wm writes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from wm.agents.hook_lines import WmCommand, with_values
from wm.api.tools import TOOLS
from wm.errors import UserError
from wm.settings import HookSettings
from wm.text import jsontext
from wm.text.jsontext import Node

HOOKS_PURPOSE = "hooks: they bring memory into a session and record it"
SERVER_PURPOSE = "the memory tools, as an MCP server"


class SettingsPart(Struct, frozen=True, kw_only=True):
    """Our part of one file. All methods raise UserError for a file that they do not understand.

    purpose: what it is for, as shown to the user.
    """

    path: Path
    purpose: str
    agent: str = "claude-code"

    def is_ours(self, raw: bytes) -> bool:
        """Whether the file contains our part, of this version or another."""
        raise NotImplementedError

    def is_current(self, raw: bytes) -> bool:
        """Whether the file contains what this version writes, or the user's own equivalent."""
        raise NotImplementedError

    def remark(self, raw: bytes) -> str:  # noqa: ARG002
        """A note for the user about the file, and what to do; mostly ""."""
        return ""

    def added_to(self, raw: bytes | None) -> bytes:
        """The file with our part. `raw` does not contain it."""
        raise NotImplementedError

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:
        """The file without our part; None: nothing is left.

        original: the file before setup, as far as that is known.
        """
        raise NotImplementedError


class OwnFile(SettingsPart, frozen=True, kw_only=True):
    """A file that only wm writes, recognised by a mark in its text."""

    content: bytes
    mark: bytes

    def is_ours(self, raw: bytes) -> bool:
        return self.mark in raw

    def is_current(self, raw: bytes) -> bool:
        return raw == self.content

    def added_to(self, raw: bytes | None) -> bytes:
        if raw is not None:
            raise UserError.of("setup.foreign_file", path=self.path)
        return self.content

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:  # noqa: ARG002
        return None


BOM = b"\xef\xbb\xbf"


def parse_object(path: Path, raw: bytes) -> tuple[str, Node]:
    """The text and the tree of a user's JSON file; an empty file is an empty object.

    Raises UserError if it is not a JSON object.
    """
    try:
        text = raw.removeprefix(BOM).decode("utf-8")
        text = text if text.strip() else "{}\n"
        root = jsontext.parse(text)
    except (UnicodeDecodeError, jsontext.NotJsonError) as error:
        raise refusal(path, f"is not valid JSON: {error}") from error
    if not isinstance(root.value, dict):
        raise refusal(path, "does not contain a JSON object")
    return text, root


def parse_toml(path: Path, text: str) -> dict[str, Any]:
    """The tables of a user's TOML file. Raises UserError if it is none."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise refusal(path, f"is not valid TOML: {error}") from error


def encoded(text: str, raw: bytes | None) -> bytes:
    """The bytes of the new text, with a byte order mark if the old file has one."""
    return (BOM if raw and raw.startswith(BOM) else b"") + text.encode()


def child(node: Node, key: str) -> Node:
    """A member that is known to exist."""
    found = node.member(key)
    assert found is not None
    return found


def refusal(path: Path, what: str) -> UserError:
    return UserError.of("setup.unusable_file", path=path, what=what)


def bake(
    template: str,
    version: str,
    command: WmCommand,
    hooks: HookSettings,
    commands: Mapping[str, Mapping[str, str]],
) -> str:
    """The OpenCode plugin with the settings of this installation filled in.

    commands: the `command` section of OpenCode's configuration.
    """
    tools = [
        {"name": tool.name, "description": tool.description, "args": tool.schema["properties"]}
        for tool in TOOLS
    ]
    values = {
        "VERSION": json.dumps(version),
        "COMMAND": json.dumps(list(command.wm), ensure_ascii=False),
        "EVENT_MS": str(round(hooks.event_timeout_s * 1000)),
        "START_MS": str(round(hooks.start_timeout_s * 1000)),
        "TOOLS": json.dumps(tools, ensure_ascii=False, indent=2),
        "COMMANDS": json.dumps(commands, ensure_ascii=False, indent=2),
    }
    return with_values(template, {f"const {name} = ": value for name, value in values.items()})
