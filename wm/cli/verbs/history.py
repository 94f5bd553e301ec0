"""`wm history [ID]`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import SHORT_ID, short_id
from wm.cli.place import print_heading
from wm.formats.diagnosis import Happening

COLUMN = 20
"""Where the sentence begins: behind the time."""


@click.command("history")
@click.argument("entry_id", metavar="[ID]", required=False, default="")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--before", default="", metavar="EVENT", help="Go on behind this record.")
@json_option
@workspace_options
def command(caller: Caller, entry_id: str, limit: int, before: str, as_json: bool) -> int:
    """Tell what happened here, newest first; with ID only what happened to that entry.

    `wm undo --list` shows which of it can be taken back.
    """
    one = {"id": entry_id} if entry_id else {}
    answer: Any = caller.call("history", **one, limit=limit, before=before)
    if as_json:
        output.as_json(answer)
        return 0
    print_heading(answer.place)
    output.line()
    if not answer.happenings:
        output.line("Nothing is in the evidence yet.")
    for happening in answer.happenings:
        print_happening(happening, named=not entry_id)
    if answer.next:
        words = " ".join(filter(None, ("wm history", entry_id, "--before", answer.next)))
        output.line()
        output.line(output.dim(f"older: {words}"))
    return 0


def print_happening(happening: Happening, *, named: bool) -> None:
    """When, which entry (where `named`), what; and below it the text that it was about."""
    record = happening.record
    head = f"  {record.created_at[:16].replace('T', ' ')}"
    name = f"{short_id(record.entry):<{SHORT_ID}}  " if named and record.entry else ""
    output.lines(output.hang(head, name + happening.sentence, COLUMN))
    if named and happening.text:
        output.line(" " * COLUMN + output.dim(output.cut(happening.text, output.width() - COLUMN)))
    if happening.undone_by:
        told = f"taken back since, by {happening.undone_by}"
        output.lines(output.hang("", told, COLUMN, output.dim))
