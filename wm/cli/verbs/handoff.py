"""`wm handoff`: where the work stands, for whoever goes on (CT-3)."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options


@click.command("handoff")
@click.option(
    "--session", metavar="ID", default="", help="The session to hand off; else the newest."
)
@click.option("--print", "printed", is_flag=True, help="Print it; write no file.")
@click.option(
    "--check", is_flag=True, help="Only say whether the file is current (exit code 1: no)."
)
@click.option("--force", is_flag=True, help="Also over a file that wm did not write.")
@click.option("--inject-next", is_flag=True, help="Give it to the next session that begins here.")
@click.option("--no-inject", is_flag=True, help="Do not, after all.")
@json_option
@workspace_options
def command(
    caller: Caller,
    session: str,
    printed: bool,
    check: bool,
    force: bool,
    inject_next: bool,
    no_inject: bool,
    as_json: bool,
) -> int:
    """Write handoff/latest.md: objective, phase, decisions, risks, blockers, next actions.

    Made of the session contract, the core blocks and the hot state of the newest session. The
    same sources give the same bytes: the only times in it are theirs. Exit code 0: written, or
    current already; 1: a contract with faults, nothing to hand off, or with --check a file that
    is not current.
    """
    if (printed or check) and (force or inject_next or no_inject):
        raise click.UsageError("--print and --check only look; give them alone.")
    if printed and check:
        raise click.UsageError("Give either --print or --check.")
    if inject_next and no_inject:
        raise click.UsageError("Give either --inject-next or --no-inject.")
    answer: Any = caller.call(
        "handoff",
        session=session,
        write=not (printed or check),
        force=force,
        next=inject_next,
        withdraw=no_inject,
    )
    wrong = check and not answer.current
    if as_json:
        output.as_json(answer)
    elif printed:
        output.lines(output.safe_lines(answer.text))
    else:
        output.lines(output.wrap(_told(answer, check), output.width()))
    return 1 if wrong else 0


def _told(answer: Any, check: bool) -> str:
    path = output.home_short(answer.file)
    if check:
        return f"{path} is current." if answer.current else f"{path} is not current: wm handoff"
    said = f"Wrote {path}." if answer.changed else f"{path} is current already."
    left = sum(answer.omitted.values())
    if left:
        said += f" {output.count(left, 'item')} found no room."
    if answer.asked:
        said += " The next session that begins here is given it."
    return said
