"""An error that a parser detected, before it becomes an open error (HS-2)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib import import_module

from msgspec import Struct

from wm.text import patterns
from wm.text.tables import Tables

TABLES = Tables("wm.domain.failures")


class DetectedError(Struct, frozen=True):
    """category: "" for that of the tool that ran. at, until: the output lines it took.

    message: the problem on one line, without the place. name: the failed test.
    """

    category: str
    message: str
    file: str = ""
    line: int = 0
    at: int = 0
    until: int = 0
    name: str = ""


class RatedError(Struct, frozen=True):
    """A detected error, and whether its format calls it an error: None if it does not say."""

    found: DetectedError
    bad: bool | None


LAST_WORD = "\0last word"
"""Name of a detection that counts only if nothing better was found."""

PACKAGE_MARK = "package:"
"""Prefix of an import path whose folder depends on the workspace's root."""


class Family(Struct, frozen=True):
    """A parser and when to run it.

    name: its module among the formats, imported when an output first contains one of the hints:
    each module compiles its patterns, and most projects need two or three of them. hints: texts,
    one of which every output that the parser can read contains. tools: first words of tools that
    write this format; the error belongs to such a part of a chain. runtime: the error comes from a
    program that ran, not from a checker.
    """

    name: str
    hints: tuple[str, ...]
    tools: tuple[str, ...] = ()
    runtime: bool = False

    def find(self, lines: Sequence[str]) -> Iterable[DetectedError]:
        module = import_module(f"{__package__}.formats.{self.name}")
        found: Iterable[DetectedError] = module.find(lines)
        return found


_NUMBER = patterns.Lazy(
    r"(?i)==\d+==|(:\d+)+\b|\(\d+,\s?\d+\)|\[\d+,\s?\d+\]|\bline \d+|0x[0-9a-f]+"
)
_DURATION = patterns.Lazy(r"\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b")


def fingerprint(category: str, summary: str) -> str:
    """12 hex digits that do not change with lines, columns, addresses or durations."""
    bare = _DURATION.sub("", _NUMBER.sub("", summary))
    text = f"{category}{' '.join(bare.split())}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def summary(found: DetectedError, file: str, max_chars: int) -> str:
    """Place, test and message on one line, cut at `max_chars` with `…`."""
    place = f"{file}:{found.line}: " if file and found.line else f"{file}: " if file else ""
    name = f"{found.name}: " if found.name and found.name not in found.message else ""
    text = " ".join(f"{place}{name}{found.message}".split())
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


FOREIGN = TABLES.words("foreign")


def is_foreign(path: str) -> bool:
    """Is this a file of a library, runtime or package, by its path?"""
    return not path or any(mark in path for mark in FOREIGN)


_HOSTS = (".com", ".org", ".net", ".io", ".local", ".internal", ".invalid", ".localhost")


def is_host(path: str) -> bool:
    """Whether it is a host or a URL, not a file."""
    return path.endswith(_HOSTS) if "/" not in path else path[:2] == "//" != path[1:3]


def same_file(a: str, b: str) -> bool:
    """Whether two paths may name one file: they are equal, or one is the end of the other."""
    a, b = a.removeprefix("./"), b.removeprefix("./")
    return bool(a and b) and (a == b or a.endswith(f"/{b}") or b.endswith(f"/{a}"))


def own_place(pattern: patterns.Lazy, lines: Iterable[str]) -> tuple[str, int]:
    """File and line of the first match in a file of the project; ("", 0) if there is none."""
    for line in lines:
        match = pattern.search(line)
        if match is not None and not is_foreign(match.group(1)):
            return match.group(1), line_no(match.group(2) or "")
    return "", 0


def line_no(text: str) -> int:
    """The matched number; 0 for one that is absurdly long."""
    return int(text) if text.isdigit() and len(text) < 8 else 0
