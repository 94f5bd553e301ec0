"""`wm unsetup`."""

from __future__ import annotations

import click

from wm.agents import setup as wiring
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.verbs.setup import carry_out, plan_options
from wm.cli.wiring import look


@click.command("unsetup")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(wiring.AGENTS),
    help="Only this agent; may be repeated. Default: everything that setup did.",
)
@plan_options
@json_option
@workspace_options
def command(
    caller: Caller, agents: tuple[str, ...], yes: bool, dry_run: bool, full: bool, as_json: bool
) -> int:
    """Undo `wm setup`. A file that nobody changed since is restored byte for byte.

    Where you changed a file since, only wm's own parts are taken out. Memory stays.
    """
    plan = wiring.plan_unsetup(look(caller.settings), agents=agents)
    return carry_out(plan, yes=yes, dry_run=dry_run, full=full, as_json=as_json, done="Undone. ")
