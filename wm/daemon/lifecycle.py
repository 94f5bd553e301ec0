"""Starting the daemon from a client, and waiting for its end (IF-6).

Only explicit commands and the start of an agent's session come here. A client never decides
by itself whether a daemon runs: it starts one, and the lock decides. It imports no event loop.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from wm.daemon.instance import hello, is_free
from wm.errors import Unavailable
from wm.settings import NUMERIC_THREADS, Settings, daemon_environment

STARTED = "started"
RUNNING = "running"
_POLL_S = 0.02
_LITTLE_S = 2.0
"""Behind what the daemon gives its requests, it flushes and lets go of its lock."""
_MAX_TOLD = 64 * 1024


def command() -> tuple[str, ...]:
    """How the daemon is started in the background. -P: the folder we stand in adds nothing."""
    return (sys.executable, "-P", "-m", "wm.daemon", "--background")


def start(
    settings: Settings,
    words: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> bool:
    """Have a daemon that answers; True if this call started it.

    words: the command, where it is not `command()`. environment: ours, if not given; only
    what a daemon needs of it is passed on.

    Another client may start one at the same time: then there is one, and that is no error.
    Raises Unavailable with the reason where none answers within `start_wait_s`.
    """
    if hello(settings) is not None:
        return False
    until = time.monotonic() + settings.daemon.start_wait_s
    told = _run(words or command(), _environment(settings, environment), until)
    lines = told.strip().splitlines()
    if lines and lines[-1] in (STARTED, RUNNING) and hello(settings) is not None:
        return lines[-1] == STARTED
    reason = lines[-1] if lines else "it said nothing"
    raise Unavailable(
        f"The daemon did not start: {reason}", fix="`wm daemon` shows it in the foreground."
    )


def wait_gone(settings: Settings) -> bool:
    """Wait until no daemon holds the lock, `drain_s` and a little at most."""
    until = time.monotonic() + settings.daemon.drain_s + _LITTLE_S
    while not is_free(settings):
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_S)
    return True


def _environment(settings: Settings, given: Mapping[str, str] | None) -> dict[str, str]:
    paths = settings.paths
    environment = daemon_environment(given)
    environment["WM_HOME"] = str(paths.home)
    environment["WM_SOCKET"] = str(paths.socket)
    # Two arenas: with one per thread, glibc keeps the largest body of each thread for good.
    environment["MALLOC_ARENA_MAX"] = "2"
    environment[NUMERIC_THREADS] = "1"
    root = str(Path(__file__).resolve().parents[2])
    if Path(root).name not in ("site-packages", "dist-packages"):
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{root}{os.pathsep}{known}" if known else root
    return environment


def _run(words: Sequence[str], environment: dict[str, str], until: float) -> str:
    """Start the words in the background; what it said on stderr until it let go of it.

    The daemon holds our pipe as its stderr only until it answers (or fails), so the end of
    the pipe is the news, without asking again and again.
    """
    listen, speak = os.pipe()
    try:
        try:
            pid = os.posix_spawn(
                words[0],
                list(words),
                environment,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, speak, 2),
                ],
            )
        finally:
            os.close(speak)
        told = _read_to_end(listen, until)
        # The child left as soon as its own child was on its way.
        os.waitpid(pid, 0)
    except OSError as error:
        raise Unavailable(f"The daemon cannot be started: {error.strerror}.") from error
    finally:
        os.close(listen)
    return told


def _read_to_end(fd: int, until: float) -> str:
    told = b""
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    while len(told) < _MAX_TOLD:
        left = until - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise Unavailable("The daemon did not answer in time after its start.")
        data = os.read(fd, 4096)
        if not data:
            break
        told += data
    return told.decode("utf-8", "replace")
