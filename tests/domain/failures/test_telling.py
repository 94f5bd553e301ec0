# ruff: noqa: E501  Lines of other programs.
"""Which line of the output of a tool without a format of its own opens the error."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.failures import telling
from wm.domain.failures.open_errors import after_tool
from wm.formats.events import ToolFinished
from wm.settings import SessionSettings

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

ROWS = [
    # The cause comes first, then what follows from it.
    (
        "brokerd -c hub.conf",
        ('1732189390: Error: Unknown configuration variable "allow_anonymus".', "1732189390: Error found at hub.conf:2."),
        '1732189390: Error: Unknown configuration variable "allow_anonymus".',
    ),
    (
        "tallybook check book.tb",
        ("book.tb: 7: error: expected a record", "tallybook: error: cannot read file book.tb"),
        "book.tb:7: error: expected a record",
    ),
    (
        "gatewayd -t",
        ("gatewayd.conf: line 4: Bad option: MaxTrys", "gatewayd.conf: terminating, 1 bad options"),
        "gatewayd.conf:4: Bad option: MaxTrys",
    ),
    # A stack of calls with places is not what went wrong.
    (
        "./pack",
        ("", "Error: (*) bad argument type - not a number: x", "", "\tCall history:", "", "\tpack.scm:9: price", "\tpack.scm:7: volume\t<--"),
        "Error: (*) bad argument type - not a number: x",
    ),
    # Below a log in JSON the tool says why it ended.
    (
        "frontd adapt",
        ('{"level":"info","ts":1732189390.1,"msg":"using provided configuration"}', "Error: adapting config: unrecognized directive: responds"),
        "Error: adapting config: unrecognized directive: responds",
    ),
    # What a tool does, what it cleans up, and a last verdict say less than the step that failed.
    (
        "deployer run",
        ("--> Loading inventory...", "--> Connecting to hosts...", "    [@local] Connected", "    [@local] sh: 1: ecko: not found", "--> Disconnecting..."),
        "[@local] sh: 1: ecko: not found",
    ),
    (
        "pagemaker build",
        ("Building 3 pages", "Oops! Something went wrong", "", "Layout 'tall' is not defined", "", "See https://pages.example.org/errors"),
        "Layout 'tall' is not defined",
    ),
    # The values that a tool compares belong to its complaint.
    (
        "lockcheck p.lock",
        ("invalid host for package: a@1.0", "    expected: one.example", "    actual: two.example", ""),
        "invalid host for package: a@1.0 expected: one.example actual: two.example",
    ),
    # What a parser was reading is not what it found there.
    (
        "python load.py",
        ("Traceback (most recent call last):", '  File "/home/ana/shop/load.py", line 3, in <module>', "    yaml.safe_load(text)", "yaml.scanner.ScannerError: while scanning a simple key", '  in "fees.yaml", line 3, column 1', "could not find expected ':'", '  in "fees.yaml", line 4, column 1'),
        "load.py:3: yaml.scanner.ScannerError: while scanning a simple key could not find expected ':'",
    ),
    # A place alone, and the message below it.
    (
        "oldbasic pack.yab",
        ("---Error in pack.yab, line 1:", "---Error: 'volumes()' is neither array nor subroutine", "   print volumes(2, 3)", "---Error: Program stopped due to an error"),
        "pack.yab:1: Error: 'volumes()' is neither array nor subroutine",
    ),
    # A machine without the locale of its environment.
    (
        "debpack -x a.dsc",
        ("perl: warning: Setting locale failed.", "perl: warning: Please check that your locale settings:", '\tLC_ALL = "de_DE.UTF-8"', "    are supported and installed on your system.", 'perl: warning: Falling back to a fallback locale ("C.UTF-8").', "debpack: cannot open a.dsc"),
        "a.dsc: debpack: cannot open a.dsc",
    ),
]  # fmt: skip


def opened(command: str, lines: tuple[str, ...]) -> list[str]:
    event = ToolFinished(tool="bash", command=command, exit_code=1, output="\n".join(lines))
    found = after_tool((), event, root="/home/ana/shop", now=NOW, settings=SessionSettings())
    return [error.summary for error in found]


@pytest.mark.parametrize(("command", "lines", "summary"), ROWS, ids=[row[0] for row in ROWS])
def test_an_unknown_tool_opens_the_line_that_says_what_is_wrong(
    command: str, lines: tuple[str, ...], summary: str
) -> None:
    assert opened(command, lines) == [summary]


@pytest.mark.parametrize(
    "lines", [("0 errors", "all good"), ("> shop@1.0.0 check", "> ./check.sh"), ("", "====", "12%")]
)
def test_an_output_without_a_complaint_opens_nothing(lines: tuple[str, ...]) -> None:
    assert opened("./check.sh", lines) == []


def test_a_complaint_amid_a_long_log_is_found() -> None:
    log = [f"step {n}: copied tree{n}" for n in range(2000)]
    lines = (*log[:900], "ERROR: no space left on volume oak", *log[900:])
    assert opened("copytrees", lines) == ["ERROR: no space left on volume oak"]


def test_few_lines_of_a_long_output_are_weighed() -> None:
    lines = ["error: x is not defined"] * 3000
    assert len(list(telling.featured(lines))) <= 4 * telling.MAX_LINES
