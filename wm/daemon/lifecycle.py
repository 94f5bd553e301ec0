"""Start the daemon from a client, and wait for its end (IF-6).

Only explicit commands and the start of an agent's session use this. A client never decides
whether a daemon runs: it starts one, and the lock decides. Imports no event loop.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from wm.daemon.instance import is_free, probe
from wm.errors import Unavailable
from wm.settings import NUMERIC_THREADS, Settings, daemon_environment

STARTED = "started"
RUNNING = "running"
_POLL_S = 0.02
_LITTLE_S = 2.0
"""Time beyond the drain in which the daemon flushes and releases its lock."""


def command() -> tuple[str, ...]:
    """The command that starts the daemon in the background. -P keeps the current folder off the
    import path."""
    return (sys.executable, "-P", "-m", "wm.daemon", "--background")


def start(
    settings: Settings,
    words: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> bool:
    """Make sure that a daemon answers; True if this call started it.

    words: the command, instead of `command()`. environment: instead of our own; only the variables
    that a daemon needs are passed on.

    If another client starts one at the same time, one of the two serves; that is not an error.
    Raises Unavailable with the reason if none answers within `start_wait_s`.
    """
    found = probe(settings)
    is_ours = found is not None and found.get("home") == str(settings.paths.home)
    # Our own daemon is about to end when it answers without its lock.
    if found is not None and not (is_ours and is_free(settings)):
        return False
    until = time.monotonic() + settings.daemon.start_wait_s
    output = _run(words or command(), _environment(settings, environment), until)
    lines = output.strip().splitlines()
    if lines and lines[-1] in (STARTED, RUNNING) and probe(settings) is not None:
        return lines[-1] == STARTED
    reason = lines[-1] if lines else "it printed nothing"
    raise Unavailable.of("daemon.did_not_start", reason=reason)


def detach() -> None:
    """Detach from the caller's session, folder and file descriptors. A caller's pipe that stays
    open here would never end for its reader (F27)."""
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    os.umask(0o077)
    _close_inherited()


def _close_inherited() -> None:
    try:
        names = os.listdir("/dev/fd")
    except OSError:  # /proc is missing in some containers
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        return
    for name in names:
        if int(name) > 2:
            with suppress(OSError):  # the list includes the descriptor of the listing itself
                os.close(int(name))


def wait_stopped(settings: Settings) -> bool:
    """Wait until no daemon holds the lock, at most `drain_s` and a little."""
    until = time.monotonic() + settings.daemon.drain_s + _LITTLE_S
    while not is_free(settings):
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_S)
    return True


def _environment(settings: Settings, given: Mapping[str, str] | None) -> dict[str, str]:
    paths = settings.paths
    environment = daemon_environment() if given is None else daemon_environment(given)
    environment["WM_HOME"] = str(paths.home)
    environment["WM_SOCKET"] = str(paths.socket)
    # Two arenas: with one per thread, glibc keeps the largest body of each thread forever.
    environment["MALLOC_ARENA_MAX"] = "2"
    environment[NUMERIC_THREADS] = "1"
    root = str(Path(__file__).resolve().parents[2])
    if Path(root).name not in ("site-packages", "dist-packages"):
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{root}{os.pathsep}{known}" if known else root
    return environment


def _run(words: Sequence[str], environment: dict[str, str], until: float) -> str:
    """Run the command in the background; return what it wrote to stderr until it closed that.

    The daemon keeps our pipe as stderr only until it answers or fails, so the end of the pipe
    is the signal, and no polling is needed.
    """
    try:
        done = subprocess.run(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=max(0.0, until - time.monotonic()),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable("The daemon did not answer in time after its start.") from None
    except OSError as error:
        raise Unavailable(f"The daemon cannot be started: {error.strerror}.") from error
    return done.stderr.decode("utf-8", "replace")
