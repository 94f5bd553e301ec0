"""ST-3, EV-1: a repair is recorded in the evidence of its workspace."""

from __future__ import annotations

from tests.ops.conftest import SHIP, Bench
from wm.ops.storage.check import check_store, repair_store


def test_a_repaired_document_is_recorded_in_the_evidence(files: Bench) -> None:
    files.remember(SHIP)
    files.store.flush()
    folder = files.settings.paths.home / "workspaces" / files.key
    (folder / "workspace-memory.json").write_bytes(b"no json")
    bench = files.reopen()
    done = list(repair_store(bench.runtime))
    assert [f.code for f in done] == ["restored"]
    assert bench.texts() == [SHIP]
    records = bench.recorded("store_repaired")
    assert [(r.outcome, r.reason_codes, r.details["path"]) for r in records] == [
        ("repaired", ("restored",), "workspace-memory.json")
    ]
    assert bench.call("history").happenings[0].sentence.startswith("a file was repaired (")
    assert list(repair_store(bench.runtime)) == []


def test_without_a_repair_nothing_is_recorded(files: Bench) -> None:
    files.remember(SHIP)
    assert list(repair_store(files.runtime)) == []
    assert files.recorded("store_repaired") == []


def test_the_memory_of_the_user_is_checked_repaired_swept_and_exported(files: Bench) -> None:
    files.call("remember", text="Always answer in German.", user=True)
    files.remember(SHIP)
    files.store.flush()
    assert [f.code for f in check_store(files.runtime, deep=True) if f.severity != "note"] == []
    assert "unknown_file" not in {f.code for f in check_store(files.runtime, deep=True)}
    assert files.call("sweep_storage", everywhere=True).workspaces == 2
    kept = files.call("export_workspace", workspace="user", directory="").documents
    assert "Always answer in German." in str(kept["workspace_memory"])
    folder = files.settings.paths.home / "user"
    (folder / "workspace-memory.json").write_bytes(b"no json")
    bench = files.reopen()
    found = {
        (f.code, f.path) for f in check_store(bench.runtime, deep=False) if f.severity != "note"
    }
    assert ("restored", "user/workspace-memory.json") in found
    assert [f.code for f in repair_store(bench.runtime)] == ["restored"]
    views = bench.call("inspect", workspace="user", directory="").entries
    assert [v.entry.text for v in views] == ["Always answer in German."]
