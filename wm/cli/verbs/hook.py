"""`wm hook`: its help. Calls are dispatched in `wm.cli.main`, before click is imported."""

from __future__ import annotations

import click


@click.command("hook")
@click.argument("agent", metavar="AGENT", type=click.Choice(["claude-code", "opencode"]))
@click.argument("event")
def command(agent: str, event: str) -> int:
    """Read the EVENT payload of AGENT from standard input and print what the hook must print.

    AGENT is claude-code or opencode.

    Agents call this; called with these two words it ends with exit code 0 whatever happens, so
    that an agent never stops for wm.
    """
    from wm.agents import hook_client

    return hook_client.main(["hook", agent, event])
