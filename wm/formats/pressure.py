"""`sessions/<sid>_pressure.json`: how full the context of one session is (PS-1, PS-3).

A document of its own, because it changes with other events than the session's state. It names
large items by tool and size, and never contains their text.
"""

from typing import ClassVar

from wm.formats.base import Document, Record, optional

LEVELS = ("safe", "moderate", "high", "critical")
"""The levels of PS-1, in ascending order."""


class LargeItem(Record):
    """One of the largest items that a session put into its context.

    what: the tool and its input, shortened. chars: its size. handle: the id under
    which the complete output is kept, "" if it is not kept.
    """

    what: str
    chars: int
    handle: str = optional("")
    at: str = ""


class SeenContext(Record):
    """What the hooks saw of the context since it began: its size and its largest items."""

    chars: int = 0
    largest: tuple[LargeItem, ...] = optional(())


class Pressure(Document):
    """The last measurement, and the reports that were made about it.

    used, limit: in the unit of `basis`. source: who measured. stale: the last number
    measured before the context was replaced; a report that repeats it is outdated.
    began: the size of the context when the session was resumed.
    reported: the highest level already reported during this rise (`told` in the file); waiting:
    the level still to be reported. Both are empty if there is nothing to report.
    """

    slug: ClassVar[str] = "pressure"

    session_id: str
    level: str = "safe"
    percentage: float = 0.0
    basis: str = "characters"
    used: int = 0
    limit: int = 0
    model: str = optional("")
    source: str = optional("")
    last_checked: str = ""
    level_since: str = ""
    stale: int = optional(0)
    began: int = optional(0)
    reported: str = optional("", alias="told")
    waiting: str = optional("")
    warnings_sent: int = 0
    interventions_sent: int = 0
    last_intervention_at: str = optional("")
