"""The one thread that embeds."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from tests.models import small
from wm.models.embed import EMBEDDED, NONE, ModelCard
from wm.models.worker import EmbedWorker
from wm.settings import RecallSettings

PATIENCE_S = 60.0


def worker(name: str = EMBEDDED, **options: float) -> EmbedWorker:
    return EmbedWorker(name, replace(RecallSettings(), **options))


def test_documents_and_queries_are_embedded_the_same_way() -> None:
    ours = worker()
    done = threading.Event()
    found: list[tuple[ModelCard | None, int, float]] = []
    query = ours.query("the harbour at dawn", PATIENCE_S)
    assert query is not None

    def take(card: ModelCard | None, rows: object) -> None:
        assert isinstance(rows, list)
        found.append((card, len(rows), float(rows[0][0] @ query)))
        done.set()

    assert ours.submit(["the harbour at dawn", "two"], take)
    assert done.wait(PATIENCE_S)
    assert found[0][0] is not None
    assert found[0][1] == 2
    np.testing.assert_allclose(found[0][2], 1.0, atol=1e-5)


def test_a_repeated_query_does_not_wait() -> None:
    ours = worker()
    assert ours.query("again", PATIENCE_S) is not None
    assert ours.query("again", 0.0) is not None


def test_without_a_model_the_reason_is_given_at_once() -> None:
    ours = worker(NONE)
    answered = threading.Event()
    assert ours.submit(["x"], lambda card, rows: answered.set())
    assert answered.wait(PATIENCE_S)
    assert "no model" in ours.problem
    assert ours.query("x", PATIENCE_S) is None
    assert not ours.submit(["x"], lambda card, rows: None)


def test_if_a_model_cannot_be_opened_the_embedded_one_is_used() -> None:
    troubles: list[str] = []
    ours = EmbedWorker("/absent", RecallSettings(), troubled=troubles.append)
    assert ours.query("the harbour at dawn", PATIENCE_S) is not None
    assert ours.card is not None
    assert ours.card.id == EMBEDDED
    assert ours.problem == ""
    assert [ours.trouble] == troubles
    assert "no usable model in /absent" in ours.trouble


def test_vectors_of_a_model_replaced_while_unloaded_are_not_compared(tmp_path: Path) -> None:
    folder = small.write(tmp_path / "small")
    ours = EmbedWorker(str(folder), replace(RecallSettings(), embed_idle_s=0.05))
    assert ours.query("ship", PATIENCE_S) is not None
    thread = ours._thread
    if thread is not None:
        thread.join(PATIENCE_S)
    small.write(folder, seed=8)
    assert ours.query("harbour", PATIENCE_S) is None
    assert "changed while it was in use" in ours.problem


def test_the_queue_is_bounded() -> None:
    ours = worker(embed_queue=1)
    inside, go = threading.Event(), threading.Event()

    def hold(card: ModelCard | None, rows: object) -> None:
        inside.set()
        go.wait(PATIENCE_S)

    assert ours.submit(["first"], hold)
    assert inside.wait(PATIENCE_S)
    assert ours.submit(["second"], lambda card, rows: None)
    assert not ours.submit(["third"], lambda card, rows: None)
    go.set()


def test_an_unused_model_is_unloaded_and_reloaded_on_demand() -> None:
    idle = replace(RecallSettings(), embed_idle_s=0.05)
    reports: list[str] = []
    ours = EmbedWorker(EMBEDDED, idle, lambda: reports.append("unloaded"))
    assert ours.query("one", PATIENCE_S) is not None
    thread = next(t for t in threading.enumerate() if t.name == "wm-embed" and t is ours._thread)
    thread.join(PATIENCE_S)
    assert reports == ["unloaded"]
    assert ours.query("two", PATIENCE_S) is not None
