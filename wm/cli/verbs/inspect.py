"""`wm inspect`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_row
from wm.cli.place import conversation_rows, memory_rows, print_heading
from wm.cli.verbs.session import about_session
from wm.formats.protocol import EntryView, Inspection
from wm.formats.workspace_memory import STATUSES, TYPES

LISTED_SESSIONS = 5
LISTED_CONVERSATIONS = 3


@click.command("inspect")
@click.option("--all", "everything", is_flag=True, help="Also superseded entries and the inbox.")
@click.option(
    "--status",
    type=click.Choice(STATUSES),
    default=None,
    help="Only entries with this status. Default: active.",
)
@click.option("--type", "kind", type=click.Choice(TYPES), default=None, help="Only this type.")
@json_option
@workspace_options
def command(
    caller: Caller, everything: bool, status: str | None, kind: str | None, as_json: bool
) -> int:
    """Show the entries of this workspace, strongest first, and what a prompt shows of them."""
    wanted = "all" if everything else status or ""
    answer: Any = caller.call("inspect", status=wanted, type=kind or "")
    if as_json:
        output.as_json(answer)
        return 0
    print_heading(answer.place)
    rows = memory_rows(answer) + conversation_rows(answer.conversations, LISTED_CONVERSATIONS)
    output.lines(output.pairs(rows))
    _print_entries(answer, filtered=bool(wanted or kind))
    _print_sessions(answer)
    if answer.entries:
        half_life = caller.settings.memory.half_life_days
        output.line()
        output.lines(map(output.dim, output.wrap(_legend(half_life), output.width())))
    return 0


def _legend(half_life_days: float) -> str:
    return (
        "The number is the strength: type × source × importance, halved every "
        f"{half_life_days:g} days, more slowly for what was seen again. Prompts show the "
        "strongest; nothing is deleted because it is weak."
    )


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
