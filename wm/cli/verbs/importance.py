"""`wm importance ID LEVEL`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.formats.workspace_memory import IMPORTANCES


@click.command("importance", short_help="Say how much an entry matters: low, normal or high.")
@click.argument("entry_id", metavar="ID")
@click.argument("level", type=click.Choice(IMPORTANCES))
@json_option
@workspace_options
def command(caller: Caller, entry_id: str, level: str, as_json: bool) -> int:
    """Weigh the entry ID: low 0.7, normal 1, high 1.5 times its strength."""
    answer: Any = caller.call("edit_entry", id=entry_id, importance=level)
    if as_json:
        output.as_json(answer)
    else:
        output.line(f"{answer.entry.id} has {level} importance.")
    return 0
