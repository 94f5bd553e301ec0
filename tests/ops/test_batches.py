"""Updates that wait together: one fails alone, a failed commit fails all (ADR 0006, TR-2)."""

from __future__ import annotations

import errno
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from tests.ops.conftest import (
    CENTS,
    QUEUE,
    SHIP,
    Bench,
    QuickDisk,
    open_files,
    project_in,
    settings_of,
)
from wm.errors import StoreError, UserError
from wm.ops.storage.check import check_store
from wm.store.files import FileStore
from wm.store.fsops import Handle


def ask(text: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "remember", {"text": text, **fields}


def test_a_refused_update_fails_alone(bench: Bench) -> None:
    done = bench.batch(ask(SHIP), ask(CENTS, type="opinion"), ask(QUEUE))
    assert [type(d.error) for d in done] == [type(None), UserError, type(None)]
    assert bench.texts() == [SHIP, QUEUE]
    assert [r.details["text"] for r in bench.recorded("memory_promoted")] == [SHIP, QUEUE]


def test_an_update_without_a_workspace_fails_alone(bench: Bench) -> None:
    done = bench.batch(ask(SHIP), ask(CENTS, directory=str(bench.project / "gone")), ask(QUEUE))
    assert [d.error is None for d in done] == [True, False, True]
    assert bench.texts() == [SHIP, QUEUE]


def test_each_update_sees_the_earlier_ones(bench: Bench) -> None:
    done = bench.batch(ask(SHIP), ask(SHIP), ("inspect", {}))
    assert [d.response.outcome for d in done[:2] if d.response] == ["promoted", "absorbed"]
    assert done[2].response is not None
    assert [v.entry.text for v in done[2].response.entries] == [SHIP]


def test_an_entry_stored_and_forgotten_in_one_batch_is_in_the_trash(bench: Bench) -> None:
    """The trash's file has a name that was unknown when the locks were chosen."""
    event = {"session_id": "s-1", "agent": "tests"}
    done = bench.batch(
        ask(SHIP),
        (
            "record_event",
            {**event, "event": {"kind": "user_prompt", "text": f"Forget that {SHIP}"}},
        ),
    )
    assert [d.error for d in done] == [None, None]
    assert (bench.texts(), len(bench.trash())) == ([], 1)


class FullDisk(QuickDisk):
    """Has room until it is set to have none."""

    full = False

    def flush(self, handle: Handle) -> None:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device", handle.path)
        super().flush(handle)


def test_a_failed_commit_fails_all_updates_and_changes_nothing(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    disk = FullDisk(settings.paths.home)
    bench = Bench(settings, project_in(tmp_path), FileStore(disk.home, settings.store, disk))
    bench.remember(SHIP)
    disk.full = True
    done = bench.batch(ask(CENTS), ask(CENTS, type="opinion"), ask(QUEUE))
    assert [isinstance(d.error, StoreError) for d in done] == [True, False, True]
    assert "disk is full" in str(done[0].error) or "No space" in str(done[0].error)
    assert isinstance(done[1].error, UserError)
    disk.full = False
    assert bench.texts() == [SHIP]
    assert bench.reopen().texts() == [SHIP]
    bench.remember(CENTS)
    assert bench.texts() == [SHIP, CENTS]
    bench.store.close()


def write_many(folder: Path, who: int, count: int) -> None:
    settings = settings_of(folder)
    bench = Bench(settings, (folder / "shop").resolve(), open_files(settings), drawn=who * 10_000)
    bench.event("session_started", session=f"s-{who}")
    for number in range(count):
        bench.remember(f"The service number {who}-{number} belongs to team {who} of the shop.")
        bench.prompt(f"s-{who}")
    bench.store.close()


def test_two_processes_on_one_home_lose_nothing(tmp_path: Path) -> None:
    project_in(tmp_path)
    spawn = multiprocessing.get_context("fork")
    both = [spawn.Process(target=write_many, args=(tmp_path, who, 12)) for who in (1, 2)]
    for process in both:
        process.start()
    for process in both:
        process.join(30)
    assert [process.exitcode for process in both] == [0, 0]
    settings = settings_of(tmp_path)
    bench = Bench(settings, (tmp_path / "shop").resolve(), open_files(settings))
    assert sorted(bench.texts()) == sorted(
        f"The service number {who}-{number} belongs to team {who} of the shop."
        for who in (1, 2)
        for number in range(12)
    )
    assert list(check_store(bench.runtime, deep=True)) == []
    bench.store.close()


@pytest.mark.parametrize("name", ["remember", "forget_entry", "record_event", "prompt"])
def test_no_use_case_changes_another_workspace(bench: Bench, name: str) -> None:
    fields: dict[str, Any] = {
        "remember": {"text": SHIP},
        "forget_entry": {"id": "m_nothing"},
        "record_event": {"session_id": "s", "event": {"kind": "session_started"}},
        "prompt": {"session_id": "s"},
    }[name]
    (done,) = bench.batch((name, {**fields, "directory": "", "workspace": "0123"}))
    assert isinstance(done.error, UserError)
    assert str(done.error) == "The workspace key '0123' is not known."
    assert bench.store.workspaces() == ()
