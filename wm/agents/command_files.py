"""The commands that a user can give an agent: remember, recall, recap and inbox (EX-1, RF-1).

One Markdown file per command in `claude_code/commands` serves every client. Claude Code reads the
files as they are, from the plugin or from `commands/wm` of the user's folder; both give
`/wm:remember`. The OpenCode plugin registers the same texts under the same names.

The body is inside an element that the echo guard removes, so its words count as text of `wm`, not
of the user (EX-4).
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from wm.agents.parts import OwnFile

FOLDER = Path(__file__).with_name("claude_code") / "commands"
NAMES = ("remember", "recall", "recap", "inbox")
MARK = b"# A command of wm; `wm unsetup` removes it."
BODY = "<wm-command>"
TYPED = "Remember: $ARGUMENTS\n\n"
"""OpenCode shows a plugin the expanded text only. This line is what the user asked to keep; Claude
Code's hook gets the typed command itself."""


class AgentCommand(Struct, frozen=True):
    """One command. raw: its file; description, body: the parts of it that OpenCode takes."""

    name: str
    raw: bytes
    description: str
    body: str

    @property
    def template(self) -> str:
        """The text that OpenCode sends for the command."""
        return (TYPED if self.name == "remember" else "") + self.body


class CommandFile(OwnFile, frozen=True, kw_only=True):
    """One command in Claude Code's folder. A file of the user's with this name stays: it replaces
    the command and does not stop setup."""

    def is_current(self, raw: bytes) -> bool:
        return raw == self.content or not self.is_ours(raw)

    def remark(self, raw: bytes) -> str:
        if self.is_ours(raw):
            return ""
        return f"{self.path} is not a file of wm. It is kept in place of wm's command."

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:  # noqa: ARG002
        return None if self.is_ours(raw) else raw


def commands() -> tuple[AgentCommand, ...]:
    """All commands, read from the package."""
    return tuple(_read(name) for name in NAMES)


def _read(name: str) -> AgentCommand:
    raw = (FOLDER / f"{name}.md").read_bytes()
    text = raw.decode()
    rows = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    return AgentCommand(name, raw, rows["description"], text[text.index(BODY) :])


def parts(claude: Path) -> tuple[CommandFile, ...]:
    """The files that setup writes into Claude Code's folder."""
    return tuple(
        CommandFile(
            path=claude / "commands" / "wm" / f"{one.name}.md",
            content=one.raw,
            mark=MARK,
            purpose=f"the commands {', '.join(f'/wm:{name}' for name in NAMES)}",
        )
        for one in commands()
    )
