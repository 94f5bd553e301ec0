"""The contract of a project: changed by `wm`, by hand, and by compactions (CT-1, CT-2)."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.ops.conftest import Bench, open_files
from wm.api.protocol import WorkspacePlace
from wm.errors import NotFound, UserError
from wm.formats.contract_record import ContractRecord
from wm.ops.contract.project_files import contract_file
from wm.store.base import Ref


@pytest.fixture
def made(bench: Bench) -> Bench:
    bench.call("init_contract", goal="Ship the berth planner.")
    return bench


def path_of(bench: Bench) -> Path:
    return bench.project / "state" / "session-state.json"


def said(bench: Bench) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path_of(bench).read_text("utf-8"))
    return value


def edit(bench: Bench, **fields: Any) -> None:
    """As a person does it."""
    text = json.dumps({**said(bench), **fields}, indent=4)
    path_of(bench).write_text(text + "\n", "utf-8")


def codes(bench: Bench, **fields: Any) -> list[str]:
    return [fault.code for fault in bench.call("show_contract", **fields).faults]


def compact(bench: Bench, session: str = "s-1", **fields: Any) -> None:
    """A compaction of a session, with a summary of its own."""
    bench.event("compaction_started", session=session)
    bench.event(
        "compaction_finished", session=session, summary=f"Done by {bench.moment}.", **fields
    )


# --- init, set, show, validate ------------------------------------------------------------


def test_a_contract_is_created_once_and_valid(made: Bench) -> None:
    shown = made.call("show_contract")
    assert (shown.valid, shown.exists, shown.notes) == (True, True, ())
    assert said(made)["goal"] == "Ship the berth planner."
    before = path_of(made).read_bytes()
    with pytest.raises(UserError, match="already exists"):
        made.call("init_contract", goal="Another.")
    assert path_of(made).read_bytes() == before


def test_a_creation_that_stopped_before_its_record_is_finished(made: Bench) -> None:
    ref = Ref(ContractRecord, made.key)
    with made.store.transaction([ref]) as transaction:
        transaction.put(ref, ContractRecord())
    before = path_of(made).read_bytes()
    with pytest.raises(UserError, match="already exists"):
        made.call("init_contract", goal="Another.")
    assert made.call("init_contract", goal="Ship the berth planner.").changed
    assert path_of(made).read_bytes() == before
    record = made.store.read(ref).document
    assert record is not None
    assert len(record.contracts) == 1
    with pytest.raises(UserError, match="already exists"):
        made.call("init_contract", goal="Ship the berth planner.")


def test_a_contract_without_a_goal_asks_for_one(bench: Bench) -> None:
    bench.call("init_contract")
    shown = bench.call("show_contract")
    assert shown.valid
    assert "wm state set goal" in shown.notes[0]


def test_no_contract_is_created_without_a_request(bench: Bench) -> None:
    bench.event("session_started")
    compact(bench)
    assert codes(bench) == ["no_contract"]
    with pytest.raises(NotFound, match=r"There is no state/session-state\.json"):
        bench.call("change_contract", field="goal", values=["x"])
    assert not path_of(bench).parent.exists()
    assert bench.store.read(Ref(ContractRecord, bench.key)).document is None


def test_a_change_is_written_dated_and_recorded(made: Bench) -> None:
    made.later(days=1)
    done = made.call("change_contract", field="decisions", change="append", values=["Use UTC."])
    assert done.changed
    assert said(made)["decisions"] == ["Use UTC."]
    assert said(made)["last_updated"].startswith("2026-11-22")
    again = made.call("change_contract", field="decisions", change="append", values=["Use UTC."])
    assert not again.changed


def test_a_change_that_would_break_the_contract_is_refused_unwritten(made: Bench) -> None:
    secret = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    before = path_of(made).read_bytes()
    for field, value in (("goal", ""), ("goal", "x" * 3000), ("decisions", f"Key {secret}")):
        with pytest.raises(UserError) as refused:
            made.call("change_contract", field=field, values=[value])
        assert field in refused.value.message
        assert secret not in refused.value.message
    assert path_of(made).read_bytes() == before


def test_a_change_of_the_field_fixes_its_fault(made: Bench) -> None:
    edit(made, goal="", last_updated="yesterday")
    with pytest.raises(UserError, match="goal is empty"):
        made.call("change_contract", field="current_phase", values=["build"])
    assert made.call("change_contract", field="goal", values=["Ship it."]).changed
    assert codes(made) == []


def test_a_contract_that_is_not_json_is_not_changed(made: Bench) -> None:
    path_of(made).write_text('{"goal": "a",}\n')
    with pytest.raises(UserError, match="an extra comma"):
        made.call("change_contract", field="goal", values=["b"])
    assert path_of(made).read_text() == '{"goal": "a",}\n'


def test_reviews_are_append_only_also_by_hand(made: Bench) -> None:
    for text in ("First: approved.", "Second: with changes."):
        made.call("change_contract", field="legal_reviews", change="append", values=[text])
    edit(made, legal_reviews=["First: approved."])
    assert codes(made) == ["reviews_shortened"]
    edit(made, legal_reviews=["First: refused.", "Second: with changes."])
    assert codes(made) == ["reviews_altered"]
    edit(made, legal_reviews=["First: approved.", "Second: with changes.", "Third."])
    assert codes(made) == []


def test_an_intended_change_of_history_is_accepted_by_a_person_and_recorded(made: Bench) -> None:
    made.call("change_contract", field="legal_reviews", change="append", values=["First."])
    edit(made, legal_reviews=[])
    assert made.call("accept_contract").valid
    assert codes(made) == []
    [record] = made.recorded("contract_accepted")
    assert record.reason_codes == ("reviews_shortened",)
    edit(made, goal="")
    with pytest.raises(UserError, match="goal is empty"):
        made.call("accept_contract")


def test_after_a_deletion_that_is_accepted_a_new_contract_can_be_created(made: Bench) -> None:
    made.call("change_contract", field="legal_reviews", change="append", values=["2026: fine"])
    path_of(made).unlink()
    with pytest.raises(UserError, match="it had 1, and entries may only be added"):
        made.call("init_contract", goal="Ship 2.0")
    assert [one.code for one in made.call("accept_contract").faults] == ["no_contract"]
    made.call("init_contract", goal="Ship 2.0")
    assert made.call("show_contract").valid


def test_a_refused_acceptance_names_the_obstacle(made: Bench) -> None:
    made.call("change_contract", field="legal_reviews", change="append", values=["First."])
    text = json.dumps({**said(made), "legal_reviews": []})
    path_of(made).write_text(text.replace('"blocked_by": []', '"blocked_by": 7'))
    with pytest.raises(UserError, match="blocked_by is a number") as refused:
        made.call("accept_contract")
    assert "--accept" not in refused.value.fix
    assert "more" not in refused.value.message


def test_an_earlier_version_can_be_given(made: Bench) -> None:
    earlier = json.dumps({**said(made), "legal_reviews": ["Approved."], "compaction_count": 7})
    assert codes(made, before=earlier) == ["reviews_shortened", "count_fell"]
    assert codes(made, before=path_of(made).read_text()) == []
    with pytest.raises(UserError, match="earlier state"):
        made.call("show_contract", before="no json")


def test_secrets_in_a_contract_are_not_shown(made: Bench) -> None:
    secret = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    edit(made, decisions=[secret])
    shown = made.call("show_contract")
    assert [fault.code for fault in shown.faults] == ["secret"]
    assert secret not in shown.model_dump_json()


@pytest.mark.parametrize("place", ["folder", "link"])
def test_an_object_in_place_of_the_contract_is_named(bench: Bench, place: str) -> None:
    path_of(bench).parent.mkdir()
    if place == "folder":
        path_of(bench).mkdir()
    else:
        path_of(bench).symlink_to("/etc/hostname")
    assert codes(bench) == [place]
    with pytest.raises(UserError):
        bench.call("init_contract")


def test_a_worktree_has_its_own_contract(made: Bench) -> None:
    inner = made.project / "part"
    (inner / "state").mkdir(parents=True)
    assert codes(made, directory=str(inner)) == ["no_contract"]


# --- compactions --------------------------------------------------------------------------


def test_each_compaction_is_counted_and_nothing_else_changes(made: Bench) -> None:
    edit(made, decisions=["Use UTC."], note={"kept": [1, 2]})
    made.event("session_started")
    before = path_of(made).read_text("utf-8")
    compact(made)
    after = path_of(made).read_text("utf-8")
    assert after == before.replace('"compaction_count": 0', '"compaction_count": 1')
    compact(made)
    made.event("session_started", session="s-2")
    compact(made, session="s-2")
    assert said(made)["compaction_count"] == 3
    assert [r.details["count"] for r in made.recorded("contract_counted")] == [1, 2, 3]


def test_a_summary_delivered_twice_counts_once(made: Bench) -> None:
    made.event("session_started")
    made.event("compaction_started")
    for _ in range(2):
        made.event("compaction_finished", summary="All done.")
    assert said(made)["compaction_count"] == 1


def test_the_count_continues_from_a_persons_value(made: Bench) -> None:
    edit(made, compaction_count=40)
    compact(made)
    assert said(made)["compaction_count"] == 41
    edit(made, compaction_count=12)
    assert codes(made) == ["count_fell"]


def test_a_contract_without_runtime_fields_gets_a_count(made: Bench) -> None:
    fields = {k: v for k, v in said(made).items() if k != "compaction_count"}
    path_of(made).write_text(json.dumps(fields, indent=2))
    compact(made)
    assert said(made)["compaction_count"] == 1


def test_a_broken_contract_is_not_changed_reported_and_counted_later(made: Bench) -> None:
    made.event("session_started")
    compact(made)
    sound = path_of(made).read_text("utf-8")
    broken = sound.replace("Ship the berth planner.", "")
    path_of(made).write_text(broken)
    compact(made)
    compact(made)
    assert path_of(made).read_text("utf-8") == broken
    records = made.recorded("contract_left_alone")
    assert [r.reason_codes for r in records] == [("empty_text",)] * 2
    assert records[0].details["fields"] == ["goal"]
    path_of(made).write_text(sound)
    compact(made)
    assert said(made)["compaction_count"] == 4


def test_simultaneous_compactions_of_several_sessions_all_count(made: Bench) -> None:
    sessions = ("a", "b", "c")
    for session in sessions:
        made.event("compaction_started", session=session)
    made.batch(
        *(
            (
                "record_event",
                {
                    "session_id": session,
                    "agent": "tests",
                    "event": {"kind": "compaction_finished", "summary": f"Of {session}."},
                },
            )
            for session in sessions
        )
    )
    assert said(made)["compaction_count"] == 3


def test_a_subagent_counts_nothing(made: Bench) -> None:
    made.event("session_started", session="sub", subagent=True)
    compact(made, session="sub")
    assert said(made)["compaction_count"] == 0


def test_changes_from_several_processes_all_arrive(files: Bench) -> None:
    """Each with a store of its own, as processes have; the record's lock is what they share."""
    files.call("init_contract", goal="Ship it.")
    settings, project = files.settings, files.project
    begin = threading.Barrier(4)

    def work(number: int) -> None:
        other = Bench(settings, project, open_files(settings), files.moment, number * 1000)
        begin.wait(10)
        for item in range(4):
            fields = {"field": "decisions", "change": "append"}
            other.call("change_contract", **fields, values=[f"Item {item} of {number}."])
        other.event("compaction_finished", session=f"s-{number}", summary=f"Of {number}.")
        other.store.close()

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, number) for number in range(4)]:
            done.result(20)
    assert len(said(files)["decisions"]) == 16
    assert said(files)["compaction_count"] == 4
    assert codes(files) == []


def test_a_contract_saved_by_an_editor_meanwhile_is_not_overwritten(files: Bench) -> None:
    """What a change was made from is compared once more as late as can be."""
    files.call("init_contract", goal="Ship it.")
    file = contract_file(WorkspacePlace(key=files.key, root=str(files.project)), "")
    before = path_of(files).read_bytes()
    path_of(files).write_bytes(before.replace(b"Ship it.", b"Sail it."))
    assert not file.replace(before.replace(b"Ship it.", b"Sink it."), over=before)
    assert said(files)["goal"] == "Sail it."


def test_a_workspace_without_a_known_folder_has_no_contract(bench: Bench) -> None:
    """Never that of the folder in which this process happens to run."""
    key = "0123456789abcdef"
    bench.put((Ref(ContractRecord, key), ContractRecord()))
    for name, fields in (("show_contract", {}), ("init_contract", {"goal": "x"}), ("handoff", {})):
        with pytest.raises(UserError, match="is unknown"):
            bench.call(name, workspace=key, **fields)
