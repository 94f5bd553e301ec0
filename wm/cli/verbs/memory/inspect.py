"""`wm inspect`: what this workspace remembers, strongest first, and why an entry is not shown."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from wm.api.protocol import EntryView, Inspection
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import entry_type, print_row
from wm.cli.options import choice, flag
from wm.cli.place import conversation_rows, memory_rows, print_heading
from wm.cli.verbs.sessions.session import about_session
from wm.formats.workspace_memory import STATUSES

LISTED_SESSIONS = 5
LISTED_CONVERSATIONS = 3


@click.command("inspect")
@flag("--all", "everything", help="Also superseded entries and the inbox.")
@choice("--status", STATUSES, help="Only entries with this status. Default: active.")
@entry_type("Only this type.")
@flag("--user", "user", help="What you keep for all your projects.")
@prints
def command(caller: Caller, everything: bool, status: str, type: str, user: bool) -> Result:
    """Show the entries of this workspace, strongest first, and which of them a prompt shows."""
    if user:
        caller.workspace = "user"
    wanted = "all" if everything else status
    show = partial(
        _print, filtered=bool(wanted or type), half_life_days=caller.settings.memory.half_life_days
    )
    return Result(caller.call("inspect", status=wanted, type=type), show)


def _print(found: Any, *, filtered: bool, half_life_days: float) -> None:
    print_heading(found.place)
    rows = memory_rows(found) + conversation_rows(found.conversations, LISTED_CONVERSATIONS)
    output.lines(output.pairs(rows))
    _print_entries(found, filtered=filtered)
    _print_sessions(found)
    if found.entries:
        output.line()
        legend = (
            "The number is the strength: type × source × importance, halved every "
            f"{half_life_days:g} days, more slowly for what was seen again. Prompts show the "
            "strongest; nothing is deleted because it is weak."
        )
        output.lines(map(output.dim, output.wrap(legend, output.width())))


def _print_entries(found: Inspection, *, filtered: bool) -> None:
    if not found.entries:
        output.line()
        if filtered:
            output.line("  Nothing here is like that.")
        else:
            output.line("  Nothing is remembered here yet. Say “remember that …” to an agent, or:")
            output.line('  wm remember "we deploy with make ship"')
    groups: dict[str, list[EntryView]] = {}
    for view in found.entries:
        groups.setdefault(view.entry.type, []).append(view)
    for kind, views in groups.items():
        output.line()
        output.line(output.bold(kind))
        for view in views:
            print_row(view)


def _print_sessions(found: Inspection) -> None:
    if not found.sessions:
        return
    output.line()
    output.line(output.bold("sessions"))
    for session in found.sessions[:LISTED_SESSIONS]:
        name = output.cut(session.session_id, 16)
        output.lines(output.hang(f"  {name}", about_session(session), 20))
    more = len(found.sessions) - LISTED_SESSIONS
    if more > 0:
        output.line(output.dim(f"  {more} more: wm session list"))
