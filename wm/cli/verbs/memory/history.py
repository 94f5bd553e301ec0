"""`wm undo`: reverses one change of a person, or everything that models added since a time; and the
list of what happened, for `wm show --history`.

`wm history` and `wm rollback` are names of older versions.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from wm.api.diagnosis import Acts, ActView, Happening, Rollback
from wm.api.protocol import SINCE
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import SHORT_ID, WORDS, print_entry, print_text, short_id
from wm.cli.groups import ids
from wm.cli.options import dry_run, flag, limit, text
from wm.cli.overview import print_heading
from wm.errors import UserError

COLUMN = 20
"""Column of the sentence, after the time."""

LISTED = 20
"""Changes of one kind that the terminal lists; `--json` has all of a rollback."""

BY = {"user": "you", "agent": "an agent", "sync": "a sync", "model": "a compaction"}
BECOMES = dict(WORDS.rows("becomes", columns=2))


@click.command("history")
@click.argument("entry_id", metavar="[ID]", required=False, default="")
@limit(1000, default=20)
@text("--before", metavar="EVENT", help="Continue after this record.")
@prints
def history(caller: Caller, entry_id: str, **page: Any) -> Result:
    """The same as `wm show --history [ID]`."""
    return happenings(caller, entry_id, **page)


def happenings(caller: Caller, entry_id: str, **page: Any) -> Result:
    """What happened to an entry, or to the whole workspace, newest first."""
    one = {"id": entry_id} if entry_id else {}
    return Result(caller.call("history", **one, **page), partial(_print_history, entry_id))


def _print_history(entry_id: str, answer: Any) -> None:
    print_heading(answer.place)
    output.line()
    if not answer.happenings:
        output.line("Nothing is in the evidence yet.")
    for happening in answer.happenings:
        print_happening(happening, named=not entry_id)
    if answer.next:
        words = " ".join(filter(None, ("wm show --history", entry_id, "--before", answer.next)))
        output.hint(f"older: {words}")


def print_happening(happening: Happening, *, named: bool) -> None:
    """Print time, entry (if `named`) and event, and below them the text concerned."""
    record = happening.record
    name = f"{short_id(record.entry):<{SHORT_ID}}  " if named and record.entry else ""
    head = f"  {output.minute(record.created_at)}"
    output.lines(output.hang(head, name + happening.sentence, COLUMN))
    if happening.text:
        output.line(" " * COLUMN + output.dim(output.cut(happening.text, output.width() - COLUMN)))
    if happening.undone_by:
        sentence = f"undone later, by {happening.undone_by}"
        output.lines(output.hang("", sentence, COLUMN, output.dim))


@click.command("undo")
@click.argument("act", metavar="[ACT]", required=False, callback=ids)
@flag("--list", "listing", help="Show what can be undone.")
@click.option("--since", metavar="WHEN", help="Undo what models added since WHEN.")
@click.option("-n", "--limit", type=click.IntRange(1, 500), help="With --list: how many.")
@dry_run
@prints
def undo(
    caller: Caller,
    act: str | None,
    listing: bool,
    since: str | None,
    limit: int | None,
    dry_run: bool,
) -> Result:
    """Undo your newest change: remember, import, forget, edit, pin, importance, accept, reject or
    restore.

    ACT names another change: the id of its record (`wm undo --list`, `wm show --history`), or the
    id of an entry, which means the newest change of it; an entry in the trash is restored. An
    import is one change. A second `wm undo` goes further back. An undo is a change too: naming its
    record redoes what it undid.
    Core blocks and notes of a session are not covered: rewrite them with `wm session core` or `wm
    session working`.

    With --since, what compactions and agents taught this workspace from WHEN on moves to the trash
    and is not learned again, and entries that it replaced become active again. Your own changes
    stay; they are listed. WHEN is a time, as 2h, yesterday or 2026-11-20 (in UTC).
    """
    if act == "":
        # An unset shell variable must not undo the newest change.
        raise UserError("The id is empty.", fix="`wm undo --list` shows every act with its id.")
    if listing and (act or dry_run or since):
        raise click.UsageError("--list takes no other argument than --limit.")
    if since is not None:
        if act:
            raise click.UsageError("Give either ACT or --since.")
        return rolled_back(caller, since, dry_run=dry_run)
    if listing:
        return Result(caller.call("list_acts", limit=limit or LISTED), _print_acts)
    if limit is not None:
        # Someone who gives a number wants a list; it must not undo anything.
        raise click.UsageError("--limit needs --list.")
    return _undone(caller, act or "", dry_run=dry_run)


def _undone(caller: Caller, act: str, *, dry_run: bool) -> Result:
    try:
        return Result(caller.call("plan_undo" if dry_run else "undo", act=act), _print_undone)
    except UserError:
        # No change of a person put it into the trash, but this person wants it back.
        trashed = {} if act.startswith("e_") else _trashed(caller)
        found = [entry_id for entry_id in trashed if act and entry_id.startswith(act)]
        if len(found) != 1:
            raise
        if dry_run:
            return Result(trashed[found[0]], f"Would restore {found[0]} from the trash.")
        return Result(caller.call("restore_entry", id=found[0]), print_restored)


def _trashed(caller: Caller) -> dict[str, Any]:
    return {view.entry.id: view for view in caller.call("list_trash").entries}


def print_restored(answer: Any) -> None:
    nothing_else = answer.message == f"Restored as {answer.entry.id}."
    output.paragraph("Restored." if nothing_else else answer.message)
    print_entry(answer.entry)


def _print_undone(answer: Any) -> None:
    output.message(answer)
    if answer.entry is not None:
        print_text(answer.entry)
    for view in answer.kept[:LISTED]:
        output.lines(output.hang(f"  {short_id(view.entry)}", f"stays: {view.why_not}", COLUMN))
    if answer.event:
        output.line(output.dim(f"to redo it: wm undo {answer.event}"))


def _print_acts(answer: Acts) -> None:
    if not answer.acts:
        output.line("Nothing was changed here yet.")
    for view in answer.acts:
        _print_listed(view)
    if more := answer.total - len(answer.acts):
        output.hint(f"{more:,} older: wm undo --list --limit {min(500, answer.total)}")


def _print_listed(view: ActView) -> None:
    by = BY.get(view.by, view.by)
    again = f", taking {view.undoes} back" if view.undoes else ""
    output.lines(output.hang(f"  {output.minute(view.at)}", f"{view.act} by {by}{again}", COLUMN))
    if view.text:
        output.line(" " * COLUMN + output.cut(view.text, output.width() - COLUMN))
    sentence = f"wm undo {view.event}" if view.by == "user" else f"wm diag revert {view.event}"
    if view.undone_by:
        sentence = f"undone, by {view.undone_by}"
    elif not view.can_undo:
        sentence = f"{view.event} cannot be undone: {view.why_not}"
    output.lines(output.hang("", sentence, COLUMN, output.dim))


@click.command("rollback")
@click.option("--since", required=True, metavar="WHEN", help=f"From when on: {SINCE}.")
@dry_run
@prints
def rollback(caller: Caller, since: str, dry_run: bool) -> Result:
    """The same as `wm undo --since WHEN`."""
    return rolled_back(caller, since, dry_run=dry_run)


def rolled_back(caller: Caller, since: str, *, dry_run: bool) -> Result:
    """Take back what models added since a time, or say what that would be."""
    name = "plan_rollback" if dry_run else "rollback"
    return Result(caller.call(name, since=since), _print_rollback)


def _print_rollback(answer: Rollback) -> None:
    when = output.moment(answer.since)
    if not answer.taken:
        output.line(f"Nothing that was learned since {when} can be undone.")
    else:
        verb = "Took back" if answer.applied else "Would undo"
        output.line(f"{verb} {output.count(len(answer.taken), 'act')} since {when}:")
        _print_some([(done.act, BECOMES.get(done.becomes, done.becomes)) for done in answer.taken])
    if answer.more:
        output.line(output.dim(f"{answer.more:,} older ones are left: run it again."))
    for why, acts in (("it cannot be undone", answer.kept), ("people did it", answer.yours)):
        if acts:
            output.line()
            output.line(f"Stays, because {why}:")
            _print_some([(act, act.why_not) for act in acts])
    if answer.applied and answer.taken:
        output.hint("to restore an entry: wm undo ID · all changes: wm show --history")


def _print_some(acts: list[tuple[ActView, str]]) -> None:
    """Print changes, each with its sentence."""
    for act, sentence in acts[:LISTED]:
        name = f" {short_id(act.entry)}" if act.entry else ""
        output.line(f"  {output.minute(act.at)}  {act.act}{name} by {BY.get(act.by, act.by)}")
        if act.text:
            output.line("    " + output.cut(act.text, output.width() - 4))
        if sentence:
            output.lines(output.hang("", sentence, 4, output.dim))
    if len(acts) > LISTED:
        output.line(output.dim(f"  and {len(acts) - LISTED:,} more: --json lists all"))
