"""A search by meaning, kept in step with the memory (RC-2, RC-4)."""

from __future__ import annotations

import dataclasses
import gc
import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench, open_files, project_in, settings_of
from tests.store.twin import discard_vectors
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.models.embed import EMBEDDED, NONE
from wm.models.worker import Done, EmbedWorker
from wm.ops.background import tasks
from wm.ops.search.index_keeper import Searcher
from wm.ops.search.search import embedding, searcher
from wm.ops.search.vector_cache import VectorCache, maker_of
from wm.search.documents import Filters
from wm.search.explain import Reasons, explain
from wm.settings import RecallSettings
from wm.store.base import SavedVectors

PATIENCE_S = 60.0


@pytest.fixture
def patient(bench: Bench) -> Bench:
    """Waits for its vectors, however busy the machine is."""
    recall = replace(bench.settings.recall, embed_wait_s=PATIENCE_S)
    bench.settings = replace(bench.settings, recall=recall)
    bench.__post_init__()
    return bench


def test_the_nearest_meaning_ranks_first(patient: Bench) -> None:
    for text in (SHIP, CENTS, QUEUE, "The cat sleeps on the kitchen floor all day."):
        patient.remember(text)
        patient.later()
    hits = patient.call("search", query="the kitchen cat dozes").hits
    assert [hit.entry.text[:7] for hit in hits[:1]] == ["The cat"]


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (Reasons(alike=True), "similar in meaning"),
        (Reasons(), "slightly similar in meaning"),
        (Reasons(heir=True, alike=True), "replaced a match"),
        (Reasons(alike=True, words=("cat",)), "words cat"),
        (Reasons(alike=True, related=("cat",), superseded=True), "related to cat; superseded"),
        (Reasons(words=tuple("abcdefghijkl")), "words a, b, c, d, e, f, g, h, i, j, k, l"),
        (
            Reasons(names=tuple("abcdefghijklmn")),
            "name a, b, c, d, e, f, g, h, i, j, k, l and 2 more",
        ),
    ],
)
def test_likeness_is_reported_if_no_word_matches(reasons: Reasons, expected: str) -> None:
    assert explain(reasons) == expected


def test_a_memory_is_found_after_its_acknowledgement_and_not_after_forget(patient: Bench) -> None:
    patient.remember(SHIP)
    patient.call("search", query="anything at all")
    entry = patient.remember("The walrus manifest is signed by the harbour master.")
    found = patient.call("search", query="walrus").hits
    assert [hit.entry.id for hit in found[:1]] == [entry.id]
    patient.call("forget_entry", id=entry.id)
    assert entry.id not in [h.entry.id for h in patient.call("search", query="walrus").hits]


def test_without_vectors_in_time_words_answer_alone(bench: Bench) -> None:
    recall = replace(bench.settings.recall, embed_wait_s=0.0)
    bench.settings = replace(bench.settings, recall=recall)
    bench.__post_init__()
    bench.remember("The walrus manifest is signed by the harbour master.")
    assert len(bench.call("search", query="walrus manifest").hits) == 1


def test_all_workspaces_share_one_embedder(patient: Bench) -> None:
    assert embedding(patient.runtime) is embedding(patient.runtime)
    assert searcher(patient.runtime, "a" * 16) is not searcher(patient.runtime, "b" * 16)


def test_concurrent_searches_use_their_own_memory() -> None:
    """Searches of one workspace run side by side, before a change and after it."""
    worker = Meanwhile()
    asked = Searcher(RecallSettings(), worker)
    before, after = memory_of(5), memory_of(5, begin=3)
    worker.then.append(lambda: asked.search(after, BERTH, 10, Filters()))
    hits = asked.search(before, BERTH, 10, Filters())
    assert {hit.id for hit in hits} <= {known.id for known in before.entries}
    assert len(hits) == 5


# --- what is saved ------------------------------------------------------------------------------


KEY = "a1" * 8
BERTH = "which berth of the harbour takes 49 tons"


