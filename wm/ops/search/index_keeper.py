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


class _VectorJob(Struct, eq=False):
    """The documents that one embedder still has to embed. vectors: those kept until all are
    complete. unsaved: number of changes since the last save."""

    worker: EmbedWorker | None
    missing: dict[str, SearchDocument]
    card: ModelCard | None = None
    is_running: bool = False
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    unsaved: int = 0

    def follow(self, wanted: Collection[str], fresh: Iterable[SearchDocument]) -> None:
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
        self._current = _VectorJob(worker, {})
        self._next: _VectorJob | None = None
        self._lock = Condition()

    def use(self, worker: EmbedWorker) -> None:
        """Switch to another embedder. The current vectors stay in use until the new ones are
        complete; a model that cannot be opened changes nothing."""
        with self._lock:
            if worker is self._current.worker:
                self._next = None
            elif self._next is None or worker is not self._next.worker:
                job = _VectorJob(worker, {d.id: d for d in self._index.documents()})
                if self._current.card is None or worker.name == NONE:
                    self._make_current(job)
                else:
                    self._next = job
                self._queue_batch(job)

    @property
    def card(self) -> ModelCard | None:
        """The model whose vectors are in use; None for words only."""
        return self._current.card

    @property
    def waiting(self) -> int:
        """Number of texts that still wait for a vector of the chosen model."""
        job = self._next or self._current
        worker = job.worker
        makes_any = worker is not None and worker.name != NONE and not worker.problem
        return len(job.missing) if makes_any else 0

    def search(
        self, memory: WorkspaceMemory, query: str, limit: int, filters: Filters
    ) -> tuple[Hit, ...]:
        """The best `limit` entries of this memory, best first."""
        until = time.monotonic() + self._settings.embed_wait_s
        with self._lock:
            self._index_memory(memory)
            job = self._current
            if job.card is None and time.monotonic() >= until:
                # No vectors exist yet, and opening the model would delay the answer:
                # `queue_missing` opens it.
                return self._index.search(query, limit, filters)
            self._queue_batches()
        vector = None
        if job.worker is not None:
            vector = job.worker.query(query, until - time.monotonic())
        with self._lock:
            if vector is not None:
                self._lock.wait_for(
                    lambda: not job.missing or not job.is_running, until - time.monotonic()
                )
            # Another memory may have been indexed meanwhile; load this one again.
            self._index_and_queue(memory)
            if job is not self._current:
                vector = None  # it belongs to the previous model: use words only
            return self._index.search(query, limit, filters, vector)

    def prepare(self, memory: WorkspaceMemory) -> None:
        """Index the memory for the next search; its vectors follow in the background."""
        with self._lock:
            self._index_and_queue(memory)

    def queue_missing(self) -> None:
        """Queue missing vectors; called after a search was answered."""
        with self._lock:
            self._queue_batches()

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

    def _index_and_queue(self, memory: WorkspaceMemory) -> None:
        self._index_memory(memory)
        self._queue_batches()

    def _index_memory(self, memory: WorkspaceMemory) -> None:
        if self._memory is memory:
            return
        before = len(self._index)
        wanted = {entry.id for entry in memory.entries}
        fresh = self._refresh(memory, wanted)
        self._memory = memory
        for job in self._jobs():
            job.follow(wanted, fresh)
        # Removed entries count as changes: their vectors must not stay in the file.
        self._current.unsaved += max(0, before + len(fresh) - len(self._index))

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

    def _jobs(self) -> list[_VectorJob]:
        return [job for job in (self._current, self._next) if job is not None]

    def _queue_batches(self) -> None:
        for job in self._jobs():
            self._queue_batch(job)

    def _queue_batch(self, job: _VectorJob) -> None:
        if job.is_running or not job.missing or job.worker is None:
            return
        # An empty batch gets the model's card: vectors in its cache need no embedding.
        batch = list(islice(job.missing.values(), BATCH)) if job.card is not None else []
        job.is_running = job.worker.submit(
            [document.text for document in batch],
            lambda card, rows: self._batch_embedded(job, batch, card, rows),
        )
        if job is self._next and job.worker.problem:
            self._next = None

    # --- in the embedding thread -----------------------------------------------------------

    def _batch_embedded(
        self,
        job: _VectorJob,
        batch: Sequence[SearchDocument],
        card: ModelCard | None,
        rows: Sequence[NDArray[np.float32]],
    ) -> None:
        """Store the vectors of a batch, and queue the next."""
        found = None
        if card is not None and job.card is None and self._cache is not None:
            with self._lock:
                missing = list(job.missing.values())
            found = self._cache.find(card, missing)
        with self._lock:
            job.is_running = False
            if job is self._next and (card is None or (job.worker and job.worker.trouble)):
                self._next = None
            elif card is not None and job in (self._current, self._next):
                if job.card is None:
                    self._use_cached(job, card, found)
                self._store_batch(job, batch, rows)
                self._queue_batch(job)
            self._lock.notify_all()

    def _use_cached(self, job: _VectorJob, card: ModelCard, saved: CachedVectors | None) -> None:
        """Set the model, and take its vectors from the cache."""
        job.card = card
        if job is self._current:
            self._expect(card)
        if saved is None:
            return
        # A document may have changed while the vectors were read.
        known = {place: d for place, d in saved.documents.items() if job.missing.get(d.id) is d}
        if not known:
            return
        for document in known.values():
            del job.missing[document.id]
        job.unsaved = len(saved.vectors.pieces) - len(known)
        if job is self._current:
            ids: list[str | None] = [None] * len(saved.vectors.pieces)
            for place, document in known.items():
                ids[place] = document.id
            self._index.fill(ids, saved.vectors)
            self._index.refit()
        else:
            ids_known = [document.id for document in known.values()]
            job.vectors.update(zip(ids_known, saved.of(known), strict=True))

    def _store_batch(
        self, job: _VectorJob, batch: Sequence[SearchDocument], rows: Sequence[NDArray[np.float32]]
    ) -> None:
        given = zip(batch, rows, strict=True)
        # A document may have changed while its old text was embedded.
        still = {d.id: own for d, own in given if job.missing.get(d.id) is d}
        for document_id in still:
            del job.missing[document_id]
        job.unsaved += len(still)
        if job is self._current:
            self._index.attach_all(list(still), list(still.values()))
        else:
            job.vectors.update(still)
        if job.missing:
            return
        if job is self._next:
            self._make_current(job)
        self._complete()

    def _make_current(self, job: _VectorJob) -> None:
        """Use these vectors for searches from now on."""
        self._current, self._next = job, None
        self._expect(job.card)
        self._index.attach_all(list(job.vectors), list(job.vectors.values()))
        job.vectors = {}

    def _expect(self, card: ModelCard | None) -> None:
        self._index.expect(embedded=card is None or card.id == EMBEDDED)

    def _complete(self) -> None:
        """Finish a complete set of vectors: fit, then graph and save in the background."""
        self._index.refit()
        if self._later is not None:
            self._later.submit(self._complete_graph)

    # --- saving ----------------------------------------------------------------------------

    def save(self) -> None:
        """Save the changes since the last save. Never raises: the vectors can be recomputed."""
        with self._lock:
            job, cache = self._current, self._cache
            taken = self._index.vectors() if job.unsaved else None
            if taken is None or cache is None or job.card is None:
                return
            ids, vectors = taken
            texts = [found.text if (found := self._index.document(i)) else "" for i in ids]
            over = None if vectors.graph is None else vectors.graph.to_bytes()
            changes, job.unsaved = job.unsaved, 0
        if not cache.save(job.card, texts, vectors, over):
            with self._lock:
                job.unsaved += changes

    def _complete_graph(self) -> None:
        """Complete the graph, and save if enough vectors changed."""
        rest, grown = Pace(), 0
        while not is_ending():
            with self._lock:
                if not self._index.extend_graph(graph.AT_ONCE):
                    break
            grown += graph.AT_ONCE
            rest()
        with self._lock:
            self._current.unsaved += grown
            enough = max(_UNSAVED, int(_UNSAVED_SHARE * len(self._index)))
            is_due = self._current.unsaved >= enough
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
