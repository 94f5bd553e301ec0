"""`wm rollback --since WHEN`."""

from __future__ import annotations

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import short_id
from wm.formats.diagnosis import ActView
from wm.formats.protocol import SINCE
from wm.formats.rollback import Rollback

COLUMN = 4
BY = {"user": "you", "agent": "an agent", "model": "a compaction"}
BECOMES = {
    "trashed": "to the trash",
    "restored": "back from the trash",
    "inbox": "waits in the inbox again",
    "active": "as it was before",
}
LISTED = 20
"""Acts of one kind that the terminal shows; `--json` has all."""


@click.command("rollback")
@click.option("--since", required=True, metavar="WHEN", help=f"From when on: {SINCE}.")
@click.option("--dry-run", is_flag=True, help="Say what it would do, and do nothing.")
@json_option
@workspace_options
def command(caller: Caller, since: str, dry_run: bool, as_json: bool) -> int:
    """Take back what compactions and agents taught this workspace since WHEN.

    What was learned goes to the trash and is not learned again, what it replaced is active
    again. What you did yourself stays; it is listed. Times without a zone are UTC.
    """
    answer: Rollback = caller.call("plan_rollback" if dry_run else "rollback", since=since)
    if as_json:
        output.as_json(answer)
        return 0
    _print(answer)
    return 0


def _print(answer: Rollback) -> None:
    when = output.moment(answer.since)
    if not answer.taken:
        output.line(f"Nothing that was learned since {when} is there to take back.")
    else:
        verb = "Took back" if answer.applied else "Would take back"
        output.line(f"{verb} {output.count(len(answer.taken), 'act')} since {when}:")
        for done in answer.taken[:LISTED]:
            _print_act(done.act, BECOMES.get(done.becomes, done.becomes))
        _more(len(answer.taken))
    if answer.more:
        output.line(output.dim(f"{answer.more:,} older ones are left: run it again."))
    _listed("Stays, because it cannot be taken back:", answer.kept)
    _listed("Stays, because people did it:", answer.yours)
    _end(answer)


def _end(answer: Rollback) -> None:
    if answer.applied and answer.taken:
        output.line()
        output.line(output.dim("wm restore ID brings an entry back · wm history tells the rest"))


def _listed(title: str, acts: tuple[ActView, ...]) -> None:
    if not acts:
        return
    output.line()
    output.line(title)
    for act in acts[:LISTED]:
        _print_act(act, act.why_not)
    _more(len(acts))


def _print_act(act: ActView, told: str) -> None:
    name = f" {short_id(act.entry)}" if act.entry else ""
    head = f"{act.at[:16].replace('T', ' ')}  {act.act}{name} by {BY.get(act.by, act.by)}"
    output.line(f"  {head}")
    if act.text:
        output.line(" " * COLUMN + output.cut(act.text, output.width() - COLUMN))
    if told:
        output.lines(output.hang("", told, COLUMN, output.dim))


def _more(count: int) -> None:
    if count > LISTED:
        output.line(output.dim(f"  and {count - LISTED:,} more: --json lists all"))
