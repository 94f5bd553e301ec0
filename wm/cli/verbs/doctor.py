"""`wm doctor`."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import asdict

from wm.agents import setup as wiring
from wm.cli import contracts, output, proof
from wm.cli.checks import THE_HOME, print_check
from wm.cli.context import Caller, config_trouble, daemon_status, json_option, lasting_options
from wm.cli.lost import lost_events
from wm.cli.outdated import MEND, outdated
from wm.cli.wiring import look
from wm.daemon.instance import holder, is_ending, is_heard
from wm.errors import Unavailable, UserError, WmError
from wm.ops.check import check_store, folder_class
from wm.ops.local import open_runtime

LEAST_ROOM = 4 * 1024 * 1024
"""Bytes of a disk below which it counts as full: the next writes will not fit."""


class Check(Struct, frozen=True):
    """One thing that was looked at. verdict: ok, note, warning or error."""

    name: str
    verdict: str
    detail: str
    fix: str = ""


@click.command("doctor")
@click.option("--no-proof", is_flag=True, help="Only look; do not run the round trip.")
@json_option
@lasting_options
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
        print_check(check.verdict, check.name, check.detail, check.fix)
    if steps:
        output.line()
        proof.show(steps)
    output.line()
    output.line(
        output.good("All is well.") if sound else output.bad("Something needs a hand; see above.")
    )
    return 0 if sound else 1


def examine(caller: Caller) -> Iterator[Check]:
    """Every check, in the order in which one would mend."""
    yield Check("python", "ok", f"{sys.version.split()[0]} at {sys.executable}")
    yield from _config()
    yield _home(caller.settings.paths.home)
    yield _folder(caller)
    yield from _files(caller)
    yield _socket(caller)
    yield from _agents(caller)
    yield from _contract(caller)
    yield from _model(caller)


def _model(caller: Caller) -> Iterator[Check]:
    """A model that was chosen and cannot be opened; the default is not worth a line."""
    from wm.ops.chosen_model import trouble_of

    try:
        runtime = open_runtime(caller.settings)
    except WmError:
        return  # told above
    try:
        why = trouble_of(runtime)
    finally:
        runtime.store.close()
    if why:
        yield Check("model", "warning", why, "wm models, then wm models use NAME")


def _config() -> Iterator[Check]:
    """A config.toml that does not fit; one that does is not worth a line."""
    wrong = config_trouble()
    if wrong is not None:
        yield Check("config", "error", f"{wrong.message} Until then the defaults count.", wrong.fix)


def _home(home: Path) -> Check:
    try:
        info = os.stat(home)
    except FileNotFoundError:
        return _future_home(home)
    except OSError as error:
        return Check(
            "home",
            "error",
            f"{home} cannot be entered: {error.strerror}.",
            "Mend the path, or set WM_HOME to a folder that is yours.",
        )
    if not stat.S_ISDIR(info.st_mode):
        return Check("home", "error", f"{home} is not a folder.", f"mv {home} {home}.away")
    if info.st_uid != os.geteuid():
        return Check(
            "home",
            "error",
            f"{home} belongs to another user.",
            "Run wm as that user, or set WM_HOME to a folder of yours.",
        )
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        return Check(
            "home",
            "error",
            f"You may not write to {home}.",
            "Make it yours, or set WM_HOME to a folder that is.",
        )
    mode = stat.S_IMODE(info.st_mode)
    if mode & 0o077:
        return Check(
            "home",
            "error",
            f"{home} can be entered by others (mode {mode:04o}).",
            f"chmod 700 {home}",
        )
    return Check("home", "ok", f"{output.home_short(str(home))}, yours alone")


def _future_home(home: Path) -> Check:
    """A home that the first write has to make."""
    above = next(folder for folder in home.parents if folder.exists())
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        short = output.home_short(str(home))
        return Check("home", "note", f"{short} does not exist yet; the first write makes it")
    return Check(
        "home",
        "error",
        f"{home} cannot be made: you may not write to {above}.",
        "Make it yourself, or set WM_HOME to a folder that is yours.",
    )


def _folder(caller: Caller) -> Check:
    home = caller.settings.paths.home
    kind, name = folder_class(str(home))
    trouble = _no_room(home)
    if trouble:
        return Check(
            "disk", "error", trouble, "Until then nothing new is kept; what is there stays."
        )
    verdict = {"durable": "ok", "best_effort": "note"}.get(kind, "warning")
    return Check("disk", verdict, f"{name}: {kind.replace('_', ' ')}")


def _no_room(home: Path) -> str:
    try:
        return why_full(os.statvfs(next(f for f in (home, *home.parents) if f.exists())))
    except OSError:
        return ""


def why_full(disk: os.statvfs_result) -> str:
    """Why nothing can be written to a disk, or ""."""
    left = disk.f_bavail * disk.f_frsize
    if disk.f_flag & os.ST_RDONLY:
        return "the data folder's disk can only be read; mount it for writing"
    # Some file systems count no blocks and no files: then zero of zero means nothing.
    if disk.f_blocks and left < LEAST_ROOM:
        return f"the data folder's disk is full ({left // 1024:,} KB left); make room"
    if disk.f_files and not disk.f_favail:
        return "the data folder's disk takes no more files; remove some"
    return ""


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
            f"{finding.path or THE_HOME}: {finding.message}",
            "wm fsck repair" if finding.repairable else "",
        )


def _socket(caller: Caller) -> Check:
    """The daemon, or what stands where its socket should be."""
    path = caller.settings.paths.socket
    try:
        stands = os.lstat(path).st_mode
    except OSError:
        return _daemon(caller)
    if stat.S_ISSOCK(stands):
        return _daemon(caller)
    return Check(
        "daemon",
        "error",
        f"{path} is not a socket, so no daemon can listen there.",
        f"mv {path} {path}.away",
    )


def _daemon(caller: Caller) -> Check:
    try:
        status = daemon_status(caller.settings)
    except Unavailable:
        return _silent_daemon(caller)
    except WmError as error:
        return Check("daemon", "error", error.message, error.fix)
    if why := outdated(status):
        return Check("daemon", "warning", f"is outdated: {why}", MEND)
    if lost := lost_events(status):
        return Check("daemon", "warning", f"answers, but {lost}", "wm logs, then wm down; wm up")
    return Check("daemon", "ok", f"answers, pid {status['pid']}")


def _silent_daemon(caller: Caller) -> Check:
    """Nobody answers: is it down, or on its way there, or does it hang?"""
    if is_ending(caller.settings):
        return Check("daemon", "note", "is ending, and still writes what it took", "wm logs")
    told = holder(caller.settings)
    if told:
        return Check("daemon", "error", f"does not answer; it is {told}", "End that process.")
    path = caller.settings.paths.socket
    if is_heard(path):
        return Check(
            "daemon",
            "error",
            f"is down, and a program that is no wm listens on {path}",
            "Stop it, or set WM_SOCKET to another path.",
        )
    return Check("daemon", "note", "is down; everything works without it, only slower", "wm up")


def _agents(caller: Caller) -> Iterator[Check]:
    try:
        facts = look(caller.settings)
    except UserError as error:
        yield Check("agents", "error", error.message, error.fix)
        return
    states = wiring.states(facts)
    if not states:
        yield Check("agents", "note", "neither claude nor opencode is installed here")
    words = {
        "current": ("ok", "wired", ""),
        "stale": ("warning", "wired by another wm", "wm setup"),
        "absent": ("note", "found, not wired", "wm setup"),
    }
    blocked, remarks = wiring.blocked(facts), wiring.remarks(facts)
    for agent, state in states.items():
        if agent in blocked:
            yield Check(agent, "error", blocked[agent].message, blocked[agent].fix)
            continue
        verdict, detail, fix = words[state]
        yield Check(agent, verdict, detail, fix)
        if agent in remarks and state != wiring.State.ABSENT:
            yield Check(agent, "warning", remarks[agent])


def _contract(caller: Caller) -> Iterator[Check]:
    """The session contract of the project at hand, if there is one (CT-2)."""
    try:
        found = contracts.look(caller, caller.call("inspect").place)
    except WmError:
        return  # no project here, or one that cannot be read: the checks above say why
    if found is None:
        return
    if found.valid:
        yield Check("contract", "ok", output.home_short(found.file))
        return
    yield Check("contract", "warning", contracts.told(found), "wm state validate")
