"""Test runners: what failed, how, and the final count stay; passed tests become a number (PR-2)."""

# ruff: noqa: E501  One expression, one line: a broken one is harder to read.

from __future__ import annotations

from wm.domain.pruning.rule import Folds, OutputRule, keeping, looks
from wm.text.patterns import Lazy

PYTEST = OutputRule(
    "pytest",
    "lines of the test run",
    looks=looks(
        Lazy(r"^=+ (?:test session starts|short test summary|FAILURES|ERRORS|\d+ \w+.* in )")
    ),
    reduce=keeping(
        Lazy(
            r"^(?:E {2,}|FAILED |ERROR |_{3,} .* _{3,}$|=+ (?:FAILURES|ERRORS|short test|\d+ |.* in )"
            r"|[\w./-]+\.py:\d+: \w*(?:Error|Exception|Warning)|(?:FAIL|ERROR): |Ran \d+ tests?)"
        ),
        Lazy(r"^>  |^[\w./-]+\.py:\d+: |^_ _ |^-+ Captured"),
    ),
    folds=Folds.ALIKE,
)
JEST = OutputRule(
    "jest",
    "lines of the test run",
    looks=looks(Lazy(r"^\s*(?:Tests?|Test Suites|Test Files):?\s+\d+ (?:failed|passed)|^\s*[●✕✓√] |^\s*\d+ passing")),
    reduce=keeping(
        Lazy(
            r"^\s*(?:FAIL\b|[●✕✗✖×❯] ?|Expected:?\b|Received:?\b|expected\b|Tests?:|Test Suites:"
            r"|Test Files |Snapshots:|AssertionError|\d+ (?:passing|failing|pending)|[-+] (?:Expected|Received))"
            r"|^not ok |^\s*\d+\) \S|^\s*# (?:fail|pass|tests) |^\s*Cannot find module"
        ),
        Lazy(r"^\s*>?\s*\d+ \||^\s+at \S|^\s*\^|^\s*expect\("),
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
GO_TEST = OutputRule(
    "go_test",
    "lines of the test run",
    looks=looks(Lazy(r"^(?:--- FAIL|=== RUN|ok  \t|FAIL\t|\s+--- (?:FAIL|PASS))|\"Action\":\"(?:run|pass|fail)\"")),
    reduce=keeping(
        Lazy(r"^\s*--- FAIL|^FAIL\b|^panic:|(?:^|:\")\s+[\w./-]+_test\.go:\d+:|\"Action\":\"fail\"|^# |\.go:\d+:\d+: "),
        Lazy(r"^\s+(?:[\w./-]+\.go:\d+|want|got|expected|actual)|^ok  \t|^goroutine"),
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
CARGO = OutputRule(
    "cargo",
    "lines of the build",
    looks=looks(Lazy(r"^test result: |^\s+Compiling \S+ v\d|^error\[E\d+\]|^running \d+ tests?$")),
    reduce=keeping(
        Lazy(
            r"^(?:error|warning: unused|test .* FAILED|thread '|---- |test result:|failures:)|panicked at"
            r"|^\s*(?:left|right): |^\s+Finished |^\s*--> "
        ),
        Lazy(r"^\s*\d* *\| |^\s+= (?:note|help)|^warning"),
    ),
    folds=Folds.ALIKE,
)
OTHER_TESTS = OutputRule(
    "test_run",
    "lines of the test run",
    looks=looks(Lazy(r"^TAP version|^\d+ examples?, \d+ failures?|^OK \(\d+ tests|^Tests: \d+, Assertions|^[#ℹ] tests \d")),
    reduce=keeping(Lazy(r"^not ok |^[#ℹ] (?:tests|pass|fail|cancelled) [1-9]|^\s+\d+\) |^rspec \./|^Failures?:|^\s*(?:expected|got|actual)\b")),
    folds=Folds.ALIKE,
)  # fmt: skip
RUNNERS = (PYTEST, JEST, GO_TEST, CARGO, OTHER_TESTS)
