"""Reports problems of the daemon to a person: it is outdated, or events were lost.

Outdated means that it runs another wm than the one that was called: another version, or code that
was replaced after it started (an upgrade, `git pull`). Checked by `wm status`, `doctor` and `up`,
and after a refusal, never on a hook's path. Compares the modification times of our source files; a
daemon started from a copy of them elsewhere is recognised by its version only.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from wm import __version__
from wm.cli import output

FIX = "wm up"
"""Replaces an outdated daemon. `wm setup` does that too, and updates the agents' files."""


def outdated(status: Mapping[str, Any]) -> str:
    """How the daemon differs, in a few words; "" if it does not. status: the daemon's report."""
    version = status.get("version")
    if version != __version__:
        return f"version {version}, not {__version__}"
    return "its code was replaced since it started" if _newest() > _begun(status) else ""


def _begun(status: Mapping[str, Any]) -> float:
    """When the daemon started, in seconds since 1970. The clock may have been set since, and the
    uptime may exclude the machine's sleep: the later of the two causes no false alarm."""
    by_count = time.time() - float(status.get("uptimeS", 0.0))
    try:
        return max(by_count, datetime.fromisoformat(str(status.get("startedAt"))).timestamp())
    except ValueError:
        return by_count


def _newest() -> float:
    """Modification time of the newest source file of this wm; 0 if there is none."""
    newest = 0.0
    for folder, _, names in os.walk(Path(__file__).parents[1]):
        for name in names:
            with contextlib.suppress(OSError):
                if name.endswith(".py"):
                    newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime)
    return newest


def lost_events(status: Mapping[str, Any] | None) -> str:
    """A sentence about agents' events that this daemon queued and could not write later (IF-6), or
    "". The log has the details."""
    number = int((status or {}).get("lostEvents", 0))
    if not number:
        return ""
    why = (status or {}).get("lastLoss", "")
    events = output.count(number, "event of an agent", "events of agents")
    return f"{events} could not be written since it started. The last: {why}"
