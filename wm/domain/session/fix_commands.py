"""The commands between a failure and its end that may have ended it (RF-3).

`docker compose up -d db` is one; reading, checking and committing are not. A command that deletes,
stops or publishes is never one: the line about a fix must not advise it. Pure.
"""

from __future__ import annotations

from wm.domain.failures.commands import ShellCommand, ran
from wm.domain.failures.shell import Pipeline, read
from wm.domain.memory.gate import reads_as_instruction
from wm.text.patterns import Lazy, words

MAX_COMMANDS = 3
"""Commands of a fix: the last ones."""

_MAX_CHARS = 80
_MAX_ARGUMENTS = 2
"""Arguments beside flags: too few for a sentence (TR-3)."""

_PLAIN_WORD = Lazy(r"[A-Za-z0-9_./@+:=,^~\[\]-]+")
"""Of ASCII: in some scripts one word can hold a sentence."""
_CHECKS = ("test", "lint", "typecheck")

_CHANGES_FILES = words("chmod cp ln mkdir mv touch tar unzip")
"""Programs that change files, though their output opens no errors."""

_READS = words(
    "check config describe diff env exec explain freeze get help history images info inspect "
    "list logs ls outdated ps query search show stats status top tree version view whoami why"
)
"""Verbs and names of tasks that change nothing."""
_READING_FLAGS = words("--version -V --help -h --list --dry-run --check")

_REPAIRS = words("--fix --write --update --update-snapshots -u -w fmt format install")
"""Flags and verbs with which a checker repairs what it finds, or fetches what it needs."""

_OF_GIT = words("pull submodule lfs")
"""The subcommands of git that may end a failure; others record it, or discard work."""

_HARMS = words(
    "abort bfg clear dd deinit del deploy disable down drain force fresh fuser gh halt kill "
    "killall mkfs off pkill poweroff prune push reboot release reset revert rm rmdir rmi rollback "
    "scale send setenforce shred shutdown ssh stop submit taint undo uninstall unlink unload "
    "upload userdel yank"
)
"""Words of commands that delete, stop, publish or send something."""
_DESTROYS = Lazy(
    r"clean|delet|deprecat|destroy|downgrad|drop|eras(?:e|ing)|filter-repo|flush|publish|purg|"
    r"remov|replant|terminat|truncat|wip(?:e|ing)"
)
"""Also within a word: `distclean`, `lvremove`, `db.dropDatabase`, `terminate-instances`."""
_PARTS = str.maketrans(dict.fromkeys(":/._-=", " "))


def commands_of(line: str, *, root: str, cwd: str) -> tuple[str, ...]:
    """The commands of a command line that may end a failure, in order."""
    found = (_command(step, root, cwd) for step in read(line).steps)
    return tuple(filter(None, found))


def is_shown(command: str) -> bool:
    """Whether a line about a fix may name this command."""
    return commands_of(command, root="/", cwd="/") == (command,)


def runs(command: str, tool: str) -> bool:
    """Whether a command of `commands_of` is a run of this tool."""
    return any(run.tool == tool for run in ran(command, root="/").suspects)


def _command(step: Pipeline, root: str, cwd: str) -> str:
    """The text of a step that may end a failure, without what its output is piped into; else ""."""
    given = step.pipe[0]
    text = " ".join(given)
    if len(text) > _MAX_CHARS or "//" in text or not all(map(_PLAIN_WORD.fits, given)):
        return ""
    found = ran(text, root=root, cwd=cwd).suspects[:1]
    if not found or len(found[0].places) > _MAX_ARGUMENTS or not _changes(found[0], set(given)):
        return ""
    low = text.lower()
    parts = low.translate(_PARTS)
    harms = not _HARMS.isdisjoint(parts.split()) or _DESTROYS.is_match(low)
    return "" if harms or reads_as_instruction(parts) else text


def _changes(command: ShellCommand, given: set[str]) -> bool:
    """Whether a command may change what a check finds."""
    program, _, verb = command.tool.partition(" ")
    names = [*verb.split(), *command.places]
    if program == "git":
        return verb in _OF_GIT
    if command.purpose in _CHECKS:
        return not _REPAIRS.isdisjoint({*given, *names})
    if command.silent or command.shows_text or (command.lists and program not in _CHANGES_FILES):
        return False
    is_reading = not _READS.isdisjoint(names[:2]) or not _READING_FLAGS.isdisjoint(given)
    return not is_reading and (bool(names) or any("/" in word for word in given))
