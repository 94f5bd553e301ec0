"""`wm inbox`: what may not enter memory by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_entry, print_row
from wm.cli.groups import Group
from wm.cli.streams import given
from wm.errors import WmError

HINT = 'wm inbox accept ID · wm inbox reject ID · wm inbox edit ID "better text"'


@click.group("inbox", cls=Group, default="list")
def command() -> None:
    """Entries that may not become active by themselves, each with its reason.

    `wm inbox` alone lists them.
    """


@command.command("list", short_help="Show what waits (the default).")
@json_option
@workspace_options
def show(caller: Caller, as_json: bool) -> int:
    """Show what waits for your word."""
    caller.call("notice_outside")
    answer: Any = caller.call("inspect", status="inbox")
    if as_json:
        output.as_json(answer)
    elif not answer.entries:
        output.line("The inbox is empty.")
    else:
        for view in answer.entries:
            print_row(view)
        output.line()
        output.line(output.dim(HINT))
    return 0


@command.command("accept", short_help="Make entries active.")
@click.argument("entry_ids", metavar="ID...", nargs=-1)
@click.option("--outside", is_flag=True, help="Accept every change made to the file by hand.")
@json_option
@workspace_options
def accept(caller: Caller, entry_ids: tuple[str, ...], outside: bool, as_json: bool) -> int:
    """Make the waiting entries ID... active, or with --outside all edits made by hand.

    A waiting replacement takes the place of what it replaces.
    """
    if outside == bool(entry_ids):
        raise click.UsageError("Give an ID, or --outside.")
    if not outside:
        return _each(caller, "accept_entry", entry_ids, as_json, _print_accepted)
    answer: Any = caller.call("accept_outside")
    if as_json:
        output.as_json(answer)
    else:
        output.line(f"Accepted {output.count(len(answer.accepted), 'change')}.")
    return 0


@command.command("reject", short_help="Move waiting entries to the trash.")
@click.argument("entry_ids", metavar="ID...", nargs=-1, required=True)
@json_option
@workspace_options
def reject(caller: Caller, entry_ids: tuple[str, ...], as_json: bool) -> int:
    """Move the waiting entries ID... to the trash."""
    return _each(caller, "reject_entry", entry_ids, as_json, _print_message)


@command.command("edit", short_help="Reword a waiting entry and accept it.")
@click.argument("entry_id", metavar="ID")
@click.argument("text", nargs=-1, required=True)
@click.option("--wait", is_flag=True, help="Only reword it; it goes on waiting.")
@json_option
@workspace_options
def edit(caller: Caller, entry_id: str, text: tuple[str, ...], wait: bool, as_json: bool) -> int:
    """Give the waiting entry ID a better TEXT, and make it active.

    TEXT "-" reads the new text from standard input.
    """
    waiting: Any = caller.call("show_entry", id=entry_id).entry
    if waiting.status != "inbox":
        # The refusal of a verb that wants what this one wants.
        caller.call("accept_entry", id=entry_id)
    answer: Any = caller.call("edit_entry", id=waiting.id, text=given(text))
    if not wait:
        answer = caller.call("accept_entry", id=waiting.id)
    if as_json:
        output.as_json(answer)
    else:
        print_entry(answer.entry)
    return 0


def _each(
    caller: Caller,
    operation: str,
    entry_ids: tuple[str, ...],
    as_json: bool,
    tell: Callable[[Any], None],
) -> int:
    """Do it with every entry. One that cannot be does not keep the others from being done."""
    if len(entry_ids) == 1:
        answer: Any = caller.call(operation, id=entry_ids[0])
        if as_json:
            output.as_json(answer)
        else:
            tell(answer)
        return 0
    done: list[Any] = []
    problems: list[tuple[str, WmError]] = []
    for entry_id in dict.fromkeys(entry_ids):
        try:
            done.append(caller.call(operation, id=entry_id))
        except WmError as error:
            problems.append((entry_id, error))
    if as_json:
        _print_report(done, problems)
    else:
        for answer in done:
            tell(answer)
        for _, problem in problems:
            output.problem(problem.message, fix=problem.fix)
    return 1 if problems else 0


def _print_report(done: list[Any], problems: list[tuple[str, WmError]]) -> None:
    from wm.cli.models import InboxReport

    told = tuple({"id": name, "detail": e.message, "fix": e.fix} for name, e in problems)
    output.as_json(InboxReport(entries=tuple(answer.entry for answer in done), problems=told))


def _print_accepted(answer: Any) -> None:
    output.line(f"Accepted {answer.entry.id}; prompts may show it from the next epoch on.")
    print_entry(answer.entry)


def _print_message(answer: Any) -> None:
    output.line(answer.message)
