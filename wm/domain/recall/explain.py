"""Why a hit was found, in words (RC-1): what of the query stands in it and what raised it."""

from __future__ import annotations

from typing import NamedTuple


class Reasons(NamedTuple):
    """What matched. words: query words as typed. names: identifiers and paths found whole.
    related: query words that matched through a word used for them or a beginning. heir: it took
    the place of what matches. alike: the meaning is near, by the vectors."""

    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    heir: bool = False
    alike: bool = False
    phrase: bool = False
    time: str = ""
    superseded: bool = False


def explain(reasons: Reasons) -> str:
    """One line, for example `name quoted_until; words valid, field; phrase`. Never empty: what
    nothing else explains was found by its vectors, though they are not near."""
    parts = []
    if reasons.names:
        parts.append("name " + ", ".join(reasons.names))
    if reasons.words:
        parts.append("words " + ", ".join(reasons.words))
    if reasons.related:
        parts.append("related to " + ", ".join(reasons.related))
    if reasons.heir:
        parts.append("replaced what matches")
    # Where words tell why, likeness adds nothing, and vectors may come a moment later.
    if reasons.alike and not parts:
        parts.append("alike in meaning")
    if reasons.phrase:
        parts.append("as a phrase")
    if reasons.time:
        parts.append(f"time {reasons.time}")
    if not parts:
        parts.append("faintly alike in meaning")
    if reasons.superseded:
        parts.append("superseded")
    return "; ".join(parts)
