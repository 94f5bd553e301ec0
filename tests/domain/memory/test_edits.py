"""WM-7: what a person may do to entries, and refusals with their figures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domain.memory.memories import NOW, SETTINGS, ago, by_id, entry, memory
from wm.domain.facts import Fact, Refusal
from wm.domain.memory import edits
from wm.domain.memory.consolidate import MemoryEditor
from wm.domain.times import iso
from wm.formats.workspace_memory import WorkspaceMemory


def edit(here: WorkspaceMemory, entry_id: str = "m_a", **changes: Any) -> edits.Outcome:
    result = edits.edit(here, entry_id, now=NOW, settings=SETTINGS, **changes)
    assert not isinstance(result, Refusal)
    return result


def accept(here: WorkspaceMemory, entry_id: str = "m_a") -> edits.Outcome:
    result = edits.accept(MemoryEditor(here), entry_id, now=NOW, settings=SETTINGS)
    assert not isinstance(result, Refusal)
    return result


def test_a_rewritten_text_has_the_person_as_source_and_a_new_age() -> None:
    here = memory(entry(created_at=ago(days=90)))
    changed, facts = edit(here, text="Use yarn.")
    one = changed.entries[0]
    assert (one.text, one.source, one.confidence) == ("Use yarn.", "manual", 0.9)
    assert (one.retention_clock, one.updated_at) == (iso(NOW), iso(NOW))
    assert one.created_at == ago(days=90)
    assert facts == (
        Fact(
            "memory_edited",
            "user",
            "changed",
            "m_a",
            ("text",),
            {
                "text": "Use yarn.",
                "textBefore": "Use pnpm for installs.",
                "source": "manual",
                "sourceBefore": "compaction",
                "confidence": 0.9,
                "confidenceBefore": 0.75,
                "retention_clock": iso(NOW),
                "retention_clockBefore": ago(days=90),
            },
        ),
    )


def test_pin_and_importance_do_not_change_the_age() -> None:
    here = memory(entry(created_at=ago(days=90), retention_clock=""))
    changed, facts = edit(here, pinned=True, importance="high")
    one = changed.entries[0]
    assert (one.pinned, one.user_importance, one.source) == (True, "high", "compaction")
    assert one.retention_clock == ago(days=90)
    assert facts[0].details == {
        "pinned": True,
        "pinnedBefore": False,
        "user_importance": "high",
        "user_importanceBefore": "normal",
    }


def test_an_edit_without_a_change_is_reported() -> None:
    here = memory(entry())
    assert edit(here, text=here.entries[0].text) == (
        here,
        (Fact("memory_edited", "user", "unchanged", "m_a"),),
    )


def test_rewording_does_not_clear_taint() -> None:
    changed, _ = edit(memory(entry(tainted=True, status="inbox")), text="Use yarn.")
    assert (changed.entries[0].tainted, changed.entries[0].status) == (True, "inbox")


@pytest.mark.parametrize(
    ("changes", "code", "figures"),
    [
        ({"text": "x" * 2001}, "too_long", ["2001", "2000"]),
        ({"rationale": "x" * 181}, "rationale_too_long", ["181", "180"]),
        ({"text": " … "}, "empty", []),
        ({"type": "wish"}, "unknown_type", ["wish"]),
        ({"importance": "huge"}, "unknown_importance", ["huge"]),
        ({"text": "ask FIRST"}, "duplicate", ["m_b"]),
    ],
)
def test_an_oversized_edit_is_refused_with_the_figures(
    changes: dict[str, Any], code: str, figures: list[str]
) -> None:
    here = memory(entry(), entry("m_b", "Ask first."))
    result = edits.edit(here, "m_a", now=NOW, settings=SETTINGS, **changes)
    assert isinstance(result, Refusal)
    assert result.code == code
    assert [figure for figure in figures if figure not in result.message] == []
    assert result.message.endswith(".")


def test_a_text_of_maximum_length_is_accepted_and_one_more_refused() -> None:
    assert edit(memory(entry()), text="x" * 2000)[0].entries[0].text == "x" * 2000


@pytest.mark.parametrize(
    ("status", "entry_id", "code"),
    [
        ("superseded", "m_a", "not_editable"),
        ("trashed", "m_a", "not_editable"),
        ("active", "m_z", "not_found"),
    ],
)
def test_history_is_not_edited(status: str, entry_id: str, code: str) -> None:
    result = edits.edit(
        memory(entry(status=status)), entry_id, pinned=True, now=NOW, settings=SETTINGS
    )
    assert isinstance(result, Refusal)
    assert result.code == code


def test_a_trashed_entry_is_restored_unchanged() -> None:
    here = memory(entry(created_at=ago(days=9), retention_clock=""), entry("m_b", "Ask first."))
    without, gone = edits.trash(here, "m_a")
    assert [e.id for e in without.entries] == ["m_b"]
    back, facts = edits.restore(without, gone.model_copy(update={"status": "trashed"}), now=NOW)
    assert by_id(back)["m_a"].status == "active"
    assert by_id(back)["m_a"].retention_clock == ago(days=9)
    assert facts[0].outcome == "restored"
    assert edits.restore(back, gone, now=NOW)[0] is back
    with pytest.raises(KeyError):
        edits.trash(without, "m_a")


def test_a_restored_entry_with_a_used_id_gets_another() -> None:
    here = memory(entry("m_a", "Another fact."))
    back, facts = edits.restore(here, entry("m_a"), now=NOW)
    assert [e.text for e in back.entries] == ["Another fact.", "Use pnpm for installs."]
    assert len(by_id(back)) == 2
    assert facts[0].details == {"from": "m_a"}


def test_a_superseded_entry_is_restored_as_history() -> None:
    back, _ = edits.restore(memory(), entry(status="superseded", superseded_by="m_b"), now=NOW)
    assert back.entries[0].status == "superseded"


def test_accepting_activates_an_entry_and_keeps_its_taint_label() -> None:
    here = memory(
        entry(status="inbox", tainted=True, reasons=("tainted",), created_at=ago(days=30))
    )
    changed, facts = accept(here)
    one = changed.entries[0]
    assert (one.status, one.tainted, one.reasons) == ("active", True, ())
    assert one.retention_clock == iso(NOW)
    assert (facts[0].outcome, facts[0].reason_codes) == ("accepted", ("tainted",))


def test_accepting_a_waiting_replacement_replaces() -> None:
    here = memory(entry("m_old"), entry("m_a", "Use yarn.", status="inbox", supersedes=("m_old",)))
    changed, facts = accept(here)
    assert by_id(changed)["m_old"].superseded_by == "m_a"
    assert [f.outcome for f in facts] == ["accepted", "superseded"]


def test_accepting_a_fact_that_became_known_adds_nothing() -> None:
    here = memory(entry("m_old"), entry("m_a", "use PNPM for installs", status="inbox"))
    changed, facts = accept(here)
    assert by_id(changed)["m_a"].superseded_by == "m_old"
    assert facts[0].outcome == "absorbed"


@pytest.mark.parametrize(
    ("fields", "code"), [({"status": "active"}, "not_waiting"), ({"text": "x" * 2001}, "too_long")]
)
def test_only_a_waiting_valid_entry_is_accepted(fields: dict[str, Any], code: str) -> None:
    here = memory(entry(**{"status": "inbox", **fields}))
    result = edits.accept(MemoryEditor(here), "m_a", now=NOW, settings=SETTINGS)
    assert isinstance(result, Refusal)
    assert result.code == code


def test_rejecting_returns_the_entry_for_the_trash() -> None:
    result = edits.reject(memory(entry(status="inbox", reasons=("path_heavy",))), "m_a")
    assert not isinstance(result, Refusal)
    changed, gone, fact = result
    assert (changed.entries, gone.id, fact.outcome) == ((), "m_a", "trashed")
    refused = edits.reject(memory(entry()), "m_a")
    assert isinstance(refused, Refusal)
