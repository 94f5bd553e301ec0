"""The index of one workspace, kept in step with the document it is asked about (RC-4).

Words are found at once. Vectors come from the process's one embedder when it has time; a search
waits for them as long as the settings say, then words decide alone. Where another model is chosen
its vectors are made beside those in force, which answer until the new ones are whole (RC-2).
Imported at the first search: it needs numpy, and an idle daemon does not.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Condition
from typing import TYPE_CHECKING

from wm.domain.recall.documents import Document, Filters, Hit
from wm.domain.recall.index import Index
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.models.embed import EMBEDDED, NONE, ModelCard
from wm.models.worker import EmbedWorker
from wm.settings import RecallSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32
"""Documents that are embedded in one go: a query waits for one batch at most."""


@dataclass(eq=False)
class _Fill:
    """Vectors that one embedder still owes. made: those that wait for the others."""

    worker: EmbedWorker | None
    missing: dict[str, Document]
    card: ModelCard | None = None
    under_way: bool = False
    made: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def take(self, wanted: Collection[str], fresh: Iterable[Document]) -> None:
        """Documents came and went."""
        self.missing = {i: d for i, d in self.missing.items() if i in wanted}
        self.missing.update((document.id, document) for document in fresh)


class Searcher:
    """It holds every status: what was superseded lends its words to what replaced it."""

    def __init__(self, settings: RecallSettings, worker: EmbedWorker | None) -> None:
        self._settings = settings
        self._index = Index((), settings)
        self._memory: WorkspaceMemory | None = None
        self._fill = _Fill(worker, {})
        self._coming: _Fill | None = None
        self._lock = Condition()

    def use(self, worker: EmbedWorker) -> None:
        """Let another embedder make the vectors. Those in force stay until the new ones are
        whole; a model that cannot be opened changes nothing."""
        with self._lock:
            if worker is self._fill.worker:
                self._coming = None
            elif self._coming is None or worker is not self._coming.worker:
                fill = _Fill(worker, {d.id: d for d in self._index.documents()})
                if self._fill.card is None or worker.name == NONE:
                    self._switch(fill)
                else:
                    self._coming = fill
                self._next_batch(fill)

    @property
    def card(self) -> ModelCard | None:
        """The model whose vectors are in force; None for words only."""
        return self._fill.card

    @property
    def waiting(self) -> int:
        """Texts that have no vector yet of the model that was chosen."""
        return len((self._coming or self._fill).missing)

    def search(
        self, memory: WorkspaceMemory, query: str, limit: int, filters: Filters
    ) -> tuple[Hit, ...]:
        """The best `limit` entries of this memory, best first."""
        until = time.monotonic() + self._settings.embed_wait_s
        with self._lock:
            self._keep_up(memory)
            fill = self._fill
        vector = None
        if fill.worker is not None:
            vector = fill.worker.query(query, until - time.monotonic())
        with self._lock:
            if vector is not None:
                self._lock.wait_for(
                    lambda: not fill.missing or not fill.under_way, until - time.monotonic()
                )
            if fill is not self._fill:
                vector = None  # of the model before: words answer this one
            return self._index.search(query, limit, filters, vector)

    def count(self, filters: Filters) -> int:
        """Entries that the last search looked at."""
        with self._lock:
            return self._index.count(filters)

    def _keep_up(self, memory: WorkspaceMemory) -> None:
        fills = [fill for fill in (self._fill, self._coming) if fill is not None]
        if self._memory is not memory:
            fresh = self._index.refresh(map(searchable, memory.entries))
            self._memory = memory
            wanted = {entry.id for entry in memory.entries}
            for fill in fills:
                fill.take(wanted, fresh)
        for fill in fills:
            self._next_batch(fill)

    def _next_batch(self, fill: _Fill) -> None:
        if fill.under_way or not fill.missing or fill.worker is None:
            return
        batch = list(fill.missing.values())[:BATCH]
        fill.under_way = fill.worker.submit(
            [document.text for document in batch],
            lambda card, rows: self._attach(fill, batch, card, rows),
        )
        if fill is self._coming and fill.worker.problem:
            self._coming = None

    def _attach(
        self,
        fill: _Fill,
        batch: Iterable[Document],
        card: ModelCard | None,
        rows: Sequence[NDArray[np.float32]],
    ) -> None:
        """Take over the vectors of a batch, in the embedder's thread."""
        with self._lock:
            fill.under_way = False
            if fill is self._coming and (card is None or (fill.worker and fill.worker.trouble)):
                self._coming = None
            elif card is not None and fill in (self._fill, self._coming):
                self._take(fill, batch, card, rows)
                self._next_batch(fill)
            self._lock.notify_all()

    def _take(
        self,
        fill: _Fill,
        batch: Iterable[Document],
        card: ModelCard,
        rows: Sequence[NDArray[np.float32]],
    ) -> None:
        first, fill.card = fill.card is None, card
        if first and fill is self._fill:
            self._expect(card)
        for document, own in zip(batch, rows, strict=True):
            # It may have changed while its old text was embedded.
            if fill.missing.get(document.id) is document:
                del fill.missing[document.id]
                if fill is self._fill:
                    self._index.attach(document.id, own)
                else:
                    fill.made[document.id] = own
        if fill is self._coming and not fill.missing:
            self._switch(fill)

    def _switch(self, fill: _Fill) -> None:
        """From now on these vectors answer."""
        self._fill, self._coming = fill, None
        self._expect(fill.card)
        for document_id, own in fill.made.items():
            self._index.attach(document_id, own)
        fill.made = {}

    def _expect(self, card: ModelCard | None) -> None:
        settings = self._settings
        embedded = card is None or card.id == EMBEDDED
        self._index.expect(settings.vector_share if embedded else settings.model_share)


def searchable(entry: MemoryEntry) -> Document:
    text = f"{entry.text}\n{entry.rationale}\n{' '.join(entry.tags)}".rstrip()
    return Document(
        id=entry.id,
        text=text,
        time=entry.created_at,
        metadata={
            "type": entry.type,
            "scope": entry.scope,
            "status": entry.status,
            "origin": entry.origin,
            "session": entry.session,
            "tags": " ".join(entry.tags),
            "path": entry.anchors[0].path if entry.anchors else "",
            "superseded_by": entry.superseded_by,
            "thread": entry.id,
        },
    )
