"""The vector stage of a search: all vectors compared, and candidates from the graph.

Beside them stand one matrix product with the choice of the best ten, and usearch alone, in the
same run. The vectors are made up: each direction varies less than the one before, as those of
texts do. Time of the processor, for a busy machine makes the clock useless. usearch alone and ours
ask one and the same graph, because making it takes minutes of a processor at the larger size.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tests.bench.harness import Row, at_most, report
from tests.bench.recall_cost_peers import resident_mb
from wm.search.vector_index import RowSet, VectorIndex
from wm.settings import RecallSettings
from wm.store.vectors.graph import NearGraph

SIZES = (10_000, 100_000)
WIDTH = 256
QUERIES = 40
ROUNDS = 5
GOAL = 1.5
STEP = 1000
"""Vectors that go into the graph at once."""

Floats = NDArray[np.float32]
Ask = Callable[[Floats], object]


def main() -> bool:
    met = [_measured(size) for size in SIZES]
    return all(met)


def _measured(size: int) -> bool:
    draw = np.random.default_rng(20261122)
    axes = np.linalg.qr(draw.standard_normal((WIDTH, WIDTH)))[0]
    rows, queries = made(draw, axes, size), made(draw, axes, QUERIES)
    settings = RecallSettings()
    before, begun = resident_mb(), time.process_time()
    alone = _graph(rows)
    built = (time.process_time() - begun) / size
    used_bytes = (resident_mb() - before) * 2**20 / size
    exact = _space(replace(settings, graph_from=10 * size), rows)
    helped = _space(replace(settings, graph_from=1), rows, alone)
    asks: dict[str, Ask] = {
        "product": lambda q: _best_ten(rows @ q),
        "usearch": lambda q: alone.nearest(q, 10),
        "all": lambda q: exact.likeness(q, size),
        "graph": lambda q: _through(helped, q, settings.graph_hits),
    }
    costs = _costs(asks, queries)
    ours = costs["all"] if size < settings.graph_from else costs["graph"]
    limit = min(costs["product"], costs["usearch"])
    found = float(np.mean([_found(exact, helped, q, size, settings.graph_hits) for q in queries]))
    by_alone = float(np.mean([_shared(_best_ten(rows @ q), alone.nearest(q, 10)) for q in queries]))
    return report(
        f"{size:,} vectors of {WIDTH} numbers, time of a processor",
        [
            Row("one product, the best ten", f"{costs['product']:.3g} ms"),
            Row("usearch alone, the best ten", f"{costs['usearch']:.3g} ms"),
            Row("all compared", f"{costs['all']:.3g} ms"),
            Row("through the graph", f"{costs['graph']:.3g} ms"),
            Row("all compared / through the graph", f"{costs['all'] / costs['graph']:.3g} x"),
            at_most("ours at this size / the better of both", ours / limit, GOAL),
            Row("of the first ten, named by the graph", f"{found:.3g}"),
            Row("of its own first ten, named by usearch alone", f"{by_alone:.3g}"),
            Row("a vector into the graph", f"{built * 1e6:.0f} µs"),
            Row("the graph in memory, a vector", f"{used_bytes:.0f} bytes"),
            Row("saved, a vector", f"{len(alone.to_bytes()) / size + 2 * WIDTH:.0f} bytes"),
        ],
    )


def made(draw: np.random.Generator, axes: NDArray[np.float64], count: int) -> Floats:
    scales = np.arange(1, WIDTH + 1) ** -0.35
    drawn = (draw.standard_normal((count, WIDTH)) * scales) @ axes.T
    rows: Floats = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    return rows


def _graph(rows: Floats) -> NearGraph:
    """The graph over all rows, with progress printed: the larger one takes a while."""
    graph, begun = NearGraph(WIDTH), time.monotonic()
    for start in range(0, len(rows), STEP):
        part = rows[start : start + STEP]
        graph.add(np.arange(start, start + len(part)), part)
        if start and not start % (20 * STEP):
            took = time.monotonic() - begun
            print(f"  {start:,} of {len(rows):,} in the graph after {took:.0f} s", flush=True)
    return graph


def _space(settings: RecallSettings, rows: Floats, graph: NearGraph | None = None) -> VectorIndex:
    space = VectorIndex(WIDTH, settings, NearGraph)
    ones, halves = np.ones(len(rows), np.uint16), rows.astype(np.float16)
    space.fill(RowSet(np.arange(len(rows)), ones, halves, graph, 0 if graph is None else len(rows)))
    space.refit()
    return space


def _best_ten(scores: Floats) -> NDArray[np.int64]:
    best = np.argpartition(scores, -10)[-10:]
    return best[np.argsort(-scores[best])]


def _through(space: VectorIndex, query: Floats, count: int) -> NDArray[np.int64]:
    """What the index does: candidates, their likeness, and what is usual."""
    named = space.nearest(query, count)
    assert named is not None
    space.near(query, named)
    space.mean_and_deviation(query)
    return named


def _found(exact: VectorIndex, helped: VectorIndex, query: Floats, size: int, count: int) -> float:
    near, _ = exact.likeness(query, size)
    return _shared(_best_ten(near), _through(helped, query, count))


def _shared(ten: NDArray[np.int64], named: NDArray[np.int64]) -> float:
    return len(set(ten.tolist()) & set(named.tolist())) / 10


def _costs(asks: dict[str, Ask], queries: Floats) -> dict[str, float]:
    """Milliseconds a query of each, the rounds of all interleaved."""
    taken: dict[str, list[float]] = {name: [] for name in asks}
    for _ in range(ROUNDS):
        for name, ask in asks.items():
            begun = time.process_time()
            for query in queries:
                ask(query)
            taken[name].append((time.process_time() - begun) / len(queries) * 1e3)
    return {name: median(values) for name, values in taken.items()}
