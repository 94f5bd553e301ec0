"""`wm statusline`: its help. Calls are dispatched in `wm.cli.main`, before click is imported."""

from __future__ import annotations

import click


@click.command("statusline", short_help="Print one line for Claude Code's status line.")
def command() -> int:
    """Read Claude Code's status from standard input and print one line, or nothing."""
    from wm.agents import hook_client

    return hook_client.main(["statusline"])
