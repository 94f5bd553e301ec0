"""`wm fsck`."""

from __future__ import annotations

import click

from wm.cli import output
from wm.cli.context import Caller, ask, json_option, workspace_options
from wm.cli.groups import Group
from wm.errors import Unavailable, UserError
from wm.ops.check import check_store, repair_store
from wm.ops.local import open_runtime
from wm.store.base import Finding


@click.group("fsck", cls=Group, default="check")
def command() -> None:
    """Check every file, or mend what can be mended.

    `wm fsck` alone checks: it takes the options of `wm fsck check`.
    """


@command.command("check", short_help="Check the data folder (the default).")
@click.option("--deep", is_flag=True, help="Read all data, not only the structure.")
@json_option
@workspace_options
def check(caller: Caller, deep: bool, as_json: bool) -> int:
    """Check the data folder. Writes nothing. Exit code 1 means that there are findings."""
    runtime = open_runtime(caller.settings)
    try:
        return report(list(check_store(runtime, deep=deep)), as_json)
    finally:
        runtime.store.close()


@command.command("repair", short_help="Mend what can be mended.")
@json_option
@workspace_options
def repair(caller: Caller, as_json: bool) -> int:
    """Restore documents from their spare, move what is unreadable to quarantine, cut torn logs.

    Nothing is deleted because it could not be read. The daemon must be down.
    """
    if _daemon_lives(caller):
        raise UserError(
            "The daemon is running; repair needs the files to itself.",
            fix="Run `wm down`, then repeat this.",
        )
    runtime = open_runtime(caller.settings)
    try:
        return report(list(repair_store(runtime)), as_json, done=True)
    finally:
        runtime.store.close()


def _daemon_lives(caller: Caller) -> bool:
    try:
        ask(caller.settings, "status")
    except Unavailable:
        return False
    return True


def report(findings: list[Finding], as_json: bool, *, done: bool = False) -> int:
    """Print findings; 1 if any is more than a note (repairs that were done count as fine)."""
    serious = [f for f in findings if f.severity in ("error", "warning")]
    if as_json:
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
        output.as_json({"sound": not serious or done, "findings": rows})
    else:
        for found in findings:
            mark = {"error": output.bad("error  "), "warning": output.warn("warning")}.get(
                found.severity, output.dim("note   ")
            )
            output.lines(mark + part[7:] for part in output.hang(" " * 8, found.path, 8)[:1])
            output.lines(output.hang("", found.message, 8))
        if not findings:
            output.line("Nothing to mend." if done else "All files are sound.")
        elif not done and any(f.repairable for f in findings):
            output.line("`wm fsck repair` mends what can be mended.")
    return 1 if serious and not done else 0
