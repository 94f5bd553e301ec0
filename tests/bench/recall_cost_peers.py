"""One engine of `tests.bench.recall_cost`, in a process of its own: `python PATH ENGINE FOLDER`.

FOLDER holds texts.json, queries.json and the same vectors for everybody, rows.npy and asked.npy.
Prints one line of JSON: seconds of processor time to add all at once, adds in a second of the
clock, milliseconds of processor time for a query (median; all threads), MB of memory that came with
it, MB on disk. Then the last SINGLES texts are added one by one, each acknowledged and looked for
before the next comes: the same two figures, and the share that was found. What was acknowledged is
flushed by then, but by lancedb, which does not flush; of what came alone ours flushes the text and
saves the vector later, for it can be made again. Processor time, so that a busy machine changes
little. Imports nothing of ours but in `ours`, so that any interpreter that has a peer's packages
can run it.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

MOST = 10
KEPT_AT_ONCE = 10_000
ASKED_S = 60.0
"""After so long no more questions are asked of an engine: its median is stable by then."""
SINGLES = 50
SINGLES_S = 60.0
"""After so long no more texts are added one by one."""


class Engine(NamedTuple):
    """add: all texts at once. one: a text behind them, with its number and vector. query: the
    numbers of the best, best first."""

    add: Callable[[], None]
    one: Callable[[int, str, Any], None]
    query: Callable[[str, Any], list[int]]


_RRF = 60


def resident_mb() -> float:
    with open("/proc/self/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def ours(folder: Path, texts: list[str], rows: Any) -> Engine:
    from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
    from wm.models.embed import EMBEDDED, ModelCard
    from wm.ops.search.vector_cache import VectorCache
    from wm.search.documents import SearchDocument
    from wm.search.index import SearchIndex
    from wm.settings import RecallSettings, StoreSettings
    from wm.store.base import Ref
    from wm.store.files import FileStore
    from wm.store.vectors.graph import NearGraph

    index = SearchIndex((), RecallSettings(), NearGraph)
    store = FileStore(folder / "home", StoreSettings())
    when = "2026-01-01T00:00:00.000Z"

    fields = {"type": "project", "source": "explicit", "createdAt": when, "updatedAt": when}

    def entry(number: int, text: str) -> MemoryEntry:
        return MemoryEntry.model_validate({"id": f"m_{number}", "text": text, **fields})

    def keep(number: int) -> None:
        """The texts themselves: no document takes more than some ten thousand."""
        part = texts[number : number + KEPT_AT_ONCE]
        entries = tuple(entry(at, text) for at, text in enumerate(part, number))
        key = f"{number:016x}"
        ref = Ref(WorkspaceMemory, key)
        with store.transaction([ref]) as transaction:
            workspace = Workspace(root="/texts", key=key)
            transaction.put(ref, WorkspaceMemory(workspace=workspace, entries=entries))

    def one(number: int, text: str, row: Any) -> None:
        """Into the last document, as one more statement comes into a memory."""
        ref = Ref(WorkspaceMemory, f"{(len(texts) - 1) // KEPT_AT_ONCE * KEPT_AT_ONCE:016x}")
        with store.transaction([ref]) as transaction:
            document = transaction.read(ref).document
            assert document is not None
            entries = (*document.entries, entry(number, text))
            transaction.put(ref, document.model_copy(update={"entries": entries}))
        index.add_all([SearchDocument(str(number), text, when)])
        index.attach_all([str(number)], [row[None]])

    def add() -> None:
        for number in range(0, len(texts), KEPT_AT_ONCE):
            keep(number)
        index.add_all(SearchDocument(str(at), text, when) for at, text in enumerate(texts))
        index.attach_all([str(n) for n in range(len(texts))], [row[None] for row in rows])
        index.refit()
        while index.extend_graph(512):
            pass
        found = index.vectors()
        assert found is not None
        graph = None if found[1].graph is None else found[1].graph.to_bytes()
        card = ModelCard(EMBEDDED, rows.shape[1], "1", 256)
        said = [texts[int(i)] for i in found[0]]
        assert VectorCache(store, "0" * 16).save(card, said, found[1], graph, rest=lambda: None)

    def query(text: str, vector: Any) -> list[int]:
        return [int(hit.id) for hit in index.search(text, MOST, vector=vector)]

    return Engine(add, one, query)


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

    def one(number: int, text: str, row: Any) -> None:
        with base:
            base.execute("INSERT INTO said(rowid, text) VALUES (?, ?)", (number, text))
            base.execute("INSERT INTO near(rowid, row) VALUES (?, ?)", (number, row.tobytes()))

    by_words = "SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank LIMIT 50"
    by_rows = "SELECT rowid FROM near WHERE row MATCH ? AND k = 50 ORDER BY distance"

    def query(text: str, vector: Any) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in text.split())
        scores: dict[int, float] = {}
        for found in (base.execute(by_words, (words,)), base.execute(by_rows, (vector.tobytes(),))):
            for rank, (number,) in enumerate(found):
                scores[number] = scores.get(number, 0.0) + 1 / (_RRF + rank)
        return sorted(scores, key=lambda n: -scores[n])[:MOST]

    return Engine(add, one, query)


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

    def one(number: int, text: str, row: Any) -> None:
        kept.add(ids=[str(number)], embeddings=[row], documents=[text])

    def query(_text: str, vector: Any) -> list[int]:
        found = kept.query(query_embeddings=[vector], n_results=MOST)
        return [int(name) for name in found["ids"][0]]

    return Engine(add, one, query)


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

    def one(number: int, text: str, row: Any) -> None:
        made[0].add([{"id": number, "text": text, "vector": row}])

    def query(_text: str, vector: Any) -> list[int]:
        found = made[0].search(vector).metric("cosine").limit(MOST).to_list()
        return [int(row["id"]) for row in found]

    return Engine(add, one, query)


def mem0(folder: Path, texts: list[str], rows: Any) -> Engine:
    """Its memory over a local Qdrant on disk, each text stored as it is (`infer=False`): no model
    is called, the vectors are given. Ranks by vectors: its words need packages of their own."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "own")}
    # It makes a client of a language model, which nothing here asks, and which wants a key.
    os.environ["OPENAI_API_KEY"] = "none"
    from mem0 import Memory  # type: ignore[import-not-found]

    settings = {"collection_name": "texts", "path": str(folder / "q"), "on_disk": True}
    settings["embedding_model_dims"] = rows.shape[1]
    store = {"provider": "qdrant", "config": settings}
    memory = Memory.from_config({"vector_store": store, "history_db_path": str(folder / "h.db")})
    vectors: dict[str, Any] = {}

    class Given:
        """The embedder: it knows the vector of each text."""

        def embed(self, text: str, _action: str | None = None) -> list[float]:
            found: list[float] = vectors[text].tolist()
            return found

        def embed_batch(self, several: list[str], _action: str | None = None) -> list[list[float]]:
            return [self.embed(text) for text in several]

    memory.embedding_model = Given()

    def one(number: int, text: str, row: Any) -> None:
        vectors[text] = row
        memory.add(text, user_id="u", infer=False, metadata={"number": number})
        del vectors[text]

    def add() -> None:
        for number, (text, row) in enumerate(zip(texts, rows, strict=True)):
            one(number, text, row)

    def query(text: str, vector: Any) -> list[int]:
        vectors[text] = vector
        found = memory.search(text, filters={"user_id": "u"}, top_k=MOST)
        return [int(one["metadata"]["number"]) for one in found["results"]]

    return Engine(add, one, query)


