"""One engine of `tests.bench.recall_cost`, in a process of its own: `python PATH ENGINE FOLDER`.

FOLDER holds texts.json, queries.json and the same vectors for everybody, rows.npy and asked.npy.
Prints one line of JSON: seconds of processor time to add all, adds in a second of the clock,
milliseconds of processor time for a query (median; all threads), MB of memory that came with it, MB
on disk. What was added is flushed by then, but by lancedb, which does not flush. Processor time, so
that a busy machine changes little. Imports nothing of ours but in `ours`, so that any interpreter
that has a peer's packages can run it.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MOST = 10
KEPT_AT_ONCE = 10_000
ASKED_S = 60.0
"""After so long no more questions are asked of an engine: its median stands by then."""
Query = Callable[[str, Any], list[int]]
Engine = tuple[Callable[[], None], Query]
"""What adds everything, and what answers."""

_RRF = 60


def resident_mb() -> float:
    with open("/proc/self/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def ours(folder: Path, texts: list[str], rows: Any) -> Engine:
    from wm.domain.recall.documents import Document
    from wm.domain.recall.index import Index
    from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
    from wm.models.embed import EMBEDDED, ModelCard
    from wm.ops.shelf import Shelf
    from wm.settings import RecallSettings, StoreSettings
    from wm.store.base import Ref
    from wm.store.files import FileStore
    from wm.store.graph import NearGraph

    index = Index((), RecallSettings(), NearGraph)
    store = FileStore(folder / "home", StoreSettings())
    when = "2026-01-01T00:00:00.000Z"

    def keep(number: int) -> None:
        """The texts themselves: no document takes more than some ten thousand."""
        told = {"type": "project", "source": "explicit", "createdAt": when, "updatedAt": when}
        entries = tuple(
            MemoryEntry.model_validate({"id": f"m_{at}", "text": text, **told})
            for at, text in enumerate(texts[number : number + KEPT_AT_ONCE], number)
        )
        key = f"{number:016x}"
        ref = Ref(WorkspaceMemory, key)
        with store.transaction([ref]) as transaction:
            workspace = Workspace(root="/texts", key=key)
            transaction.put(ref, WorkspaceMemory(workspace=workspace, entries=entries))

    def add() -> None:
        for number in range(0, len(texts), KEPT_AT_ONCE):
            keep(number)
        index.add_all(Document(str(at), text, when) for at, text in enumerate(texts))
        index.attach_all([str(n) for n in range(len(texts))], [row[None] for row in rows])
        index.settle()
        while index.extend_graph(512):
            pass
        found = index.vectors()
        assert found is not None
        graph = None if found[1].graph is None else found[1].graph.to_bytes()
        card = ModelCard(EMBEDDED, rows.shape[1], "1", 256)
        said = [texts[int(i)] for i in found[0]]
        assert Shelf(store, "0" * 16).save(card, said, found[1], graph)

    def query(text: str, vector: Any) -> list[int]:
        return [int(hit.id) for hit in index.search(text, MOST, vector=vector)]

    return add, query


def sqlite(folder: Path, texts: list[str], rows: Any) -> Engine:
    """FTS5 and sqlite-vec, the best fifty of each by reciprocal ranks."""
    import pysqlite3 as sqlite3  # type: ignore[import-not-found]
    import sqlite_vec  # type: ignore[import-not-found]

    # Many interpreters' own module loads no extensions.
    base = sqlite3.connect(folder / "base.db")
    base.enable_load_extension(True)
    sqlite_vec.load(base)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")
    base.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter unicode61')")
    base.execute(f"CREATE VIRTUAL TABLE near USING vec0(row float[{rows.shape[1]}])")

    def add() -> None:
        with base:
            pairs = list(enumerate(texts))
            base.executemany("INSERT INTO said(rowid, text) VALUES (?, ?)", pairs)
            vectors = ((n, row.tobytes()) for n, row in enumerate(rows))
            base.executemany("INSERT INTO near(rowid, row) VALUES (?, ?)", vectors)

    by_words = "SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank LIMIT 50"
    by_rows = "SELECT rowid FROM near WHERE row MATCH ? AND k = 50 ORDER BY distance"

    def query(text: str, vector: Any) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in text.split())
        scores: dict[int, float] = {}
        for found in (base.execute(by_words, (words,)), base.execute(by_rows, (vector.tobytes(),))):
            for rank, (number,) in enumerate(found):
                scores[number] = scores.get(number, 0.0) + 1 / (_RRF + rank)
        return sorted(scores, key=lambda n: -scores[n])[:MOST]

    return add, query


def chroma(folder: Path, texts: list[str], rows: Any) -> Engine:
    """Vectors only: it has no ranking by words of its own."""
    import chromadb  # type: ignore[import-not-found]
    from chromadb.config import Settings  # type: ignore[import-not-found]

    client = chromadb.PersistentClient(
        str(folder / "chroma"), settings=Settings(anonymized_telemetry=False)
    )
    kept = client.create_collection("texts", metadata={"hnsw:space": "cosine"})

    def add() -> None:
        for begin in range(0, len(texts), 1000):
            part = slice(begin, begin + 1000)
            names = [str(n) for n in range(len(texts))[part]]
            kept.add(ids=names, embeddings=rows[part], documents=texts[part])

    def query(_text: str, vector: Any) -> list[int]:
        found = kept.query(query_embeddings=[vector], n_results=MOST)
        return [int(name) for name in found["ids"][0]]

    return add, query


def lance(folder: Path, texts: list[str], rows: Any) -> Engine:
    """Vectors only, compared exactly, as it does without an index."""
    import lancedb  # type: ignore[import-not-found]

    base = lancedb.connect(str(folder / "lance"))
    made: list[Any] = []

    def add() -> None:
        data = [
            {"id": n, "text": text, "vector": row}
            for n, (text, row) in enumerate(zip(texts, rows, strict=True))
        ]
        made.append(base.create_table("texts", data=data))

    def query(_text: str, vector: Any) -> list[int]:
        found = made[0].search(vector).metric("cosine").limit(MOST).to_list()
        return [int(row["id"]) for row in found]

    return add, query


ENGINES = {"ours": ours, "sqlite": sqlite, "chroma": chroma, "lance": lance}


def measure(name: str, folder: Path) -> dict[str, float]:
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    queries = json.loads((folder / "queries.json").read_text("utf-8"))
    rows, asked = np.load(folder / "rows.npy"), np.load(folder / "asked.npy")
    own = folder / name
    own.mkdir()
    before = resident_mb()
    add, query = ENGINES[name](own, texts, rows)
    begin, clock = time.process_time(), time.monotonic()
    add()
    added, waited = time.process_time() - begin, time.monotonic() - clock
    query(queries[0], asked[0])
    spent: list[float] = []
    until = time.monotonic() + ASKED_S
    for text, vector in zip(queries, asked, strict=True):
        if spent and time.monotonic() > until:
            break
        begin = time.process_time()
        query(text, vector)
        spent.append(time.process_time() - begin)
    disk = sum(p.stat().st_size for p in own.rglob("*") if p.is_file())
    return {
        "add_s": added,
        "adds_per_s": len(texts) / waited,
        "query_ms": 1000 * statistics.median(spent),
        "memory_mb": resident_mb() - before,
        "disk_mb": disk / 1e6,
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
