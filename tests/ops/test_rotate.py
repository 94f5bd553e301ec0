"""GV-3: old evidence is purged, and `why` still works for every entry."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench
from wm.errors import StoreError
from wm.ops.runtime import Ids, make_runtime
from wm.ops.storage.evidence_rotation import rotate


def eager(bench: Bench, **limits: int) -> Bench:
    """The same home with limits that a test can reach."""
    changes: dict[str, Any] = {"evidence_purge_at_least": 1, **limits}
    store = replace(bench.settings.store, **changes)
    bench.settings = replace(bench.settings, store=store)
    bench.runtime = make_runtime(
        bench.settings, bench.store, now=lambda: bench.moment, ids=Ids(bench._random)
    )
    return bench


def noise(bench: Bench, count: int = 3) -> None:
    for number in range(count):
        bench.event("user_prompt", text=f"Don't remember that dock {number} is closed.")


def ids(bench: Bench) -> list[str]:
    return [record.event_id for record in bench.recorded()]


def test_why_undo_and_audit_work_for_every_entry_after_a_purge(files: Bench) -> None:
    bench = eager(files, evidence_max_age_days=90)
    noise(bench)
    kept = bench.remember(SHIP)
    bench.call("edit_entry", id=kept.id, text=CENTS)
    gone = bench.remember(QUEUE)
    bench.call("forget_entry", id=gone.id)
    bench.prompt()
    bench.later(days=91)
    before = bench.call("why", subject=kept.id).sentences
    done = rotate(bench.runtime, bench.key)
    assert (done.purged, done.records - done.purged) == (4, len(bench.recorded()))
    after = bench.call("why", subject=kept.id).sentences
    assert [s for s in before if "prompt" not in s] == list(after)
    assert bench.call("diag_audit").remarks == ()
    assert bench.call("diag_disappearances").unexplained == 0
    bench.call("undo")
    assert sorted(bench.texts()) == sorted([CENTS, QUEUE])
    bench.call("undo", act=kept.id)
    assert sorted(bench.texts()) == sorted([SHIP, QUEUE])


def test_over_the_limit_the_oldest_records_are_purged(files: Bench) -> None:
    bench = eager(files, evidence_max_events=2)
    kept = bench.remember(SHIP)
    noise(bench, 5)
    newest = ids(bench)[-2:]
    rotate(bench.runtime, bench.key)
    assert ids(bench) == [bench.recorded("memory_promoted")[0].event_id, *newest]
    assert bench.call("why", subject=kept.id).records


def test_a_dry_run_reports_the_same_as_the_run(files: Bench) -> None:
    bench = eager(files, evidence_max_events=2)
    noise(bench, 5)
    planned = rotate(bench.runtime, bench.key, dry_run=True)
    assert len(bench.recorded()) == 5
    done = rotate(bench.runtime, bench.key)
    assert (planned.purged, planned.bytes) == (done.purged, done.bytes) == (3, done.bytes)


def test_too_few_old_records_are_not_purged(files: Bench) -> None:
    noise(files, 5)
    files.later(days=400)
    assert rotate(files.runtime, files.key).purged == 0


def test_nothing_is_purged_while_the_memory_is_unreadable(files: Bench) -> None:
    bench = eager(files, evidence_max_events=1)
    bench.remember(SHIP)
    noise(bench, 3)
    folder = bench.settings.paths.home / "workspaces" / bench.key
    for file in folder.iterdir():
        if "workspace-memory.json" in file.name and not file.name.endswith(".lock"):
            file.write_bytes(b"no json")
    records = len(bench.recorded())
    with pytest.raises(StoreError, match="cannot be read, so nothing is purged"):
        rotate(bench.runtime, bench.key)
    assert len(bench.recorded()) == records
