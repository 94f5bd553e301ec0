"""A rollback reverses what models added since a time; acts of people stay (TR-3)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench
from wm.api.diagnosis import Rollback
from wm.errors import UserError

MIRROR = "Packages are fetched from the mirror in Lisbon."


def learn(bench: Bench, *texts: str, command: str = "", session: str = "s-1") -> None:
    """A session whose model says these, and proposes them when it is compacted."""
    bench.event("session_started", session=session)
    bench.prompt(session)
    for text in texts:
        bench.event("assistant_text", text=text, session=session)
    bench.event("compaction_started", session=session)
    snapshot = bench.compaction(session).snapshot_id
    lines = [f"{command or '-'} [project] {text}" for text in texts]
    summary = "\n".join(["Memory candidates:", f"Memory ref snapshot id: {snapshot}", *lines])
    bench.event("compaction_finished", session=session, summary=summary)


def plan(bench: Bench, since: str = "1h") -> Rollback:
    found: Rollback = bench.call("plan_rollback", since=since)
    return found


def run(bench: Bench, since: str = "1h") -> Rollback:
    done: Rollback = bench.call("rollback", since=since)
    return done


def comparable(answer: Rollback) -> dict[str, Any]:
    """What plan and run have in common: all but the records of the run and its moment."""
    taken = [done.model_copy(update={"event": ""}) for done in answer.taken]
    normalized = answer.model_copy(update={"applied": False, "taken": tuple(taken), "since": ""})
    return normalized.model_dump()


def test_entries_of_a_compaction_are_trashed_and_acts_of_people_kept(bench: Bench) -> None:
    learn(bench, QUEUE)
    bench.later(hours=3)
    learn(bench, CENTS, session="s-2")
    bench.remember(SHIP)
    done = run(bench)
    assert [(one.act.act, one.act.by, one.becomes) for one in done.taken] == [
        ("learn", "model", "trashed")
    ]
    assert [act.text for act in done.yours] == [SHIP]
    assert sorted(bench.texts()) == sorted([QUEUE, SHIP])
    assert done.taken[0].act.entry in bench.trash()
    (record,) = bench.recorded("memory_rolled_back")
    assert (record.phase, record.details["acts"]) == ("user", 1)


def test_a_replaced_entry_is_active_again(bench: Bench) -> None:
    learn(bench, CENTS)
    bench.later(days=1)
    learn(bench, MIRROR, command="REPLACE [M1]", session="s-2")
    assert bench.texts() == [MIRROR]
    run(bench)
    assert bench.texts() == [CENTS]


def test_the_plan_equals_the_run_and_writes_nothing(bench: Bench) -> None:
    learn(bench, CENTS, QUEUE)
    bench.remember(SHIP)
    before, records = bench.memory(), len(bench.recorded())
    planned = plan(bench)
    assert (bench.memory(), len(bench.recorded())) == (before, records)
    done = run(bench)
    assert comparable(planned) == comparable(done)
    assert (planned.applied, done.applied, len(done.taken)) == (False, True, 2)


def test_an_entry_changed_by_a_person_stays_with_the_reason(bench: Bench) -> None:
    learn(bench, CENTS)
    (kept,) = bench.memory().entries
    bench.call("edit_entry", id=kept.id, text="Prices are stored in tenths of a cent.")
    bench.call("forget_entry", id=kept.id)
    done = run(bench)
    assert done.taken == ()
    assert [act.why_not for act in done.kept] == [f"{kept.id} is in the trash."]
    assert [act.act for act in done.yours] == ["forget", "edit"]


def test_inbox_entries_are_rolled_back_too(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("tool_finished", tool="read", paths=("README.md",), output=MIRROR)
    bench.event("compaction_finished", summary=f"Memory candidates:\n- [project] {MIRROR}\n")
    assert bench.texts("inbox") == [MIRROR]
    run(bench)
    assert bench.memory().entries == ()


def test_a_second_run_finds_nothing_and_rolled_back_texts_are_not_learned(bench: Bench) -> None:
    learn(bench, CENTS)
    assert len(run(bench).taken) == 1
    assert run(bench).taken == ()
    learn(bench, CENTS, session="s-2")
    assert bench.texts() == []


@pytest.mark.parametrize(
    ("since", "message"),
    [
        ("soon", "'soon' is not a time."),
        ("2027-01-01", "2027-01-01T00:00:00.000Z is in the future."),
    ],
)
def test_an_invalid_or_future_time_is_refused(bench: Bench, since: str, message: str) -> None:
    for name in ("plan_rollback", "rollback"):
        with pytest.raises(UserError, match=message.partition(".")[0]):
            bench.call(name, since=since)
