"""Compactions: proposals, commands and repetitions (EX-2, EX-4, WM-3, WM-6, HS-3)."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from tests.ops.conftest import CENTS, SHIP, Bench, entry, outcomes

OLD = {"created_at": "2026-10-01T09:00:00.000Z", "retention_clock": "2026-10-01T09:00:00.000Z"}


def begin(bench: Bench, *, session: str = "s-1") -> str:
    """Start a session, give it its prompt, and ask for a summary; the snapshot's id."""
    bench.event("session_started", session=session)
    bench.prompt(session)
    return asked(bench, session)


def asked(bench: Bench, session: str = "s-1") -> str:
    text = bench.event("compaction_started", session=session).instructions
    (line,) = [one for one in text.splitlines() if one.startswith("Memory ref snapshot id: ")]
    return line.removeprefix("Memory ref snapshot id: ")


def summary(snapshot: str, *lines: str) -> str:
    head = [f"Memory ref snapshot id: {snapshot}"] if snapshot else []
    return "\n".join(["We worked on the cart.", "", "Memory candidates:", *head, *lines])


def said(bench: Bench, *texts: str) -> None:
    """The model wrote these before any tool showed them, so that they are its own (TR-3)."""
    for text in texts:
        bench.event("assistant_text", text=text)


def finish(bench: Bench, text: str, session: str = "s-1") -> list[tuple[str, tuple[str, ...]]]:
    return outcomes(bench.event("compaction_finished", session=session, summary=text).remembered)


def test_accepted_candidates_are_stored_and_refused_ones_are_evidence(bench: Bench) -> None:
    snapshot = begin(bench)
    said(bench, CENTS)
    done = finish(
        bench,
        summary(snapshot, f"- [project] {CENTS}", "- [project] 12 of 30 tests pass now.", "- oops"),
    )
    assert [outcome for outcome, _ in done] == ["promoted", "rejected"]
    (kept,) = bench.memory().entries
    assert (kept.text, kept.source, kept.origin, kept.confidence) == (
        CENTS,
        "compaction",
        "agent",
        0.75,
    )
    assert [r.reason_codes for r in bench.recorded("candidate_refused")] == [
        ("unsupported_candidate_syntax",)
    ]
    assert [r.details["text"] for r in bench.recorded("candidate_rejected")] == [
        "12 of 30 tests pass now."
    ]


def test_reinforce_counts_the_memory_that_the_list_named(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP, **OLD))
    snapshot = begin(bench)
    assert finish(bench, summary(snapshot, "REINFORCE [M1]")) == [
        ("reinforced", ("elapsed_window",))
    ]
    (kept,) = bench.memory().entries
    assert (kept.reinforcement_count, kept.retention_clock) == (1, "2026-11-21T09:00:04.000Z")
    (record,) = bench.recorded("memory_reinforced")
    assert (record.entry, record.details["reinforcementMode"]) == ("m_1", "increment")


def test_replace_supersedes_by_reference_and_keeps_the_old_text_readable(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP, **OLD))
    snapshot = begin(bench)
    text = "We deploy with `make release` from the main branch."
    said(bench, text)
    assert finish(bench, summary(snapshot, f"REPLACE [M1] [project] {text}")) == [
        ("superseded", ())
    ]
    old, new = bench.memory().entries
    assert (old.id, old.status, old.superseded_by) == ("m_1", "superseded", new.id)
    assert (new.text, new.status, new.supersedes) == (text, "active", ("m_1",))
    assert bench.call("show_entry", id="m_1").entry.text == SHIP


def test_a_replacement_inherits_pin_and_importance(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP, **OLD))
    bench.remember(CENTS)
    begin(bench)
    numbered = bench.event("compaction_started", session="s-1").instructions
    (line,) = [one for one in numbered.splitlines() if SHIP in one]
    snapshot, ref = asked(bench), line[line.index("M") : line.index("]")]
    text = "We deploy with `make release` from the main branch."
    said(bench, text)
    built = 0

    def called(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal built
        built += event == "call" and frame.f_code.co_qualname == "Ledger.__init__"

    sys.setprofile(called)
    try:
        done = finish(bench, summary(snapshot, f"REPLACE [{ref}] [project] {text}"))
    finally:
        sys.setprofile(None)
    assert (done, built) == ([("superseded", ())], 0)
    statuses = {e.text: e.status for e in bench.memory().entries}
    assert (statuses[SHIP], statuses[text]) == ("superseded", "active")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("REINFORCE [M7]", "invalid_memory_ref"),
        (f"REPLACE [M7] [project] {CENTS}", "invalid_memory_ref"),
        (f"REPLACE [M1] [project] {CENTS}", "protected_memory_source"),
        ("REPLACE [M1] [project] 12 of 30 tests pass now.", "progress_snapshot"),
    ],
)
def test_a_wrong_command_is_refused_with_its_code(bench: Bench, command: str, code: str) -> None:
    bench.write_memory(entry("m_1", SHIP, source="explicit"))
    snapshot = begin(bench)
    ((outcome, codes),) = finish(bench, summary(snapshot, command))
    assert (outcome, code in codes) == ("rejected", True)
    assert [e.text for e in bench.memory().entries] == [SHIP]


@pytest.mark.parametrize(
    ("snapshot", "code"),
    [("", "missing_compaction_snapshot_id"), ("c_0000", "compaction_snapshot_mismatch")],
)
def test_a_command_without_this_lists_id_is_refused(bench: Bench, snapshot: str, code: str) -> None:
    bench.write_memory(entry("m_1", SHIP, **OLD))
    begin(bench)
    assert finish(bench, summary(snapshot, "REINFORCE [M1]")) == [("rejected", (code,))]


