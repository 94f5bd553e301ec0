"""`wm down`."""

from __future__ import annotations

import click

from wm.cli import output
from wm.cli.context import Caller, ask, daemon_status, json_option, lasting_options
from wm.daemon.instance import holder, is_ending
from wm.daemon.lifecycle import wait_gone
from wm.errors import StoreError, Unavailable

BEHIND = "It ends by itself behind that; `wm logs` shows when."


@click.command("down")
@json_option
@lasting_options
def command(caller: Caller, as_json: bool) -> int:
    """Let the daemon finish what is under way, flush and exit.

    Agents go on without it; the next session start brings it up again.
    """
    try:
        pid = int(daemon_status(caller.settings)["pid"])
        ask(caller.settings, "shutdown")
        gone = wait_gone(caller.settings)
    except Unavailable:
        if is_ending(caller.settings):
            raise StoreError(
                "The daemon was told to end before, and still writes what it took.", fix=BEHIND
            ) from None
        who = holder(caller.settings)
        if who:
            raise StoreError(
                f"The daemon does not answer, and its lock is held by {who}.",
                fix="Kill that process: what it said is done is on disk.",
            ) from None
        if as_json:
            output.as_json({"stopped": False})
        else:
            output.line("The daemon is not running.")
        return 0
    if as_json:
        output.as_json({"stopped": gone, "pid": pid})
    elif gone:
        output.line(f"The daemon (pid {pid}) has stopped.")
    else:
        output.problem(
            f"The daemon (pid {pid}) still writes what it took.",
            fix=BEHIND,
        )
    return 0 if gone else 1
