"""How much of a question each document holds: what the floor and the answer go by (RC-1).

Ranks nothing. A word counts by its rarity, as if a hundred texts without it were there as well:
in a memory of three entries every word would be common otherwise, and a word that stands nowhere
would outweigh all that was found. A name counts for more than a word, and may be held in part, by
its parts; so may a sentence of a language without spaces, by its pairs of letters. Words that only
ask count for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.domain.recall.asked import is_time
from wm.domain.recall.postings import Postings, Some
from wm.domain.recall.synonyms import SYNONYMS
from wm.domain.recall.terms import is_name, is_particle, only_asks, terms_of
from wm.domain.text import is_cjk
from wm.settings import RecallSettings

Floats = NDArray[np.float32]


class Shares(Struct, frozen=True):
    """held: of each document that was asked about, 0 to 1. words: how many the question has, two
    pairs of letters being about one."""

    held: Floats
    words: int


def shares(
    words: Sequence[str],
    wanted: Sequence[Mapping[str, float]],
    postings: Postings,
    settings: RecallSettings,
    some: Some,
    dated: NDArray[np.bool_] | None = None,
) -> Shares:
    """words: of the query, as typed. wanted: the terms that each of them may be found by.
    some: the documents that are asked about, of `postings`. dated: which of them are of the month
    that the query names; of these it asks for all but the month."""
    held = np.zeros(len(some), np.float32)
    whole: Floats | np.float32 = np.float32(0)
    count = 0
    telling = [not only_asks(word) for word in words]
    counts = telling if any(telling) else [True] * len(words)
    for word, terms in compress(zip(words, wanted, strict=True), counts):
        own = [term for term, counted in terms.items() if counted == 1.0]
        most = max((postings.rarity(t, settings.background) for t in own), default=0.0)
        if is_name(word):
            most *= settings.name_told
        weight: Floats | np.float32 = np.float32(most)
        if dated is not None and is_time(word):
            weight = weight * ~dated
        parts = [t for t in terms_of(word) if not t.startswith("=")]
        if len(parts) > 1:
            parts = [part for part in parts if not is_particle(part)] or parts
            held += weight * _in_parts(own, parts, settings, some)
        else:
            kin = [term for term, counted in terms.items() if counted != 1.0]
            most_kin = max((settings.kin_told, *(terms[term] for term in kin)))
            held += weight * some.best(own, kin, most_kin)
        whole = whole + weight
        count += 1 if word.isascii() else max(1, (len(parts) + 1) // 2)
    if dated is not None:
        held[dated & (whole == 0)] = 1.0
    of_whole: Floats = (held / np.where(whole > 0, whole, 1.0)).astype(np.float32)
    return Shares(of_whole, max(1, count))


def _in_parts(
    own: Sequence[str],
    parts: Sequence[str],
    settings: RecallSettings,
    some: Some,
) -> Floats:
    """All of it where the whole name stands, else the share of its parts."""
    names = [term for term in own if term.startswith("=")]
    found = np.zeros(len(some), np.float32)
    for part in parts:
        found += some.best((part,), SYNONYMS.get(part, ()), settings.kin_told)
    many = len(parts) * (settings.pairs_told if any(map(is_cjk, parts[0])) else 1.0)
    held: Floats = np.maximum(
        np.minimum(found / np.float32(max(1.0, many)), 1), some.hold_one(names)
    )
    return held
