"""`wm gc`: take away what nothing needs any more (GV-3)."""

from __future__ import annotations

from collections.abc import Iterator

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.formats.governance import Swept
from wm.formats.sweep_log import PurgedEvidence, SweepLog

_SAYS = {
    "output_age": "originals of pruned output, too old",
    "output_count": "originals of pruned output, too many",
    "recording_age": "recorded bodies that are old",
    "orphan": "of sessions that are gone",
    "trash_age": "forgotten long ago",
    "vectors_age": "vectors that nobody made new for long",
    "stale_session": "of sessions that ended long ago",
    "lost_transcript": "of sessions that their agent deleted",
    "quota": "beyond the quota",
    "dead_writer": "left by writers that died",
    "orphan_lock": "locks that guard nothing",
}


@click.command("gc")
@click.option("--dry-run", is_flag=True, help="Say what would go, and do nothing.")
@click.option("--all", "everywhere", is_flag=True, help="Sweep every workspace.")
@json_option
@workspace_options
def command(caller: Caller, dry_run: bool, everywhere: bool, as_json: bool) -> int:
    """Sweep this workspace: old originals of pruned output, files of sessions that are gone or
    ended long ago, old trash, what dead writers left, and evidence that answers for nothing.

    What answers for an entry that exists (its admission, what it replaced, what a person did to
    it) stays for ever, as do tombstones; files that are young, pinned, locked or not of wm stay,
    too. The daemon does the same by itself once a day.
    """
    if everywhere and caller.names_workspace:
        raise click.UsageError("--all goes without -C and --workspace.")
    fields = {"dryRun": dry_run, "everywhere": everywhere}
    if not everywhere:
        fields = caller.scoped(**fields)
    answer: Swept = caller.run("sweep_storage", fields)
    if as_json:
        output.as_json(answer)
        return 0
    for log in answer.logs:
        if everywhere:
            output.line(output.bold(f"workspace {log.workspace_key}"))
        output.lines(_told(log, dry_run))
    if everywhere:
        verb = "would go" if dry_run else "went"
        files = output.count(answer.deleted, "file")
        places = output.count(answer.workspaces, "workspace")
        output.line(f"{places}: {files} {verb}, {output.count(answer.bytes, 'byte')}.")
    return 0


def _told(log: SweepLog, dry_run: bool) -> Iterator[str]:
    looked = output.count(log.scanned, "file")
    if log.deleted:
        verb = "Would delete" if dry_run else "Deleted"
        yield f"{verb} {log.deleted:,} of {looked}, {output.count(log.bytes, 'byte')}."
        yield from _files(log)
    else:
        yield f"No file has to go, of {looked}."
    if log.evidence is not None:
        yield _purged(log.evidence, dry_run)
    if log.over:
        yield f"{output.count(log.over, 'byte')} beyond the quota, and nothing more may go."
    for error in log.errors:
        yield from output.hang("  stays", f"{_short(log, error.path)}: {error.reason}", 9)


def _files(log: SweepLog) -> Iterator[str]:
    """Each file below its rule."""
    for count in log.rules:
        says = _SAYS.get(count.rule, count.rule)
        yield f"  {output.count(count.files, 'file')} {says} ({count.rule})"
        for file in log.files:
            if file.rule == count.rule:
                yield from output.wrap_block(_short(log, file.path), indent=4)
    if log.unlisted:
        yield f"  {output.count(log.unlisted, 'file')} more, not listed"


def _short(log: SweepLog, path: str) -> str:
    """Below the workspace's folder."""
    return path.removeprefix(f"workspaces/{log.workspace_key}/")


def _purged(evidence: PurgedEvidence, dry_run: bool) -> str:
    records = output.count(evidence.records, "record")
    if not evidence.purged and not evidence.busy:
        return f"No evidence has to go: {records}."
    verb = "Would take out" if dry_run else "Took out"
    saved = output.count(evidence.bytes_before - evidence.bytes, "byte")
    busy = f" {output.count(evidence.busy, 'log file')} changed meanwhile." if evidence.busy else ""
    return f"{verb} {evidence.purged:,} of {records} of evidence, {saved}.{busy}"
