"""`wm statusline`: its help. Calls are dispatched in `wm.cli.main`, before click is imported."""

from __future__ import annotations

import click


@click.command("statusline")
def command() -> int:
    """Read Claude Code's status from standard input and print one line, or nothing."""
    from wm.agents import hook_client

    return hook_client.main(["statusline"])
