"""`wm show ID`."""

from __future__ import annotations

import click

from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_answer


@click.command("show")
@click.argument("entry_id", metavar="ID")
@json_option
@workspace_options
def command(caller: Caller, entry_id: str, as_json: bool) -> int:
    """Show the entry ID in full (the beginning of an id is enough), also from the trash.

    The handle t_… of a tool output prints that output, as `wm output` does.
    """
    if entry_id.startswith("t_"):
        from wm.cli.verbs.output import print_output

        return print_output(caller, entry_id, as_json=as_json)
    return print_answer(caller.call("show_entry", id=entry_id), as_json)
