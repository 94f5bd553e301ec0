"""`wm forget ID`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options


@click.command("forget")
@click.argument("entry_id", metavar="ID")
@click.option("--reason", default="", help="Why, for the record.")
@json_option
@workspace_options
def command(caller: Caller, entry_id: str, reason: str, as_json: bool) -> int:
    """Move the entry ID to the trash. `wm restore ID` brings it back.

    Agents will not learn the same text again by themselves.
    """
    answer: Any = caller.call("forget_entry", id=entry_id, reason=reason)
    if as_json:
        output.as_json(answer)
    else:
        output.line(answer.message)
    return 0
