"""What both halves say of every document: its words, and its meaning where it has vectors (RC-1).

Of many vectors only those are compared that a graph or the words name. Shows nothing: which of
the best are looked at closely, and whether they say enough, is judged in `wm.domain.recall.judged`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.domain.recall import fuse
from wm.domain.recall.asked import Asked, is_time
from wm.domain.recall.collection import Collection, Columns
from wm.domain.recall.space import Space
from wm.domain.recall.wanted import Wanted
from wm.settings import RecallSettings

Floats = NDArray[np.float32]

_BY_WORDS = 1000
"""Documents, best by words, whose likeness is computed where not all are looked at."""
_LEADING = 256
"""Of these, so many that their neighbours in a conversation are looked at, too."""


class Question(Struct, frozen=True):
    """A query taken apart. words: what each of its words may be found by. vector: its own, None
    where words decide alone. embedded: it is of the default model, which knows less than one of its
    own folder."""

    typed: str
    asked: Asked
    words: tuple[Wanted, ...]
    vector: Floats | None
    embedded: bool


class Scored(Struct, frozen=True):
    """What the halves say of the documents in `rows` (numbers of living documents).

    words: BM25. near: likeness, None without vectors. fused: both together, which ranks.
    picked: places in `rows` of those that the vectors name, where not all were compared.
    """

    rows: NDArray[np.int64]
    words: Floats
    near: Floats | None
    fused: Floats
    picked: NDArray[np.int64] | None = None

    def few(self, places: NDArray[np.int64]) -> Best:
        """Those at these places in `rows`."""
        near = None if self.near is None else self.near[places]
        found = (self.rows[places], self.fused[places], self.words[places])
        return Best(*found, near, len(self.rows))


class Best(Struct, frozen=True):
    """The best documents by both halves, best first. numbers: theirs; fused, words, near: what
    `Scored` says of them. of: how many were scored."""

    numbers: NDArray[np.int64]
    fused: Floats
    words: Floats
    near: Floats | None
    of: int


class _Likeness(Struct, frozen=True):
    """near: of each row; the mean where it was not looked at, -1 where there are no vectors."""

    near: Floats
    known: NDArray[np.bool_]
    all_known: bool
    mean: float
    spread: float
    picked: NDArray[np.int64] | None = None


def scored(
    question: Question,
    collection: Collection,
    space: Space | None,
    settings: RecallSettings,
    *,
    whole: bool = False,
) -> Scored:
    """whole: compare the vectors of all documents, however many they are."""
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
    fused = fuse.around(fused, columns.lending)
    fused += columns.bonus
    return Scored(columns.rows, words, like.near, fused, like.picked)


def best(scores: Floats, most: int) -> NDArray[np.int64]:
    """Positions of the highest scores, highest first; of equals the first."""
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
    """BM25 of every document, and which share of the query's weight it holds."""
    asked, elsewhere = question.asked, {}
    if asked.month:
        # The month may stand in the document's time instead of its text.
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
    """What replaced a matching statement matches as well, though it may say other words."""
    for new, replaced in heirs:
        lending = [old for old in replaced if words[old] > words[new]]
        if lending:
            held[new] = max(held[new], *(held[old] for old in lending))
            words[new] = max(words[old] for old in lending)


# --- meaning --------------------------------------------------------------------------------


def _all_near(
    space: Space, vector: Floats, columns: Columns, collection: Collection, *, summed: bool
) -> _Likeness:
    end = collection.postings.end
    near, known = map(columns.of, space.likeness(vector, end, summed=summed))
    all_known = bool(known.all())
    mean, spread = fuse.usual(near if all_known else near[known])
    return _Likeness(near, known, all_known, mean, spread)


def _nearest(
    space: Space,
    vector: Floats,
    columns: Columns,
    words: Floats,
    settings: RecallSettings,
    *,
    summed: bool,
) -> _Likeness | None:
    """The likeness of those that the graph or the words name, and of what stands beside the
    best of them; None where there is no graph."""
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
    """Both halves together; a document without vectors yet stands where the words put it."""
    asked = question.asked
    names = len(asked.names) / max(1, len(asked.words))
    # In a pasted text a capital says nothing: of those every one has some.
    proper = bool(asked.proper) and len(asked.words) <= settings.pasted_words
    most = settings.vector_share if question.embedded else settings.model_share
    part = np.float32(fuse.share(names, most, settings, words=len(asked.words), proper=proper))
    by_words = fuse.standard(words)
    fused = fuse.scaled(like.near, like.mean, like.spread)
    if not like.all_known:
        np.copyto(fused, by_words, where=~like.known)
    fused *= part
    by_words *= 1 - part
    fused += by_words
    return fused
