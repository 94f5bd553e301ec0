"""How much of a question each document holds: what the floor and the answer go by (RC-1).

Ranks nothing. A word counts by its rarity, as if a hundred texts without it were there as well:
in a memory of three entries every word would be common otherwise, and a word that stands nowhere
would outweigh all that was found. A name counts for more than a word, and may be held in part, by
its parts; so may a sentence of a language without spaces, by its pairs of letters. Words that only
ask count for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.domain.recall.asked import is_time
from wm.domain.recall.postings import Postings, Some
from wm.domain.recall.synonyms import SYNONYMS
from wm.domain.recall.terms import only_asks
from wm.domain.recall.wanted import Matches, Wanted
from wm.domain.text import is_cjk
from wm.settings import RecallSettings

Floats = NDArray[np.float32]


class Shares(Struct, frozen=True):
    """held: of each document that was asked about, 0 to 1. words: how many the question has, two
    pairs of letters being about one."""

    held: Floats
    words: int


def shares(
    words: Sequence[Wanted],
    held: Matches,
    postings: Postings,
    settings: RecallSettings,
    some: Some,
    dated: NDArray[np.bool_] | None = None,
) -> Shares:
    """held: what the documents in `some`, which are asked about, hold of the words. dated: which of
    them are of the month that the query names; of these it asks for all but the month."""
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


def _weight(word: Wanted, postings: Postings, settings: RecallSettings) -> float:
    most = max((postings.rarity(term, settings.background) for term in word.own), default=0.0)
    return most * settings.name_told if word.whole else most


def _kin_told(word: Wanted, settings: RecallSettings) -> float:
    """What it counts where only kin of the word stands."""
    return max(settings.kin_told, *(word.terms[term] for term in word.kin))


def _length(word: Wanted) -> int:
    return 1 if word.typed.isascii() else max(1, (len(word.parts) + 1) // 2)


def _in_parts(parts: Sequence[str], settings: RecallSettings, some: Some) -> Floats:
    """Of a word of several parts the share of them that each document holds."""
    kin = some.hold([SYNONYMS.get(part, ()) for part in parts])
    found = kin * np.float32(settings.kin_told)
    found[some.hold([(part,) for part in parts])] = 1.0
    many = len(parts) * (settings.pairs_told if any(map(is_cjk, parts[0])) else 1.0)
    held: Floats = np.minimum(found.sum(axis=0) / np.float32(max(1.0, many)), 1)
    return held
