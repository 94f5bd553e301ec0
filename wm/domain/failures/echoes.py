"""The commands that a task runner ran, as its output shows them (HS-2).

`make` prints each line of a recipe, npm `> jest`, nox `nox > pytest -q`. A runner stops at the
first that fails, so its success is theirs. Protects one rule: an output proves nothing of a part
whose failure was ignored, or whose folder is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from wm.domain.failures import known_tools
from wm.domain.failures.commands import ShellCommand, ran
from wm.domain.failures.coverage import BUILDERS
from wm.domain.session.file_paths import folder
from wm.text import patterns

_BARE = patterns.Lazy(r"^([A-Za-z_][\w./+-]* .*)$")
_SCRIPT = patterns.Lazy(r"^[>$] (\S.*)$")
_PRINTED = {
    "make": _BARE,
    "just": _BARE,
    "nox": patterns.Lazy(r"^nox > (\S.*)$"),
    "tox": patterns.Lazy(r"^[\w.-]+: commands\[\d+\]> (\S.*)$"),
    **dict.fromkeys(known_tools.PACKAGE_RUNNERS, _SCRIPT),
}
"""How runners print a command that they run."""
MAX_SHOWN = 400
"""Lines of an output that are parsed as commands."""
_ENTERS = patterns.Lazy(r"^\S*make(?:\[\d+\])?: \w+ \S+ ['`\"‘«](/[^'\"’»]+)['\"’»]$")
_IGNORED = patterns.Lazy(r"^\S*make(?:\[\d+\])?: \[")
_OBJECT = patterns.Lazy(r"\bBuilding \w+ object (\S*?)CMakeFiles/[^/]+\.dir/(\S+)\.o(?:bj)?$")
"""CMake's line for a source, relative to the folder above that of the build."""


def shows_commands(command: ShellCommand) -> bool:
    """Whether the output of a command may show the commands that it ran."""
    return _head(command) in _PRINTED or _head(command) in BUILDERS


def echoed(proved: Sequence[ShellCommand], lines: Sequence[str], root: str) -> list[ShellCommand]:
    """The checks that succeeded because their runner, one of the proved commands, did."""
    runners = [c for c in proved if shows_commands(c) and not c.idle]
    if len(runners) != 1 or runners[0].widened or any(map(_IGNORED.search, lines)):
        return []
    runner = runners[0]
    if any(flag.startswith(known_tools.PART_FLAGS) for flag in runner.selectors):
        return []
    shown = islice(_shown(runner, lines, root), MAX_SHOWN)
    found = [c for line, where in shown for c in ran(line, root=root, cwd=where).proved]
    built = [match.groups() for match in map(_OBJECT.search, lines) if match is not None]
    base = runner.folder.rpartition("/")[0]
    return [
        *(c for c in found if c.purpose and c.tool != runner.tool and not _is_prose(c)),
        *(ShellCommand("gcc", folder=base, places=("".join(source),)) for source in built),
    ]


def _is_prose(command: ShellCommand) -> bool:
    """Is it a line of text that begins with the name of a tool: `mypy  checks the types`?"""
    return sum(map(str.isalpha, command.places)) > 1


def failed_target(command: ShellCommand, output: str) -> str:
    """The only part that a runner of several names as failed; "" if there is not one."""
    pattern = _FAILED.get(_head(command))
    found = set(pattern.findall(output)) if pattern is not None else set()
    return found.pop() if len(found) == 1 else ""


_FAILED = {
    "make": patterns.Lazy(r"(?m)^g?make: \*\*\* \[(?:[^\]\s]+:\d+: |<builtin>: )?([^\]\s]+)\] "),
    "rake": patterns.Lazy(r"(?m)^Tasks: TOP => (?:.* => )?(\S+)$"),
    "just": patterns.Lazy(r"(?m)^error: Recipe `([^`\s]+)` failed"),
    "nox": patterns.Lazy(r"(?m)^nox > Session (\S+) failed"),
    "tox": patterns.Lazy(r"(?m)^ +([\w.-]+): FAIL\b"),
}


def _shown(runner: ShellCommand, lines: Sequence[str], root: str) -> Iterator[tuple[str, str]]:
    """Each command line that the output shows, and its folder."""
    where = folder(runner.folder or ".", root=root, cwd=root)
    where = where if where.startswith("/") else f"{root}/{where}".rstrip("/")
    pattern = _PRINTED.get(_head(runner))
    if pattern is None:
        return
    if pattern is _SCRIPT:
        # A script that runs others of the same kind may do so in another folder.
        first = next((i for i, line in enumerate(lines) if pattern.match(line)), 0)
        lines = list(takewhile(pattern.match, lines[first:]))
    for line in lines:
        if (entered := _ENTERS.match(line)) is not None:
            where = entered.group(1)
        elif (match := pattern.match(line)) is not None:
            yield match.group(1), where


def _head(command: ShellCommand) -> str:
    return command.tool.split(" ")[0]
