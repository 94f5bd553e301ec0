"""`wm recap`: what the last sessions did, those that others share among them (RF-1).

Reads only; writes nothing except the page that `--html` names.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.new_file import create
from wm.cli.options import html_option
from wm.cli.recaps import print_recap
from wm.page import document


@click.command("recap")
@click.option("--last", type=click.IntRange(1, 200), default=5, help="Number of sessions.")
@click.option("--since", default="", metavar="WHEN", help="Only from then on: 2w, 2026-11-01.")
@html_option
@prints
def command(caller: Caller, last: int, since: str, page: str) -> Result:
    """Show what the last sessions asked for, changed, checked, committed and left open, also those
    that others share."""
    found = caller.call("recap_sessions", last=last, since=since, team=True)
    if page:
        folder = caller.workspace or caller.directory
        create(page, document.recaps_document(found, folder))
    return Result(found, partial(_print, page=page))


def _print(answer: Any, *, page: str) -> None:
    if not answer.recaps:
        output.line("No session is recorded here yet.")
    for one in answer.recaps:
        print_recap(one, answer.texts)
    if any(name in answer.texts for one in answer.recaps for name in one.inbox):
        output.hint("to decide about what waits: wm inbox review · wm inbox accept --session SID")
    if page:
        output.hint(f"The page is {output.safe(page)}")
