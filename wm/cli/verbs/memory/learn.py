"""`wm learn [MODE]`: whether this workspace learns what you say without asking to remember it.

Sets the mode of one workspace; `config.toml` has the mode of all others and is never written.
"""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import WORDS
from wm.cli.options import text
from wm.settings.memory import LEARN_MODES

_MEANS = WORDS.table("learns")
_SET_BY = WORDS.table("set_by")
_ONLY_PAUSE = ("pause", "resume")


@click.command("learn")
@click.argument("mode", required=False, type=click.Choice((*LEARN_MODES, "default", *_ONLY_PAUSE)))
@text("--for", "until", metavar="TIME", help="With pause: 30m, 2h, 3d.")
@text(
    "--session",
    metavar="ID",
    help="With pause or resume: only this session (newest: the one with the last event).",
)
@click.option(
    "--user/--no-user",
    "user",
    default=None,
    help="Whether prompts here show what you keep for all your projects.",
)
@prints
def command(
    caller: Caller, mode: str | None, until: str, session: str, user: bool | None
) -> Result:
    """Show or set how this workspace learns what you say without asking to remember it.

    active keeps it at once, inbox asks you first, off learns nothing; default follows config.toml
    (`[memory] learn`). pause learns nothing for TIME, or until resume, and keeps the mode. Text
    between <private> and </private> is never learned in any mode.
    """
    if (until and mode != "pause") or (session and mode not in _ONLY_PAUSE):
        raise click.UsageError("--for needs pause, --session needs pause or resume.")
    asked = {"mode": mode or "", "until": until, "session": session, "user": user}
    return Result(caller.call("learning", **asked), _print)


def _print(answer: Any) -> None:
    output.line(f"learn: {answer.mode} ({_SET_BY[answer.set_by]})")
    if not answer.paused_until:
        output.line(output.dim(_MEANS[answer.mode]))
    else:
        lasts = answer.paused_until[:4] == "9999"
        until = "you resume it" if lasts else output.moment(answer.paused_until)
        output.line(f"Paused until {until}: wm learn resume")
    if answer.paused_sessions:
        several = output.count(len(answer.paused_sessions), "session")
        output.line(f"Paused in {several}: wm learn resume --session ID")
    if not answer.user:
        output.line(output.dim("Prompts here show nothing of what you keep for all your projects."))
