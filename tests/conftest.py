"""What holds for every test."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The machine may be busy: how long an example took says nothing. A run that finds something must
# find it again, so every run tries the same examples; `--hypothesis-profile search` tries others.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", UNHURRIED)
settings.register_profile("same", UNHURRIED, derandomize=True)
settings.load_profile("same")

# A shell that starts a run in the background has it ignore Ctrl-C, and all that it starts: those
# that are stopped with it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def no_daemon_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A daemon that a test leaves serves its folder for ever. Linux only: it reads /proc."""
    yield
    folder, until = tmp_path_factory.getbasetemp(), time.monotonic() + 5.0
    while (left := [*_daemons(folder)]) and time.monotonic() < until:
        time.sleep(0.1)  # one may be ending
    for pid, _home in left:
        os.kill(pid, signal.SIGTERM)
    assert left == [], "tests left these daemons"


def _daemons(folder: Path) -> Iterator[tuple[int, str]]:
    """Process id and home of the daemons, and of what starts them, with a home in this folder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            given = (process / "environ").read_bytes().split(b"\0")
        except OSError:  # it ended, or is another user's
            continue
        places = dict(os.fsdecode(one).partition("=")[::2] for one in given)
        home = places.get("WM_HOME") or places.get("HOME", "")
        is_start = words[3:5] == [b"up", b"--quiet"]
        if (b"wm.daemon" in words or is_start) and Path(home).is_relative_to(folder):
            yield int(process.name), home
