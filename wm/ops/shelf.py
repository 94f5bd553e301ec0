"""Where the vectors of one workspace's texts are kept between runs (RC-3).

Between the searcher, which has documents and models, and the store, which has files and digests.
Nothing here raises for what the disk does: all of it can be made again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from wm.domain.recall.documents import Document
from wm.domain.recall.halves import single
from wm.domain.recall.space import Graph, Held
from wm.errors import StoreError
from wm.models.embed import ModelCard
from wm.ops.background import Answering, Pace
from wm.store import graph
from wm.store.base import Maker, SavedGraph, SavedVectors, Store
from wm.store.vectors import DIGEST_BYTES

Bytes = bytes | bytearray

_AT_ONCE = 16
"""Texts between two rests. Beside a daemon that is asked without a pause each rest is a sleep, and
as long as one thread looks for what was saved no question gets a vector."""


def maker_of(card: ModelCard) -> Maker:
    return Maker(**asdict(card))


class Found(Struct, frozen=True):
    """What was saved. documents: those whose vectors are there, by their place in `held`."""

    held: Held
    documents: dict[int, Document]

    def of(self, places: Iterable[int]) -> list[NDArray[np.float32]]:
        """The vectors of the documents at these places."""
        ends = np.cumsum(self.held.pieces.astype(np.int64))
        rows = self.held.rows
        return [
            single(rows[ends[place] - self.held.pieces[place] : ends[place]]) for place in places
        ]


class Shelf:
    """Safe for several threads."""

    def __init__(self, store: Store, workspace: str, answering: Answering | None = None) -> None:
        self._store = store
        self._answering = answering or Answering()
        self._workspace = workspace

    def find(self, card: ModelCard, documents: Sequence[Document]) -> Found | None:
        """What was saved of this model; None where there is nothing of use."""
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
        return Found(Held(np.zeros(0, np.int64), pieces, rows, over, in_graph), known)

    def save(
        self,
        card: ModelCard,
        texts: Sequence[str],
        held: Held,
        over: Bytes | None,
        rest: Callable[[], None] | None = None,
    ) -> bool:
        """Whether the vectors of these texts are saved now. over: the bytes of their graph. rest:
        called between two short steps, for others to go on; by default at the pace of what nobody
        waits for."""
        try:
            saved = SavedVectors(
                b"".join(self._digests(texts, rest or Pace(self._answering))),
                array("H", held.pieces.tobytes()),
                memoryview(held.rows.tobytes()),
                None if over is None else SavedGraph(graph.version(), held.in_graph, over),
            )
            return self._store.keep_vectors(self._workspace, maker_of(card), saved)
        except StoreError:
            return False

    def _recognised(self, documents: Sequence[Document], digests: bytes) -> dict[int, Document]:
        rest = Pace(self._answering)
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
            if same:  # of two documents with one text each has its own
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
