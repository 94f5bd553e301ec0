"""Documents that can be asked: words, meaning where vectors are there, time (RC-1, RC-4).

A document is findable by its words as soon as `add` returns, by its meaning once `attach` gave
its vectors. Finds nothing rather than something for a query that no text touches. Reads no
files, embeds nothing: an index is derived, and can be made again from the documents at any time.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, islice, pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from wm.domain.recall import fuse
from wm.domain.recall.asked import Asked, is_time, taken_apart
from wm.domain.recall.documents import Document, Filters, Hit
from wm.domain.recall.explain import Reasons, explain
from wm.domain.recall.fresh import Statement, newest_first
from wm.domain.recall.postings import MIN_PREFIX, Postings, Some
from wm.domain.recall.share import Shares, shares
from wm.domain.recall.space import Held, MakeGraph, Space
from wm.domain.recall.synonyms import SYNONYMS
from wm.domain.recall.terms import in_other_script, raw_words, raw_words_of, terms_of
from wm.settings import RecallSettings

Floats = NDArray[np.float32]

_KEPT_COUNTS = 16
_KEPT_WORDS = 50_000
"""Words whose terms are kept: they come again and again, so each is taken apart once."""
_AT_ONCE = 16
"""Documents that are added in one step."""
_BY_WORDS = 1000
"""Documents, best by words, whose likeness is computed where not all are looked at."""
_LEADING = 256
"""Of these, so many that their neighbours in a conversation are looked at, too."""

_COMPARED = 256
"""Hits, the best, of which each is compared with each, however many are asked for."""

_EMBEDDED_DIMENSION = 256

_CROWD = 2
"""So many texts may answer a question in no Latin script by likeness alone; what the next one has
is what all have."""

_SPEAKERS = ("user:", "human:")


def _go_on() -> None:
    """No rest between two steps."""


class _Found(Struct, frozen=True):
    """What the halves say of the documents in `rows` (numbers of living documents).

    picked: places in `rows` of those that the vectors name, where not all were compared.
    """

    rows: NDArray[np.int64]
    words: Floats
    held: Floats
    near: Floats | None
    fused: Floats
    picked: NDArray[np.int64] | None = None


class _Likeness(Struct, frozen=True):
    """near: of each row; the mean where it was not looked at, -1 where there are no vectors."""

    near: Floats
    known: NDArray[np.bool_]
    mean: float
    spread: float
    picked: NDArray[np.int64] | None = None


class _Columns(Struct, frozen=True):
    """What a query needs of all living documents. rows: their numbers. are_all: no number is
    another's. bonus: of what a person said. lending: see `fuse.around`. heirs: places in `rows`
    of what replaced others, each with those that it replaced, which stand before it."""

    rows: NDArray[np.int64]
    are_all: bool
    threads: NDArray[np.int64]
    bonus: Floats
    lending: fuse.Around
    heirs: tuple[tuple[int, tuple[int, ...]], ...]

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """From values by number those of the living."""
        return values if self.are_all else values[self.rows]


class _Words(dict[str, tuple[int, ...]]):
    """Words as they stand in texts, with the numbers of their terms."""

    def __init__(self, postings: Postings) -> None:
        super().__init__()
        self._id_of = postings.id_of

    def __missing__(self, raw: str) -> tuple[int, ...]:
        ids = self[raw] = tuple(map(self._id_of, terms_of(raw)))
        return ids


class Index:
    """Documents that can be searched. `add`, `attach` and `remove` keep it in step.

    make_graph: what helps to find the nearest of many vectors; without it all are compared.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        settings: RecallSettings,
        make_graph: MakeGraph | None = None,
    ) -> None:
        self._settings = settings
        self._make_graph = make_graph
        self._numbers: dict[str, int] = {}
        self._documents: list[Document | None] = []
        self._postings = Postings(settings.bm25_k1, settings.bm25_b)
        self._space: Space | None = None
        self._embedded = True
        self._months = array("q")
        self._threads = array("q")
        self._thread_codes: dict[str, int] = {}
        self._spoken = array("q")
        self._heirs: dict[int, str] = {}
        self._known = _Words(self._postings)
        self._columns: _Columns | None = None
        self._counts: dict[Hashable, int] = {}
        self.add_all(documents)

    def __len__(self) -> int:
        return len(self._numbers)

    def document(self, document_id: str) -> Document | None:
        number = self._numbers.get(document_id)
        return None if number is None else self._documents[number]

    def documents(self) -> Iterator[Document]:
        """All that can be found."""
        return (found for found in self._documents if found is not None)

    def add(self, document: Document) -> None:
        """Make a document findable; one with its id is replaced, and its vectors stay if its text
        does."""
        self.add_all((document,))

    def add_all(self, documents: Iterable[Document], rest: Callable[[], None] = _go_on) -> None:
        """The same for several, in order. rest: called between two short steps."""
        left = iter(documents)
        while some := list(islice(left, _AT_ONCE)):
            self._postings.add(*self._ids([document.text for document in some]))
            for document in some:
                self._take(document)
            self._changed()
            rest()

    def _take(self, document: Document) -> None:
        """Take over a document whose words are there."""
        number = len(self._documents)
        old = self._numbers.get(document.id)
        if old is not None:
            if self._space is not None and self._has_text(old, document.text):
                self._space.move(old, number)
            self.remove(document.id)
        self._numbers[document.id] = number
        self._documents.append(document)
        thread = document.metadata.get("thread", "") or document.time
        codes = self._thread_codes
        self._threads.append(codes.setdefault(thread, len(codes)) if thread else -1)
        self._spoken.append(document.text.startswith(_SPEAKERS))
        heir = document.metadata.get("superseded_by", "")
        if heir:
            self._heirs[number] = heir

    def _changed(self) -> None:
        self._columns = None
        self._counts.clear()

    def _has_text(self, number: int, text: str) -> bool:
        document = self._documents[number]
        return document is not None and document.text == text

    def attach(self, document_id: str, vectors: Floats) -> None:
        """Give a document its vectors, rows of one model; an unknown id is fine (it was removed
        meanwhile)."""
        self.attach_all([document_id], [vectors])

    def attach_all(self, ids: Sequence[str], vectors: Sequence[Floats]) -> None:
        """The same for several at once."""
        there = [
            (self._numbers[i], rows) for i, rows in zip(ids, vectors, strict=True) if i in self
        ]
        if not there:
            return
        numbers = np.array([number for number, _ in there])
        pieces = np.array([len(rows) for _, rows in there])
        rows = np.concatenate([rows for _, rows in there])
        if self._space is None:
            self._space = self._new_space(rows.shape[1])
        self._space.add(numbers, pieces, rows)

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._numbers

    def fill(self, ids: Sequence[str | None], held: Held) -> None:
        """Give many documents their vectors at once, as `vectors` told them; `ids` name the
        documents, None one that is there no more. Vectors that are there already go."""
        known = [-1 if i is None else self._numbers.get(i, -1) for i in ids]
        self._space = self._new_space(held.rows.shape[1])
        self._space.fill(replace(held, numbers=np.array(known, np.int64)))

    def vectors(self) -> tuple[list[str], Held] | None:
        """The documents that have vectors, and these; None where no document has any."""
        if self._space is None or not len(self._space):
            return None
        held = self._space.held()
        return [self._name(int(number)) for number in held.numbers], held

    def settle(self) -> None:
        """Many vectors came at once: see what they have in common."""
        if self._space is not None:
            self._space.settle()

    def extend_graph(self, count: int) -> bool:
        """One step of the graph over the vectors; False where nothing is left to do."""
        return self._space is not None and self._space.extend_graph(count)

    def _new_space(self, dimension: int) -> Space:
        return Space(dimension, self._settings, self._make_graph, len(self._numbers))

    def count(self, filters: Filters) -> int:
        """Documents that the filters admit."""
        key = (*sorted(filters.metadata.items()), *filters.tags)
        asked = (key, filters.since, filters.until, filters.path)
        known = self._counts.get(asked)
        if known is None:
            if len(self._counts) >= _KEPT_COUNTS:
                self._counts.clear()
            known = sum(d is not None and filters.admit(d) for d in self._documents)
            self._counts[asked] = known
        return known

    def expect(self, *, embedded: bool) -> None:
        """Forget all vectors: another model's will come. embedded: they are the default model's,
        which knows less than one of its own folder."""
        self._space = None
        self._embedded = embedded

    def remove(self, document_id: str) -> None:
        """Forget a document; an unknown id is fine."""
        number = self._numbers.pop(document_id, None)
        if number is None:
            return
        self._documents[number] = None
        self._postings.remove(number)
        self._heirs.pop(number, None)
        if self._space is not None:
            self._space.remove(number)
        self._changed()

    def refresh(
        self, documents: Iterable[Document], rest: Callable[[], None] = _go_on
    ) -> tuple[Document, ...]:
        """Make the index hold exactly these documents; those that need vectors: they are new, or
        their text is. rest: called between two short steps."""
        wanted: dict[str, Document] = {}
        left = iter(documents)
        while some := list(islice(left, _AT_ONCE)):
            wanted.update((document.id, document) for document in some)
            rest()
        return self.renew(wanted.values(), self._numbers.keys() - wanted.keys(), rest)

    def renew(
        self,
        documents: Iterable[Document],
        gone: Iterable[str],
        rest: Callable[[], None] = _go_on,
    ) -> tuple[Document, ...]:
        """As `refresh`, told only what is new or another, and the ids of those that went."""
        for document_id in gone:
            self.remove(document_id)
            rest()
        changed = []
        asked = iter(documents)
        while some := list(islice(asked, _AT_ONCE)):
            changed += [document for document in some if self.document(document.id) != document]
            rest()
        self.add_all(changed, rest)
        return self._without_vectors(changed)

    def _without_vectors(self, documents: Sequence[Document]) -> tuple[Document, ...]:
        if self._space is None:
            return tuple(documents)
        numbers = np.array([self._numbers[document.id] for document in documents], np.int64)
        return tuple(compress(documents, ~self._space.holds(numbers)))

    def search(
        self, query: str, k: int, filters: Filters | None = None, vector: Floats | None = None
    ) -> tuple[Hit, ...]:
        """The best `k` documents for the query, best first; () when nothing is relevant.

        vector: the query's, of the index's own model; without it words decide alone.
        """
        if not self._numbers:
            return ()
        asked = taken_apart(query)
        # A pasted text has words of all kinds: what they are like is not looked for.
        few = len(asked.words) <= self._settings.pasted_words
        wanted = tuple(self._wanted(word, few=few) for word in asked.words)
        most = max(self._settings.judged_hits, 2 * k)
        found = self._found(asked, wanted, vector)
        if found.picked is not None and self._is_narrow(found, filters, most):
            found = self._found(asked, wanted, vector, whole=True)
        best = self._candidates(found, filters, most)
        numbers = found.rows[best]
        some = self._postings.some(numbers)
        dated = self._in_month(asked, numbers) if asked.month else None
        told = shares(asked.words, wanted, self._postings, self._settings, some, dated)
        if self._is_nothing(query, told, found, best):
            return ()
        phrase = self._together(asked, numbers)
        judged = self._judged(asked, found, best, phrase)[: max(k, self._settings.fresh_hits)]
        judged = self._behind_heirs(asked, self._fresh(asked, judged))[:k]
        place = {number: at for at, number in enumerate(numbers.tolist())}
        shown = [place[number] for _, number in judged]
        matched = self._matched(asked, wanted, some, shown)
        hits = []
        for (score, number), at, words in zip(judged, shown, matched, strict=True):
            near = -1.0 if found.near is None else float(found.near[best[at]])
            document = self._documents[number]
            assert document is not None
            lent = bool(found.words[best[at]] > 0)
            why = explain(self._reasons(asked, words, document, near, phrase[at], lent=lent))
            hits.append(Hit(document.id, round(score, 6), why, float(told.held[at]), near))
        return tuple(hits)

    # --- the halves --------------------------------------------------------------------------

    def _ids(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of the texts' terms, in order, and how many each text has."""
        if len(self._known) > _KEPT_WORDS:
            self._known.clear()
        ids: list[int] = []
        ends = [0]
        for words in raw_words_of(texts):
            ids += chain.from_iterable(map(self._known.__getitem__, words))
            ends.append(len(ids))
        return np.array(ids, np.int64), np.diff(np.array(ends))

    def _wanted(self, word: str, *, few: bool) -> dict[str, float]:
        """Terms that the word may be found by: itself, kin, and if it is unknown beginnings, or,
        where the query's words are few, what it may have been meant for."""
        own = terms_of(word)
        wanted = dict.fromkeys(own, 1.0)
        for term in own:
            for other in SYNONYMS.get(term, ()):
                wanted.setdefault(other, self._settings.synonym_weight)
        if len(own) == 1 and own[0] not in self._postings and len(own[0]) > MIN_PREFIX:
            begin = own[0][: max(MIN_PREFIX, len(own[0]) - 3)]
            near = self._postings.beginning(begin)
            wanted.update(dict.fromkeys(near, self._settings.prefix_weight))
            if few and not near:
                meant = self._postings.one_slip_off(own[0])
                wanted.update(dict.fromkeys(meant, self._settings.slip_weight))
        return wanted

    def _columns_now(self) -> _Columns:
        if self._columns is None:
            rows = self._postings.alive()
            threads = np.frombuffer(self._threads, np.int64)[rows]
            spoken = np.frombuffer(self._spoken, np.int64)[rows]
            bonus = np.float32(self._settings.spoken_bonus) * spoken.astype(np.float32)
            lending = fuse.neighbours(threads, self._settings)
            are_all = len(rows) == self._postings.end
            heirs = self._in_turn(rows)
            self._columns = _Columns(rows, are_all, threads, bonus, lending, heirs)
        return self._columns

    def _in_turn(self, rows: NDArray[np.int64]) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """What replaced others, behind what it replaced: along a chain all that matches reaches
        its end, in whatever order its members came or were changed."""
        numbers = self._numbers
        replaced: dict[int, list[int]] = {}
        for old, heir in self._heirs.items():
            if heir in numbers:
                replaced.setdefault(numbers[heir], []).append(old)
        # A circle, which only a hand can make, is opened where its ids say, not where it grew.
        waiting = sorted(replaced, key=self._name, reverse=True)
        turns: list[int] = []
        seen: set[int] = set()
        while waiting:
            number = waiting[-1]
            if number in seen:
                turns.append(waiting.pop())
                continue
            seen.add(number)
            before = replaced.get(number, ())
            waiting += sorted(
                (old for old in before if old in replaced and old not in seen),
                key=self._name,
                reverse=True,
            )
        turns = list(dict.fromkeys(turns))
        places = np.searchsorted(rows, [one for new in turns for one in (new, *replaced[new])])
        left = iter(places.tolist())
        return tuple((next(left), tuple(islice(left, len(replaced[new])))) for new in turns)

    def _in_month(self, asked: Asked, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which documents are of the month that the query names; of each the month is read once."""
        for document in self._documents[len(self._months) :]:
            self._months.append(_month(document.time) if document is not None else 0)
        return _in_month(np.frombuffer(self._months, np.int64)[rows], asked)

    def _found(
        self,
        asked: Asked,
        wanted: tuple[Mapping[str, float], ...],
        vector: Floats | None,
        *,
        whole: bool = False,
    ) -> _Found:
        """whole: compare the vectors of all documents, however many they are."""
        columns = self._columns_now()
        words, held = self._by_words(asked, wanted, columns)
        fused = words * (self._settings.held_base + held)
        like = None
        if vector is not None and self._space is not None and len(self._space):
            summed = len(asked.words) > self._settings.pasted_words
            like = None if whole else self._nearest(self._space, vector, columns, fused, summed)
            like = like or self._all_near(self._space, vector, columns, summed)
            fused = self._fused(asked, fused, like)
            fused = fuse.around(fused, columns.lending) + columns.bonus
        near, picked = (None, None) if like is None else (like.near, like.picked)
        return _Found(columns.rows, words, held, near, fused, picked)

    def _all_near(self, space: Space, vector: Floats, columns: _Columns, summed: bool) -> _Likeness:
        end = self._postings.end
        near, known = map(columns.of, space.likeness(vector, end, summed=summed))
        mean, spread = fuse.usual(near if known.all() else near[known])
        return _Likeness(near, known, mean, spread)

    def _nearest(
        self,
        space: Space,
        vector: Floats,
        columns: _Columns,
        words: Floats,
        summed: bool,
    ) -> _Likeness | None:
        """The likeness of those that the graph or the words name, and of what stands beside the
        best of them; None where there is no graph."""
        numbers = space.nearest(vector, self._settings.graph_hits)
        if numbers is None:
            return None
        rows, threads = columns.rows, columns.threads
        picked = np.searchsorted(rows, numbers)
        leading = np.concatenate([_best(words, _LEADING), picked])
        looked_at = [leading, _best(words, _BY_WORDS)]
        for distance in (-2, -1, 1, 2):
            beside = np.clip(leading + distance, 0, len(rows) - 1)
            same = (threads[beside] == threads[leading]) & (threads[leading] >= 0)
            looked_at.append(beside[same])
        places = np.unique(np.concatenate(looked_at))
        mean, spread = space.usual(vector, summed=summed)
        known = space.holds(rows)
        near = np.where(known, np.float32(mean), np.float32(-1.0))
        near[places] = space.near(vector, rows[places], summed=summed)
        return _Likeness(near, known, mean, spread, picked)

    def _fused(self, asked: Asked, words: Floats, like: _Likeness) -> Floats:
        """Both halves together; a document without vectors yet stands where the words put it."""
        names = len(asked.names) / max(1, len(asked.words))
        # In a pasted text a capital says nothing: of those every one has some.
        proper = bool(asked.proper) and len(asked.words) <= self._settings.pasted_words
        most = self._settings.vector_share if self._embedded else self._settings.model_share
        part = np.float32(fuse.share(names, most, self._settings, proper=proper))
        by_words = fuse.standard(words)
        by_meaning = fuse.scaled(like.near, like.mean, like.spread)
        np.copyto(by_meaning, by_words, where=~like.known)
        fused: Floats = (1 - part) * by_words + part * by_meaning
        return fused

    def _by_words(
        self,
        asked: Asked,
        wanted: tuple[Mapping[str, float], ...],
        columns: _Columns,
    ) -> tuple[Floats, Floats]:
        """BM25 of every document, and which share of the query's weight it holds."""
        rows = columns.rows
        scores = np.zeros(self._postings.end, np.float32)
        held = np.zeros(len(rows), np.float32)
        whole = 0.0
        for word, terms in zip(asked.words, wanted, strict=True):
            own = (self._postings.rarity(term) for term, weight in terms.items() if weight == 1.0)
            most = max(own, default=0.0)
            whole += most
            best = columns.of(self._postings.word(terms, scores))
            if asked.month and is_time(word):
                # The month may stand in the document's time instead of its text.
                best = np.where(self._in_month(asked, rows), np.float32(most), best)
            held += np.minimum(best, np.float32(most))
        words, held = columns.of(scores), held / np.float32(whole or 1.0)
        if not asked.history:
            _lend(columns.heirs, words, held)
        return words, held

    # --- what is shown -----------------------------------------------------------------------

    def _is_nothing(self, query: str, told: Shares, found: _Found, best: list[int]) -> bool:
        """Does none of the `best` say enough of what was asked? A short query whose telling words
        stand nowhere is about something else, of a sentence little is enough. Of many texts one
        is always somewhat near: what chance brings does not count."""
        settings, count = self._settings, told.words
        held = told.held
        if found.near is None:
            floor = settings.long_floor
            if count <= 4:
                floor = settings.short_floor if count <= 3 else settings.middle_floor
            floor *= min(1.0, settings.pasted_words / count)
            return float(held.max(initial=0.0)) < floor
        chance = settings.chance_likeness * math.sqrt(2 * math.log(len(found.rows)))
        if self._space is not None:
            # It was measured with the embedded model. More dimensions bring less of it, but a
            # collection hardly fills them.
            chance *= (_EMBEDDED_DIMENSION / self._space.dimension) ** 0.25
        near = found.near[best]
        in_script = in_other_script(query)
        if len(near) > _CROWD and in_script:
            # A model that knows a script, but hardly its words, finds all that is written in it
            # alike: what counts is how far a text stands out from the others that are near.
            chance = max(chance, float(np.sort(near)[-1 - _CROWD]))
        near = np.maximum(near - np.float32(chance), 0)
        if self._embedded and in_script:
            near = np.minimum(near, settings.script_likeness)
        floor = settings.answer_floor + settings.short_answer / math.sqrt(count)
        floor *= min(1.0, settings.pasted_words / count)
        return float((held + near).max(initial=0.0)) < floor

    def _is_narrow(self, found: _Found, filters: Filters | None, most: int) -> bool:
        """Do the filters leave so little that those which the vectors named are not enough?"""
        if filters is None or found.picked is None:
            return False
        return len(self._admitted(found, filters, found.picked.tolist(), most)) < most

    def _candidates(self, found: _Found, filters: Filters | None, most: int) -> list[int]:
        """Positions in `found.rows`, best first."""
        touched = found.words > 0
        if found.near is not None:
            touched |= found.fused > 0
        places = np.flatnonzero(touched)
        scores = found.fused[places]
        # Most filters admit most: only as many as are needed are asked one by one.
        count = most if filters is None else 2 * most
        while True:
            best: list[int] = places[_best(scores, count)].tolist()
            admitted = self._admitted(found, filters, best, most)
            if len(admitted) == most or count >= len(places):
                return admitted
            count *= 4

    def _admitted(
        self, found: _Found, filters: Filters | None, places: Sequence[int], most: int
    ) -> list[int]:
        """The first `most` of these positions that the filters admit."""
        if filters is None:
            return list(places[:most])
        admitted: list[int] = []
        for place in places:
            document = self._documents[int(found.rows[place])]
            if document is not None and filters.admit(document):
                admitted.append(place)
                if len(admitted) == most:
                    break
        return admitted

    def _judged(
        self, asked: Asked, found: _Found, best: list[int], phrase: Sequence[float]
    ) -> list[tuple[float, int]]:
        """Scores with what single words do not tell; (score, number), best first. phrase: of each
        how much of the query stands together in it."""
        numbers = found.rows[best].tolist()
        documents = [d for d in map(self._documents.__getitem__, numbers) if d is not None]
        factors = self._factors(asked, documents, phrase)
        judged = [
            (-score * factor, document.id, number)
            for score, factor, document, number in zip(
                found.fused[best].tolist(), factors, documents, numbers, strict=True
            )
        ]
        return [(-score, number) for score, _, number in sorted(judged)]

    def _factors(
        self, asked: Asked, documents: Sequence[Document], phrase: Sequence[float]
    ) -> list[float]:
        settings = self._settings
        past = settings.history_factor if asked.history else settings.superseded_factor
        recent = 0.0 if asked.history else settings.recency_share * (2 if asked.now else 1)
        bonus = settings.phrase_bonus
        factors = [1.0 + bonus * together if together else 1.0 for together in phrase]
        if asked.month or asked.decision:
            for at, document in enumerate(documents):
                if asked.month and _matches_month(_month(document.time), asked):
                    factors[at] += settings.month_bonus
                if asked.decision and document.metadata.get("type") == "decision":
                    factors[at] += settings.decision_bonus
        for at, document in enumerate(documents):
            if document.metadata.get("status") == "superseded":
                factors[at] *= past
        if not recent:
            return factors
        times = sorted([document.time for document in documents])
        # Of equal times the first one counts.
        older = {time: at for at, time in reversed(list(enumerate(times)))}
        many = max(1, len(times))
        return [
            factor * (1 + recent * (older[document.time] / many))
            for factor, document in zip(factors, documents, strict=True)
        ]

    def _fresh(self, asked: Asked, judged: list[tuple[float, int]]) -> list[tuple[float, int]]:
        """The newest of several statements of one fact first (RC-1)."""
        if asked.history or self._space is None or len(judged) < 2:
            return judged
        judged, others = judged[:_COMPARED], judged[_COMPARED:]
        numbers = [number for _, number in judged]
        mutual = self._space.mutual(numbers)
        statements = []
        for score, number in judged:
            document = self._documents[number]
            assert document is not None
            when = (document.time, number) if document.time else None
            begin = document.text[: self._settings.phrase_chars]
            numbered = asked.value and any(map(str.isdigit, begin))
            statements.append(Statement(score, when, bool(self._spoken[number]), numbered))
        order = newest_first(statements, mutual, self._settings, value=asked.value)
        return [*(judged[at] for at in order), *others]

    def _behind_heirs(
        self, asked: Asked, ranked: list[tuple[float, int]]
    ) -> list[tuple[float, int]]:
        """What was superseded stands behind what replaced it, unless the past is asked for."""
        if asked.history or not self._heirs:
            return ranked
        place = {self._name(number): at for at, (_, number) in enumerate(ranked)}
        keys = []
        for at, (_, number) in enumerate(ranked):
            document = self._documents[number]
            assert document is not None
            heir = place.get(document.metadata.get("superseded_by", ""), -1)
            keys.append((max(at, heir), heir >= 0, at))
        return [ranked[at] for _, _, at in sorted(keys)]

    def _name(self, number: int) -> str:
        document = self._documents[number]
        return document.id if document is not None else ""

    def _together(self, asked: Asked, numbers: NDArray[np.int64]) -> list[float]:
        """Of each document the share of the query's neighbouring terms that are neighbours in its
        beginning, too."""
        if not asked.pairs:
            return [0.0] * len(numbers)
        found: list[int] = self._postings.together(numbers, asked.pairs).tolist()
        begin = self._settings.phrase_chars
        for at in [at for at, count in enumerate(found) if count]:
            document = self._documents[int(numbers[at])]
            assert document is not None
            if len(document.text) > begin:
                raws = raw_words(document.text[:begin])
                terms = [term for raw in raws for term in terms_of(raw)]
                found[at] = len(asked.pairs & set(pairwise(terms)))
        return [count / len(asked.pairs) for count in found]

    def _matched(
        self,
        asked: Asked,
        wanted: tuple[Mapping[str, float], ...],
        some: Some,
        places: Sequence[int],
    ) -> list[tuple[list[str], list[str], list[str]]]:
        """Of each document the query's words that stand in it, its names, and words that are found
        through another one. places: of the documents in `some`."""
        found: list[tuple[list[str], list[str], list[str]]] = [([], [], []) for _ in places]
        for word, terms in zip(asked.words, wanted, strict=True):
            own = [term for term, weight in terms.items() if weight == 1.0]
            whole = [t for t in own if t.startswith("=")] if word in asked.names else []
            there = some.hold_one(terms)[places].nonzero()[0].tolist()
            if not there:
                continue
            is_own, is_whole = some.hold_one(own)[places], some.hold_one(whole)[places]
            for at in there:
                words, names, related = found[at]
                (names if is_whole[at] else words if is_own[at] else related).append(word)
        return found

    def _reasons(
        self,
        asked: Asked,
        matched: tuple[list[str], list[str], list[str]],
        document: Document,
        near: float,
        together: float,
        *,
        lent: bool,
    ) -> Reasons:
        """lent: it has a score by words, though it may hold none of them."""
        words, names, related = matched
        shown = asked.month and _matches_month(_month(document.time), asked)
        return Reasons(
            words=tuple(words),
            names=tuple(names),
            related=tuple(related),
            heir=lent and not any(matched),
            alike=near >= self._settings.alike_floor,
            phrase=len(words) > 1 and together >= 0.5,
            time=document.time[:7] if shown else "",
            superseded=document.metadata.get("status") == "superseded",
        )


def _lend(heirs: tuple[tuple[int, tuple[int, ...]], ...], words: Floats, held: Floats) -> None:
    """What replaced a matching statement matches as well, though it may say other words."""
    for new, replaced in heirs:
        lending = [old for old in replaced if words[old] > words[new]]
        if lending:
            held[new] = max(held[new], *(held[old] for old in lending))
            words[new] = max(words[old] for old in lending)


def _best(scores: Floats, most: int) -> NDArray[np.int64]:
    """Positions of the highest scores, highest first; of equals the first."""
    places = np.arange(len(scores))
    if len(scores) > most:
        places = np.sort(np.argpartition(-scores, most - 1)[:most])
    return places[np.argsort(-scores[places], kind="stable")]


def _month(time: str) -> int:
    """Year and month as one number, 0 if unknown."""
    year, month = time[:4], time[5:7]
    known = year.isdigit() and month.isdigit() and time[4:5] == "-"
    return int(year) * 100 + int(month) if known else 0


def _matches_month(month: int, asked: Asked) -> bool:
    return month % 100 == asked.month and asked.year in (0, month // 100)


def _in_month(months: NDArray[np.int64], asked: Asked) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = months % 100 == asked.month
    return same & (months // 100 == asked.year) if asked.year else same
