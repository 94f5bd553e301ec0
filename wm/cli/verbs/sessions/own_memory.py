"""`wm session core | working | continue`: a session's own memory (CB-1, CB-2).

A running agent learns of a change with its next message; its frozen prompt stays as it is (EP-1).
"""

from __future__ import annotations

from typing import Any

import click

from wm.api.session_memory import Blocks, ItemView, WorkingItems
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.groups import Group
from wm.cli.options import flag, text
from wm.cli.streams import text_argument
from wm.formats.core_memory import BLOCKS
from wm.formats.session_state import NEWEST

session_option = click.option(
    "--session",
    "sessionId",
    default=NEWEST,
    show_default=True,
    metavar="ID",
    help="Which session, by the beginning of its id.",
)
"""Defaults to the newest session, which most people mean. Named like the field of the requests."""


@click.group("core", cls=Group, default="show", short_help="Goal, progress and context.")
def core() -> None:
    """The core blocks of a session: goal, progress and context, kept across compactions."""


@core.command("show", short_help="The blocks as they are.")
@session_option
@prints
def show_core(caller: Caller, **session: str) -> Result:
    """Show the core blocks of a session, with how many characters each may have."""
    return Result(caller.call("read_blocks", **session), _print_blocks)


@core.command("set", short_help="Replace the text of a block.")
@click.argument("block", type=click.Choice(BLOCKS))
@click.argument("text", nargs=-1)
@session_option
@prints
def set_core(caller: Caller, **fields: Any) -> Result:
    """Replace the text of BLOCK by TEXT ("-" reads it from standard input; no TEXT empties it).

    The agent of an open session gets it with your next message. A text over the limit is refused
    with its length; nothing is cut.
    """
    return _change(caller, "replace", **fields)


@core.command("append", short_help="Add a line to a block.")
@click.argument("block", type=click.Choice(BLOCKS))
@click.argument("text", nargs=-1, required=True)
@session_option
@prints
def append_core(caller: Caller, **fields: Any) -> Result:
    """Add TEXT ("-" reads it from standard input) to BLOCK as a line of its own."""
    return _change(caller, "append", **fields)


def _change(caller: Caller, operation: str, *, text: tuple[str, ...], **fields: Any) -> Result:
    answer = caller.call("change_block", content=text_argument(text), operation=operation, **fields)
    return Result(answer, _print_blocks)


def _print_blocks(answer: Blocks) -> None:
    if answer.message:
        output.message(answer)
        return
    _print_session(answer)
    if answer.carried_from:
        output.line(output.cut(f"  continued from {answer.carried_from}", output.width()))
    for block in answer.blocks:
        output.line()
        output.line(output.bold(f"{block.name}  {block.chars} of {block.max} characters"))
        output.lines(output.wrap_block(block.content or "empty", indent=2))


def _print_session(answer: Blocks | WorkingItems) -> None:
    output.line(output.bold(output.cut(answer.session_id, output.width())))


@click.group("working", cls=Group, default="show", short_help="Errors, todos, key files and notes.")
def working() -> None:
    """The working memory of a session: errors, decisions, todos, dependencies, files, notes."""


@working.command("show", short_help="All items, with the score of key files and notes.")
@session_option
@prints
def show_working(caller: Caller, **session: str) -> Result:
    """Show the working memory of a session, newest and strongest first."""
    return Result(caller.call("read_working", **session), _print_items)


@working.command("add", short_help="Add an item.")
@click.argument("text", nargs=-1, required=True)
@text("--slot", help="error, decision, todo, …; a note if not given.")
@session_option
@prints
def add_item(caller: Caller, text: tuple[str, ...], **fields: str) -> Result:
    """Add TEXT to a slot (the newest items of one kind), or as a note. The session shows it when
    its memory text is next renewed (at the next epoch)."""
    return Result(caller.call("add_item", text=text_argument(text), **fields), _print_items)


@working.command("remove", short_help="Remove one item.")
@click.argument("text", nargs=-1, required=True)
@session_option
@prints
def remove_item(caller: Caller, text: tuple[str, ...], **session: str) -> Result:
    """Remove the item with TEXT, or the only one that contains these words."""
    return Result(caller.call("remove_items", text=text_argument(text), **session), _print_items)


@working.command("clear", short_help="Empty a slot, or everything.")
@text("--slot", help="Only this slot.")
@session_option
@prints
def clear_items(caller: Caller, **fields: str) -> Result:
    """Empty one slot (the newest items of one kind); without --slot all slots, files and notes.
    Core blocks stay."""
    return Result(caller.call("remove_items", **fields), _print_items)


def _print_items(answer: WorkingItems) -> None:
    if answer.message:
        output.message(answer)
        return
    _print_session(answer)
    if not answer.items:
        output.line("  Nothing is kept.")
    for item in answer.items:
        output.lines(output.hang(f"  {_name(item):<11}", item.text, 13))


def _name(item: ItemView) -> str:
    return item.slot or f"{item.kind} {item.score:.2f}"


@click.command("continue", short_help="Copy the core blocks to another session.")
@click.argument("session_id", metavar="ID", default=NEWEST)
@text("--to", metavar="ID", help="A session that has already started.")
@flag("--cancel", help="The next session starts without them.")
@prints
def continue_session(caller: Caller, session_id: str, **fields: Any) -> Result:
    """Let the next session of this workspace continue with the core blocks of the session ID.

    Without ID: of the newest session that has some. They are copied when the next session starts,
    as they are then; the old session keeps its own. With --to they are copied at once to a running
    session, into its empty blocks, and its agent gets them with your next message. Slots (the
    newest items of one kind) and notes are not copied.
    """
    answer = caller.call("continue_session", sessionId=session_id, **fields)
    return Result(answer, output.message)