class Counting(EmbedWorker):
    """Counts the texts it was given."""

    texts = 0

    def submit(self, texts: Sequence[str], done: Done) -> bool:
        self.texts += len(texts)
        return super().submit(texts, done)


class Meanwhile(EmbedWorker):
    """Something else happens while a query is embedded."""

    def __init__(self) -> None:
        super().__init__(NONE, RecallSettings())
        self.then: list[Callable[[], object]] = []

    def query(self, text: str, wait_s: float) -> NDArray[np.float32] | None:
        if self.then:
            self.then.pop()()
        return super().query(text, wait_s)


def entry(name: str, text: str) -> MemoryEntry:
    when = "2026-11-21T09:00:00.000Z"
    fields = {"id": name, "text": text, "type": "project", "source": "explicit"}
    return MemoryEntry.model_validate({**fields, "createdAt": when, "updatedAt": when})


def memory_of(count: int, begin: int = 0) -> WorkspaceMemory:
    """Entries that tell of `count` berths."""
    numbers = range(begin, begin + count)
    return memory(
        *(entry(f"e{n:04}", f"Berth {n} of the harbour takes {n * 7} tons.") for n in numbers)
    )


def memory(*entries: MemoryEntry) -> WorkspaceMemory:
    return WorkspaceMemory(workspace=Workspace(key=KEY, root="/home/ana/shop"), entries=entries)


@pytest.fixture(scope="module")
def worker() -> Counting:
    """One for all tests: a model takes a while to open."""
    return Counting(EMBEDDED, RecallSettings())


@dataclasses.dataclass
class Process:
    """The index of one workspace, as a process that was just started has it."""

    bench: Bench
    worker: Counting
    graph_from: int = 20_000

    def __post_init__(self) -> None:
        limits = RecallSettings(embed_wait_s=PATIENCE_S, graph_from=self.graph_from)
        self.worker.texts = 0
        self.later = tasks()
        self.searcher = Searcher(
            limits, self.worker, VectorCache(self.bench.store, KEY), self.later
        )

    def ask(self, known: WorkspaceMemory, query: str = BERTH) -> list[tuple[str, float, str]]:
        hits = self.searcher.search(known, query, 10, Filters())
        self.later.finish()
        assert len(hits) == 10
        return [(hit.id, hit.score, hit.why) for hit in hits]

    def saved(self) -> SavedVectors:
        assert self.searcher.card is not None
        saved = self.bench.store.vectors(KEY, maker_of(self.searcher.card))
        assert saved is not None
        return saved


def test_a_restart_embeds_changed_texts_only(bench: Bench, worker: Counting) -> None:
    first = Process(bench, worker)
    answer = first.ask(memory_of(70))
    assert worker.texts == 70
    second = Process(bench, worker)
    assert second.ask(memory_of(70)) == answer
    assert worker.texts == 0


def test_a_save_pauses_between_groups_of_texts(bench: Bench, worker: Counting) -> None:
    process, rests = Process(bench, worker), list[int]()
    process.ask(memory_of(70))
    taken, card = process.searcher._index.vectors(), process.searcher.card
    assert taken is not None
    assert card is not None
    shelf = VectorCache(bench.store, KEY)
    assert shelf.save(card, taken[0], taken[1], None, rest=lambda: rests.append(1))
    assert len(rests) == 5


def test_after_a_restart_only_new_texts_are_embedded(bench: Bench, worker: Counting) -> None:
    Process(bench, worker).ask(memory_of(70))
    Process(bench, worker).ask(memory_of(70, begin=3))
    assert worker.texts == 3


def test_a_few_changes_are_saved_when_the_embedder_is_unloaded(
    bench: Bench, worker: Counting
) -> None:
    first = Process(bench, worker)
    first.ask(memory_of(40))
    first.ask(memory_of(45))
    assert len(first.saved().pieces) == 40
    first.searcher.save()
    assert len(first.saved().pieces) == 45


