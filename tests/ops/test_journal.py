"""The pending journal: tried at every start, three tries, then the inbox (WM-6)."""

from __future__ import annotations

import json

import pytest

from tests.ops.conftest import CENTS, SHIP, Bench, entry
from wm.errors import TooNew
from wm.formats.pending_journal import PendingJournal, PendingMemory
from wm.store import paths
from wm.store.base import Ref


def fill(bench: Bench, *waiting: PendingMemory) -> None:
    journal = PendingJournal(workspace=bench.workspace(), entries=waiting)
    bench.put((Ref(PendingJournal, bench.key), journal))


def test_waiting_memories_are_promoted_by_the_next_session_of_any_agent(bench: Bench) -> None:
    fill(bench, PendingMemory(entry=entry("m_1", SHIP, source="explicit"), owner_session="x" * 32))
    bench.event("session_started", session="another")
    assert (bench.texts(), bench.journal().entries) == ([SHIP], ())
    (record,) = bench.recorded("memory_promoted")
    assert (record.entry, record.details["ownerSession"]) == ("m_1", "x" * 32)


def test_a_session_end_promotes_too(bench: Bench) -> None:
    bench.event("session_started")
    fill(bench, PendingMemory(entry=entry("m_1", SHIP)))
    bench.event("session_ended")
    assert (bench.texts(), bench.journal().entries) == ([SHIP], ())


def test_after_three_failed_promotions_a_memory_goes_to_the_inbox(bench: Bench) -> None:
    fill(bench, PendingMemory(entry=entry("", SHIP)))
    for attempts in (1, 2):
        bench.event("session_started", session=f"s-{attempts}")
        (waiting,) = bench.journal().entries
        assert (waiting.attempts, waiting.last_failure) == (attempts, "missing_id")
        assert bench.memory().entries == ()
    bench.event("session_started", session="s-3")
    assert bench.journal().entries == ()
    (kept,) = bench.memory().entries
    assert (kept.status, kept.text) == ("inbox", SHIP)
    assert kept.reasons == ("promotion_failed", "missing_id")
    assert [r.outcome for r in bench.recorded()] == ["retryable", "retryable", "inbox"]


def test_a_repeated_promotion_changes_nothing(bench: Bench) -> None:
    """What a crash between the memory and the journal leaves behind."""
    pending = PendingMemory(entry=entry("m_1", SHIP))
    for _ in range(2):
        fill(bench, pending)
        bench.event("session_started")
    assert [e.id for e in bench.memory().entries] == ["m_1"]


def make_newer(bench: Bench) -> str:
    """A newer wm has written the memory; its text."""
    bench.remember(CENTS)
    path = bench.settings.paths.home / paths.workspace_folder(bench.key) / "workspace-memory.json"
    document = json.loads(path.read_text("utf-8"))
    document["version"] = 99
    path.write_text(json.dumps(document), "utf-8")
    return path.read_text("utf-8")


def test_a_session_request_waits_while_the_memory_is_not_writable(files: Bench) -> None:
    before = make_newer(files)
    bench = files.reopen()
    bench.event("session_started")
    wish = "Remember that we deploy with `make ship` from the release branch."
    (kept,) = bench.event("user_prompt", text=wish).remembered
    assert (kept.outcome, kept.reason_codes) == ("retryable", ("too_new",))
    assert kept.message.startswith("It could not be stored yet and waits in the journal")
    summary = f"Done.\n\nMemory candidates:\n- [project] {CENTS}\n- [project] 3 of 4 tests pass."
    done = bench.event("compaction_finished", summary=summary).remembered
    assert [k.outcome for k in done] == ["retryable", "rejected"]
    assert [p.entry.text for p in bench.journal().entries] == [
        "we deploy with `make ship` from the release branch.",
        CENTS,
    ]
    bench.event("session_started", session="s-2")
    assert [p.attempts for p in bench.journal().entries] == [0, 0]
    path = bench.settings.paths.home / paths.workspace_folder(bench.key) / "workspace-memory.json"
    assert path.read_text("utf-8") == before


def test_a_person_gets_an_error_instead_of_a_waiting_request(files: Bench) -> None:
    make_newer(files)
    with pytest.raises(TooNew, match="was written by a newer wm"):
        files.reopen().call("remember", text=SHIP)
