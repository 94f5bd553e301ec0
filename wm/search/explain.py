"""Explain in words why a hit matched and what raised its score (RC-1).

Describes what the ranking did; computes no score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_LISTED = 12
"""Maximum number of words listed per kind: hundreds of words of a pasted text may match."""


class Reasons(NamedTuple):
    """What matched. words: query words as typed. names: whole identifiers and paths. related: query
    words that matched through a synonym, a prefix or a part. heir: a document it replaced matched.
    alike: the vectors are similar."""

    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    heir: bool = False
    alike: bool = False
    time: str = ""
    superseded: bool = False


def explain(reasons: Reasons) -> str:
    """One line, for example `name quoted_until; words valid, field`. Never empty: without
    any other reason the hit was found by its vectors, though they are not very similar."""
    named = (
        ("name", _listed(reasons.names)),
        ("words", _listed(reasons.words)),
        ("related to", _listed(reasons.related)),
        ("replaced", "a match" if reasons.heir else ""),
    )
    parts = [f"{how} {what}" for how, what in named if what]
    # Similarity is listed only without other reasons; the vectors may arrive a moment later.
    parts += ["similar in meaning"] if reasons.alike and not parts else []
    parts += [f"time {reasons.time}"] if reasons.time else []
    parts = parts or ["slightly similar in meaning"]
    return "; ".join([*parts, "superseded"] if reasons.superseded else parts)


def _listed(words: Sequence[str]) -> str:
    shown = ", ".join(words[:_LISTED])
    return shown if len(words) <= _LISTED else f"{shown} and {len(words) - _LISTED} more"
