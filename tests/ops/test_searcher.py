"""A search by meaning, kept in step with the memory (RC-2, RC-4)."""

from __future__ import annotations

import dataclasses

import pytest

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench
from wm.domain.recall.explain import Reasons, explain
from wm.ops.search import embedding, searcher

PATIENCE_S = 60.0


@pytest.fixture
def patient(bench: Bench) -> Bench:
    """Waits for its vectors, however busy the machine is."""
    recall = dataclasses.replace(bench.settings.recall, embed_wait_s=PATIENCE_S)
    bench.settings = dataclasses.replace(bench.settings, recall=recall)
    bench.__post_init__()
    return bench


def test_what_is_near_in_meaning_comes_first(patient: Bench) -> None:
    for text in (SHIP, CENTS, QUEUE, "The cat sleeps on the kitchen floor all day."):
        patient.remember(text)
        patient.later()
    hits = patient.call("search", query="the kitchen cat dozes").hits
    assert [hit.entry.text[:7] for hit in hits[:1]] == ["The cat"]


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        (Reasons(alike=True), "alike in meaning"),
        (Reasons(alike=True, words=("cat",)), "words cat"),
        (Reasons(alike=True, related=("cat",), superseded=True), "related to cat; superseded"),
    ],
)
def test_likeness_is_told_where_no_word_says_why(reasons: Reasons, told: str) -> None:
    assert explain(reasons) == told


def test_a_memory_is_found_right_after_it_was_acknowledged_and_gone_when_forgotten(
    patient: Bench,
) -> None:
    patient.remember(SHIP)
    patient.call("search", query="anything at all")
    entry = patient.remember("The walrus manifest is signed by the harbour master.")
    found = patient.call("search", query="walrus").hits
    assert [hit.entry.id for hit in found[:1]] == [entry.id]
    patient.call("forget_entry", id=entry.id)
    assert entry.id not in [h.entry.id for h in patient.call("search", query="walrus").hits]


def test_words_answer_alone_when_no_vector_comes_in_time(bench: Bench) -> None:
    recall = dataclasses.replace(bench.settings.recall, embed_wait_s=0.0)
    bench.settings = dataclasses.replace(bench.settings, recall=recall)
    bench.__post_init__()
    bench.remember("The walrus manifest is signed by the harbour master.")
    assert len(bench.call("search", query="walrus manifest").hits) == 1


def test_all_workspaces_share_one_embedder(patient: Bench) -> None:
    assert embedding(patient.runtime) is embedding(patient.runtime)
    assert searcher(patient.runtime, "a" * 16) is not searcher(patient.runtime, "b" * 16)
