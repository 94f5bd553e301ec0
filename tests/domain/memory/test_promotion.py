"""WM-6: waiting memories reach the memory or the inbox, and are never dropped."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.domain.memory.memories import NOW, SETTINGS, WORKSPACE, by_id, entry, memory
from wm.domain.memory.promotion import Promotion, promote
from wm.domain.memory.tombstones import is_forgotten, tombstone
from wm.domain.times import iso
from wm.formats.pending_journal import PendingJournal, PendingMemory
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory


def digest(text: str) -> str:
    return hashlib.sha256(b"key" + text.encode()).hexdigest()[:32]


def pending(one: MemoryEntry, **fields: Any) -> PendingMemory:
    return PendingMemory(entry=one, **fields)


def promoted(here: WorkspaceMemory, *waiting: PendingMemory, **fields: Any) -> Promotion:
    journal = PendingJournal(workspace=WORKSPACE, entries=waiting)
    return promote(here, journal, now=NOW, settings=SETTINGS, digest=digest, **fields)


def test_waiting_memories_of_every_session_are_tried() -> None:
    result = promoted(
        memory(entry("m_known", "Ask first.")),
        pending(entry("m_a"), owner_session="s1"),
        pending(entry("m_b", "ask first"), owner_session="s2"),
        pending(entry("m_c", "Poison.", tainted=True)),
    )
    assert [(f.type, f.entry) for f in result.facts] == [
        ("memory_promoted", "m_a"),
        ("memory_absorbed", "m_known"),
        ("memory_inbox", "m_c"),
    ]
    assert result.journal.entries == ()
    assert {i: e.status for i, e in by_id(result.memory).items()} == {
        "m_known": "active",
        "m_a": "active",
        "m_c": "inbox",
    }
    assert result.facts[0].details["ownerSession"] == "s1"


def test_a_crash_between_the_two_writes_only_repeats_the_promotion() -> None:
    waiting = (
        pending(entry("m_a")),
        pending(entry("m_b", "use pnpm for INSTALLS", source="explicit")),
    )
    first = promoted(memory(), *waiting)
    again = promoted(first.memory, *waiting)
    assert again.memory.entries == first.memory.entries
    assert again.journal.entries == ()


def test_two_waiting_memories_of_one_fact_become_one() -> None:
    result = promoted(memory(), pending(entry("m_a")), pending(entry("m_b")))
    assert [e.id for e in result.memory.entries] == ["m_a"]


@pytest.mark.parametrize(
    ("attempts", "left", "outcome"),
    [(0, 1, "retryable"), (1, 1, "retryable"), (2, 0, "inbox"), (9, 0, "inbox")],
)
def test_after_the_third_try_an_entry_waits_in_the_inbox(
    attempts: int, left: int, outcome: str
) -> None:
    result = promoted(memory(), pending(entry(""), attempts=attempts))
    assert (len(result.journal.entries), result.facts[0].outcome) == (left, outcome)
    if left:
        still = result.journal.entries[0]
        assert (still.attempts, still.last_failure) == (attempts + 1, "missing_id")
        assert still.last_attempt_at == iso(NOW)
    else:
        filed = result.memory.entries[0]
        assert (filed.status, filed.text) == ("inbox", "Use pnpm for installs.")
        assert filed.reasons == ("promotion_failed", "missing_id")
        assert filed.id.startswith("m_")


def test_a_memory_that_cannot_be_active_goes_to_the_inbox() -> None:
    result = promoted(memory(), pending(entry(status="trashed")))
    assert result.facts[0].outcome == "inbox"
    assert result.memory.entries[0].reasons == ("promotion_failed", "not_admissible")


def test_a_forgotten_text_is_not_learned_again_but_can_be_requested() -> None:
    stones = (tombstone(entry("m_gone"), digest, at=iso(NOW), reason="wrong"),)
    result = promoted(
        memory(),
        pending(entry("m_a", "use PNPM for installs")),
        pending(entry("m_b", source="explicit")),
        stones=stones,
    )
    assert [(f.outcome, f.reason_codes) for f in result.facts] == [
        ("rejected", ("forgotten",)),
        ("promoted", ()),
    ]
    assert list(by_id(result.memory)) == ["m_b"]


def test_an_empty_journal_changes_nothing() -> None:
    here = memory(entry())
    result = promoted(here)
    assert result.memory is here
    assert result.facts == ()


@pytest.mark.parametrize(
    ("text", "forgotten"),
    [
        ("Use pnpm for installs.", True),
        ("USE PNPM  for installs!!", True),
        ("Use ｐｎｐｍ for installs", True),
        ("Use npm for installs.", False),
        ("", False),
    ],
)
def test_a_tombstone_matches_its_text_in_any_spelling(text: str, forgotten: bool) -> None:
    stone = tombstone(entry("m_gone", type="project"), digest, at=iso(NOW))
    assert is_forgotten(text, [stone], digest) is forgotten
    assert "pnpm" not in stone.model_dump_json()
    assert not is_forgotten(text, [], digest)
