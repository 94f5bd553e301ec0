"""A tool call whose output may be pruned, and the programs its command line ran (PR-2).

Parses the command with the shell scanner of the open errors; decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from wm.domain.failures import known_tools
from wm.domain.failures.commands import INTERPRETERS
from wm.domain.failures.shell import MAX_NESTING, read

FILTERS = frozenset(
    ("head", "tail", "sort", "uniq", "tee", "cat", "less", "more", "cut", "tr", "column", "nl")
)
"""Programs that pass on the output of another program."""

TRACERS = ("strace", "ltrace", "valgrind")
"""Programs that run another one and print more than it does."""


class CommandPart(Struct, frozen=True):
    """One program of a command line: its name with subcommand (`git diff`), and its arguments.
    last: it ends its pipeline, so the printed output is its own."""

    program: str
    arguments: tuple[str, ...]
    last: bool = True

    @property
    def name(self) -> str:
        """The program without its subcommand."""
        return self.program.partition(" ")[0]

    @property
    def plain(self) -> tuple[str, ...]:
        """Arguments that are not flags."""
        return tuple(a for a in self.arguments if not a.startswith("-"))


class PrunableCall(Struct, frozen=True, dict=True):
    """tool: one of `wm.formats.events.TOOLS`. name: the agent's own name for it. synthetic: the
    client marked the output as its own."""

    tool: str
    name: str = ""
    command: str = ""
    output: str = ""
    synthetic: bool = False

    @cached_property
    def parts(self) -> tuple[CommandPart, ...]:
        """Every program that the command line ran, in order."""
        return tuple(_parts(self.command, 0))

    @cached_property
    def maker(self) -> CommandPart | None:
        """The last program that produces output instead of passing it on."""
        return next((part for part in reversed(self.parts) if part.name not in FILTERS), None)

    def ran(self, *programs: str) -> bool:
        """Did one of these run: a program, or a program with its subcommand?"""
        return any(part.program in programs or part.name in programs for part in self.parts)


def _parts(command: str, depth: int) -> Iterator[CommandPart]:
    for step in read(command).steps:
        for number, words in enumerate(step.pipe):
            last = number == len(step.pipe) - 1
            bare = _bare(words)
            if not bare or bare[0] in ("cd", "set", "export", "pushd", "popd", "true", ":"):
                continue
            inner = _inner(bare)
            if inner and depth < MAX_NESTING:
                yield from _parts(inner, depth + 1)
            else:
                yield _part(bare, last)


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without assignments and without programs that run another one."""
    while words:
        first = words[0]
        if "=" in first and first.partition("=")[0].isidentifier():
            words = words[1:]
            continue
        two = " ".join(words[:2])
        prefix = two if two in known_tools.PREFIXES else first.rpartition("/")[2]
        if prefix not in known_tools.RUNS_ANOTHER or prefix in TRACERS:
            break
        words = words[1 + prefix.count(" ") :]
        words = _without_flags(words, known_tools.PREFIXES.get(prefix, ()))
        words = words[known_tools.PREFIX_ARGUMENTS.get(prefix, 0) :]
    return words


def _without_flags(words: tuple[str, ...], valued: tuple[str, ...]) -> tuple[str, ...]:
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in valued else 1 :]
    return words


def _inner(words: tuple[str, ...]) -> str:
    """The script of `bash -c "…"`."""
    if words[0].rpartition("/")[2] in INTERPRETERS and len(words) > 2:
        flag = next((i for i, w in enumerate(words) if w.startswith("-") and "c" in w), 0)
        traced = "x" in words[flag]
        return words[flag + 1] if 0 < flag < len(words) - 1 and not traced else ""
    return ""


def _part(words: tuple[str, ...], last: bool) -> CommandPart:
    name = words[0].rpartition("/")[2]
    name = known_tools.ALIASES.get(name, name)
    rest = words[1:]
    if name == "python" and rest[:1] == ("-m",) and len(rest) > 1:
        name, rest = known_tools.ALIASES.get(rest[1], rest[1]), rest[2:]
    if name in known_tools.SUBCOMMANDS or name in known_tools.PACKAGE_RUNNERS:
        rest = _without_flags(rest, known_tools.GLOBAL_FLAGS.get(name, ()))
        if rest:
            return CommandPart(f"{name} {rest[0]}", rest[1:], last)
    return CommandPart(name, rest, last)
