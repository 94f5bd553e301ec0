"""`wm output HANDLE`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options


@click.command("output")
@click.argument("handle", metavar="HANDLE")
@click.option(
    "--lines", default="", metavar="A:B", help="Only these lines, counted from 1: A:B, A: or :B."
)
@click.option(
    "--grep", default="", metavar="PATTERN", help="Only lines that this expression (RE2) finds."
)
@json_option
@workspace_options
def command(caller: Caller, handle: str, lines: str, grep: str, as_json: bool) -> int:
    """Print a tool output that was cut, as the tool printed it, without secrets.

    HANDLE stands in the mark of the cut (t_…); the beginning of it is enough.
    """
    return print_output(caller, handle, lines=lines, grep=grep, as_json=as_json)


def print_output(
    caller: Caller, handle: str, *, lines: str = "", grep: str = "", as_json: bool
) -> int:
    """The output, or the lines of it that are asked for."""
    answer: Any = caller.call("show_output", id=handle, lines=lines, grep=grep)
    found_none = bool(grep or lines) and not answer.text
    if as_json:
        output.as_json(answer)
    elif answer.text:
        # Foreign text: nothing of it may steer the terminal.
        output.lines(answer.text.removesuffix("\n").split("\n"))
    elif found_none:
        output.note("No line of it is asked for by that.")
    return 1 if found_none else 0
