"""Saved vectors: complete or absent, never used unverified (RC-3)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.store.damage import (
    DAMAGES,
    KEY,
    MAKER,
    OTHER,
    WIDE,
    begin,
    damage,
    file_of,
    folder_of,
    made,
    outcome,
)
from tests.store.twin import MemoryStore, discard_vectors
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.base import Maker, SavedVectors
from wm.store.check import check
from wm.store.check.repair import repair
from wm.store.files import FileStore
from wm.store.vectors import graph

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["files", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileStore]:
    settings = StoreSettings()
    files = request.param == "files"
    opened: FileStore = FileStore(tmp_path / "wm", settings) if files else MemoryStore(settings)
    yield opened
    opened.close()


@pytest.fixture
def files(tmp_path: Path) -> Iterator[FileStore]:
    opened = begin(tmp_path / "wm")
    yield opened
    opened.close()


def contents(saved: SavedVectors | None) -> tuple[object, ...] | None:
    if saved is None:
        return None
    over = saved.graph and (saved.graph.maker, saved.graph.vectors, bytes(saved.graph.body))
    return bytes(saved.digests), list(saved.pieces), bytes(saved.rows), over


def test_vectors_are_read_back_only_after_a_save(store: FileStore) -> None:
    assert store.vectors(KEY, MAKER) is None
    assert store.keep_vectors(KEY, MAKER, made())
    assert contents(store.vectors(KEY, MAKER)) == contents(made())


@pytest.mark.parametrize(
    "other",
    [
        WIDE,
        replace(MAKER, id="large"),
        replace(MAKER, revision="r2"),
        replace(MAKER, token_limit=9),
    ],
)
def test_each_model_has_its_own_vectors(store: FileStore, other: Maker) -> None:
    store.keep_vectors(KEY, MAKER, made())
    assert store.vectors(KEY, other) is None
    store.keep_vectors(KEY, other, made(other, seed=2))
    assert contents(store.vectors(KEY, MAKER)) == contents(made())


def test_a_later_save_replaces_all_of_an_earlier_one(store: FileStore) -> None:
    store.keep_vectors(KEY, MAKER, made())
    later = replace(made(seed=2), graph=None)
    store.keep_vectors(KEY, MAKER, later)
    assert contents(store.vectors(KEY, MAKER)) == contents(later)


def test_vectors_that_were_deleted_are_absent_and_those_of_others_are_not(store: FileStore) -> None:
    for key in (KEY, OTHER):
        store.keep_vectors(key, MAKER, replace(made(), graph=None))
    assert discard_vectors(store, KEY) == 1
    assert discard_vectors(store, KEY) == 0
    assert store.vectors(KEY, MAKER) is None
    assert store.vectors(OTHER, MAKER) is not None


def test_an_empty_set_of_vectors_can_be_saved(store: FileStore) -> None:
    store.keep_vectors(KEY, MAKER, SavedVectors(b"", array("H"), b""))
    assert contents(store.vectors(KEY, MAKER)) == (b"", [], b"", None)


def test_vectors_over_the_limit_are_not_saved(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "wm", StoreSettings(max_vector_bytes=5000))
    assert not store.keep_vectors(KEY, MAKER, made())
    assert store.vectors(KEY, MAKER) is None


def test_saving_does_not_wait_for_another_process(files: FileStore) -> None:
    name = paths.vectors_file(MAKER, "rows")
    with files.disk.folder(paths.vectors_folder(KEY)) as folder:
        held = files.core.locks.take_all([(folder, name)])
        try:
            assert not FileStore(files.home, StoreSettings()).keep_vectors(KEY, MAKER, made(seed=2))
        finally:
            files.core.locks.release_all(held)
    assert contents(files.vectors(KEY, MAKER)) == contents(made())


def test_files_are_for_their_user_only(files: FileStore) -> None:
    modes = {file.name: file.stat().st_mode & 0o777 for file in folder_of(files).iterdir()}
    assert set(modes.values()) == {0o600}
    assert folder_of(files).stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("number", range(len(DAMAGES)), ids=lambda n: DAMAGES[n].__name__)
def test_a_damaged_file_reads_as_absent(files: FileStore, number: int) -> None:
    original = {kind: file_of(files, kind).read_bytes() for kind in ("rows", "graph")}
    damage(files, number, original)
    assert outcome(files) in ("absent", "without its graph")


def test_a_hundred_damaged_files_never_crash_the_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.store.damage", str(tmp_path / "wm"), "100", "100"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "absent" in done.stdout


def test_a_change_to_a_file_after_the_check_has_no_effect(files: FileStore) -> None:
    found = files.vectors(KEY, MAKER)
    for kind in ("rows", "graph"):
        os.truncate(file_of(files, kind), 10)
    assert contents(found) == contents(made())


def test_a_graph_over_another_number_of_rows_is_rejected(files: FileStore) -> None:
    found = files.vectors(KEY, MAKER)
    assert found is not None
    assert found.graph is not None
    body = bytes(found.graph.body)
    assert graph.restore(body, MAKER.dimension, 120) is not None
    assert graph.restore(body, MAKER.dimension, 119) is None
    assert graph.restore(body, WIDE.dimension, 120) is None


def test_the_checker_reports_damage_and_repair_removes_it(files: FileStore) -> None:
    file = file_of(files, "graph")
    raw = file.read_bytes()
    file.write_bytes(raw[:-1])
    findings = [f for f in check(files, deep=True) if f.code == "damaged_vectors"]
    assert [(f.path.rpartition("/")[2], f.severity, f.repairable) for f in findings] == [
        (file.name, "note", True)
    ]
    assert [f.message for f in repair(files)] == ["Removed; the next search computes them again."]
    assert not file.exists()
    assert file_of(files, "rows").exists()


def test_the_checker_has_no_findings_for_intact_vectors(files: FileStore) -> None:
    found = [f for f in check(files, deep=True) if paths.VECTORS in f.path]
    assert found == []


def test_the_checker_follows_no_link_and_removes_none(files: FileStore) -> None:
    file = file_of(files, "rows")
    DAMAGES[[d.__name__ for d in DAMAGES].index("_link")](files, file, random.Random(1))
    codes = {f.path.rpartition("/")[2]: f.code for f in check(files, deep=True)}
    assert codes[file.name] == "not_ours"
    list(repair(files))
    assert file.is_symlink()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("embedded", "embedded-d7a63c51f0bb.rows"),
        ("All MiniLM/L6", "all-minilm-l6-"),
        ("../../x", "x-"),
        ("模型", "model-"),
        ("x" * 300, "x" * 40 + "-"),
    ],
)
def test_a_model_name_never_becomes_a_path(model: str, name: str) -> None:
    found = paths.vectors_file(Maker(model, "r", 256, 256), "rows")
    assert paths.is_vectors(found)
    assert found.startswith(name[: name.index("-") + 1])
