"""How well recall finds, on labelled sets: `python -m tests.bench retrieval SET…`.

A set is JSON lines, gzipped or not. Documents `{"t":"d","g","id","x","ts"}`, queries
`{"t":"q","g","id","x","c","rel"}`, and of some also `before` (a time: nothing of that time or
later is there yet) and `old` (ids that the newest statement replaces). Each group is a store of
its own. The engine is the one that answers `wm search`, with the same constants for every set;
beside it stand the reference rows of `tests.bench.references`, made in the same run.

Queries are split in two halves by their text: constants are tuned on `dev` only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

import numpy as np
from msgspec.structs import replace

from tests.bench.references import Bm25, orders
from tests.models import minilm
from wm.models.embed import EMBEDDED, Embedder
from wm.models.opening import open_embedder
from wm.search.documents import SearchDocument
from wm.search.index import SearchIndex
from wm.settings import RecallSettings
from wm.store.vectors.graph import NearGraph

COLUMNS = ("R@1", "H@3", "R@5", "R@10", "N@10", "MRR", "New")
OURS, WORDS, GRAPH = "wm", "wm, words only", "wm, through the graph"
FOLDS = 5


@dataclass
class Group:
    documents: list[dict[str, Any]] = field(default_factory=list)
    queries: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Result:
    row: str
    kind: str
    fold: int
    scores: Mapping[str, float]
    """Empty for a question without an answer."""
    confidence: float = 0.0


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench retrieval")
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument(
        "--embedder", default=EMBEDDED, help="embedded, none, a folder, or minilm (tests.models)"
    )
    parser.add_argument("--half", choices=("dev", "test", "all"), default="all")
    parser.add_argument("--cache", type=Path, help="folder that keeps vectors between runs")
    parser.add_argument(
        "--graph", action="store_true", help="a row for candidates from the graph of vectors"
    )
    parser.add_argument("--json", type=Path, help="write the tables here, too")
    parser.add_argument(
        "--cross", action="store_true", help="choose numbers on all sets but one, for each"
    )
    asked = parser.parse_args(argv)
    settings = RecallSettings()
    embedder = open_embedder(model_of(asked.embedder), settings)
    if asked.cross:
        sets = {path.name: read(path) for path in asked.sets}
        cross(sets, Vectors(embedder, asked.cache), settings)
        return 0
    out: dict[str, Any] = {}
    for path in asked.sets:
        groups = read(path)
        vectors = Vectors(embedder, asked.cache)
        start = time.perf_counter()
        results = list(run(groups, vectors, settings, asked.half, graph=asked.graph))
        spent = time.perf_counter() - start
        model = "no model" if embedder is None else embedder.card.id
        print(f"\n{path.name}  {asked.half}  {model}  ({spent:.0f} s)")
        out[path.name] = show(results)
    if asked.json:
        asked.json.write_text(json.dumps(out, indent=1) + "\n")
    return 0


def model_of(embedder: str) -> str:
    """What `recall.model` would say. Raises RuntimeError where minilm cannot be made here."""
    return str(minilm.make()) if embedder == minilm.NAME else embedder


CANDIDATES: tuple[dict[str, Any], ...] = (
    {},
    {"model_share": 0.75, "vector_share": 0.6},
    {"model_share": 0.85, "vector_share": 0.7},
    {"name_share": 0.0},
    {"neighbour": 0.25},
    {"bm25_k1": 0.8},
    {"coverage_power": 1.0},
    {"coverage_power": 2.0},
)
"""What `--cross` chooses from: the fitted numbers as they are, and steps from there."""


def cross(
    sets: Mapping[str, Mapping[str, Group]], vectors: Vectors, settings: RecallSettings
) -> None:
    """For each set: the numbers that are best on the others, and what they reach on this one,
    beside the numbers in force."""
    tried = [
        {
            name: _reach(run(groups, vectors, replace(settings, **one), "all", beside=False))
            for name, groups in sets.items()
        }
        for one in CANDIDATES
    ]
    for name in sets:
        rest = [mean(rows[other] for other in sets if other != name) for rows in tried]
        best = int(np.argmax(rest))
        print(
            f"  {name:<24} left out {tried[best][name]:.1f} with {CANDIDATES[best] or 'the same'};"
            f" as they are {tried[0][name]:.1f}"
        )


def _reach(results: Iterable[Result]) -> float:
    """R@10 in per cent."""
    return 100 * mean(r.scores["R@10"] for r in results if r.row == OURS and r.scores)


def read(path: Path) -> dict[str, Group]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    groups: dict[str, Group] = defaultdict(Group)
    for line in text.split("\n"):
        if line.strip():
            row = json.loads(line)
            group = groups[row["g"]]
            (group.queries if row["t"] == "q" else group.documents).append(row)
    return groups


class Vectors:
    """What texts are as vectors, kept in a file per model where a folder is given."""

    def __init__(self, embedder: Embedder | None, folder: Path | None) -> None:
        self.embedder = embedder
        self._file = None
        self._known: dict[str, Any] = {}
        if embedder is not None and folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            card = embedder.card
            self._file = folder / f"{card.id}-{card.revision}-{card.token_limit}.npz"
            if self._file.is_file():
                with np.load(self._file) as kept:
                    self._known = dict(kept)

    @property
    def dimension(self) -> int:
        return 0 if self.embedder is None else self.embedder.card.dimension

    def of(self, texts: Sequence[str], *, whole: bool = False) -> list[Any]:
        """The rows of each text; whole: one row, of a query."""
        assert self.embedder is not None
        keys = [f"{whole:d}{zlib.crc32(t.encode()):08x}{len(t)}" for t in texts]
        new = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._known}
        pieces = {k: [t] if whole else self.embedder.pieces(t) for k, t in new.items()}
        flat = [piece for parts in pieces.values() for piece in parts]
        rows = self.embedder.embed(flat) if flat else np.zeros((0, self.dimension), np.float32)
        at = 0
        for key, parts in pieces.items():
            self._known[key] = rows[at : at + len(parts)]
            at += len(parts)
        if new and self._file is not None:
            np.savez(self._file, **self._known)
        return [self._known[key] for key in keys]


def is_dev(query: Mapping[str, Any]) -> bool:
    return zlib.crc32(f"{query['g']}{query['x']}".encode()) % 2 == 0


def run(
    groups: Mapping[str, Group],
    vectors: Vectors,
    settings: RecallSettings,
    half: str,
    *,
    graph: bool = False,
    beside: bool = True,
) -> Iterator[Result]:
    """beside: also the reference rows, and words alone."""
    for group in groups.values():
        wanted = [q for q in group.queries if half == "all" or is_dev(q) == (half == "dev")]
        if wanted:
            yield from _ask(group.documents, wanted, vectors, settings, graph, beside)


def _ask(
    documents: list[dict[str, Any]],
    queries: list[dict[str, Any]],
    vectors: Vectors,
    settings: RecallSettings,
    graph: bool,
    beside: bool,
) -> Iterator[Result]:
    if any("before" in query for query in queries):
        documents = sorted(documents, key=lambda d: d["ts"])
        queries = sorted(queries, key=lambda q: q["before"])
    index = SearchIndex((), settings)
    second = SearchIndex((), replace(settings, graph_from=1), NearGraph)
    if vectors.embedder is not None and vectors.embedder.card.id != EMBEDDED:
        index.expect(embedded=False)
        second.expect(embedded=False)
    rows = vectors.of([d["x"] for d in documents]) if vectors.embedder else None
    asked = vectors.of([q["x"] for q in queries], whole=True) if vectors.embedder else None
    there, words = 0, Bm25(())
    for number, query in enumerate(queries):
        end = there
        while end < len(documents) and _is_there(documents[end], query):
            end += 1
        if end > there:
            for at in range(there, end):
                _add(index, documents[at], None if rows is None else rows[at])
                if graph and rows is not None:
                    _add(second, documents[at], rows[at])
            while graph and second.extend_graph(len(documents)):
                pass
            there = end
            words = Bm25([d["x"] for d in documents[:end]]) if beside else words
        if not there:
            continue
        vector = None if asked is None else asked[number][0]
        found: dict[str, list[str]] = {}
        if beside:
            near = None if vector is None or rows is None else _near(rows[:there], vector)
            ids = [d["id"] for d in documents[:there]]
            best = orders(words.scores(query["x"]), near)
            found = {name: [ids[at] for at in order] for name, order in best.items()}
            found[WORDS] = [hit.id for hit in index.search(query["x"], 10)]
        sure = 0.0
        if vector is not None:
            hits = index.search(query["x"], 10, vector=vector)
            found[OURS] = [hit.id for hit in hits]
            sure = max((hit.confidence for hit in hits), default=0.0)
        if graph and vector is not None:
            found[GRAPH] = [hit.id for hit in second.search(query["x"], 10, vector=vector)]
        fold = zlib.crc32(f"fold {query['g']}{query['x']}".encode()) % FOLDS
        for row, order in found.items():
            scores = score(order, query["rel"], query.get("old", [])) if query["rel"] else {}
            yield Result(row, query["c"], fold, scores, sure if row == OURS else 0.0)


def _is_there(document: Mapping[str, Any], query: Mapping[str, Any]) -> bool:
    return "before" not in query or document["ts"] < query["before"]


def _add(index: SearchIndex, row: Mapping[str, Any], vectors: Any) -> None:
    index.add_all([SearchDocument(row["id"], row["x"], row["ts"] or "")])
    if vectors is not None:
        index.attach_all([row["id"]], [vectors])


def _near(rows: Sequence[Any], vector: Any) -> Any:
    """The best piece of each document."""
    starts = np.cumsum([0, *(len(r) for r in rows[:-1])])
    return np.maximum.reduceat(np.concatenate(rows) @ vector, starts)


def score(found: Sequence[str], relevant: Sequence[str], old: Sequence[str]) -> dict[str, float]:
    """The metrics of one query. New: of those with `old`, whether the newest is found first."""
    wanted = set(relevant)
    hits = [i in wanted for i in found[:10]]
    ideal = sum(1 / math.log2(r + 2) for r in range(min(10, len(wanted))))
    scores = {f"R@{k}": sum(hits[:k]) / len(wanted) for k in (1, 5, 10)}
    scores["H@3"] = float(any(hits[:3]))
    scores["N@10"] = sum(h / math.log2(r + 2) for r, h in enumerate(hits)) / ideal
    scores["MRR"] = next((1 / (r + 1) for r, h in enumerate(hits) if h), 0.0)
    if old:
        first = next((i for i in found[:10] if i in wanted or i in old), "")
        scores["New"] = float(first in wanted)
    return scores


def show(results: Sequence[Result]) -> dict[str, dict[str, float]]:
    """Print the rows, then ours by kind. Returns what was printed of the rows."""
    table: dict[str, dict[str, float]] = {}
    _show_confidence(results)
    results = [result for result in results if result.scores]
    names = list(dict.fromkeys(r.row for r in results))
    print(f"  {'':<26}{'n':>5}" + "".join(f"{c:>7}" for c in COLUMNS) + "   R@10 by fold")
    for name in names:
        own = [r for r in results if r.row == name]
        table[name] = _line(name, own)
    ours = OURS if OURS in names else WORDS
    for kind in sorted({r.kind for r in results}):
        _line(f"  {kind}", [r for r in results if r.row == ours and r.kind == kind])
    return table


def _show_confidence(results: Sequence[Result]) -> None:
    """For several floors: right answers that are hidden, questions without an answer that get
    one."""
    ours = [r for r in results if r.row == OURS]
    right = [r.confidence for r in ours if r.scores.get("R@10", 0) > 0]
    empty = [r.confidence for r in ours if not r.scores]
    for floor in (0.3, 0.35, 0.4, 0.45, 0.5):
        if right and empty:
            hidden = mean(value < floor for value in right)
            answered = mean(value >= floor for value in empty)
            print(f"  floor {floor}: hidden {hidden:.3f}, answered without answer {answered:.3f}")


def _line(name: str, results: Sequence[Result]) -> dict[str, float]:
    def average(part: Sequence[Result], column: str) -> float | None:
        values = [r.scores[column] for r in part if column in r.scores]
        return 100 * mean(values) if values else None

    found = {c: average(results, c) for c in COLUMNS}
    cells = "".join("       " if v is None else f"{v:>7.1f}" for v in found.values())
    folds = [average([r for r in results if r.fold == f], "R@10") for f in range(FOLDS)]
    known = [v for v in folds if v is not None]
    spread = f"   {min(known):.0f} to {max(known):.0f}, ±{pstdev(known):.1f}" if known else ""
    print(f"  {name:<26}{len(results):>5}{cells}{spread}")
    return {c: round(v, 1) for c, v in found.items() if v is not None}
