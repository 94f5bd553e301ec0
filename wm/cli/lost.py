"""What the daemon answered when it queued it and could not write afterwards (IF-6).

Nobody waits for such an event, so this is where a person hears of it. Says how many and why the
last; what each was stands in the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wm.cli import output


def lost_events(status: Mapping[str, Any] | None) -> str:
    """A sentence about the events of agents that this daemon lost; "" where there are none.

    status: what the daemon says of itself.
    """
    number = int((status or {}).get("lostEvents", 0))
    if not number:
        return ""
    why = (status or {}).get("lastLoss", "")
    events = output.count(number, "event of an agent", "events of agents")
    return f"{events} could not be written since it began. The last: {why}"
