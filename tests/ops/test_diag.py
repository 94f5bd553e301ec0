"""EV-3: each diagnosis on a memory of which the answer is known."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from msgspec.structs import replace

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench, entry
from wm.errors import NotFound, UserError
from wm.formats.tombstones import TrashedEntry
from wm.models.embed import EMBEDDED
from wm.models.worker import EmbedWorker
from wm.ops.search.model_choice import chosen
from wm.store.base import Ref

PROGRESS = "All 40 tests pass now."


def compacted(bench: Bench, *lines: str, session: str = "s-1") -> None:
    bench.event("session_started", session)
    bench.event("compaction_started", session)
    snapshot = bench.compaction(session).snapshot_id
    bench.event(
        "compaction_finished",
        session,
        summary="\n".join(
            ("Memory candidates:", f"Memory ref snapshot id: {snapshot}", *lines, "")
        ),
    )


# --- status -----------------------------------------------------------------------------------


def test_the_status_of_an_empty_workspace_is_ok(bench: Bench) -> None:
    answer = bench.call("diag_status")
    assert (answer.verdict, answer.evidence, answer.remarks) == ("ok", 0, ())
    assert set(answer.counts.values()) == {0}


def test_the_status_counts_entries_and_names_points_to_check(bench: Bench) -> None:
    bench.remember(SHIP)
    bench.remember("hm")
    bench.call("forget_entry", id=bench.remember(CENTS).id)
    bench.prompt()
    answer = bench.call("diag_status")
    assert answer.verdict == "ok"
    assert {k: v for k, v in answer.counts.items() if v} == {
        "active": 1,
        "inbox": 1,
        "shown": 1,
        "trash": 1,
        "stones": 1,
        "sessions": 1,
    }
    assert (answer.rejected, [r.code for r in answer.remarks]) == (1, ["inbox"])
    assert answer.last_kept_at < answer.last_prompt_at
    assert [h.record.type for h in answer.newest][:2] == ["epoch_opened", "memory_trashed"]


def test_refusals_older_than_a_week_are_not_counted(bench: Bench) -> None:
    bench.remember("hm")
    bench.later(days=8)
    assert bench.call("diag_status").rejected == 0


def test_deleted_memory_files_are_not_reported_as_an_empty_memory(files: Bench) -> None:
    files.remember(SHIP)
    files.remember(CENTS)
    folder = files.settings.paths.home / "workspaces" / files.key
    for file in folder.glob("*workspace-memory.json*"):
        if not file.name.endswith(".lock"):
            file.unlink()
    files = files.reopen()
    status = files.call("diag_status")
    assert (status.verdict, status.counts["active"]) == ("warning", 0)
    assert [(r.code, r.sentence, r.fix) for r in status.remarks] == [
        ("disappeared", "Entries that disappeared without a record: 2.", "wm diag disappearances")
    ]


def test_an_unwritable_memory_makes_the_status_degraded(files: Bench) -> None:
    files.remember(SHIP)
    folder = files.settings.paths.home / "workspaces" / files.key
    for file in folder.iterdir():
        if "workspace-memory.json" in file.name and not file.name.endswith(".lock"):
            file.write_bytes(b'{"version": 99, "generation": 9}')
    files = files.reopen()
    status = files.call("diag_status")
    assert (status.verdict, status.remarks[0].code) == ("degraded", "too_new")
    health = files.call("diag_health")
    assert (health.sound, health.documents[0].health) == (False, "too_new")


# --- rejected and commands --------------------------------------------------------------------


def test_refused_texts_are_listed_with_their_rule(bench: Bench) -> None:
    compacted(bench, f"- [project] {PROGRESS}", "- no type at all")
    bench.remember("hm")
    answer = bench.call("diag_rejected")
    assert answer.rows[0].text == "hm"
    assert answer.by_reason["too_short"] == 1
    assert answer.by_reason["progress_snapshot"] == 1
    only = bench.call("diag_rejected", reason="progress_snapshot")
    assert [(row.text, row.soft) for row in only.rows] == [(PROGRESS, False)]
    assert bench.call("diag_rejected", limit=1).total == answer.total
    assert len(bench.call("diag_rejected", limit=1).rows) == 1


def test_texts_rejected_by_a_person_are_not_listed_as_refused(bench: Bench) -> None:
    waiting = bench.remember("hm")
    bench.call("reject_entry", id=waiting.id)
    assert [row.type for row in bench.call("diag_rejected").rows] == ["memory_inbox"]


def test_a_time_is_a_span_or_a_day(bench: Bench) -> None:
    bench.remember("hm")
    bench.later(days=3)
    assert bench.call("diag_rejected", since="4d").total == 1
    assert bench.call("diag_rejected", since="2d").total == 0
    assert bench.call("diag_rejected", since="2026-11-21").total == 1
    assert bench.call("diag_rejected", since="2026-11-23").total == 0
    with pytest.raises(UserError, match="'soon' is not a time"):
        bench.call("diag_rejected", since="soon")


def test_words_of_the_user_are_not_read_as_commands_of_a_compaction(bench: Bench) -> None:
    bench.remember("The staging database listens on port 5433.")
    bench.remember("The staging database moved to port 5500.")
    assert bench.texts() == ["The staging database moved to port 5500."]
    assert bench.call("diag_commands").rows == ()


def test_commands_of_compactions_are_listed_as_applied_or_refused(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", SHIP), entry("m_said0001", CENTS, source="explicit"))
    compacted(
        bench, "REINFORCE [M9]", f"REPLACE [M2] [project] {QUEUE}", "REPLACE [M1] [project] x"
    )
    answer = bench.call("diag_commands")
    commands = {(row.action, row.obeyed, row.reason_codes) for row in answer.rows}
    assert ("reinforce", False, ("invalid_memory_ref",)) in commands
    assert {row.action for row in answer.rows} <= {"reinforce", "replace", "unreadable"}
    assert answer.total == len(answer.rows)
    assert answer.obeyed == sum(row.obeyed for row in answer.rows)
    for row in bench.call("diag_commands", entry="m_old00001").rows:
        assert "m_old00001" in (row.entry, row.replaces)


# --- missing, explain, quality ----------------------------------------------------------------


def test_omitted_entries_have_a_position_and_a_reason(bench: Bench) -> None:
    rules = [
        entry(f"m_{n:08}", f"Rule {n}: dock {n} opens before dock {n + 40}.") for n in range(30)
    ]
    bench.write_memory(*rules)
    bench.remember("hm")
    answer = bench.call("diag_missing")
    assert answer.shown == 28
    assert [(row.rank, row.reason) for row in answer.rows] == [
        (29, "entry_cap"),
        (30, "entry_cap"),
        (0, "inbox"),
    ]
    assert answer.by_reason == {"entry_cap": 2, "inbox": 1}


def test_the_strength_of_an_entry_is_explained_by_its_factors(bench: Bench) -> None:
    bench.remember(CENTS)
    bench.later(days=45)
    kept = bench.remember(SHIP, type="decision", importance="high")
    bench.prompt()
    answer = bench.call("diag_explain", id=kept.id[:8])
    assert (answer.type_weight, answer.source_weight, answer.importance_weight) == (2.5, 2.0, 1.5)
    assert answer.strength == pytest.approx(7.5, rel=1e-3)
    assert (answer.rank, answer.of, answer.shown, answer.prompts) == (1, 2, True, 1)
    assert answer.admitted is not None
    assert answer.admitted.type == "memory_promoted"
    faded = bench.call("diag_explain", id=bench.memory().entries[0].id)
    days, half_life = faded.effective_age_days, faded.half_life_days
    assert faded.strength == pytest.approx(2.5 * 2 ** (-days / half_life), rel=1e-2)


def test_entries_that_current_rules_refuse_are_named(bench: Bench) -> None:
    bench.write_memory(entry("m_bad00001", PROGRESS), entry("m_good0001", CENTS))
    kept = bench.remember(SHIP)
    answer = bench.call("diag_quality")
    assert (answer.active, answer.sound) == (3, 1)
    codes = {row.entry.id: [r.code for r in row.remarks] for row in answer.rows}
    assert codes == {
        "m_bad00001": ["progress_snapshot", "unanswerable"],
        "m_good0001": ["unanswerable"],
    }
    assert kept.id not in codes


def test_a_contradiction_is_named_while_both_entries_are_active(bench: Bench) -> None:
    old = bench.remember("We use npm for installs.", type="decision")
    new = bench.remember("We never use npm for installs.", type="decision")
    answer = bench.call("diag_quality")
    assert [(row.entry.id, row.remarks[0].code) for row in answer.rows] == [
        (new.id, "may_contradict")
    ]
    bench.call("forget_entry", id=old.id)
    assert bench.call("diag_quality").rows == ()


# --- trace, coverage, disappearances ----------------------------------------------------------


def test_a_session_is_traced_by_its_id_an_event_or_as_the_newest(bench: Bench) -> None:
    compacted(bench, f"- [project] {PROGRESS}", session="s-1")
    bench.later()
    compacted(bench, f"- [project] {CENTS}", session="s-2")
    newest = bench.call("diag_trace")
    assert newest.session_id == "s-2"
    first = bench.call("diag_trace", subject="s-1")
    assert [h.text for h in first.happenings] == [PROGRESS]
    event = first.happenings[0].record.event_id
    assert bench.call("diag_trace", subject=event).session_id == "s-1"
    with pytest.raises(NotFound, match="There is no session 'other' here"):
        bench.call("diag_trace", subject="other")


def test_a_session_with_deleted_files_is_traced_by_its_full_id(bench: Bench) -> None:
    compacted(bench, f"- [project] {PROGRESS}", session="s-1")
    bench.event("session_deleted", "s-1")
    assert bench.call("diag_trace", subject="s-1").happenings[0].text == PROGRESS


def test_without_sessions_nothing_is_traced(bench: Bench) -> None:
    with pytest.raises(NotFound, match="No agent had a session here yet"):
        bench.call("diag_trace")


def test_coverage_counts_entries_with_evidence_and_shown_ones(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", QUEUE))
    kept = bench.remember(SHIP, type="decision")
    bench.prompt()
    new = bench.remember(CENTS, type="decision")
    answer = bench.call("diag_coverage")
    assert [(r.type, r.active, r.answerable, r.shown, r.prompted) for r in answer.rows] == [
        ("decision", 2, 2, 2, 1),
        ("project", 1, 0, 1, 1),
    ]
    assert (answer.unanswerable, answer.never_prompted) == (("m_old00001",), (new.id,))
    assert kept.id not in answer.never_prompted


def how(answer: Any) -> dict[str, str]:
    return {row.entry: row.how for row in answer.from_memory}


def test_every_disappeared_entry_has_a_reason(bench: Bench) -> None:
    forgotten, rejected = bench.remember(SHIP), bench.remember("hm")
    purged, lost = bench.remember(CENTS), bench.remember(QUEUE)
    back = bench.remember("Docks are numbered from the pier, starting with one.")
    bench.call("forget_entry", id=forgotten.id)
    bench.call("reject_entry", id=rejected.id)
    for gone in (purged, back):
        bench.call("forget_entry", id=gone.id)
    bench.call("restore_entry", id=back.id)
    ref = Ref(TrashedEntry, bench.key, purged.id)
    with bench.store.transaction([ref]) as transaction:
        transaction.delete(ref)
    bench.write_memory(*(e for e in bench.memory().entries if e.id != lost.id))
    answer = bench.call("diag_disappearances")
    assert how(answer) == {
        forgotten.id: "forgotten",
        rejected.id: "rejected",
        purged.id: "purged",
        lost.id: "unexplained",
    }
    assert (answer.unexplained, answer.from_memory[0].entry) == (1, lost.id)
    assert answer.from_memory[0].text == QUEUE


def test_an_omitted_entry_names_the_limit(bench: Bench) -> None:
    weak = bench.remember(SHIP, type="project", importance="low")
    bench.prompt()
    bench.write_memory(
        *bench.memory().entries,
        *(
            entry(
                f"m_{n:08}",
                f"Rule {n}: dock {n} opens before {n + 40}.",
                source="explicit",
                user_importance="high",
            )
            for n in range(28)
        ),
    )
    answer = bench.call("diag_disappearances")
    assert [(row.entry, row.how) for row in answer.from_prompts] == [(weak.id, "hidden")]


# --- health and audit -------------------------------------------------------------------------


def test_intact_files_are_reported_as_ok(files: Bench) -> None:
    files.remember(SHIP)
    answer = files.call("diag_health")
    assert (answer.sound, answer.records, answer.damaged) == (True, 1, 0)
    assert answer.documents[0].health == "ok"


def test_a_damaged_record_of_the_evidence_is_counted(files: Bench) -> None:
    files.remember(SHIP)
    files.remember(CENTS)
    log = files.settings.paths.home / "workspaces" / files.key / "evidence" / "1.jsonl"
    raw = bytearray(log.read_bytes())
    raw[20] ^= 1
    log.write_bytes(raw)
    answer = files.call("diag_health")
    assert (answer.sound, answer.records, answer.damaged) == (False, 1, 1)
    assert files.call("diag_status").verdict == "warning"


def test_memory_and_evidence_agree_after_every_kind_of_act(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.call("edit_entry", id=kept.id, text=CENTS)
    bench.call("accept_entry", id=bench.remember("hm").id)
    bench.call("forget_entry", id=bench.remember(QUEUE).id)
    bench.call("undo")
    compacted(bench, "- [project] The harbour API answers on port 8040.")
    answer = bench.call("diag_audit")
    assert (answer.sound, [r.code for r in answer.remarks]) == (True, [])


def test_differences_between_memory_and_evidence_are_reported(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    lost = bench.remember(QUEUE)
    other = bench.memory().entries[0].model_copy(update={"text": CENTS})
    bench.write_memory(
        other,
        entry("m_taint001", "The harbour opens at six.", tainted=True),
        entry("m_old00001", "The harbour opens at five.", status="superseded"),
    )
    answer = bench.call("diag_audit")
    assert not answer.sound
    assert sorted((r.code, r.entry) for r in answer.remarks) == [
        ("dangling", "m_old00001"),
        ("disappeared", lost.id),
        ("tainted_active", "m_taint001"),
        ("text_differs", kept.id),
        ("unanswerable", "m_taint001"),
    ]
    said = next(r.sentence for r in answer.remarks if r.code == "dangling")
    assert said == "The entry that replaced it (no id) does not exist any more."


# --- alike ------------------------------------------------------------------------------------


def test_similar_entries_are_listed_and_nothing_changes(bench: Bench) -> None:
    first = bench.remember("Log files are kept by the collector.")
    bench.later()
    second = bench.remember("The collector keeps the log files.")
    bench.later()
    bench.remember("Prices are stored in cents.")
    before = bench.memory()
    answer = bench.call("diag_alike")
    assert [(p.entry.id, p.other.id, p.code) for p in answer.pairs] == [
        (second.id, first.id, "may_be_same")
    ]
    assert (answer.compared, answer.problem) == (3, "")
    assert bench.memory() == before


def test_without_a_model_nothing_is_compared_and_that_is_reported(bench: Bench) -> None:
    recall = replace(bench.settings.recall, model="none")
    bench.settings = replace(bench.settings, recall=recall)
    bench.__post_init__()
    bench.remember("The collector keeps the log files.")
    answer = bench.call("diag_alike")
    assert (answer.pairs, answer.compared) == ((), 0)
    assert answer.problem == "no model is in use"


def test_the_wait_for_vectors_is_bounded(bench: Bench) -> None:
    recall = replace(bench.settings.recall, hint_wait_s=0.25)
    bench.settings = replace(bench.settings, recall=recall)
    bench.__post_init__()

    def working() -> None:
        threading.Event().wait(0.015)

    slow = EmbedWorker(EMBEDDED, recall, rest=working)
    slow.query("It is opened before.", 60.0)
    model = chosen(bench.runtime)
    bench.runtime.caches.models.get("embed", (model.location, model.at), lambda: slow)
    bench.write_memory(*(entry(f"m_{n:08}", f"Berth {n} takes {n} tons.") for n in range(200)))
    answer = bench.call("diag_alike")
    assert answer.problem == "the embedding model did not answer in time"
