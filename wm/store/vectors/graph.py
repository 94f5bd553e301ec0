"""The graph over the vectors of a large collection: usearch, half precision (RC-3).

Finds approximate nearest neighbours; the caller compares them exactly. Touches no file: it
is saved and loaded as bytes. The caller must verify the bytes before loading them, because damaged
ones can crash usearch and the process with it. usearch is the extra [large]; it is imported when
the first graph is made. Without it all vectors are compared.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from usearch.index import Index

CONNECTIVITY = 16
EXPANSION_ADD = 128
EXPANSION_SEARCH = 512
AT_ONCE = 16
"""Rows that are added in one step: a few milliseconds, with the interpreter's lock released."""


def version() -> str:
    """The version of usearch, because its file format may change with it; "" if it is not
    installed."""
    try:
        import usearch
    except ImportError:
        return ""
    return str(usearch.__version__)


def is_installed() -> bool:
    return importlib.util.find_spec("usearch") is not None


class NearGraph:
    """Not safe for several threads. See `search.vector_index.Graph`."""

    def __init__(self, dimension: int, index: Index | None = None) -> None:
        self._index: Any = _new(dimension) if index is None else index

    def __len__(self) -> int:
        return len(self._index)

    def add(self, keys: NDArray[np.int64], rows: NDArray[np.float32]) -> None:
        self._index.add(keys.astype(np.uint64), rows, threads=1)

    def remove(self, keys: NDArray[np.int64]) -> None:
        self._index.remove(keys.astype(np.uint64))

    def nearest(self, vector: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        if not len(self._index):
            return np.zeros(0, np.int64)
        self._index.expansion_search = max(EXPANSION_SEARCH, count)
        found = self._index.search(vector, count, threads=1)
        return np.asarray(found.keys).astype(np.int64)

    def to_bytes(self) -> bytes | bytearray:
        saved: bytes | bytearray = self._index.save()
        return saved


def restore(raw: bytes, dimension: int, count: int) -> NearGraph | None:
    """A graph from verified bytes; None if it is not a graph over `count` rows of our kind."""
    index = _new(dimension)
    try:
        index.load(raw)
    except (RuntimeError, ValueError):
        return None
    if index.ndim != dimension or len(index) != count:
        return None
    return NearGraph(dimension, index)


def _new(dimension: int) -> Index:
    from usearch.index import Index

    return Index(
        ndim=dimension,
        metric="ip",
        dtype="f16",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )
