"""`wm budget check | prune`: how large a project's instruction files may be (CT-4)."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.groups import Group

LISTED = 20
"""Moved entries that are named one by one; --json has all."""


@click.group("budget", cls=Group, default="check")
def command() -> None:
    """The budgets of AGENTS.md, CLAUDE.md and the other instruction files of the project.

    What an agent is told before every session should be short. Nothing is changed but by
    `prune`.
    """


@command.command("check", short_help="Name every limit that a file exceeds.")
@click.argument("files", nargs=-1, metavar="[FILE]…")
@json_option
@workspace_options
def check(caller: Caller, files: tuple[str, ...], as_json: bool) -> int:
    """Check the instruction files of the project, or only each FILE.

    Exit code 0: all are within their budgets; 1: the findings are printed.
    """
    answer: Any = caller.call("check_budget", files=list(files))
    if as_json:
        output.as_json(answer)
        return 0 if answer.within else 1
    if not answer.files:
        output.line("The project has no instruction files.")
    for file in answer.files:
        bad = " over" if file.lines else "fault"
        verdict = output.bad(bad) if file.findings else output.good(" fine")
        output.lines(output.hang(f"{verdict}  {file.file}", _about(file), 32))
        _print_findings(file.findings)
    return 0 if answer.within else 1


def _about(file: Any) -> str:
    if file.link:
        return f"leads to {file.link}"
    if file.findings and not file.lines:
        return "not read"
    parts = [output.count(file.lines, "line"), output.count(file.bytes, "byte")]
    if file.entries:
        entries = output.count(file.entries, "dated entry", "dated entries")
        parts.append(f"{entries}, {output.count(file.standing_lines, 'line')} besides")
    return " · ".join(parts)


def _print_findings(findings: Any) -> None:
    for finding in findings:
        place = f"line {finding.line}" if finding.line else "-"
        output.lines(output.hang(f"       {place:<10}", finding.message, 18))
        if finding.fix:
            output.lines(output.hang("", f"→ {finding.fix}", 18))


@command.command("prune", short_help="Move old entries of AGENTS.md to its archive.")
@click.argument("files", nargs=-1, metavar="[FILE]…")
@click.option("--dry-run", is_flag=True, help="Say what would be moved, and do nothing.")
@json_option
@workspace_options
def prune(caller: Caller, files: tuple[str, ...], dry_run: bool, as_json: bool) -> int:
    """Move the oldest `### YYYY-MM-DD` entries of an AGENTS.md that is too large to
    AGENTS.archive.md beside it, byte for byte; the newest entry stays.

    Exit code 0: it is within its budget now, or will be; 1: something keeps it from that.
    """
    answer: Any = caller.call("prune_budget", files=list(files), dryRun=dry_run)
    if as_json:
        output.as_json(answer)
        return 0 if answer.within else 1
    if not answer.files:
        output.line("The project has no AGENTS.md.")
    for file in answer.files:
        _print_pruned(file, dry_run=dry_run)
    return 0 if answer.within else 1


def _print_pruned(file: Any, *, dry_run: bool) -> None:
    if file.moved:
        verb = "Would move" if dry_run else "Moved"
        entries = output.count(len(file.moved), "entry", "entries")
        told = (
            f"{verb} {entries} of {file.file} to {file.archive}: "
            f"{output.count(file.bytes_before, 'byte')} before, {file.bytes_after:,} after."
        )
        output.lines(output.wrap(told, output.width()))
    elif not file.findings:
        size = output.count(file.bytes_before, "byte")
        output.line(f"{file.file} has {size}; nothing has to go.")
    else:
        output.line(f"{file.file} stays as it is.")
    for entry in file.moved[:LISTED]:
        head = f"  line {entry.line:<7,}"
        output.lines(output.hang(head, f"{entry.title} · {output.count(entry.bytes, 'byte')}", 15))
    if len(file.moved) > LISTED:
        output.line(output.dim(f"  {len(file.moved) - LISTED} more: --json"))
    _print_findings(file.findings)
