"""Score every document by its words, and by its meaning where it has vectors (RC-1).

Of many vectors only the candidates of the graph or the word scores are compared. Does not choose
what is shown: `wm.search.rerank` reranks the best and checks their relevance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.search import fusion
from wm.search.collection import (
    Collection,
    Columns,
)
from wm.search.query import (
    ParsedQuery,
    is_time,
)
from wm.search.query_terms import QueryTerm
from wm.search.vector_index import VectorIndex
from wm.settings import RecallSettings

Floats = NDArray[np.float32]

_BY_WORDS = 1000
"""Number of documents, best by words, that are compared when not all are."""
_LEADING = 256
"""Number of these whose neighbours in the conversation are compared as well."""


class Question(Struct, frozen=True):
    """A parsed query. words: the expanded words. vector: its vector, None for words only. embedded:
    the vector comes from the default model, which knows less than a model from a folder."""

    typed: str
    asked: ParsedQuery
    words: tuple[QueryTerm, ...]
    vector: Floats | None
    embedded: bool


class Scored(Struct, frozen=True):
    """The scores of the documents in `rows` (numbers of live documents).

    words: BM25. near: similarity, None without vectors. fused: the combined score for ranking.
    picked: positions in `rows` of the vector candidates, if not all were compared.
    """

    rows: NDArray[np.int64]
    words: Floats
    near: Floats | None
    fused: Floats
    picked: NDArray[np.int64] | None = None

    def few(self, places: NDArray[np.int64]) -> Best:
        """The documents at these positions in `rows`."""
        near = None if self.near is None else self.near[places]
        found = (self.rows[places], self.fused[places], self.words[places])
        return Best(*found, near, len(self.rows))


class Best(Struct, frozen=True):
    """The best documents by the fused score, best first. numbers: of the documents; fused, words,
    near: as in `Scored`. of: number of documents scored."""

    numbers: NDArray[np.int64]
    fused: Floats
    words: Floats
    near: Floats | None
    of: int


class _Likeness(Struct, frozen=True):
    """near: similarity per row; the mean where it was not computed, -1 without vectors."""

    near: Floats
    known: NDArray[np.bool_]
    all_known: bool
    mean: float
    spread: float
    picked: NDArray[np.int64] | None = None


def scored(
    question: Question,
    collection: Collection,
    space: VectorIndex | None,
    settings: RecallSettings,
    *,
    whole: bool = False,
) -> Scored:
    """Score all documents. whole: compare the vectors of all of them, however many there are."""
    columns = collection.columns()
    words, held = _by_words(question, collection, columns)
    fused = words * (settings.held_base + held)
    if question.vector is None or space is None or not len(space):
        return Scored(columns.rows, words, None, fused)
    summed = len(question.words) > settings.pasted_words
    like = None
    if not whole:
        like = _nearest(space, question.vector, columns, fused, settings, summed=summed)
    like = like or _all_near(space, question.vector, columns, collection, summed=summed)
    fused = _fused(question, fused, like, settings)
    fused = fusion.around(fused, columns.lending)
    fused += columns.bonus
    return Scored(columns.rows, words, like.near, fused, like.picked)


def best(scores: Floats, most: int) -> NDArray[np.int64]:
    """Positions of the highest scores, highest first; of equal ones the first."""
    if len(scores) <= most:
        return (-scores).argsort(kind="stable")
    falling = -scores
    places = falling.argpartition(most - 1)[:most]
    places.sort()
    return places[falling[places].argsort(kind="stable")]


# --- words ----------------------------------------------------------------------------------


def _by_words(
    question: Question, collection: Collection, columns: Columns
) -> tuple[Floats, Floats]:
    """BM25 score and coverage of every document."""
    asked, elsewhere = question.asked, {}
    if asked.month:
        # The month may be in the document's time instead of its text.
        dated = collection.in_month(asked, np.arange(collection.postings.end))
        times = [at for at, word in enumerate(question.words) if is_time(word.typed)]
        elsewhere = dict.fromkeys(times, dated)
    terms = [word.terms for word in question.words]
    by_number, held_by_number, whole = collection.postings.bm25(terms, elsewhere)
    words: Floats = columns.of(by_number)
    held = (columns.of(held_by_number) / np.float32(whole or 1.0)).astype(np.float32, copy=False)
    if not asked.history:
        _lend(columns.heirs, words, held)
    return words, held


def _lend(heirs: Sequence[tuple[int, tuple[int, ...]]], words: Floats, held: Floats) -> None:
    """Give a document the score of a matching one it replaced; it may use other words."""
    for new, replaced in heirs:
        lending = [old for old in replaced if words[old] > words[new]]
        if lending:
            held[new] = max(held[new], *(held[old] for old in lending))
            words[new] = max(words[old] for old in lending)


# --- meaning --------------------------------------------------------------------------------


def _all_near(
    space: VectorIndex, vector: Floats, columns: Columns, collection: Collection, *, summed: bool
) -> _Likeness:
    end = collection.postings.end
    near, known = map(columns.of, space.likeness(vector, end, summed=summed))
    all_known = bool(known.all())
    mean, spread = fusion.usual(near if all_known else near[known])
    return _Likeness(near, known, all_known, mean, spread)


def _nearest(
    space: VectorIndex,
    vector: Floats,
    columns: Columns,
    words: Floats,
    settings: RecallSettings,
    *,
    summed: bool,
) -> _Likeness | None:
    """Similarity of the candidates of the graph and the word scores, and of the conversation
    neighbours of the best of them; None without a graph."""
    numbers = space.nearest(vector, settings.graph_hits)
    if numbers is None:
        return None
    rows, threads = columns.rows, columns.threads
    picked = columns.places[numbers]
    leading = np.concatenate([best(words, _LEADING), picked])
    looked_at = [leading, best(words, _BY_WORDS)]
    for distance in (-2, -1, 1, 2):
        beside = np.clip(leading + distance, 0, len(rows) - 1)
        same = (threads[beside] == threads[leading]) & (threads[leading] >= 0)
        looked_at.append(beside[same])
    places = np.unique(np.concatenate(looked_at))
    mean, spread = space.usual(vector, summed=summed)
    known = space.holds(rows)
    near = np.where(known, np.float32(mean), np.float32(-1.0))
    near[places] = space.near(vector, rows[places], summed=summed)
    return _Likeness(near, known, bool(known.all()), mean, spread, picked)


def _fused(question: Question, words: Floats, like: _Likeness, settings: RecallSettings) -> Floats:
    """The combined score. A document without vectors yet counts by its words only."""
    asked = question.asked
    names = len(asked.names) / max(1, len(asked.words))
    # Every pasted text contains capitals: they do not indicate a proper name there.
    proper = bool(asked.proper) and len(asked.words) <= settings.pasted_words
    most = settings.vector_share if question.embedded else settings.model_share
    part = np.float32(fusion.share(names, most, settings, words=len(asked.words), proper=proper))
    by_words = fusion.standard(words)
    fused = fusion.scaled(like.near, like.mean, like.spread)
    if not like.all_known:
        np.copyto(fused, by_words, where=~like.known)
    fused *= part
    by_words *= 1 - part
    fused += by_words
    return fused
