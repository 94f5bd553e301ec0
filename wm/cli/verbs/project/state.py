"""`wm state init | show | set | validate`: the session contract of a project (CT-1).

`init` is the only verb that creates the file. `set` changes single values in its text.
"""

from __future__ import annotations

import sys
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.groups import Group
from wm.cli.options import flag, text
from wm.errors import UserError
from wm.formats.session_contract import MAX_BYTES

LISTS = ("decisions", "open_risks", "blocked_by", "next_actions", "artifacts", "legal_reviews")


@click.group("state", cls=Group, default="show")
def command() -> None:
    """The session contract: state/session-state.json in the project, which you can commit.

    It contains the goal, the phase, decisions, risks, blockers and next actions. Only `init`
    creates it; you may edit it by hand.
    """


@command.command("init", short_help="Create the contract of this project.")
@click.argument("goal", nargs=-1)
@text("--phase", metavar="WORD", help="The first phase. Default: planning.")
@prints
def init(caller: Caller, goal: tuple[str, ...], phase: str) -> Result:
    """Create state/session-state.json with the GOAL of the work. An existing one stays."""
    answer = caller.call("init_contract", goal=" ".join(goal), phase=phase)
    return Result(answer, output.message)


@command.command("show", short_help="What the contract says.")
@prints
def show(caller: Caller) -> Result:
    """Show the contract, its items with their numbers. Secrets are left out."""
    answer: Any = caller.call("show_contract")
    if answer.contract is None:
        first = answer.faults[0]
        raise UserError(first.placed, fix=first.fix)
    return Result(answer, _print_contract)


def _print_contract(answer: Any) -> None:
    output.lines(output.pairs(_scalars(answer), least=13))
    for name in LISTS:
        _print_items(name.replace("_", " "), answer.contract.get(name))
    if not answer.valid:
        output.line()
        output.line(output.warn(f"{_how_many(answer.faults)}: wm state validate"))


def _scalars(answer: Any) -> list[output.Row]:
    contract = answer.contract
    return [
        ("file", output.home_short(answer.file)),
        ("goal", _word(contract.get("goal"))),
        ("phase", _word(contract.get("current_phase"))),
        ("last updated", _word(contract.get("last_updated"))),
        ("compactions", _word(contract.get("compaction_count", 0))),
    ]


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
@flag("--append", help="Add each TEXT to the end of the list.")
@flag("--remove", help="Take each TEXT, or number, out of the list.")
@prints
def change(
    caller: Caller, field: str, values: tuple[str, ...], append: bool, remove: bool
) -> Result:
    """Set FIELD to TEXT; a list to all the TEXTs, or to nothing.

    Only the bytes of the field, last_updated and plugin_version change. A change that would make
    the contract invalid is refused, and nothing is written.
    """
    if append and remove:
        raise click.UsageError("Give either --append or --remove.")
    kind = "append" if append else "remove" if remove else "set"
    answer = caller.call("change_contract", field=field, change=kind, values=values)
    return Result(answer, output.message)


@command.command("validate", short_help="List every fault, with line, field and fix.")
@text(
    "--before",
    metavar="FILE",
    help="An earlier contract (- is standard input): none of its reviews may be missing.",
)
@flag("--accept", help="Accept the reviews as they are, after a change of git history.")
@prints
def validate(caller: Caller, before: str, accept: bool) -> Result:
    """Check the contract and list all faults at once, each with line, field and fix.

    Exit code 0: sound; 1: faults, or no contract. In CI, `git show main:state/session-state.json
    | wm state validate --before -` checks a branch against the reviews of main.
    """
    if accept and before:
        raise click.UsageError("Give either --accept or --before.")
    if accept:
        answer: Any = caller.call("accept_contract")
    else:
        answer = caller.call("show_contract", before=_earlier(before))
    return Result(answer, _print_verdict, failed=not answer.valid)


def _print_verdict(answer: Any) -> None:
    path = output.home_short(answer.file)
    if answer.valid:
        output.line(output.good("sound") + f"  {path}")
        output.lines(part for note in answer.notes for part in output.hang("", note, 7))
        return
    output.line(output.bad(_how_many(answer.faults)) + f"  {path}")
    for fault in answer.faults:
        place = f"{fault.line}:{fault.column}" if fault.line else "-"
        output.lines(output.hang(f"  {place:<7}", fault.message, 10))
        output.lines(output.hang("", f"→ {fault.fix}", 10))


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
        raise UserError.of("state.unreadable_before", file=file, why=why) from None
    if not text.strip():
        raise UserError.of("state.empty_before", file=file)
    return text