ENGINES = {"ours": ours, "sqlite": sqlite, "chroma": chroma, "lance": lance, "mem0": mem0}


def measure(name: str, folder: Path) -> dict[str, float]:
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    queries = json.loads((folder / "queries.json").read_text("utf-8"))
    rows, asked = np.load(folder / "rows.npy"), np.load(folder / "asked.npy")
    many = len(texts) - SINGLES
    own = folder / name
    own.mkdir()
    before = resident_mb()
    engine = ENGINES[name](own, texts[:many], rows[:many])
    begin, clock = time.process_time(), time.monotonic()
    engine.add()
    added, waited = time.process_time() - begin, time.monotonic() - clock
    engine.query(queries[0], asked[0])
    spent: list[float] = []
    until = time.monotonic() + ASKED_S
    for text, vector in zip(queries, asked, strict=True):
        if spent and time.monotonic() > until:
            break
        begin = time.process_time()
        engine.query(text, vector)
        spent.append(time.process_time() - begin)
    disk = sum(p.stat().st_size for p in own.rglob("*") if p.is_file())
    memory = resident_mb() - before
    return {
        "add_s": added,
        "adds_per_s": many / waited,
        **_one_by_one(engine, many, texts, rows),
        "query_ms": 1000 * statistics.median(spent),
        "memory_mb": memory,
        "disk_mb": disk / 1e6,
    }


def _one_by_one(engine: Engine, many: int, texts: list[str], rows: Any) -> dict[str, float]:
    costs: list[float] = []
    pauses: list[float] = []
    found = 0
    until = time.monotonic() + SINGLES_S
    for number in range(many, len(texts)):
        if costs and time.monotonic() > until:
            break
        begin, clock = time.process_time(), time.monotonic()
        engine.one(number, texts[number], rows[number])
        costs.append(time.process_time() - begin)
        pauses.append(time.monotonic() - clock)
        found += number in engine.query(texts[number], rows[number])
    return {
        "one_ms": 1000 * statistics.median(costs),
        "ones_per_s": 1 / statistics.median(pauses),
        "ones_found": found / len(costs),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
