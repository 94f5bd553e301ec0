"""Order the best documents, and say why each matched and how sure that is (RC-1).

Looks at the best candidates of `scoring` only, because each is compared closely. Drops nothing:
readers decide by the confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from wm.search.collection import Collection
from wm.search.documents import Hit
from wm.search.explain import Reasons, explain
from wm.search.recency import DatedHit, newest_first
from wm.search.scoring import Best, Question
from wm.search.values import changes_value
from wm.search.vector_index import VectorIndex
from wm.settings import RecallSettings

_FRESH = 10
"""Number of best hits among which a newer one passes an older one."""


def ranked(
    question: Question,
    best: Best,
    collection: Collection,
    space: VectorIndex | None,
    settings: RecallSettings,
    k: int,
) -> tuple[Hit, ...]:
    """The first `k` hits, best first."""
    documents = [collection.at(number) for number in best.numbers.tolist()]
    fused = best.fused.tolist()
    places = list(range(len(documents)))
    places.sort(key=lambda at: documents[at].id)
    # Of equally good hits the newest is first.
    places.sort(key=lambda at: documents[at].time, reverse=True)
    places.sort(key=fused.__getitem__, reverse=True)
    if not question.asked.history and space is not None:
        first = places[:_FRESH]
        numbers = best.numbers[first]
        turns, spoken = collection.turns(numbers).tolist(), collection.spoken(numbers).tolist()
        hits = [
            DatedHit(
                score=fused[at],
                when=(documents[at].time, turn),
                spoken=by_person,
                changes=question.asked.value and changes_value(documents[at].text),
            )
            for at, turn, by_person in zip(first, turns, spoken, strict=True)
        ]
        order = newest_first(hits, space.mutual(numbers), settings)
        places[:_FRESH] = [first[at] for at in order]
    places = _by_succession(question, places, best, collection)[:k]
    return tuple(_hits(question, places, best, collection, settings))


def _by_succession(
    question: Question, places: list[int], best: Best, collection: Collection
) -> list[int]:
    """Put superseded documents behind their successors; if the query asks for the past, before
    them."""
    if not collection.has_heirs:
        return places
    documents = [collection.at(int(best.numbers[at])) for at in places]
    rank = {document.id: at for at, document in enumerate(documents)}
    keys = [(at, 0, at) for at in range(len(places))]
    for at, document in enumerate(documents):
        heir = rank.get(document.metadata.get("superseded_by", ""), -1)
        if heir < 0:
            continue
        if question.asked.history:
            keys[heir] = max(keys[heir], (at, 1, heir))
        else:
            keys[at] = (max(at, heir), 1, at)
    return [places[at] for *_, at in sorted(keys)]


def _hits(
    question: Question,
    places: Sequence[int],
    best: Best,
    collection: Collection,
    settings: RecallSettings,
) -> Iterator[Hit]:
    sure = best.confidence(question, settings)[places].tolist()
    numbers = best.numbers[places]
    documents = [collection.at(number) for number in numbers.tolist()]
    matched = _matched(question, numbers, collection)
    dated = collection.in_month(question.asked, numbers) if question.asked.month else None
    for row, (at, document) in enumerate(zip(places, documents, strict=True)):
        words = matched[row]
        reasons = Reasons(
            words=tuple(word for word, kind in words.items() if kind == _OWN),
            names=tuple(word for word, kind in words.items() if kind == _NAME),
            related=tuple(word for word, kind in words.items() if kind == _RELATED),
            # Coverage without a matching word comes from a document it replaced.
            heir=bool(best.coverage[at] > 0) and not words,
            alike=best.near is not None and bool(best.near[at] >= 0),
            time=document.time[:7] if dated is not None and dated[row] else "",
            superseded=document.metadata.get("status") == "superseded",
        )
        score = round(float(best.fused[at]), 6)
        yield Hit(document.id, score, explain(reasons), round(sure[row], 4))


_RELATED, _OWN, _NAME = range(3)


def _matched(
    question: Question, numbers: NDArray[np.int64], collection: Collection
) -> list[dict[str, int]]:
    """Per document, the words of the query that it contains, with the closest kind of match."""
    found: list[dict[str, int]] = [{} for _ in numbers]
    names = {term.typed for term in question.terms if term.is_name}
    for term in question.terms:
        own = _NAME if term.is_name else _RELATED if term.typed in names else _OWN  # a part
        for match in term.matches:
            kind = own if match == term.term else _RELATED
            for row in collection.postings.contain(match, numbers).nonzero()[0].tolist():
                found[row][term.typed] = max(kind, found[row].get(term.typed, kind))
    return found
