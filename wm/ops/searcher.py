"""The index of one workspace, kept in step with the document it is asked about (RC-4).

Words are found at once. Vectors come from the process's one embedder when it has time; a search
waits for them as long as the settings say, then words decide alone. Imported at the first search:
it needs numpy, and an idle daemon does not.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from threading import Condition
from typing import TYPE_CHECKING

from wm.domain.recall.documents import Document, Filters, Hit
from wm.domain.recall.index import Index
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.models.embed import EMBEDDED, ModelCard
from wm.models.worker import EmbedWorker
from wm.settings import RecallSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32
"""Documents that are embedded in one go: a query waits for one batch at most."""


class Searcher:
    """It holds every status: what was superseded lends its words to what replaced it."""

    def __init__(self, settings: RecallSettings, worker: EmbedWorker | None) -> None:
        self._settings = settings
        self._worker = worker
        self._index = Index((), settings)
        self._memory: WorkspaceMemory | None = None
        self._card: ModelCard | None = None
        self._missing: dict[str, Document] = {}
        self._under_way = False
        self._lock = Condition()

    def search(
        self, memory: WorkspaceMemory, query: str, limit: int, filters: Filters
    ) -> tuple[Hit, ...]:
        """The best `limit` entries of this memory, best first."""
        until = time.monotonic() + self._settings.embed_wait_s
        with self._lock:
            self._keep_up(memory)
        vector = None
        if self._worker is not None:
            vector = self._worker.query(query, until - time.monotonic())
        with self._lock:
            if vector is not None:
                self._lock.wait_for(
                    lambda: not self._missing or not self._under_way, until - time.monotonic()
                )
            return self._index.search(query, limit, filters, vector)

    def count(self, filters: Filters) -> int:
        """Entries that the last search looked at."""
        with self._lock:
            return self._index.count(filters)

    def _keep_up(self, memory: WorkspaceMemory) -> None:
        if self._memory is not memory:
            wanted = {entry.id for entry in memory.entries}
            fresh = self._index.refresh(map(searchable, memory.entries))
            self._missing = {i: d for i, d in self._missing.items() if i in wanted}
            self._missing.update((document.id, document) for document in fresh)
            self._memory = memory
        self._next_batch()

    def _next_batch(self) -> None:
        if self._under_way or not self._missing or self._worker is None:
            return
        batch = list(self._missing.values())[:BATCH]
        self._under_way = self._worker.submit(
            [document.text for document in batch],
            lambda card, rows: self._attach(batch, card, rows),
        )

    def _attach(
        self,
        batch: Iterable[Document],
        card: ModelCard | None,
        rows: Sequence[NDArray[np.float32]],
    ) -> None:
        """Take over the vectors of a batch, in the embedder's thread."""
        with self._lock:
            self._under_way = False
            if card is not None:
                if card != self._card:
                    embedded = card.id == EMBEDDED
                    settings = self._settings
                    self._index.expect(settings.vector_share if embedded else settings.model_share)
                    self._card = card
                for document, own in zip(batch, rows, strict=True):
                    # It may have changed while its old text was embedded.
                    if self._missing.get(document.id) is document:
                        del self._missing[document.id]
                        self._index.attach(document.id, own)
                self._next_batch()
            self._lock.notify_all()


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
