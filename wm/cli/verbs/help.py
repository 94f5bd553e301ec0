"""`wm help [VERB …] [--all]`: the help of a verb, or all verbs by topic (UI-2)."""

from __future__ import annotations

from contextlib import redirect_stdout
from functools import partial
from io import StringIO

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
    if everything:
        root.meta[EVERYTHING] = True
    output.with_pager(partial(_print, root, [*verb]))


def _print(root: click.Context, verb: list[str]) -> None:
    if not verb:
        output.line(root.get_help())
        return
    with redirect_stdout(StringIO()) as printed:
        root.command.main([*verb, "--help"], prog_name="wm", standalone_mode=False)
    output.line(printed.getvalue().rstrip())
