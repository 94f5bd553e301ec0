"""npm and pip: what could not be installed or started, and the reason they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import TABLES, DetectedError
from wm.text import patterns

_NPM = patterns.Lazy(r"^npm (?:error|ERR!) ?(.*)$")
_PIP = patterns.Lazy(r"^ERROR: (.+)$")

NOISE = tuple(TABLES.table("npm_noise"))
SCRIPTS = ("ELIFECYCLE", "command failed", "Lifecycle script")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    yield from _npm(lines)
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
    word, _, rest = text.partition(" ")
    text = rest if rest and word.islower() and code.lower().endswith(word) else text
    message = f"npm error {code}: {text}" if code else f"npm error {text}"
    yield DetectedError("", message.strip().rstrip(":"), at=said[0][0], until=said[-1][0] + 1)


def _pip(lines: Sequence[str]) -> Iterator[DetectedError]:
    said = [(i, m.group(1)) for i, t in enumerate(lines)
            if t.startswith("ERROR: ") and (m := _PIP.match(t))]  # fmt: skip
    for mark in TABLES.table("pip_reasons"):
        for i, text in said:
            if mark in text:
                yield DetectedError("", text, at=i, until=i + 1)
                return
