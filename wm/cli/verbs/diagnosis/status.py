"""`wm status`: the daemon, this workspace and the agents, in a few lines.

Quick, and works while anything else is broken: what cannot be read is one line with the reason.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from wm import __version__
from wm.api.models import HelperState
from wm.api.protocol import Inspection
from wm.cli import contracts, output, overview
from wm.cli.agent_facts import look, states
from wm.cli.context import Caller, Result, daemon_status, prints_always
from wm.cli.daemon_state import FIX, lost_events, outdated
from wm.cli.entries import WORDS
from wm.daemon.instance import holder, is_ending, listens_elsewhere
from wm.errors import Unavailable, WmError

PATIENCE_S = 2.0
"""A healthy daemon answers within milliseconds."""

LISTED_CONVERSATIONS = 2
"""The others are less full; `wm inspect` lists them."""

WIRED = dict(WORDS.rows("wired", columns=2))


@click.command("status")
@prints_always
def command(caller: Caller) -> Result:
    """Show the daemon, the agents, where the files are, and this workspace in a few lines.

    The exit code is 0 also when the daemon is down: everything works without it. Exit code 1:
    the named folder cannot be used, or config.toml cannot be used and the defaults apply.
    """
    daemon, silent = _daemon(caller)
    inspection: Any = None
    contract: Any = None
    trouble = ("", "")
    try:
        inspection = caller.call("inspect")
        contract = contracts.look(caller, inspection.place)
    except WmError as error:
        trouble = (error.message, error.fix)
    agents = _agents(caller)
    wrong = caller.settings.config_error
    report = {
        "daemon": daemon,
        "home": str(caller.settings.paths.home),
        "socket": str(caller.settings.paths.socket),
        "workspace": inspection.place if inspection else None,
        "counts": inspection.counts if inspection else {},
        "sessions": inspection.session_count if inspection else 0,
        "trouble": trouble[0],
        "agents": agents or {},
        "contract": contracts.word(contract),
        "config": wrong.message if wrong is not None else "",
        **_pressed(inspection),
        **({"helper": inspection.helper} if inspection is not None and inspection.helper else {}),
    }
    rows = [*_machine(report, silent, agents), *_troubles(daemon, wrong is None)]
    if inspection is not None and inspection.helper is not None:
        rows.append(_helper_row(inspection.helper))
    if wrong is not None:
        text = f"{wrong.message} {wrong.fix} Until then the defaults apply."
        rows.append(("config", text, output.bad))
    show = partial(_print, rows, inspection, contract, trouble)
    failed = wrong is not None or bool(trouble[0] and caller.names_workspace)
    return Result(report, show, failed)


def _print(
    rows: list[output.Row], found: Any, contract: Any, trouble: tuple[str, str], _report: object
) -> None:
    output.line(output.bold(f"wm {__version__}"))
    output.lines(output.pairs(rows, least=overview.LEAST))
    output.line()
    if found is None:
        output.lines("  " + part for text in trouble for part in output.wrap(text, 76) if part)
        return
    overview.print_heading(found.place)
    shown = overview.memory_rows(found)
    shown += overview.conversation_rows(overview.most_pressed(found), LISTED_CONVERSATIONS)
    if contract is not None:
        shown.append(contracts.row(contract))
    output.lines(output.pairs(shown, least=overview.LEAST))


def _helper_row(found: HelperState) -> output.Row:
    if found.problem:
        return "helper", f"{output.safe(found.model)} is not used: {found.problem}", output.warn
    return "helper", f"{output.safe(found.model)} · {overview.helper_use(found)} today"


def _pressed(inspection: Inspection | None) -> dict[str, Any]:
    """Empty if no proxy is used."""
    found = overview.most_pressed(inspection) if inspection is not None else ()
    return {"conversations": found} if found else {}


def _daemon(caller: Caller) -> tuple[dict[str, Any] | None, str]:
    """The daemon's status, or None and the reason why there is none."""
    try:
        found = daemon_status(caller.settings, deadline_s=PATIENCE_S)
    except Unavailable:
        caller.alone = True
        if is_ending(caller.settings):
            return None, "is stopping, and still writes accepted requests (wm logs)"
        if path := listens_elsewhere(caller.settings):
            return None, f"up, but listens on {path} (WM_SOCKET={path} wm …)"
        who = holder(caller.settings)
        return None, f"does not answer; kill {who}, then wm up" if who else ""
    except WmError as error:
        return None, error.message
    return found, ""


def _agents(caller: Caller) -> dict[str, str] | None:
    """Which agents are set up; None if that is unknown: `wm doctor` says why."""
    try:
        return states(look(caller.settings))
    except WmError:
        return None


def _machine(
    report: dict[str, Any], silent: str, agents: dict[str, str] | None
) -> list[output.Row]:
    return [
        ("daemon", *_daemon_line(report["daemon"], silent, agents)),
        ("agents", _wired(agents)),
        ("files", output.home_short(report["home"])),
        ("socket", output.home_short(report["socket"])),
    ]


def _troubles(daemon: dict[str, Any] | None, config: bool) -> list[output.Row]:
    """Problems that the daemon reports. config: include config.toml, if no other row shows it."""
    found = dict((daemon or {}).get("troubles", {}))
    if not config:
        found.pop("config", None)
    if lost := lost_events(daemon):
        found["lost"] = f"{lost} (wm logs)"
    return [(what, why, output.warn) for what, why in found.items()]


def _wired(agents: dict[str, str] | None) -> str:
    if agents is None:
        return "their setup is unknown (wm doctor)"
    wired = " · ".join(f"{agent} {WIRED[state]}" for agent, state in agents.items())
    if "absent" in agents.values():
        wired += " (wm setup)"
    return wired or "none found on this machine"


def _daemon_line(
    daemon: dict[str, Any] | None, silent: str, agents: dict[str, str] | None
) -> tuple[str, output.Paint]:
    if daemon is None:
        text = silent or "down; everything works without it, only slower (wm up)"
        return text, output.warn
    # The daemon's own uptime, not the difference of two clocks: they may have been set since (F30).
    up = f"up for {output.lasting(float(daemon['uptimeS']))} · pid {daemon['pid']}"
    if why := outdated(daemon):
        # One command for all that is older.
        fix = "wm setup" if "stale" in (agents or {}).values() else FIX
        return f"{up} · {why} ({fix})", output.warn
    return up, output.good
