"""Where the vectors of one workspace's texts are kept between runs (RC-3).

Between the searcher, which has documents and models, and the store, which has files and digests.
Nothing here raises for what the disk does: all of it can be made again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from wm.domain.recall.documents import Document
from wm.domain.recall.space import Graph, Held
from wm.errors import StoreError
from wm.models.embed import ModelCard
from wm.ops.background import Answering, Pace
from wm.store import graph
from wm.store.base import Maker, SavedGraph, SavedVectors, Store
from wm.store.vectors import DIGEST_BYTES

Bytes = bytes | bytearray


def maker_of(card: ModelCard) -> Maker:
    return Maker(**asdict(card))


@dataclass(frozen=True)
class Found:
    """What was saved. documents: those whose vectors are there, by their place in `held`."""

    held: Held
    documents: dict[int, Document]

    def of(self, places: Iterable[int]) -> list[NDArray[np.float32]]:
        """The vectors of the documents at these places."""
        ends = np.cumsum(self.held.pieces.astype(np.int64))
        rows = self.held.rows
        return [
            rows[ends[place] - self.held.pieces[place] : ends[place]].astype(np.float32)
            for place in places
        ]


class Shelf:
    """Safe for several threads."""

    def __init__(self, store: Store, workspace: str, answering: Answering | None = None) -> None:
        self._store = store
        self._answering = answering or Answering()
        self._workspace = workspace

    def find(self, card: ModelCard, documents: Iterable[Document]) -> Found | None:
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
        rest, digests = rest or Pace(self._answering), bytearray()
        try:
            for text in texts:
                digests += self._digest(text)
                rest()
            saved = SavedVectors(
                bytes(digests),
                array("H", held.pieces.tobytes()),
                memoryview(held.rows.tobytes()),
                None if over is None else SavedGraph(graph.version(), held.in_graph, over),
            )
            return self._store.keep_vectors(self._workspace, maker_of(card), saved)
        except StoreError:
            return False

    def _recognised(self, documents: Iterable[Document], digests: bytes) -> dict[int, Document]:
        rest = Pace(self._answering)
        places: dict[bytes, list[int]] = {}
        for place in range(len(digests) // DIGEST_BYTES):
            known = digests[DIGEST_BYTES * place : DIGEST_BYTES * (place + 1)]
            places.setdefault(known, []).append(place)
            rest()
        found = {}
        for document in documents:
            same = places.get(self._digest(document.text))
            if same:  # of two documents with one text each has its own
                found[same.pop()] = document
            rest()
        return found

    def _digest(self, text: str) -> bytes:
        return bytes.fromhex(self._store.digest(text))


def _graph(saved: SavedVectors, card: ModelCard) -> Graph | None:
    over = saved.graph
    if over is None or over.maker != graph.version() or over.vectors > sum(saved.pieces):
        return None
    return graph.restore(bytes(over.body), card.dimension, over.vectors)
