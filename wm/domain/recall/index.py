"""Documents that can be asked: words, meaning where vectors are there, time (RC-1, RC-4).

A document is findable by its words as soon as `add` returns, by its meaning once `attach` gave
its vectors. Finds nothing rather than something for a query that no text touches. Reads no
files, embeds nothing: an index is derived, and can be made again from the documents at any time.

A question goes through `asked` (taken apart), `wanted` (what its words may be found by), `scored`
(all documents, by both halves) and `judged` (the best of them: enough, in which order, why).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, islice

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from wm.domain.recall.asked import taken_apart
from wm.domain.recall.collection import Collection
from wm.domain.recall.documents import Document, Filters, Hit
from wm.domain.recall.judged import judged
from wm.domain.recall.scored import Question, Scored, best, scored
from wm.domain.recall.space import Held, MakeGraph, Space
from wm.domain.recall.wanted import wanted
from wm.settings import RecallSettings

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_AT_ONCE = 16
"""Documents that are added in one step."""


def _go_on() -> None:
    """No rest between two steps."""


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
        self._collection = Collection(settings)
        self._space: Space | None = None
        self._embedded = True
        self.add_all(documents)

    def __len__(self) -> int:
        return len(self._collection)

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._collection

    def document(self, document_id: str) -> Document | None:
        number = self._collection.number(document_id)
        return None if number < 0 else self._collection.at(number)

    def documents(self) -> Iterator[Document]:
        """All that can be found."""
        return iter(self._collection)

    def count(self, filters: Filters) -> int:
        """Documents that the filters admit."""
        return self._collection.count(filters)

    # --- documents -------------------------------------------------------------------------

    def add(self, document: Document) -> None:
        """Make a document findable; one with its id is replaced, and its vectors stay if its text
        does."""
        self.add_all((document,))

    def add_all(self, documents: Iterable[Document], rest: Callable[[], None] = _go_on) -> None:
        """The same for several, in order. rest: called between two short steps."""
        left = iter(documents)
        while some := list(islice(left, _AT_ONCE)):
            self._collection.take(some, self._replace)
            rest()

    def _replace(self, old: int, document: Document, number: int) -> None:
        if self._space is not None:
            if self._collection.at(old).text == document.text:
                self._space.move(old, number)
            self._space.remove(old)

    def remove(self, document_id: str) -> None:
        """Forget a document; an unknown id is fine."""
        number = self._collection.remove(document_id)
        if number >= 0 and self._space is not None:
            self._space.remove(number)

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
        return self.renew(wanted.values(), self._collection.ids() - wanted.keys(), rest)

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
        numbers = [self._collection.number(document.id) for document in documents]
        return tuple(compress(documents, ~self._space.holds(np.array(numbers, np.int64))))

    # --- vectors ---------------------------------------------------------------------------

    def attach(self, document_id: str, vectors: Floats) -> None:
        """Give a document its vectors, rows of one model; an unknown id is fine (it was removed
        meanwhile)."""
        self.attach_all([document_id], [vectors])

    def attach_all(self, ids: Sequence[str], vectors: Sequence[Floats]) -> None:
        """The same for several at once."""
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

    def fill(self, ids: Sequence[str | None], held: Held) -> None:
        """Give many documents their vectors at once, as `vectors` told them; `ids` name the
        documents, None one that is there no more. Vectors that are there already go."""
        known = [-1 if i is None else self._collection.number(i) for i in ids]
        self._space = self._new_space(held.rows.shape[1])
        self._space.fill(replace(held, numbers=np.array(known, np.int64)))

    def vectors(self) -> tuple[list[str], Held] | None:
        """The documents that have vectors, and these; None where no document has any."""
        if self._space is None or not len(self._space):
            return None
        held = self._space.held()
        return [self._collection.name(number) for number in held.numbers.tolist()], held

    def settle(self) -> None:
        """See now what the vectors have in common, if that is due, so that no question waits."""
        if self._space is not None:
            self._space.settle()

    def extend_graph(self, count: int) -> bool:
        """One step of the graph over the vectors; False where nothing is left to do."""
        return self._space is not None and self._space.extend_graph(count)

    def expect(self, *, embedded: bool) -> None:
        """Forget all vectors: another model's will come. embedded: they are the default model's,
        which knows less than one of its own folder."""
        self._space = None
        self._embedded = embedded

    def _new_space(self, dimension: int) -> Space:
        many, turns = len(self._collection), self._collection.turns
        return Space(dimension, self._settings, self._make_graph, many, turns)

    # --- a question ------------------------------------------------------------------------

    def search(
        self, query: str, k: int, filters: Filters | None = None, vector: Floats | None = None
    ) -> tuple[Hit, ...]:
        """The best `k` documents for the query, best first; () when nothing is relevant.

        vector: the query's, of the index's own model; without it words decide alone.
        """
        if not len(self._collection):
            return ()
        settings, collection, space = self._settings, self._collection, self._space
        asked = taken_apart(query)
        words = wanted(asked.words, collection.postings, settings)
        question = Question(query, asked, words, vector, self._embedded)
        found = scored(question, collection, space, settings)
        most = max(settings.judged_hits, 2 * k)
        if self._is_narrow(found, filters, most):
            found = scored(question, collection, space, settings, whole=True)
        few = found.few(self._candidates(found, filters, most))
        return judged(question, few, collection, space, settings, k)

    def _is_narrow(self, found: Scored, filters: Filters | None, most: int) -> bool:
        """Do the filters leave so little that those which the vectors named are not enough?"""
        if filters is None or found.picked is None:
            return False
        return len(self._admitted(found, filters, found.picked, most)) < most

    def _candidates(self, found: Scored, filters: Filters | None, most: int) -> Numbers:
        """Positions in `found.rows`, best first."""
        touched = found.words > 0
        if found.near is not None:
            touched |= found.fused > 0
        places = touched.nonzero()[0]
        scores = found.fused[places]
        if filters is None:
            return places[best(scores, most)]
        # Most filters admit most: only as many as are needed are asked one by one.
        count = 2 * most
        while True:
            admitted = self._admitted(found, filters, places[best(scores, count)], most)
            if len(admitted) == most or count >= len(places):
                return admitted
            count *= 4

    def _admitted(self, found: Scored, filters: Filters, places: Numbers, most: int) -> Numbers:
        """The first `most` of these positions that the filters admit."""
        admitted: list[int] = []
        for place, number in zip(places.tolist(), found.rows[places].tolist(), strict=True):
            if filters.admit(self._collection.at(number)):
                admitted.append(place)
                if len(admitted) == most:
                    break
        return np.array(admitted, np.int64)
