"""Save and load the vectors of one workspace's texts (RC-3).

Connects the searcher (documents, models) with the store (files, digests). Store errors never
leave this module: every vector can be recomputed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from wm.errors import StoreError
from wm.models.embed import ModelCard
from wm.ops.background import Pace
from wm.search.documents import SearchDocument
from wm.search.vector_index import Graph, RowSet
from wm.store.base import Maker, SavedGraph, SavedVectors
from wm.store.files import FileStore
from wm.store.vectors import DIGEST_BYTES, graph

Bytes = bytes | bytearray

_AT_ONCE = 16
"""Texts between two pauses. In a busy daemon each pause is a sleep, and while one thread looks for
saved vectors no query gets one."""


def maker_of(card: ModelCard) -> Maker:
    return Maker(**asdict(card))


class CachedVectors(Struct, frozen=True):
    """The saved vectors. documents: by position in `vectors`, the documents that have one."""

    vectors: RowSet
    documents: dict[int, SearchDocument]

    def of(self, places: Iterable[int]) -> list[NDArray[np.float32]]:
        """The vectors of the documents at these positions."""
        ends = np.cumsum(self.vectors.pieces.astype(np.int64))
        rows = self.vectors.rows
        return [
            rows[ends[place] - self.vectors.pieces[place] : ends[place]].astype(np.float32)
            for place in places
        ]


class VectorCache:
    """Reads and writes the vector file of one workspace. Thread-safe."""

    def __init__(self, store: FileStore, workspace: str) -> None:
        self._store = store
        self._workspace = workspace

    def find(self, card: ModelCard, documents: Sequence[SearchDocument]) -> CachedVectors | None:
        """The saved vectors of this model; None if there are none to use."""
        try:
            saved = self._store.vectors(self._workspace, maker_of(card))
            if saved is None:
                return None
            known = self._recognised(documents, saved.digests)
        except StoreError:
            return None
        pieces = np.frombuffer(saved.pieces, np.uint16)
        rows = np.frombuffer(saved.rows, np.float16).reshape(-1, card.dimension)
        over = _graph(saved, card)
        in_graph = 0 if over is None else len(over)
        return CachedVectors(RowSet(np.zeros(0, np.int64), pieces, rows, over, in_graph), known)

    def save(
        self,
        card: ModelCard,
        texts: Sequence[str],
        vectors: RowSet,
        over: Bytes | None,
        rest: Callable[[], None] | None = None,
    ) -> bool:
        """Save the vectors of these texts; returns whether they are saved. over: the bytes of their
        graph. rest: called between two short steps; by default the pace of background work."""
        try:
            saved = SavedVectors(
                b"".join(self._digests(texts, rest or Pace())),
                array("H", vectors.pieces.tobytes()),
                memoryview(vectors.rows.tobytes()),
                None if over is None else SavedGraph(graph.version(), vectors.in_graph, over),
            )
            return self._store.keep_vectors(self._workspace, maker_of(card), saved)
        except StoreError:
            return False

    def _recognised(
        self, documents: Sequence[SearchDocument], digests: bytes
    ) -> dict[int, SearchDocument]:
        rest = Pace()
        places: dict[bytes, list[int]] = {}
        for place in range(len(digests) // DIGEST_BYTES):
            known = digests[DIGEST_BYTES * place : DIGEST_BYTES * (place + 1)]
            places.setdefault(known, []).append(place)
            if place % _AT_ONCE == 0:
                rest()
        found = {}
        known_by = self._digests((document.text for document in documents), rest)
        for document, digest in zip(documents, known_by, strict=True):
            same = places.get(digest)
            if same:  # two documents with the same text each have a vector
                found[same.pop()] = document
        return found

    def _digests(self, texts: Iterable[str], rest: Callable[[], None]) -> Iterator[bytes]:
        for at, text in enumerate(texts):
            if at % _AT_ONCE == 0:
                rest()
            yield bytes.fromhex(self._store.digest(text))


def _graph(saved: SavedVectors, card: ModelCard) -> Graph | None:
    over = saved.graph
    if over is None or over.maker != graph.version() or over.vectors > sum(saved.pieces):
        return None
    return graph.restore(bytes(over.body), card.dimension, over.vectors)
