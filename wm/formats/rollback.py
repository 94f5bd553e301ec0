"""Request and response of `rollback`: what models taught the memory since a moment (TR-3)."""

from wm.formats.base import Record
from wm.formats.diagnosis import ActView
from wm.formats.protocol import Place, Scoped


class RollbackRequest(Scoped):
    """since: a span (`2h`), a date or a time, as a person says it."""

    since: str


class RolledBack(Record):
    """One act that was, or would be, taken back. becomes: what that makes of its entry."""

    act: ActView
    becomes: str
    event: str = ""


class Rollback(Record):
    """applied: False for the plan, which says exactly what the run does.

    taken: newest first, as they are taken back. kept: learned since then, but it stays, each
    with `why_not`. yours: what people did since then; it stays as well.
    """

    place: Place
    since: str
    applied: bool = False
    taken: tuple[RolledBack, ...] = ()
    kept: tuple[ActView, ...] = ()
    yours: tuple[ActView, ...] = ()
    more: int = 0
    """Acts beyond those that one run looks at."""
