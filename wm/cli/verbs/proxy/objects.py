"""`wm objects`: what paging removed from requests, kept for restoring, and what it saved.

Texts are printed and written without secrets, as they are stored; only `purge` deletes any.
"""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints, prints_answer
from wm.cli.groups import Group
from wm.cli.new_file import create
from wm.cli.options import flag, number, text
from wm.cli.overview import memory_line, paging_line
from wm.cli.verbs.proxy import figures
from wm.formats.ledger import LedgerBill, LedgerRecord
from wm.settings.proxy import POLICIES

_SHOWN = 20
_LEVELS = ("whole", "lines that are shown elsewhere left out", "shortened", "a note", "gone")
_HEAD = ("tokens, share read from cache", "as it came", "predicted", "reported", "saved")
session_option = text("--session", metavar="ID", help="Only this session.")


@click.group("objects", cls=Group, default="list")
def command() -> None:
    """Steps of sessions that went through `wm proxy` or `wm run`, stored without secrets.

    `wm objects` alone lists the newest, and what was saved. A note such as [wm: 214 lines removed;
    o_6f1a2b3c4d5e] in a conversation names one of them.
    """


@command.command("list", short_help="The newest steps, and what was saved.")
@session_option
@text("--type", metavar="TYPE", help="Only this type, such as error_context.")
@flag("--all", "every", help="All of them, not only the newest.")
@prints
def show(caller: Caller, every: bool, **fields: Any) -> Result:
    """List stored steps with their type, size, and form in the last request.

    With --session also each of its requests: as predicted, and as the service counted it.
    """
    answer: Any = caller.call("list_objects", requests=bool(fields["session"]), **fields)
    such = "such " if any(fields.values()) else ""
    return Result(answer, lambda answer: _print_list(answer, such, every=every))


def _print_list(answer: Any, such: str, *, every: bool) -> None:
    if not answer.objects:
        where = output.safe(answer.place.root or answer.place.key)
        output.line(f"No {such}steps are stored in {where}; an agent under `wm run` stores them.")
    for one in answer.objects[: None if every else _SHOWN]:
        marks = [one.type, f"{one.tokens:,} tokens", _LEVELS[one.fidelity]]
        marks += ["brought back"] if one.pinned else []
        marks += [output.count(one.faults, "use after its removal", "uses after its removal")] * (
            one.faults > 0
        )
        output.lines(output.hang(f"  {one.id}", output.safe(one.label), 17, mark=output.bold))
        output.lines(output.hang("", " · ".join(marks), 17, output.dim))
    more = len(answer.objects) - _SHOWN
    if more > 0 and not every:
        output.line(output.dim(f"  and {more:,} more: --all"))
    if answer.requests:
        output.line()
        rows = [_request(one) for one in answer.requests[0 if every else -_SHOWN :]]
        figures.table(_HEAD, (29, 13, 13, 13, 9), rows)
        output.line()
    for one in answer.totals:
        lines = filter(None, (paging_line(one), memory_line(one)))
        for line in lines if one.requests else ():
            output.lines(output.hang(f"  {one.session[:8]}", line, 17, output.dim))


def _request(one: LedgerRecord) -> tuple[str, ...]:
    """Its cells below `_HEAD`."""
    bills = map(_size, (one.plain, one.predicted, one.reported))
    return (one.at[:19].replace("T", " "), *bills, output.dollars(one.saved))


def _size(bill: LedgerBill | None) -> str:
    """Its tokens, and how many of them the cache had; a dash if that is not known."""
    if bill is None:
        return "–"
    return f"{figures.short(bill.tokens)} {100 * bill.read / max(1, bill.tokens):3.0f} %"


@command.command("show", short_help="The text of a step or a part of one.")
@click.argument("id", metavar="ID")
@number(
    "--level",
    most=2,
    default=0,
    help="0: all of it; 1, 2: a summary, or only the lines that tell most.",
)
@prints
def show_one(caller: Caller, **fields: Any) -> Result:
    """Print the stored text of ID (o_…), without secrets."""
    return stored(caller, **fields)


def stored(caller: Caller, **fields: Any) -> Result:
    """The text of a step or a part, with what was left out of it."""
    return Result(caller.call("show_object", **fields), _print_text)


def _print_text(answer: Any) -> None:
    for line in output.safe_lines(answer.text):
        output.line(line)
    notes = [f"left out: {', '.join(answer.losses)}"] if answer.losses else []
    notes += [f"written by {output.safe(answer.by)} and checked"] if answer.by else []
    notes += [f"replaced: {', '.join(answer.secrets)}"] if answer.secrets else []
    for note in notes:
        output.note(note)


@command.command("restore", short_help="Write the text of a step or a part into a new file.")
@click.argument("id", metavar="ID")
@click.argument("target", metavar="FILE")
@prints
def restore(caller: Caller, target: str, **fields: Any) -> Result:
    """Write the stored text of ID (o_…) into FILE, unchanged but for secrets: labels replace them.

    In a conversation the agent brings it back itself, with the tool memory_restore.
    """
    answer: Any = caller.call("show_object", level=0, **fields)
    create(target, answer.text)
    if answer.secrets:
        output.note(f"replaced: {', '.join(answer.secrets)}")
    return Result(answer, f"Wrote {target} ({len(answer.text.encode()):,} bytes).")


@command.command("why", short_help="Why a step is stored, and what happened to it.")
@click.argument("id", metavar="ID")
@prints_answer("show_object")
def why(answer: Any) -> None:
    """Say when ID was stored, whether it is searched, and when it was removed or needed."""
    one = answer.object
    about = f"{one.type} · {one.tokens:,} tokens · {len(one.parts)} parts"
    output.lines(output.hang(one.id, f"{output.safe(one.label)} ({about})", 15, mark=output.bold))
    for event in answer.events:
        output.line(f"  {output.safe(event)}")
    for relation in one.relations:
        output.line(f"  {relation.kind.replace('_', ' ')} {relation.other}")


@command.command("policy", short_help="What is removed from requests here.")
@click.argument("policy", type=click.Choice((*POLICIES, "default")))
@session_option
@prints
def policy(caller: Caller, policy: str, **fields: Any) -> Result:
    """Choose what is removed from this workspace's requests: off, safe, balanced or tight.

    default follows config.toml. Running proxies follow with their next request. What was decided
    before stays until the prompt cache has expired, because changing it earlier would cost money.
    """
    chosen = "" if policy == "default" else policy
    answer: Any = caller.call("choose_policy", policy=chosen, **fields)
    return Result(answer, output.message)


@command.command("purge", short_help="Delete stored steps.")
@session_option
@flag("--all", "allSessions", help="Of all sessions of this workspace.")
@flag("--dry-run", "dryRun", help="Only say what would be deleted.")
@prints_answer("purge_objects")
def purge(answer: Any) -> None:
    """Delete the stored steps of a session. They can then not be restored any more."""
    did = "would be deleted" if answer.dry_run else "deleted"
    steps, sessions = output.count(answer.objects, "step"), len(answer.sessions)
    output.line(f"{steps} of {output.count(sessions, 'session')} {did}.")
