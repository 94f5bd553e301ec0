"""Rerank the best documents: relevance check, final order, reasons (RC-1).

Looks at the best candidates of `scoring` only, because each is compared closely. A document below
the relevance floor is dropped: no hit is better than an irrelevant one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.search.collection import Collection
from wm.search.coverage import (
    Shares,
    shares,
)
from wm.search.documents import (
    Hit,
    SearchDocument,
)
from wm.search.explain import (
    Reasons,
    explain,
)
from wm.search.postings import Some
from wm.search.query import ParsedQuery
from wm.search.query_terms import (
    Matches,
    looked_at,
    matches,
)
from wm.search.recency import (
    DatedHit,
    newest_first,
)
from wm.search.scoring import (
    Best,
    Question,
)
from wm.search.vector_index import VectorIndex
from wm.settings import RecallSettings
from wm.text.terms import (
    in_other_script,
    raw_words,
    terms_of,
)

Floats = NDArray[np.float32]

_COMPARED = 256
"""Number of best hits that are compared pairwise, however many are requested."""
_EMBEDDED_DIMENSION = 256
_CROWD = 2
"""Number of texts that may match a query in a non-Latin script by similarity alone. The next most
similar one sets the level that every text in that script reaches."""


class _Seen(Struct, frozen=True):
    """Details about the best documents. told: coverage. matches: which words they contain.
    together: share of the query's adjacent terms that are adjacent in each. dated: whether each is
    from the month that the query names."""

    told: Shares
    matches: Matches
    together: Sequence[float]
    dated: Sequence[bool]


def judged(
    question: Question,
    best: Best,
    collection: Collection,
    space: VectorIndex | None,
    settings: RecallSettings,
    k: int,
) -> tuple[Hit, ...]:
    """The first `k` hits, best first; () if none is relevant."""
    some = looked_at(question.words, question.asked, collection.postings, best.numbers)
    found = matches(question.words, some)
    dated = collection.in_month(question.asked, best.numbers) if question.asked.month else None
    told = shares(question.words, found, collection.postings, settings, some, dated)
    dimension = space.dimension if space is not None else _EMBEDDED_DIMENSION
    if _is_nothing(question, told, best, settings, dimension):
        return ()
    together = _together(question.asked, some, best.numbers, collection, settings)
    shown = [False] * len(some) if dated is None else dated.tolist()
    seen = _Seen(told, found, together, shown)
    ranked = _ranked(question.asked, best, seen, collection, settings)
    ranked = ranked[: max(k, settings.fresh_hits)]
    ranked = _fresh(question.asked, ranked, best, collection, space, settings)
    ranked = _behind_heirs(question.asked, ranked, best, collection)[:k]
    matched = _matched(question, found, [at for _, at in ranked])
    return tuple(_hits(ranked, matched, best, seen, collection, settings))


# --- relevance ------------------------------------------------------------------------------


def _is_nothing(
    question: Question, told: Shares, best: Best, settings: RecallSettings, dimension: int
) -> bool:
    """Return whether none of the best documents is relevant. A short query whose words occur
    nowhere is about something else; of a long one a small share is enough. Among many texts
    one is always somewhat similar by chance: that much similarity does not count."""
    count = told.words
    if best.near is None:
        floor = settings.long_floor
        if count <= 4:
            floor = settings.short_floor if count <= 3 else settings.middle_floor
        floor *= min(1.0, settings.pasted_words / count)
        return float(told.held.max(initial=0.0)) < floor
    chance = settings.chance_likeness * math.sqrt(2 * math.log(best.of))
    # Chance was measured with the embedded model. More dimensions lower it, but a
    # collection hardly fills them.
    chance *= (_EMBEDDED_DIMENSION / dimension) ** 0.25
    near = best.near
    in_script = in_other_script(question.typed)
    if len(near) > _CROWD and in_script:
        # A model that knows a script but few of its words finds all texts in it similar. Only
        # the distance from the other similar texts counts.
        chance = max(chance, float(np.sort(near)[-1 - _CROWD]))
    near = np.maximum(near - np.float32(chance), 0)
    if question.embedded and in_script:
        near = np.minimum(near, settings.script_likeness)
    floor = settings.answer_floor + settings.short_answer / math.sqrt(count)
    floor *= min(1.0, settings.pasted_words / count)
    return float((told.held + near).max(initial=0.0)) < floor


# --- order ----------------------------------------------------------------------------------


def _ranked(
    asked: ParsedQuery, best: Best, seen: _Seen, collection: Collection, settings: RecallSettings
) -> list[tuple[float, int]]:
    """Scores with adjustments beyond single words; (score, position in `best`), best first."""
    documents = [collection.at(number) for number in best.numbers.tolist()]
    scores = best.fused * np.array(_factors(asked, best, documents, seen, collection, settings))
    order = (-scores).argsort(kind="stable")
    falling = scores[order]
    places = order.tolist()
    if (falling[1:] == falling[:-1]).any():
        places.sort(key=lambda at: (-scores[at], documents[at].id))
    return list(zip(falling.tolist(), places, strict=True))


def _factors(
    asked: ParsedQuery,
    best: Best,
    documents: Sequence[SearchDocument],
    seen: _Seen,
    collection: Collection,
    settings: RecallSettings,
) -> list[float]:
    bonus = settings.phrase_bonus
    factors = [1.0 + bonus * together if together else 1.0 for together in seen.together]
    if asked.month or asked.decision:
        for at, document in enumerate(documents):
            if seen.dated[at]:
                factors[at] += settings.month_bonus
            if asked.decision and document.metadata.get("type") == "decision":
                factors[at] += settings.decision_bonus
    past = settings.history_factor if asked.history else settings.superseded_factor
    for at in collection.superseded(best.numbers).nonzero()[0].tolist():
        factors[at] *= past
    recent = 0.0 if asked.history else settings.recency_share * (2 if asked.now else 1)
    if not recent:
        return factors
    times = [document.time for document in documents]
    # Equal times share the rank of the first.
    older: dict[str, int] = {}
    for at, time in enumerate(sorted(times)):
        older.setdefault(time, at)
    part = recent / max(1, len(times))
    return [factor * (1 + part * older[time]) for factor, time in zip(factors, times, strict=True)]


def _fresh(
    asked: ParsedQuery,
    ranked: list[tuple[float, int]],
    best: Best,
    collection: Collection,
    space: VectorIndex | None,
    settings: RecallSettings,
) -> list[tuple[float, int]]:
    """Put the newest of several statements of one fact first (RC-1)."""
    if asked.history or space is None or len(ranked) < 2:
        return ranked
    ranked, others = ranked[:_COMPARED], ranked[_COMPARED:]
    numbers = best.numbers[[at for _, at in ranked]]
    spoken, turns = collection.spoken(numbers).tolist(), collection.turns(numbers).tolist()
    statements = []
    for (score, at), by_person, turn in zip(ranked, spoken, turns, strict=True):
        document = collection.at(int(best.numbers[at]))
        when = (document.time, turn) if document.time else None
        numbered = asked.value and any(map(str.isdigit, document.text[: settings.phrase_chars]))
        statements.append(DatedHit(score, when, by_person, numbered))
    order = newest_first(statements, space.mutual(numbers), settings, value=asked.value)
    return [*(ranked[at] for at in order), *others]


def _behind_heirs(
    asked: ParsedQuery, ranked: list[tuple[float, int]], best: Best, collection: Collection
) -> list[tuple[float, int]]:
    """Put superseded documents behind their successors, unless the query asks for history."""
    if asked.history or not collection.has_heirs:
        return ranked
    documents = [collection.at(int(best.numbers[at])) for _, at in ranked]
    place = {document.id: at for at, document in enumerate(documents)}
    keys = []
    for at, document in enumerate(documents):
        heir = place.get(document.metadata.get("superseded_by", ""), -1)
        keys.append((max(at, heir), heir >= 0, at))
    return [ranked[at] for _, _, at in sorted(keys)]


def _together(
    asked: ParsedQuery,
    some: Some,
    numbers: NDArray[np.int64],
    collection: Collection,
    settings: RecallSettings,
) -> list[float]:
    """Per document, the share of the query's adjacent terms that are adjacent near the beginning of
    its text."""
    if not asked.pairs:
        return [0.0] * len(numbers)
    counts = some.together(asked.pairs)
    begin = settings.phrase_chars
    for at in [at for at, count in enumerate(counts) if count]:
        text = collection.at(int(numbers[at])).text
        if len(text) > begin:
            terms = [term for raw in raw_words(text[:begin]) for term in terms_of(raw)]
            counts[at] = len(asked.pairs & set(pairwise(terms)))
    return [count / len(asked.pairs) for count in counts]


# --- reasons --------------------------------------------------------------------------------


class _Words(Struct, frozen=True):
    """Query words that a document contains, whole names, and words matched by a related term."""

    own: list[str]
    names: list[str]
    related: list[str]


def _matched(question: Question, held: Matches, places: Sequence[int]) -> list[_Words]:
    found = [_Words([], [], []) for _ in places]
    at = np.array(places, np.int64)
    kinds = [part.take(at, axis=1).tolist() for part in (held.whole, held.own, held.kin)]
    for word, *told in zip(question.words, *kinds, strict=True):
        for words, by_whole, by_own, by_kin in zip(found, *told, strict=True):
            if by_whole:
                words.names.append(word.typed)
            elif by_own:
                words.own.append(word.typed)
            elif by_kin:
                words.related.append(word.typed)
    return found


def _hits(
    ranked: Sequence[tuple[float, int]],
    matched: Sequence[_Words],
    best: Best,
    seen: _Seen,
    collection: Collection,
    settings: RecallSettings,
) -> Iterator[Hit]:
    places = [at for _, at in ranked]
    documents = [collection.at(number) for number in best.numbers[places].tolist()]
    near = [-1.0] * len(places) if best.near is None else best.near[places].tolist()
    scored, told = (best.words[places] > 0).tolist(), seen.told.held[places].tolist()
    for row, ((score, at), words, document) in enumerate(
        zip(ranked, matched, documents, strict=True)
    ):
        reasons = Reasons(
            words=tuple(words.own),
            names=tuple(words.names),
            related=tuple(words.related),
            # A word score without a matching word comes from a document it replaced.
            heir=scored[row] and not (words.own or words.names or words.related),
            alike=near[row] >= settings.alike_floor,
            phrase=len(words.own) > 1 and seen.together[at] >= 0.5,
            time=document.time[:7] if seen.dated[at] else "",
            superseded=document.metadata.get("status") == "superseded",
        )
        yield Hit(document.id, round(score, 6), explain(reasons), told[row], near[row])
