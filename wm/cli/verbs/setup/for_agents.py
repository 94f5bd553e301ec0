"""`wm hook | statusline`: called by agents.

`wm.cli.main` dispatches hook and statusline before it imports click; this module provides their
help.
"""

from __future__ import annotations

import click

from wm.agents import hook_client
from wm.agents.setup_facts import AGENTS


@click.command("hook")
@click.argument("agent", metavar="AGENT", type=click.Choice(list(AGENTS)))
@click.argument("event")
def hook(agent: str, event: str) -> int:
    """Read the EVENT payload of AGENT from standard input and print the hook's answer.

    Agents call this; with these two words the exit code is always 0, so that an agent never stops
    because of wm.
    """
    return hook_client.main(["hook", agent, event])


@click.command("statusline")
def statusline() -> int:
    """Read Claude Code's status from standard input and print one line, or nothing."""
    return hook_client.main(["statusline"])
