"""Coverage: the share of a question's weighted terms in each document (RC-1).

Used for the relevance floor and for answers; does no ranking. A word's weight is its rarity in
the collection plus a hundred virtual texts without it. Otherwise every word would be common in a
memory of three entries, and a word that occurs nowhere would outweigh all matches. A name has
more weight than a word and may match partially by its parts; so may a sentence of a language
without spaces, by its pairs of letters. Question words have no weight.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.search.postings import (
    Postings,
    Some,
)
from wm.search.query import is_time
from wm.search.query_terms import (
    Matches,
    QueryTerm,
)
from wm.search.synonyms import SYNONYMS
from wm.settings import RecallSettings
from wm.text.scripts import is_cjk
from wm.text.terms import only_asks

Floats = NDArray[np.float32]


class Shares(Struct, frozen=True):
    """held: coverage of each document, 0 to 1. words: length of the question; two pairs of letters
    count as one word."""

    held: Floats
    words: int


def shares(
    words: Sequence[QueryTerm],
    held: Matches,
    postings: Postings,
    settings: RecallSettings,
    some: Some,
    dated: NDArray[np.bool_] | None = None,
) -> Shares:
    """Compute the coverage of the documents in `some`. held: which words they contain. dated: mask
    of documents from the month that the query names; for these the month counts as matched."""
    counted = [at for at, word in enumerate(words) if not only_asks(word.typed)]
    counted = counted or list(range(len(words)))
    parts = held.own.astype(np.float32)
    weights = np.zeros(len(words), np.float32)
    for at in counted:
        word = words[at]
        weights[at] = _weight(word, postings, settings)
        if word.parts:
            np.maximum(_in_parts(word.parts, settings, some), held.whole[at], out=parts[at])
        elif word.kin:
            kin = held.kin[at] * np.float32(_kin_told(word, settings))
            np.maximum(parts[at], kin, out=parts[at])
    if dated is None:
        share = weights @ parts / (weights.sum() or np.float32(1.0))
    else:
        times = np.array([is_time(word.typed) for word in words])
        asked = weights[:, np.newaxis] * ~(times[:, np.newaxis] & dated)
        whole = asked.sum(axis=0)
        share = (asked * parts).sum(axis=0) / np.where(whole > 0, whole, 1.0)
        share[dated & (whole == 0)] = 1.0
    return Shares(share, max(1, sum(_length(words[at]) for at in counted)))


def _weight(word: QueryTerm, postings: Postings, settings: RecallSettings) -> float:
    most = max((postings.rarity(term, settings.background) for term in word.own), default=0.0)
    return most * settings.name_told if word.whole else most


def _kin_told(word: QueryTerm, settings: RecallSettings) -> float:
    """Weight of a match by related terms only."""
    return max(settings.kin_told, *(word.terms[term] for term in word.kin))


def _length(word: QueryTerm) -> int:
    return 1 if word.typed.isascii() else max(1, (len(word.parts) + 1) // 2)


def _in_parts(parts: Sequence[str], settings: RecallSettings, some: Some) -> Floats:
    """For a word of several parts, the share of the parts in each document."""
    kin = some.hold([SYNONYMS.get(part, ()) for part in parts])
    found = kin * np.float32(settings.kin_told)
    found[some.hold([(part,) for part in parts])] = 1.0
    many = len(parts) * (settings.pairs_told if any(map(is_cjk, parts[0])) else 1.0)
    held: Floats = np.minimum(found.sum(axis=0) / np.float32(max(1.0, many)), 1)
    return held
