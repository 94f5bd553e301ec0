"""`wm undo [ACT]`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_text
from wm.errors import UserError
from wm.formats.diagnosis import Acts, ActView

COLUMN = 20
LISTED = 20
BY = {"user": "you", "agent": "an agent", "model": "a compaction"}


@click.command("undo")
@click.argument("act", metavar="[ACT]", required=False)
@click.option("--list", "listing", is_flag=True, help="Show what can be taken back.")
@click.option("-n", "--limit", type=click.IntRange(1, 500), help="With --list: how many.")
@click.option("--dry-run", is_flag=True, help="Say what it would do, and do nothing.")
@json_option
@workspace_options
def command(
    caller: Caller, act: str | None, listing: bool, limit: int | None, dry_run: bool, as_json: bool
) -> int:
    """Take back the newest thing that you did: remember, import, forget, edit, pin, importance,
    accept, reject or restore.

    ACT names another one: the id of its record (`wm undo --list`, `wm history`), or the id of
    an entry, which means the newest act on it. A second `wm undo` goes further back. An undo
    is an act too: naming its record does again what it took back. Core blocks and notes of a
    session are not covered: write them anew with `wm session core` or `wm session working`.
    """
    if act == "":
        # An unset shell variable must not take back whatever was done last.
        raise UserError("The id is empty.", fix="`wm undo --list` shows every act with its id.")
    if listing and (act or dry_run):
        raise click.UsageError("--list goes with --limit only.")
    if listing:
        return _list(caller, limit or LISTED, as_json)
    if limit is not None:
        # Whoever names a number wants to see; nothing must be taken back by that.
        raise click.UsageError("--limit goes with --list.")
    answer: Any = caller.call("plan_undo" if dry_run else "undo", act=act or "")
    if as_json:
        output.as_json(answer)
        return 0
    output.lines(output.wrap(answer.message, output.width()))
    if answer.entry is not None:
        print_text(answer.entry)
    if answer.event:
        output.line(output.dim(f"wm undo {answer.event} does it again"))
    return 0


def _list(caller: Caller, limit: int, as_json: bool) -> int:
    answer: Acts = caller.call("list_acts", limit=limit)
    if as_json:
        output.as_json(answer)
        return 0
    if not answer.acts:
        output.line("Nobody did anything here yet.")
    for view in answer.acts:
        _print(view)
    if more := answer.total - len(answer.acts):
        output.line()
        output.line(output.dim(f"{more:,} older: wm undo --list --limit {min(500, answer.total)}"))
    return 0


def _print(view: ActView) -> None:
    head = f"  {view.at[:16].replace('T', ' ')}"
    by = BY.get(view.by, view.by)
    again = f", taking {view.undoes} back" if view.undoes else ""
    output.lines(output.hang(head, f"{view.act} by {by}{again}", COLUMN))
    if view.text:
        output.line(" " * COLUMN + output.cut(view.text, output.width() - COLUMN))
    told = f"wm undo {view.event}"
    if view.by != "user":
        told = f"wm diag revert {view.event}"
    if view.undone_by:
        told = f"taken back, by {view.undone_by}"
    elif not view.can_undo:
        told = f"{view.event} stays: {view.why_not}"
    output.lines(output.hang("", told, COLUMN, output.dim))
