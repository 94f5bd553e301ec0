"""`wm gc`: clear what nothing needs any more (GV-3)."""

from __future__ import annotations

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.formats.diagnosis import Rotated


@click.command("gc")
@click.option("--dry-run", is_flag=True, help="Say what would go, and do nothing.")
@json_option
@workspace_options
def command(caller: Caller, dry_run: bool, as_json: bool) -> int:
    """Take old records out of this workspace's evidence. What answers for an entry that exists
    (its admission, what it replaced, what a person did to it) stays for ever, as do tombstones;
    so does everything while there is too little to be worth it.
    """
    answer: Rotated = caller.call("rotate_evidence", dryRun=dry_run)
    if as_json:
        output.as_json(answer)
        return 0
    if not answer.purged and not answer.busy:
        output.line(f"Nothing has to go: {output.count(answer.records, 'record')} of evidence.")
        return 0
    verb = "Would take out" if dry_run else "Took out"
    saved = answer.bytes_before - answer.bytes_after
    of = f"{answer.purged:,} of {output.count(answer.records, 'record')}"
    output.line(f"{verb} {of}, {saved:,} bytes.")
    if answer.busy:
        files = output.count(answer.busy, "log file")
        output.line(f"{files} changed meanwhile; the next run looks at it again.")
    return 0
