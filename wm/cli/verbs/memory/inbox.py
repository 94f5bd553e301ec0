"""`wm inbox`: entries that wait for a person's approval, with the reason; accept, reject, edit.

With several ids, one that fails does not stop the others; the exit code then is 1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import click

from wm.api.protocol import EntryView
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import COLUMN, entry_lines, entry_type, print_entry, short_id, status_of
from wm.cli.groups import Group, ids
from wm.cli.options import choice, flag
from wm.cli.overview import user_waiting
from wm.cli.streams import text_argument
from wm.errors import StoreError, WmError
from wm.formats.workspace_memory import SOURCES

HINT = 'wm inbox accept ID · wm inbox reject ID · wm inbox edit ID "better text"'


@click.group("inbox", cls=Group, default="list")
def command() -> None:
    """Entries that wait for your approval, each with its reason.

    `wm inbox` alone lists them.
    """


@command.command("list", short_help="Show what waits (the default).")
@prints
def show(caller: Caller) -> Result:
    """Show what waits for your approval."""
    with suppress(StoreError):  # what cannot be written can still be read
        caller.call("notice_outside")
    active: Any = caller.call("inspect")
    return Result(caller.call("inspect", status="inbox"), partial(_print_waiting, active.entries))


def _print_waiting(active: Sequence[EntryView], answer: Any) -> None:
    for view in answer.entries:
        _print_entry(view, active)
    if answer.entries:
        output.hint(HINT)
    else:
        output.line("The inbox is empty.")
    if answer.user_inbox:
        output.hint(user_waiting(answer))


def _print_entry(view: EntryView, active: Sequence[EntryView]) -> None:
    """A waiting entry, with the texts of those that it replaces or may contradict."""
    output.lines(entry_lines(view))
    named = (*view.entry.supersedes, *view.entry.conflicts)
    for one in (other.entry for other in active if other.entry.id in named):
        if one.text != view.entry.text:
            older = f"{short_id(one.id)} is: {one.text}"
            output.lines(output.hang("", older, COLUMN, output.dim))


def _selecting(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The options that choose waiting entries without naming them."""
    options = (
        flag("--all", "everything", help="All that waits, in place of IDs."),
        entry_type(),
        choice("--source", SOURCES),
        click.option("--session", default="", metavar="SID", help="Only what this session left."),
    )
    for option in reversed(options):
        verb = option(verb)
    return verb


def _chosen(
    caller: Caller, entry_ids: tuple[str, ...], everything: bool, **wanted: str
) -> tuple[str, ...]:
    """The given ids, or the waiting entries that the options choose."""
    asked = {name: value for name, value in wanted.items() if value}
    if bool(entry_ids) == bool(everything or asked):
        raise click.UsageError("Give an ID, or choose with --all, --type, --source or --session.")
    if entry_ids:
        return entry_ids
    views: Any = caller.call("inspect", status="inbox").entries
    session = asked.pop("session", "")
    return tuple(
        view.entry.id
        for view in views
        if all(getattr(view.entry, name) == value for name, value in asked.items())
        and view.entry.session.startswith(session)
    )


@command.command("accept", short_help="Make entries active.")
@click.argument("entry_ids", metavar="ID...", nargs=-1, callback=ids)
@flag("--outside", help="Accept every change made to the file by hand.")
@_selecting
@prints
def accept(caller: Caller, entry_ids: tuple[str, ...], outside: bool, **chosen: Any) -> Result:
    """Make the waiting entries ID... active, or those that the options choose; with --outside all
    edits made by hand.

    A waiting replacement takes the place of the entry that it replaces.
    """
    if outside and (entry_ids or any(chosen.values())):
        raise click.UsageError("Give an ID, or --outside.")
    if not outside:
        wanted = _chosen(caller, entry_ids, **chosen)
        return _each(caller, "accept_entry", wanted, _print_accepted if len(wanted) == 1 else _list)
    answer: Any = caller.call("accept_outside")
    return Result(answer, f"Accepted {output.count(len(answer.accepted), 'change')}.")


