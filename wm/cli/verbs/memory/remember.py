"""`wm remember TEXT`: stores a fact at once, or says why it waits in the inbox.

`-` reads the text from standard input. A request by a person is never dropped silently.
"""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import entry_type, print_text, short_id
from wm.cli.options import anchors, flag, text
from wm.cli.streams import text_argument
from wm.formats.workspace_memory import IMPORTANCES


@click.command("remember")
@click.argument("text", nargs=-1)
@entry_type("What kind of fact it is; inferred if not given.")
@text("--rationale", help="Why it is so, in a few words.")
@click.option("--importance", type=click.Choice(IMPORTANCES), default="normal", show_default=True)
@click.option("--tag", "tags", multiple=True, help="A word to find it by; may be repeated.")
@anchors("The code that it describes: if that changes, the entry is marked as suspect.")
@flag("--branch", "branch_only", help="Show it only on the branch that is checked out now.")
@flag("--user", "user", help="Keep it for all your projects, not only for this one.")
@prints
def command(caller: Caller, text: tuple[str, ...], **fields: Any) -> Result:
    """Keep TEXT ("-" reads it from standard input) in this workspace's memory.

    It is on disk when the command returns, and every later session of every agent gets it.
    Secrets in it are replaced by labels before anything is stored. WHERE is a symbol, or lines
    as 12-40; changes elsewhere in the file do not matter.
    """
    if not text:  # standard input is read only for "-": a script's may contain anything
        raise click.UsageError('`wm remember` needs TEXT; "-" reads it from standard input.')
    if text[0].lower() == "that" and len(text) > 1:  # `wm remember that we use yarn`
        text = text[1:]
    answer = caller.call(
        "remember",
        text=text_argument(text),
        source="explicit",
        typed=output.is_terminal(),
        **fields,
    )
    return Result(answer, _print)


def _print(answer: Any) -> None:
    output.message(answer)
    if answer.entry is not None:
        print_text(answer.entry)
        if answer.entry.status == "inbox":
            name = short_id(answer.entry.id)
            ways = [f"wm inbox accept {name}", f'wm edit {name} "better text"']
            if "too_long" in answer.entry.reasons:
                del ways[0]
            output.line(output.dim(" · ".join(ways)))
