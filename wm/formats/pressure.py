"""`sessions/<sid>_pressure.json`: how full the context of one session is (PS-1, PS-3)."""

from typing import ClassVar

from wm.formats.base import Document, Record, optional

LEVELS = ("safe", "moderate", "high", "critical")
"""PS-1, from the lowest up."""

BASES = ("characters", "tokens")
"""What `used` and `limit` count: what the hooks heard, or what the provider reported."""


class LargeItem(Record):
    """One of the largest things that a session put into its context.

    what: the tool and what it was given, shortened. chars: its size. handle: the name under
    which the whole output is kept, "" where it is not.
    """

    what: str
    chars: int
    handle: str = optional("")
    at: str = ""


class Heard(Record):
    """What the hooks heard of the context since it began: its size, and its largest items."""

    chars: int = 0
    largest: tuple[LargeItem, ...] = optional(())


class Pressure(Document):
    """The last measure, and what was said about it.

    used, limit: in the unit of `basis`. source: who measured. stale: the number that was
    measured last before the context was replaced; a report that repeats it came late.
    began: what the context held when the session was resumed.
    told: the highest level that this rise was told about; waiting: the one that it is still to
    be told about. Both are empty while there is nothing to say.
    """

    slug: ClassVar[str] = "pressure"

    version: int = 1
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
    told: str = optional("")
    waiting: str = optional("")
    warnings_sent: int = 0
    interventions_sent: int = 0
    last_intervention_at: str = optional("")
