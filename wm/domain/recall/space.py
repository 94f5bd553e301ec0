"""Vectors of numbered documents, compared exactly, among many with a graph's help (RC-3).

What all texts of a collection have in common tells nothing apart: the mean is taken away and
directions in which everything varies are shrunk (a softened whitening). That is computed of the
first documents by their turns, so many as the last of a row of fixed numbers says (each a tenth
more than the one before, large ones twice as many): one more document seldom changes it, and it
is the same however the rows came, were saved or went. A document may have several rows; its
likeness is that of its best, or, where a whole text is asked with, of all of them together.

Rows are kept as the model made them, in half precision, and the whitening goes into the query:
so a graph over the rows, which knows nothing of it, stays right when it changes. The graph only
names candidates; every likeness that is told was computed from the rows. Matrix products release
the GIL.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.domain.recall.halves import single
from wm.settings import RecallSettings

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_SETTLING = 16.0
"""Rows until which the mean of a small collection is not trusted."""
_GROWN = 1.1
_GROWN_LARGE = 2.0
_FITTED = 20_000
"""Rows that a fit looks at, at most: more change nothing of it that could be seen."""
_SAMPLE = 1024
"""Documents by whose likeness the scores of a large collection are standardised."""
_AT_ONCE = 8192
"""Rows that are turned to single precision at once."""
_TURNED = 2048
"""Rows up to which they are kept whitened, too: 2 MB at most with 256 dimensions."""
_LAG = 2048
"""Rows that a graph may be behind: they are candidates of every query."""


class Graph(Protocol):
    """Finds about the nearest of the rows it was given, by inner product. Keys are slots."""

    def __len__(self) -> int: ...

    def add(self, keys: Numbers, rows: Floats) -> None: ...

    def remove(self, keys: Numbers) -> None: ...

    def nearest(self, vector: Floats, count: int) -> Numbers: ...

    def to_bytes(self) -> bytes | bytearray: ...


Aim = tuple[Floats, np.float32]
MakeGraph = Callable[[int], Graph]
"""An empty graph for rows of so many dimensions."""


class Held(Struct, frozen=True):
    """All rows of a space. numbers: of the documents, in the order of their rows; pieces: how
    many rows each has. graph: over the first `in_graph` rows, None where there is none that holds
    just those."""

    numbers: Numbers
    pieces: NDArray[np.uint16]
    rows: NDArray[np.float16]
    graph: Graph | None = None
    in_graph: int = 0


def _as_numbered(numbers: Numbers) -> Numbers:
    return numbers


class Space:
    """Not safe for several threads."""

    def __init__(
        self,
        dimension: int,
        settings: RecallSettings,
        make_graph: MakeGraph | None = None,
        expected: int = 0,
        turns: Callable[[Numbers], Numbers] = _as_numbered,
    ) -> None:
        """expected: rows that will come, as far as is known: they have their place at once. turns:
        in which order documents with these numbers came; each has another one."""
        self.dimension = dimension
        self._expected = expected
        self._ridge = settings.whitening_ridge
        self._graph_from = settings.graph_from
        self._make_graph = make_graph
        self._rows: NDArray[Any] = np.zeros((0, dimension), np.float32)
        self._owners = np.zeros(0, np.int64)
        self._norms = np.zeros(0, np.float32)
        self._parts = np.zeros(0, np.float32)
        """Of each row what makes of the cosines of a document's rows that of their sum."""
        self._turned = np.zeros((0, dimension), np.float32)
        """The rows whitened, as unit vectors; none of a large space."""
        self._first = np.zeros(0, np.int64)
        self._pieces = np.zeros(0, np.int64)
        self._end = self._live = 0
        self._is_plain = True
        """No document has several rows."""
        self._is_straight = True
        """Each has the row of its own number, and none went."""
        self._graph: Graph | None = None
        self._in_graph = 0
        self._turns = turns
        self._texts = 0
        """Documents that have rows."""
        self._fitted = 0
        """Documents that the fit was computed of; it holds until there are `_until`, or one up to
        the turn `_last` comes or goes."""
        self._until, self._last = 1, -1
        self._mean = np.zeros(dimension, np.float32)
        self._turn = np.eye(dimension, dtype=np.float32)
        self._metric = self._turn
        """The product of two rows that are turned, as one of rows that are not."""
        self._asked: tuple[Floats, Aim] | None = None
        """The last query, of which several things are asked, and its aim."""
        self._sample: tuple[Floats, Numbers, Floats] | None = None
        """Rows of some documents, where each one's begin, and their parts; None until they are
        asked for."""

    def __len__(self) -> int:
        return self._live

    # --- rows ------------------------------------------------------------------------------

    def add(self, numbers: Numbers, pieces: NDArray[Any], rows: NDArray[Any]) -> None:
        """Give documents their rows (unit vectors), so many each as `pieces` say, at least one;
        what they had goes."""
        known = numbers[numbers >= 0]
        self._room(int(known.max(initial=-1)) + 1)
        old = self._slots(known)
        if len(old):
            self._drop(old)
        counts = pieces.astype(np.int64)
        starts = self._end + np.cumsum(counts) - counts
        self._is_plain = self._is_plain and bool((counts == 1).all())
        self._texts += len(known)
        self._note(known)
        self._first[known] = starts[numbers >= 0]
        self._pieces[known] = counts[numbers >= 0]
        self._append(np.repeat(numbers, counts), rows)

    def fill(self, held: Held) -> None:
        """Take over all rows of an empty space; those of documents numbered below 0 are dropped.
        The graph's keys are the places of its rows."""
        assert not self._end, "a space is filled once"
        self.add(held.numbers, held.pieces, held.rows)
        if held.graph is not None:
            self._graph, self._in_graph = held.graph, held.in_graph
        self._drop(np.flatnonzero(self._owners[: self._end] < 0))

    def move(self, old: int, new: int) -> None:
        """The document has another number now."""
        slots = self._slots(np.array([old]))
        if len(slots):
            first, pieces = self._first[old], self._pieces[old]
            self._first[old] = -1
            self._room(new + 1)
            self._is_straight = False
            self._first[new], self._pieces[new] = first, pieces
            self._owners[slots] = new

    def remove(self, number: int) -> None:
        slots = self._slots(np.array([number]))
        if len(slots):
            self._first[number] = -1
            self._drop(slots)

    def holds(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Which of the documents have rows."""
        found = np.zeros(len(numbers), np.bool_)
        within = numbers < len(self._first)
        found[within] = self._first[numbers[within]] >= 0
        return found

    def held(self) -> Held:
        """All rows, to be kept elsewhere. A graph in which removed rows still stand is not."""
        slots = np.flatnonzero(self._owners[: self._end] >= 0)
        owners = self._owners[slots]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        numbers = owners[starts]
        has_gap = bool((self._owners[: self._in_graph] < 0).any())
        graph = None if has_gap else self._graph
        return Held(
            numbers,
            self._pieces[numbers].astype(np.uint16),
            self._rows[slots].astype(np.float16),
            graph,
            self._in_graph if graph is not None else 0,
        )

    def _append(self, owners: Numbers, rows: NDArray[Any]) -> None:
        begin, end = self._end, self._end + len(rows)
        if end > len(self._owners) or (end > self._graph_from and self._rows.itemsize > 2):
            self._grow(end)
        # Rounded at once, so that what was saved and what was just made are the same.
        self._rows[begin:end] = single(rows.astype(np.float16))
        self._owners[begin:end] = owners
        self._is_straight &= bool((owners == np.arange(begin, end)).all())
        self._end, self._live = end, self._live + len(rows)
        self._weigh(begin, end)

    def _grow(self, end: int) -> None:
        size = len(self._owners)
        if end > size:
            size = max(64, end, 2 * size, self._expected)
        # A product of single-precision rows is the fastest; of many, half the memory counts more.
        precision = np.float32 if end <= self._graph_from else np.float16
        rows = np.zeros((size, self.dimension), precision)
        rows[: self._end] = self._rows[: self._end]
        self._rows = rows
        turned = np.zeros((size if size <= _TURNED else 0, self.dimension), np.float32)
        turned[: self._end] = self._turned[: len(turned[: self._end])]
        self._turned = turned
        self._owners = _wider(self._owners, size)
        self._norms = _wider(self._norms, size)
        self._parts = _wider(self._parts, size)

    def _room(self, end: int) -> None:
        if end > len(self._first):
            size = max(64, end, 2 * len(self._first))
            self._first, self._pieces = _wider(self._first, size), _wider(self._pieces, size)

    def _slots(self, numbers: Numbers) -> Numbers:
        """Where the rows of these documents stand, one document after the other."""
        numbers = numbers[self.holds(numbers)]
        first = self._first[numbers]
        if self._is_plain:
            return first
        pieces = self._pieces[numbers]
        ends = np.cumsum(pieces)
        return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - ends + pieces, pieces)

    def _drop(self, slots: Numbers) -> None:
        self._is_straight = False
        owners = np.unique(self._owners[slots])
        self._note(owners[owners >= 0])
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
        for held in (self._rows, self._owners, self._norms, self._parts):
            held[: len(keep)] = held[keep]
        if len(self._turned):
            self._turned[: len(keep)] = self._turned[keep]
        self._end = len(keep)
        owners = self._owners[: self._end]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        self._first[owners[starts]] = starts
        self._graph, self._in_graph = None, 0

    # --- the graph -------------------------------------------------------------------------

    def extend_graph(self, count: int) -> bool:
        """Give the graph up to `count` more rows; False where it needs none."""
        if self._make_graph is None or self._live < self._graph_from:
            return False
        if self._graph is None:
            self._compact()
            self._graph = self._make_graph(self.dimension)
        end = min(self._end, self._in_graph + count)
        slots = np.arange(self._in_graph, end)
        slots = slots[self._owners[slots] >= 0]
        if len(slots):
            self._graph.add(slots, single(self._rows[slots]))
        self._in_graph = end
        return end < self._end

    def nearest(self, vector: Floats, count: int) -> Numbers | None:
        """Numbers of about the nearest documents, and of those that the graph does not know yet.
        None where there is no graph to ask, or it is too far behind."""
        if self._graph is None or self._end - self._in_graph > _LAG:
            return None
        self._keep_fit()
        aim, _ = self._aim(vector)
        slots = self._graph.nearest(aim / max(float(np.linalg.norm(aim)), 1e-9), count)
        owners = np.concatenate(
            [self._owners[slots[slots < self._end]], self._owners[self._in_graph : self._end]]
        )
        return np.unique(owners[owners >= 0])

    # --- likeness --------------------------------------------------------------------------

    def settle(self) -> None:
        """Many rows came or went: what the collection has in common is looked at now, if that is
        due, and not when it is asked."""
        self._keep_fit()

    def likeness(
        self, vector: Floats, end: int, *, summed: bool = False
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """For each number below `end`: cosine with the query, -1 for none; and whether it has
        rows at all. summed: by all rows of a document together, not by its best."""
        self._keep_fit()
        if self._is_straight and self._end == end <= _AT_ONCE:
            cosines = _cosines(self._aim(vector), self._rows[:end], self._norms[:end])
            return cosines, np.ones(end, np.bool_)
        near = np.full(end + 1, 0.0 if summed else -1.0, np.float32)
        known = np.zeros(end + 1, np.bool_)
        aim = self._aim(vector)
        for begin in range(0, self._end, _AT_ONCE):
            part = slice(begin, min(begin + _AT_ONCE, self._end))
            owners = self._owners[part]  # a dead row's is -1: the last place, which nobody asks
            cosines = _cosines(aim, self._rows[part], self._norms[part])
            if self._is_plain:
                near[owners] = cosines
            elif summed:
                np.add.at(near, owners, cosines * self._parts[part])
            else:
                np.maximum.at(near, owners, cosines)
            known[owners] = True
        if summed:
            near[~known] = -1.0
        return near[:end], known[:end]

    def near(self, vector: Floats, numbers: Numbers, *, summed: bool = False) -> Floats:
        """Cosine with the query of each of these documents, -1 for one without rows."""
        self._keep_fit()
        found = np.full(len(numbers), -1.0, np.float32)
        known = self.holds(numbers)
        slots = self._slots(numbers)
        if len(slots):
            cosines = _cosines(self._aim(vector), self._rows[slots], self._norms[slots])
            pieces = self._pieces[numbers[known]]
            starts = np.cumsum(pieces) - pieces
            found[known] = _folded(cosines, starts, self._parts[slots] if summed else None)
        return found

    def usual(self, vector: Floats, *, summed: bool = False) -> tuple[float, float]:
        """Mean and deviation of the likeness of all documents, from a sample of them."""
        self._keep_fit()
        if self._sample is None:
            self._sample = self._drawn()
        rows, starts, parts = self._sample
        best = _folded(rows @ self._aim(vector)[0], starts, parts if summed else None)
        return float(best.mean()), float(best.std())

    def mutual(self, numbers: Numbers) -> Floats:
        """Cosines of these documents with one another, by their best pair of rows."""
        self._keep_fit()
        known = self.holds(numbers).nonzero()[0]
        if not len(known):
            return np.zeros((len(numbers), len(numbers)), np.float32)
        slots = self._slots(numbers)
        if len(self._turned):
            turned = self._turned[slots]
            best = turned @ turned.T
        else:
            rows = single(self._rows[slots]) - self._mean
            norms = self._norms[slots]
            best = rows @ self._metric @ rows.T / norms / norms[:, np.newaxis]
        if not self._is_plain:
            pieces = self._pieces[numbers[known]]
            starts = np.cumsum(pieces) - pieces
            best = np.maximum.reduceat(best, starts, axis=0)
            best = np.maximum.reduceat(best, starts, axis=1)
        found: Floats = best
        if len(known) < len(numbers):
            found = np.zeros((len(numbers), len(numbers)), np.float32)
            found[known[:, np.newaxis], known] = best
        own = np.arange(len(numbers))
        found[own, own] = 0
        return found

    def _aim(self, vector: Floats) -> Aim:
        """The query with the whitening in it: whose product with a row, less an offset, over the
        row's norm is their cosine when both are whitened."""
        if self._asked is not None and self._asked[0] is vector:
            return self._asked[1]
        own = vector - self._mean
        aim: Floats = self._metric @ own
        aim /= max(math.sqrt(max(float(own @ aim), 0.0)), 1e-9)
        self._asked = vector, (aim, np.float32(self._mean @ aim))
        return self._asked[1]

    # --- the fit ---------------------------------------------------------------------------

    def _note(self, numbers: Numbers) -> None:
        """Rows of these documents come or go."""
        if self._texts <= _SAMPLE:
            self._sample = None
        if self._fitted and (self._turns(numbers) <= self._last).any():
            self._until = 0

    def _keep_fit(self) -> None:
        if self._texts and not self._fitted <= self._texts < self._until:
            self._fit()

    def _fit(self) -> None:
        self._fitted, self._until = _steps(self._texts)
        numbers = self._first_texts()
        self._last = int(self._turns(numbers[-1:])[0])
        slots = self._slots(numbers)
        if len(slots) > _FITTED:
            slots = slots[np.linspace(0, len(slots) - 1, _FITTED).astype(np.int64)]
        rows = single(self._rows[slots])
        count = len(rows)
        mean = rows.mean(axis=0)
        rows -= mean
        spread = rows.T @ rows / count
        values, axes = np.linalg.eigh(spread)
        typical = max(float(values.mean()), 1e-9)
        # Of fewer rows than dimensions those seen to vary are just what tells these rows apart.
        known = count / (count + self.dimension)
        values = known * np.maximum(values, 0) + (1 - known) * typical
        self._turn = (axes / np.sqrt(values + self._ridge * typical)).astype(np.float32)
        self._metric = self._turn @ self._turn.T
        self._mean = mean * np.float32(count / (count + _SETTLING))
        self._asked = self._sample = None
        self._weigh(0, self._end)

    def _weigh(self, begin: int, end: int) -> None:
        """The norms of rows once they are whitened, and their parts."""
        while begin < end:
            to = self._document_end(begin, min(begin + _AT_ONCE, end))
            part = slice(begin, to)
            rows = single(self._rows[part])
            turned = (rows - self._mean) @ self._turn if self._fitted else rows
            norms = np.maximum(np.linalg.norm(turned, axis=1), 1e-9)
            self._norms[part] = norms
            if len(self._turned):
                np.divide(turned, norms[:, np.newaxis], out=self._turned[part])
            self._parts[part] = 1.0
            if not self._is_plain:
                starts = np.flatnonzero(np.diff(self._owners[part], prepend=-2))
                whole = np.add.reduceat(turned / norms[:, np.newaxis], starts, axis=0)
                sums = np.maximum(np.linalg.norm(whole, axis=1), 1e-9)
                self._parts[part] = np.repeat(1 / sums, np.diff(starts, append=to - begin))
            begin = to

    def _document_end(self, begin: int, end: int) -> int:
        """`end`, or where the rows of the document begin that would be parted there."""
        owners = self._owners[: self._end]
        if end == self._end or owners[end] < 0 or owners[end] != owners[end - 1]:
            return end
        return max(begin + 1, int(self._first[owners[end]]))

    def _first_texts(self) -> Numbers:
        """Those that the fit is computed of, in turn."""
        numbers = np.flatnonzero(self._first >= 0)
        return numbers[self._turns(numbers).argsort()][: self._fitted]

    def _drawn(self) -> tuple[Floats, Numbers, Floats]:
        numbers = np.flatnonzero(self._first >= 0)
        if len(numbers) > _SAMPLE:
            numbers = self._first_texts()
            numbers = numbers[np.linspace(0, len(numbers) - 1, _SAMPLE).astype(np.int64)]
        pieces = self._pieces[numbers]
        slots = self._slots(numbers)
        rows = single(self._rows[slots]) - self._mean
        return (
            rows / self._norms[slots, np.newaxis],
            np.cumsum(pieces) - pieces,
            self._parts[slots],
        )


def _steps(count: int) -> tuple[int, int]:
    """The last of the fixed numbers up to `count`, which is 1 at least, and the one behind it."""
    low, high = 1, 2
    while high <= count:
        grown = _GROWN if high < _FITTED else _GROWN_LARGE
        low, high = high, max(high + 1, int(grown * high))
    return low, high


def _folded(cosines: Floats, starts: Numbers, parts: Floats | None) -> Floats:
    """One likeness a document: of its best row, or, with the parts of the rows, of their sum."""
    found: Floats
    if parts is None:
        found = np.maximum.reduceat(cosines, starts)
    else:
        found = np.add.reduceat(cosines * parts, starts)
    return found


def _cosines(aim: Aim, rows: NDArray[Any], norms: Floats) -> Floats:
    found: Floats = single(rows) @ aim[0]
    found -= aim[1]
    found /= norms
    return found


def _wider(old: NDArray[Any], size: int) -> NDArray[Any]:
    """The same array with room behind it, of -1."""
    new = np.full(size, -1, old.dtype)
    new[: len(old)] = old
    return new
