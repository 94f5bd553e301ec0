"""`wm pin ID`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options


@click.command("pin")
@click.argument("entry_id", metavar="ID")
@click.option("--off", is_flag=True, help="Let it compete with the others again.")
@json_option
@workspace_options
def command(caller: Caller, entry_id: str, off: bool, as_json: bool) -> int:
    """Show the entry ID first in every prompt, whatever its strength."""
    answer: Any = caller.call("edit_entry", id=entry_id, pinned=not off)
    if as_json:
        output.as_json(answer)
    else:
        output.line(f"{answer.entry.id} is {'no longer ' if off else ''}pinned.")
    return 0
