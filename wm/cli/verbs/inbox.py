"""`wm inbox`: what may not enter memory by itself."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_entry, print_row
from wm.cli.groups import Group


@click.group("inbox", cls=Group, default="list")
def command() -> None:
    """Entries that may not become active by themselves, each with its reason.

    `wm inbox` alone lists them.
    """


@command.command("list", short_help="Show what waits (the default).")
@json_option
@workspace_options
def show(caller: Caller, as_json: bool) -> int:
    """Show what waits for your word."""
    caller.call("notice_outside")
    answer: Any = caller.call("inspect", status="inbox")
    if as_json:
        output.as_json(answer)
    elif not answer.entries:
        output.line("The inbox is empty.")
    else:
        for view in answer.entries:
            print_row(view)
        output.line()
        output.line(
            output.dim('wm inbox accept ID · wm inbox reject ID · wm edit ID "better text"')
        )
    return 0


@command.command("accept", short_help="Make an entry active.")
@click.argument("entry_id", metavar="ID", required=False)
@click.option("--outside", is_flag=True, help="Accept every change made to the file by hand.")
@json_option
@workspace_options
def accept(caller: Caller, entry_id: str | None, outside: bool, as_json: bool) -> int:
    """Make the waiting entry ID active, or with --outside all edits made by hand."""
    if outside == bool(entry_id):
        raise click.UsageError("Give an ID, or --outside.")
    answer: Any = (
        caller.call("accept_outside") if outside else caller.call("accept_entry", id=entry_id)
    )
    if as_json:
        output.as_json(answer)
    elif outside:
        output.line(f"Accepted {output.count(len(answer.accepted), 'change')}.")
    else:
        print_entry(answer.entry)
    return 0


@command.command("reject", short_help="Move a waiting entry to the trash.")
@click.argument("entry_id", metavar="ID")
@json_option
@workspace_options
def reject(caller: Caller, entry_id: str, as_json: bool) -> int:
    """Move the waiting entry ID to the trash."""
    answer: Any = caller.call("reject_entry", id=entry_id)
    if as_json:
        output.as_json(answer)
    else:
        output.line(answer.message)
    return 0
