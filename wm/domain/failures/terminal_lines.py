"""The lines of a tool's output as a terminal shows them (HS-2, TR-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wm.domain.failures.detected import TABLES
from wm.settings import SessionSettings
from wm.text import patterns

MAX_LINE_CHARS = 2000

_ESCAPES = patterns.Lazy(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?"
    r"|[()*+][A-Za-z0-9]|[@-Z\\^_=>78cHM])"
)
_DOCKER = patterns.Lazy(r"^#\d+ (?:\d+\.\d+ )?")
_TASK = patterns.Lazy(
    r"^(?:(?:@?[\w./-]+[:#]){1,2}|[\w.-]+/[\w./-]+ )"
    r"(?:build|test|lint|typecheck|check|dev|ci)(?:: |\$ )"
)
_STAMP = patterns.Lazy(
    r"^(?:\d{4}(?:-\d\d-|/\d\d/)\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?(?:\| | |$)|"
    r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: |$)|\d\d:\d\d:\d\d(?:\.\d+)? +|==\d+== "
    r"|\[@?[\w./-]+\]: |\[(?:[\d:]+|@?[\w.]+[:/-][\w./-]+)\](?: |$)|[A-Za-z][\w.-]* +\| )"
)
"""What services write before each line: a time, the process id, the name of the workspace or of the
process that printed it."""
_LABEL = patterns.Lazy(
    r"^[\w@][\w@./+-]{0,60}(?:\t|(?: [\w./-]{1,20})?(?::\t|: |:$| *\|(?: {1,2}|$)))"
)
"""The name of a process, and what sets it off from the line that the process printed."""
FEWEST_RELAYED = 3
_KEYS = ("bad", "mild", "bad_in_other_languages", "mild_in_other_languages")
LEVELS = frozenset(name for key in _KEYS for name in TABLES.words(key))
"""Words of severity: `error:` before a line is not the name of a process."""
_LOCALE = patterns.Lazy(
    r"^\S+: (?:line \d+: )?warning: setlocale: "
    r"|^perl: warning: (?:Setting locale|Please check|Falling back)"
    r"|^\t(?:LANG|LANGUAGE|LC_\w+) = |^    are supported and installed on your system\.$"
    r"|^\d: Setting LC_\w+ failed, using |^During startup - Warning messages?:$"
)
"""What a shell, Perl and R say before their work if the locale of the environment is absent."""
_SPINNERS = patterns.Lazy(r"(?m)^[\x{2800}-\x{28FF}]+")
"""Pictures of a turning wheel, drawn over each other until the output begins."""
_BOX = "│╷╵┃"
_FRAME = patterns.Lazy(r"^ +[│╷╵](?: |$)")
"""The frame around a message, below the name of the test or module that it is about."""
_SOURCE = patterns.Lazy(r"^ *\d+ │|.*[─└├╰×]")
"""Quoted source, and frames with corners."""


def without_escapes(text: str) -> str:
    """The text without colours, cursor movements and titles."""
    return _ESCAPES.sub("", text) if "\x1b" in text else text


def lines_of(output: str, settings: SessionSettings) -> list[str]:
    """Lines without colours, progress bars and the frames of task runners.

    Above `max_output_chars` characters or `max_output_lines` lines, only the first and the last
    half of that limit are read.
    """
    if len(output) > settings.max_output_chars:
        half = settings.max_output_chars // 2
        output = f"{output[:half]}\n{output[-half:]}"
    output = without_escapes(output)
    lines = output.replace("\r\n", "\n").split("\n")
    if len(lines) > settings.max_output_lines:
        half = settings.max_output_lines // 2
        lines = [*lines[:half], *lines[-half:]]
    lines = [line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines]
    lines = [line[:MAX_LINE_CHARS] if len(line) > MAX_LINE_CHARS else line for line in lines]
    if any(line[:1] in _BOX and line for line in lines):
        lines = [line[1:].removeprefix(" ") if line[:1] in _BOX else line for line in lines]
    if "\n " in output and "│" in output and not any(map(_SOURCE.match, lines)):
        lines = [_FRAME.sub("" if "╷" in output else "    ", line) for line in lines]
    lines = [_DOCKER.sub("", line) if line.startswith("#") else line for line in lines]
    if any(mark in output for mark in ("setlocale: ", "warning: Setting locale", "Setting LC_")):
        lines = [line for line in lines if _LOCALE.match(line) is None]
    if any(mark in output for mark in _TASK_MARKS):
        lines = [_TASK.sub("", line) for line in lines]
    if _LOGGED.search(output) is not None:
        lines = list(_unwrapped(lines))
    if _SPINNERS.search(output) is not None:
        lines = [_SPINNERS.sub("", line) for line in lines]
    if all(line[:1].isspace() for line in lines[: len(lines) - (lines[-1] == "")]):
        margin = min((len(t) - len(t.lstrip()) for t in lines if t.strip()), default=0)
        lines = [line[margin:] for line in lines]
    return _without_stamps(lines)


_LOGGED = patterns.Lazy(
    r"(?m)^(\[(?:\d\d/\d\d/\d\d )?\d\d:\d\d:\d\d\]| {10,19}) "
    r"((?:CRITICAL|ERROR|WARNING|INFO|DEBUG) {1,4})\S"
)
_LOGGED_AT = patterns.Lazy(r" {2,}\w+\.py:\d+ *$")


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """The entries of a log that rich wraps in columns: time, level, message, source. Of an entry,
    the first line says what is wrong."""
    margin = ""
    for line in lines:
        entry = _LOGGED.match(line)
        if entry is not None:
            margin = " " * len(entry.group(1) + entry.group(2) + " ")
            yield _LOGGED_AT.sub("", f"{entry.group(2).strip()}: {line[len(margin) :]}")
        elif not (margin and line.startswith(margin)):
            margin = ""
            yield line


_TASK_MARKS = ("build: ", "test: ", "lint: ", "typecheck: ", "check: ", "ci: ")


def _without_stamps(lines: list[str]) -> list[str]:
    """The lines without a stamp that most of them begin with."""
    filled = [line for line in lines if line and not line[0].isspace()]  # A stack has none.
    stamped = sum(_STAMP.match(line) is not None for line in filled[:40])
    if 2 * stamped > len(filled[:40]):
        lines = [_STAMP.sub("", line) for line in lines]
    return _without_labels(lines)


def _without_labels(lines: list[str]) -> list[str]:
    """The lines without the names of processes, if most lines begin with one.

    A runner of several processes relays all that they print: behind a name, some lines are empty or
    indented, below a line with the same name. Lines of a compiler never are.
    """
    labels = [m.group(0) if (m := _LABEL.match(line)) else "" for line in lines]
    names = [label.strip(" :|\t") for label in labels]
    counts = Counter(names)
    relayed = {
        name
        for i, name in enumerate(names)
        if name
        and counts[name] >= FEWEST_RELAYED
        and name == names[i - 1]
        and not lines[i][len(labels[i]) :][:1].strip()
        and name.lower() not in LEVELS
    }
    if 2 * sum(counts[name] for name in relayed) <= sum(1 for line in lines if line.strip()):
        return lines
    return [
        line[len(label) :] if name in relayed else line
        for line, label, name in zip(lines, labels, names, strict=True)
    ]
