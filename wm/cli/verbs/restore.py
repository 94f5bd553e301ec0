"""`wm restore ID`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_entry


@click.command("restore")
@click.argument("entry_id", metavar="ID")
@json_option
@workspace_options
def command(caller: Caller, entry_id: str, as_json: bool) -> int:
    """Bring the forgotten entry ID back (the beginning of an id is enough)."""
    answer: Any = caller.call("restore_entry", id=entry_id)
    if as_json:
        output.as_json(answer)
    else:
        output.line("Restored.")
        print_entry(answer.entry)
    return 0
