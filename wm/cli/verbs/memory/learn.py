"""`wm learn [MODE]`: whether this workspace learns what you say without asking to remember it."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.settings.memory import LEARN_MODES

_MEANS = {
    "active": "What you say in passing and mean to last is kept at once, with an undo.",
    "inbox": "What you say in passing and mean to last waits in the inbox.",
    "off": "Only what you ask to remember is kept.",
}


@click.command("learn")
@click.argument("mode", required=False, type=click.Choice((*LEARN_MODES, "default")))
@click.option(
    "--user/--no-user",
    "user",
    default=None,
    help="Whether prompts here show what you keep for all your projects.",
)
@prints
def command(caller: Caller, mode: str | None, user: bool | None) -> Result:
    """Show or set how this workspace learns what you say without asking to remember it.

    active keeps it at once, inbox asks you first, off learns nothing; default follows config.toml
    (`[memory] learn`). Text between <private> and </private> is never learned in any mode.
    """
    return Result(caller.call("learning", mode=mode or "", user=user), _print)


def _print(answer: Any) -> None:
    whose = "this workspace" if answer.chosen else "config.toml"
    output.line(f"learn: {answer.mode} (set by {whose})")
    output.line(output.dim(_MEANS[answer.mode]))
    if not answer.user:
        output.line(output.dim("Prompts here show nothing of what you keep for all your projects."))
