"""`file:line:column: error: message`: gcc, clang, javac, mypy, swiftc; linters with codes.

The most general format of all, so a line needs a place and either a severity or a code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import (
    DetectedError,
    whole,
)
from wm.text import patterns

_ERROR = patterns.compile(
    r"^(?:e: |\[error\] )?((?:[A-Za-z]:)?[^\s:()][^:()]*?):(\d+)(?::\d+)?(?:-\d+)?: "
    r"((?:error(?:\[\w+\])?|fatal error|Error|ERROR|runtime error|sorry, unimplemented): .+)$"
)
_ASSERT = patterns.compile(r"^\S+: (\S+\.\w+):(\d+): .*?: (Assertion .+)$")
_CODE = patterns.compile(
    r"^(\S[^:]*?\.\w+):(\d+):(?:\d+:)? ?(?:error )?\[?([A-Z]{1,4}\d{2,5})\]?:? (?:\[\*\] )?(.+)$"
)
_KOTLIN = patterns.compile(
    r"^e: (?:file://)?(/?[^\s:(]+\.kts?):(?:(\d+):\d+:?|\s?\((\d+), \d+\):) (.+)$"
)
_LINKER = patterns.compile(
    r"^(?:\S*ld: )?(?:\S+\.o: in function .*; )?(\S+?\.\w+):\(\S+\): (undefined reference to .+)$"
)
_LD = patterns.compile(
    r"^(?:\S*/)?ld(?:\.\w+)?: (.*(?:cannot find|undefined|multiple definition|not found).*)$"
)
_SCALA = patterns.compile(
    r"^\[error\] (?:-- .*?: )?(\S+\.(?:scala|java|sbt)):(\d+):\d+(?:: (.+)|.*)$"
)
_STANDARD = patterns.compile(r"^\s+(/\S+\.[cm]?[jt]sx?):(\d+):\d+: (.+ \([\w@/-]+\))$")
_MYPY_CODE = patterns.compile(r"\[[a-z][\w-]*\]$")
_HASKELL = patterns.compile(r"^(\S+\.l?hs):(\d+):\d+: error:(.*)$")
_BLACK = patterns.compile(
    r"^(?:would reformat|Would reformat:?|error: cannot format) (\S+?)(?:: (.+))?$"
)
_ESLINT_UNIX = patterns.compile(r"^(/\S+?):(\d+):\d+: (.+ \[Error/[\w@/-]+\])$")
_ESLINT_COMPACT = patterns.compile(r"^(/\S+?): line (\d+), col \d+, Error - (.+)$")
_SHELLCHECK = patterns.compile(r"^In (\S+) line (\d+):$")
_FORMAT = patterns.compile(
    r"^(\S+\.py): Imports are incorrectly sorted.*$|^ERROR: (\S+\.py) (Imports .+)$"
)

NOISE = ("warnings being treated as errors", "compilation terminated", "errors generated")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        if len(line) < 6 or line[0] in "|\t>=" or not _may_tell(line):
            continue
        yield from _one(lines, i, line)


def _may_tell(line: str) -> bool:
    """A cheap test: a number after a colon or bracket, or a word of one of the rarer forms."""
    colon = line.find(":", 2)
    return (
        (
            colon > 0
            and (line[colon + 1 : colon + 2].isdigit() or line[colon + 1 : colon + 2] == "(")
        )
        or line.startswith(("e: ", "[error] ", "In "))
        or any(mark in line for mark in ("ld: ", "ssertion", "eformat", "cannot format", "Imports"))
        or (line.startswith("  /") and ":" in line)
        or (line.startswith("/") and ", Error - " in line)
    )


def _one(lines: Sequence[str], i: int, line: str) -> Iterator[DetectedError]:
    if "rror" in line and ":" in line and (match := _ERROR.match(line)):
        file, number, message = match.groups()
        if not any(noise in message for noise in NOISE):
            if file.endswith((".py", ".pyi")):
                message = _unwrapped(lines, i, message)
            category = _category(file, line)
            yield DetectedError(category, message.strip(), file, whole(number), i, i + 1)
    elif line.startswith("e: ") and (match := _KOTLIN.match(line)):
        file, plain, bracketed, message = match.groups()
        yield DetectedError("build", message, file, whole(plain or bracketed or ""), i, i + 1)
    elif line.startswith("[error] ") and (match := _SCALA.match(line)):
        file, number, message = match.groups()
        yield DetectedError("build", message or "does not compile", file, whole(number), i, i + 1)
    elif "undefined reference" in line and (match := _LINKER.match(line)):
        yield DetectedError("build", match.group(2), match.group(1), 0, i, i + 1)
    elif "ld" in line and (match := _LD.match(line)):
        if "in function" not in line:
            yield DetectedError("build", match.group(1), at=i, until=i + 1)
    elif "Assertion" in line and (match := _ASSERT.match(line)):
        file, number, message = match.groups()
        yield DetectedError("runtime", message, file, whole(number), i, i + 1)
    elif ": error:" in line and (match := _HASKELL.match(line)):
        file, number, rest = match.groups()
        told = next((t.strip() for t in lines[i + 1 : i + 4] if t.strip()), "")
        yield DetectedError("build", rest.strip() or told, file, whole(number), i, i + 1)
    else:
        yield from _linted(lines, i, line)


def _linted(lines: Sequence[str], i: int, line: str) -> Iterator[DetectedError]:
    match = _CODE.match(line)
    if match:
        file, number, code, message = match.groups()
        yield DetectedError("lint", f"{code} {message}", file, whole(number), i, i + 1)
    elif "eformat" in line or "cannot format" in line:
        match = _BLACK.match(line)
        if match:
            yield DetectedError(
                "lint", match.group(2) or "not formatted", match.group(1), 0, i, i + 1
            )
    elif "/" in line[:3] and (match := _first(line, _ESLINT_UNIX, _ESLINT_COMPACT, _STANDARD)):
        file, number, message = match.groups()
        yield DetectedError("lint", message, file, whole(number), i, i + 1)
    elif line.startswith("In ") and (match := _SHELLCHECK.match(line)):
        told = next((t for t in lines[i + 1 : i + 6] if "SC" in t and "^" in t), "")
        yield DetectedError(
            "lint", told.strip(" ^-") or "shellcheck", match.group(1), whole(match.group(2)), i
        )
    elif "Imports are" in line and (match := _FORMAT.match(line)):
        file = match.group(1) or match.group(2)
        yield DetectedError("lint", "imports are not sorted", file, 0, i, i + 1)


def _first(line: str, *forms: patterns.Pattern) -> patterns.Pattern | None:
    return next((match for form in forms if (match := form.match(line)) is not None), None)


def _unwrapped(lines: Sequence[str], i: int, message: str) -> str:
    """Join a message that `mypy --pretty` wrapped; its last line ends with the code in brackets."""
    if _MYPY_CODE.search(message) is None and i + 1 < len(lines):
        following = lines[i + 1]
        if following[:1].strip() and _MYPY_CODE.search(following) and ".py:" not in following:
            return f"{message.rstrip()} {following}"
    return message


def _category(file: str, line: str) -> str:
    if ": runtime error: " in line:
        return "runtime"
    if file.endswith((".py", ".pyi")):
        return "typecheck"
    return "build"
