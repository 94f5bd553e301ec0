"""Whether the model needs removed content, from its behaviour (GA-3). Pure.

The Messages API has no token probabilities, so the last exchange decides: a file that the model
wrote and names again, identifiers that exist only in removed content, a failed edit of a file that
was removed, its use again, and hedging in eight languages. Does not decide how much may be spent on
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from msgspec import Struct

from wm.text.letters import without_invisible
from wm.text.patterns import Pattern, compile
from wm.text.tables import Tables

SOURCE = "behaviour"
"""The source of the signal, logged as the reason of its decisions. Upstreams with token
probabilities could have another."""
_TABLES = Tables("wm.domain.paging", "hedging.toml")
_JOINED = frozenset({"zh"})
"""Languages that write no spaces between words."""
_LEAST = 2.0
_ASKED, _FAILED, _OWN, _MENTIONED, _HEDGED, _USED = 2.0, 2.0, 1.0, 1.0, 1.0, 0.5
"""In recorded sessions a name that only removed content has was followed by a need in 1 of 15
cases, a file of the model's own in 1 of 8, both together in 4 of 10."""


class BehaviourEvidence(Struct, frozen=True):
    """Why a removed block may be needed.

    own: it is the text of a file that the model wrote and names again. mentioned, asked:
    identifiers that only removed content has, in what the model wrote, and in what the user wrote
    then. failed: an edit of its file failed. used: its file is read, searched or written again.
    """

    place: str
    own: bool = False
    mentioned: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    failed: bool = False
    used: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.mentioned, *self.asked)


def needed(evidence: Iterable[BehaviourEvidence], *, hedges: bool) -> BehaviourEvidence | None:
    """The block for which the evidence is strongest; None if it is too weak for any. hedges: the
    model said that it does not know exactly. The later of equal ones wins: it is newer."""
    best, most = None, _LEAST
    for one in evidence:
        weight = _weight(one) + (_HEDGED if hedges else 0.0)
        if _weight(one) and weight >= most:
            best, most = one, weight
    return best


def _weight(one: BehaviourEvidence) -> float:
    return (
        _OWN * one.own
        + _ASKED * len(one.asked)
        + _FAILED * one.failed
        + _MENTIONED * len(one.mentioned)
        + _USED * one.used
    )


def hedges(text: str) -> bool:
    """Whether the model says that it does not know something exactly."""
    plain = without_invisible(text).replace("\u2019", "'").lower()
    return any(pattern.search(plain) is not None for pattern in _patterns())


@cache
def _patterns() -> tuple[Pattern, ...]:
    rows: dict[str, str] = _TABLES.table("phrases")
    joined = [p for lang in rows if lang in _JOINED for p in rows[lang].split("|")]
    words = [p for lang in rows if lang not in _JOINED for p in rows[lang].split("|")]
    apart = rf"(?:^|[^\pL\pN])(?:{'|'.join(words)})(?:$|[^\pL\pN])"
    return compile(apart), compile("|".join(joined))
