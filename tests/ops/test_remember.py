"""Explicit requests to remember (WM-1, WM-6, EX-3, EX-5)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.conftest import CENTS, SHIP, Bench, entry
from wm.errors import NotFound, UserError


def test_an_accepted_text_is_active_before_the_answer(bench: Bench) -> None:
    answer = bench.call("remember", text=SHIP, session="s-1")
    kept = answer.entry
    assert (answer.outcome, answer.reason_codes) == ("promoted", ())
    assert answer.message == f"Remembered as {kept.id} ({kept.type})."
    assert bench.memory().entries == (kept,)
    assert (kept.source, kept.origin, kept.confidence, kept.status, kept.scope) == (
        "explicit",
        "user",
        1.0,
        "active",
        "workspace",
    )
    assert kept.created_at == kept.retention_clock == "2026-11-21T09:00:01.000Z"


def test_an_entry_names_the_evidence_of_its_admission(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    (record,) = bench.recorded("memory_promoted")
    assert kept.admitted_by == record.event_id
    assert (record.entry, record.outcome, record.details["text"]) == (kept.id, "promoted", SHIP)


def test_a_refused_text_waits_in_the_inbox_with_its_reasons(bench: Bench) -> None:
    answer = bench.call("remember", text="Should we use Redis or Postgres here?")
    assert (answer.outcome, answer.reason_codes) == ("inbox", ("unresolved_question",))
    (waiting,) = bench.memory().entries
    assert (
        answer.message == f"It waits in the inbox as {waiting.id}, because it is an open question."
    )
    assert (waiting.status, waiting.reasons) == ("inbox", ("unresolved_question",))
    assert [(r.outcome, r.reason_codes) for r in bench.recorded("memory_inbox")] == [
        ("inbox", ("unresolved_question",))
    ]


def test_a_text_refused_twice_waits_once(bench: Bench) -> None:
    first = bench.remember("Should we use Redis or Postgres here?")
    again = bench.remember("Should we use Redis or Postgres here?")
    assert first.id == again.id
    assert len(bench.memory().entries) == 1


@pytest.mark.parametrize("again", [SHIP, "we deploy with `make ship`, from the RELEASE branch"])
def test_the_same_text_again_is_the_same_entry(bench: Bench, again: str) -> None:
    kept = bench.remember(SHIP)
    answer = bench.call("remember", text=again)
    assert (answer.outcome, answer.reason_codes) == ("absorbed", ("min_elapsed_window",))
    assert [e.id for e in bench.memory().entries] == [kept.id]
    assert answer.entry.reinforcement_count == 0
    assert answer.message == f"Known already, as {kept.id}; it is too soon to count as seen again."


def test_a_recurrence_after_a_week_reinforces_with_its_details(bench: Bench) -> None:
    bench.remember(SHIP, session="s-1")
    bench.later(days=7)
    answer = bench.call("remember", text=SHIP, session="s-1")
    assert (answer.outcome, answer.reason_codes) == ("absorbed", ("elapsed_window",))
    assert answer.entry.reinforcement_count == 1
    assert answer.message == f"Known already, as {answer.entry.id}; it counts as seen again."
    (record,) = bench.recorded("memory_absorbed")
    assert record.details["reinforcementMode"] == "increment"
    assert record.details["requiredElapsedMs"] == 7 * 24 * 3600 * 1000
    assert record.details["elapsedMs"] == 7 * 24 * 3600 * 1000 + 1000


def test_a_stronger_source_replaces_the_weaker(bench: Bench) -> None:
    bench.event("assistant_text", text=SHIP)
    old = bench.remember(SHIP, source="compaction", origin="agent", session="s-1")
    answer = bench.call("remember", text=SHIP)
    assert answer.outcome == "superseded"
    by_id = {e.id: e for e in bench.memory().entries}
    assert (by_id[old.id].status, by_id[old.id].superseded_by) == ("superseded", answer.entry.id)
    assert answer.entry.supersedes == (old.id,)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"text": "  \n "}, "There is no text to remember."),
        (
            {"text": "x" * 2001, "source": "manual"},
            "The text has 2001 characters; an entry holds 2000.",
        ),
        (
            {"text": SHIP, "rationale": "y" * 181},
            "The rationale has 181 characters; an entry holds 180.",
        ),
        ({"text": SHIP, "type": "opinion"}, "'opinion' is not a known type."),
        ({"text": SHIP, "source": "rumour"}, "'rumour' is not a known source."),
        ({"text": SHIP, "origin": "web"}, "'web' is not a known origin."),
        ({"text": SHIP, "importance": "huge"}, "'huge' is not a known importance."),
        (
            {"text": SHIP, "branch_only": True},
            "No branch is checked out here, so the entry cannot be bound to one.",
        ),
        ({"text": SHIP, "directory": ""}, "The request names no workspace."),
    ],
)
def test_a_text_that_cannot_be_stored_is_reported_and_leaves_nothing(
    bench: Bench, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError) as refused:
        bench.call("remember", **fields)
    assert refused.value.message == message
    assert refused.value.fix
    assert bench.memory().entries == ()
    assert bench.recorded() == []


def test_a_missing_folder_is_named(bench: Bench) -> None:
    gone = str(bench.project / "gone")
    with pytest.raises(NotFound, match=f"There is no folder {gone}."):
        bench.call("remember", text=SHIP, directory=gone)


def test_a_too_long_session_request_waits_completely(bench: Bench) -> None:
    long = "We never " + "really " * 300 + "deploy on Fridays."
    kept = bench.remember(long)
    assert (kept.status, kept.reasons, kept.text) == ("inbox", ("too_long",), long)


def test_text_from_a_tool_waits_in_the_inbox(bench: Bench) -> None:
    answer = bench.call("remember", text=SHIP, origin="tool")
    assert (answer.outcome, answer.reason_codes) == ("inbox", ("tainted",))
    assert (
        answer.message
        == "It waits in the inbox, because it rests on text from tools, files or the web."
    )
    assert bench.texts() == []


def test_a_possible_contradiction_is_flagged(bench: Bench) -> None:
    old = bench.remember("Prices are stored in cents in the database.", type="decision")
    answer = bench.call(
        "remember", text="Prices are not stored in cents in the database.", type="decision"
    )
    assert answer.reason_codes == ("may_contradict",)
    assert answer.message.endswith(f"It may contradict “{old.text[:-1]}”.")
    assert len(bench.texts()) == 2


def test_an_explicit_request_removes_the_tombstone_of_a_forgotten_text(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.call("forget_entry", id=kept.id)
    assert bench.stones() == [kept.id]
    again = bench.call("remember", text=SHIP)
    assert again.outcome == "promoted"
    assert bench.stones() == []


def test_an_explicit_request_activates_a_waiting_entry(bench: Bench) -> None:
    bench.write_memory(entry("m_1", CENTS, status="inbox", reasons=("too_short",)))
    answer = bench.call("remember", text=CENTS, type="project")
    assert answer.outcome == "promoted"
    assert {e.id: e.status for e in bench.memory().entries} == {
        "m_1": "superseded",
        answer.entry.id: "active",
    }


def test_a_text_too_long_for_the_inbox_is_refused_with_its_length(bench: Bench) -> None:
    waiting = bench.call("remember", text="The bay opens at dawn. " * 2_000)
    assert (waiting.outcome, waiting.entry.text[-5:]) == ("inbox", "dawn.")
    with pytest.raises(UserError, match="has 68999 characters; the inbox takes 50000"):
        bench.call("remember", text="The bay opens at dawn. " * 3_000)


def test_requests_over_the_limit_of_a_message_wait_in_the_inbox_together(bench: Bench) -> None:
    lines = [f"Remember that the door of bay {n} opens at dawn." for n in range(60)]
    answer = bench.event("user_prompt", text="\n".join(lines))
    *kept, rest = bench.memory().entries
    assert [entry.status for entry in kept] == ["active"] * 50
    assert (rest.status, rest.text) == ("inbox", "\n".join(lines[50:]))
    assert rest.reasons == ("too_many_requests",)
    assert answer.notices[-1] == (
        f"It waits in the inbox as {rest.id}, because the message asks for more than one message "
        "may."
    )


def test_a_request_of_any_length_waits_in_the_inbox_completely(bench: Bench) -> None:
    long = "The bay opens at dawn and the gate of the harbour at eight. " * 4_000
    answer = bench.event("user_prompt", text=f"Remember this: {long}")
    [entry] = bench.memory().entries
    assert (entry.status, entry.text) == ("inbox", long.strip())
    assert "too_long" in entry.reasons
    assert answer.notices[0] == answer.remembered[0].message


@pytest.mark.parametrize("fields", [{"session_id": "s" * 501}, {"agent": "a" * 501}])
def test_a_text_in_place_of_an_id_is_refused(bench: Bench, fields: dict[str, str]) -> None:
    fields = {"session_id": "s-1", "agent": "tests", **fields}
    for name, rest in (("record_event", {"event": {"kind": "session_started"}}), ("prompt", {})):
        with pytest.raises(UserError, match="has 501 characters; the limit is 500"):
            bench.call(name, **fields, **rest)


def test_a_person_is_warned_when_an_addition_does_not_fit_the_prompt(bench: Bench) -> None:
    many = [
        entry(f"m_{n:08}", f"Rule {n}: dock {n} opens before dock {n + 40}.", source="manual")
        for n in range(28)
    ]
    bench.write_memory(*many)
    weak = bench.call(
        "remember", text="The lamps of the quay are white.", source="compaction", typed=True
    )
    assert "Prompts do not show it" in weak.message
    strong = bench.call("remember", text=SHIP, typed=True)
    assert "In prompts it takes the place of “Rule " in strong.message


def test_what_a_known_text_does_not_take_is_said(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    given = {"importance": "high", "tags": ("ci",), "branch_only": False}
    again = bench.call("remember", text=SHIP, **given)
    assert (again.outcome, again.entry.user_importance) == ("absorbed", "normal")
    assert (
        f"It stays as it was, without the given importance, tags: `wm edit {kept.id}`"
        in again.message
    )
    assert "It stays" not in bench.call("remember", text=SHIP, type=kept.type).message


def test_an_entry_for_all_projects_belongs_to_no_branch(bench: Bench) -> None:
    with pytest.raises(UserError, match="belongs to no branch"):
        bench.call("remember", text=SHIP, user=True, branch_only=True)
