"""WM-7: every act of a person can be undone and redone, or a reason is given."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench, entry
from wm.errors import NotFound, UserError
from wm.formats.workspace_memory import MemoryEntry


def seen(bench: Bench) -> list[tuple[str, ...]]:
    """What of the memory an act may change: entries with their fields, and tombstones. What is
    taken back may lie in the trash, from where doing it again takes it."""
    rows = [
        (
            e.id,
            e.text,
            e.status,
            e.source,
            e.user_importance,
            str(e.pinned),
            e.superseded_by,
            *e.reasons,
        )
        for e in bench.memory().entries
    ]
    return [*sorted(rows), ("stones", str(len(bench.stones())))]


def one(bench: Bench) -> MemoryEntry:
    return bench.memory().entries[0]


def remembered(bench: Bench) -> None:
    bench.remember(SHIP)


def proposed(bench: Bench) -> None:
    bench.write_memory(entry("m_prop0001", SHIP, type="decision"))


ACTS: dict[str, Callable[[Bench], object]] = {
    "remember": lambda b: b.remember(QUEUE),
    "remember, to the inbox": lambda b: b.remember("hm"),
    "remember what was forgotten": lambda b: b.remember(SHIP),
    "forget": lambda b: b.call("forget_entry", id=one(b).id, reason="wrong"),
    "restore": lambda b: b.call("restore_entry", id=b.trash()[0]),
    "edit": lambda b: b.call("edit_entry", id=one(b).id, text=CENTS, rationale="It says so."),
    "edit, refused by the gate": lambda b: b.call("edit_entry", id=one(b).id, text="hm"),
    "pin": lambda b: b.call("edit_entry", id=one(b).id, pinned=True),
    "importance": lambda b: b.call("edit_entry", id=one(b).id, importance="high"),
    "accept": lambda b: b.call("accept_entry", id=one(b).id),
    "reject": lambda b: b.call("reject_entry", id=one(b).id),
    "take over a proposal": lambda b: b.remember(SHIP, type="decision"),
}

BEFORE: dict[str, Callable[[Bench], object]] = {
    "remember what was forgotten": lambda b: (b.remember(SHIP), ACTS["forget"](b)),
    "restore": lambda b: (b.remember(SHIP), ACTS["forget"](b)),
    "accept": lambda b: b.remember("hm"),
    "reject": lambda b: b.remember("hm"),
    "take over a proposal": proposed,
}


@pytest.mark.parametrize("act", sorted(ACTS))
def test_an_act_can_be_undone_redone_and_undone(bench: Bench, act: str) -> None:
    BEFORE.get(act, remembered)(bench)
    before = seen(bench)
    ACTS[act](bench)
    after = seen(bench)
    assert after != before
    undone = bench.call("undo")
    assert undone.applied
    assert seen(bench) == before
    redone = bench.call("undo", act=undone.event)
    assert seen(bench) == after
    bench.call("undo", act=redone.event)
    assert seen(bench) == before


def test_repeated_undo_goes_further_back_until_nothing_is_left(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.call("edit_entry", id=kept.id, pinned=True)
    bench.call("edit_entry", id=kept.id, text=CENTS)
    assert bench.call("undo").act.act == "edit"
    assert (one(bench).text, one(bench).pinned) == (SHIP, True)
    assert bench.call("undo").act.act == "pin"
    assert (one(bench).text, one(bench).pinned) == (SHIP, False)
    assert bench.call("undo").act.act == "remember"
    assert bench.texts() == []
    with pytest.raises(NotFound, match="is left to undo"):
        bench.call("undo")


PORTS = [f"The server listens on port 400{n}" for n in (1, 2, 3)]


@pytest.mark.parametrize("again", ["by event", "by entry"])
def test_a_redone_change_replaces_what_is_in_force_by_now(bench: Bench, again: str) -> None:
    first, _second, third = map(bench.remember, PORTS)
    undone = bench.call("undo")
    bench.call("undo")
    assert bench.texts() == [PORTS[0]]
    if again == "by event":
        done = bench.call("undo", act=undone.event)
    else:
        done = bench.call("restore_entry", id=third.id)
    assert bench.texts() == [PORTS[2]]
    assert f"it replaces {first.id}" in done.message
    bench.call("undo")
    assert bench.texts() == [PORTS[0]]


@pytest.mark.parametrize("verb", ["undo", "restore_entry"])
def test_what_was_said_since_is_named_when_an_entry_returns(bench: Bench, verb: str) -> None:
    old = bench.remember(PORTS[0])
    bench.call("forget_entry", id=old.id)
    new = bench.remember(PORTS[1]).text.removesuffix(".")
    named = {"act": old.id} if verb == "undo" else {"id": old.id}
    said = bench.call(verb, **named).message
    assert said.endswith(f". It may contradict “{new}”, which is newer.")
    assert set(bench.texts()) == {PORTS[0], PORTS[1]}


def test_a_replacement_names_the_command_that_takes_just_it_back(bench: Bench) -> None:
    bench.remember(PORTS[0])
    said = bench.call("remember", text=PORTS[1])
    bench.remember(SHIP)
    assert f"`wm undo {said.entry.id}` restores it." in said.message
    bench.call("undo", act=said.entry.id)
    assert set(bench.texts()) == {PORTS[0], SHIP}


def test_a_redone_change_replaces_a_later_one(bench: Bench) -> None:
    bench.remember(PORTS[0])
    bench.remember(PORTS[1])
    undone = bench.call("undo")
    bench.remember(PORTS[2])
    redone = bench.call("undo", act=undone.event)
    assert bench.texts() == [PORTS[1]]
    bench.call("undo", act=redone.event)
    assert bench.texts() == [PORTS[2]]


def test_a_redone_change_that_was_replaced_since_is_not_taken_back(bench: Bench) -> None:
    bench.remember(PORTS[0])
    bench.remember(PORTS[1])
    redone = bench.call("undo", act=bench.call("undo").event)
    bench.remember(PORTS[2])
    with pytest.raises(UserError, match="was replaced by"):
        bench.call("undo", act=redone.event)
    assert bench.texts() == [PORTS[2]]


def test_undoing_an_edit_restores_the_models_text_and_source(bench: Bench) -> None:
    bench.write_memory(entry("m_prop0001", SHIP))
    before = one(bench)
    bench.call("edit_entry", id="m_prop0001", text=CENTS)
    assert (one(bench).source, one(bench).confidence) == ("manual", 0.9)
    bench.call("undo")
    after = one(bench)
    assert (after.text, after.source, after.confidence) == (SHIP, "compaction", 1.0)
    assert after.retention_clock == before.updated_at


def test_an_act_is_named_by_its_entry_or_its_event(bench: Bench) -> None:
    first, second = bench.remember(SHIP), bench.remember(CENTS)
    bench.call("undo", act=first.id[:8])
    assert bench.texts() == [CENTS]
    event = bench.recorded("memory_promoted")[1].event_id
    bench.call("undo", act=event[:12])
    assert bench.texts() == []
    assert set(bench.trash()) == {first.id, second.id}


def test_a_text_with_an_undone_remember_can_be_learned_again(bench: Bench) -> None:
    bench.remember(SHIP)
    bench.call("undo")
    assert bench.stones() == []
    bench.call("restore_entry", id=bench.trash()[0])
    assert bench.texts() == [SHIP]


def test_a_text_restored_by_undo_can_be_learned_again(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.call("forget_entry", id=kept.id)
    assert bench.stones() == [kept.id]
    bench.call("undo")
    assert bench.stones() == []


def test_a_plan_writes_nothing(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    before, records = seen(bench), len(bench.recorded())
    plan = bench.call("plan_undo")
    assert not plan.applied
    assert plan.message == f"Would undo the remember: {kept.id} moves to the trash."
    assert (seen(bench), len(bench.recorded())) == (before, records)


def test_undoing_an_accepted_replacement_reactivates_the_old_text(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    waiting = bench.call("edit_entry", id=kept.id, text="hm").entry
    bench.call("accept_entry", id=waiting.id)
    assert bench.texts() == ["hm"]
    undone = bench.call("undo")
    assert bench.texts() == [SHIP]
    assert bench.texts("inbox") == ["hm"]
    assert undone.message.endswith(f"and {kept.id} is active again.")


def test_undoing_an_accept_leaves_no_date_of_a_change(bench: Bench) -> None:
    bench.remember("The API port is 8080.")
    bench.call("learning", mode="inbox")
    bench.event("user_prompt", text="The API port is 9090 now.")
    waiting = bench.memory().entries[-1]
    bench.call("accept_entry", id=waiting.id)
    assert [e.status for e in bench.memory().entries] == ["superseded", "active"]
    bench.call("undo")
    assert [(e.status, e.since) for e in bench.memory().entries] == [("active", ""), ("inbox", "")]


def refusal(bench: Bench, **named: str) -> str:
    before = seen(bench)
    with pytest.raises((UserError, NotFound)) as refused:
        bench.call("undo", **named)
    assert seen(bench) == before
    return refused.value.message


def test_an_impossible_undo_names_the_reason(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.call("edit_entry", id=kept.id, text=CENTS)
    edited = bench.recorded("memory_edited")[0].event_id
    bench.call("edit_entry", id=kept.id, text=QUEUE)
    assert refusal(bench, act=edited) == f"The text of {kept.id} was changed again later."
    bench.call("forget_entry", id=kept.id)
    assert refusal(bench, act=edited) == f"{kept.id} is in the trash."
    undone = bench.call("undo").event
    gone = bench.recorded("memory_trashed")[0].event_id
    assert refusal(bench, act=gone) == f"{gone} was already undone by {undone}."
    assert refusal(bench, act="e_nothing") == f"There is no act 'e_nothing' in {bench.project}."


def test_an_entry_in_the_trash_cannot_be_accepted_again(bench: Bench) -> None:
    waiting = bench.remember("hm")
    bench.call("accept_entry", id=waiting.id)
    returned = bench.call("undo").event
    bench.call("reject_entry", id=waiting.id)
    assert refusal(bench, act=returned) == f"{waiting.id} is in the trash."


def test_a_reinforcement_cannot_be_undone(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.later(days=8)
    bench.remember(SHIP)
    assert refusal(bench) == (
        f"{kept.id} already stated this; the recurrence only makes it fade more slowly."
    )


def test_acts_of_a_compaction_or_agent_are_not_undone_by_default(bench: Bench) -> None:
    bench.event("assistant_text", text=f"{SHIP} {CENTS}")
    bench.remember(SHIP, source="compaction", origin="agent", session="s-1")
    bench.remember(CENTS, source="manual", origin="agent", session="s-1")
    assert "is left to undo" in refusal(bench)
    learned, asked = (r.event_id for r in bench.recorded("memory_promoted"))
    assert refusal(bench, act=learned) == f"{learned} is not your own act: a compaction did it."
    assert refusal(bench, act=asked) == f"{asked} is not your own act: an agent asked for it."
    assert bench.call("undo", act=learned, anyone=True).applied
    assert bench.texts() == [CENTS]


def test_a_replacement_by_a_compaction_is_reverted(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", SHIP))
    bench.event("session_started")
    bench.event("assistant_text", text=CENTS)
    bench.event("compaction_started")
    bench.event(
        "compaction_finished",
        summary="Memory candidates:\n"
        f"Memory ref snapshot id: {bench.compaction().snapshot_id}\n"
        f"REPLACE [M1] [project] {CENTS}\n",
    )
    assert bench.texts() == [CENTS]
    replaced = bench.recorded("memory_superseded")[0].event_id
    bench.call("undo", act=replaced, anyone=True)
    assert bench.texts() == [SHIP]


def test_the_list_quotes_the_entry_and_not_what_recurred(bench: Bench) -> None:
    entry = bench.remember("Use ruff instead of flake8 here.", type="feedback")
    bench.call("edit_entry", id=entry.id, pinned=True)
    bench.event("user_prompt", text="Remember: use ruff instead of flake8 here!")
    bench.call("edit_entry", id=entry.id, pinned=False)
    (recurrence,) = bench.recorded("memory_absorbed")
    assert recurrence.entry == entry.id
    pins = [act for act in bench.call("list_acts").acts if act.act == "pin"]
    assert {act.text for act in pins} == {"Use ruff instead of flake8 here."}


def test_the_list_marks_each_act_that_can_be_undone(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.call("edit_entry", id=kept.id, pinned=True)
    bench.call("forget_entry", id=kept.id)
    undone = bench.call("undo").event
    listed = bench.call("list_acts")
    assert [(a.act, a.by, a.can_undo, a.undone_by) for a in listed.acts] == [
        ("restore", "user", True, ""),
        ("forget", "user", False, undone),
        ("pin", "user", True, ""),
        ("remember", "user", True, ""),
    ]
    assert listed.newest == listed.acts[2].event
    assert {a.text for a in listed.acts} == {SHIP}
    assert len(bench.call("list_acts", limit=1).acts) == 1


def test_two_undos_in_one_batch_do_not_conflict(bench: Bench) -> None:
    bench.remember(SHIP)
    done = bench.batch(("undo", {}), ("undo", {}))
    assert [d.error is None for d in done] == [True, False]
    assert bench.texts() == []


def test_an_accepted_outside_deletion_can_be_undone(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", SHIP), entry("m_old00002", CENTS))
    kept = bench.memory()
    edited = kept.model_copy(update={"entries": kept.entries[:1]})
    _by_hand(bench, edited)
    bench.call("accept_outside")
    assert bench.texts() == [SHIP]
    bench.call("undo")
    assert bench.texts() == [SHIP, CENTS]


def test_an_accepted_outside_change_can_be_undone_and_redone(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", SHIP))
    before = one(bench)
    edited = before.model_copy(update={"text": CENTS, "user_importance": "high"})
    _by_hand(bench, bench.memory().model_copy(update={"entries": (edited,)}))
    bench.call("accept_outside")
    assert bench.texts() == [CENTS]
    undone = bench.call("undo")
    assert (one(bench).text, one(bench).user_importance) == (SHIP, "normal")
    assert one(bench).retention_clock == before.updated_at
    bench.call("undo", act=undone.event)
    assert (one(bench).text, one(bench).user_importance) == (CENTS, "high")


def test_an_outside_change_of_more_than_values_cannot_be_undone(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", SHIP))
    edited = one(bench).model_copy(update={"tags": ("deploy",)})
    _by_hand(bench, bench.memory().model_copy(update={"entries": (edited,)}))
    bench.call("accept_outside")
    assert "said before the edit by hand" in refusal(bench)


def _by_hand(bench: Bench, edited: object) -> None:
    from wm.domain.memory import outside_changes
    from wm.formats.workspace_memory import WorkspaceMemory

    assert isinstance(edited, WorkspaceMemory)
    memory, _facts = outside_changes.absorb(
        bench.memory(), edited, now=bench.moment, new_id=lambda: "m_hand0001"
    )
    bench.write_memory(*memory.entries)


def test_undo_does_not_skip_a_change_of_session_memory(bench: Bench) -> None:
    """To take back something older in its place would surprise."""
    bench.event("session_started")
    bench.remember(SHIP)
    (record,) = bench.recorded("memory_promoted")
    bench.call("change_block", session_id="s-1", block="goal", content="Ship it.")
    with pytest.raises(UserError) as refused:
        bench.call("undo")
    assert refused.value.message == (
        "The newest change that you made here is a change of the core block goal. `wm undo` undoes "
        "changes to entries, not to the memory of a session."
    )
    assert refused.value.fix == (
        "Change it with `wm session core` or `wm session working`; "
        f"`wm undo {record.event_id}` undoes the remember before it."
    )
    bench.call("add_item", session_id="s-1", text="Look at the crane.")
    bench.call("remove_items", session_id="s-1")
    with pytest.raises(UserError, match="is taking items out of the working memory"):
        bench.call("plan_undo")
    assert bench.texts() == [SHIP]
    bench.call("undo", act=record.event_id)
    assert bench.texts() == []
    bench.remember(CENTS)
    bench.call("undo")
    assert bench.texts() == []


def test_an_older_act_is_not_undone_in_place_of_one_for_all_projects(bench: Bench) -> None:
    here = bench.remember(SHIP)
    there = bench.call("remember", text="My editor is vim.", user=True).entry
    with pytest.raises(UserError, match="in your memory for all projects") as raised:
        bench.call("undo")
    assert f"`wm undo {there.admitted_by} --workspace user` undoes it" in raised.value.fix
    assert f"`wm undo {here.admitted_by}` undoes the remember before it" in raised.value.fix
    bench.remember(QUEUE)
    assert bench.call("undo").entry.text == QUEUE
    assert bench.call("undo").entry.text == SHIP


DENIED = "We do not deploy with `make ship` from the release branch."


@pytest.mark.parametrize("verb", ["forget_entry", "undo"])
def test_what_is_taken_back_is_not_asked_about_any_more(bench: Bench, verb: str) -> None:
    kept = bench.remember("We deploy with `make ship` from the release branch.")
    denial = bench.remember(DENIED)
    assert {e.status for e in bench.memory().entries} == {"active", "inbox"}
    done = bench.call(verb, **({"id": denial.id} if verb == "forget_entry" else {}))
    assert [(e.id, e.conflicts) for e in bench.memory().entries] == [(kept.id, ())]
    bench.call("undo", act=done.event if verb == "undo" else denial.id)
    by_id = {e.id: e for e in bench.memory().entries}
    assert by_id[kept.id].conflicts == (denial.id,)
    assert by_id[denial.id].conflicts == (kept.id,)
    assert sorted(e.status for e in by_id.values()) == ["active", "active", "inbox"]


@pytest.mark.parametrize("answer", ["accept_entry", "reject_entry"])
def test_an_answer_that_is_undone_leaves_the_question_open(bench: Bench, answer: str) -> None:
    bench.remember("We deploy with `make ship` from the release branch.")
    bench.remember(DENIED)
    before = seen(bench), {e.id: e.conflicts for e in bench.memory().entries}
    [asked] = [e for e in bench.memory().entries if e.status == "inbox"]
    bench.call(answer, id=asked.id)
    bench.call("undo")
    assert (seen(bench), {e.id: e.conflicts for e in bench.memory().entries}) == before


def test_a_decision_about_several_entries_is_one_act(bench: Bench) -> None:
    waiting = tuple(bench.remember(text).id for text in ("hm", "uh", "er"))
    done = bench.call("decide_entries", ids=(*waiting, "m_ffffffff"), accept=True)
    assert [one.entry.id for one in done.done] == list(waiting)
    assert done.left == ("m_ffffffff",)
    assert sorted(bench.texts("active")) == ["er", "hm", "uh"]
    [newest, *_] = bench.call("list_acts").acts
    assert (newest.event, newest.act, newest.text) == (done.event, "accept", "3 entries")
    planned = bench.call("plan_undo").message
    assert planned == "Would undo the accept: 3 entries back in the inbox."
    assert bench.call("undo").message == "Undid the accept: 3 entries back in the inbox."
    assert sorted(bench.texts("inbox")) == ["er", "hm", "uh"]
    again = bench.call("list_acts").acts[0].event
    assert "3 entries restored" in bench.call("undo", act=again).message
    assert sorted(bench.texts("active")) == ["er", "hm", "uh"]


def test_a_rejection_of_several_entries_is_one_act(bench: Bench) -> None:
    waiting = tuple(bench.remember(text).id for text in ("hm", "uh"))
    bench.call("decide_entries", ids=waiting, accept=False)
    assert bench.texts("inbox") == []
    one = bench.call("undo", act=waiting[0])
    assert one.entry.status == "inbox"
    assert bench.call("undo").message == "Undid the reject: 1 entry back in the inbox."
    assert sorted(bench.texts("inbox")) == ["hm", "uh"]


def test_a_decision_that_decides_nothing_is_no_act(bench: Bench) -> None:
    done = bench.call("decide_entries", ids=("m_ffffffff",), accept=True)
    assert (done.done, done.event) == ((), "")
    assert bench.call("list_acts").acts == ()
