"""What the closing lines of a check say about its result (HS-2).

A pipe, `|| true` or `; echo` hides the exit code of a check; its own summary then decides. Checks
count what failed and what passed in a few ways, so no tool has a row here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import islice, takewhile

from wm.text import patterns

CLOSING_LINES = 25
"""Non-blank lines at the end of an output in which a summary is looked for."""

LAST_LINES = 3
"""Lines at the very end in which the tool may say why it stopped."""

_COUNTED = (
    r"(?:fail(?:ed|ing|ures?)?|errors?|errored|problems?|diagnostics?|violations?|offenses?|broken|"
    r"(?:dependency |lint(?:ing)? |type |style )?issues?)"
)
_FIELD = r"\"(?:num)?_?(?:fail(?:ed|ures?)?|errors?)_?(?:count|tests|testsuites)?\":"
_VERDICT = (
    r"\btest result: FAILED|\bBUILD FAIL|^Result: FAIL|^(?:FAILURES|ERRORS)!|^\S*make\S*: \*\*\* "
    r"|^(?:\S+ ){0,3}(?:build|compilation|validation|linting|parsing):? (?:failed|aborted)"
    r"(?:[.!]|$)"
    r"|^npm (?:ERR!|error) (?:A complete log|Lifecycle script)"
    r"|\b(?:abort(?:ed|ing)|failed|stopped) (?:with|due to|after) [1-9]"
    r"|\b(?:aborted|stopped|interrupted|not \w+) due to (?:[\w-]+ ){0,3}(?:error|warning)s?\b"
)
"""What only a tool that judges something says, whatever it is called."""
_FAILED = patterns.Lazy(
    rf"(?i)(?:^|[^\w.:;/#'\"-])[1-9]\d* (?:[a-z]+ ){{0,3}}(?:{_COUNTED}\b|issues)"
    rf"|\b{_COUNTED}(?: tests?| checks?| found)?(?: ?[:=] ?| )[1-9]\d{{0,6}}"
    r"(?: *[^\s\w!=<>]| +[a-z]|$)"
    rf"|{_VERDICT}"
    r"|\bcould not compile\b|^Failed!|^Error!"
    r"|\b(?:tests?|build|checks?|session|task|suite|compilation|validation|run|job)\b[^.:]{0,40}"
    r" (?:failed|aborted|finished with (?:problems|errors))[.!:]?(?: |$)|^rake aborted"
    r"|\b(?:exited with|exit)(?: code| status)?:? [1-9]|\bfiles? would be (?:up|re|ch)"
    r"|\bissues found in [1-9]"
    rf"|^Exiting due to \S|\bdid not complete successfully|{_FIELD} ?[1-9]"
)
_FAILED_WORD = patterns.Lazy(
    r"^(?:[=─]+ *)?FAIL(?:ED|URE)?(?:\b *(?:\(|=|\||in \d|[\"']|:?$)|\s+\S+\s+[\d.]+m?s)"
)
_STOPPED = patterns.Lazy(
    r"^(?:[\w./-]+: )?"
    r"(?:npm (?:ERR!|error) |(?:fatal|error|FATAL|ERROR|Error|Fatal)(?:\[\w+\])?: )\S"
)
_HARMLESS = patterns.Lazy(
    r"(?i)\(0 errors|[1-9]\d* (?:\w+ ){0,2}(?:fixed|ignored|suppressed|resolved)\b|"
    r"\bpotentially fixable\b|^not ok \d.*# (?:todo|skip)\b|^\S*make\S*: \[|"
    r"^\D*\bpassed\W+fail(?:ed|ures)\b\D*$"
)
_NONE = patterns.Lazy(
    rf"(?i)\b(?:0|no|without) (?:[a-z]+ ){{0,2}}{_COUNTED}\b|\bexpected failures?[=: ]+\d+"
    rf"|\b{_COUNTED}[:=] ?0\b"
)
_PASSED = patterns.Lazy(
    rf"(?i)(?:^|[^\w.:/-])[1-9]\d* (?:[a-z]+ ){{0,2}}(?:passed|passing|pass|succeeded)\b"
    rf"|(?-i:^OK)(?: \(|$)|\b(?:0|no) (?:[a-z]+ )?{_COUNTED}\b|\bBUILD SUCCESS|\bSuccess\b"
    r"|\btest result: ok\b|\bAll (?:checks|tests|specs) passed\b|^Result: PASS"
    r"|\bfail(?:ed|ures?)?(?:[:=] ?| )0\b|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|^Passed!"
    r"|\bAll matched files use\b|^✓ built in \d"
    r"|\bBuild succeeded\b|\b100% tests passed\b|\balready formatted\b|\bcompleted successfully\b"
    rf"|^Successfully [a-z]+ |^All done!|^Finished `?(?:dev|release|test|bench)\b|{_FIELD} ?0"
)


_RUN = patterns.Lazy(
    r"(?i)^\W*[1-9]\d* (?:(?:tests?|specs?|examples?|files?) )?fail(?:ed|ing|ures?)\b[^a-z]*$"
    r"|^\W*(?:[a-z ]+[:\s]+)?\d+ [a-z]+, .*[1-9]\d* (?:failed|failures?|errors?)\b"
    r"|^\W*(?:[a-z ]+[:\s]+)?[1-9]\d* (?:failed|failures?|failing|errors?), \d+ "
    r"|^\W*\d+ \w+ \((?:\d+ \w+, )*[1-9]\d* (?:failed|errored|undefined)\b"
    r"|\b(?:pass(?:ed|ing)?|tests?|run)\b.{1,40}\b(?:fail(?:ed|ures?|ing)?|errors?)"
    r"(?: [a-z]+)?[:=] *[1-9]"
    r"|\b(?:failed|unreachable|errors?)=[1-9]|^not ok \d"
    rf"|{_VERDICT}|^FAILED \(|^[#ℹ] (?:\W )?fail +[1-9]"
    r"|^(?:[\w-]+ )?(?:finished with |found )?(?:\d+ warnings?(?:,| and) )?[1-9]\d* errors?"
    r"(?:,? (?:and )?\d+ warnings?.*| found| generated)?[.!]?$"
    r"|^error messages?: +[1-9]\d*$|^\W*(?:[a-z]+: )?[1-9]\d*/\d+ (?:[a-z]+ )?(?:failed|errored)\b"
    r"|\bfailed (?:for|in) [1-9]\d* files?$|^(?:failed|failures|errors)  +[1-9]\d*(?: +\d+)*$"
)
"""A line that is nothing but the count of a run of tests or a compiler, or its verdict."""
FAR_LINES = 200
"""Non-blank lines at the end in which such a line is looked for: details may follow it."""


def failed(lines: Sequence[str], *, checks: bool = True) -> str:
    """The closing line that says that the check failed; "" if none does.

    A line of one word says less than one that counts, or that names what failed. checks: a tool
    that checks ran; of another program only the verdict of a run of tests counts.
    """
    if not checks:
        return next(filter(is_failed_run, _closing(lines, FAR_LINES)), "")
    closing = _closing(lines, CLOSING_LINES)
    found = [line for line in closing if says_failed(line)]
    found = found or list(filter(is_failed_run, _closing(lines, FAR_LINES)))
    found = found or _failed_rows(closing)
    if found:
        return next((line for line in found if " " in line or "\t" in line), found[0])
    return next((t for t in closing[:LAST_LINES] if _STOPPED.search(_NONE.sub("", t))), "")


def failure_count(lines: Sequence[str]) -> int:
    """How many failures the closing line counts; 0 for none."""
    counted = _COUNT.search(failed(lines))
    return int(counted.group(1)) if counted else 0


_COUNT = patterns.Lazy(rf"(?i)\b([1-9]\d{{0,6}}) (?:[a-z]+ )?{_COUNTED}\b")


def _failed_rows(closing: Sequence[str]) -> list[str]:
    """Rows of a closing table with a number above 0 in its column of failures, which is counted
    from the right: without rules, the names of rows may hold spaces."""
    ruled = (line.replace("|", "│") for line in closing)
    rows = [[c.strip() for c in line.split("│")] if "│" in line else line.split() for line in ruled]
    found: list[str] = []
    for at, head in enumerate(rows):
        columns = [i - len(head) for i, cell in enumerate(head) if cell.lower() in _FAILURES]
        for row in rows[:at] if len(head) > 2 and not any(map(str.isdigit, head)) else ():
            found += [
                f"{next(filter(None, row))}: {int(row[i][:9])} {head[i]}"
                for i in columns
                if -i < len(row) and row[i].isdigit() and int(row[i][:9])
                if not any(map(str.isalpha, row[i:]))
            ]
    return found


_FAILURES = frozenset(("failed", "failures", "fail", "errors"))


def is_harmless(line: str) -> bool:
    """Does the line say that a failure was repaired or ignored?"""
    return _HARMLESS.search(line) is not None


def says_failed(line: str) -> bool:
    """Is this a tool's summary, and does it say that the check failed?"""
    if _FAILED_WORD.search(line):
        return True
    said = _NONE.sub("", line.replace("(s)", "s"))
    return _FAILED.search(said) is not None and not is_harmless(line)


