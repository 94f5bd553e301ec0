"""Reports problems of the daemon to a person: it is outdated, or events were lost.

Outdated means that it runs another wm than the one that was called: another version, another
installation, or files that were replaced after it started (an upgrade, `git pull`). Checked by
`wm status`, `doctor` and `up`, and after a refusal, never on a hook's path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wm import __version__
from wm.cli import output
from wm.daemon.code import PACKAGE, digest, stamps

FIX = "wm up"
"""Replaces an outdated daemon. `wm setup` does that too, and updates the agents' files."""


def outdated(status: Mapping[str, Any]) -> str:
    """How the daemon differs, in a few words; "" if it does not. status: the daemon's report."""
    version = status.get("version")
    if version != __version__:
        return f"version {version}, not {__version__}"
    package = str(status.get("package") or PACKAGE)
    if package != PACKAGE:
        return f"runs the wm in {output.home_short(package)}, not this one"
    same = status.get("code") == digest(stamps())
    return "" if same else "its code was replaced since it started"


def lost_events(status: Mapping[str, Any] | None) -> str:
    """A sentence about agents' events that this daemon queued and could not write later (IF-6), or
    "". The log has the details."""
    number = int((status or {}).get("lostEvents", 0))
    if not number:
        return ""
    why = (status or {}).get("lastLoss", "")
    events = output.count(number, "event of an agent", "events of agents")
    return f"{events} could not be written since it started. The last: {why}"
