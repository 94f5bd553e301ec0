"""What a rule has to report: facts for the evidence log, and refusals that are normal.

Values only: the log record itself (ids, times, producer) is made where a transaction is.
It protects one rule: nothing is kept, dropped, shown or refused without a reason (EV-1).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from wm.formats.evidence import Outcome, Phase

Detail = str | int | float | bool | None | tuple[str, ...] | tuple[int, ...]
"""What the details of an evidence record may hold: flat values, and lists of one kind."""


class Fact(Struct, frozen=True):
    """One thing that happened to an entry, ready to be logged.

    type: the event's word, for example `memory_promoted`. phase and outcome are the closed
    words of `wm.formats.evidence`. entry: id, "" where there is none. Details hold names,
    ids, codes and numbers; what they quote must be redacted by whoever quotes.
    """

    type: str
    phase: Phase
    outcome: Outcome
    entry: str = ""
    reason_codes: tuple[str, ...] = ()
    details: Mapping[str, Detail] = field(default_factory=dict)


class Refusal(Struct, frozen=True):
    """A normal "no": a code for programs, a whole sentence for people, the figures behind it.

    fix: what the reader can do about it, a sentence or "".
    """

    code: str
    message: str
    details: Mapping[str, Detail] = field(default_factory=dict)
    fix: str = ""
