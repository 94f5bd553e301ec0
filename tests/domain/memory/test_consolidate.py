"""WM-5, WM-8, TR-3: the effect of a new entry on itself and on the known entries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.domain.memory.memories import NOW, SETTINGS, ago, by_id, entry, memory
from wm.domain.memory.consolidate import Admission, MemoryEditor, supersede
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory


def admitted(here: WorkspaceMemory, newcomer: MemoryEntry) -> Admission:
    return MemoryEditor(here).admit(newcomer, now=NOW, settings=SETTINGS)


def test_a_new_fact_is_promoted_and_gets_a_clock() -> None:
    result = admitted(memory(), entry("m_n", retention_clock=""))
    assert (result.outcome, result.entry_id) == ("promoted", "m_n")
    assert result.memory.entries[0].retention_clock == ago(days=0)


@pytest.mark.parametrize("text", ["use PNPM for installs", "Use pnpm  for installs!!"])
def test_another_spelling_of_a_known_text_is_absorbed_and_counts_after_a_week(text: str) -> None:
    known = entry("m_old", created_at=ago(days=8))
    result = admitted(memory(known), entry("m_n", text))
    assert (result.outcome, result.entry_id) == ("absorbed", "m_old")
    assert result.reason_codes == ("elapsed_window",)
    assert [e.id for e in result.memory.entries] == ["m_old"]
    assert result.memory.entries[0].reinforcement_count == 1


def test_a_recurrence_within_the_week_changes_nothing() -> None:
    here = memory(entry("m_old", created_at=ago(days=2)))
    result = admitted(here, entry("m_n"))
    assert (result.outcome, result.reason_codes) == ("absorbed", ("min_elapsed_window",))
    assert result.memory.entries == here.entries


@pytest.mark.parametrize(
    ("old", "new", "survivor"),
    [
        ({"source": "compaction"}, {"source": "explicit"}, "m_n"),
        ({"source": "compaction"}, {"source": "manual"}, "m_n"),
        ({"source": "manual"}, {"source": "explicit"}, "m_n"),
        ({"source": "explicit"}, {"source": "compaction"}, "m_old"),
        ({"source": "explicit"}, {"source": "manual"}, "m_old"),
        ({"confidence": 0.5}, {"confidence": 0.75}, "m_n"),
        ({"confidence": 0.75}, {"confidence": 0.5}, "m_old"),
        ({}, {}, "m_old"),
    ],
)
def test_equal_texts_keep_the_stronger_source_then_the_higher_confidence(
    old: dict[str, Any], new: dict[str, Any], survivor: str
) -> None:
    known = entry("m_old", created_at=ago(days=2), **old)
    result = admitted(memory(known), entry("m_n", **new))
    assert result.entry_id == survivor
    active = [e.id for e in result.memory.entries if e.status == "active"]
    assert active == [survivor]


@pytest.mark.parametrize(
    ("old", "new", "survivor"),
    [
        ("src/t.ts defines colours", "Colours are defined in src/t.ts", "m_n"),
        (
            "All of the colours and fonts of the themes are really defined in src/t.ts",
            "src/t.ts defines all colours and fonts themes really",
            "m_old",
        ),
    ],
)
def test_two_wordings_keep_the_more_specific_then_the_newer(
    old: str, new: str, survivor: str
) -> None:
    known = entry("m_old", old, type="project", created_at=ago(days=2))
    assert admitted(memory(known), entry("m_n", new, type="project")).entry_id == survivor


def test_a_successor_inherits_what_people_gave_to_the_entry() -> None:
    known = entry(
        "m_old",
        created_at=ago(days=20),
        pinned=True,
        user_importance="high",
        tags=("build",),
        rationale="Disk space.",
        reinforcement_count=2,
        last_reinforced_at=ago(days=3),
    )
    result = admitted(memory(known), entry("m_n", source="explicit", confidence=1.0))
    assert result.outcome == "superseded"
    old, new = by_id(result.memory)["m_old"], by_id(result.memory)["m_n"]
    assert (old.status, old.superseded_by, new.supersedes) == ("superseded", "m_n", ("m_old",))
    assert (new.pinned, new.user_importance, new.tags) == (True, "high", ("build",))
    assert (new.rationale, new.reinforcement_count) == ("Disk space.", 2)
    assert new.retention_clock == known.retention_clock


@pytest.mark.parametrize("kind", ["decision", "feedback"])
def test_decisions_and_feedback_merge_on_exact_text_only(kind: str) -> None:
    known = entry("m_old", "src/theme.ts defines all colours.", type=kind)
    result = admitted(
        memory(known), entry("m_n", "All colours are defined in src/theme.ts.", type=kind)
    )
    assert result.outcome == "promoted"


def test_two_facts_about_one_path_are_both_kept() -> None:
    known = entry("m_old", "Parser is in src/p.ts", type="project")
    newcomer = entry("m_n", "src/p.ts holds the strict JSON5 parser with recovery", type="project")
    result = admitted(memory(known), newcomer)
    assert [e.status for e in result.memory.entries] == ["active", "active"]


def test_type_and_branch_keep_equal_texts_apart() -> None:
    here = memory(
        entry("m_p", type="project"),
        entry("m_x", scope="branch:x"),
        entry("m_gone", status="superseded"),
    )
    assert admitted(here, entry("m_n")).outcome == "promoted"
    assert admitted(here, entry("m_n", scope="branch:x")).entry_id == "m_x"
    assert admitted(here, entry("m_n", type="project", scope="branch:y")).entry_id == "m_p"


def test_a_replayed_entry_is_admitted_once_even_if_it_was_edited_since() -> None:
    first = admitted(memory(), entry("m_n", source="explicit"))
    again = admitted(first.memory, entry("m_n", source="explicit"))
    assert (again.outcome, again.reason_codes) == ("promoted", ("already_present",))
    assert again.memory.entries == first.memory.entries
    edited = memory(entry("m_n", "Use yarn for installs."))
    assert admitted(edited, entry("m_n")).memory.entries == edited.entries


def test_an_entry_with_a_used_id_gets_a_new_one_and_keeps_it_on_replay() -> None:
    here = memory(entry("m_n", "Use yarn for installs.", created_at=ago(days=3)))
    first = admitted(here, entry("m_n"))
    assert first.outcome == "promoted"
    assert first.entry_id not in ("", "m_n")
    assert len({e.id for e in first.memory.entries}) == 2
    again = admitted(first.memory, entry("m_n"))
    assert (again.entry_id, again.memory.entries) == (first.entry_id, first.memory.entries)


@pytest.mark.parametrize(
    ("fields", "outcome", "codes"),
    [
        ({"text": " ... "}, "rejected", ("empty",)),
        ({"status": "superseded"}, "rejected", ("not_admissible",)),
        ({"entry_id": ""}, "retryable", ("missing_id",)),
        ({"tainted": True}, "inbox", ("tainted",)),
        ({"text": "long " * 401}, "inbox", ("too_long",)),
        ({"rationale": "r" * 181}, "inbox", ("rationale_too_long",)),
        ({"status": "inbox", "reasons": ("path_heavy",)}, "inbox", ("path_heavy",)),
    ],
)
def test_an_inadmissible_entry_waits_unchanged_or_is_refused_with_a_code(
    fields: dict[str, Any], outcome: str, codes: tuple[str, ...]
) -> None:
    newcomer = entry(**fields)
    result = admitted(memory(), newcomer)
    assert (result.outcome, result.reason_codes) == (outcome, codes)
    if outcome == "inbox":
        assert result.memory.entries[0].text == newcomer.text
        assert result.memory.entries[0].status == "inbox"


def test_a_tainted_recurrence_neither_reinforces_nor_replaces() -> None:
    known = entry("m_old", created_at=ago(days=30))
    newcomer = entry("m_n", source="explicit", confidence=1.0, tainted=True)
    result = admitted(memory(known), newcomer)
    assert (result.outcome, result.reason_codes) == ("absorbed", ("tainted_recurrence",))
    assert result.memory.entries == (known,)


def test_a_tainted_inbox_entry_does_not_block_a_clean_one() -> None:
    waiting = entry("m_w", tainted=True, status="inbox")
    result = admitted(memory(waiting), entry("m_n", source="explicit"))
    assert (result.outcome, result.entry_id) == ("promoted", "m_n")
    assert by_id(result.memory)["m_n"].tainted is False
    assert by_id(result.memory)["m_w"].status == "superseded"


def test_merging_with_an_accepted_tainted_entry_keeps_the_taint() -> None:
    accepted = entry("m_old", tainted=True)
    result = admitted(memory(accepted), entry("m_n", source="explicit"))
    assert by_id(result.memory)["m_n"].tainted is True


def test_the_inbox_keeps_one_entry_per_fact() -> None:
    here = memory(entry("m_w", status="inbox", reasons=("path_heavy",)))
    result = admitted(here, entry("m_n", status="inbox"))
    assert (result.outcome, result.entry_id) == ("absorbed", "m_w")
    assert len(result.memory.entries) == 1


def test_a_likely_contradiction_is_flagged_and_both_entries_kept() -> None:
    known = entry("m_old", "The build is pinned to Node 20.")
    result = admitted(memory(known), entry("m_n", "The build is pinned to Node 22."))
    assert result.reason_codes == ("may_contradict",)
    assert result.details["contradicts"] == ("m_old",)
    assert [e.status for e in result.memory.entries] == ["active", "active"]


def test_a_denial_of_another_type_contradicts_too() -> None:
    known = entry("m_old", "Tests run with Vitest.", type="project")
    result = admitted(memory(known), entry("m_n", "Tests don't run with Vitest.", type="feedback"))
    assert result.details["contradicts"] == ("m_old",)


def test_replace_supersedes_by_reference_and_keeps_the_old_text_readable() -> None:
    known = entry("m_old", "The build is pinned to Node 20.")
    newcomer = entry("m_n", "The build is pinned to Node 22.")
    result = supersede(MemoryEditor(memory(known)), "m_old", newcomer, now=NOW, settings=SETTINGS)
    assert (result.outcome, result.entry_id) == ("superseded", "m_n")
    old, new = by_id(result.memory)["m_old"], by_id(result.memory)["m_n"]
    assert (old.status, old.superseded_by, old.text) == ("superseded", "m_n", known.text)
    assert (new.status, new.supersedes) == ("active", ("m_old",))
    again = supersede(MemoryEditor(result.memory), "m_old", newcomer, now=NOW, settings=SETTINGS)
    assert again.memory.entries == result.memory.entries


@pytest.mark.parametrize(
    ("fields", "target", "code"),
    [
        ({"source": "explicit"}, "m_old", "protected_memory_source"),
        ({"source": "manual"}, "m_old", "protected_memory_source"),
        ({"reinforcement_count": 1}, "m_old", "protected_reinforced_target"),
        ({"pinned": True}, "m_old", "protected_by_user"),
        ({"user_importance": "high"}, "m_old", "protected_by_user"),
        ({}, "m_gone", "memory_ref_target_unavailable"),
        ({"status": "superseded"}, "m_old", "memory_ref_target_unavailable"),
        ({"status": "inbox"}, "m_old", "memory_ref_target_unavailable"),
    ],
)
def test_replace_is_refused_with_a_code(fields: dict[str, Any], target: str, code: str) -> None:
    known = entry("m_old", **fields)
    result = supersede(
        MemoryEditor(memory(known)),
        target,
        entry("m_n", "Use yarn for all installs."),
        now=NOW,
        settings=SETTINGS,
    )
    assert (result.outcome, result.reason_codes) == ("rejected", (code,))
    assert result.memory.entries == (known,)


def test_a_tainted_replacement_waits_and_the_old_entry_stays() -> None:
    newcomer = entry("m_n", "Use yarn for all installs.", tainted=True)
    result = supersede(
        MemoryEditor(memory(entry("m_old"))), "m_old", newcomer, now=NOW, settings=SETTINGS
    )
    assert result.outcome == "inbox"
    assert by_id(result.memory)["m_old"].status == "active"
    assert by_id(result.memory)["m_n"].supersedes == ("m_old",)


def test_replacing_with_a_known_text_points_to_the_known_entry() -> None:
    here = memory(entry("m_old", "Use npm for installs now."), entry("m_b", "Use pnpm."))
    result = supersede(
        MemoryEditor(here), "m_old", entry("m_n", "use pnpm"), now=NOW, settings=SETTINGS
    )
    assert result.entry_id == "m_b"
    assert by_id(result.memory)["m_old"].superseded_by == "m_b"


def test_replacing_a_text_by_itself_is_a_recurrence() -> None:
    result = supersede(
        MemoryEditor(memory(entry("m_old"))), "m_old", entry("m_n"), now=NOW, settings=SETTINGS
    )
    assert (result.outcome, result.entry_id) == ("absorbed", "m_old")


texts = st.sampled_from(
    [
        "Use pnpm.",
        "use PNPM",
        "src/a.ts defines x",
        "x is defined in src/a.ts",
        "Ask first.",
        "The limit is 5.",
        "The limit is 6.",
        "…",
    ]
)
newcomers = st.builds(
    lambda n, text, kind, source, tainted, status, days: entry(
        f"m_{n}",
        text,
        type=kind,
        source=source,
        tainted=tainted,
        status=status,
        created_at=ago(days=days),
    ),
    st.integers(0, 12),
    texts,
    st.sampled_from(["decision", "project"]),
    st.sampled_from(["explicit", "manual", "compaction"]),
    st.booleans(),
    st.sampled_from(["active", "inbox"]),
    st.integers(0, 40),
)


@given(st.lists(newcomers, max_size=12))
@settings(max_examples=200)
def test_any_sequence_keeps_ids_unique_and_every_text_readable(arriving: list[MemoryEntry]) -> None:
    here = memory()
    for newcomer in arriving:
        before = here
        result = admitted(here, newcomer)
        here = result.memory
        ids = [e.id for e in here.entries]
        assert len(ids) == len(set(ids))
        assert {e.id: e.text for e in before.entries}.items() <= {
            e.id: e.text for e in here.entries
        }.items()
        if result.outcome in ("promoted", "absorbed", "superseded", "inbox"):
            assert by_id(here)[result.entry_id].status in ("active", "inbox")
        clean = {e.id for e in before.entries if e.status == "active" and not e.tainted}
        if newcomer.tainted:
            assert all(by_id(here)[i] == by_id(before)[i] for i in clean)
        assert not any(e.tainted and e.status == "active" for e in here.entries)
        assert admitted(here, newcomer).memory.entries == here.entries or (
            result.outcome == "absorbed"
        )
