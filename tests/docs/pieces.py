"""Makes `wm/domain/pieces.py`: what a text holds at least where a pattern of a table matches it.

From each pattern its strings are taken of which one has to stand in every text that it matches,
and of each string the few least usual letters. Texts that hold none of them need not be matched,
and most of a table need not even be compiled. Asks nothing of how a pattern is matched; where it
says nothing for certain, the pattern stays without pieces, and is always tried.
"""

from __future__ import annotations

import re._constants as kinds  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from wm.domain.patterns import FOREIGN_PIECE, PIECE, Sift, mark_of
from wm.domain.workspace import contradiction, quality

TABLES: Mapping[str, Sift] = {
    "GATE": quality.SIFT,
    "ENDS": contradiction.SIFT,
}

MOST = 24
"""Strings that are followed side by side."""
_USUAL = " etaoinsrhldcumpfgwybvkxjqz"
"""From the most frequent letter to the rarest, roughly."""
_UNQUOTED = frozenset('"\\|\n\t')
"""Letters that would have to be written otherwise in the file."""
_HEAD = '''"""Letters of which some stand in every text that a pattern matches (`patterns.Sift`).

Made from the patterns by `python -m tests.docs.build`: of each table a number that tells whether
it is of the patterns as they are, and a row for each pattern, "" where it may match anything.
"""

# ruff: noqa: E501  One row, one pattern.
'''


def text() -> str:
    return _HEAD + "".join(_table(name, sift) for name, sift in TABLES.items())


def _table(name: str, sift: Sift) -> str:
    rows = "".join(f'        "{"|".join(pieces(p.text))}",\n' for p in sift.patterns)
    return f"\n{name} = (\n    {mark_of(sift.patterns)},\n    (\n{rows}    ),\n)\n"


class Needs(NamedTuple):
    """exact: all that it matches, None where that is too much to tell. needed: one of these stands
    in whatever it matches, None where nothing is known to."""

    exact: frozenset[str] | None
    needed: frozenset[str] | None


_ANYTHING = Needs(None, None)
_NOTHING = Needs(frozenset([""]), None)


def pieces(pattern: str) -> tuple[str, ...]:
    """Of these one stands in the lower-case form of every text that it matches; () if unknown."""
    found = _closed(_of_all(parser.parse(pattern)))
    held = sorted({_piece(text) for text in found or ()})
    return () if any(map(_UNQUOTED.intersection, held)) else tuple(held)


def _of_all(parts: Iterable[Any]) -> Needs:
    """One part behind the other: the best of what any of them needs."""
    exact: frozenset[str] | None = frozenset([""])
    run: frozenset[str] = frozenset([""])
    best: frozenset[str] | None = None
    for part in parts:
        told = _of(part)
        if told.exact is not None and _is_few(run, told.exact):
            run = frozenset(a + b for a in run for b in told.exact)
            continue
        best = _better(best, run)
        exact = None
        if told.exact is not None:
            run = told.exact
        else:
            best, run = _better(best, told.needed), frozenset([""])
    if exact is not None:
        return Needs(run, None)
    return Needs(None, _better(best, run))


def _is_few(run: Collection[str], more: Collection[str]) -> bool:
    """Strings are not multiplied beyond some; many that stand alone are as they are."""
    return len(run) == 1 or len(more) == 1 or len(run) * len(more) <= MOST


def _of(part: tuple[Any, Any]) -> Needs:
    kind, value = part
    if kind is kinds.LITERAL:
        return Needs(frozenset([chr(value).lower()]), None)
    if kind is kinds.AT:
        return _NOTHING
    if kind is kinds.IN:
        letters = [chr(told).lower() for what, told in value if what is kinds.LITERAL]
        plain = len(letters) == len(value) and len(letters) <= MOST
        return Needs(frozenset(letters), None) if plain else _ANYTHING
    if kind is kinds.SUBPATTERN:
        return _of_all(value[-1]) if not value[1] and not value[2] else _ANYTHING
    if kind is kinds.BRANCH:
        return _of_one(value[1])
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
        return _repeated(*value)
    if kind in (kinds.ANY, kinds.NOT_LITERAL):
        return _ANYTHING
    raise ValueError(f"{kind} in a pattern: tell here what it needs")


def _of_one(branches: Sequence[Iterable[Any]]) -> Needs:
    told = [_of_all(branch) for branch in branches]
    if all(one.exact is not None for one in told):
        return Needs(frozenset().union(*(one.exact or () for one in told)), None)
    needed = [_closed(one) for one in told]
    if not all(needed):
        return _ANYTHING
    return Needs(None, frozenset().union(*(one or () for one in needed)))


def _repeated(least: int, most: int, parts: Any) -> Needs:
    told = _of_all(parts)
    if (least, most) == (0, 1) and told.exact is not None and len(told.exact) < MOST:
        return Needs(told.exact | {""}, None)
    if least == 0:
        return _ANYTHING
    if least == most == 1:
        return told
    return Needs(None, _closed(told))


def _closed(told: Needs) -> frozenset[str] | None:
    if told.exact is None:
        return told.needed
    return told.exact if all(told.exact) else None


def _better(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """That of two whose most usual string is the rarer one."""
    known = [found for found in (one, other) if found and all(found)]
    return max(known, key=_rarity, default=None)


@cache
def _rarity(strings: Collection[str]) -> float:
    scores = [_score(_piece(text)) for text in sorted(strings)]
    return -sum(float(2.0**-score) for score in scores)


@cache
def _piece(text: str) -> str:
    """The least usual letters of a string that stand side by side."""
    parts = {text[at : at + PIECE] for at in range(max(1, len(text) - PIECE + 1))}
    plain = {part for part in parts if part.isascii()}
    foreign = {text[at : at + FOREIGN_PIECE] for at in range(max(1, len(text) - FOREIGN_PIECE + 1))}
    parts = plain | {part for part in foreign if not part.isascii()}
    return max(sorted(parts), key=_score)


@cache
def _score(piece: str) -> float:
    quoted = _UNQUOTED.intersection(piece)
    return -100.0 if quoted else sum(_bits(letter) for letter in piece)


def _bits(letter: str) -> float:
    at = _USUAL.find(letter)
    if at >= 0:
        return 2.5 + at / 6
    return 6.0 if letter.isascii() else 9.0
