"""What setup puts into one file, and how it is recognised and taken out again.

Pure: texts in, texts out. `claude_settings` is the part that shares a file with the user;
an `OwnFile` is a file of ours alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from wm.agents.claude_hooks import Command
from wm.errors import UserError
from wm.formats.tools import TOOLS
from wm.settings import HookSettings


class Part(Protocol):
    """Ours in one file. All raise UserError for a file that they do not understand."""

    @property
    def agent(self) -> str: ...

    @property
    def path(self) -> Path: ...

    @property
    def purpose(self) -> str:
        """What a file of ours alone is for; "" for one that is shared with the user."""
        ...

    def is_ours(self, raw: bytes) -> bool:
        """Something of ours is in it, of this version or another."""
        ...

    def is_current(self, raw: bytes) -> bool:
        """What this version would put there is there, or the user's own stands in its place."""
        ...

    def remark(self, raw: bytes) -> str:
        """What a person should know of the file as it is, and what to do; mostly ""."""
        ...

    def added_to(self, raw: bytes | None) -> bytes:
        """The file with our part. `raw` has none of it."""
        ...

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:
        """The file without our part; None: nothing is left that was not ours.

        original: what the file was before us, as far as that is known.
        """
        ...


class OwnFile(Struct, frozen=True):
    """A file of ours alone, known by a mark in its text."""

    agent: str
    path: Path
    content: bytes
    mark: bytes
    purpose: str

    def is_ours(self, raw: bytes) -> bool:
        return self.mark in raw

    def is_current(self, raw: bytes) -> bool:
        return raw == self.content

    def remark(self, raw: bytes) -> str:  # noqa: ARG002
        return ""

    def added_to(self, raw: bytes | None) -> bytes:
        if raw is not None:
            raise UserError(
                f"{self.path} is there already and was not written by wm.",
                fix="Move it away, then run setup again.",
            )
        return self.content

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:  # noqa: ARG002
        return None


def bake(template: str, version: str, command: Command, hooks: HookSettings) -> str:
    """The OpenCode plugin for this installation: its settings filled in."""
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
    }
    lines = template.split("\n")
    for name, value in values.items():
        begin = f"const {name} = "
        at = next(i for i, line in enumerate(lines) if line.startswith(begin))
        lines[at] = begin + value
    return "\n".join(lines)
