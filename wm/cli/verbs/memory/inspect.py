"""`wm inspect`: what this workspace remembers, strongest first, on one screen.

What does not fit is shortened, and the last line names the command that shows it. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click

from wm.api.protocol import EntryView, Inspection
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import entry_line, entry_lines, entry_type, needs_a_look
from wm.cli.options import choice, flag
from wm.cli.overview import about_session, conversation_rows, heading_lines, memory_rows
from wm.formats.workspace_memory import STATUSES

LISTED_SESSIONS = 5
LISTED_CONVERSATIONS = 3


@click.command("inspect")
@flag("--full", "full", help="Every entry with its whole text and source, and the sessions.")
@flag("--all", "everything", help="Also superseded entries and the inbox.")
@choice("--status", STATUSES, help="Only entries with this status. Default: active.")
@entry_type("Only this type.")
@flag("--user", "user", help="What you keep for all your projects.")
@prints
def command(
    caller: Caller, full: bool, everything: bool, status: str, type: str, user: bool
) -> Result:
    """Show the entries of this workspace, strongest first, and what needs your attention.

    What does not fit one screen is shortened; --full and the filters show all of it in a pager.
    """
    if user:
        caller.workspace = "user"
    wanted = "all" if everything else status
    found: Any = caller.call("inspect", status=wanted, type=type)
    is_new = not (found.entries or wanted or type or found.place.key == "user")
    spaces: Any = caller.run("list_workspaces", {}).workspaces if is_new else ()
    show = partial(
        _print,
        moved=any(space.active and not space.exists for space in spaces),
        filtered=bool(wanted or type),
        full=full,
        half_life_days=caller.settings.memory.half_life_days,
    )
    return Result(found, show)


def _print(
    found: Any, *, filtered: bool, full: bool, half_life_days: float, moved: bool = False
) -> None:
    rows = memory_rows(found) + conversation_rows(found.conversations, LISTED_CONVERSATIONS)
    looks = sum(needs_a_look(view.entry) for view in found.entries)
    if looks:
        verb = "needs" if looks == 1 else "need"
        notice = f"{output.count(looks, 'entry', 'entries')} marked ! {verb} a look: wm show ID"
        rows.append(("attention", notice, output.warn))
    head = [*heading_lines(found.place), *output.pairs(rows)]
    everything = [
        *head,
        *_entries(found, filtered=filtered),
        *_sessions(found),
        *_legend(half_life_days),
    ]
    if not found.entries:
        output.lines([*head, *_entries(found, filtered=filtered), *_sessions(found)])
        if moved:
            output.hint("if this folder moved: wm workspace list names memories without a folder")
    elif full or filtered or len(everything) <= output.height():
        output.lines(everything)
    else:
        output.lines([*head, *_short(found, output.height() - len(head))])


def _entries(found: Inspection, *, filtered: bool) -> Iterator[str]:
    """Every entry with its whole text and its source."""
    if not found.entries:
        yield ""
        if filtered:
            yield "  Nothing here is like that."
        elif found.counts.get("inbox"):
            yield "  Nothing is in force yet: entries that wait are kept once you accept them."
        else:
            yield "  Nothing is remembered here yet. Say “remember that …” to an agent, or:"
            yield '  wm remember "we deploy with make ship"'
            yield "  wm import --from transcripts --dry-run   (your words in earlier sessions)"
    for kind, views in _groups(found).items():
        yield ""
        yield output.bold(kind)
        for view in views:
            yield from entry_lines(view, mixed=True)


def _groups(found: Inspection) -> dict[str, list[EntryView]]:
    groups: dict[str, list[EntryView]] = {}
    for view in found.entries:
        groups.setdefault(view.entry.type, []).append(view)
    return groups


def _short(found: Inspection, room: int) -> Iterator[str]:
    """Of each type what needs a look, then the strongest; one line each, within so many lines."""
    groups = _groups(found)
    shares = _shares([len(views) for views in groups.values()], room - len(groups) - 3)
    for (kind, views), shown in zip(groups.items(), shares, strict=True):
        rest = "" if shown == len(views) else f" · all {len(views)}: wm inspect --type {kind}"
        yield output.bold(kind) + output.dim(rest)
        looks_first = sorted(views, key=lambda view: not needs_a_look(view.entry))
        yield from map(entry_line, looks_first[:shown])
    yield ""
    grey = "grey: not in prompts now · " if output.colour() else ""
    yield output.dim(f"{grey}everything: wm inspect --full · wm search WORDS")


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """How many of each list to show: one after another, at least one of each."""
    shown = [min(size, 1) for size in sizes]
    while sum(shown) < room and shown != list(sizes):
        for at, size in enumerate(sizes):
            if shown[at] < size and sum(shown) < room:
                shown[at] += 1
    return shown


def _sessions(found: Inspection) -> Iterator[str]:
    if not found.sessions:
        return
    yield ""
    yield output.bold("sessions")
    for session in found.sessions[:LISTED_SESSIONS]:
        name = output.cut(session.session_id, 16)
        yield from output.hang(f"  {name}", about_session(session), 20)
    more = found.session_count - LISTED_SESSIONS
    if more > 0:
        yield output.dim(f"  {more} more: wm session list")


def _legend(half_life_days: float) -> Iterator[str]:
    legend = (
        "The number is the strength: type × source × importance, halved every "
        f"{half_life_days:g} days, more slowly for what was seen again. Prompts show the "
        "strongest; nothing is deleted because it is weak."
    )
    yield ""
    yield from map(output.dim, output.wrap(legend, output.width()))