def is_failed_run(line: str) -> bool:
    """Is the line nothing but the count of a run or its verdict, and does it say that it failed?"""
    return _RUN.search(line.replace("(s)", "s")) is not None and not is_harmless(line)


class Runs(Enum):
    """How many runs of tests an output may hold."""

    ONE = "one"
    ONE_OR_MORE = "one or more"
    MANY = "many"


def passed(lines: Sequence[str], runs: Runs = Runs.MANY) -> bool:
    """Does a closing line say that the check passed, and none that it failed?

    What one run of tests or a build says last outweighs what it printed above; of a program that
    may run several, another count above still says that one failed.
    """
    closing = [line.replace("(s)", "s") for line in _closing(lines, CLOSING_LINES)]
    last = next((i for i, line in enumerate(closing) if _is_verdict(line)), -1)
    below = LAST_LINES
    if last >= 0 and _BUILT.search(closing[last]):
        runs, below = Runs.ONE, last
    stopped = any(map(_STOPPED.search, closing[:below]))
    decides = runs is not Runs.MANY and last >= 0 and not stopped
    beside = takewhile(_ONLY_COUNTS.search, closing[last + 1 :])  # Each count has its own line.
    decides &= not any(map(says_failed, beside))
    if decides and not any(map(says_failed, closing[:last])):
        above = _closing(lines, FAR_LINES)[last:] if runs is Runs.ONE_OR_MORE else ()
        if not any(map(is_failed_run, above)):
            return True
    return not failed(lines) and any(_PASSED.search(line) for line in closing)


