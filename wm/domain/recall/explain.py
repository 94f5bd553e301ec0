"""Why a hit was found, in words (RC-1): what of the query stands in it and what raised it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_LISTED = 12
"""Words of a kind that are named: of a pasted text hundreds may match."""


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
        parts.append("name " + _listed(reasons.names))
    if reasons.words:
        parts.append("words " + _listed(reasons.words))
    if reasons.related:
        parts.append("related to " + _listed(reasons.related))
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


def _listed(words: Sequence[str]) -> str:
    shown = ", ".join(words[:_LISTED])
    return shown if len(words) <= _LISTED else f"{shown} and {len(words) - _LISTED} more"
