"""`wm fsck`."""

from __future__ import annotations

import click

from wm.cli import output
from wm.cli.checks import THE_HOME
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.groups import Group
from wm.daemon.instance import is_free
from wm.errors import UserError
from wm.ops.check import check_store, repair_store
from wm.ops.local import open_runtime
from wm.store.base import Finding

SERIOUS = ("error", "warning")
"""Severities that are findings; a note is not."""

SHALLOW = "The documents are sound; `wm fsck --deep` reads logs and everything else too."


@click.group("fsck", cls=Group, default="check")
def command() -> None:
    """Check the files, or mend what can be mended.

    `wm fsck` alone checks: it takes the options of `wm fsck check`.
    """


@command.command("check", short_help="Check the data folder (the default).")
@click.option("--deep", is_flag=True, help="Read every file, not only the documents.")
@json_option
@workspace_options
def check(caller: Caller, deep: bool, as_json: bool) -> int:
    """Check the data folder. Writes nothing. Exit code 1 means that there are findings."""
    runtime = open_runtime(caller.settings)
    try:
        found = list(check_store(runtime, deep=deep))
    finally:
        runtime.store.close()
    if as_json:
        return _as_json(found)
    show(found)
    if not found:
        output.line("All files are sound." if deep else SHALLOW)
    elif any(finding.repairable for finding in found):
        output.line("`wm fsck repair` mends what can be mended.")
    return _code(found)


@command.command("repair", short_help="Mend what can be mended.")
@json_option
@workspace_options
def repair(caller: Caller, as_json: bool) -> int:
    """Restore documents from their spare, move what is unreadable to quarantine, cut torn logs.

    Nothing is deleted because it could not be read. The daemon must be down. Exit code 1 means
    that something is left that only you can mend.
    """
    if not is_free(caller.settings):
        raise UserError(
            "The daemon is running; repair needs the files to itself.",
            fix="Run `wm down`, then repeat this.",
        )
    runtime = open_runtime(caller.settings)
    try:
        done = list(repair_store(runtime))
        left = [f for f in check_store(runtime, deep=True) if f.severity in SERIOUS]
    finally:
        runtime.store.close()
    failed = {(f.code, f.path) for f in done if f.severity in SERIOUS}
    left = [f for f in left if (f.code, f.path) not in failed]
    if as_json:
        return _as_json([*done, *left])
    show(done)
    if left:
        output.line("What is left needs a hand of yours:")
        show(left)
    elif not done:
        output.line("Nothing to mend.")
    return _code([*done, *left])


def show(findings: list[Finding]) -> None:
    """Print findings, each with its path and what it means."""
    for found in findings:
        mark = {"error": output.bad("error  "), "warning": output.warn("warning")}.get(
            found.severity, output.dim("note   ")
        )
        output.lines(
            mark + part[7:] for part in output.hang(" " * 8, found.path or THE_HOME, 8)[:1]
        )
        output.lines(output.hang("", found.message, 8))


def _code(findings: list[Finding]) -> int:
    return 1 if any(found.severity in SERIOUS for found in findings) else 0


def _as_json(findings: list[Finding]) -> int:
    code = _code(findings)
    rows = [
        {
            "code": f.code,
            "severity": f.severity,
            "path": f.path,
            "message": f.message,
            "repairable": f.repairable,
        }
        for f in findings
    ]
    output.as_json({"sound": code == 0, "findings": rows})
    return code
