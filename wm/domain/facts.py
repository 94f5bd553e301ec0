"""What a rule reports: facts for the evidence log, and expected refusals.

Values only: the transaction adds ids, times and the producer when it makes the log record.
Protects one rule: nothing is kept, dropped, shown or refused without a reason (EV-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from wm.formats.evidence import Outcome, Phase
from wm.text.tables import Tables

_REFUSALS = Tables("wm.domain", "refusals.toml")

Detail = str | int | float | bool | None | tuple[str, ...] | tuple[int, ...]
"""Allowed values of a detail: scalars, and tuples of one scalar type."""


class Fact(Struct, frozen=True):
    """One event about an entry, ready to be logged.

    type: the name of the event, for example `memory_promoted`. phase, outcome: the closed word
    lists of `wm.formats.evidence`. entry: its id, "" if there is none. details: names, ids, codes
    and numbers; the caller redacts any text that it quotes.
    """

    type: str
    phase: Phase
    outcome: Outcome
    entry: str = ""
    reason_codes: tuple[str, ...] = ()
    details: Mapping[str, Detail] = field(default_factory=dict)


def parts_of(command: str, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts as parts of one act. command: the id of its record, or "" if they are acts of their
    own."""
    part = {"command": command} if command else {}
    return tuple(replace(fact, details={**fact.details, **part}) for fact in facts)


class Refusal(Struct, frozen=True):
    """An expected "no": a code for programs and a sentence for people.

    fix: a sentence that tells the reader what to do, or "".
    """

    code: str
    message: str
    fix: str = ""

    @classmethod
    def of(cls, row: str, /, **values: object) -> Refusal:
        """The refusal in the words of `refusals.toml`. row: topic and name; values: those in
        braces."""
        topic, name = row.split(".")
        code, *words = _REFUSALS.table(topic)[name]
        return cls(code, *(each.format(**values) for each in words))
