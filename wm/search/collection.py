"""Numbered documents with everything known about them except vectors (RC-1).

Numbers increase. A replaced document gets a new number but keeps its turn: the order in which
documents first arrived, which is their order in the file. So an index that followed its file for
days ranks like one built from the file anew. Does no ranking.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, KeysView, Sequence
from itertools import islice
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.search import fusion
from wm.search.documents import Filters, SearchDocument
from wm.search.postings import Postings
from wm.search.query import ParsedQuery
from wm.settings import RecallSettings
from wm.text.terms import terms_in

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_KEPT_COUNTS = 16
_SPEAKERS = ("user:", "human:")


class Columns(Struct, frozen=True):
    """The data of all live documents that a query needs. rows: their numbers, in order of turn.
    are_all: rows are all numbers in order. places: number -> position in `rows`. bonus: for
    documents that a person said. lending: see `fusion.around`. heirs: position of each successor
    with the positions of the documents it replaced; those come earlier in the list."""

    rows: Numbers
    are_all: bool
    places: Numbers
    threads: Numbers
    bonus: Floats
    lending: fusion.Around
    heirs: tuple[tuple[int, tuple[int, ...]], ...]

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """Select the live documents from an array indexed by number."""
        return values if self.are_all else values[self.rows]


class Collection:
    """Documents and their terms. `take` and `remove` keep both in step."""

    def __init__(self, settings: RecallSettings) -> None:
        self.postings = Postings(settings.bm25_k1)
        self._settings = settings
        self._numbers: dict[str, int] = {}
        self._documents: list[SearchDocument | None] = []
        self._turns = array("q")
        self._came = 0
        self._months = array("q")
        self._threads = array("q")
        self._thread_codes: dict[str, int] = {}
        self._spoken = array("b")
        self._heirs: dict[int, str] = {}
        self._columns: Columns | None = None
        self._counts: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._numbers

    def number(self, document_id: str) -> int:
        """The number of a document, -1 if unknown."""
        return self._numbers.get(document_id, -1)

    def at(self, number: int) -> SearchDocument:
        """The document with this number, which must be live."""
        document = self._documents[number]
        assert document is not None
        return document

    def name(self, number: int) -> str:
        """The id of a document, "" if it was removed."""
        document = self._documents[number]
        return document.id if document is not None else ""

    def ids(self) -> KeysView[str]:
        return self._numbers.keys()

    def __iter__(self) -> Iterator[SearchDocument]:
        return (found for found in self._documents if found is not None)

    def take(
        self,
        documents: Sequence[SearchDocument],
        replaced: Callable[[int, SearchDocument, int], None],
    ) -> None:
        """Append documents. replaced: called with the old number, the document and its new number
        while both exist; the old one is removed afterwards."""
        self.postings.add(*self._term_ids([document.text for document in documents]))
        for document in documents:
            number, turn = len(self._documents), self._came
            old = self._numbers.get(document.id)
            if old is None:
                self._came += 1
            else:
                turn = self._turns[old]
                replaced(old, document, number)
                self.remove(document.id)
            self._numbers[document.id] = number
            self._turns.append(turn)
            self._append(document, number)
        self._changed()

    def remove(self, document_id: str) -> int:
        """Remove a document. Returns its number, -1 if unknown."""
        number = self._numbers.pop(document_id, -1)
        if number >= 0:
            self._documents[number] = None
            self.postings.remove(number)
            self._heirs.pop(number, None)
            self._changed()
        return number

    def count(self, filters: Filters) -> int:
        """Number of documents that pass the filters."""
        key = (*sorted(filters.metadata.items()), *filters.tags)
        asked = (key, filters.since, filters.until, filters.path)
        known = self._counts.get(asked)
        if known is None:
            if len(self._counts) >= _KEPT_COUNTS:
                self._counts.clear()
            known = self._counts[asked] = sum(map(filters.admit, self))
        return known

    def columns(self) -> Columns:
        if self._columns is None:
            rows, end = self.postings.alive(), self.postings.end
            turns = self.turns(rows)
            in_order = bool((turns[1:] > turns[:-1]).all())
            if not in_order:
                rows = rows[turns.argsort()]
            places = np.full(end, -1, np.int64)
            places[rows] = np.arange(len(rows))
            threads = np.frombuffer(self._threads, np.int64)[rows]
            bonus = np.float32(self._settings.spoken_bonus) * self.spoken(rows).astype(np.float32)
            lending = fusion.neighbours(threads, self._settings)
            are_all = in_order and len(rows) == end
            heirs = self._in_turn(places)
            self._columns = Columns(rows, are_all, places, threads, bonus, lending, heirs)
        return self._columns

    def turns(self, numbers: Numbers) -> Numbers:
        """The turn of each document. A replacement with the same id keeps the turn."""
        return np.frombuffer(self._turns, np.int64)[numbers]

    def spoken(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Mask of documents that a person said."""
        return np.frombuffer(self._spoken, np.bool_)[numbers]

    @property
    def has_heirs(self) -> bool:
        """Return whether any document replaced another."""
        return bool(self._heirs)

    def in_month(self, asked: ParsedQuery, numbers: Numbers) -> NDArray[np.bool_]:
        """Mask of documents from the month that the query names. Months are parsed once per
        document."""
        for document in self._documents[len(self._months) :]:
            self._months.append(_month(document.time) if document is not None else 0)
        months = np.frombuffer(self._months, np.int64)[numbers]
        same: NDArray[np.bool_] = months % 100 == asked.month
        return same & (months // 100 == asked.year) if asked.year else same

    def _append(self, document: SearchDocument, number: int) -> None:
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

    def _term_ids(self, texts: Sequence[str]) -> tuple[Numbers, Numbers]:
        """The term numbers of all texts, in order, and the number of terms per text."""
        ids: list[int] = []
        ends = [0]
        for text in texts:
            ids += map(self.postings.id_of, terms_in(text))
            ends.append(len(ids))
        return np.array(ids, np.int64), np.diff(np.array(ends))

    def _in_turn(self, places: Numbers) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Successors in topological order, each after the documents it replaced: along a chain
        every match reaches the last one, in whatever order the documents arrived or changed."""
        numbers = self._numbers
        replaced: dict[int, list[int]] = {}
        for old, heir in self._heirs.items():
            if heir in numbers:
                replaced.setdefault(numbers[heir], []).append(old)
        # Only a manual edit can make a cycle. Sorting by id breaks it at the same place in every
        # index.
        waiting = sorted(replaced, key=self.name, reverse=True)
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
                key=self.name,
                reverse=True,
            )
        turns = list(dict.fromkeys(turns))
        left = iter(places[[one for new in turns for one in (new, *replaced[new])]].tolist())
        return tuple((next(left), tuple(islice(left, len(replaced[new])))) for new in turns)


def _month(time: str) -> int:
    """Year and month as one number, 0 if unknown."""
    year, month = time[:4], time[5:7]
    known = year.isdigit() and month.isdigit() and time[4:5] == "-"
    return int(year) * 100 + int(month) if known else 0
