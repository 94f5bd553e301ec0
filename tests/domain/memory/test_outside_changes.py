"""ST-4: outside changes wait; the old text stays in force."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.domain.memory.memories import NOW, SETTINGS, by_id, entry, memory
from wm.domain.facts import Fact, Refusal
from wm.domain.memory import edits
from wm.domain.memory.consolidate import MemoryEditor
from wm.domain.memory.outside_changes import absorb, accept_outside
from wm.formats.base import dump
from wm.formats.workspace_memory import Limits, MemoryEntry, WorkspaceMemory


def ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"m_new{next(numbers)}"


def absorbed(
    here: WorkspaceMemory, edited: WorkspaceMemory
) -> tuple[WorkspaceMemory, tuple[Fact, ...]]:
    return absorb(here, edited, now=NOW, new_id=ids())


def active(here: WorkspaceMemory) -> dict[str, str]:
    return {e.id: e.text for e in here.entries if e.status == "active"}


HERE = memory(entry("m_a"), entry("m_b", "Ask first."), entry("m_c", "Old.", status="superseded"))


def changed(entry_id: str, **fields: Any) -> WorkspaceMemory:
    entries = tuple(e.model_copy(update=fields) if e.id == entry_id else e for e in HERE.entries)
    return HERE.model_copy(update={"entries": entries})


def test_reformatting_and_reordering_change_nothing() -> None:
    reformatted = WorkspaceMemory.model_validate(json.loads(json.dumps(dump(HERE))))
    mixed = reformatted.model_copy(update={"entries": reformatted.entries[::-1]})
    assert absorbed(HERE, mixed) == (HERE, ())


def test_a_changed_entry_waits_and_the_old_text_stays_active() -> None:
    after, facts = absorbed(HERE, changed("m_a", text="Use yarn."))
    assert active(after) == active(HERE)
    waiting = by_id(after)["m_new1"]
    assert (waiting.status, waiting.outside, waiting.supersedes, waiting.text) == (
        "inbox",
        "changed",
        ("m_a",),
        "Use yarn.",
    )
    assert facts == (
        Fact("outside_change", "store", "inbox", "m_new1", ("outside_changed",), {"target": "m_a"}),
    )


def test_accepting_a_change_keeps_id_and_history() -> None:
    after, _ = absorbed(HERE, changed("m_a", text="Use yarn.", pinned=True))
    accepted, facts = accept_outside(after, now=NOW)
    one = by_id(accepted)["m_a"]
    assert (one.text, one.pinned, one.status, one.outside) == ("Use yarn.", True, "active", "")
    assert len(accepted.entries) == 3
    assert [(f.entry, f.outcome) for f in facts] == [("m_a", "changed")]


def test_an_added_entry_waits_under_its_own_id_until_accepted() -> None:
    edited = HERE.model_copy(update={"entries": (*HERE.entries, entry("m_mine", "My own."))})
    after, _ = absorbed(HERE, edited)
    assert (by_id(after)["m_mine"].status, by_id(after)["m_mine"].outside) == ("inbox", "added")
    accepted, _ = accept_outside(after, now=NOW)
    assert (by_id(accepted)["m_mine"].status, by_id(accepted)["m_mine"].reasons) == ("active", ())


@pytest.mark.parametrize("entry_id", ["m_a", ""])
def test_a_copied_or_missing_id_is_replaced(entry_id: str) -> None:
    edited = HERE.model_copy(update={"entries": (*HERE.entries, entry(entry_id, "My own."))})
    after, _ = absorbed(HERE, edited)
    assert by_id(after)["m_new1"].text == "My own."
    assert by_id(after)["m_new1"].outside == "added"
    assert len(by_id(after)) == 4


def test_a_deleted_entry_is_kept_until_accepted_and_can_be_restored() -> None:
    edited = HERE.model_copy(update={"entries": HERE.entries[1:]})
    after, _ = absorbed(HERE, edited)
    assert "m_a" in active(after)
    assert by_id(after)["m_new1"].outside == "deleted"
    accepted, facts = accept_outside(after, now=NOW)
    assert by_id(accepted)["m_a"].status == "trashed"
    assert "m_new1" not in by_id(accepted)
    assert facts[0].outcome == "trashed"
    back, _ = edits.restore(accepted, by_id(accepted)["m_a"], now=NOW)
    assert "m_a" in active(back)


def test_a_status_set_by_hand_is_applied_on_acceptance() -> None:
    after, _ = absorbed(HERE, changed("m_a", status="superseded"))
    assert by_id(after)["m_new1"].reasons == ("outside_changed", "status:superseded")
    assert by_id(accept_outside(after, now=NOW)[0])["m_a"].status == "superseded"


def test_an_entry_without_text_is_reported_and_skipped() -> None:
    after, facts = absorbed(HERE, changed("m_a", text="  "))
    assert after == HERE
    assert facts == (
        Fact("outside_noticed", "store", "noticed", "m_a", ("outside_invalid", "empty")),
    )


def test_a_file_read_twice_waits_once() -> None:
    edited = changed("m_a", text="Use yarn.")
    after, _ = absorbed(HERE, edited)
    both = after.model_copy(update={"entries": (*edited.entries, after.entries[-1])})
    again, facts = absorbed(after, both)
    assert (again, facts) == (after, ())


def test_limits_are_applied_but_the_workspace_identity_is_not() -> None:
    edited = HERE.model_copy(update={"limits": Limits(max_entries=5), "last_activity_at": "x"})
    after, facts = absorbed(HERE, edited)
    assert after.limits.max_entries == 5
    assert after.last_activity_at == HERE.last_activity_at
    assert facts[0].reason_codes == ("outside_limits",)


def test_an_outside_change_cannot_remove_taint() -> None:
    here = memory(entry("m_a", tainted=True))
    edited = memory(entry("m_a", "Use yarn.", tainted=False))
    after, _ = absorbed(here, edited)
    assert by_id(accept_outside(after, now=NOW)[0])["m_a"].tainted is True


def test_one_proposal_is_accepted_or_rejected_like_any_inbox_entry() -> None:
    after, _ = absorbed(HERE, changed("m_a", text="Use yarn."))
    done = edits.accept(MemoryEditor(after), "m_new1", now=NOW, settings=SETTINGS)
    assert not isinstance(done, Refusal)
    assert active(done[0])["m_a"] == "Use yarn."
    rejected = edits.reject(after, "m_new1")
    assert not isinstance(rejected, Refusal)
    assert rejected[0].entries == HERE.entries


def test_a_change_of_a_deleted_entry_becomes_a_new_entry() -> None:
    after, _ = absorbed(HERE, changed("m_a", text="Use yarn."))
    without, _ = edits.trash(after, "m_a")
    accepted, _ = accept_outside(without, now=NOW)
    assert active(accepted)["m_new1"] == "Use yarn."
    gone, _ = absorbed(HERE, HERE.model_copy(update={"entries": HERE.entries[1:]}))
    without, _ = edits.trash(gone, "m_a")
    assert accept_outside(without, now=NOW)[1][0].outcome == "unchanged"


@pytest.mark.parametrize("text", ["Use yarn.", ""])
def test_an_outside_change_of_a_duplicate_id_changes_only_the_first_entry(text: str) -> None:
    here = memory(entry("m_a", "Use pnpm."), entry("m_b", "Ask first."))
    edited = memory(*([entry("m_a", text)] if text else []), here.entries[1])
    after, _ = absorbed(here, edited)
    twice = after.model_copy(update={"entries": (*after.entries, entry("m_a", "Use cargo."))})
    accepted, _ = accept_outside(twice, now=NOW)
    copies = [(e.text, e.status) for e in accepted.entries if e.id == "m_a"]
    first = (text, "active") if text else ("Use pnpm.", "trashed")
    assert copies == [first, ("Use cargo.", "active")]


some = st.lists(
    st.builds(
        lambda n, text, status: entry(f"m_{n}", text, status=status),
        st.integers(0, 6),
        st.sampled_from(["One.", "Two.", "Three.", ""]),
        st.sampled_from(["active", "inbox", "superseded"]),
    ),
    max_size=6,
)


@given(some, some)
@settings(max_examples=150)
def test_no_outside_change_alters_active_entries(
    before: list[MemoryEntry], written: list[MemoryEntry]
) -> None:
    here = memory(*{e.id: e for e in before}.values())
    after, _ = absorbed(here, memory(*written))
    assert after.entries[: len(here.entries)] == here.entries
    assert all(e.status == "inbox" for e in after.entries[len(here.entries) :])
    assert len({e.id for e in after.entries}) == len(after.entries)
    accept_outside(after, now=NOW)
