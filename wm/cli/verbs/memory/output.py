"""`wm output HANDLE`: prints the full output of a tool that was shortened for the model.

The text is foreign: no terminal escape in it is printed (TR-1).
"""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.options import text


@click.command("output")
@click.argument("handle", metavar="HANDLE")
@text("--lines", metavar="A:B", help="Only these lines, counted from 1: A:B, A: or :B.")
@text("--grep", metavar="PATTERN", help="Only lines that match this expression (RE2).")
@prints
def command(caller: Caller, handle: str, lines: str, grep: str) -> Result:
    """Print a tool output that was cut, as the tool printed it, without secrets.

    HANDLE is in the line that marks the cut (t_…); its beginning is enough.
    """
    return result(caller, handle, lines=lines, grep=grep)


def result(caller: Caller, handle: str, *, lines: str = "", grep: str = "") -> Result:
    """The output, or the requested lines of it."""
    answer: Any = caller.call("show_output", id=handle, lines=lines, grep=grep)
    return Result(answer, _print, failed=bool(grep or lines) and not answer.text)


def _print(answer: Any) -> None:
    if answer.text:
        # Foreign text: no terminal escape of it may be printed.
        output.lines(answer.text.removesuffix("\n").split("\n"))
    else:
        output.note("That selects no line of it.")
