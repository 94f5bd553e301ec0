"""`wm session list | show | delete`, and the verbs of a session's own memory.

Deleting removes the files of a session; entries that the workspace learned from it stay.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from wm.api.governance import DeletedSession
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.groups import Group
from wm.cli.options import flag
from wm.cli.overview import about_session, nonzero
from wm.cli.verbs.sessions import own_memory
from wm.formats.flow import FlowSum
from wm.formats.pressure import Pressure


@click.group("session", cls=Group, default="list")
def command() -> None:
    """Sessions: current work (hot state), core blocks, working memory; continue a session."""


command.add_command(own_memory.core)
command.add_command(own_memory.working)
command.add_command(own_memory.continue_session)


@command.command("list", short_help="Sessions of this workspace, newest first.")
@prints
def listing(caller: Caller) -> Result:
    """List the sessions of this workspace, newest first."""
    return Result({"sessions": caller.call("inspect", allSessions=True).sessions}, _print_list)


def _print_list(report: dict[str, Any]) -> None:
    if not report["sessions"]:
        output.line("No agent had a session here yet.")
    for session in report["sessions"]:
        output.line("  " + output.bold(output.cut(session.session_id, output.width() - 2)))
        output.lines(output.hang("", about_session(session), 4, output.dim))


@command.command("show", short_help="The memory of one session.")
@click.argument("session_id", metavar="ID")
@prints
def show(caller: Caller, session_id: str) -> Result:
    """Show the current work (hot state), core blocks and working memory of the session ID, as its
    memory text would contain them when it is next renewed (at the next epoch).

    The beginning of an id is enough if it fits one session only.
    """
    return Result(caller.call("show_session", sessionId=session_id), _print_session)


def _print_session(answer: Any) -> None:
    state = answer.state
    rows: list[output.Row] = [
        ("session", state.session_id),
        ("agent", state.agent or "?"),
        ("since", output.moment(state.started_at)),
        ("epoch", f"{state.epoch_number} (its memory text is renewed when the next one begins)"),
        ("compactions", str(state.compactions)),
    ]
    if answer.pressure is not None:
        rows.append(("context", _context(answer.pressure)))
    if answer.passed is not None:
        rows.append(("proxy", _passed(answer.passed)))
    output.lines(output.pairs(rows))
    output.line()
    output.lines(output.wrap_block(answer.hot or "No current work (hot state).", indent=2))
    for text in filter(None, (answer.core, answer.working)):
        output.line()
        output.lines(output.wrap_block(text, indent=2))


def _passed(found: FlowSum) -> str:
    """The traffic of the session through a proxy."""
    share = f" ({100 * found.cached / found.read:.0f} % from the cache)" if found.read else ""
    parts = [output.count(found.exchanges, "exchange")]
    parts += [f"{found.failed} failed"] if found.failed else []
    parts += [f"{output.count(found.read, 'token')} read{share}", f"{found.written:,} written"]
    return " · ".join(parts)


def _context(measured: Pressure) -> str:
    """How full the session's context is, and the notices given about it."""
    parts = nonzero(
        (measured.warnings_sent, "warning"), (measured.interventions_sent, "intervention")
    )
    filled = f"{measured.used:,} of {measured.limit:,} {measured.basis}"
    return " · ".join([f"{measured.percentage:g} % {measured.level}", filled, *parts])


@command.command("delete", short_help="Delete all files of one session.")
@click.argument("session_id", metavar="ID")
@flag("--dry-run", help="Show what would be deleted; delete nothing.")
@prints
def delete(caller: Caller, session_id: str, dry_run: bool) -> Result:
    """Delete all files of the session ID: current work (hot state), blocks, prompts, reports, kept
    outputs.

    What it taught the workspace stays; facts that still wait to be kept are kept first. This
    cannot be undone. The beginning of an id is enough if it fits one session only.
    """
    answer: DeletedSession = caller.call("delete_session", sessionId=session_id, dryRun=dry_run)
    verb = "Would delete" if dry_run else "Deleted"
    return Result(answer, partial(_print_deleted, verb))


def _print_deleted(verb: str, answer: DeletedSession) -> None:
    files = output.count(len(answer.files), "file")
    output.line(f"{verb} the session {answer.session_id}: {files}.")
    output.lines(f"  {file}" for file in answer.files)
