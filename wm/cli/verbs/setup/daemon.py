"""`wm up | down | logs`: starts, stops and shows the daemon of this user.

`wm down` waits until the daemon has written what it answered; it kills no process.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

import click

from wm.cli import output, self_test
from wm.cli.context import Caller, Result, ask, daemon_status, prints, prints_always
from wm.cli.daemon_state import outdated
from wm.cli.options import flag
from wm.daemon.instance import holder, is_ending, listens_elsewhere
from wm.daemon.lifecycle import start, wait_stopped
from wm.errors import StoreError, Unavailable, UserError, WmError
from wm.settings import Settings

SILENT_S = 1.0
"""Seconds after which a slow start is reported: the first one of an installation that is not
compiled takes some seconds."""

BEHIND = "It stops after that; `wm logs` shows when."


@click.command("up")
@flag(
    "--prove",
    help="Then prove the whole round trip in a scratch home: write, restart, read, render, search.",
)
@flag("--quiet", help="Print nothing on success.")
@prints
def up(caller: Caller, prove: bool, quiet: bool) -> Result:
    """Start the daemon and check that it answers. One daemon serves all your workspaces.

    A daemon of another version of wm is replaced, except with --quiet, which agents use.
    """
    started_at = time.monotonic()
    with _noting_wait(silent=quiet or caller.as_json):
        started, status = _current(caller.settings, replace=not quiet)
    took = f"started in {time.monotonic() - started_at:.2f} s" if started else "is running"
    steps = self_test.run(caller.settings) if prove else []

    def show(_report: object) -> None:
        if quiet:
            return
        _print_started(caller, status, took)
        if steps:
            output.line()
            self_test.show(steps)
        output.line()
        output.line("Next: `wm status` shows which agents are wired, `wm inspect` what is known.")

    report = {"started": started, "status": status, "proof": steps}
    return Result(report, show, failed=not all(step.ok for step in steps))


def _current(settings: Settings, *, replace: bool) -> tuple[bool, dict[str, Any]]:
    """Whether a daemon was started, and its status. replace: restart one that is outdated."""
    started = start(settings)
    status = daemon_status(settings)
    if not replace or not outdated(status):
        return started, status
    restart(settings)
    return True, daemon_status(settings)


def _print_started(caller: Caller, status: dict[str, Any], took: str) -> None:
    output.line(f"wm {status['version']}: the daemon {took} (pid {status['pid']}).")
    paths = caller.settings.paths
    rows = (("socket", paths.socket), ("files", paths.home))
    output.lines(output.pairs([(name, output.home_short(str(path))) for name, path in rows]))


def replace_outdated(settings: Settings) -> str:
    """Restart a daemon that runs another wm than this one. Returns how it differed, or ""."""
    try:
        why = outdated(daemon_status(settings))
    except WmError:
        return ""
    if why:
        restart(settings)
    return why


def restart(settings: Settings) -> None:
    """Raises StoreError if the old daemon does not end in time."""
    ask(settings, "shutdown")
    if not wait_stopped(settings):
        raise StoreError("The daemon is still writing the updates that it accepted.", fix=BEHIND)
    start(settings)


@contextmanager
def _noting_wait(*, silent: bool) -> Iterator[None]:
    """Show a note while a start takes long."""
    later = Timer(SILENT_S, output.note, ["Starting the daemon; the first start takes longest."])
    if not silent:
        later.start()
    try:
        yield
    finally:
        later.cancel()


@click.command("down")
@prints_always
def down(caller: Caller) -> Result:
    """Let the daemon finish its current work, flush and exit.

    Agents work without it; the next session start brings it up again.
    """
    try:
        pid = int(daemon_status(caller.settings)["pid"])
        ask(caller.settings, "shutdown")
        stopped = wait_stopped(caller.settings)
    except Unavailable:
        _refuse_if_locked(caller)
        return Result({"stopped": False}, "The daemon is not running.")
    report = {"stopped": stopped, "pid": pid}
    if stopped:
        return Result(report, f"The daemon (pid {pid}) has stopped.")
    message = f"The daemon (pid {pid}) is still writing the updates that it accepted."
    return Result(report, lambda _report: output.problem(message, fix=BEHIND), failed=True)


def _refuse_if_locked(caller: Caller) -> None:
    """Raises StoreError if a daemon holds the lock but does not answer."""
    if is_ending(caller.settings):
        raise StoreError(
            "The daemon is already stopping, and still writes accepted requests.", fix=BEHIND
        ) from None
    if path := listens_elsewhere(caller.settings):
        raise StoreError.of(
            "down.listens_elsewhere", path=path, socket=caller.settings.paths.socket
        ) from None
    if who := holder(caller.settings):
        raise StoreError.of("down.hangs", who=who) from None


@click.command("logs")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True)
@prints
def logs(caller: Caller, limit: int) -> Result:
    """Show the last lines of the daemon's log. It contains names and ids, never contents."""
    path = caller.settings.paths.home / "daemon.log"
    short = output.home_short(str(path))
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            records = [_record(text) for text in deque(file, maxlen=limit)]
    except FileNotFoundError:
        return Result({"records": []}, f"There is no log yet at {short}.")
    except OSError as error:
        raise UserError.of("logs.unreadable", path=path, why=error.strerror) from None
    return Result({"records": records}, _print_records if records else f"The log {short} is empty.")


def _print_records(report: dict[str, Any]) -> None:
    for record in report["records"]:
        rest = {k: v for k, v in record.items() if k not in ("at", "level", "event")}
        about = "  ".join(f"{name}={value}" for name, value in rest.items())
        when = str(record.get("at", ""))[:19].replace("T", " ")
        output.line(output.safe(f"{when}  {record.get('event', '')}  {about}".rstrip()))


def _record(text: str) -> dict[str, object]:
    """A line of the log; a foreign line is shown unchanged."""
    try:
        record = json.loads(text)
    except ValueError:
        record = None
    return record if isinstance(record, dict) else {"event": text.rstrip("\n")}
