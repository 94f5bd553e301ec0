"""`wm show | pin | importance | restore | forget | edit`: one entry, by its id.

An edit opens the user's editor with the text; nothing is stored if the editor fails.
"""

from __future__ import annotations

import sys
from typing import Any

import click

from wm.api.diagnosis import Trash
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import SHORT_ID, entry_type, print_answer, short_id
from wm.cli.groups import ids
from wm.cli.options import anchors as anchor_option
from wm.cli.options import choice, flag, text
from wm.cli.streams import text_argument
from wm.cli.verbs.memory.history import LISTED, happenings, print_restored
from wm.cli.verbs.memory.output import result
from wm.cli.verbs.proxy.objects import stored
from wm.errors import UserError
from wm.formats.workspace_memory import IMPORTANCES
from wm.settings import has_editor

SCOPES = ("user", "workspace")


@click.command("show")
@click.argument("entry_id", metavar="[ID]", required=False)
@flag("--history", "listing", help="Show what happened to it, or without ID here, newest first.")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="With --history: how many.")
@text("--before", metavar="EVENT", help="With --history: continue after this record.")
@prints
def show(
    caller: Caller, entry_id: str | None, listing: bool, limit: int | None, before: str
) -> Result:
    """Show the entry ID in full (the beginning of an id is enough), also from the trash.

    The handle t_… of a tool output prints that output, as `wm output` does; the id o_… of what was
    removed from requests its text. `wm undo --list` shows which changes can be undone.
    """
    if listing:
        return happenings(caller, entry_id or "", limit=limit or LISTED, before=before)
    if limit is not None or before:
        raise click.UsageError("--limit and --before need --history.")
    if entry_id is None:
        raise click.UsageError("`wm show` needs an ID, or --history.")
    if entry_id.startswith("t_"):
        return result(caller, entry_id)
    if entry_id.startswith("o_"):
        return stored(caller, id=entry_id)
    return Result(caller.call("show_entry", id=entry_id), print_answer)


@click.command("pin")
@click.argument("entry_id", metavar="ID")
@flag("--off", help="Remove the pin.")
@prints
def pin(caller: Caller, entry_id: str, off: bool) -> Result:
    """Show the entry ID first in every prompt, whatever its strength."""
    answer: Any = caller.call("edit_entry", id=entry_id, pinned=not off)
    return Result(answer, f"{answer.entry.id} is {'no longer ' if off else ''}pinned.")


@click.command("importance")
@click.argument("entry_id", metavar="ID", callback=ids)
@click.argument("level", metavar="LEVEL", type=click.Choice(IMPORTANCES))
@prints
def importance(caller: Caller, entry_id: str, level: str) -> Result:
    """Weigh the entry ID. LEVEL is low (0.7 times its strength), normal or high (1.5 times)."""
    answer: Any = caller.call("edit_entry", id=entry_id, importance=level)
    return Result(answer, f"{answer.entry.id} has {level} importance.")


@click.command("restore")
@click.argument("entry_id", metavar="ID")
@prints
def restore(caller: Caller, entry_id: str) -> Result:
    """The same as `wm undo ID` for an entry in the trash."""
    return Result(caller.call("restore_entry", id=entry_id), print_restored)


@click.command("forget")
@click.argument("entry_id", metavar="ID", required=False)
@text("--reason", help="Why, for the record.")
@flag("--list", "listing", help="Show what was forgotten: the trash.")
@prints
def forget(caller: Caller, entry_id: str | None, reason: str, listing: bool) -> Result:
    """Move the entry ID to the trash. `wm undo ID` brings it back.

    Agents do not learn the same text again by themselves; restoring it, or asking for it again,
    allows it again.
    """
    if listing:
        if entry_id or reason:
            raise click.UsageError("--list takes neither an ID nor a reason.")
        return Result(caller.call("list_trash"), _print_trash)
    if entry_id is None:
        raise click.UsageError("`wm forget` needs an ID, or --list.")
    answer: Any = caller.call("forget_entry", id=entry_id, reason=reason)
    return Result(answer, answer.message)


def _print_trash(answer: Trash) -> None:
    if not answer.entries:
        output.line("The trash is empty.")
        return
    column = 2 + SHORT_ID + 2
    for view in answer.entries:
        lines = output.hang(f"  {short_id(view.entry.id)}", view.entry.text, column)
        output.lines(lines[:4])
        about = [output.moment(view.trashed_at)]
        if view.reason:
            about.append(view.reason.replace("_", " "))
        about.append("not learned again" if view.blocked else "may be learned again")
        output.lines(output.hang("", " · ".join(about), column, output.dim))
    output.hint("to restore one: wm undo ID")


@click.command("edit")
@click.argument("entry_id", metavar="ID")
@click.argument("text", nargs=-1)
@click.option("--rationale", default=None, help='The new rationale; "" removes it.')
@entry_type()
@anchor_option('The code that it describes, as it is now; "" removes the link.')
@choice("--scope", SCOPES, help="Move it: user is for all your projects, workspace only for this.")
@prints
def edit(
    caller: Caller,
    entry_id: str,
    text: tuple[str, ...],
    anchors: tuple[str, ...],
    scope: str,
    **named: Any,
) -> Result:
    """Change the entry ID. Without TEXT and options your editor opens with its text.

    TEXT "-" reads the new text from standard input. WHERE is a symbol, or lines as 12-40.
    """
    if scope:
        if text or anchors or any(value for value in named.values()):
            raise click.UsageError("--scope moves an entry; change its text before or after.")
        return Result(caller.call("rescope_entry", id=entry_id, scope=scope), print_answer)
    # An empty rationale or anchor removes the existing one.
    fields = {n: value for n, value in named.items() if value or (n, value) == ("rationale", "")}
    if anchors:
        fields["anchors"] = [anchor for anchor in anchors if anchor]
    if text:
        fields["text"] = text_argument(text)
    elif not fields:
        fields["text"] = _from_editor(caller, entry_id)
    return Result(caller.call("edit_entry", id=entry_id, **fields), print_answer)


def _from_editor(caller: Caller, entry_id: str) -> str:
    before: Any = caller.call("show_entry", id=entry_id)
    if before.entry.status == "trashed":
        raise UserError(f"{before.entry.id} was forgotten.", fix=before.message)
    if not has_editor() and not sys.stdin.isatty():
        raise UserError.of("edit.no_terminal")
    try:
        after = click.edit(before.entry.text, extension=".md")
    except click.ClickException as error:
        raise UserError.of("edit.editor_failed", message=error.message) from error
    if after is None or after.strip() == before.entry.text.strip():
        raise UserError("Nothing was changed: the text is the same.")
    return str(after).strip()