def test_vectors_of_forgotten_entries_are_removed_from_the_file(
    bench: Bench, worker: Counting
) -> None:
    first = Process(bench, worker)
    first.ask(memory_of(40))
    first.ask(memory_of(39))
    first.searcher.save()
    assert len(first.saved().pieces) == 39
    second = Process(bench, worker)
    second.ask(memory_of(20))
    second.searcher.save()
    assert len(second.saved().pieces) == 20


def test_equal_entries_have_separate_vectors(bench: Bench, worker: Counting) -> None:
    same = memory(*(entry(f"e{n}", SHIP) for n in range(40)))
    for _ in range(2):
        process = Process(bench, worker)
        process.ask(same, SHIP)
    assert worker.texts == 0


def test_an_entry_with_an_unchanged_text_keeps_its_vector(bench: Bench, worker: Counting) -> None:
    berths = memory_of(40)
    process = Process(bench, worker)
    process.ask(berths)
    inbox = tuple(e.model_copy(update={"status": "inbox"}) for e in berths.entries)
    process.ask(berths.model_copy(update={"entries": inbox}))
    assert worker.texts == 40


def test_answers_are_the_same_without_saved_vectors(bench: Bench, worker: Counting) -> None:
    answer = Process(bench, worker).ask(memory_of(70))
    assert discard_vectors(bench.store, KEY) >= 1
    assert Process(bench, worker).ask(memory_of(70)) == answer
    assert worker.texts == 70


def test_many_vectors_use_a_saved_graph(bench: Bench, worker: Counting) -> None:
    answer = Process(bench, worker).ask(memory_of(120))
    discard_vectors(bench.store, KEY)
    first = Process(bench, worker, graph_from=50)
    first.ask(memory_of(120))
    saved = first.saved()
    assert saved.graph is not None
    assert saved.graph.vectors == 120
    second = Process(bench, worker, graph_from=50)
    assert [found for found, _, _ in second.ask(memory_of(120))] == [f for f, _, _ in answer]
    assert worker.texts == 0


def test_vectors_that_cannot_be_saved_stay_in_memory(tmp_path: Path, worker: Counting) -> None:
    """Nothing of it is lost: it is saved the next time."""
    bench = Bench(settings_of(tmp_path), project_in(tmp_path), open_files(settings_of(tmp_path)))
    bench.remember(SHIP)
    folder = tmp_path / "wm" / "workspaces" / KEY / "vectors"
    folder.parent.mkdir(mode=0o700)
    folder.write_text("in the way")
    process = Process(bench, worker)
    process.ask(memory_of(40))
    folder.unlink()
    process.searcher.save()
    assert len(process.saved().pieces) == 40


def test_a_late_search_answers_by_words_before_the_model_opens(bench: Bench) -> None:
    embedder = Counting(EMBEDDED, RecallSettings())
    searcher = Searcher(RecallSettings(embed_wait_s=0.0), embedder)
    hits = searcher.search(memory_of(40), BERTH, 10, Filters())
    assert hits[0].id == "e0007"
    assert (embedder.texts, embedder.card, searcher.waiting) == (0, None, 40)
    searcher.queue_missing()
    settle(searcher, embedder)
    assert embedder.texts == 40


def passed(embedder: EmbedWorker) -> threading.Event:
    """Set when the embedder has come so far."""
    done = threading.Event()
    assert embedder.submit([], lambda _card, _rows: done.set())
    return done


def settle(searcher: Searcher, embedder: EmbedWorker) -> None:
    """Return once all texts have vectors: a batch that is asked for last comes last."""
    while searcher.waiting:
        assert passed(embedder).wait(PATIENCE_S)


def test_an_index_is_freed_by_reference_counting() -> None:
    searcher = Searcher(RecallSettings(embed_wait_s=0.0), None)
    searcher.search(memory_of(40), BERTH, 10, Filters())
    gone = weakref.ref(searcher), weakref.ref(searcher._index)
    gc.disable()
    try:
        del searcher
        assert [ref() for ref in gone] == [None, None]
    finally:
        gc.enable()
