"""A process that computes, saves and discards the vectors of one memory in a loop, until killed.

python -m tests.crash.saver HOME
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.store.twin import discard_vectors
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.models.embed import EMBEDDED
from wm.models.worker import EmbedWorker
from wm.ops.background import tasks
from wm.ops.search.index_keeper import Searcher
from wm.ops.search.vector_cache import VectorCache
from wm.search.documents import Filters
from wm.settings import RecallSettings, StoreSettings
from wm.store.files import FileStore

KEY = "a1" * 8
LIMITS = RecallSettings(embed_wait_s=60.0, graph_from=100)
QUERY = "which berth of the harbour takes 49 tons"
WHEN = "2026-11-21T09:00:00.000Z"


def memory_of(count: int) -> WorkspaceMemory:
    entries = (
        MemoryEntry.model_validate(
            {
                **{"id": f"e{n:04}", "type": "project", "source": "explicit"},
                **{"text": f"Berth {n} of the harbour takes {n * 7} tons."},
                **{"createdAt": WHEN, "updatedAt": WHEN},
            }
        )
        for n in range(count)
    )
    return WorkspaceMemory(
        workspace=Workspace(key=KEY, root="/home/ana/shop"), entries=tuple(entries)
    )


def asked(
    store: FileStore, worker: EmbedWorker, memory: WorkspaceMemory
) -> list[tuple[str, float]]:
    """The answer of a newly started process, after all its background work is done."""
    later = tasks()
    searcher = Searcher(LIMITS, worker, VectorCache(store, KEY), later)
    hits = searcher.search(memory, QUERY, 10, Filters())
    later.finish()
    return [(hit.id, hit.score) for hit in hits]


def main(home: Path) -> None:
    store, worker = FileStore(home, StoreSettings()), EmbedWorker(EMBEDDED, LIMITS)
    print("ready", flush=True)
    while True:
        for count in (150, 40, 260):
            asked(store, worker, memory_of(count))
            print(count, flush=True)
        discard_vectors(store, KEY)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
