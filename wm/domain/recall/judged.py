"""The best documents looked at closely: enough to be shown, in which order, and why (RC-1)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.domain.recall.asked import Asked
from wm.domain.recall.collection import Collection
from wm.domain.recall.documents import Document, Hit
from wm.domain.recall.explain import Reasons, explain
from wm.domain.recall.fresh import Statement, newest_first
from wm.domain.recall.postings import Some
from wm.domain.recall.scored import Best, Question
from wm.domain.recall.share import Shares, shares
from wm.domain.recall.space import Space
from wm.domain.recall.terms import in_other_script, raw_words, terms_of
from wm.domain.recall.wanted import Matches, looked_at, matches
from wm.settings import RecallSettings

Floats = NDArray[np.float32]

_COMPARED = 256
"""Hits, the best, of which each is compared with each, however many are asked for."""
_EMBEDDED_DIMENSION = 256
_CROWD = 2
"""So many texts may answer a question in no Latin script by likeness alone; what the next one has
is what all have."""


class _Seen(Struct, frozen=True):
    """What a close look at the best told. told: how much of the question each holds. matches: which
    of its words. together: of each how much of the query stands together in it. dated: which are
    of the month that it names."""

    told: Shares
    matches: Matches
    together: Sequence[float]
    dated: Sequence[bool]


def judged(
    question: Question,
    best: Best,
    collection: Collection,
    space: Space | None,
    settings: RecallSettings,
    k: int,
) -> tuple[Hit, ...]:
    """The first `k` hits, best first; () where none says enough of what was asked."""
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


# --- is it enough? --------------------------------------------------------------------------


def _is_nothing(
    question: Question, told: Shares, best: Best, settings: RecallSettings, dimension: int
) -> bool:
    """Does none of the best say enough of what was asked? A short query whose telling words
    stand nowhere is about something else, of a sentence little is enough. Of many texts one
    is always somewhat near: what chance brings does not count."""
    count = told.words
    if best.near is None:
        floor = settings.long_floor
        if count <= 4:
            floor = settings.short_floor if count <= 3 else settings.middle_floor
        floor *= min(1.0, settings.pasted_words / count)
        return float(told.held.max(initial=0.0)) < floor
    chance = settings.chance_likeness * math.sqrt(2 * math.log(best.of))
    # It was measured with the embedded model. More dimensions bring less of it, but a
    # collection hardly fills them.
    chance *= (_EMBEDDED_DIMENSION / dimension) ** 0.25
    near = best.near
    in_script = in_other_script(question.typed)
    if len(near) > _CROWD and in_script:
        # A model that knows a script, but hardly its words, finds all that is written in it
        # alike: what counts is how far a text stands out from the others that are near.
        chance = max(chance, float(np.sort(near)[-1 - _CROWD]))
    near = np.maximum(near - np.float32(chance), 0)
    if question.embedded and in_script:
        near = np.minimum(near, settings.script_likeness)
    floor = settings.answer_floor + settings.short_answer / math.sqrt(count)
    floor *= min(1.0, settings.pasted_words / count)
    return float((told.held + near).max(initial=0.0)) < floor


# --- in which order? ------------------------------------------------------------------------


def _ranked(
    asked: Asked, best: Best, seen: _Seen, collection: Collection, settings: RecallSettings
) -> list[tuple[float, int]]:
    """Scores with what single words do not tell; (score, place in `best`), best first."""
    documents = [collection.at(number) for number in best.numbers.tolist()]
    scores = best.fused * np.array(_factors(asked, best, documents, seen, collection, settings))
    order = (-scores).argsort(kind="stable")
    falling = scores[order]
    places = order.tolist()
    if (falling[1:] == falling[:-1]).any():
        places.sort(key=lambda at: (-scores[at], documents[at].id))
    return list(zip(falling.tolist(), places, strict=True))


def _factors(
    asked: Asked,
    best: Best,
    documents: Sequence[Document],
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
    # Of equal times the first one counts.
    older: dict[str, int] = {}
    for at, time in enumerate(sorted(times)):
        older.setdefault(time, at)
    part = recent / max(1, len(times))
    return [factor * (1 + part * older[time]) for factor, time in zip(factors, times, strict=True)]


def _fresh(
    asked: Asked,
    ranked: list[tuple[float, int]],
    best: Best,
    collection: Collection,
    space: Space | None,
    settings: RecallSettings,
) -> list[tuple[float, int]]:
    """The newest of several statements of one fact first (RC-1)."""
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
        statements.append(Statement(score, when, by_person, numbered))
    order = newest_first(statements, space.mutual(numbers), settings, value=asked.value)
    return [*(ranked[at] for at in order), *others]


def _behind_heirs(
    asked: Asked, ranked: list[tuple[float, int]], best: Best, collection: Collection
) -> list[tuple[float, int]]:
    """What was superseded stands behind what replaced it, unless the past is asked for."""
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
    asked: Asked,
    some: Some,
    numbers: NDArray[np.int64],
    collection: Collection,
    settings: RecallSettings,
) -> list[float]:
    """Of each document the share of the query's neighbouring terms that are neighbours in its
    beginning, too."""
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


# --- why? -----------------------------------------------------------------------------------


class _Words(Struct, frozen=True):
    """The query's words that stand in a document, its names, and words that are found through
    another one."""

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
            # A score by words, though it holds none of them.
            heir=scored[row] and not (words.own or words.names or words.related),
            alike=near[row] >= settings.alike_floor,
            phrase=len(words.own) > 1 and seen.together[at] >= 0.5,
            time=document.time[:7] if seen.dated[at] else "",
            superseded=document.metadata.get("status") == "superseded",
        )
        yield Hit(document.id, round(score, 6), explain(reasons), told[row], near[row])
