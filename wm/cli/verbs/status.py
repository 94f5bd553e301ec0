"""`wm status`."""

from __future__ import annotations

from typing import Any

import click

from wm import __version__
from wm.cli import contracts, output
from wm.cli.context import Caller, config_trouble, daemon_status, json_option, lasting_options
from wm.cli.lost import lost_events
from wm.cli.outdated import MEND, outdated
from wm.cli.place import LEAST, conversation_rows, memory_rows, most_pressed, print_heading
from wm.cli.wiring import look, states
from wm.daemon.instance import holder, is_ending
from wm.errors import Unavailable, WmError
from wm.formats.protocol import Inspection

PATIENCE_S = 2.0
"""A daemon that is well answers within milliseconds."""

LISTED_CONVERSATIONS = 2
"""The others are less pressed; `wm inspect` has them."""

WIRED = {
    "current": "wired",
    "stale": "wired by another wm (wm setup)",
    "absent": "not wired",
    "blocked": "settings cannot be read (wm doctor)",
}


@click.command("status")
@json_option
@lasting_options
def command(caller: Caller, as_json: bool) -> int:
    """Show the daemon, the agents, where the files are, and this workspace in a few lines.

    Ends with exit code 0 also when the daemon is down: everything works without it. 1: the
    folder that you named cannot be used, or config.toml does not fit, and the defaults count.
    """
    daemon, silent = _daemon(caller)
    here: Any = None
    contract: Any = None
    trouble = ("", "")
    try:
        here = caller.call("inspect")
        contract = contracts.look(caller, here.place)
    except WmError as error:
        trouble = (error.message, error.fix)
    agents = _agents(caller)
    wrong = config_trouble()
    code = 1 if wrong is not None or (trouble[0] and caller.names_workspace) else 0
    if as_json:
        output.as_json(
            {
                "daemon": daemon,
                "home": str(caller.settings.paths.home),
                "socket": str(caller.settings.paths.socket),
                "workspace": here.place.model_dump(mode="json", by_alias=True) if here else None,
                "counts": here.counts if here else {},
                "sessions": len(here.sessions) if here else 0,
                "trouble": trouble[0],
                "agents": agents or {},
                "contract": contracts.word(contract),
                "config": wrong.message if wrong is not None else "",
                **_pressed(here),
            }
        )
        return code
    output.line(output.bold(f"wm {__version__}"))
    rows = _machine(caller, daemon, silent, agents)
    for what, why in (daemon or {}).get("troubles", {}).items():
        rows.append((what, why, output.warn))
    if lost := lost_events(daemon):
        rows.append(("lost", f"{lost} (wm logs)", output.warn))
    if wrong is not None:
        told = f"{wrong.message} {wrong.fix} Until then the defaults count."
        rows.append(("config", told, output.bad))
    output.lines(output.pairs(rows, least=LEAST))
    output.line()
    if here is None:
        output.lines("  " + part for text in trouble for part in output.wrap(text, 76) if part)
        return code
    print_heading(here.place)
    rows = memory_rows(here) + conversation_rows(most_pressed(here), LISTED_CONVERSATIONS)
    if contract is not None:
        rows.append(contracts.row(contract))
    output.lines(output.pairs(rows, least=LEAST))
    return code


def _pressed(here: Inspection | None) -> dict[str, Any]:
    """Nothing where no proxy is used."""
    found = most_pressed(here) if here is not None else ()
    told = [one.model_dump(mode="json", by_alias=True) for one in found]
    return {"conversations": told} if told else {}


def _daemon(caller: Caller) -> tuple[dict[str, Any] | None, str]:
    """What the daemon says of itself, or None and why it says nothing."""
    try:
        found = daemon_status(caller.settings, deadline_s=PATIENCE_S)
    except Unavailable:
        caller.alone = True
        if is_ending(caller.settings):
            return None, "is ending, and still writes what it took (wm logs)"
        who = holder(caller.settings)
        return None, f"does not answer; kill {who}, then wm up" if who else ""
    except WmError as error:
        return None, error.message
    return found, ""


def _agents(caller: Caller) -> dict[str, str] | None:
    """How the agents here are wired; None where that cannot be told: `wm doctor` says why."""
    try:
        return states(look(caller.settings))
    except WmError:
        return None


def _machine(
    caller: Caller, daemon: dict[str, Any] | None, silent: str, agents: dict[str, str] | None
) -> list[output.Row]:
    paths = caller.settings.paths
    return [
        ("daemon", *_daemon_line(daemon, silent)),
        ("agents", _wired(agents)),
        ("files", output.home_short(str(paths.home))),
        ("socket", output.home_short(str(paths.socket))),
    ]


def _wired(agents: dict[str, str] | None) -> str:
    if agents is None:
        return "how they are wired cannot be told (wm doctor)"
    wired = " · ".join(f"{agent} {WIRED[state]}" for agent, state in agents.items())
    if "absent" in agents.values():
        wired += " (wm setup)"
    return wired or "none found on this machine"


def _daemon_line(daemon: dict[str, Any] | None, silent: str) -> tuple[str, output.Paint]:
    if daemon is None:
        told = silent or "down; everything works without it, only slower (wm up)"
        return told, output.warn
    # Its own count, not the difference of two clocks: those may have been set meanwhile (F30).
    up = f"up for {output.lasting(float(daemon['uptimeS']))} · pid {daemon['pid']}"
    if why := outdated(daemon):
        return f"{up} · {why} ({MEND})", output.warn
    return up, output.good
