"""`wm doctor`."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from wm import __version__
from wm.agents import setup as wiring
from wm.cli import output, proof
from wm.cli.context import Caller, client_of, json_option, workspace_options
from wm.cli.verbs.setup import look
from wm.errors import Unavailable, UserError, WmError
from wm.ops.check import check_store, folder_class
from wm.ops.local import open_runtime


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. verdict: ok, note, warning or error."""

    name: str
    verdict: str
    detail: str
    fix: str = ""


@click.command("doctor", short_help="Check everything and prove the whole round trip.")
@click.option("--no-proof", is_flag=True, help="Only look; do not run the round trip.")
@json_option
@workspace_options
def command(caller: Caller, no_proof: bool, as_json: bool) -> int:
    """Look at the installation, the files, the daemon and the agents, then prove the round trip.

    The proof runs in a scratch home with a daemon of its own. Exit code 1 means findings.
    """
    checks = list(examine(caller))
    steps = [] if no_proof else proof.run(caller.settings)
    sound = all(c.verdict in ("ok", "note") for c in checks) and all(s.ok for s in steps)
    if as_json:
        output.as_json(
            {
                "sound": sound,
                "checks": [asdict(c) for c in checks],
                "proof": [step.as_dict() for step in steps],
            }
        )
        return 0 if sound else 1
    for check in checks:
        _print(check)
    if steps:
        output.line()
        proof.show(steps)
    output.line()
    output.line("All is well." if sound else "Something needs a hand; see above.")
    return 0 if sound else 1


def examine(caller: Caller) -> Iterator[Check]:
    """Every check, in the order in which one would mend."""
    yield Check("python", "ok", f"{sys.version.split()[0]} at {sys.executable}")
    yield _home(caller.settings.paths.home)
    yield _folder(caller)
    yield from _files(caller)
    yield _daemon(caller)
    yield from _agents(caller)


def _home(home: Path) -> Check:
    try:
        mode = stat.S_IMODE(os.stat(home).st_mode)
    except FileNotFoundError:
        return Check("home", "note", f"{home} does not exist yet; the first write makes it.")
    if mode & 0o077:
        return Check(
            "home",
            "error",
            f"{home} can be entered by others (mode {mode:04o}).",
            f"chmod 700 {home}",
        )
    return Check("home", "ok", f"{output.home_short(str(home))}, yours alone")


def _folder(caller: Caller) -> Check:
    kind, name = folder_class(str(caller.settings.paths.home))
    verdict = {"durable": "ok", "best_effort": "note"}.get(kind, "warning")
    return Check("disk", verdict, f"{name}: {kind.replace('_', ' ')}")


def _files(caller: Caller) -> Iterator[Check]:
    try:
        runtime = open_runtime(caller.settings)
    except WmError as error:
        yield Check("files", "error", error.message, error.fix)
        return
    try:
        found = [f for f in check_store(runtime, deep=False) if f.severity != "note"]
    finally:
        runtime.store.close()
    if not found:
        yield Check("files", "ok", "every document is sound")
    for finding in found[:10]:
        yield Check(
            "files",
            finding.severity,
            f"{finding.path}: {finding.message}",
            "wm fsck repair" if finding.repairable else "",
        )


def _daemon(caller: Caller) -> Check:
    try:
        status = client_of(caller.settings).call("status", {})
    except Unavailable as error:
        return Check("daemon", "note", f"is down ({error.message})", "wm up")
    if status["version"] != __version__:
        return Check(
            "daemon",
            "warning",
            f"is version {status['version']}, this is {__version__}",
            "wm down; wm up",
        )
    return Check("daemon", "ok", f"answers, pid {status['pid']}")


def _agents(caller: Caller) -> Iterator[Check]:
    try:
        states = wiring.states(look(caller.settings))
    except UserError as error:
        yield Check("agents", "error", error.message, error.fix)
        return
    if not states:
        yield Check("agents", "note", "neither claude nor opencode is installed here")
    words = {
        "current": ("ok", "wired", ""),
        "stale": ("warning", "wired by another wm", "wm setup"),
        "absent": ("note", "found, not wired", "wm setup"),
    }
    for agent, state in states.items():
        verdict, detail, fix = words[state]
        yield Check(agent, verdict, detail, fix)


def _print(check: Check) -> None:
    mark = {
        "ok": output.good("ok     "),
        "note": output.dim("note   "),
        "warning": output.warn("warning"),
        "error": output.bad("ERROR  "),
    }[check.verdict]
    text = output.wrap(check.detail, output.width() - 24)
    output.line(f"  {mark} {check.name:<12}  {text[0]}")
    output.lines(" " * 24 + rest for rest in text[1:])
    if check.fix:
        output.line(" " * 24 + f"→ {check.fix}")
