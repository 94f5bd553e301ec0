"""`wm doctor`: tests everything that a working installation needs, and the round trip.

Each check has a result, and the fix if it failed. Repairs nothing; `wm fsck repair` does.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from wm.agents import setup as agent_setup
from wm.cli import contracts, output, self_test
from wm.cli.agent_facts import look
from wm.cli.context import Caller, Result, daemon_status, prints_always
from wm.cli.daemon_state import FIX, lost_events, outdated
from wm.cli.options import flag
from wm.cli.verbs.diagnosis.files import THE_HOME
from wm.daemon.instance import has_listener, holder, is_ending, listens_elsewhere
from wm.errors import Unavailable, UserError, WmError
from wm.ops.search.model_choice import trouble_of
from wm.ops.storage.check import check_store, folder_class
from wm.settings import Settings

LEAST_ROOM = 4 * 1024 * 1024
"""Free bytes below which writes of the usual size may not fit."""


class Check(Struct, frozen=True):
    """The result of one check. verdict: ok, note, warning or error."""

    name: str
    verdict: str
    detail: str
    fix: str = ""


@click.command("doctor")
@flag("--no-proof", help="Only check; do not run the round trip.")
@prints_always
def command(caller: Caller, no_proof: bool) -> Result:
    """Check the installation, the files, the daemon and the agents, then prove the round trip.

    The proof runs in a scratch home with a daemon of its own. Exit code 1 means findings.
    """
    checks = list(examine(caller))
    steps = [] if no_proof else self_test.run(caller.settings)
    sound = all(c.verdict in ("ok", "note") for c in checks) and all(s.ok for s in steps)

    def show(_report: object) -> None:
        for check in checks:
            output.check(check.verdict, check.name, check.detail, check.fix)
        if steps:
            output.line()
            self_test.show(steps)
        output.line()
        good, bad = output.good("All is well."), output.bad("Something needs attention; see above.")
        output.line(good if sound else bad)

    report = {"sound": sound, "checks": checks, "proof": steps}
    return Result(report, show, failed=not sound)


def examine(caller: Caller) -> Iterator[Check]:
    """All checks, in the order in which to repair."""
    yield Check("python", "ok", f"{sys.version.split()[0]} at {sys.executable}")
    yield from _config(caller.settings)
    yield _home(caller.settings.paths.home)
    yield _folder(caller)
    yield from _files(caller)
    yield _socket(caller)
    yield from _agents(caller)
    yield from _contract(caller)
    yield from _model(caller)


def _model(caller: Caller) -> Iterator[Check]:
    """A chosen model that cannot be opened; the default model is not listed."""
    try:
        with caller.opened() as runtime:
            why = trouble_of(runtime)
    except WmError:
        return  # reported above
    if why:
        yield Check("model", "warning", why, "wm models, then wm models use NAME")


def _config(settings: Settings) -> Iterator[Check]:
    """A config.toml that cannot be used or contains removed options; a sound one is not listed."""
    wrong = settings.config_error
    if wrong is not None:
        yield Check("config", "error", f"{wrong.message} Until then the defaults apply.", wrong.fix)
    if settings.config_warning:
        yield Check("config", "note", settings.config_warning)


def _home(home: Path) -> Check:
    try:
        info = os.stat(home)
    except FileNotFoundError:
        return _future_home(home)
    except OSError as error:
        detail = f"{home} cannot be entered: {error.strerror}."
        return _bad_home(detail, "Correct the path, or set WM_HOME to a folder that is yours.")
    if not stat.S_ISDIR(info.st_mode):
        return _bad_home(f"{home} is not a folder.", f"mv {home} {home}.away")
    if info.st_uid != os.geteuid():
        fix = "Run wm as that user, or set WM_HOME to a folder of yours."
        return _bad_home(f"{home} belongs to another user.", fix)
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        fix = "Make it yours, or set WM_HOME to a folder that is."
        return _bad_home(f"You may not write to {home}.", fix)
    mode = stat.S_IMODE(info.st_mode)
    if mode & 0o077:
        detail = f"{home} can be entered by others (mode {mode:04o})."
        return _bad_home(detail, f"chmod 700 {home}")
    return Check("home", "ok", f"{output.home_short(str(home))}, yours alone")


def _bad_home(detail: str, fix: str) -> Check:
    return Check("home", "error", detail, fix)


def _future_home(home: Path) -> Check:
    """A home that the first write will create."""
    above = _hindrance(home)
    if above is None:
        short = output.home_short(str(home))
        return Check("home", "note", f"{short} does not exist yet; the first write creates it")
    return _bad_home(
        f"{home} cannot be created: you may not write to {above}.",
        "Create it yourself, or set WM_HOME to a folder that is yours.",
    )


def _hindrance(path: Path) -> Path | None:
    """The folder above in which we cannot create the path; None: it can be created."""
    above = next(folder for folder in path.parents if os.path.exists(folder))
    return None if above.is_dir() and os.access(above, os.W_OK | os.X_OK) else above


def _folder(caller: Caller) -> Check:
    home = caller.settings.paths.home
    kind, name = folder_class(str(home))
    trouble = _no_room(home)
    if trouble:
        fix = "Without room nothing new is stored; existing data stays."
        return Check("disk", "error", trouble, fix)
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
        return "the data folder's disk is mounted read-only; mount it for writing"
    # Some file systems report zero blocks and files in total: then zero free means nothing.
    if disk.f_blocks and left < LEAST_ROOM:
        full = "nearly full" if left else "full"
        return f"the data folder's disk is {full} ({left // 1024:,} KB left); make room"
    if disk.f_files and not disk.f_favail:
        return "the data folder's disk accepts no more files; remove some"
    return ""


REPAIR = "wm down && wm fsck repair"
"""`wm fsck repair` refuses to run beside the daemon; `wm down` is fine without one."""


def _files(caller: Caller) -> Iterator[Check]:
    try:
        with caller.opened() as runtime:
            found = [f for f in check_store(runtime, deep=False) if f.severity != "note"]
    except WmError as error:
        yield Check("files", "error", error.message, error.fix)
        return
    if not found:
        yield Check("files", "ok", "every document is sound")
    for finding in found[:10]:
        detail = f"{finding.path or THE_HOME}: {finding.message}"
        yield Check("files", finding.severity, detail, REPAIR if finding.repairable else "")


def _socket(caller: Caller) -> Check:
    """The daemon, or what is in the place of its socket."""
    path = caller.settings.paths.socket
    try:
        is_socket = stat.S_ISSOCK(os.lstat(path).st_mode)
    except OSError:
        is_socket = True  # nothing exists there that could be in the way
    if is_socket:
        return _daemon(caller)
    detail = f"{path} is not a socket, so no daemon can listen there."
    return Check("daemon", "error", detail, f"mv {path} {path}.away")


def _daemon(caller: Caller) -> Check:
    try:
        status = daemon_status(caller.settings)
    except Unavailable:
        return _silent_daemon(caller)
    except WmError as error:
        return Check("daemon", "error", error.message, error.fix)
    if why := outdated(status):
        return Check("daemon", "warning", f"is outdated: {why}", FIX)
    if lost := lost_events(status):
        return Check("daemon", "warning", f"answers, but {lost}", "wm logs, then wm down; wm up")
    return Check("daemon", "ok", f"answers, pid {status['pid']}")


def _silent_daemon(caller: Caller) -> Check:
    """No answer: the daemon is down, starting, or hanging."""
    if is_ending(caller.settings):
        return Check("daemon", "note", "is stopping, and still writes accepted requests", "wm logs")
    path = caller.settings.paths.socket
    if other := listens_elsewhere(caller.settings):
        detail = f"listens on {other}, not on {path}: XDG_RUNTIME_DIR or WM_SOCKET was another one "
        detail += "at its start. Everything works without it, only slower"
        return Check("daemon", "note", detail, f"export WM_SOCKET={other}")
    owner = holder(caller.settings)
    if owner:
        return Check("daemon", "error", f"does not answer; it is {owner}", "End that process.")
    if not os.path.lexists(path) and (above := _hindrance(path)):
        detail = f"cannot start: its socket {path} cannot be created in {above}"
        fix = "Correct or unset XDG_RUNTIME_DIR, or set WM_SOCKET to a path in a folder of yours."
        return Check("daemon", "error", detail, fix)
    if has_listener(path):
        detail = f"is down, and another program listens on {path}"
        return Check("daemon", "error", detail, "Stop it, or set WM_SOCKET to another path.")
    return Check("daemon", "note", "is down; everything works without it, only slower", "wm up")


def _agents(caller: Caller) -> Iterator[Check]:
    try:
        facts = look(caller.settings)
    except UserError as error:
        yield Check("agents", "error", error.message, error.fix)
        return
    states = agent_setup.states(facts)
    if not states:
        yield Check("agents", "note", "no coding agent that wm knows is installed here")
    words = {
        "current": ("ok", "wired", ""),
        "stale": ("warning", "its files are older than this wm", "wm setup"),
        "absent": ("note", "found, not set up", "wm setup"),
    }
    blocked, remarks = agent_setup.blocked(facts), agent_setup.remarks(facts)
    for agent, state in states.items():
        if agent in blocked:
            yield Check(agent, "error", blocked[agent].message, blocked[agent].fix)
            continue
        verdict, detail, fix = words[state]
        yield Check(agent, verdict, detail, fix)
        if agent in remarks and state != agent_setup.ABSENT:
            yield Check(agent, "warning", remarks[agent])


def _contract(caller: Caller) -> Iterator[Check]:
    """The session contract of the current project, if there is one (CT-2)."""
    try:
        found = contracts.look(caller, caller.call("inspect").place)
    except WmError:
        return  # no project here, or an unreadable one: the checks above report it
    if found is None:
        return
    if found.valid:
        yield Check("contract", "ok", output.home_short(found.file))
        return
    yield Check("contract", "warning", contracts.state_line(found), "wm state validate")
