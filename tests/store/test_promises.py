"""The interface `wm.store.files.FileStore`, tested on the file store and its twin in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.store.samples import (
    KEY,
    MEMORY,
    OTHER,
    SESSION,
    SID,
    entry,
    memory,
    record,
    session,
    texts,
)
from wm.domain.recording import RecordingIndex
from wm.errors import Busy, StoreError, Unwritable
from wm.formats.flow import Flow
from wm.formats.home import Alias, Aliases
from wm.formats.ledger import LedgerRecord
from wm.formats.paged_object import ObjectPart, PagedObject
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.recording import Recording
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.workspace_memory import WorkspaceMemory
from wm.settings import StoreSettings
from wm.store.base import Health, Ref
from wm.store.files import FileStore
from wm.store.paths import FLOWS, OBJECTS, PAGING, RECORDINGS
from wm.store.session_logs import encode

SETTINGS = StoreSettings(lock_wait_s=0.05, max_document_bytes=9000)


def test_a_document_that_was_never_written_is_missing(store: FileStore) -> None:
    reading = store.read(MEMORY)
    assert (reading.document, reading.health) == (None, Health.MISSING)
    assert store.workspaces() == ()
    assert store.names(SessionState, KEY) == ()
    assert store.evidence(KEY).records == ()


def test_a_committed_document_is_read_back(store: FileStore) -> None:
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("tests first"))
    reading = store.read(MEMORY)
    assert reading.health is Health.OK
    assert texts(reading.document) == ["tests first"]
    assert store.workspaces() == (KEY,)


def test_each_write_of_a_document_counts_one_generation(store: FileStore) -> None:
    for _ in range(3):
        with store.transaction([MEMORY]) as tx:
            tx.put(MEMORY, memory("x"))
    kept = store.read(MEMORY).document
    assert kept is not None
    assert kept.generation == 3


def test_a_transaction_reads_what_it_staged(store: FileStore) -> None:
    with store.transaction([MEMORY]) as tx:
        assert tx.read(MEMORY).health is Health.MISSING
        tx.put(MEMORY, memory("staged"))
        assert texts(tx.read(MEMORY).document) == ["staged"]
        assert store.read(MEMORY).document is None
        tx.delete(MEMORY)
        assert tx.read(MEMORY).health is Health.MISSING


def test_an_error_inside_leaves_everything_as_it_was(store: FileStore) -> None:
    with suppress(ZeroDivisionError), store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("never"))
        tx.log(record(1))
        raise ZeroDivisionError
    assert store.read(MEMORY).health is Health.MISSING
    assert store.evidence(KEY).records == ()


def test_a_savepoint_rolls_back_only_later_changes(store: FileStore) -> None:
    with store.transaction([MEMORY, SESSION]) as tx:
        tx.put(MEMORY, memory("first"))
        tx.log(record(1))
        mark = tx.savepoint()
        tx.put(MEMORY, memory("first", "second"))
        tx.put(SESSION, session())
        tx.log(record(2))
        tx.rollback(mark)
        assert texts(tx.read(MEMORY).document) == ["first"]
        assert tx.read(SESSION).document is None
    assert texts(store.read(MEMORY).document) == ["first"]
    assert store.read(SESSION).document is None
    assert [kept.event_id for kept in store.evidence(KEY).records] == ["ev_1"]


def test_a_deleted_document_is_missing_and_leaves_the_list(store: FileStore) -> None:
    with store.transaction([SESSION]) as tx:
        tx.put(SESSION, session())
    store.flush()
    assert store.names(SessionState, KEY) == (SID,)
    with store.transaction([SESSION]) as tx:
        tx.delete(SESSION)
    store.flush()
    assert store.read(SESSION).health is Health.MISSING
    assert store.names(SessionState, KEY) == ()


def test_deleting_a_missing_document_succeeds(store: FileStore) -> None:
    with store.transaction([SESSION]) as tx:
        tx.delete(SESSION)
    assert store.read(SESSION).health is Health.MISSING


def test_commit_can_be_called_before_the_end(store: FileStore) -> None:
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("one"))
        tx.commit()
        assert texts(store.read(MEMORY).document) == ["one"]
        tx.put(MEMORY, memory("two"))
    assert texts(store.read(MEMORY).document) == ["two"]


def test_evidence_is_read_in_order_and_by_workspace(store: FileStore) -> None:
    for number in (1, 2):
        with store.transaction([]) as tx:
            tx.log(record(number))
            tx.log(record(number + 10, workspace=OTHER))
    assert [kept.event_id for kept in store.evidence(KEY).records] == ["ev_1", "ev_2"]
    assert [kept.event_id for kept in store.evidence(OTHER).records] == ["ev_11", "ev_12"]
    assert store.workspaces() == (KEY, OTHER)


def test_names_of_companion_files_are_not_confused(store: FileStore) -> None:
    compaction = Ref(CompactionState, KEY, SID)
    epochs = [Ref(PromptEpoch, KEY, name) for name in ("e_b", "e_a")]
    with store.transaction([SESSION, compaction, *epochs]) as tx:
        tx.put(SESSION, session())
        tx.put(compaction, CompactionState(session_id="s-1"))
        for epoch in epochs:
            tx.put(epoch, PromptEpoch(id=epoch.name, session_id="s-1"))
    assert store.names(SessionState, KEY) == (SID,)
    assert store.names(CompactionState, KEY) == (SID,)
    assert store.names(PromptEpoch, KEY) == ("e_a", "e_b")
    assert store.names(WorkspaceMemory, KEY) == ()


def test_documents_of_the_home_have_no_workspace(store: FileStore) -> None:
    ref = Ref(Aliases)
    with store.transaction([ref]) as tx:
        tx.put(ref, Aliases(aliases=(Alias(key=OTHER, target=KEY),)))
    assert store.names(Aliases) == ("",)
    kept = store.read(ref).document
    assert kept is not None
    assert kept.aliases[0].target == KEY


def test_unknown_fields_survive(store: FileStore) -> None:
    odd = memory("x").model_copy(update={"entries": (entry("y").model_copy(update={"mood": 1}),)})
    strange = WorkspaceMemory.model_validate({**odd.model_dump(by_alias=True), "later": {"a": [1]}})
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, strange)
    with store.transaction([MEMORY]) as tx:
        kept = tx.read(MEMORY).document
        assert kept is not None
        tx.put(MEMORY, kept.model_copy(update={"updated_at": "2026"}))
    again = store.read(MEMORY).document
    assert again is not None
    assert again.model_extra == {"later": {"a": [1]}}


def test_a_lone_surrogate_is_writable(store: FileStore) -> None:
    with store.transaction([MEMORY]) as tx:
        odd = entry("x").model_copy(update={"text": "a\ud800b"})
        tx.put(MEMORY, memory().model_copy(update={"entries": (odd,)}))
        tx.log(record(1).model_copy(update={"details": {"t\udfff": "\udc00"}}))
    assert texts(store.read(MEMORY).document) == ["a\ufffdb"]
    assert store.evidence(KEY).records[0].details == {"t\ufffd": "\ufffd"}


def test_a_value_that_does_not_round_trip_is_refused(store: FileStore) -> None:
    nan = entry("x").model_copy(update={"confidence": float("nan")})
    with (
        pytest.raises(StoreError, match="would not be readable"),
        store.transaction([MEMORY]) as tx,
    ):
        tx.put(MEMORY, memory().model_copy(update={"entries": (nan,)}))
    assert store.read(MEMORY).health is Health.MISSING


def test_a_document_that_is_too_large_is_refused_and_nothing_is_written(store: FileStore) -> None:
    with store.transaction([MEMORY, SESSION]) as tx:
        tx.put(SESSION, session())
        tx.put(MEMORY, memory("x" * 9000))
        with pytest.raises(Unwritable, match="more than 9000"):
            tx.commit()
    assert store.read(SESSION).health is Health.MISSING
    assert store.read(MEMORY).health is Health.MISSING


def test_a_record_that_is_too_large_is_refused_alone(store: FileStore) -> None:
    big = record(1).model_copy(update={"details": {"text": "x" * 300_000}})
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("kept"))
        with pytest.raises(StoreError, match="larger than"):
            tx.log(big)
    assert texts(store.read(MEMORY).document) == ["kept"]


def test_a_document_must_be_declared_when_the_transaction_opens(store: FileStore) -> None:
    with store.transaction([MEMORY]) as tx, pytest.raises(StoreError, match="not opened for"):
        tx.read(SESSION)


@pytest.mark.parametrize(
    "ref",
    [
        Ref(WorkspaceMemory, "../../etc"),
        Ref(WorkspaceMemory, KEY, "name"),
        Ref(SessionState, KEY),
        Ref(Aliases, KEY),
    ],
)
def test_a_ref_that_does_not_fit_its_format_is_refused(
    store: FileStore, ref: Ref[WorkspaceMemory]
) -> None:
    with pytest.raises(StoreError):
        store.read(ref)


def test_a_name_never_becomes_a_path(store: FileStore) -> None:
    ref = Ref(SessionState, KEY, "../../../home/user/.ssh/id")
    with store.transaction([ref]) as tx:
        tx.put(ref, session())
    (name,) = store.names(SessionState, KEY)
    assert set(name) <= set("0123456789abcdef")
    assert store.read(ref).document == store.read(Ref(SessionState, KEY, name)).document


def test_a_second_transaction_waits_and_then_reports_busy(store: FileStore) -> None:
    with store.transaction([MEMORY, SESSION]):
        with pytest.raises(Busy, match="is locked by"):
            store.transaction([SESSION])
        with store.transaction([Ref(SessionState, KEY, "other")]):
            pass
    with store.transaction([SESSION]):
        pass


def test_the_order_of_refs_does_not_matter(store: FileStore) -> None:
    done: list[int] = []
    orders = ([MEMORY, SESSION], [SESSION, MEMORY])

    def work(index: int) -> None:
        for _ in range(20):
            with store.transaction(orders[index]) as tx:
                kept = tx.read(MEMORY).document or memory()
                new = (*kept.entries, entry("x", len(kept.entries)))
                tx.put(MEMORY, kept.model_copy(update={"entries": new}))
        done.append(index)

    patient = StoreSettings(lock_wait_s=30)  # also leaves room for forty entries
    store.settings = patient  # type: ignore[attr-defined]
    if isinstance(store, FileStore):
        store = FileStore(store.home, patient)
    threads = [threading.Thread(target=work, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(done) == [0, 1]
    kept = store.read(MEMORY).document
    assert kept is not None
    assert (len(kept.entries), kept.generation) == (40, 40)


def test_relaxed_documents_wait_for_a_flush(store: FileStore) -> None:
    assert not store.dirty()
    with store.transaction([SESSION]) as tx:
        tx.put(SESSION, session())
    assert store.dirty()
    store.flush()
    assert not store.dirty()


def test_a_digest_matches_only_its_own_text(store: FileStore) -> None:
    first = store.digest("tests first")
    assert first == store.digest("tests first")
    assert first != store.digest("tests last")
    assert len(first) == 32
    assert set(first) <= set("0123456789abcdef")
    assert len(store.digest("\ud800")) == 32


def flow(number: int) -> Flow:
    return Flow(
        flow_id=f"f_{number}",
        created_at="2026-11-02T08:14:11.020Z",
        workspace_key=KEY,
        session=SID,
        answer_bytes=number,
    )


def test_flows_are_read_in_the_order_of_arrival(store: FileStore) -> None:
    assert store.flows(KEY, SID) == ()
    for number in range(3):
        store.append_flow(KEY, SID, flow(number))
    assert [found.answer_bytes for found in store.flows(KEY, SID)] == [0, 1, 2]
    assert store.sessions_with(KEY, FLOWS) == (SID,)
    assert store.dirty()
    store.flush()
    assert not store.dirty()


def a_line(number: int) -> Callable[[RecordingIndex], Recording | None]:
    def make(index: RecordingIndex) -> Recording | None:
        assert index.next_text == number
        fields = {"exchange": f"f_{number}", "first_text": number, "texts": [f"text {number}"]}
        return Recording.model_validate(fields)

    return make


def test_recorded_bodies_are_appended_until_the_limit(store: FileStore) -> None:
    assert store.recordings(KEY, SID) == ()
    for number in range(3):
        assert store.append_recording(KEY, SID, 10_000, a_line(number))
    assert [line.exchange for line in store.recordings(KEY, SID)] == ["f_0", "f_1", "f_2"]
    assert store.append_recording(KEY, SID, 10_000, lambda _index: None)
    assert not store.append_recording(KEY, SID, 300, a_line(3))
    assert len(store.recordings(KEY, SID)) == 3
    assert store.sessions_with(KEY, RECORDINGS) == (SID,)
    assert store.dirty()


def test_recorded_bodies_of_one_session_are_removed_and_can_start_again(store: FileStore) -> None:
    store.append_recording(KEY, SID, 10_000, a_line(0))
    store.append_recording(KEY, "other", 10_000, a_line(0))
    assert store.discard_logs(KEY, SID, RECORDINGS)
    assert not store.discard_logs(KEY, SID, RECORDINGS)
    assert store.append_recording(KEY, SID, 10_000, a_line(0))
    assert len(store.recordings(KEY, "other")) == 1


@pytest.mark.parametrize(
    ("lines", "numbers"), [(0, []), (1.5, [2]), (2.5, [2, 1]), (99, [2, 1, 0])]
)
def test_newest_flows_returns_the_last_complete_flows(
    store: FileStore, lines: float, numbers: list[int]
) -> None:
    assert list(store.newest_flows(KEY, SID, 100)) == []
    for number in range(3):
        store.append_flow(KEY, SID, flow(number))
    line = len(encode(flow(0), b"k" * 32, 10_000))
    found = store.newest_flows(KEY, SID, int(lines * line))
    assert [one.answer_bytes for one in found] == numbers


def test_latest_logs_returns_the_most_recently_written_logs(store: FileStore) -> None:
    assert store.latest_sessions(KEY, FLOWS, 2) == ()
    for number, name in enumerate(("a" * 32, "b" * 32, "c" * 32, "a" * 32)):
        store.append_flow(KEY, name, flow(number))
        if isinstance(store, FileStore):  # file times may be coarse
            log = store.home / "workspaces" / KEY / "flows" / f"{name}.jsonl"
            os.utime(log, (number, number))
    assert store.latest_sessions(KEY, FLOWS, 2) == ("a" * 32, "c" * 32)


def test_discarding_the_flows_of_one_session_keeps_all_others(store: FileStore) -> None:
    store.append_flow(KEY, SID, flow(1))
    store.append_flow(KEY, "other", flow(2))
    assert store.discard_logs(KEY, SID, FLOWS)
    assert not store.discard_logs(KEY, SID, FLOWS)
    assert (store.flows(KEY, SID), len(store.flows(KEY, "other"))) == ((), 1)


def step(number: int) -> PagedObject:
    part = ObjectPart(id=f"o_{number:012x}", kind="result", text=f"line {number}\n" * 20)
    return PagedObject(
        id=f"o_{number + 100:012x}", type="tool_result", tokens=60, number=number, parts=(part,)
    )


def keep_steps(store: FileStore, session: str, *numbers: int, most: int = 100_000) -> None:
    records = tuple(LedgerRecord(kind="decided", request=f"r_{number}") for number in numbers)
    store.append_paging(KEY, session, [*map(step, numbers)], records, most=most, durable=True)


def test_a_step_is_stored_once_and_found_by_its_own_id_and_those_of_its_parts(
    store: FileStore,
) -> None:
    keep_steps(store, SID, 1, 2)
    keep_steps(store, SID, 2, 3)
    keep_steps(store, "other", 4)
    assert [one.number for one in store.objects(KEY, SID)] == [1, 2, 3]
    assert [one.request for one in store.ledger(KEY, SID)] == ["r_1", "r_2", "r_2", "r_3"]
    assert len(store.object_ids(KEY, SID)) == 6
    for wanted in ("o_000000000002", "o_000000000066"):
        assert [(s, one.number) for s, one in store.find_object(KEY, wanted)] == [(SID, 2)]
    assert store.latest_sessions(KEY, OBJECTS, 9) == ("other", SID)


def test_steps_beyond_the_limit_and_the_records_with_them_are_refused(store: FileStore) -> None:
    keep_steps(store, SID, 1)
    with pytest.raises(Unwritable, match="more than 600 bytes"):
        keep_steps(store, SID, 2, 3, most=600)
    assert [one.number for one in store.objects(KEY, SID)] == [1]
    assert [one.request for one in store.ledger(KEY, SID)] == ["r_1"]


def test_the_steps_of_a_session_can_be_deleted_without_its_decisions(store: FileStore) -> None:
    for name in (SID, "other"):
        keep_steps(store, name, 1)
    before = store.paging_bytes(KEY, SID)
    assert store.discard_logs(KEY, SID, OBJECTS)
    assert 0 < store.paging_bytes(KEY, SID) < before
    assert len(store.ledger(KEY, SID)) == 1
    assert store.sessions_with(KEY, *PAGING) == tuple(sorted((SID, "other")))
    assert store.discard_logs(KEY, SID, *PAGING)
    assert not store.discard_logs(KEY, SID, *PAGING)
    assert store.sessions_with(KEY, *PAGING) == ("other",)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 1.0])
def test_a_step_whose_line_is_incomplete_is_stored_again(tmp_path: Path, share: float) -> None:
    """A process killed while it writes leaves a line that is never read, with ids in it."""
    store = FileStore(tmp_path / "wm", SETTINGS)
    keep_steps(store, SID, 1)
    log = store.home / "workspaces" / KEY / OBJECTS / f"{SID}.jsonl"
    whole = log.stat().st_size
    keep_steps(store, SID, 2)
    os.truncate(log, whole + int(share * (log.stat().st_size - whole - 1)))
    again = FileStore(tmp_path / "wm", SETTINGS)
    readable = {id for one in again.objects(KEY, SID) for id in (one.id, one.parts[0].id)}
    assert again.object_ids(KEY, SID) == readable
    keep_steps(again, SID, 2)
    assert [one.number for one in again.objects(KEY, SID)] == [1, 2]
