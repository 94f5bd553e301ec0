"""`wm budget check | prune`: size limits of a project's instruction files (CT-4).

Only `prune` changes anything: it moves entries to an archive beside the file and deletes none.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.groups import Group
from wm.cli.options import flag

LISTED = 20
"""Moved entries that the terminal lists; --json has all."""


@click.group("budget", cls=Group, default="check")
def command() -> None:
    """The budgets of AGENTS.md, CLAUDE.md and the other instruction files of the project.

    What an agent reads before every session should be short. Only `prune` changes anything.
    """


@command.command("check", short_help="List every limit that a file exceeds.")
@click.argument("files", nargs=-1, metavar="[FILE]…")
@prints
def check(caller: Caller, files: tuple[str, ...]) -> Result:
    """Check the instruction files of the project, or only each FILE.

    Exit code 0: all are within their budgets; 1: the findings are printed.
    """
    answer: Any = caller.call("check_budget", files=files)
    return Result(answer, _print_checked, failed=not answer.within)


def _print_checked(answer: Any) -> None:
    if not answer.files:
        output.line("The project has no instruction files.")
    for file in answer.files:
        bad = " over" if file.lines else "fault"
        verdict = output.bad(bad) if file.findings else output.good(" fine")
        output.lines(output.hang(f"{verdict}  {file.file}", _about(file), 32))
        _print_findings(file.findings)


def _about(file: Any) -> str:
    if file.link:
        return f"leads to {file.link}"
    if file.findings and not file.lines:
        return "not read"
    parts = [output.count(file.lines, "line"), output.count(file.bytes, "byte")]
    if file.entries:
        entries = output.count(file.entries, "dated entry", "dated entries")
        parts.append(f"{entries}, {output.count(file.standing_lines, 'line')} of other text")
    return " · ".join(parts)


def _print_findings(findings: Any) -> None:
    for fix, alike in groupby(findings, key=lambda finding: finding.fix):
        for finding in alike:
            place = f"line {finding.line}" if finding.line else "-"
            output.lines(output.hang(f"       {place:<10}", finding.message, 18))
        if fix:
            output.lines(output.hang("", f"→ {fix}", 18))


@command.command("prune", short_help="Move old entries of AGENTS.md to its archive.")
@click.argument("files", nargs=-1, metavar="[FILE]…")
@flag("--dry-run", help="Show what would be moved; move nothing.")
@prints
def prune(caller: Caller, files: tuple[str, ...], dry_run: bool) -> Result:
    """Move the oldest `### YYYY-MM-DD` entries of an AGENTS.md that is too large to
    AGENTS.archive.md beside it, byte for byte; the newest entry stays.

    Exit code 0: it is within its budget now, or will be; 1: something prevents that.
    """
    answer: Any = caller.call("prune_budget", files=files, dryRun=dry_run)

    def show(_answer: object) -> None:
        if not answer.files:
            output.line("The project has no AGENTS.md.")
        for file in answer.files:
            _print_pruned(file, dry_run=dry_run)

    return Result(answer, show, failed=not answer.within)


def _print_pruned(file: Any, *, dry_run: bool) -> None:
    if file.moved:
        verb = "Would move" if dry_run else "Moved"
        entries = output.count(len(file.moved), "entry", "entries")
        sentence = (
            f"{verb} {entries} of {file.file} to {file.archive}: "
            f"{output.count(file.bytes_before, 'byte')} before, {file.bytes_after:,} after."
        )
        output.paragraph(sentence)
    elif not file.findings:
        size = output.count(file.bytes_before, "byte")
        output.line(f"{file.file} has {size}; nothing has to move.")
    else:
        output.line(f"{file.file} stays as it is.")
    for entry in file.moved[:LISTED]:
        head = f"  line {entry.line:<7,}"
        output.lines(output.hang(head, f"{entry.title} · {output.count(entry.bytes, 'byte')}", 15))
    if len(file.moved) > LISTED:
        output.line(output.dim(f"  {len(file.moved) - LISTED} more: --json"))
    _print_findings(file.findings)
