"""The shell line of a hook, and the script that all hooks run (IF-3, IF-5).

A line stays the same from version to version, because an agent may ask its user to trust a changed
one: `[ -f SCRIPT ] && sh SCRIPT AGENT EVENT || :`. Without the script it does nothing and exits
with 0. What depends on the version and on the place of the installation is in the script, which
`wm setup` writes beside its record; the file `claude_code/hooks/hook.sh` is its template.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from msgspec import Struct

from wm.settings import HookSettings

TEMPLATE = Path(__file__).with_name("claude_code") / "hooks" / "hook.sh"

MARK = b"# wm: passes one event of a coding agent to the daemon"
"""The beginning of the script, by which setup recognises its own."""


class Fallback(Enum):
    """What happens to a payload that the daemon did not take: the option of the script for it."""

    FILES = ""
    """Processed on the files."""
    FILES_IF_DOWN = " --stream"
    """The same if no daemon listens; one that hangs already has the payload."""
    NONE = " --socket"
    """Dropped: the event is frequent and worth little."""


class WmCommand(Struct, frozen=True):
    """How agents and service managers start this installation: through the script, whose path
    survives an upgrade. python, package: the interpreter, and the folder of the package `wm`."""

    script: Path
    python: str = ""
    package: str = ""

    @property
    def wm(self) -> tuple[str, ...]:
        """The command line of `wm`, without its arguments."""
        return ("/bin/sh", str(self.script), "--run")

    @property
    def mcp(self) -> tuple[str, ...]:
        """The command line that starts the MCP server."""
        return (*self.wm, "mcp")


def script_text(command: WmCommand, settings: HookSettings) -> str:
    """The script for this installation. It runs Python by path: no shim, and nothing of an agent's
    environment."""
    values = {
        "python=": shlex.quote(command.python),
        "package=": shlex.quote(command.package),
        "seconds=": f"{settings.event_timeout_s:g}",
    }
    return with_values(TEMPLATE.read_text("utf-8"), values)


def with_values(text: str, values: Mapping[str, str]) -> str:
    """A template with values for this installation. values: the beginning of a line, up to the
    value -> the value."""
    lines = text.split("\n")
    for begin, value in values.items():
        at = next(i for i, line in enumerate(lines) if line.startswith(begin))
        lines[at] = begin + value
    return "\n".join(lines)


def line(script: str, agent: str, event: str, fallback: Fallback = Fallback.FILES) -> str:
    """The shell line of one hook. script: a word of the shell."""
    return f"[ -f {script} ] && sh {script} {agent} {event}{fallback.value} || :"


def limit_s(fallback: Fallback, settings: HookSettings) -> int:
    """The agent's own limit for a hook, in seconds: longer than ours, which is curl's wait, then
    the library's."""
    library = fallback is not Fallback.NONE
    return math.ceil(settings.event_timeout_s + library * settings.start_timeout_s) + 1


def is_ours(text: str, agent: str) -> bool:
    """Whether a hook line, or a file with some, is of `wm`: of this version, or of one whose lines
    called curl themselves."""
    return f"/v1/hooks/{agent}/" in text or f"/wm/hook.sh {agent} " in text.replace("'", "")
