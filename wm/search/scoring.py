"""Score every document by its words, and by its meaning where it has vectors (RC-1).

Of many vectors only the candidates of the graph or the word scores are compared. Does not choose
what is shown: `wm.search.rerank` orders the best.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.search import fusion
from wm.search.collection import Collection, Columns
from wm.search.postings import QueryTerm
from wm.search.query import ParsedQuery, is_time
from wm.search.vector_index import VectorIndex
from wm.settings import RecallSettings
from wm.text.terms import in_other_script

Floats = NDArray[np.float32]

_BY_WORDS = 1000
"""Number of documents, best by words, that are compared when not all are."""
_LEADING = 256
"""Number of these whose neighbours in the conversation are compared as well."""


class Question(Struct, frozen=True):
    """A parsed query. terms: of its words. vector: its vector, None for words only. embedded: the
    vector comes from the default model, which knows less than a model from a folder."""

    typed: str
    asked: ParsedQuery
    terms: tuple[QueryTerm, ...]
    vector: Floats | None
    embedded: bool


class Scored(Struct, frozen=True):
    """The scores of the documents in `rows` (numbers of live documents).

    coverage: of the query by their words. near: similarity above what is expected by chance, in
    deviations; None without vectors. fused: the combined score for ranking. picked: positions in
    `rows` of the vector candidates, if not all were compared.
    """

    rows: NDArray[np.int64]
    coverage: Floats
    near: Floats | None
    fused: Floats
    picked: NDArray[np.int64] | None = None

    def few(self, places: NDArray[np.int64]) -> Best:
        """The documents at these positions in `rows`."""
        near = None if self.near is None else self.near[places]
        return Best(self.rows[places], self.fused[places], self.coverage[places], near)


class Best(Struct, frozen=True):
    """The best documents by the fused score, best first. numbers: of the documents; the others as
    in `Scored`."""

    numbers: NDArray[np.int64]
    fused: Floats
    coverage: Floats
    near: Floats | None

    def confidence(self, question: Question, settings: RecallSettings) -> Floats:
        """How probably each document is relevant, 0 to 1, if every second query has an answer."""
        odds = settings.sure_coverage * self.coverage - settings.sure_base
        if self.near is not None:
            near = self.near
            if question.embedded and in_other_script(question.typed):
                # It knows a script, but few of its words: all texts in it are alike.
                near = np.minimum(near, 0)
            odds = odds + settings.sure_similarity * near
        found: NDArray[Any] = 1 / (1 + np.exp(-odds))
        return found


class _Likeness(Struct, frozen=True):
    """near: similarity per row; the mean where it was not computed, -1 without vectors."""

    near: Floats
    known: NDArray[np.bool_]
    mean: float
    spread: float
    picked: NDArray[np.int64] | None = None


def scored(
    question: Question,
    collection: Collection,
    space: VectorIndex | None,
    settings: RecallSettings,
    *,
    all_vectors: bool = False,
) -> Scored:
    """Score all documents. all_vectors: compare all vectors, however many there are."""
    columns = collection.columns()
    coverage = _coverage(question, collection, columns, settings)
    fused, near, picked = fusion.standard(coverage**settings.coverage_power), None, None
    if question.vector is not None and space is not None and len(space):
        vector = question.vector
        like = None if all_vectors else _nearest(space, vector, columns, coverage, settings)
        like = like or _all_near(space, vector, columns, collection)
        standard = fusion.scaled(like.near, like.mean, like.spread)
        whole_share = settings.vector_share if question.embedded else settings.model_share
        share = np.float32(fusion.share(question.asked, whole_share, settings))
        # A document without vectors yet counts by its words only.
        fused = np.where(like.known, share * standard + (1 - share) * fused, fused)
        above = fusion.above_chance(standard, int(like.known.sum()))
        near, picked = np.where(like.known, above, np.float32(0)), like.picked
    fused = fusion.around(fused, columns.lending) + columns.bonus
    return Scored(columns.rows, coverage, near, fused, picked)


def best(scores: Floats, most: int) -> NDArray[np.int64]:
    """Positions of the highest scores, highest first; of equal ones the first."""
    if len(scores) <= most:
        return (-scores).argsort(kind="stable")
    falling = -scores
    places = falling.argpartition(most - 1)[:most]
    places.sort()
    return places[falling[places].argsort(kind="stable")]


# --- words ----------------------------------------------------------------------------------


def _coverage(
    question: Question, collection: Collection, columns: Columns, settings: RecallSettings
) -> Floats:
    asked, elsewhere = question.asked, {}
    if asked.month:
        # The month may be in the document's time instead of its text.
        dated = collection.in_month(asked, np.arange(collection.postings.end))
        elsewhere = {term.typed: dated for term in question.terms if is_time(term.typed)}
    found = collection.postings.coverage(question.terms, settings.background, elsewhere)
    coverage: Floats = columns.of(found)
    if not asked.history:
        # A document may use other words than a matching one that it replaced.
        for new, replaced in columns.heirs:
            coverage[new] = max(coverage[new], *(coverage[old] for old in replaced))
    return coverage


# --- meaning --------------------------------------------------------------------------------


def _all_near(
    space: VectorIndex, vector: Floats, columns: Columns, collection: Collection
) -> _Likeness:
    near, known = map(columns.of, space.likeness(vector, collection.postings.end))
    return _Likeness(near, known, *fusion.mean_and_deviation(near if known.all() else near[known]))


def _nearest(
    space: VectorIndex, vector: Floats, columns: Columns, words: Floats, settings: RecallSettings
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
    mean, spread = space.mean_and_deviation(vector)
    known = space.has_rows(rows)
    near = np.where(known, np.float32(mean), np.float32(-1.0))
    near[places] = space.near(vector, rows[places])
    return _Likeness(near, known, mean, fusion.settled(spread**2, len(rows)), picked)
