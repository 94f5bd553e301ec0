"""`wm recap`: what the last sessions did."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.formats.recaps import Recap


@click.command("recap")
@click.option("--last", type=click.IntRange(1, 200), default=5, help="Number of sessions.")
@click.option("--since", default="", metavar="WHEN", help="Only from then on: 2w, 2026-11-01.")
@prints
def command(caller: Caller, last: int, since: str) -> Result:
    """Show what the last sessions asked for, changed, checked, committed and left open."""
    return Result(caller.call("recap_sessions", last=last, since=since), _print)


def _print(answer: Any) -> None:
    if not answer.recaps:
        output.line("No session is recorded here yet.")
    for one in answer.recaps:
        branch = f" on {one.branch}" if one.branch else ""
        output.line(output.bold(f"{output.moment(one.at)} · {one.agent or '?'}{branch}"))
        if one.asked:
            output.lines(output.hang("", one.asked, 2))
        output.lines(output.pairs(_rows(one)))


def _rows(one: Recap) -> list[output.Row]:
    checks = [f"{r.name} {f'exit {r.exit_code}' if r.exit_code else 'passed'}" for r in one.checks]
    fixed = [f"{f.category} {f.file or f.check}: {', '.join(f.edited) or '?'}" for f in one.fixes]
    left = [f"{e.category} {e.file or e.check}" for e in one.open]
    rows = [
        ("changed", one.changed),
        ("checks", checks),
        ("commits", one.commits),
        ("fixed by", fixed),
        ("open", left),
        ("in the inbox", one.inbox),
    ]
    return [(f"  {name}", ", ".join(items)) for name, items in rows if items]
