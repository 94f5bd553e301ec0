"""`wm importance ID LEVEL`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.formats.workspace_memory import IMPORTANCES


@click.command("importance")
@click.argument("entry_id", metavar="ID")
@click.argument("level", metavar="LEVEL", type=click.Choice(IMPORTANCES))
@json_option
@workspace_options
def command(caller: Caller, entry_id: str, level: str, as_json: bool) -> int:
    """Weigh the entry ID. LEVEL is low (0.7 times its strength), normal or high (1.5 times)."""
    answer: Any = caller.call("edit_entry", id=entry_id, importance=level)
    if as_json:
        output.as_json(answer)
    else:
        output.line(f"{answer.entry.id} has {level} importance.")
    return 0
