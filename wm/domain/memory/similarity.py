"""Hint whether two similar entries may state the same fact or contradict each other (WM-8, RC-1).

A hint for people: nothing is merged or refused because of it. Similarity alone gives no hint. For
"the same" everything that carries meaning must agree: numbers and amounts, denials, identifiers,
paths and URLs. For "contradicts" either number or denial must differ while names and paths agree.
If names or paths differ, or the numbers of two numbered things, they are two facts, however similar
the sentences are.
"""

from __future__ import annotations

from wm.domain.change.compare import Pair
from wm.domain.change.contradiction import Proposition, contradict, proposition
from wm.domain.change.statement import reading
from wm.formats.workspace_memory import MemoryEntry
from wm.settings import RecallSettings

SAME, AGAINST = "may_be_same", "may_contradict"

_EDGE = "\"'`“”‘’«»()[]{}<>,;:!?."


def hint(a: MemoryEntry, b: MemoryEntry, likeness: float, settings: RecallSettings) -> str:
    """A reason code, or "" if there is nothing to report."""
    if a.scope != b.scope or _linked(a, b) or _linked(b, a):
        return ""
    if Pair(reading(a.text), reading(b.text)).is_about_another():
        return ""
    one, two = proposition(a.text), proposition(b.text)
    if contradict(one, two):
        return AGAINST
    if one.said.identity != two.said.identity or not _names_agree(a.text, b.text):
        return ""
    amounts = _amounts(one) == _amounts(two)
    if amounts and one.denied == two.denied and one.ended == two.ended:
        return SAME if likeness >= settings.same_hint else ""
    # A text without an amount says less, but does not contradict the other.
    comparable = amounts or (one.values and two.values)
    return AGAINST if comparable and likeness >= settings.against_hint else ""


def _linked(a: MemoryEntry, b: MemoryEntry) -> bool:
    return b.id in a.supersedes or a.superseded_by == b.id


def _amounts(said: Proposition) -> tuple[str, ...]:
    return tuple(sorted(said.values))


def _names_agree(a: str, b: str) -> bool:
    """Whether each name in one text also occurs in the other."""
    return _names(a) <= _words(b) and _names(b) <= _words(a)


def _words(text: str) -> frozenset[str]:
    return frozenset(token.strip(_EDGE).lower() for token in text.split())


def _names(text: str) -> frozenset[str]:
    """Words written as names or identifiers; a capital that starts a sentence does not count."""
    found, begins = set(), True
    for token in text.split():
        bare = token.strip(_EDGE)
        inside = any(char.isupper() or char in "_./@:" for char in bare[1:])
        if inside or "`" in token or (bare[:1].isupper() and not begins):
            found.add(bare.lower())
        begins = token[-1] in ".!?:"
    return frozenset(found)
