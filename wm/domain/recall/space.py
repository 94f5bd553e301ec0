"""Vectors of numbered documents, compared exactly (RC-3).

What all texts of a collection have in common tells nothing apart: the mean is taken away and
directions in which everything varies are shrunk (a softened whitening). That is recomputed when
the collection has grown by a quarter; rows that come between use the last one. A document may
have several rows; its likeness is that of its best. Matrix products release the GIL.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_SETTLING = 16.0
"""Rows until which the mean of a small collection is not trusted."""


class Space:
    """ridge: how soft the whitening is, in mean variances; large means only the mean goes."""

    def __init__(self, dimension: int, ridge: float) -> None:
        self.dimension = dimension
        self._ridge = ridge
        self._rows = np.zeros((0, dimension), np.float32)
        self._owners = np.zeros(0, np.int64)
        self._count = 0
        self._fitted = 0
        self._turned = np.zeros((0, dimension), np.float32)
        self._mean = np.zeros(dimension, np.float32)
        self._turn = np.eye(dimension, dtype=np.float32)

    def __len__(self) -> int:
        return self._count

    def add(self, number: int, rows: Floats) -> None:
        """Give a document its rows (unit vectors). One that had some must be removed first."""
        end = self._count + len(rows)
        if end > len(self._rows):
            self._grow(end)
        self._rows[self._count : end] = rows
        self._owners[self._count : end] = number
        self._turned[self._count : end] = self._placed(rows)
        self._count = end

    def _grow(self, end: int) -> None:
        size = max(64, end, 2 * len(self._rows))

        def wider(old: Floats) -> Floats:
            new = np.zeros((size, self.dimension), np.float32)
            new[: len(old)] = old
            return new

        self._rows, self._turned = wider(self._rows), wider(self._turned)
        owners = np.full(size, -1, np.int64)
        owners[: len(self._owners)] = self._owners
        self._owners = owners

    def remove(self, number: int) -> None:
        keep = np.flatnonzero(self._owners[: self._count] != number)
        if len(keep) == self._count:
            return
        for held in (self._rows, self._turned, self._owners):
            held[: len(keep)] = held[keep]
        self._count = len(keep)

    def _fit(self) -> None:
        rows = self._rows[: self._count]
        count = len(rows)
        mean = rows.mean(axis=0)
        centred = rows - mean
        spread = centred.T @ centred / count
        values, axes = np.linalg.eigh(spread)
        typical = max(float(values.mean()), 1e-9)
        self._turn = (axes / np.sqrt(np.maximum(values, 0) + self._ridge * typical)).astype(
            np.float32
        )
        self._mean = mean * np.float32(count / (count + _SETTLING))
        self._turned[:count] = self._placed(rows)
        self._fitted = count

    def _placed(self, rows: Floats) -> Floats:
        turned = (rows - self._mean) @ self._turn
        long = np.linalg.norm(turned, axis=1, keepdims=True)
        placed: Floats = turned / np.maximum(long, 1e-9)
        return placed

    def likeness(self, vector: Floats, end: int) -> tuple[Floats, NDArray[np.bool_]]:
        """For each number below `end`: cosine with the query, -1 for none; and whether it has
        rows at all."""
        if self._count > 1.25 * self._fitted or self._count < 0.5 * self._fitted:
            self._fit()
        near = np.full(end, -1.0, np.float32)
        known = np.zeros(end, np.bool_)
        owners = self._owners[: self._count]
        cosines = self._turned[: self._count] @ self._placed(vector[np.newaxis])[0]
        np.maximum.at(near, owners, cosines)
        known[owners] = True
        return near, known

    def mutual(self, numbers: list[int]) -> Floats:
        """Cosines of these documents with one another, by their best pair of rows."""
        parts = [np.flatnonzero(self._owners[: self._count] == n) for n in numbers]
        rows = [self._turned[part] for part in parts]
        size = len(numbers)
        found = np.zeros((size, size), np.float32)
        for i in range(size):
            for j in range(i):
                if len(rows[i]) and len(rows[j]):
                    found[i, j] = found[j, i] = float((rows[i] @ rows[j].T).max())
        return found
