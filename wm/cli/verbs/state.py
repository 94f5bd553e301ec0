"""`wm state init | show | set | validate`: the session contract of a project (CT-1)."""

from __future__ import annotations

import sys
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.groups import Group
from wm.errors import UserError
from wm.formats.session_contract import MAX_BYTES

LISTS = (
    ("decisions", "decisions"),
    ("open_risks", "open risks"),
    ("blocked_by", "blocked by"),
    ("next_actions", "next actions"),
    ("artifacts", "artifacts"),
    ("legal_reviews", "legal reviews"),
)


@click.group("state", cls=Group, default="show")
def command() -> None:
    """The session contract: state/session-state.json in the project, which you can commit.

    It says the goal, the phase, decisions, risks, blockers and next actions. Only `init` makes
    it; edit it by hand as you like.
    """


@command.command("init", short_help="Make the contract of this project.")
@click.argument("goal", nargs=-1)
@click.option("--phase", metavar="WORD", default="", help="The phase it begins in; else planning.")
@json_option
@workspace_options
def init(caller: Caller, goal: tuple[str, ...], phase: str, as_json: bool) -> int:
    """Make state/session-state.json with the GOAL of the work. One that is there stays."""
    answer: Any = caller.call("init_contract", goal=" ".join(goal), phase=phase)
    return _told(answer, as_json)


@command.command("show", short_help="What the contract says.")
@json_option
@workspace_options
def show(caller: Caller, as_json: bool) -> int:
    """Show what the contract says, its items with their numbers. Secrets are left out."""
    answer: Any = caller.call("show_contract")
    if answer.contract is None:
        first = answer.faults[0]
        raise UserError(first.placed, fix=first.fix)
    if as_json:
        output.as_json(answer)
        return 0
    output.lines(output.pairs(_scalars(answer), least=13))
    for name, title in LISTS:
        _print_items(title, answer.contract.get(name))
    if not answer.valid:
        output.line()
        output.line(output.warn(f"{_how_many(answer.faults)}: wm state validate"))
    return 0


def _scalars(answer: Any) -> list[output.Row]:
    said = answer.contract
    rows: list[output.Row] = [
        ("file", output.home_short(answer.file)),
        ("goal", _word(said.get("goal"))),
        ("phase", _word(said.get("current_phase"))),
        ("last updated", _word(said.get("last_updated"))),
        ("compactions", _word(said.get("compaction_count", 0))),
    ]
    return rows


def _word(value: object) -> str:
    return value if isinstance(value, str) else "?" if value is None else str(value)


def _print_items(title: str, items: object) -> None:
    if not isinstance(items, list) or not items:
        return
    output.line()
    output.line("  " + output.bold(title))
    for number, item in enumerate(items, start=1):
        output.lines(output.hang(f"  {number:>3}.", _word(item), 7))


@command.command("set", short_help="Change one field.")
@click.argument("field")
@click.argument("values", nargs=-1, metavar="TEXT…")
@click.option("--append", is_flag=True, help="Add each TEXT to the end of the list.")
@click.option("--remove", is_flag=True, help="Take each TEXT, or number, out of the list.")
@json_option
@workspace_options
def change(
    caller: Caller,
    field: str,
    values: tuple[str, ...],
    append: bool,
    remove: bool,
    as_json: bool,
) -> int:
    """Set FIELD to TEXT; a list to all the TEXTs, or to nothing.

    Only the bytes of the field, last_updated and plugin_version change. What would break the
    contract is refused, with nothing written.
    """
    if append and remove:
        raise click.UsageError("Give either --append or --remove.")
    kind = "append" if append else "remove" if remove else "set"
    answer: Any = caller.call("change_contract", field=field, change=kind, values=list(values))
    return _told(answer, as_json)


def _told(answer: Any, as_json: bool) -> int:
    if as_json:
        output.as_json(answer)
    else:
        output.lines(output.wrap(answer.message, output.width()))
    return 0


@command.command("validate", short_help="Name every fault, with line, field and mend.")
@click.option(
    "--before",
    metavar="FILE",
    default="",
    help="An earlier contract (- is standard input): no review of it may be gone.",
)
@click.option(
    "--accept",
    is_flag=True,
    help="Take reviews and count as they stand, after a change of history.",
)
@json_option
@workspace_options
def validate(caller: Caller, before: str, accept: bool, as_json: bool) -> int:
    """Check the contract and name all faults at once, each with line, field and mend.

    Exit code 0: sound; 1: faults, or no contract. In CI, `git show main:state/session-state.json
    | wm state validate --before -` holds a branch to the reviews of main.
    """
    if accept and before:
        raise click.UsageError("Give either --accept or --before.")
    if accept:
        answer: Any = caller.call("accept_contract")
    else:
        answer = caller.call("show_contract", before=_earlier(before))
    if as_json:
        output.as_json(answer)
        return 0 if answer.valid else 1
    path = output.home_short(answer.file)
    if answer.valid:
        output.line(output.good("sound") + f"  {path}")
        output.lines(part for note in answer.notes for part in output.hang("", note, 7))
        return 0
    output.line(output.bad(_how_many(answer.faults)) + f"  {path}")
    for fault in answer.faults:
        place = f"{fault.line}:{fault.column}" if fault.line else "-"
        output.lines(output.hang(f"  {place:<7}", fault.message, 10))
        output.lines(output.hang("", f"→ {fault.fix}", 10))
    return 1


def _how_many(faults: Any) -> str:
    return output.count(len(faults), "fault")


def _earlier(file: str) -> str:
    """The text of an earlier contract. Raises UserError."""
    if not file:
        return ""
    try:
        if file == "-":
            text = sys.stdin.read(MAX_BYTES + 1)
        else:
            with open(file, encoding="utf-8") as stream:
                text = stream.read(MAX_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UserError(
            f"The earlier contract {file} cannot be read: {why}.",
            fix="Name a file, or `-` for standard input.",
        ) from None
    if not text.strip():
        raise UserError(
            f"The earlier contract {file} is empty.", fix="Leave --before away if there is none."
        )
    return text