def said(lines: Sequence[str]) -> Iterator[str]:
    """What the closing lines say, as names of features."""
    closing = _closing(lines, CLOSING_LINES)
    if failed(lines):
        yield "failed"
    if failed(lines, checks=False):
        yield "run"
    rules = {"passed": _PASSED.search, "none": _NONE.search, "verdict": _is_verdict}
    yield from (name for name, rule in rules.items() if any(map(rule, closing)))


def _is_verdict(line: str) -> bool:
    """Is it nothing but what a run of tests says of itself: that all passed?"""
    counted = _ONLY_COUNTS.search(line) is not None and _PASSED.search(line) is not None
    said = counted or _OK.search(line) is not None or _BUILT.search(line) is not None
    return said and not says_failed(line)


_BUILT = patterns.Lazy(
    r"^(?:\W|INFO\b|info\b)*(?i:build|compilation|test run|tests?)\b(?: [\w.-]+){0,2} "
    r"(?i:success(?:ful(?:ly)?)?|succeeded|completed successfully)\b|^\[success\] "
)
"""The verdict of a build tool on all that it ran."""
_OK = patterns.Lazy(
    r"^OK(?: \(|$)|^[#ℹ] fail +0$|\bStatus: SUCCESS|\btest result: ok\b|^Result: PASS"
    r"|^All (?:checks|tests|specs) passed\b|^Passed!"
)
_ONLY_COUNTS = patterns.Lazy(
    r"(?i)^\W*(?:[a-z ]+:\s+)?\d+ [a-z]+(?:, \d+ [a-z]+)*(?:(?: in)? \(?[\d.]+ ?m?s)?\b[^a-z]*$"
)
"""A line that is nothing but the count of a run of tests."""


def _closing(lines: Sequence[str], most: int) -> list[str]:
    """The last non-blank lines, the last one first."""
    return list(islice(filter(None, map(str.strip, reversed(lines))), most))
