"""ST-3, EV-1: a repair is recorded in the evidence of its workspace."""

from __future__ import annotations

from tests.ops.conftest import SHIP, Bench
from wm.ops.storage.check import repair_store


def test_a_repaired_document_is_recorded_in_the_evidence(files: Bench) -> None:
    files.remember(SHIP)
    files.store.flush()
    folder = files.settings.paths.home / "workspaces" / files.key
    (folder / "workspace-memory.json").write_bytes(b"no json")
    bench = files.reopen()
    done = list(repair_store(bench.runtime))
    assert [f.code for f in done] == ["restored"]
    assert bench.texts() == [SHIP]
    told = bench.told("store_repaired")
    assert [(r.outcome, r.reason_codes, r.details["path"]) for r in told] == [
        ("repaired", ("restored",), "workspace-memory.json")
    ]
    assert bench.call("history").happenings[0].sentence.startswith("a file was repaired (")
    assert list(repair_store(bench.runtime)) == []


def test_without_a_repair_nothing_is_recorded(bench: Bench) -> None:
    bench.remember(SHIP)
    assert list(repair_store(bench.runtime)) == []
    assert bench.told("store_repaired") == []
