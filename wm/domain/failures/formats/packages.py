"""npm, pnpm, yarn and pip: what could not be installed or started, and the reason they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import DetectedError
from wm.text import patterns

_NPM = patterns.Lazy(r"^npm (?:error|ERR!) ?(.*)$")
_PNPM = patterns.Lazy(r"^\s?(?:\[?ERR_PNPM_|ERR_PNPM_| ERR_PNPM_)(\w+)\]?\s+(.+)$")
_YARN = patterns.Lazy(r"^(?:➤ (YN\d+): (?:│ |└ )?(.*)|error (.+))$")
_PIP = patterns.Lazy(r"^ERROR: (.+)$")

NOISE = ("code ", "A complete log", "errno ", "syscall ", "path ", "Lifecycle script", "location ",
         "workspace ", "command ", "in workspace", "[--", "Usage:", "Options:", "at location",
         "signal", "aliases:", "Run \"npm", "dest ", "cwd ", "   ")  # fmt: skip
SCRIPTS = ("ELIFECYCLE", "command failed", "Lifecycle script")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    yield from _npm(lines)
    for i, line in enumerate(lines):
        if "ERR_PNPM_" in line and (match := _PNPM.match(line)):
            if "RECURSIVE_RUN" not in match.group(1):
                yield DetectedError("", f"{match.group(1)} {match.group(2)}", at=i, until=i + 1)
        elif line.startswith(("➤ ", "error ")) and (match := _YARN.match(line)):
            code, detail, plain = match.groups()
            detail = plain or (f"{code} {detail}" if "rror" in detail or code != "YN0000" else "")
            if detail and not detail.startswith("Command failed") and not detail.endswith(":"):
                yield DetectedError("", detail, at=i, until=i + 1)
                return
    yield from _pip(lines)


def _npm(lines: Sequence[str]) -> Iterator[DetectedError]:
    """One error for all lines of npm: the code and the first sentence about it."""
    said = [(i, m.group(1)) for i, t in enumerate(lines)
            if t.startswith("npm ") and (m := _NPM.match(t))]  # fmt: skip
    if not said:
        return
    code = next((t.removeprefix("code ") for _i, t in said if t.startswith("code ")), "")
    detail = [t for _i, t in said if t.strip() and not t.startswith(NOISE)]
    if any(mark in t for _i, t in said for mark in SCRIPTS) and (not code or code == "ELIFECYCLE"):
        return
    text = " ".join(detail[:2])
    # npm repeats the short code at the start of each line: `notarget No matching version …`.
    first = text.split(" ", 1)
    if (
        len(first) == 2
        and first[0].isalnum()
        and first[0].islower()
        and code.lower().endswith(first[0])
    ):
        text = first[1]
    message = f"npm error {code}: {text}" if code else f"npm error {text}"
    yield DetectedError("", message.strip().rstrip(":"), at=said[0][0], until=said[-1][0] + 1)


def _pip(lines: Sequence[str]) -> Iterator[DetectedError]:
    said = [(i, m.group(1)) for i, t in enumerate(lines)
            if t.startswith("ERROR: ") and (m := _PIP.match(t))]  # fmt: skip
    marks = ("No matching distribution", "ResolutionImpossible", "Failed building",
             "Could not build", "Cannot install", "Could not find a version")  # fmt: skip
    for mark in marks:
        for i, text in said:
            if mark in text:
                yield DetectedError("", text, at=i, until=i + 1)
                return