def test_an_older_list_is_stale(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP, **OLD))
    stale = begin(bench)
    asked(bench)
    assert finish(bench, summary(stale, "REINFORCE [M1]")) == [
        ("rejected", ("compaction_snapshot_mismatch",))
    ]


def test_a_memory_changed_or_deleted_since_the_snapshot_is_not_changed(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP, **OLD), entry("m_22222", CENTS, **OLD))
    snapshot = begin(bench)
    refs = {ref.id: ref.ref for ref in bench.compaction().refs}
    bench.call("edit_entry", id="m_1", text="We deploy with `make release` from main.")
    bench.call("forget_entry", id="m_22222")
    done = finish(
        bench, summary(snapshot, f"REINFORCE [{refs['m_1']}]", f"REINFORCE [{refs['m_22222']}]")
    )
    assert done == [
        ("rejected", ("memory_ref_target_changed",)),
        ("rejected", ("memory_ref_target_unavailable",)),
    ]


def test_a_summary_delivered_twice_counts_once(bench: Bench) -> None:
    snapshot = begin(bench)
    text = summary(snapshot, f"- [project] {CENTS}")
    finish(bench, text)
    bench.event("user_prompt", text="Remember that we deploy with `make ship` on Mondays.")
    before = bench.state()
    assert finish(bench, text) == []
    assert bench.state().pending_memories == before.pending_memories != ()
    assert bench.compaction().count == 1


def test_an_echo_of_the_prompt_adds_nothing(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP, **OLD))
    snapshot = begin(bench)
    bench.call("edit_entry", id="m_1", text="We deploy with `make release` from main.")
    assert finish(bench, summary(snapshot, f"- [project] {SHIP}")) == [("rejected", ("echo",))]


def test_a_forgotten_text_is_not_learned_again(bench: Bench) -> None:
    kept = bench.remember(CENTS)
    bench.call("forget_entry", id=kept.id)
    snapshot = begin(bench)
    assert finish(bench, summary(snapshot, f"- [project] {CENTS}")) == [
        ("rejected", ("forgotten",))
    ]


def test_a_compaction_ends_the_epoch_and_the_next_one_names_the_reason(bench: Bench) -> None:
    snapshot = begin(bench)
    said(bench, CENTS)
    finish(bench, summary(snapshot, f"- [project] {CENTS}"))
    after = bench.prompt()
    assert (after.number, CENTS in after.blocks[0].text) == (2, True)
    made = bench.epoch(after.epoch)
    assert made is not None
    assert made.reason == "compaction"


def test_an_epoch_opened_before_the_summary_stays_open(bench: Bench) -> None:
    """The order of Claude Code: PreCompact, SessionStart, PostCompact."""
    snapshot = begin(bench)
    bench.event("session_started", source="compact")
    opened = bench.prompt()
    finish(bench, summary(snapshot, f"- [project] {CENTS}"))
    after = bench.prompt()
    assert (after.opened, after.epoch) == (False, opened.epoch)
    made = bench.epoch(opened.epoch)
    assert made is not None
    assert made.reason == "compaction"


def test_decisions_that_the_session_stated_are_candidates(bench: Bench) -> None:
    snapshot = begin(bench)
    bench.event(
        "assistant_text", text="We decided to run the job queue on Postgres instead of Redis."
    )
    assert len(bench.state().recent_decisions) == 1
    done = finish(bench, summary(snapshot, "none"))
    assert [outcome for outcome, _ in done] == ["promoted"]
    assert [e.type for e in bench.memory().entries] == ["decision"]
    assert bench.state().recent_decisions == ()


def test_a_line_that_the_user_said_and_that_lasts_is_judged_by_the_rules_only(bench: Bench) -> None:
    text = "Our CDN is BunnyNet."
    bench.call("learning", mode="off")
    snapshot = begin(bench)
    said(bench, text)
    line = summary(snapshot, f"- [project] {text}")
    assert finish(bench, line) == [("rejected", ("temporary_status",))]
    bench.event("user_prompt", text=text)
    line = summary(asked(bench), f"- [project] {text}")
    assert [outcome for outcome, _ in finish(bench, line)] == ["promoted"]


def test_the_old_form_is_read_with_a_note(bench: Bench) -> None:
    begin(bench)
    said(bench, CENTS)
    old = f"<workspace_memory_candidates>\n- [project] {CENTS}\n</workspace_memory_candidates>"
    assert finish(bench, f"Done.\n\n{old}\n") == [("promoted", ())]
    assert len(bench.recorded("candidates_deprecated")) == 1


def test_a_very_long_candidate_fails_neither_the_compaction_nor_the_log(bench: Bench) -> None:
    snapshot = begin(bench)
    said(bench, CENTS)
    long = "The loading bay opens at dawn. " * 20_000
    done = finish(bench, summary(snapshot, f"- [project] {long}", f"- [project] {CENTS}"))
    assert [outcome for outcome, _ in done] == ["rejected", "promoted"]
    (record,) = bench.recorded("candidate_rejected")
    assert "too_long" in record.reason_codes
    assert record.details["text"] == long[:4000] + "…"


def test_a_flood_of_lines_is_refused_with_at_most_a_hundred_records(bench: Bench) -> None:
    snapshot = begin(bench)
    finish(bench, summary(snapshot, *(f"- [oops] number {n}" for n in range(3000))))
    assert len(bench.recorded("candidate_refused")) == 100
    snapshot = asked(bench)
    finish(bench, summary(snapshot, *("talk" for _ in range(3000)), "- [project] x"))
    assert len(bench.recorded("candidate_refused")) == 200
