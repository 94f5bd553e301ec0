"""Why a hit was found, in words (RC-1): what of the query stands in it and what raised it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Reasons(NamedTuple):
    """What matched. words: query words as typed. names: identifiers and paths found whole.
    related: query words that matched through a word used for them or a beginning. alike: the
    meaning is near, by the vectors."""

    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    alike: bool = False
    phrase: bool = False
    time: str = ""
    superseded: bool = False


def explain(reasons: Reasons) -> str:
    """One line, for example `name quoted_until; words valid, field; phrase`."""
    held = reasons.names or reasons.words or reasons.related
    parts = [
        _listed("name", reasons.names),
        _listed("words", reasons.words),
        _listed("related to", reasons.related),
        # Where words tell why, likeness adds nothing, and vectors may come a moment later.
        "alike in meaning" if reasons.alike and not held else "",
        "as a phrase" if reasons.phrase else "",
        f"time {reasons.time}" if reasons.time else "",
        "superseded" if reasons.superseded else "",
    ]
    return "; ".join(filter(None, parts))


def _listed(what: str, words: Iterable[str]) -> str:
    told = ", ".join(words)
    return f"{what} {told}" if told else ""
