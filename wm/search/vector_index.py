"""An exact vector index over numbered documents, with a graph for large collections (RC-3).

Vectors are whitened (`wm.search.whitening`). The fit uses the first documents in order of turn;
their number is the last of a fixed series (each term a tenth more than the one before, large ones
twice as many). So one more document seldom changes the fit, and the fit does not depend on how
rows arrived, were saved or removed. A document may have several rows; its similarity is that of its
best row.

Rows are stored as the model made them, rounded to half precision as in the saved file. Whitening
is applied to the query, so a graph over the raw rows stays valid when the fit changes. The graph
only names candidates; every similarity returned is computed from the rows. Matrix products
release the GIL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.search.whitening import Floats, Whitening
from wm.settings import RecallSettings

Numbers = NDArray[np.int64]

_GROWN = 1.1
_GROWN_LARGE = 2.0
_FITTED = 20_000
"""Maximum number of rows used for a fit; more do not change it measurably."""
_SAMPLE = 1024
"""Sample size for the mean and deviation of similarity in a large collection."""
_AT_ONCE = 8192
"""Rows per matrix product."""
_LAG = 2048
"""Maximum number of rows missing in a graph in use; every query compares them as well."""


class Graph(Protocol):
    """Approximate nearest neighbours by inner product. Keys are row positions."""

    def __len__(self) -> int: ...

    def add(self, keys: Numbers, rows: Floats) -> None: ...

    def remove(self, keys: Numbers) -> None: ...

    def nearest(self, vector: Floats, count: int) -> Numbers: ...

    def to_bytes(self) -> bytes | bytearray: ...


MakeGraph = Callable[[int], Graph]
"""Creates an empty graph for rows of this dimension."""


class RowSet(Struct, frozen=True):
    """All rows of an index. numbers: the documents in order of their rows; pieces: rows per
    document. graph: over exactly the first `in_graph` rows, None without one."""

    numbers: Numbers
    pieces: NDArray[np.uint16]
    rows: NDArray[np.float16]
    graph: Graph | None = None
    in_graph: int = 0


def _as_numbered(numbers: Numbers) -> Numbers:
    return numbers


class VectorIndex:
    """Vectors of numbered documents. Not thread-safe."""

    def __init__(
        self,
        dimension: int,
        settings: RecallSettings,
        make_graph: MakeGraph | None = None,
        expected: int = 0,
        turns: Callable[[Numbers], Numbers] = _as_numbered,
    ) -> None:
        """expected: estimated number of rows, allocated at once. turns: maps document numbers to
        the order in which they arrived, without ties."""
        self.dimension = dimension
        self._expected = expected
        self._ridge = settings.whitening_ridge
        self._graph_from = settings.graph_from
        self._make_graph = make_graph
        self._rows: Floats = np.zeros((0, dimension), np.float32)
        self._owners = np.zeros(0, np.int64)
        self._norms = np.zeros(0, np.float32)
        self._first = np.zeros(0, np.int64)
        self._pieces = np.zeros(0, np.int64)
        self._end = self._live = 0
        self._is_plain = True
        """True while every document has one row."""
        self._graph: Graph | None = None
        self._in_graph = 0
        self._turns = turns
        self._texts = 0
        """Number of documents with rows."""
        self._fitted = 0
        """Number of documents in the fit. It is valid until there are `_until` documents, or one
        with a turn up to `_last` is added or removed."""
        self._until, self._last = 1, -1
        self._whitening = Whitening.none(dimension)
        self._sample: tuple[Floats, Numbers] | None = None
        """Rows of a sample of documents and the start of each document; None until needed."""

    def __len__(self) -> int:
        return self._live

    # --- rows ------------------------------------------------------------------------------

    def add(self, numbers: Numbers, pieces: NDArray[Any], rows: NDArray[Any]) -> None:
        """Set the rows (unit vectors) of documents. pieces: rows per document, at least one.
        Existing rows are replaced."""
        known = numbers[numbers >= 0]
        self._room(int(np.max(known, initial=-1)) + 1)
        old = self._slots(known)
        if len(old):
            self._drop(old)
        counts = pieces.astype(np.int64)
        starts = self._end + np.cumsum(counts) - counts
        self._is_plain = self._is_plain and bool((counts == 1).all())
        self._texts += len(known)
        self._invalidate(known)
        self._first[known] = starts[numbers >= 0]
        self._pieces[known] = counts[numbers >= 0]
        self._append(np.repeat(numbers, counts), rows)

    def fill(self, stored: RowSet) -> None:
        """Load all rows into an empty index; rows of negative document numbers are dropped. The
        graph's keys are the positions of the rows."""
        assert not self._end, "a space is filled once"
        self.add(stored.numbers, stored.pieces, stored.rows)
        if stored.graph is not None:
            self._graph, self._in_graph = stored.graph, stored.in_graph
        without_owner = np.flatnonzero(self._owners[: self._end] < 0)
        if len(without_owner):  # the first `np.unique` of a process loads 15 ms of numpy.ma
            self._drop(without_owner)

    def move(self, old: int, new: int) -> None:
        """Renumber a document."""
        slots = self._slots(np.array([old]))
        if len(slots):
            first, pieces = self._first[old], self._pieces[old]
            self._first[old] = -1
            self._room(new + 1)
            self._first[new], self._pieces[new] = first, pieces
            self._owners[slots] = new

    def remove(self, number: int) -> None:
        slots = self._slots(np.array([number]))
        if len(slots):
            self._first[number] = -1
            self._drop(slots)

    def has_rows(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Mask of the documents that have rows."""
        found = np.zeros(len(numbers), np.bool_)
        within = numbers < len(self._first)
        found[within] = self._first[numbers[within]] >= 0
        return found

    def row_set(self) -> RowSet:
        """All rows, for saving. The graph is omitted if it still contains removed rows."""
        slots = np.flatnonzero(self._owners[: self._end] >= 0)
        owners = self._owners[slots]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        numbers = owners[starts]
        has_gap = bool((self._owners[: self._in_graph] < 0).any())
        graph = None if has_gap else self._graph
        return RowSet(
            numbers,
            self._pieces[numbers].astype(np.uint16),
            self._rows[slots].astype(np.float16),
            graph,
            self._in_graph if graph is not None else 0,
        )

    def _append(self, owners: Numbers, rows: NDArray[Any]) -> None:
        begin, end = self._end, self._end + len(rows)
        if end > len(self._owners):
            self._grow(end)
        # Round now, so that saved and newly computed vectors are equal.
        self._rows[begin:end] = rows.astype(np.float16)
        self._owners[begin:end] = owners
        self._end, self._live = end, self._live + len(rows)
        if self._fitted:  # else the first fit computes all
            self._update_norms(begin, end)

    def _grow(self, end: int) -> None:
        size = max(64, end, 2 * len(self._owners), self._expected)
        rows = np.zeros((size, self.dimension), np.float32)
        rows[: self._end] = self._rows[: self._end]
        self._rows = rows
        self._owners = _wider(self._owners, size)
        self._norms = _wider(self._norms, size)

    def _room(self, end: int) -> None:
        if end > len(self._first):
            size = max(64, end, 2 * len(self._first))
            self._first, self._pieces = _wider(self._first, size), _wider(self._pieces, size)

    def _slots(self, numbers: Numbers) -> Numbers:
        """Positions of the rows of these documents, document by document."""
        numbers = numbers[self.has_rows(numbers)]
        first = self._first[numbers]
        if self._is_plain:
            return first
        pieces = self._pieces[numbers]
        ends = np.cumsum(pieces)
        return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - ends + pieces, pieces)

    def _drop(self, slots: Numbers) -> None:
        owners = np.unique(self._owners[slots])
        self._invalidate(owners[owners >= 0])
        self._texts -= int(np.count_nonzero(owners >= 0))
        self._owners[slots] = -1
        self._rows[slots] = 0
        self._live -= len(slots)
        known = slots[slots < self._in_graph]
        if self._graph is not None and len(known):
            self._graph.remove(known)
        if self._live < 0.75 * self._end:
            self._compact()

    def _compact(self) -> None:
        keep = np.flatnonzero(self._owners[: self._end] >= 0)
        for stored in (self._rows, self._owners, self._norms):
            stored[: len(keep)] = stored[keep]
        self._end = len(keep)
        owners = self._owners[: self._end]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        self._first[owners[starts]] = starts
        self._graph, self._in_graph = None, 0

    # --- the graph -------------------------------------------------------------------------

    def extend_graph(self, count: int) -> bool:
        """Add up to `count` rows to the graph. Returns False when none is left."""
        if self._make_graph is None or self._live < self._graph_from:
            return False
        if self._graph is None:
            self._compact()
            self._graph = self._make_graph(self.dimension)
        end = min(self._end, self._in_graph + count)
        slots = np.arange(self._in_graph, end)
        slots = slots[self._owners[slots] >= 0]
        if len(slots):
            self._graph.add(slots, self._rows[slots])
        self._in_graph = end
        return end < self._end

    def nearest(self, vector: Floats, count: int) -> Numbers | None:
        """Numbers of the approximately nearest documents and of those not yet in the graph. None
        without a graph, or if it is too far behind."""
        if self._graph is None or self._end - self._in_graph > _LAG:
            return None
        self.refit()
        query, _ = self._whitening.query(vector)
        slots = self._graph.nearest(query / max(float(np.linalg.norm(query)), 1e-9), count)
        owners = np.concatenate(
            [self._owners[slots[slots < self._end]], self._owners[self._in_graph : self._end]]
        )
        return np.unique(owners[owners >= 0])

    # --- similarity ------------------------------------------------------------------------

    def likeness(self, vector: Floats, end: int) -> tuple[Floats, NDArray[np.bool_]]:
        """For each number below `end`: cosine with the query, -1 without rows; and whether it has
        rows."""
        self.refit()
        near = np.full(end + 1, -1.0, np.float32)
        known = np.zeros(end + 1, np.bool_)
        query = self._whitening.query(vector)
        for begin in range(0, self._end, _AT_ONCE):
            part = slice(begin, min(begin + _AT_ONCE, self._end))
            # The owner of a removed row is -1: the extra last element, which is cut off.
            owners = self._owners[part]
            cosines = _cosines(query, self._rows[part], self._norms[part])
            if self._is_plain:
                near[owners] = cosines
            else:
                np.maximum.at(near, owners, cosines)
            known[owners] = True
        return near[:end], known[:end]

    def near(self, vector: Floats, numbers: Numbers) -> Floats:
        """Cosine of each of these documents with the query, -1 without rows."""
        self.refit()
        found = np.full(len(numbers), -1.0, np.float32)
        known = self.has_rows(numbers)
        slots = self._slots(numbers)
        if len(slots):
            cosines = _cosines(self._whitening.query(vector), self._rows[slots], self._norms[slots])
            pieces = self._pieces[numbers[known]]
            found[known] = np.maximum.reduceat(cosines, np.cumsum(pieces) - pieces)
        return found

    def mean_and_deviation(self, vector: Floats) -> tuple[float, float]:
        """Mean and deviation of the similarity of all documents, estimated from a sample."""
        self.refit()
        if self._sample is None:
            self._sample = self._draw_sample()
        rows, starts = self._sample
        best = np.maximum.reduceat(rows @ self._whitening.query(vector)[0], starts)
        return float(best.mean()), float(best.std())

    def mutual(self, numbers: Numbers) -> Floats:
        """Pairwise cosines of these documents, by their best pair of rows."""
        self.refit()
        known = self.has_rows(numbers).nonzero()[0]
        found = np.zeros((len(numbers), len(numbers)), np.float32)
        if not len(known):
            return found
        slots = self._slots(numbers)
        rows = self._rows[slots] - self._whitening.mean
        norms = self._norms[slots]
        best = rows @ self._whitening.metric @ rows.T / norms / norms[:, np.newaxis]
        if not self._is_plain:
            pieces = self._pieces[numbers[known]]
            starts = np.cumsum(pieces) - pieces
            best = np.maximum.reduceat(best, starts, axis=0)
            best = np.maximum.reduceat(best, starts, axis=1)
        found[known[:, np.newaxis], known] = best
        own = np.arange(len(numbers))
        found[own, own] = 0
        return found

    # --- the fit ---------------------------------------------------------------------------

    def _invalidate(self, numbers: Numbers) -> None:
        """Invalidate sample and fit if rows of these documents change them."""
        if self._texts <= _SAMPLE:
            self._sample = None
        if self._fitted and (self._turns(numbers) <= self._last).any():
            self._until = 0

    def refit(self) -> None:
        """Refit if it is due after many changes. Every query does; call it before one to save it
        the time."""
        if self._texts and not self._fitted <= self._texts < self._until:
            self._fit()

    def _fit(self) -> None:
        self._fitted, self._until = _steps(self._texts)
        numbers = self._first_texts()
        self._last = int(self._turns(numbers[-1:])[0])
        slots = self._slots(numbers)
        if len(slots) > _FITTED:
            slots = slots[np.linspace(0, len(slots) - 1, _FITTED).astype(np.int64)]
        self._whitening = Whitening.of(self._rows[slots], self._ridge)
        self._sample = None
        self._update_norms(0, self._end)

    def _update_norms(self, begin: int, end: int) -> None:
        """Compute the norms of whitened rows."""
        for start in range(begin, end, _AT_ONCE):
            part = slice(start, min(start + _AT_ONCE, end))
            self._norms[part] = self._whitening.norms(self._rows[part])

    def _first_texts(self) -> Numbers:
        """The documents of the fit, in order of turn."""
        numbers = np.flatnonzero(self._first >= 0)
        return numbers[self._turns(numbers).argsort()][: self._fitted]

    def _draw_sample(self) -> tuple[Floats, Numbers]:
        numbers = np.flatnonzero(self._first >= 0)
        if len(numbers) > _SAMPLE:
            numbers = self._first_texts()
            numbers = numbers[np.linspace(0, len(numbers) - 1, _SAMPLE).astype(np.int64)]
        pieces = self._pieces[numbers]
        slots = self._slots(numbers)
        rows = self._rows[slots] - self._whitening.mean
        return rows / self._norms[slots, np.newaxis], np.cumsum(pieces) - pieces


def _steps(count: int) -> tuple[int, int]:
    """The last number of the fixed series up to `count` (at least 1), and the next."""
    low, high = 1, 2
    while high <= count:
        grown = _GROWN if high < _FITTED else _GROWN_LARGE
        low, high = high, max(high + 1, int(grown * high))
    return low, high


def _cosines(query: tuple[Floats, np.float32], rows: Floats, norms: Floats) -> Floats:
    found: Floats = rows @ query[0]
    found -= query[1]
    found /= norms
    return found


def _wider(old: NDArray[Any], size: int) -> NDArray[Any]:
    """A copy of the array, extended with -1."""
    new = np.full(size, -1, old.dtype)
    new[: len(old)] = old
    return new
