"""`wm remember TEXT`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_text, short_id
from wm.cli.streams import given
from wm.formats.workspace_memory import IMPORTANCES, TYPES


@click.command("remember")
@click.argument("text", nargs=-1)
@click.option(
    "--type",
    "kind",
    type=click.Choice(TYPES),
    default=None,
    help="What kind of fact it is; inferred if not given.",
)
@click.option("--rationale", default="", help="Why it is so, in a few words.")
@click.option("--importance", type=click.Choice(IMPORTANCES), default="normal", show_default=True)
@click.option("--tag", "tags", multiple=True, help="A word to find it by; may be repeated.")
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="PATH[:WHERE]",
    help="Code that it speaks of: when that changes, the entry is marked as suspect.",
)
@click.option(
    "--branch",
    "branch_only",
    is_flag=True,
    help="Show it only on the branch that is checked out now.",
)
@json_option
@workspace_options
def command(
    caller: Caller,
    text: tuple[str, ...],
    kind: str | None,
    rationale: str,
    importance: str,
    tags: tuple[str, ...],
    anchors: tuple[str, ...],
    branch_only: bool,
    as_json: bool,
) -> int:
    """Keep TEXT ("-" reads it from standard input) in this workspace's memory.

    It is on disk when the command returns, and every later session of every agent has it.
    Secrets in it are replaced by labels before anything is stored. WHERE is a symbol, or lines
    as 12-40; other changes of the file mean nothing.
    """
    if not text:  # a pipe is read where it is named, as everywhere: a script's may be anything
        raise click.UsageError('`wm remember` needs TEXT; "-" reads it from standard input.')
    answer: Any = caller.call(
        "remember",
        text=given(text),
        type=kind or "",
        rationale=rationale,
        importance=importance,
        tags=list(tags),
        branchOnly=branch_only,
        anchors=list(anchors),
        source="explicit",
    )
    if as_json:
        output.as_json(answer)
    else:
        output.lines(output.wrap(answer.message, output.width()))
        if answer.entry is not None:
            print_text(answer.entry)
            if answer.entry.status == "inbox":
                name = short_id(answer.entry.id)
                output.line(output.dim(f'wm inbox accept {name} · wm edit {name} "better text"'))
    return 0