@command.command("reject", short_help="Move waiting entries to the trash.")
@click.argument("entry_ids", metavar="ID...", nargs=-1, callback=ids)
@_selecting
@prints
def reject(caller: Caller, entry_ids: tuple[str, ...], **chosen: Any) -> Result:
    """Move the waiting entries ID..., or those that the options choose, to the trash."""
    wanted = _chosen(caller, entry_ids, **chosen)
    return _each(caller, "reject_entry", wanted, lambda answer: output.line(answer.message))


@command.command("review", short_help="Decide about each waiting entry with one key.")
@prints
def review(caller: Caller) -> Result:
    """Show each waiting entry and read one key: a accepts, r rejects, s skips, q ends."""
    done = {"accept_entry": 0, "reject_entry": 0}
    views: Any = caller.call("inspect", status="inbox").entries
    active: Any = caller.call("inspect").entries
    for view in views:
        _print_entry(view, active)
        output.hint("a accept · r reject · s skip · q quit")
        key = (click.getchar() if sys.stdin.isatty() else sys.stdin.read(1)).lower()
        if key in ("q", "\x03", "\x04", ""):
            break
        if operation := {"a": "accept_entry", "r": "reject_entry"}.get(key):
            caller.call(operation, id=view.entry.id)
            done[operation] += 1
    accepted, rejected = done.values()
    report = {"accepted": accepted, "rejected": rejected, "waiting": len(views)}
    said = f"Accepted {accepted}, rejected {rejected}."
    return Result(report, said if views else "The inbox is empty: nothing waits.")


@command.command("edit", short_help="Change the text of a waiting entry and accept it.")
@click.argument("entry_id", metavar="ID")
@click.argument("text", nargs=-1, required=True)
@flag("--wait", help="Only change the text; the entry keeps waiting.")
@prints
def edit(caller: Caller, entry_id: str, text: tuple[str, ...], wait: bool) -> Result:
    """Give the waiting entry ID a better TEXT, and make it active.

    TEXT "-" reads the new text from standard input.
    """
    waiting: Any = caller.call("show_entry", id=entry_id).entry
    if waiting.status != "inbox":
        # Raises the refusal, with the message of `wm inbox accept`.
        caller.call("accept_entry", id=entry_id)
    answer: Any = caller.call("edit_entry", id=waiting.id, text=text_argument(text))
    if not wait:
        answer = caller.call("accept_entry", id=waiting.id)
    return Result(answer, lambda answer: print_entry(answer.entry))


def _each(
    caller: Caller, operation: str, entry_ids: tuple[str, ...], show: Callable[[Any], None]
) -> Result:
    """Decide about every entry, as one act. One that fails does not stop the others."""
    if len(entry_ids) == 1:
        return Result(caller.call(operation, id=entry_ids[0]), show)
    accepts = operation == "accept_entry"
    decided: Any = caller.call("decide_entries", ids=entry_ids, accept=accepts)
    done = [*decided.done]
    problems: dict[str, WmError] = {}
    for entry_id in decided.left:  # it waits for all projects, or there is a reason to show
        try:
            done.append(caller.call(operation, id=entry_id))
        except WmError as error:
            problems[entry_id] = error

    def show_all(_report: object) -> None:
        if not entry_ids:
            output.line("Nothing that waits fits; `wm inbox` lists what waits.")
        for answer in done:
            show(answer)
        for problem in problems.values():
            output.problem(problem.message, fix=problem.fix)

    listed = [{"id": id, "detail": e.message, "fix": e.fix} for id, e in problems.items()]
    report = {"entries": [answer.entry for answer in done], "problems": listed}
    return Result(report, show_all, failed=bool(problems))


def _print_accepted(answer: Any) -> None:
    entry = answer.entry
    said = f"Accepted; {entry.id} is {status_of(entry)}"
    if entry.status == "active":
        said = f"Accepted {entry.id}; prompts may show it in the next session, and in this one"
        said += " after a compaction"
    output.lines(output.wrap(f"{said}. {answer.message}".rstrip(), output.width()))
    print_entry(entry)


def _list(answer: Any) -> None:
    """One of several accepted entries, in a line."""
    head = f"  {short_id(answer.entry.id)}  {status_of(answer.entry)}: "
    output.lines(output.hang(head, f"{answer.entry.text} {answer.message}".rstrip(), 4))
