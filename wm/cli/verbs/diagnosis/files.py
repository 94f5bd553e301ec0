"""`wm fsck` and `wm gc`: checks and repairs files, and deletes files that nothing needs.

Checking works beside a daemon; a repair needs it stopped. `wm gc` asks the daemon, if one runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click

from wm.api.governance import Swept
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import WORDS
from wm.cli.groups import Group
from wm.cli.options import flag
from wm.daemon.instance import is_free
from wm.errors import UserError
from wm.formats.sweep_log import PurgedEvidence, SweepLog
from wm.ops.storage.check import check_store, repair_store

THE_HOME = "the data folder"
"""Name of the data folder in findings, which use paths relative to it (empty for the folder
itself)."""

SERIOUS = ("error", "warning")
"""Severities that count as findings; a note does not."""

SHALLOW = "The documents are sound; `wm fsck --deep` reads logs and everything else too."

RULES = dict(WORDS.rows("swept", columns=2))


@click.group("fsck", cls=Group, default="check")
def fsck() -> None:
    """Check the files, or repair what can be repaired.

    `wm fsck` alone checks: it takes the options of `wm fsck check`.
    """


@fsck.command("check", short_help="Check the data folder (the default).")
@flag("--deep", help="Read every file, not only the documents.")
@prints
def check(caller: Caller, deep: bool) -> Result:
    """Check the data folder. Writes nothing. Exit code 1 means that there are findings."""
    with caller.opened() as runtime:
        found = list(check_store(runtime, deep=deep))

    def show(_report: object) -> None:
        _print(found)
        if not found:
            output.line("All files are sound." if deep else SHALLOW)
        elif any(finding.repairable for finding in found):
            output.line("`wm fsck repair` repairs what can be repaired.")

    return _report(found, show)


@fsck.command("repair", short_help="Repair what can be repaired.")
@prints
def repair(caller: Caller) -> Result:
    """Restore damaged documents from their previous copy, move unreadable files to the quarantine
    folder, cut incomplete records off logs.

    Nothing is deleted because it could not be read. The daemon must be down. Exit code 1 means
    that something is left that only you can repair.
    """
    if not is_free(caller.settings):
        raise UserError.of("fsck.daemon_runs")
    with caller.opened() as runtime:
        done = list(repair_store(runtime))
        after = check_store(runtime, deep=True)
    failed = {(f.code, f.path) for f in done if f.severity in SERIOUS}
    left = [f for f in after if f.severity in SERIOUS and (f.code, f.path) not in failed]

    def show(_report: object) -> None:
        _print(done)
        if left:
            output.line("What is left needs a hand of yours:")
            _print(left)
        elif not done:
            output.line("Nothing to repair.")

    return _report([*done, *left], show)


def _report(findings: list[Any], show: Callable[[Any], None]) -> Result:
    sound = all(found.severity not in SERIOUS for found in findings)
    return Result({"sound": sound, "findings": findings}, show, failed=not sound)


def _print(findings: list[Any]) -> None:
    """Print findings, each with its path and meaning."""
    marks = {"error": output.bad("error  "), "warning": output.warn("warning")}
    for found in findings:
        mark = marks.get(found.severity, output.dim("note   "))
        first = output.hang(" " * 8, found.path or THE_HOME, 8)[0]
        output.line(mark + first[7:])
        output.lines(output.hang("", found.message, 8))


@click.command("gc")
@flag("--dry-run", help="Show what would be deleted; delete nothing.")
@flag("--all", "everywhere", help="Clean up every workspace.")
@prints
def gc(caller: Caller, dry_run: bool, everywhere: bool) -> Result:
    """Delete old files of this workspace: originals of pruned output, files of sessions that are
    gone or ended long ago, old trash, leftovers of interrupted writes, and evidence that no entry
    needs.

    Evidence for an existing entry (its admission, what it replaced, a person's changes) stays
    forever, and so do the digests of forgotten texts (tombstones). Files that are young, pinned,
    locked or not of wm stay too. The daemon does the same by itself once a day.
    """
    if everywhere and caller.names_workspace:
        raise click.UsageError("--all cannot be combined with -C or --workspace.")
    fields = {"dryRun": dry_run, "everywhere": everywhere}
    if not everywhere:
        fields = caller.scoped(**fields)
    answer = caller.run("sweep_storage", fields)
    return Result(answer, partial(_print_swept, dry_run=dry_run, everywhere=everywhere))


def _print_swept(answer: Swept, *, dry_run: bool, everywhere: bool) -> None:
    for log in answer.logs:
        if everywhere:
            output.line(output.bold(f"workspace {log.workspace_key}"))
        output.lines(_swept(log, dry_run))
    if everywhere:
        verb = "would go" if dry_run else "went"
        files = output.count(answer.deleted, "file")
        places = output.count(answer.workspaces, "workspace")
        output.line(f"{places}: {files} {verb}, {output.count(answer.bytes, 'byte')}.")


def _swept(log: SweepLog, dry_run: bool) -> Iterator[str]:
    looked = output.count(log.scanned, "file")
    if log.deleted:
        verb = "Would delete" if dry_run else "Deleted"
        yield f"{verb} {log.deleted:,} of {looked}, {output.count(log.bytes, 'byte')}."
        yield from _by_rule(log)
    else:
        yield f"No file has to go, of {looked}."
    if log.evidence is not None:
        yield _purged(log.evidence, dry_run)
    if log.over:
        over = output.count(log.over, "byte")
        yield f"{over} beyond the quota, and nothing more may go: no more steps are stored."
    for error in log.errors:
        yield from output.hang("  stays", f"{_short(log, error.path)}: {error.reason}", 9)


def _by_rule(log: SweepLog) -> Iterator[str]:
    """Each file under its rule."""
    for count in log.rules:
        says = RULES.get(count.rule, count.rule)
        yield f"  {output.count(count.files, 'file')} {says} ({count.rule})"
        for file in log.files:
            if file.rule == count.rule:
                yield from output.wrap_block(_short(log, file.path), indent=4)
    if log.unlisted:
        yield f"  {output.count(log.unlisted, 'file')} more, not listed"


def _short(log: SweepLog, path: str) -> str:
    """A path relative to the workspace's folder."""
    return path.removeprefix(f"workspaces/{log.workspace_key}/")


def _purged(evidence: PurgedEvidence, dry_run: bool) -> str:
    records = output.count(evidence.records, "record")
    if not evidence.purged and not evidence.busy:
        return f"No evidence has to go: {records}."
    verb = "Would take out" if dry_run else "Took out"
    saved = output.count(evidence.bytes_before - evidence.bytes, "byte")
    busy = f" {output.count(evidence.busy, 'log file')} changed meanwhile." if evidence.busy else ""
    return f"{verb} {evidence.purged:,} of {records} of evidence, {saved}.{busy}"
