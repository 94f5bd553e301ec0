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
from wm.cli.entries import WORDS
from wm.cli.options import flag
from wm.cli.verbs.diagnosis.files import THE_HOME
from wm.daemon.instance import has_listener, holder, is_ending, listens_elsewhere
from wm.errors import Unavailable, UserError, WmError
from wm.ops.search.model_choice import trouble_of
from wm.ops.storage.check import check_store, folder_class
from wm.settings import Settings

_CHECKS: dict[str, list[str]] = WORDS.table("doctor")
"""What a check found -> its verdict, the detail, and the fix."""

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
    version, program = sys.version.split()[0], sys.executable
    yield _check("python", version=version, program=program)
    yield from _config(caller.settings)
    yield _home(caller.settings.paths.home)
    yield _folder(caller)
    yield from _files(caller)
    yield _socket(caller)
    yield from _agents(caller)
    yield from _contract(caller)
    yield from _model(caller)


def _check(row: str, **values: object) -> Check:
    """A check in the words of `words.toml`. row: its name, and behind a dot its result."""
    verdict, detail, fix = (text.format(**values) for text in _CHECKS[row])
    return Check(row.partition(".")[0], verdict, detail, fix)


def _model(caller: Caller) -> Iterator[Check]:
    """A chosen model that cannot be opened; the default model is not listed."""
    try:
        with caller.opened() as runtime:
            why = trouble_of(runtime)
    except WmError:
        return  # reported above
    if why:
        yield _check("model", why=why)


def _config(settings: Settings) -> Iterator[Check]:
    """A config.toml that cannot be used or contains removed options; a sound one is not listed."""
    wrong = settings.config_error
    if wrong is not None:
        yield _check("config.unusable", message=wrong.message, fix=wrong.fix)
    if settings.config_warning:
        yield _check("config.ignored", warning=settings.config_warning)


def _home(home: Path) -> Check:
    try:
        info = os.stat(home)
    except FileNotFoundError:
        return _future_home(home)
    except OSError as error:
        return _check("home.unreachable", home=home, why=error.strerror)
    mode = stat.S_IMODE(info.st_mode)
    if not stat.S_ISDIR(info.st_mode):
        return _check("home.not_a_folder", home=home)
    if info.st_uid != os.geteuid():
        return _check("home.foreign", home=home)
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        return _check("home.closed", home=home)
    if mode & 0o077:
        return _check("home.open", home=home, mode=mode)
    return _check("home.private", home=output.home_short(str(home)))


def _future_home(home: Path) -> Check:
    """A home that the first write will create."""
    above = _hindrance(home)
    if above is None:
        return _check("home.missing", home=output.home_short(str(home)))
    return _check("home.impossible", home=home, above=above)


def _hindrance(path: Path) -> Path | None:
    """The folder above in which we cannot create the path; None: it can be created."""
    above = next(folder for folder in path.parents if os.path.exists(folder))
    return None if above.is_dir() and os.access(above, os.W_OK | os.X_OK) else above


def _folder(caller: Caller) -> Check:
    home = caller.settings.paths.home
    kind, name = folder_class(str(home))
    if trouble := _no_room(home):
        return _check("disk.full", trouble=trouble)
    verdict = {"durable": "ok", "best_effort": "note"}.get(kind, "warning")
    return _check("disk", verdict=verdict, name=name, kind=kind.replace("_", " "))


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
        yield _check("files.sound")
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
    return _check("daemon.no_socket", path=path)


def _daemon(caller: Caller) -> Check:
    try:
        status = daemon_status(caller.settings)
    except Unavailable:
        return _silent_daemon(caller)
    except WmError as error:
        return Check("daemon", "error", error.message, error.fix)
    if why := outdated(status):
        return _check("daemon.outdated", why=why, fix=FIX)
    if lost := lost_events(status):
        return _check("daemon.lost", lost=lost)
    return _check("daemon.answers", pid=status["pid"])


def _silent_daemon(caller: Caller) -> Check:
    """No answer: the daemon is down, starting, or hanging."""
    if is_ending(caller.settings):
        return _check("daemon.stopping")
    path = caller.settings.paths.socket
    if other := listens_elsewhere(caller.settings):
        return _check("daemon.elsewhere", other=other, path=path)
    if owner := holder(caller.settings):
        return _check("daemon.hangs", owner=owner)
    if not os.path.lexists(path) and (above := _hindrance(path)):
        return _check("daemon.impossible", path=path, above=above)
    return _check("daemon.another" if has_listener(path) else "daemon.down", path=path)


def _agents(caller: Caller) -> Iterator[Check]:
    try:
        facts = look(caller.settings)
    except UserError as error:
        yield Check("agents", "error", error.message, error.fix)
        return
    states = agent_setup.states(facts)
    if not states:
        yield _check("agents.none")
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
