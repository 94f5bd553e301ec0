"""A search index over documents: words, vectors where available, time (RC-1, RC-4).

A document is found by its words as soon as `add_all` returns, and by its meaning once `attach_all`
has set its vectors. Every hit has a confidence; readers decide what to drop. Reads no files, embeds
nothing: an index is derived and can be rebuilt from the documents at any time.

A query passes four steps: parse, expand each word to terms, score all documents by words and
vectors (`scored`), and rank the best (`ranked`: order, confidence, reasons).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, islice

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from wm.search.collection import Collection
from wm.search.documents import Filters, Hit, SearchDocument
from wm.search.query import parse
from wm.search.query_terms import query_terms
from wm.search.rerank import ranked
from wm.search.scoring import Question, Scored, best, scored
from wm.search.vector_index import MakeGraph, RowSet, VectorIndex
from wm.settings import RecallSettings

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_AT_ONCE = 16
"""Documents added in one step."""
_RANKED = 50
"""Least number of best documents that are ranked, however few hits are asked for."""


def _no_pause() -> None:
    """The default pause between two steps: none."""


def _in_steps(
    documents: Iterable[SearchDocument], rest: Callable[[], None]
) -> Iterator[list[SearchDocument]]:
    """The documents in short steps, each followed by a pause."""
    left = iter(documents)
    while some := list(islice(left, _AT_ONCE)):
        yield some
        rest()


class SearchIndex:
    """A searchable set of documents. `add_all`, `attach_all` and `remove` keep it in step.

    make_graph: creates the nearest-neighbour graph; without one all vectors are compared.
    """

    def __init__(
        self,
        documents: Iterable[SearchDocument],
        settings: RecallSettings,
        make_graph: MakeGraph | None = None,
    ) -> None:
        self._settings = settings
        self._make_graph = make_graph
        self._collection = Collection(settings)
        self._space: VectorIndex | None = None
        self._embedded = True
        self.add_all(documents)

    def __len__(self) -> int:
        return len(self._collection)

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._collection

    def document(self, document_id: str) -> SearchDocument | None:
        number = self._collection.number(document_id)
        return None if number < 0 else self._collection.at(number)

    def documents(self) -> Iterator[SearchDocument]:
        """All searchable documents."""
        return iter(self._collection)

    def count(self, filters: Filters) -> int:
        """Number of documents that pass the filters."""
        return self._collection.count(filters)

    # --- documents -------------------------------------------------------------------------

    def add_all(
        self, documents: Iterable[SearchDocument], rest: Callable[[], None] = _no_pause
    ) -> None:
        """Add documents in order. Each replaces one with the same id, whose vectors stay if the
        text is the same. rest: called between two short steps."""
        for some in _in_steps(documents, rest):
            self._collection.take(some, self._replace)

    def _replace(self, old: int, document: SearchDocument, number: int) -> None:
        if self._space is not None:
            if self._collection.at(old).text == document.text:
                self._space.move(old, number)
            self._space.remove(old)

    def remove(self, document_id: str) -> None:
        """Remove a document; an unknown id is ignored."""
        number = self._collection.remove(document_id)
        if number >= 0 and self._space is not None:
            self._space.remove(number)

    def refresh(
        self, documents: Iterable[SearchDocument], rest: Callable[[], None] = _no_pause
    ) -> tuple[SearchDocument, ...]:
        """Make the index contain exactly these documents. Returns those that need vectors: new ones
        and those with a new text. rest: called between two short steps."""
        wanted: dict[str, SearchDocument] = {}
        for some in _in_steps(documents, rest):
            wanted.update((document.id, document) for document in some)
        return self.renew(wanted.values(), self._collection.ids() - wanted.keys(), rest)

    def renew(
        self,
        documents: Iterable[SearchDocument],
        gone: Iterable[str],
        rest: Callable[[], None] = _no_pause,
    ) -> tuple[SearchDocument, ...]:
        """Like `refresh`, given only the new and changed documents and the ids of removed ones."""
        for document_id in gone:
            self.remove(document_id)
            rest()
        changed = []
        for some in _in_steps(documents, rest):
            changed += [document for document in some if self.document(document.id) != document]
        self.add_all(changed, rest)
        return self._without_vectors(changed)

    def _without_vectors(self, documents: Sequence[SearchDocument]) -> tuple[SearchDocument, ...]:
        if self._space is None:
            return tuple(documents)
        numbers = [self._collection.number(document.id) for document in documents]
        return tuple(compress(documents, ~self._space.has_rows(np.array(numbers, np.int64))))

    # --- vectors ---------------------------------------------------------------------------

    def attach_all(self, ids: Sequence[str], vectors: Sequence[Floats]) -> None:
        """Set the vectors of documents, for each the rows of one model. An unknown id is ignored:
        the document may have been removed meanwhile."""
        number = self._collection.number
        there = [(number(i), rows) for i, rows in zip(ids, vectors, strict=True) if i in self]
        if not there:
            return
        numbers = np.array([number for number, _ in there])
        pieces = np.array([len(rows) for _, rows in there])
        rows = np.concatenate([rows for _, rows in there])
        if self._space is None:
            self._space = self._new_space(rows.shape[1])
        self._space.add(numbers, pieces, rows)

    def fill(self, ids: Sequence[str | None], stored: RowSet) -> None:
        """Set the vectors of many documents at once, in the form that `vectors` returns. ids: None
        for a document that was removed. Existing vectors are discarded."""
        known = [-1 if i is None else self._collection.number(i) for i in ids]
        self._space = self._new_space(stored.rows.shape[1])
        self._space.fill(replace(stored, numbers=np.array(known, np.int64)))

    def vectors(self) -> tuple[list[str], RowSet] | None:
        """The documents that have vectors, and the vectors; None if there are none."""
        if self._space is None or not len(self._space):
            return None
        stored = self._space.row_set()
        return [self._collection.name(number) for number in stored.numbers.tolist()], stored

    def refit(self) -> None:
        """Recompute the whitening now if it is due, so that no query waits for it."""
        if self._space is not None:
            self._space.refit()

    def extend_graph(self, count: int) -> bool:
        """Add rows to the graph. Returns False when it is complete."""
        return self._space is not None and self._space.extend_graph(count)

    def expect(self, *, embedded: bool) -> None:
        """Discard all vectors because the model changes. embedded: the new ones come from the
        default model, which knows less than a model from a folder."""
        self._space = None
        self._embedded = embedded

    def _new_space(self, dimension: int) -> VectorIndex:
        many, turns = len(self._collection), self._collection.turns
        return VectorIndex(dimension, self._settings, self._make_graph, many, turns)

    # --- queries ---------------------------------------------------------------------------

    def search(
        self, query: str, k: int, filters: Filters | None = None, vector: Floats | None = None
    ) -> tuple[Hit, ...]:
        """The best `k` documents for the query, best first.

        vector: the query's vector from the index's model; without it only words are used.
        """
        if not len(self._collection):
            return ()
        settings, collection, space = self._settings, self._collection, self._space
        asked = parse(query)
        terms = query_terms(asked.words, collection.postings, settings)
        question = Question(query, asked, terms, vector, self._embedded)
        found = scored(question, collection, space, settings)
        most = max(_RANKED, 2 * k)
        if self._is_narrow(found, filters, most):
            found = scored(question, collection, space, settings, all_vectors=True)
        few = found.few(self._candidates(found, filters, most))
        return ranked(question, few, collection, space, settings, k)

    def _is_narrow(self, found: Scored, filters: Filters | None, most: int) -> bool:
        """Return whether too few of the vector candidates pass the filters, so that all are
        compared."""
        if filters is None or found.picked is None:
            return False
        return len(self._admitted(found, filters, found.picked, most)) < most

    def _candidates(self, found: Scored, filters: Filters | None, most: int) -> Numbers:
        """Positions in `found.rows`, best first."""
        touched = found.coverage > 0
        if found.near is not None:
            touched |= found.fused > 0
        places = touched.nonzero()[0]
        scores = found.fused[places]
        if filters is None:
            return places[best(scores, most)]
        # Most filters pass most documents: check them one by one until enough pass.
        count = 2 * most
        while True:
            admitted = self._admitted(found, filters, places[best(scores, count)], most)
            if len(admitted) == most or count >= len(places):
                return admitted
            count *= 4

    def _admitted(self, found: Scored, filters: Filters, places: Numbers, most: int) -> Numbers:
        """The first `most` of these positions that pass the filters."""
        admitted: list[int] = []
        for place, number in zip(places.tolist(), found.rows[places].tolist(), strict=True):
            if filters.admit(self._collection.at(number)):
                admitted.append(place)
                if len(admitted) == most:
                    break
        return np.array(admitted, np.int64)
