"""Compilers, type checkers, linters, builds: every complaint and the totals stay (PR-2).

Progress ("Compiling …", "Downloaded …") is what goes.
"""

# ruff: noqa: E501  One expression, one line: a broken one is harder to read.

from __future__ import annotations

from wm.domain.pruning.rule import Folds, OutputRule, keeping, looks

_SNIPPETS = r"^\s*\d+ \| |^\s*\| |^\s*[~^]+|: note: |^\s+at \S|In file included from|: warning: "

TSC = OutputRule(
    "tsc",
    "lines of the type check",
    looks=looks(r"error TS\d+:|^Found \d+ errors? in |: error: .* \[[\w-]+\]$|\d+ errors?, \d+ warnings?, "),
    reduce=keeping(
        r"error TS\d+|: error:|^Found \d+ errors?|^Success:|^\s*\d+ errors?, ",
        r"^\s*\d+ |^\s*~+|: note: |^  \S",
    ),
)  # fmt: skip
LINTERS = OutputRule(
    "lint",
    "lines of the linter",
    looks=looks(r"^✖ \d+ problems? \(|^\s+\d+:\d+\s+(?:error|warning)\s|^Found \d+ errors?(?:\.| \()|\d+ fixable"),
    reduce=keeping(
        r"^\s+\d+:\d+\s+error\s|^✖ |^Found \d+|^[\w./-]+:\d+:\d+: (?:E|F)\d{3}",
        r"^/\S+$|^[\w./-]+\.\w+$|^\s+\d+:\d+\s+warning\s|^[\w./-]+:\d+:\d+: ",
    ),
)  # fmt: skip
COMPILERS = OutputRule(
    "compile",
    "lines of the build",
    looks=looks(r"^[\w./+-]+:\d+:\d+: (?:fatal )?(?:error|warning|note): |^make(?:\[\d+\])?: |^\[\s*\d+%\] (?:Building|Linking)"),
    reduce=keeping(
        r": (?:fatal )?error: |^make(?:\[\d+\])?: \*\*\*|undefined reference|^collect2|^ninja: |^FAILED: |^CMake Error|^ld: |error CS\d+|^# [a-z][^\s\"]*(?: \[|$)",
        _SNIPPETS,
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
JVM = OutputRule(
    "jvm",
    "lines of the build",
    looks=looks(
        r"^\[INFO\] (?:BUILD|Scanning|Reactor|-{5})|^> Task :|^BUILD (?:SUCCESSFUL|FAILED)|^\[(?:info|error)\] "
    ),
    reduce=keeping(
        r"^\[ERROR\]|BUILD (?:SUCCESS|FAIL)|^Tests run:|^\[(?:INFO|WARNING|ERROR)\] Tests run:"
        r"|FAILED$|^\* What went wrong|^FAILURE:|^> [^T]|^e: |^\[error\]|^Caused by",
        r"^\[INFO\] .*(?:SUCCESS|FAILURE) \[|^\[WARNING\]|^\s+at \S|^w: ",
    ),
    folds=Folds.ALIKE,
)
INSTALLS = OutputRule(
    "install",
    "lines of the installation",
    looks=looks(r"^(?:added|removed|changed) \d+ packages?|^Successfully installed |^npm (?:warn|WARN) deprecated|^Requirement already satisfied|^Setting up \S+ \(|^Collecting \S+|^➤ YN\d+"),
    reduce=keeping(
        r"^(?:Successfully|added|removed|changed|audited|up to date)\b|npm (?:ERR!|error)|^ERROR|vulnerabilit"
        r"|ERESOLVE|^E: |^Err:|ResolutionImpossible|^\d+ upgraded|^Installed \d+|^Resolved \d+",
        r"^Collecting |npm (?:warn|WARN)|^WARNING|^Installing |^Setting up |^\s*[+-] \S+==?",
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
BUILDERS = (TSC, LINTERS, JVM, INSTALLS, COMPILERS)
