"""`wm up`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import click

from wm.cli import output, proof
from wm.cli.context import Caller, daemon_status, json_option, workspace_options
from wm.cli.outdated import MEND, outdated
from wm.daemon.lifecycle import start

SILENT_S = 1.0
"""A start that takes longer is told of: the first one of an installation that was not compiled
takes some seconds."""


@click.command("up")
@click.option(
    "--prove",
    is_flag=True,
    help="Then prove the whole round trip in a scratch home: write, restart, read, render, search.",
)
@click.option("--quiet", is_flag=True, help="Print nothing when all is well.")
@json_option
@workspace_options
def command(caller: Caller, prove: bool, quiet: bool, as_json: bool) -> int:
    """Start the daemon and make sure that it answers. One daemon serves all your workspaces."""
    begun = time.monotonic()
    with _telling(silent=quiet or as_json):
        started = start(caller.settings)
    status = daemon_status(caller.settings)
    steps = proof.run(caller.settings) if prove else []
    if as_json:
        output.as_json(
            {"started": started, "status": status, "proof": [step.as_dict() for step in steps]}
        )
        return 0 if all(step.ok for step in steps) else 1
    if not quiet:
        took = f" in {time.monotonic() - begun:.2f} s" if started else ""
        word = f"started{took}" if started else "is running"
        output.line(f"wm {status['version']}: the daemon {word} (pid {status['pid']}).")
        if why := outdated(status):
            output.line(output.warn(f"It is outdated: {why} ({MEND})."))
        output.lines(
            output.pairs(
                [
                    ("socket", output.home_short(str(caller.settings.paths.socket))),
                    ("files", output.home_short(str(caller.settings.paths.home))),
                ]
            )
        )
    if steps and not quiet:
        output.line()
        proof.show(steps)
    if not quiet:
        output.line()
        output.line("Next: `wm setup` wires your agents, `wm inspect` shows what is remembered.")
    return 0 if all(step.ok for step in steps) else 1


@contextmanager
def _telling(*, silent: bool) -> Iterator[None]:
    """Say what is waited for where it takes long."""
    later = Timer(SILENT_S, output.note, ["Starting the daemon; the first start takes longest."])
    if not silent:
        later.start()
    try:
        yield
    finally:
        later.cancel()
