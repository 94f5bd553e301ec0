"""`wm help [VERB …] [--all]`: the help of a verb, or all verbs by topic (UI-2)."""

from __future__ import annotations

import click

from wm.cli import output
from wm.cli.app import EVERYTHING
from wm.cli.options import flag


@click.command("help")
@click.argument("verb", nargs=-1)
@flag("--all", "everything", help="List every verb, by topic.")
@click.pass_context
def command(ctx: click.Context, verb: tuple[str, ...], everything: bool) -> None:
    """Show the everyday verbs; with VERB its help, with --all every verb."""
    root = ctx.find_root()
    if verb:
        root.command.main([*verb, "--help"], prog_name="wm", standalone_mode=False)
        return
    if everything:
        root.meta[EVERYTHING] = True
        output.paged(root.get_help().splitlines())
    else:
        output.line(root.get_help())
