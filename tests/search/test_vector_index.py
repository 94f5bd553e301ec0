"""RC-3: vectors compared exactly, and with a graph's help where they are many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from numpy.typing import NDArray

from wm.search.documents import Filters, SearchDocument
from wm.search.index import SearchIndex
from wm.search.vector_index import Graph, VectorIndex
from wm.settings import RecallSettings
from wm.store.vectors.graph import NearGraph, restore

WIDTH = 16
PLAIN = RecallSettings()
FEW = replace(PLAIN, graph_from=40)
"""A graph is built over forty vectors."""


def vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32)
    rows: NDArray[np.float32] = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return rows


def space(count: int, limits: RecallSettings = PLAIN, *, pieces: int = 1) -> VectorIndex:
    made = VectorIndex(WIDTH, limits, NearGraph)
    numbers = np.arange(count)
    made.add(numbers, np.full(count, pieces), vectors(count * pieces))
    return made


def grown(made: VectorIndex) -> VectorIndex:
    while made.extend_graph(16):
        pass
    return made


def best(made: VectorIndex, query: NDArray[np.float32], end: int) -> list[int]:
    near, known = made.likeness(query, end)
    return [int(n) for n in np.argsort(-near, kind="stable") if known[n]]


def test_likeness_is_the_cosine_of_whitened_rows() -> None:
    rows = vectors(30).astype(np.float16).astype(np.float32)
    mean = rows.mean(axis=0)
    values, axes = np.linalg.eigh((rows - mean).T @ (rows - mean) / 30)
    known = 30 / (30 + WIDTH)
    trusted = known * values + (1 - known) * values.mean()
    turn = axes / np.sqrt(trusted + PLAIN.whitening_ridge * values.mean())
    mean = mean * 30 / 46
    turned = (rows - mean) @ turn
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    query = vectors(1, seed=9)[0]
    asked = (query - mean) @ turn
    near, _ = space(30).likeness(query, 30)
    assert near == pytest.approx(turned @ asked / np.linalg.norm(asked), abs=1e-5)


def test_a_document_scores_as_its_best_piece() -> None:
    one, three = space(30), space(10, pieces=3)
    query = vectors(1, seed=9)[0]
    single, _ = one.likeness(query, 30)
    near, _ = three.likeness(query, 10)
    assert near == pytest.approx(single.reshape(10, 3).max(axis=1))
    assert three.near(query, np.arange(10)) == pytest.approx(near)


@pytest.mark.parametrize("count", [10, 3000])
def test_the_whitening_uses_a_sample_of_texts(count: int) -> None:
    made = space(count, pieces=3)
    query = vectors(1, seed=9)[0]
    near, _ = made.likeness(query, count)
    first = count if count <= 1024 else made._fitted
    drawn = near[np.linspace(0, first - 1, min(first, 1024)).astype(np.int64)]
    assert made.mean_and_deviation(query) == pytest.approx((drawn.mean(), drawn.std()), abs=1e-5)


@pytest.mark.parametrize("change", ["removed", "moved", "replaced", "filled"])
def test_reordered_rows_are_identified_by_number(change: str) -> None:
    query, rows = vectors(1, seed=9)[0], vectors(30)
    made, wanted = space(30), np.arange(30)
    made.likeness(query, 30)
    if change == "removed":
        made.remove(29)
    elif change == "moved":
        made.move(3, 30)
    elif change == "replaced":
        made.add(np.array([3]), np.array([1]), rows[3:4])
    else:
        wanted = wanted[::-1].copy()
        made = VectorIndex(WIDTH, PLAIN)
        made.fill(replace(space(30).row_set(), numbers=wanted))
    end = 31 if change == "moved" else 30
    near, known = made.likeness(query, end)
    assert known.sum() == (29 if change == "removed" else 30)
    assert near[known] == pytest.approx(made.near(query, np.flatnonzero(known)), abs=1e-6)


def test_pieces_of_removed_texts_are_not_counted() -> None:
    made = space(40, pieces=2)
    made.add(np.array([7]), np.array([3]), vectors(3, seed=5))
    made.refit()
    query = vectors(1, seed=9)[0]
    left = np.arange(12, 40)
    for number in range(12):
        made.remove(number)
    alone = VectorIndex(WIDTH, PLAIN)
    alone.add(left, np.full(28, 2), made.row_set().rows)
    before = alone.near(query, left)
    assert made.near(query, left) == pytest.approx(before, abs=1e-6)
    assert made.likeness(query, 40)[0][12:] == pytest.approx(before, abs=1e-6)


@pytest.mark.parametrize("pieces", [1, 3])
def test_cached_whitened_rows_give_the_same_likeness(pieces: int) -> None:
    small, large = VectorIndex(WIDTH, PLAIN), VectorIndex(WIDTH, PLAIN, expected=4000)
    asked = [60, 3, 61, 40, 2, 90]

    def are_alike() -> None:
        one, other = small.mutual(np.array(asked)), large.mutual(np.array(asked))
        assert one.any()
        np.testing.assert_allclose(one, other, atol=1e-5)

    def add(begin: int, end: int) -> None:
        rows = vectors((end - begin) * pieces, begin)
        for made in (small, large):
            made.add(np.arange(begin, end), np.full(end - begin, pieces), rows)

    def settle() -> None:
        for made in (small, large):
            made.refit()

    add(0, 100)
    are_alike()  # nothing is known yet of what they have in common
    settle()
    are_alike()
    for number in range(4, 40):  # so many that the others move together
        small.remove(number)
        large.remove(number)
    are_alike()
    add(200, 300)
    are_alike()
    settle()
    are_alike()
    add(1000, 3200)  # too many to be kept
    are_alike()
    settle()
    are_alike()


def test_documents_without_rows_have_no_likeness() -> None:
    made = space(5)
    made.remove(2)
    near, known = made.likeness(vectors(1, seed=9)[0], 7)
    assert known.tolist() == [True, True, False, True, True, False, False]
    assert near[[2, 5, 6]].tolist() == [-1, -1, -1]
    assert made.near(vectors(1)[0], np.array([2, 99, 1]))[:2].tolist() == [-1, -1]
    assert len(made) == 4


def test_a_moved_document_keeps_its_rows() -> None:
    made = space(5)
    query = vectors(1, seed=9)[0]
    before = made.near(query, np.array([3]))
    made.move(3, 200)
    assert made.near(query, np.array([200])) == before
    assert made.has_rows(np.array([3, 200])).tolist() == [False, True]


def test_new_rows_replace_old_rows_of_a_document() -> None:
    made = space(5)
    made.add(np.array([1]), np.array([2]), vectors(2, seed=5))
    assert len(made) == 6
    stored = made.row_set()
    assert sorted(stored.numbers.tolist()) == [0, 1, 2, 3, 4]
    assert dict(zip(stored.numbers.tolist(), stored.pieces.tolist(), strict=True))[1] == 2


# --- the graph ----------------------------------------------------------------------------------


def test_few_vectors_need_no_graph() -> None:
    made = space(39, FEW)
    assert not made.extend_graph(16)
    assert made.nearest(vectors(1)[0], 10) is None


@pytest.mark.parametrize("pieces", [1, 3])
def test_the_graph_names_the_nearest(pieces: int) -> None:
    made = grown(space(300, FEW, pieces=pieces))
    for seed in range(20):
        query = vectors(1, seed=100 + seed)[0]
        named = made.nearest(query, 100)
        assert named is not None
        assert set(best(made, query, 300)[:5]) <= set(named.tolist())


def test_rows_not_in_the_graph_yet_are_candidates_too() -> None:
    made = grown(space(100, FEW))
    late = vectors(1, seed=50)
    made.add(np.array([100]), np.array([1]), late)
    named = made.nearest(late[0], 5)
    assert named is not None
    assert 100 in named.tolist()


def test_removed_rows_are_not_returned_and_their_graph_is_not_saved() -> None:
    made = grown(space(100, FEW))
    assert made.row_set().graph is not None
    query = vectors(100)[7]
    made.remove(7)
    named = made.nearest(query, 50)
    assert named is not None
    assert 7 not in named.tolist()
    stored = made.row_set()
    assert stored.graph is None
    assert 7 not in stored.numbers.tolist()
    assert not (stored.rows == query.astype(np.float16)).all(axis=1).any()


def test_after_losing_a_quarter_the_graph_is_rebuilt() -> None:
    made = grown(space(100, FEW))
    for number in range(30):
        made.remove(number)
    query = vectors(1, seed=9)[0]
    expected = best(made, query, 100)
    assert made.nearest(query, 20) is None
    grown(made)
    named = made.nearest(query, 70)
    assert named is not None
    assert named.tolist() == sorted(expected)
    assert best(made, query, 100) == expected


def test_rows_can_be_restored_with_their_graph() -> None:
    old = grown(space(60, FEW))
    stored = old.row_set()
    assert stored.graph is not None
    over = restore(bytes(stored.graph.to_bytes()), WIDTH, 60)
    numbers = np.arange(60)
    numbers[10] = -1
    new = VectorIndex(WIDTH, FEW, NearGraph)
    new.fill(replace(stored, numbers=numbers, graph=over))
    query = vectors(1, seed=9)[0]
    old.remove(10)
    assert not new.extend_graph(16)
    for made in (old, new):
        made.refit()
    named, again = old.nearest(query, 20), new.nearest(query, 20)
    assert named is not None
    assert again is not None
    assert named.tolist() == again.tolist()
    assert best(old, query, 60) == best(new, query, 60)


def test_expected_rows_are_preallocated() -> None:
    made = VectorIndex(WIDTH, PLAIN, None, 200)
    rows = vectors(200)
    stored = []
    for number in range(0, 200, 20):
        part = np.arange(number, number + 20)
        made.add(part, np.ones(20, np.int64), rows[part])
        stored.append(made._rows)
    assert all(one is stored[0] for one in stored)


# --- the same answers ---------------------------------------------------------------------------


class Blind:
    """A graph that names nothing: what is found is found without it."""

    def __init__(self, dimension: int) -> None:
        self.known = 0

    def __len__(self) -> int:
        return self.known

    def add(self, keys: NDArray[np.int64], rows: NDArray[np.float32]) -> None:
        self.known += len(keys)

    def remove(self, keys: NDArray[np.int64]) -> None:
        self.known -= len(keys)

    def nearest(self, vector: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        return np.zeros(0, np.int64)

    def to_bytes(self) -> bytes:
        return b""


WORDS = (
    "harbour",
    "berth",
    "crane",
    "tide",
    "ledger",
    "invoice",
    "queue",
    "retry",
    "anchor",
    "rope",
)


def index(count: int, limits: RecallSettings, graph: type[Graph] = NearGraph) -> SearchIndex:
    made = SearchIndex((), limits, graph)
    rows = vectors(count)
    for number in range(count):
        text = " ".join(WORDS[(number * step) % 10] for step in (1, 3, 7))
        state = {"status": "active" if number % 50 else "inbox", "thread": str(number // 4)}
        made.add_all([SearchDocument(str(number), f"{text} {number}", metadata=state)])
    made.attach_all([str(n) for n in range(count)], [rows[n : n + 1] for n in range(count)])
    while made.extend_graph(64):
        pass
    return made


@pytest.mark.parametrize("filters", [None, Filters(metadata={"status": "active"})])
def test_answers_are_the_same_with_the_graph_and_without(filters: Filters | None) -> None:
    exact, helped = index(400, PLAIN), index(400, FEW)
    for seed in range(20):
        query, vector = WORDS[seed % 10], vectors(1, seed=200 + seed)[0]
        ours = [hit.id for hit in helped.search(query, 5, filters, vector)]
        assert ours == [hit.id for hit in exact.search(query, 5, filters, vector)]


def test_growth_past_the_threshold_does_not_change_answers() -> None:
    exact, helped = index(39, PLAIN), index(39, FEW)
    rows = vectors(46, seed=3)
    for made in (exact, helped):
        made.search("harbour", 5, None, rows[0])
        for number in range(39, 46):
            made.add_all([SearchDocument(str(number), f"harbour crane {number}")])
            made.attach_all([str(number)], [rows[number : number + 1]])
            made.extend_graph(64)
    for seed in range(20):
        query, vector = WORDS[seed % 10], vectors(1, seed=200 + seed)[0]
        ours = [hit.id for hit in helped.search(query, 5, None, vector)]
        assert ours == [hit.id for hit in exact.search(query, 5, None, vector)]


@pytest.mark.parametrize("graph", [NearGraph, Blind])
def test_selective_filters_find_all_matches(graph: type[Graph]) -> None:
    """What the graph names is then mostly what the query did not ask for."""
    few = Filters(metadata={"status": "inbox"})
    exact, helped = index(400, PLAIN), index(400, FEW, graph)
    for seed in range(10):
        vector = vectors(1, seed=300 + seed)[0]
        ours = [hit.id for hit in helped.search("harbour", 8, few, vector)]
        assert ours == [hit.id for hit in exact.search("harbour", 8, few, vector)]


@settings(max_examples=40, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["add", "move", "remove", "grow"]), st.integers(0, 80)),
        max_size=40,
    )
)
def test_after_any_operations_the_index_has_the_rows_of_its_documents(
    steps: list[tuple[str, int]],
) -> None:
    made, rows = space(50, FEW), vectors(50)
    known = {number: rows[number : number + 1] for number in range(50)}
    for turn, (step, number) in enumerate(steps):
        if step == "add":
            known[number] = vectors(1 + number % 3, seed=1000 + turn)
            made.add(np.array([number]), np.array([len(known[number])]), known[number])
        elif step == "remove":
            made.remove(number)
            known.pop(number, None)
        elif step == "move" and number in known:
            made.move(number, 1000 + turn)
            known[1000 + turn] = known.pop(number)
        elif step == "grow":
            made.extend_graph(number)
    stored = made.row_set()
    starts = np.cumsum(stored.pieces) - stored.pieces
    found = {
        int(number): stored.rows[start : start + count]
        for number, start, count in zip(stored.numbers, starts, stored.pieces, strict=True)
    }
    assert found.keys() == known.keys()
    assert all((found[n] == known[n].astype(np.float16)).all() for n in known)
    query = vectors(1, seed=9)[0]
    named = made.nearest(query, 200)
    if named is not None:
        assert named.tolist() == sorted(known)
