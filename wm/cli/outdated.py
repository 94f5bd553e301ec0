"""Whether the daemon runs another wm than the one that was called: another version, or code that
was replaced since it began (an upgrade, `git pull`).

Asked where somebody looks (`wm status`, `doctor`, `up`) and where the daemon refused something,
never on the way of a hook. Looks at the times of our own source files; a daemon that was started
from a copy of them at another place is told by its version only.
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

MEND = "wm down; wm up"


def outdated(status: Mapping[str, Any]) -> str:
    """In a few words how the daemon differs, "" where it does not. status: what it says."""
    version = status.get("version")
    if version != __version__:
        return f"version {version}, not {__version__}"
    return "its code was replaced since it began" if _newest() > _begun(status) else ""


def _begun(status: Mapping[str, Any]) -> float:
    """When the daemon began, in seconds since 1970. Clocks may have been set meanwhile, and its
    own count may leave out a sleep of the machine: the later one raises no false alarm."""
    by_count = time.time() - float(status.get("uptimeS", 0.0))
    try:
        return max(by_count, datetime.fromisoformat(str(status.get("startedAt"))).timestamp())
    except ValueError:
        return by_count


def _newest() -> float:
    """When the newest source file of this wm was written; 0 where there are none."""
    newest = 0.0
    for folder, _, names in os.walk(Path(__file__).parents[1]):
        for name in names:
            with contextlib.suppress(OSError):
                if name.endswith(".py"):
                    newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime)
    return newest
