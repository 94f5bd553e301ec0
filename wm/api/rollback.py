"""Request and response of `rollback`: reverse what models taught the memory since a moment
(TR-3)."""

from wm.api.diagnosis import ActView
from wm.api.protocol import Scoped, WorkspacePlace
from wm.formats.base import Record


class RollbackRequest(Scoped):
    """since: a span (`2h`), a date or a time, as a person writes it."""

    since: str


class RolledBack(Record):
    """One act that was, or would be, reversed. becomes: the resulting state of its entry."""

    act: ActView
    becomes: str
    event: str = ""


class Rollback(Record):
    """applied: False for the plan, which lists exactly what the run does.

    taken: reversed acts, newest first, in this order. kept: learned since then but not reversed,
    each with `why_not`. yours: acts of people since then, which are not reversed either.
    """

    place: WorkspacePlace
    since: str
    applied: bool = False
    taken: tuple[RolledBack, ...] = ()
    kept: tuple[ActView, ...] = ()
    yours: tuple[ActView, ...] = ()
    more: int = 0
    """Acts beyond the most that one run examines."""
