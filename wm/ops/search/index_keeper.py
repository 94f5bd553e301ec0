"""Keep the search index of one workspace in step with its memory document (RC-3, RC-4).

Words are searchable at once. Vectors come from the vector cache, and those of new texts from the
process's embedding thread; a search waits for them up to the limit in the settings and then uses
words only. After a change of model its vectors are computed beside the old ones, which answer
until the new ones are complete (RC-2). Imported at the first search: it needs numpy, an idle
daemon does not.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import islice
from threading import Condition
from typing import TYPE_CHECKING

from msgspec import Struct, field

from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.models.embed import EMBEDDED, NONE, ModelCard
from wm.models.worker import EmbedWorker
from wm.ops.background import Background, Pace, Task, is_ending
from wm.ops.search.vector_cache import CachedVectors, VectorCache
from wm.search.documents import Filters, Hit, SearchDocument
from wm.search.index import SearchIndex
from wm.settings import RecallSettings
from wm.store.files import FileStore
from wm.store.vectors import graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32
"""Documents per batch: a query waits for one batch at most."""
_UNSAVED = 32
_UNSAVED_SHARE = 0.125
"""Above both limits (the second is a share of all vectors) changes are saved at once; fewer are
saved when the model is unloaded, because a save writes all vectors."""


class _Fill(Struct, eq=False):
    """The documents that one embedder still has to embed. made: vectors kept until all are
    complete. unsaved: number of changes since the last save."""

    worker: EmbedWorker | None
    missing: dict[str, SearchDocument]
    card: ModelCard | None = None
    under_way: bool = False
    made: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    unsaved: int = 0

    def take(self, wanted: Collection[str], fresh: Iterable[SearchDocument]) -> None:
        """Update the missing documents: drop those no longer wanted, add the fresh ones."""
        self.missing = {i: d for i, d in self.missing.items() if i in wanted}
        self.missing.update((document.id, document) for document in fresh)


class EntryLookups(Struct, frozen=True):
    """Lookups that every search needs. pinned: entries of any status."""

    entries: Mapping[str, MemoryEntry]
    pinned: tuple[MemoryEntry, ...]


class Searcher:
    """The search index of one workspace. It contains entries of every status: a superseded entry
    adds its score to its successor.

    cache: saves the vectors; later: runs background work. Without them nothing is saved and all
    vectors are compared.
    """

    def __init__(
        self,
        settings: RecallSettings,
        worker: EmbedWorker | None,
        cache: VectorCache | None = None,
        later: Background[Task] | None = None,
    ) -> None:
        self._settings = settings
        self._cache = cache
        self._later = later
        has_graph = later is not None and graph.is_installed()
        self._index = SearchIndex((), settings, graph.NearGraph if has_graph else None)
        self._memory: WorkspaceMemory | None = None
        self._indexed: WorkspaceMemory | None = None
        """The memory in the index; None while that is uncertain."""
        self._known: tuple[WorkspaceMemory, EntryLookups] | None = None
        self._fill = _Fill(worker, {})
        self._coming: _Fill | None = None
        self._lock = Condition()

    def use(self, worker: EmbedWorker) -> None:
        """Switch to another embedder. The current vectors stay in use until the new ones are
        complete; a model that cannot be opened changes nothing."""
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
        """The model whose vectors are in use; None for words only."""
        return self._fill.card

    @property
    def waiting(self) -> int:
        """Number of texts that still wait for a vector of the chosen model."""
        fill = self._coming or self._fill
        worker = fill.worker
        makes_any = worker is not None and worker.name != NONE and not worker.problem
        return len(fill.missing) if makes_any else 0

    def search(
        self, memory: WorkspaceMemory, query: str, limit: int, filters: Filters
    ) -> tuple[Hit, ...]:
        """The best `limit` entries of this memory, best first."""
        until = time.monotonic() + self._settings.embed_wait_s
        with self._lock:
            self._take_in(memory)
            fill = self._fill
            if fill.card is None and time.monotonic() >= until:
                # No vectors exist yet, and opening the model would delay the answer:
                # `queue_missing` opens it.
                return self._index.search(query, limit, filters)
            self._next_batches()
        vector = None
        if fill.worker is not None:
            vector = fill.worker.query(query, until - time.monotonic())
        with self._lock:
            if vector is not None:
                self._lock.wait_for(
                    lambda: not fill.missing or not fill.under_way, until - time.monotonic()
                )
            # Another memory may have been indexed meanwhile; load this one again.
            self._update(memory)
            if fill is not self._fill:
                vector = None  # it belongs to the previous model: use words only
            return self._index.search(query, limit, filters, vector)

    def prepare(self, memory: WorkspaceMemory) -> None:
        """Index the memory for the next search; its vectors follow in the background."""
        with self._lock:
            self._update(memory)

    def queue_missing(self) -> None:
        """Queue missing vectors; called after a search was answered."""
        with self._lock:
            self._next_batches()

    @property
    def is_ready(self) -> bool:
        """Return whether a memory was indexed, so that the next search reads only changes."""
        return self._memory is not None

    def known(self, memory: WorkspaceMemory) -> EntryLookups:
        """The entries of a memory by id, and the pinned ones."""
        kept = self._known
        if kept is None or kept[0] is not memory:
            by_id = {entry.id: entry for entry in memory.entries}
            pinned = tuple(entry for entry in memory.entries if entry.pinned)
            kept = self._known = memory, EntryLookups(by_id, pinned)
        return kept[1]

    def count(self, filters: Filters) -> int:
        """Number of entries that the last search covered."""
        with self._lock:
            return self._index.count(filters)

    def _update(self, memory: WorkspaceMemory) -> None:
        self._take_in(memory)
        self._next_batches()

    def _take_in(self, memory: WorkspaceMemory) -> None:
        if self._memory is memory:
            return
        before = len(self._index)
        wanted = {entry.id for entry in memory.entries}
        fresh = self._refresh(memory, wanted)
        self._memory = memory
        for fill in self._fills():
            fill.take(wanted, fresh)
        # Removed entries count as changes: their vectors must not stay in the file.
        self._fill.unsaved += max(0, before + len(fresh) - len(self._index))

    def _refresh(self, memory: WorkspaceMemory, ids: Set[str]) -> tuple[SearchDocument, ...]:
        """Update the index and return the documents that need vectors. Skips entries that are the
        same objects as at the last update: adding one among thousands costs one."""
        previous, self._indexed = self._indexed, None  # after an interruption all are read again
        pace = Pace()
        was = {entry.id for entry in previous.entries} if previous is not None else set()
        # Of two entries with one id the last counts: such a memory is indexed completely.
        if previous is None or len(was) < len(previous.entries) or len(ids) < len(memory.entries):
            fresh = self._index.refresh(map(searchable, memory.entries), pace)
        else:
            known = set(map(id, previous.entries))
            changed = (entry for entry in memory.entries if id(entry) not in known)
            fresh = self._index.renew(map(searchable, changed), was - ids, pace)
        self._indexed = memory
        return fresh

    def _fills(self) -> list[_Fill]:
        return [fill for fill in (self._fill, self._coming) if fill is not None]

    def _next_batches(self) -> None:
        for fill in self._fills():
            self._next_batch(fill)

    def _next_batch(self, fill: _Fill) -> None:
        if fill.under_way or not fill.missing or fill.worker is None:
            return
        # An empty batch gets the model's card: vectors in its cache need no embedding.
        batch = list(islice(fill.missing.values(), BATCH)) if fill.card is not None else []
        fill.under_way = fill.worker.submit(
            [document.text for document in batch],
            lambda card, rows: self._attach(fill, batch, card, rows),
        )
        if fill is self._coming and fill.worker.problem:
            self._coming = None

    # --- in the embedding thread -----------------------------------------------------------

    def _attach(
        self,
        fill: _Fill,
        batch: Sequence[SearchDocument],
        card: ModelCard | None,
        rows: Sequence[NDArray[np.float32]],
    ) -> None:
        """Store the vectors of a batch, and queue the next."""
        found = None
        if card is not None and fill.card is None and self._cache is not None:
            with self._lock:
                missing = list(fill.missing.values())
            found = self._cache.find(card, missing)
        with self._lock:
            fill.under_way = False
            if fill is self._coming and (card is None or (fill.worker and fill.worker.trouble)):
                self._coming = None
            elif card is not None and fill in (self._fill, self._coming):
                if fill.card is None:
                    self._begin(fill, card, found)
                self._take(fill, batch, rows)
                self._next_batch(fill)
            self._lock.notify_all()

    def _begin(self, fill: _Fill, card: ModelCard, saved: CachedVectors | None) -> None:
        """Set the model, and take its vectors from the cache."""
        fill.card = card
        if fill is self._fill:
            self._expect(card)
        if saved is None:
            return
        # A document may have changed while the vectors were read.
        known = {place: d for place, d in saved.documents.items() if fill.missing.get(d.id) is d}
        if not known:
            return
        for document in known.values():
            del fill.missing[document.id]
        fill.unsaved = len(saved.vectors.pieces) - len(known)
        if fill is self._fill:
            ids: list[str | None] = [None] * len(saved.vectors.pieces)
            for place, document in known.items():
                ids[place] = document.id
            self._index.fill(ids, saved.vectors)
            self._index.refit()
        else:
            ids_known = [document.id for document in known.values()]
            fill.made.update(zip(ids_known, saved.of(known), strict=True))

    def _take(
        self, fill: _Fill, batch: Sequence[SearchDocument], rows: Sequence[NDArray[np.float32]]
    ) -> None:
        given = zip(batch, rows, strict=True)
        # A document may have changed while its old text was embedded.
        still = {d.id: own for d, own in given if fill.missing.get(d.id) is d}
        for document_id in still:
            del fill.missing[document_id]
        fill.unsaved += len(still)
        if fill is self._fill:
            self._index.attach_all(list(still), list(still.values()))
        else:
            fill.made.update(still)
        if fill.missing:
            return
        if fill is self._coming:
            self._switch(fill)
        self._complete()

    def _switch(self, fill: _Fill) -> None:
        """Use these vectors for searches from now on."""
        self._fill, self._coming = fill, None
        self._expect(fill.card)
        self._index.attach_all(list(fill.made), list(fill.made.values()))
        fill.made = {}

    def _expect(self, card: ModelCard | None) -> None:
        self._index.expect(embedded=card is None or card.id == EMBEDDED)

    def _complete(self) -> None:
        """Finish a complete set of vectors: fit, then graph and save in the background."""
        self._index.refit()
        if self._later is not None:
            self._later.submit(self._tidy)

    # --- saving ----------------------------------------------------------------------------

    def save(self) -> None:
        """Save the changes since the last save. Never raises: the vectors can be recomputed."""
        with self._lock:
            fill, cache = self._fill, self._cache
            taken = self._index.vectors() if fill.unsaved else None
            if taken is None or cache is None or fill.card is None:
                return
            ids, vectors = taken
            texts = [found.text if (found := self._index.document(i)) else "" for i in ids]
            over = None if vectors.graph is None else vectors.graph.to_bytes()
            changes, fill.unsaved = fill.unsaved, 0
        if not cache.save(fill.card, texts, vectors, over):
            with self._lock:
                fill.unsaved += changes

    def _tidy(self) -> None:
        """Complete the graph, and save if enough vectors changed."""
        rest, grown = Pace(), 0
        while not is_ending():
            with self._lock:
                if not self._index.extend_graph(graph.AT_ONCE):
                    break
            grown += graph.AT_ONCE
            rest()
        with self._lock:
            self._fill.unsaved += grown
            enough = max(_UNSAVED, int(_UNSAVED_SHARE * len(self._index)))
            is_due = self._fill.unsaved >= enough
        if is_due:
            self.save()


def saved_searcher(
    store: FileStore,
    key: str,
    settings: RecallSettings,
    worker: EmbedWorker,
    later: Background[Task],
) -> Searcher:
    """A new Searcher for the workspace `key`, whose vectors are saved in `store`."""
    return Searcher(settings, worker, VectorCache(store, key), later)


def searchable(entry: MemoryEntry) -> SearchDocument:
    """An entry as the index stores it: its text and rationale, and the fields that filters read."""
    text = f"{entry.text}\n{entry.rationale}\n{' '.join(entry.tags)}".rstrip()
    return SearchDocument(
        id=entry.id,
        text=text,
        time=entry.created_at,
        metadata={
            "type": entry.type,
            "scope": entry.scope,
            "status": entry.status,
            "origin": entry.origin,
            "session": entry.session,
            "tags": "\n".join(entry.tags),
            "path": "\n".join(anchor.path for anchor in entry.anchors),
            "superseded_by": entry.superseded_by,
            "thread": entry.id,
        },
    )
