"""May two entries that are near in meaning state the same, or contradict each other? (WM-8, RC-1)

A hint for people: nothing is merged or refused for it. Likeness alone proposes nothing. For
"the same" all that carries meaning must agree: numbers and amounts, denials, identifiers, paths
and URLs. For "contradicts" one of number and denial must differ while names and paths agree.
Where names or paths differ they are two facts, however alike the sentences are.
"""

from __future__ import annotations

from wm.domain.workspace.contradiction import Saying, contradict, saying
from wm.formats.workspace_memory import MemoryEntry
from wm.settings import RecallSettings

SAME, AGAINST = "may_be_same", "may_contradict"

_EDGE = "\"'`“”‘’«»()[]{}<>,;:!?."


def hint(a: MemoryEntry, b: MemoryEntry, likeness: float, settings: RecallSettings) -> str:
    """A reason code, or "" where nothing is to be said of the two."""
    if a.scope != b.scope or _linked(a, b) or _linked(b, a):
        return ""
    one, two = saying(a.text), saying(b.text)
    if contradict(one, two):
        return AGAINST
    if one.said.identity != two.said.identity or not _names_agree(a.text, b.text):
        return ""
    amounts = _amounts(one) == _amounts(two)
    if amounts and one.denied == two.denied and one.ended == two.ended:
        return SAME if likeness >= settings.same_hint else ""
    # One that names no amount says less, and nothing against the other.
    told = amounts or (one.values and two.values)
    return AGAINST if told and likeness >= settings.against_hint else ""


def _linked(a: MemoryEntry, b: MemoryEntry) -> bool:
    return b.id in a.supersedes or a.superseded_by == b.id


def _amounts(said: Saying) -> tuple[str, ...]:
    return tuple(sorted(said.values))


def _names_agree(a: str, b: str) -> bool:
    """Each name that one text writes stands in the other one, too."""
    return _names(a) <= _words(b) and _names(b) <= _words(a)


def _words(text: str) -> frozenset[str]:
    return frozenset(token.strip(_EDGE).lower() for token in text.split())


def _names(text: str) -> frozenset[str]:
    """Words written as names or identifiers; a capital at the beginning of a sentence is none."""
    found, begins = set(), True
    for token in text.split():
        bare = token.strip(_EDGE)
        inside = any(char.isupper() or char in "_./@:" for char in bare[1:])
        if inside or "`" in token or (bare[:1].isupper() and not begins):
            found.add(bare.lower())
        begins = token[-1] in ".!?:"
    return frozenset(found)
