"""`workspaces/<key>/recaps.json`: what the last sessions did, and what ended errors (RF-1, RF-3).

Words of tools appear only as paths, names of checks, short commands, exit codes and commit hashes.
"""

from typing import ClassVar

from wm.formats.base import Document, Record, optional

KEPT_RECAPS = 200
KEPT_FIXES = 300
"""Most recaps and fixes kept for a workspace; the oldest are dropped."""

MAIN_FILES = 12
"""Changed files of a session that a recap shows; the rest is counted."""


class CheckRun(Record):
    """The last result of a check: its tool, and its exit code."""

    name: str
    exit_code: int = 0
    at: str = ""


class CommandRun(Record):
    """A command that may end an error: an install, a start, a migration."""

    text: str
    at: str = ""


class Fix(Record):
    """What lay between an error and its end. fingerprint: of the error; check: what passed;
    commands: after the last failure."""

    fingerprint: str
    category: str = ""
    file: str = optional("")
    check: str = optional("")
    edited: tuple[str, ...] = optional(())
    commands: tuple[str, ...] = optional(())
    commit: str = optional("")
    session: str = ""
    at: str = ""


class FileEdits(Record):
    """How often a session edited a file."""

    path: str
    count: int = 1


class LeftError(Record):
    """An error that was open at the end."""

    category: str
    file: str = optional("")
    check: str = optional("")


class Recap(Record):
    """One session. asked: the first words that its user typed. changed: files, newest last."""

    session: str = ""
    agent: str = ""
    branch: str = optional("")
    started_at: str = ""
    at: str = ""
    asked: str = optional("")
    changed: tuple[str, ...] = optional(())
    edits: tuple[FileEdits, ...] = optional(())
    """Of the files of `changed` that were edited more than once."""
    checks: tuple[CheckRun, ...] = optional(())
    commits: tuple[str, ...] = optional(())
    fixes: tuple[Fix, ...] = optional(())
    commands: tuple[CommandRun, ...] = optional(())
    """Of a running session with open errors: the commands that may end one."""
    open: tuple[LeftError, ...] = optional(())
    inbox: tuple[str, ...] = optional(())
    """Entries that the session left in the inbox."""
    kept: tuple[str, ...] = optional(())
    """Entries that became active in the session: its rules, facts and decisions."""
    author: str = optional("")
    """Whose session it was, as a name; "" for the user's own. Foreign text."""

    @property
    def main_files(self) -> tuple[str, ...]:
        """The files that most edits went to, at most `MAIN_FILES`, those of the project before
        others (the agent's plans and notes)."""
        newest = {path: number for number, path in enumerate(self.changed)}
        counts = {one.path: one.count for one in self.edits}

        def rank(path: str) -> tuple[bool, int, int]:
            return path.startswith(("/", "~")), -counts.get(path, 1), -newest[path]

        return tuple(sorted(self.changed, key=rank)[:MAIN_FILES])


class Recaps(Document):
    slug: ClassVar[str] = "recaps"

    recaps: tuple[Recap, ...] = ()
    fixes: tuple[Fix, ...] = optional(())
    running: tuple[str, ...] = optional(())
    """Sessions whose recap is still in their state."""
    others: tuple[Recap, ...] = optional(())
    """What other members of the team share: for people, never for a prompt."""
