"""Whitening of vectors: what all texts have in common separates nothing (RC-3). Pure.

The mean of the rows is subtracted, and directions of large variance are shrunk, softened by a
ridge. It is applied to the query, so that the rows, and a graph over them, stay as they are.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_SETTLING = 16.0
"""Below this number of rows the mean of the collection counts only in part."""


class Whitening:
    """A mean and a linear map. mean: of the rows, of shape (d,). axes: of shape (d, d); a row r
    becomes (r - mean) @ axes."""

    def __init__(self, mean: Floats, axes: Floats) -> None:
        self.mean = mean
        self._axes = axes

    @classmethod
    def none(cls, dimension: int) -> Whitening:
        """The one that changes nothing."""
        return cls(np.zeros(dimension, np.float32), np.eye(dimension, dtype=np.float32))

    @classmethod
    def of(cls, rows: Floats, ridge: float) -> Whitening:
        """Fit it to these rows, at least one; they are changed. ridge: added to each variance, as
        a share of the typical one."""
        count, dimension = rows.shape
        mean = rows.mean(axis=0)
        rows -= mean
        spread = rows.T @ rows / count
        values, axes = np.linalg.eigh(spread)
        typical = max(float(values.mean()), 1e-9)
        # With fewer rows than dimensions, the directions of variance are those that separate
        # the rows.
        known = count / (count + dimension)
        values = known * np.maximum(values, 0) + (1 - known) * typical
        return cls(
            mean * np.float32(count / (count + _SETTLING)),
            (axes / np.sqrt(values + ridge * typical)).astype(np.float32),
        )

    @cached_property
    def metric(self) -> Floats:
        """The inner product of whitened rows, to be computed on raw rows without their mean."""
        return self._axes @ self._axes.T

    def norms(self, rows: Floats) -> Floats:
        """Lengths of the rows after whitening, above 0."""
        lengths: Floats = np.linalg.norm((rows - self.mean) @ self._axes, axis=1)
        return lengths.clip(min=1e-9)

    def query(self, vector: Floats) -> tuple[Floats, np.float32]:
        """A query with the whitening applied, and an offset. Its product with a row, minus the
        offset, divided by the row's norm, is the cosine of both after whitening."""
        own = vector - self.mean
        query: Floats = self.metric @ own
        query /= max(math.sqrt(max(float(own @ query), 0.0)), 1e-9)
        return query, np.float32(self.mean @ query)
