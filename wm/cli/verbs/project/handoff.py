"""`wm handoff`: writes the state of the work for the next person or agent (CT-3).

Writes one file of the project, `handoff/latest.md`, and never a page of another author.
"""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.options import flag, text


@click.command("handoff")
@text("--session", metavar="ID", help="The session to hand off. Default: the newest.")
@flag("--print", "printed", help="Print it; write no file.")
@flag("--check", help="Only check whether the file is current (exit code 1: no).")
@flag("--force", help="Also overwrite a file that wm did not write.")
@flag("--inject-next", "next", help="Show it to the next session that starts here.")
@flag("--no-inject", "withdraw", help="Cancel --inject-next.")
@prints
def command(caller: Caller, printed: bool, check: bool, **fields: Any) -> Result:
    """Write handoff/latest.md: objective, phase, decisions, risks, blockers, next actions.

    Made from the session contract, and the core blocks, current files, open errors and decisions of
    the newest session. The same sources give the same bytes: all times in it
    come from them. Exit code 0: written, or already current; 1: a contract with faults, nothing to
    hand off, or with --check a file that is not current.
    """
    if (printed or check) and (fields["force"] or fields["next"] or fields["withdraw"]):
        raise click.UsageError("--print and --check write nothing; give them alone.")
    if printed and check:
        raise click.UsageError("Give either --print or --check.")
    if fields["next"] and fields["withdraw"]:
        raise click.UsageError("Give either --inject-next or --no-inject.")
    answer: Any = caller.call("handoff", write=not (printed or check), **fields)

    def show(_answer: object) -> None:
        if printed:
            output.lines(output.safe_lines(answer.text))
        else:
            output.paragraph(_sentence(answer, check))

    return Result(answer, show, failed=check and not answer.current)


def _sentence(answer: Any, check: bool) -> str:
    path = output.home_short(answer.file)
    if check:
        return f"{path} is current." if answer.current else f"{path} is not current: wm handoff"
    message = f"Wrote {path}." if answer.changed else f"{path} is current already."
    left = sum(answer.omitted.values())
    if left:
        message += f" {output.count(left, 'item')} did not fit."
    if answer.asked:
        message += " The next session that starts here gets it."
    return message
