"""The commands that a task runner ran, as its output shows them (HS-2).

`make` prints each line of a recipe, npm `> jest`, nox `nox > pytest -q`. A runner stops at the
first that fails, so its success is theirs. Protects one rule: an output proves nothing of a part
whose failure was ignored, or whose folder is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, takewhile, zip_longest

from wm.domain.failures import known_tools, summaries
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
_MOVES = patterns.Lazy(
    r"^\S*make(?:\[(\d+)\])?\x{a0}?: [^*'`\"‘«„“”「]+['`\"‘«„“”「]\x{a0}?"
    r"(/[^'\"’»“”」\x{a0}]+)\x{a0}?['\"’»“”」][^.:]*$"
)
"""Make enters or leaves a folder; the words depend on the language."""
MIXED = "?"
"""In place of a folder: two makes run at once, and their lines are mixed."""
_CD = patterns.Lazy(r"^cd \S+$")
_IGNORED = patterns.Lazy(
    r"^\S*make(?:\[\d+\])?: \[|^\s*[\w.-]+: (?:exit [1-9]\d* \(|IGNORED FAIL\b)"
)
_OBJECT = patterns.Lazy(r"\bBuilding \w+ object (\S*?)CMakeFiles/[^/]+\.dir/(\S+)\.o(?:bj)?$")
"""CMake's line for a source, relative to the folder above that of the build."""


def shows_commands(command: ShellCommand) -> bool:
    """Whether the output of a command may show the commands that it ran."""
    return command.head in _PRINTED or command.head in BUILDERS


def echoed(proved: Sequence[ShellCommand], lines: Sequence[str], root: str) -> list[ShellCommand]:
    """The checks that succeeded because their runner, one of the proved commands, did."""
    runners = [c for c in proved if shows_commands(c) and not c.idle]
    if len(runners) != 1 or runners[0].widened or any(map(_IGNORED.search, lines)):
        return []
    runner = runners[0]
    if any(flag.startswith(known_tools.PART_FLAGS) for flag in runner.selectors):
        return []
    read = islice(_shown(runner, lines, root), MAX_SHOWN)
    shown = [(at, checks) for at, commands in read if (checks := _checks(commands, runner))]
    ends = [at for at, _found in shown[1:]]
    found = [
        command
        for (at, checks), end in zip_longest(shown, ends)
        for command in checks
        if _agrees(command, lines[at + 1 : end])
    ]
    built = [match.groups() for match in map(_OBJECT.search, lines) if match is not None]
    base = runner.folder.rpartition("/")[0]
    return [
        *found,
        *(ShellCommand("gcc", folder=base, places=("".join(source),)) for source in built),
    ]


def _checks(commands: Sequence[ShellCommand], runner: ShellCommand) -> list[ShellCommand]:
    """The checks among commands, without text that begins like one: `mypy  checks the types`."""
    script = _PRINTED.get(runner.head) is _SCRIPT  # No other text has a mark before it.
    checks = (c for c in commands if (c.purpose or script) and c.tool != runner.tool)
    return [c for c in checks if sum(map(str.isalpha, c.places)) < 2]


def _agrees(command: ShellCommand, below: Sequence[str]) -> bool:
    """Does the output below a command agree that it succeeded? A runner may ignore a failure
    without a word, and a line that looks like a command may be advice: below a run of tests there
    are numbers."""
    counts = any(char.isdigit() for line in below for char in line)
    return (counts or command.purpose != "test") and not summaries.failed(below)


def failed_targets(command: ShellCommand, output: str) -> list[tuple[int, str]]:
    """The parts that a runner of several names as failed, each with the line that says so."""
    pattern = _FAILED.get(command.head)
    if pattern is None:
        return []
    return [(i, m.group(1)) for i, t in enumerate(output.split("\n")) if (m := pattern.match(t))]


def failed_target(failed: Sequence[tuple[int, str]], at: int) -> str:
    """The failed part to which an error at line `at` belongs; "" if it is not known.

    A runner that continues after a failure (`make -k`) names each part below the output of that
    part. One that runs several at once, or only sums up, names them on adjacent lines.
    """
    crowded = any(b - a < 2 and x != y for (a, x), (b, y) in pairwise(failed))
    if crowded or not failed:
        return ""
    return next((name for i, name in failed if i >= at), failed[-1][1])


_FAILED = {
    "make": patterns.Lazy(r"^g?make: \*\*\* \[(?:[^\]\s]+:\d+: |<builtin>: )?([^\]\s]+)\] "),
    "rake": patterns.Lazy(r"^Tasks: TOP => (?:.* => )?(\S+)$"),
    "just": patterns.Lazy(r"^error: Recipe `([^`\s]+)` failed"),
    "nox": patterns.Lazy(r"^nox > Session (\S+) failed"),
    "tox": patterns.Lazy(r"^ +([\w.-]+): FAIL\b"),
}


def _shown(
    runner: ShellCommand, lines: Sequence[str], root: str
) -> Iterator[tuple[int, Sequence[ShellCommand]]]:
    """Where the output shows a command line, and what its success proves; only while its folder is
    known."""
    head = runner.head
    if head not in _PRINTED or (head == "just" and (runner.folder or "::" in runner.tool)):
        return  # just runs a recipe in the folder of its file, which may be another one.
    pattern = _PRINTED[head]
    began = folder(runner.folder or ".", root=root, cwd=root)
    began = began if began.startswith("/") else f"{root}/{began}".rstrip("/")
    moved = dict(folders(lines))
    where, known = began, True
    for at in _header(runner, lines) if pattern is _SCRIPT else range(len(lines)):
        if at in moved:
            where, known = moved[at] or began, True
            if where == MIXED:
                return
        elif known and (match := pattern.match(lines[at])) is not None:
            what = ran(match.group(1), root=root, cwd=where)
            yield at, what.proved
            here = folder(where, root=root) if where != root else ""
            nested = (c for c in what.suspects if _PRINTED.get(c.head) is _BARE)
            known = not (_CD.match(match.group(1)) or any(c.folder != here for c in nested))


def folders(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines at which make enters or leaves a folder, each with the folder after it: "" for the
    folder in which make began, `MIXED` if it is unknown from here on."""
    inside: dict[str, str] = {}
    moves = ((i, m) for i, t in enumerate(lines) if "make" in t and (m := _MOVES.match(t)))
    for at, match in moves:
        level, path = match.groups("")
        if inside.get(level, path) != path:
            yield at, MIXED
            return
        if not inside.pop(level, ""):  # It enters; otherwise it leaves.
            inside[level] = path
        yield at, next(reversed(inside.values()), "")


def _header(runner: ShellCommand, lines: Sequence[str]) -> Iterator[int]:
    """The lines with which a package manager shows a script before it runs it. What that script
    shows of others is left out: they may run in another folder."""
    script = runner.tool.rpartition(" ")[2]
    said = [i for i, line in enumerate(lines) if line and not line.startswith("yarn run v")]
    shown = (i for i in said if lines[i][0] == ">" and script in lines[i].split(" "))
    first = next(shown, next((i for i in said[:1] if lines[i][0] == "$"), len(lines)))
    return takewhile(lambda i: _SCRIPT.match(lines[i]) is not None, range(first, len(lines)))
