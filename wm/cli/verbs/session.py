"""`wm session list | show | core | working | continue | delete`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output, session_memory
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.groups import Group
from wm.formats.flow import FlowSum
from wm.formats.governance import DeletedSession
from wm.formats.pressure import Pressure
from wm.formats.protocol import SessionSummary


@click.group("session", cls=Group, default="list")
def command() -> None:
    """Sessions: hot state, core blocks, slots and notes, and how one goes on in the next."""


command.add_command(session_memory.core)
command.add_command(session_memory.working)
command.add_command(session_memory.continue_session)


@command.command("list", short_help="Sessions of this workspace, newest first.")
@json_option
@workspace_options
def listing(caller: Caller, as_json: bool) -> int:
    """List the sessions of this workspace, newest first."""
    answer: Any = caller.call("inspect")
    if as_json:
        output.as_json(
            {"sessions": [s.model_dump(mode="json", by_alias=True) for s in answer.sessions]}
        )
        return 0
    if not answer.sessions:
        output.line("No agent had a session here yet.")
    for session in answer.sessions:
        output.line("  " + output.bold(output.cut(session.session_id, output.width() - 2)))
        about = output.hang("", about_session(session), 4, output.dim)
        output.lines(about)
    return 0


def about_session(session: SessionSummary) -> str:
    """A session in one line; what is 0 is not worth a word."""
    counted = [
        output.count(number, word)
        for number, word in (
            (session.open_errors, "open error"),
            (session.active_files, "active file"),
            (session.core_blocks, "core block"),
            (session.working_items, "working item"),
            (session.compactions, "compaction"),
        )
        if number
    ]
    if session.pressure and not session.ended:
        level = "" if session.pressure == "safe" else f" {session.pressure}"
        counted.append(f"context {int(session.context_percent)} %{level}")
    state = "ended" if session.ended else "open"
    return " · ".join([session.agent or "?", state, output.moment(session.updated_at), *counted])


@command.command("show", short_help="What one session keeps.")
@click.argument("session_id", metavar="ID")
@json_option
@workspace_options
def show(caller: Caller, session_id: str, as_json: bool) -> int:
    """Show hot state, core blocks and working memory of the session ID, as its next prompt
    epoch would get them.

    The beginning of an id is enough where it fits one session only.
    """
    answer: Any = caller.call("show_session", sessionId=session_id)
    if as_json:
        output.as_json(answer)
        return 0
    state = answer.state
    rows = [
        ("session", state.session_id),
        ("agent", state.agent or "?"),
        ("since", output.moment(state.started_at)),
        ("epoch", str(state.epoch_number)),
        ("compactions", str(state.compactions)),
    ]
    if answer.pressure is not None:
        rows.append(("context", _context(answer.pressure)))
    if answer.passed is not None:
        rows.append(("proxy", _passed(answer.passed)))
    output.lines(output.pairs(rows))
    output.line()
    output.lines(output.wrap_block(answer.hot or "Nothing is hot.", indent=2))
    for text in filter(None, (answer.core, answer.working)):
        output.line()
        output.lines(output.wrap_block(text, indent=2))
    return 0


def _passed(found: FlowSum) -> str:
    """What a proxy passed on for the session."""
    share = f" ({100 * found.cached / found.read:.0f} % from the cache)" if found.read else ""
    said = [output.count(found.exchanges, "exchange")]
    said += [f"{found.failed} failed"] if found.failed else []
    said += [f"{output.count(found.read, 'token')} read{share}", f"{found.written:,} written"]
    return " · ".join(said)


def _context(measured: Pressure) -> str:
    """How full the session's context is, and what was said about it."""
    said = [
        output.count(number, word)
        for number, word in (
            (measured.warnings_sent, "warning"),
            (measured.interventions_sent, "intervention"),
        )
        if number
    ]
    filled = f"{measured.used:,} of {measured.limit:,} {measured.basis}"
    return " · ".join([f"{measured.percentage:g} % {measured.level}", filled, *said])


@command.command("delete", short_help="Delete all files of one session.")
@click.argument("session_id", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Say what would go, and do nothing.")
@json_option
@workspace_options
def delete(caller: Caller, session_id: str, dry_run: bool, as_json: bool) -> int:
    """Delete all files of the session ID: hot state, blocks, prompts, reports, kept outputs.

    What it taught the workspace stays, and what still waited to be kept is kept first. There is
    no way back. The beginning of an id is enough where it fits one session only.
    """
    answer: DeletedSession = caller.call("delete_session", sessionId=session_id, dryRun=dry_run)
    if as_json:
        output.as_json(answer)
        return 0
    verb = "Would delete" if dry_run else "Deleted"
    files = output.count(len(answer.files), "file")
    output.line(f"{verb} the session {answer.session_id}: {files}.")
    output.lines(f"  {file}" for file in answer.files)
    return 0
