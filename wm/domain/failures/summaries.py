"""What the closing lines of a check say about its result (HS-2).

A pipe, `|| true` or `; echo` hides the exit code of a check; its own summary then decides. Checks
count what failed and what passed in a few ways, so no tool has a row here.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.text import patterns

CLOSING_LINES = 25
"""Non-blank lines at the end of an output in which a summary is looked for."""

_FAILED = patterns.compile(
    r"(?i)(?:^|[^\w.:/-])[1-9]\d* (?:[a-z]+ ){0,2}(?:failed|failing|failures?|errors?|errored)\b"
    r"|\b(?:failures?|failed|errors?|fail)(?: tests?)? ?[:=] ?[1-9]"
    r"|\b[1-9]\d* (?:fail|problems?)\b(?: \(0 errors)?"
    r"|^[#ℹ] fail [1-9]|\btest result: FAILED|\bBUILD FAIL(?:ED|URE)\b|^(?:FAILURES|ERRORS)!"
    r"|\bSome tests failed|\bcould not compile\b|^\S*make\S*: \*\*\* |\bCode style issues\b"
    r"|\bELIFECYCLE\b|^Failed!|\bBuild did NOT complete\b|^error: aborting due to"
)
_FAILED_WORD = patterns.compile(r"^(?:=+ *)?FAIL(?:ED|URE)?(?:\b *(?:\(|=|$)|\s+\S+\s+[\d.]+m?s)")
_HARMLESS = patterns.compile(r"\(0 errors")
_PASSED = patterns.compile(
    r"(?i)(?:^|[^\w.:/-])[1-9]\d* (?:[a-z]+ ){0,2}(?:passed|passing|pass|succeeded)\b"
    r"|^OK(?: \(|$)|\b0 (?:errors?|failures?|failed|failing|fail|problems?)\b|\bBUILD SUCCESS"
    r"|\btest result: ok\b|\bAll checks passed\b|\bno issues found\b|\bAll tests passed\b"
    r"|^[#ℹ] fail 0|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|\bAll matched files use\b|^Passed!"
    r"|\bAll specs passed\b|\bBuild succeeded\b|\b100% tests passed\b"
    r"|^Finished `?(?:dev|release|test|bench)\b"
    r"|\bNo (?:problems|errors|lint errors) (?:found)?"
)


def failed(lines: Sequence[str]) -> str:
    """The closing line that says that the check failed; "" if none does."""
    for line in _closing(lines):
        if _FAILED_WORD.search(line) or (_FAILED.search(line) and not _HARMLESS.search(line)):
            return line
    return ""


def passed(lines: Sequence[str]) -> bool:
    """Does a closing line say that the check passed, and none that it failed?"""
    return not failed(lines) and any(_PASSED.search(line) for line in _closing(lines))


def _closing(lines: Sequence[str]) -> list[str]:
    """The last non-blank lines, the last one first."""
    found: list[str] = []
    for line in reversed(lines):
        if line.strip():
            found.append(line.strip())
        if len(found) >= CLOSING_LINES:
            break
    return found
