"""`wm forget ID`, and what the trash holds."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import SHORT_ID, short_id
from wm.formats.diagnosis import Trash


@click.command("forget")
@click.argument("entry_id", metavar="ID", required=False)
@click.option("--reason", default="", help="Why, for the record.")
@click.option("--list", "listing", is_flag=True, help="Show what was forgotten: the trash.")
@json_option
@workspace_options
def command(caller: Caller, entry_id: str | None, reason: str, listing: bool, as_json: bool) -> int:
    """Move the entry ID to the trash. `wm restore ID` brings it back.

    Agents will not learn the same text again by themselves; restoring it, or asking for it
    again, lifts that.
    """
    if listing:
        if entry_id or reason:
            raise click.UsageError("--list goes without an ID and a reason.")
        return _list(caller, as_json)
    if entry_id is None:
        raise click.UsageError("`wm forget` needs an ID, or --list.")
    answer: Any = caller.call("forget_entry", id=entry_id, reason=reason)
    if as_json:
        output.as_json(answer)
    else:
        output.line(answer.message)
    return 0


def _list(caller: Caller, as_json: bool) -> int:
    answer: Trash = caller.call("list_trash")
    if as_json:
        output.as_json(answer)
        return 0
    if not answer.entries:
        output.line("The trash is empty.")
    column = 2 + SHORT_ID + 2
    for view in answer.entries:
        lines = output.hang(f"  {short_id(view.entry.id)}", view.entry.text, column)
        output.lines(lines[:4])
        about = [output.moment(view.trashed_at)]
        if view.reason:
            about.append(view.reason.replace("_", " "))
        about.append("not learned again" if view.blocked else "may be learned again")
        output.lines(output.hang("", " · ".join(about), column, output.dim))
    if answer.entries:
        output.line()
        output.line(output.dim("wm restore ID brings one back"))
    return 0
