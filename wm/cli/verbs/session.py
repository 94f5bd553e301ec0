"""`wm session list | show`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options


@click.group("session", short_help="Look at the hot state of agents' sessions.")
def command() -> None:
    """Hot state: active files, open errors, decisions, pending memories of a session."""


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
        state = "ended" if session.ended else "open"
        output.line(f"  {output.wrap(session.session_id, 60)[0]}")
        about = [
            session.agent or "?",
            session.updated_at[:16].replace("T", " "),
            state,
            output.count(session.open_errors, "open error"),
            output.count(session.active_files, "active file"),
            output.count(session.compactions, "compaction"),
        ]
        output.line("    " + output.dim(", ".join(about)))
    return 0


@command.command("show", short_help="The hot state of one session.")
@click.argument("session_id", metavar="ID")
@json_option
@workspace_options
def show(caller: Caller, session_id: str, as_json: bool) -> int:
    """Show the hot state of the session ID, as its next prompt epoch would get it."""
    answer: Any = caller.call("show_session", sessionId=session_id)
    if as_json:
        output.as_json(answer)
        return 0
    state = answer.state
    rows = [
        ("session", state.session_id),
        ("agent", state.agent or "?"),
        ("since", state.started_at),
        ("epoch", str(state.epoch_number)),
        ("compactions", str(state.compactions)),
    ]
    output.lines(output.pairs(rows))
    output.line()
    output.lines(output.wrap_block(answer.hot or "Nothing is hot.", indent=2))
    return 0
