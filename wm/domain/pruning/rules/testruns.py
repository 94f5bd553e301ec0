"""Test runners: what failed, how, and the final count stay; passed tests become a number (PR-2)."""

# ruff: noqa: E501  One expression, one line: a broken one is harder to read.

from __future__ import annotations

from wm.domain.pruning.rule import Folds, OutputRule, keeping, looks

PYTEST = OutputRule(
    "pytest",
    "lines of the test run",
    looks=looks(r"^=+ (?:test session starts|short test summary|FAILURES|ERRORS|\d+ \w+.* in )"),
    reduce=keeping(
        r"^(?:E {2,}|FAILED |ERROR |_{3,} .* _{3,}$|=+ (?:FAILURES|ERRORS|short test|\d+ |.* in )"
        r"|[\w./-]+\.py:\d+: \w*(?:Error|Exception|Warning)|(?:FAIL|ERROR): |Ran \d+ tests?)",
        r"^>  |^[\w./-]+\.py:\d+: |^_ _ |^-+ Captured",
    ),
    folds=Folds.ALIKE,
)
JEST = OutputRule(
    "jest",
    "lines of the test run",
    looks=looks(r"^\s*(?:Tests?|Test Suites|Test Files):?\s+\d+ (?:failed|passed)|^\s*[●✕✓√] |^\s*\d+ passing"),
    reduce=keeping(
        r"^\s*(?:FAIL\b|[●✕✗✖×❯] ?|Expected:?\b|Received:?\b|expected\b|Tests?:|Test Suites:"
        r"|Test Files |Snapshots:|AssertionError|\d+ (?:passing|failing|pending)|[-+] (?:Expected|Received))"
        r"|^not ok |^\s*\d+\) \S|^\s*# (?:fail|pass|tests) |^\s*Cannot find module",
        r"^\s*>?\s*\d+ \||^\s+at \S|^\s*\^|^\s*expect\(",
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
GO_TEST = OutputRule(
    "go_test",
    "lines of the test run",
    looks=looks(r"^(?:--- FAIL|=== RUN|ok  \t|FAIL\t|\s+--- (?:FAIL|PASS))|\"Action\":\"(?:run|pass|fail)\""),
    reduce=keeping(
        r"^\s*--- FAIL|^FAIL\b|^panic:|(?:^|:\")\s+[\w./-]+_test\.go:\d+:|\"Action\":\"fail\"|^# |\.go:\d+:\d+: ",
        r"^\s+(?:[\w./-]+\.go:\d+|want|got|expected|actual)|^ok  \t|^goroutine",
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
CARGO = OutputRule(
    "cargo",
    "lines of the build",
    looks=looks(r"^test result: |^\s+Compiling \S+ v\d|^error\[E\d+\]|^running \d+ tests?$"),
    reduce=keeping(
        r"^(?:error|warning: unused|test .* FAILED|thread '|---- |test result:|failures:)|panicked at"
        r"|^\s*(?:left|right): |^\s+Finished |^\s*--> ",
        r"^\s*\d* *\| |^\s+= (?:note|help)|^warning",
    ),
    folds=Folds.ALIKE,
)
OTHER_TESTS = OutputRule(
    "test_run",
    "lines of the test run",
    looks=looks(r"^TAP version|^\d+ examples?, \d+ failures?|^OK \(\d+ tests|^Tests: \d+, Assertions|^[#ℹ] tests \d"),
    reduce=keeping(r"^not ok |^[#ℹ] (?:tests|pass|fail|cancelled) [1-9]|^\s+\d+\) |^rspec \./|^Failures?:|^\s*(?:expected|got|actual)\b"),
    folds=Folds.ALIKE,
)  # fmt: skip
RUNNERS = (PYTEST, JEST, GO_TEST, CARGO, OTHER_TESTS)
