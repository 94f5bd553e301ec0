"""`wm why ID|TEXT`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_entry


@click.command("why", short_help="Say why an entry is kept, shown, or not.")
@click.argument("subject", nargs=-1, required=True)
@json_option
@workspace_options
def command(caller: Caller, subject: tuple[str, ...], as_json: bool) -> int:
    """Say what let an entry in, what happened to it since, and whether prompts show it.

    SUBJECT is an id, or a text: then what became of that text is told.
    """
    answer: Any = caller.call("why", subject=" ".join(subject))
    if as_json:
        output.as_json(answer)
        return 0
    if answer.entry is not None:
        print_entry(answer.entry)
        shown = (
            "shown in prompts" if answer.shown else f"not shown ({answer.omitted or 'inactive'})"
        )
        output.lines(output.pairs([("strength", f"{answer.strength:.2f}, {shown}")]))
        output.line()
    output.lines(
        f"  {part}" for text in answer.sentences for part in output.wrap(text, output.width() - 2)
    )
    return 0
