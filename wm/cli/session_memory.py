"""`wm session core | working | continue`: a session's own memory in the terminal (CB-1, CB-2)."""

from __future__ import annotations

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.groups import Group
from wm.cli.streams import given
from wm.formats.core_memory import BLOCKS
from wm.formats.session_memory import Blocks, Continued, ItemView, WorkingItems
from wm.formats.session_state import NEWEST

session_option = click.option(
    "--session",
    "session_id",
    default=NEWEST,
    show_default=True,
    metavar="ID",
    help="Which session, by the beginning of its id.",
)
"""Most people mean the session that they just had."""


@click.group("core", cls=Group, default="show", short_help="Goal, progress and context.")
def core() -> None:
    """The core blocks of a session: goal, progress and context, kept across compactions."""


@core.command("show", short_help="The blocks as they are.")
@session_option
@json_option
@workspace_options
def show_core(caller: Caller, session_id: str, as_json: bool) -> int:
    """Show the core blocks of a session, with how many characters each may have."""
    answer: Blocks = caller.call("read_blocks", sessionId=session_id)
    return _print_blocks(answer, as_json)


@core.command("set", short_help="Write a block anew.")
@click.argument("block", type=click.Choice(BLOCKS))
@click.argument("text", nargs=-1)
@session_option
@json_option
@workspace_options
def set_core(
    caller: Caller, block: str, text: tuple[str, ...], session_id: str, as_json: bool
) -> int:
    """Write BLOCK anew as TEXT ("-" reads it from standard input; no TEXT empties it).

    The agent of an open session is told with your next message. A text over the limit is refused
    with the count; nothing is cut.
    """
    return _change(caller, block, text, "replace", session_id, as_json)


@core.command("append", short_help="Add a line to a block.")
@click.argument("block", type=click.Choice(BLOCKS))
@click.argument("text", nargs=-1, required=True)
@session_option
@json_option
@workspace_options
def append_core(
    caller: Caller, block: str, text: tuple[str, ...], session_id: str, as_json: bool
) -> int:
    """Add TEXT ("-" reads it from standard input) to BLOCK as a line of its own."""
    return _change(caller, block, text, "append", session_id, as_json)


def _change(
    caller: Caller,
    block: str,
    text: tuple[str, ...],
    operation: str,
    session_id: str,
    as_json: bool,
) -> int:
    answer: Blocks = caller.call(
        "change_block",
        sessionId=session_id,
        block=block,
        content=given(text),
        operation=operation,
    )
    return _print_blocks(answer, as_json)


def _is_told(answer: Blocks | WorkingItems, as_json: bool) -> bool:
    """Print what both have in common; whether that was all."""
    if as_json:
        output.as_json(answer)
    elif answer.message:
        output.lines(output.wrap(answer.message, output.width()))
    else:
        output.line(output.bold(output.cut(answer.session_id, output.width())))
    return as_json or bool(answer.message)


def _print_blocks(answer: Blocks, as_json: bool) -> int:
    if _is_told(answer, as_json):
        return 0
    if answer.carried_from:
        output.line(output.cut(f"  went on from {answer.carried_from}", output.width()))
    for block in answer.blocks:
        output.line()
        about = f"{block.name}  {block.chars} of {block.max} characters"
        output.line(output.bold(about))
        output.lines(output.wrap_block(block.content or "empty", indent=2))
    return 0


@click.group("working", cls=Group, default="show", short_help="Slots, key files and notes.")
def working() -> None:
    """The working memory of a session: errors, decisions, todos, dependencies, files, notes."""


@working.command("show", short_help="All items, with the score of those in the pool.")
@session_option
@json_option
@workspace_options
def show_working(caller: Caller, session_id: str, as_json: bool) -> int:
    """Show what the working memory of a session holds, the newest and strongest first."""
    answer: WorkingItems = caller.call("read_working", sessionId=session_id)
    return _print_items(answer, as_json)


@working.command("add", short_help="Add an item.")
@click.argument("text", nargs=-1, required=True)
@click.option("--slot", default="", help="error, decision, todo, …; a note if not given.")
@session_option
@json_option
@workspace_options
def add_item(
    caller: Caller, text: tuple[str, ...], slot: str, session_id: str, as_json: bool
) -> int:
    """Add TEXT to a slot, or as a note; the session's next prompt epoch shows it."""
    answer: WorkingItems = caller.call(
        "add_item", sessionId=session_id, text=given(text), slot=slot
    )
    return _print_items(answer, as_json)


@working.command("remove", short_help="Remove one item.")
@click.argument("text", nargs=-1, required=True)
@session_option
@json_option
@workspace_options
def remove_item(caller: Caller, text: tuple[str, ...], session_id: str, as_json: bool) -> int:
    """Remove the item that says TEXT, or the only one that holds these words."""
    answer: WorkingItems = caller.call("remove_items", sessionId=session_id, text=given(text))
    return _print_items(answer, as_json)


@working.command("clear", short_help="Empty a slot, or everything.")
@click.option("--slot", default="", help="Only this slot.")
@session_option
@json_option
@workspace_options
def clear_items(caller: Caller, slot: str, session_id: str, as_json: bool) -> int:
    """Empty one slot, or slots and pool where none is named. Core blocks stay."""
    answer: WorkingItems = caller.call("remove_items", sessionId=session_id, slot=slot)
    return _print_items(answer, as_json)


def _print_items(answer: WorkingItems, as_json: bool) -> int:
    if _is_told(answer, as_json):
        return 0
    if not answer.items:
        output.line("  Nothing is kept.")
    for item in answer.items:
        output.lines(output.hang(f"  {_name(item):<11}", item.text, 13))
    return 0


def _name(item: ItemView) -> str:
    return item.slot or f"{item.kind} {item.score:.2f}"


@click.command("continue", short_help="Take the core blocks over into another session.")
@click.argument("session_id", metavar="ID", default=NEWEST)
@click.option("--to", default="", metavar="ID", help="A session that has begun already.")
@click.option("--cancel", is_flag=True, help="The next session begins without them after all.")
@json_option
@workspace_options
def continue_session(caller: Caller, session_id: str, to: str, cancel: bool, as_json: bool) -> int:
    """Let the next session of this workspace go on with the core blocks of the session ID.

    Without ID: of the newest session that has some. They are handed over when the next session
    starts, as they are then; the old session keeps its own. With --to they go at once into a
    session that has begun, where its blocks are empty, and its agent is told with your next
    message. Slots and notes stay where they are.
    """
    answer: Continued = caller.call("continue_session", sessionId=session_id, to=to, cancel=cancel)
    if as_json:
        output.as_json(answer)
    else:
        output.lines(output.wrap(answer.message, output.width()))
    return 0
