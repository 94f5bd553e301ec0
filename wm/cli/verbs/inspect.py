"""`wm inspect`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_row
from wm.formats.protocol import EntryView, Inspection
from wm.formats.workspace_memory import STATUSES, TYPES


@click.command("inspect", short_help="Show what this workspace remembers.")
@click.option("--all", "everything", is_flag=True, help="Also superseded entries and the inbox.")
@click.option("--status", type=click.Choice(STATUSES), default=None)
@click.option("--type", "kind", type=click.Choice(TYPES), default=None)
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
    print_inspection(answer)
    return 0


def print_inspection(found: Inspection) -> None:
    _print_head(found)
    if not found.entries:
        output.line()
        output.line("  Nothing is remembered here yet. Say `remember that …` to an agent,")
        output.line('  or: wm remember "we deploy with make ship"')
    groups: dict[str, list[EntryView]] = {}
    for view in found.entries:
        groups.setdefault(view.entry.type, []).append(view)
    for kind, views in groups.items():
        output.line()
        output.line(output.bold(kind))
        for view in views:
            print_row(view)
    if found.sessions:
        _print_sessions(found)


def _print_head(found: Inspection) -> None:
    branch = f"  branch {found.place.branch}" if found.place.branch else ""
    output.line(output.bold(output.home_short(found.place.root)))
    counts = found.counts
    parts = [output.count(counts.get("active", 0), "entry", "entries")]
    parts += [f"{counts[s]} {s}" for s in ("inbox", "superseded") if counts.get(s)]
    if found.pending:
        parts.append(f"{found.pending} pending")
    shown = sum(view.shown for view in found.entries)
    rows = [
        ("workspace", found.place.key + branch),
        ("memory", ", ".join(parts)),
        (
            "in prompts",
            f"{output.count(shown, 'entry', 'entries')} of at most "
            f"{found.max_entries}, {found.shown_chars:,} of {found.max_chars:,} "
            "characters",
        ),
    ]
    if found.last_activity_at:
        rows.append(("last visit", found.last_activity_at[:16].replace("T", " ") + " UTC"))
    if found.dormant_days:
        rows.append(("dormant", f"{found.dormant_days:.0f} days, counted at a quarter"))
    if found.health not in ("ok", "missing"):
        rows.append(("health", f"{found.health}: {found.detail}"))
    output.lines(output.pairs(rows))


def _print_sessions(found: Inspection) -> None:
    output.line()
    output.line(output.bold("sessions"))
    for session in found.sessions[:5]:
        about = [session.agent or "?", session.updated_at[:16].replace("T", " ")]
        if session.open_errors:
            about.append(output.count(session.open_errors, "open error"))
        if session.active_files:
            about.append(output.count(session.active_files, "active file"))
        about.append("ended" if session.ended else "open")
        name = output.wrap(session.session_id, 24)[0]
        output.line(f"  {name:<24}  {', '.join(about)}")
    if len(found.sessions) > 5:
        output.line(output.dim(f"  {len(found.sessions) - 5} more: wm session list"))
