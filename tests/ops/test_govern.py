"""A sweep takes what its dry run named, and nothing else (GV-1..3)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.ops.conftest import CENTS, SHIP, Bench, entry
from wm.api.governance import Swept
from wm.formats.pending_journal import PendingJournal, PendingMemory
from wm.formats.sweep_log import SessionSweepLog, SweepLog
from wm.formats.tombstones import TrashedEntry
from wm.formats.tool_output import ToolOutput, file_name
from wm.ops.runtime import Ids, make_runtime
from wm.ops.session.tool_outputs import output_ref
from wm.ops.storage import sweep
from wm.ops.storage.sweep import Evidence, SweepRun
from wm.store.base import Ref
from wm.store.paths import sid


def limited(bench: Bench, **limits: Any) -> Bench:
    """The same home with limits that a test can reach."""
    storage = replace(bench.settings.storage, **limits)
    bench.settings = replace(bench.settings, storage=storage)
    bench.runtime = make_runtime(
        bench.settings, bench.store, now=lambda: bench.moment, ids=Ids(bench._random)
    )
    return bench


def home(bench: Bench) -> Path:
    return bench.settings.paths.home


def here(bench: Bench) -> Path:
    return home(bench) / "workspaces" / bench.key


def tree(bench: Bench) -> set[str]:
    """Every file and symlink of the data folder, but for reports and the log of evidence."""
    found = {str(p.relative_to(home(bench))) for p in home(bench).rglob("*") if not p.is_dir()}
    return {name for name in found if "sweep.json" not in name and "/evidence/" not in name}


def age(bench: Bench, days: float, pattern: str = "**/*") -> None:
    """Let the files be as old as that."""
    at = (bench.moment - timedelta(days=days)).timestamp()
    for path in here(bench).glob(pattern):
        os.utime(path, (at, at), follow_symlinks=False)


def output(bench: Bench, number: int, session: str = "s-1") -> str:
    one = ToolOutput(id=f"t_{number:020x}", session=sid(session), text="a" * 50, chars=50)
    ref = output_ref(bench.key, file_name(one.id, one.session))
    bench.store.keep(ref, one)
    return f"cache/tool-outputs/{ref.name}.json"


def lived(bench: Bench, session: str) -> None:
    bench.event("session_started", session=session)
    bench.prompt(session=session)
    bench.event("compaction_started", session=session)
    bench.call("finish_request", session_id=session, note={"status": 200})
    bench.store.flush()


def everything(bench: Bench) -> None:
    """Something for every rule, and something of every kind that stays."""
    bench.remember(SHIP)
    gone = bench.remember(CENTS)
    bench.call("forget_entry", id=gone.id)
    for session in ("stale", "orphaned", "fresh"):
        lived(bench, session)
    (here(bench) / f"sessions/{sid('orphaned')}.json").unlink()
    (here(bench) / f"sessions/.{sid('orphaned')}.json.spare").unlink()
    for number in range(6):
        output(bench, number, "fresh")
    age(bench, 100, "**/*.json*")
    age(bench, 100, "**/.*")
    age(bench, 1, f"**/*{sid('fresh')}*")
    age(bench, 1, "workspace-memory.json")
    age(bench, 8, f"cache/tool-outputs/t_{0:020x}*")
    for path in (
        ".tombstones.json.0123456789abcdef.tmp",
        "sessions/.feed.json.lock",
        "notes.txt",
        "cache/mine.bin",
        "sessions/odd_name_x.json",
    ):
        (here(bench) / path).write_text("x")
        age(bench, 100, path)
    other = here(bench) / "cache/tool-outputs" / f"t_{99:020x}_{sid('fresh')}.json"
    other.symlink_to(here(bench) / "workspace-memory.json")
    os.utime(other, (1.0, 1.0), follow_symlinks=False)


def test_a_dry_run_lists_the_deletions_and_deletes_nothing(files: Bench) -> None:
    bench = limited(files, max_outputs=3)
    everything(bench)
    before = tree(bench)
    planned: Swept = bench.call("sweep_storage", dry_run=True)
    assert tree(bench) == before
    assert not (here(bench) / "sweep.json").exists()
    done: Swept = bench.call("sweep_storage")
    assert [f.path for f in planned.logs[0].files] == [f.path for f in done.logs[0].files]
    assert planned.logs[0].files == done.logs[0].files
    assert planned.logs[0].rules == done.logs[0].rules
    assert (planned.deleted, planned.bytes) == (done.deleted, done.bytes)
    assert done.logs[0].errors == ()
    assert before - tree(bench) == {file.path for file in done.logs[0].files}
    assert tree(bench) < before


def test_every_rule_deletes_only_its_own_files(files: Bench) -> None:
    bench = limited(files, max_outputs=3)
    everything(bench)
    done: Swept = bench.call("sweep_storage")
    found = {count.rule: count.files for count in done.logs[0].rules}
    assert found["output_age"] == 1
    assert found["output_count"] == 2
    assert found["trash_age"] == 3  # with second copy and lock
    assert set(found) == {
        *("output_age", "output_count", "trash_age", "orphan", "stale_session"),
        *("dead_writer", "orphan_lock"),
    }
    for stays in ("notes.txt", "cache/mine.bin", "sessions/odd_name_x.json", "tombstones.json"):
        assert (here(bench) / stays).exists()
    assert (here(bench) / "cache/tool-outputs" / f"t_{99:020x}_{sid('fresh')}.json").is_symlink()
    assert bench.texts() == [SHIP]
    assert bench.state("fresh").session_id == "fresh"
    left = [name for name in tree(bench) if sid("stale") in name or sid("orphaned") in name]
    assert left == []


def test_a_second_run_finds_nothing(files: Bench) -> None:
    bench = limited(files, max_outputs=3)
    everything(bench)
    bench.call("sweep_storage")
    again: Swept = bench.call("sweep_storage")
    assert (again.deleted, again.logs[0].files, again.logs[0].errors) == (0, (), ())


def test_a_plan_is_freed_after_its_run(files: Bench) -> None:
    """What a hundred thousand files took goes back to the system only if no object keeps a part."""
    everything(files)
    run = sweep.Sweeping(files.runtime, files.key, SweepRun(), files.moment, most=10)
    plan = run.planned()
    for deletion in plan.deletions:
        run.count(deletion)
    known = {id(deletion.file.path) for deletion in plan.deletions}
    assert [f.path for f in run.files] == [d.file.path for d in plan.deletions[:10]]
    assert not known & {id(file.path) for file in run.files}
    files.call("sweep_storage")
    cache = files.store.core.cache  # type: ignore[attr-defined]
    assert cache.get(f"workspaces/{files.key}/sweep.json") is None


def test_the_report_is_stored_and_recorded_in_the_evidence(files: Bench) -> None:
    bench = limited(files, report_files=2)
    everything(bench)
    done: Swept = bench.call("sweep_storage")
    log = bench.store.read(Ref(SweepLog, bench.key)).document
    assert log is not None
    assert log.model_copy(update={"generation": 0}) == done.logs[0]
    assert (len(log.files), log.unlisted) == (2, log.deleted - 2)
    assert sum(count.files for count in log.rules) == log.deleted
    (record,) = bench.recorded("storage_swept")
    assert (record.details["files"], record.details["cause"]) == (log.deleted, "asked")
    (purged,) = bench.recorded("trash_purged")
    assert bench.call("diag_disappearances").unexplained == 0
    assert bench.call("why", subject=purged.entry).sentences


@pytest.mark.parametrize("anew", [True, False])
def test_an_entry_restored_between_plan_and_deletion_is_not_lost(files: Bench, anew: bool) -> None:
    gone = files.remember(SHIP)
    files.call("forget_entry", id=gone.id)
    age(files, 100)
    run = sweep.Sweeping(files.runtime, files.key, SweepRun(), files.moment, most=10)
    plan = run.planned()
    files.call("restore_entry", id=gone.id)
    if anew:
        files.call("forget_entry", id=gone.id)
    run.carry_out(plan)
    assert (run.deleted, [error.reason for error in run.errors]) == (0, ["changed"])
    if anew:
        files.call("restore_entry", id=gone.id)
    assert files.texts() == [SHIP]


def test_every_file_of_a_large_trash_is_deleted(files: Bench) -> None:
    for number in range(40):
        one = TrashedEntry(
            workspace=files.workspace(), entry=entry(f"m_{number}", SHIP), trashed_at=""
        )
        files.put((Ref(TrashedEntry, files.key, one.entry.id), one))
    age(files, 100)
    done: Swept = files.call("sweep_storage")
    assert done.logs[0].errors == ()
    assert [(rule.rule, rule.files) for rule in done.logs[0].rules] == [("trash_age", 120)]
    assert list((here(files) / "trash").iterdir()) == []
    assert len(files.recorded("trash_purged")) == 40


def test_pinned_trash_is_kept(files: Bench) -> None:
    kept = files.remember(SHIP)
    files.call("edit_entry", id=kept.id, pinned=True)
    files.call("forget_entry", id=kept.id)
    age(files, 100)
    assert files.call("sweep_storage").deleted == 0
    files.call("restore_entry", id=kept.id)
    assert files.texts() == [SHIP]


@pytest.mark.parametrize(
    "pattern", ["trash/m_*.json", "epochs/*.json", f"sessions/{sid('orphaned')}.json"]
)
def test_unreadable_documents_are_kept_and_reported(files: Bench, pattern: str) -> None:
    files.remember(CENTS)
    gone = files.remember(SHIP)
    files.call("forget_entry", id=gone.id)
    lived(files, "orphaned")
    (found,) = here(files).glob(pattern)
    os.truncate(found, files.settings.store.max_document_bytes + 1)
    age(files, 100)
    done: Swept = files.call("sweep_storage")
    path = str(found.relative_to(home(files)))
    assert found.exists()
    assert [error.path for error in done.logs[0].errors] == [path]
    assert done.logs[0].errors[0].reason.startswith(f"Could not read {found}: ")


def test_waiting_memories_are_promoted_before_a_stale_session_is_deleted(files: Bench) -> None:
    lived(files, "stale")
    waiting = PendingMemory(entry=entry("m_1", SHIP, source="explicit"))
    journal = PendingJournal(workspace=files.workspace(), entries=(waiting,))
    files.put((Ref(PendingJournal, files.key), journal))
    age(files, 100)
    assert files.call("sweep_storage").deleted > 0
    assert (files.texts(), files.journal().entries) == ([SHIP], ())


@contextmanager
def locked(bench: Bench, name: str) -> Iterator[None]:
    other = bench.reopen().store.core  # type: ignore[attr-defined]
    with other.disk.folder(f"workspaces/{bench.key}/sessions") as folder:
        taken = other.locks.take_all([(folder, name)])
        yield
        other.locks.release_all(taken)


def test_a_session_with_a_locked_state_is_kept_completely(files: Bench) -> None:
    lived(files, "stale")
    age(files, 100)
    before = tree(files)
    with locked(files, f"{sid('stale')}.json"):
        assert files.call("sweep_storage", dry_run=True).deleted == 0
        assert files.call("sweep_storage").deleted == 0
    assert tree(files) == before
    assert files.call("sweep_storage").deleted > 0


def test_files_locked_after_the_plan_are_kept_and_reported(files: Bench) -> None:
    """Where the system does not tell who holds a lock, taking it does."""
    lived(files, "stale")
    age(files, 100)
    run = sweep.Sweeping(files.runtime, files.key, SweepRun(), files.moment, most=10)
    plan = run.planned()
    before = tree(files)
    with locked(files, f"{sid('stale')}.json"):
        run.carry_out(plan)
    assert tree(files) == before
    assert [(e.path.rpartition("/")[2], e.reason) for e in run.errors] == [
        (f"{sid('stale')}.json", "locked")
    ]


def test_a_session_resumed_between_plan_and_deletion_is_kept(files: Bench) -> None:
    lived(files, "stale")
    age(files, 100)
    run = sweep.Sweeping(files.runtime, files.key, SweepRun(), files.moment, most=10)
    plan = run.planned()
    files.event("tool_finished", session="stale", tool="edit", name="Edit", paths=("a.py",))
    before = tree(files)
    run.carry_out(plan)
    assert tree(files) == before
    assert [error.reason for error in run.errors] == ["changed"]


class Enough(Exception):
    """Ends a sweep at one of its steps."""


def test_an_interrupted_run_is_completed_by_the_next(files: Bench) -> None:
    bench = limited(files, max_outputs=3)
    everything(bench)
    planned = {f.path for f in bench.call("sweep_storage", dry_run=True).logs[0].files}
    before = tree(bench)
    ends = 0
    for steps in range(400):
        left = steps

        def pause() -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Enough

        try:
            sweep.sweep_workspace(bench.runtime, bench.key, SweepRun(pause=pause))
        except Enough:
            ends += 1
        else:
            break
        assert before - tree(bench) <= planned
    assert ends > 50
    assert before - tree(bench) == planned


@pytest.mark.parametrize("gone", [True, False])
def test_a_session_without_its_transcript_is_deleted_after_a_day(files: Bench, gone: bool) -> None:
    transcript = files.project / "t.jsonl"
    transcript.write_text("{}")
    payload = {"session_id": "s-1", "cwd": str(files.project), "source": "startup"}
    with_transcript = {**payload, "transcript_path": str(transcript)}
    files.hook("claude-code", "SessionStart", with_transcript)
    files.store.flush()
    assert files.state().transcript == str(transcript)
    if gone:
        transcript.unlink()
    age(files, 2)
    done = files.call("sweep_storage")
    assert [count.rule for count in done.logs[0].rules] == (["lost_transcript"] if gone else [])


@pytest.mark.parametrize("steps", [60, 70, 80, 90, 10_000])
def test_a_run_ends_as_its_dry_run_said_with_the_daemons_sweep_between(
    files: Bench, steps: int
) -> None:
    bench = limited(files, max_outputs=3)
    everything(bench)
    transcript = bench.project / "t.jsonl"
    bench.event("session_started", session="lost", transcript=str(transcript))
    bench.store.flush()
    age(bench, 2, f"**/*{sid('lost')}*")
    before = tree(bench)
    planned: Swept = bench.call("sweep_storage", dry_run=True)
    assert "lost_transcript" in {file.rule for file in planned.logs[0].files}
    calls = iter(range(steps))

    def stop_later() -> None:
        if next(calls, None) is None:
            raise Enough

    with suppress(Enough):
        sweep.sweep_workspace(bench.runtime, bench.key, SweepRun("daily", pause=stop_later))
    between = before - tree(bench)
    done: Swept = bench.call("sweep_storage")
    named = {file.path for file in planned.logs[0].files}
    assert between <= named
    assert before - tree(bench) == named
    assert {file.path for file in done.logs[0].files} == named - between
    assert done.logs[0].errors == ()


def test_a_transcript_in_a_missing_folder_does_not_delete_the_session(files: Bench) -> None:
    files.event("session_started", transcript="/no/such/folder/t.jsonl")
    files.store.flush()
    age(files, 2)
    assert files.call("sweep_storage").deleted == 0


def test_a_sweep_after_events_stores_its_report_with_the_session(files: Bench) -> None:
    lived(files, "s-1")
    run = SweepRun(cause="events", session=sid("s-1"))
    sweep.sweep_workspace(files.runtime, files.key, run)
    log = files.store.read(Ref(SessionSweepLog, files.key, sid("s-1"))).document
    assert log is not None
    assert (log.session, log.cause) == (sid("s-1"), "events")
    files.event("session_deleted")
    assert not [name for name in home(files).rglob("*") if sid("s-1") in name.name]
    sweep.sweep_workspace(files.runtime, files.key, run)
    assert not [name for name in home(files).rglob("*") if sid("s-1") in name.name]


def test_the_largest_workspaces_lose_the_total_excess(files: Bench) -> None:
    bench = files
    for number in range(4):
        output(bench, number)
    age(bench, 1)
    size = sum(path.stat().st_size for path in here(bench).rglob("*") if path.is_file())
    other = home(bench) / "workspaces" / ("0" * 16) / "cache" / "tool-outputs"
    other.mkdir(parents=True)
    small = other / f"t_{7:020x}_{sid('x')}.json"
    small.write_text("x" * 40)
    os.utime(small, (bench.moment.timestamp() - 1e5,) * 2)
    one = size // 4
    limited(bench, total_max_bytes=size + 40 - one)
    done: Swept = bench.call("sweep_storage", everywhere=True)
    assert (done.workspaces, [log.workspace_key for log in done.logs]) == (2, [bench.key])
    assert [file.rule for file in done.logs[0].files] == ["quota"]
    assert small.exists()


def test_workspaces_swept_longest_ago_come_first(files: Bench) -> None:
    for key in ("b" * 16, "a" * 16):
        (home(files) / "workspaces" / key).mkdir(parents=True)
    files.remember(SHIP)
    files.call("sweep_storage")
    assert sweep.waiting_longest(files.runtime) == ["a" * 16, "b" * 16, files.key]


def test_evidence_is_checked_only_after_growth(files: Bench) -> None:
    files.remember(SHIP)
    log = sweep.sweep_workspace(files.runtime, files.key, SweepRun(evidence=Evidence.GROWN))
    assert log.evidence is None
    log = sweep.sweep_workspace(files.runtime, files.key, SweepRun())
    assert log.evidence is not None
    files.later(days=1)
    again = sweep.sweep_workspace(files.runtime, files.key, SweepRun(evidence=Evidence.GROWN))
    assert again.evidence is not None
    assert again.evidence.at == log.evidence.at


def test_an_unreadable_workspace_does_not_stop_the_others(files: Bench) -> None:
    files.remember(SHIP)
    odd = home(files) / "workspaces" / ("0" * 16)
    odd.mkdir(mode=0o700)
    (odd / "sessions").symlink_to(home(files))
    (odd / "cache").mkdir(mode=0o000)
    done: Swept = files.call("sweep_storage", everywhere=True)
    (odd / "cache").chmod(0o700)
    if os.geteuid() != 0:
        assert [(log.workspace_key, len(log.errors)) for log in done.logs] == [("0" * 16, 1)]
    assert done.workspaces == 2
    assert (odd / "sessions").is_symlink()


def test_an_unwritable_report_does_not_fail_the_sweep(files: Bench) -> None:
    gone = output(files, 1)
    age(files, 8, gone + "*")
    report = "workspaces/" + files.key + "/sweep.json"
    (here(files) / "sweep.json").mkdir()
    (here(files) / "sweep.json/file").write_text("x")
    done: Swept = files.call("sweep_storage")
    assert (done.deleted, [file.path for file in done.logs[0].files]) == (
        1,
        [f"workspaces/{files.key}/{gone}"],
    )
    assert [error.path for error in done.logs[0].errors] == [report]
    assert done.logs[0].errors[0].reason.startswith("Could not ")
