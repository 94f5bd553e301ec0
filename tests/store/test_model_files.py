"""Model folders are complete or absent, and a failed import leaves nothing behind."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from wm.errors import StoreError, UserError
from wm.settings import StoreSettings
from wm.store.files import FileStore
from wm.store.model_files import STALE_S, Staging, remove, sweep

NOW_S = 1_800_000_000.0


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "home", StoreSettings())


def test_files_are_written_with_their_digests_and_renamed_at_the_end(store: FileStore) -> None:
    with Staging(store, "small") as staging:
        files = staging.fill([("model.onnx", [b"one ", b"two"]), ("1_Pooling/config.json", [])])
        assert not (store.home / "models/small").exists()
        staging.keep()
    assert [(f.name, f.bytes) for f in files] == [("model.onnx", 7), ("1_Pooling/config.json", 0)]
    assert files[0].sha256 == hashlib.sha256(b"one two").hexdigest()
    assert (store.home / "models/small/model.onnx").read_bytes() == b"one two"
    assert (store.home / "models/small/model.onnx").stat().st_mode & 0o777 == 0o600


def test_a_failed_import_leaves_nothing(store: FileStore) -> None:
    def torn() -> Iterator[bytes]:
        yield b"half"
        raise UserError("no more")

    with Staging(store, "small") as staging, pytest.raises(UserError, match="no more"):
        staging.fill([("onnx/model.onnx", torn())])
    assert os.listdir(store.home / "models") == []


def test_a_folder_is_removed_with_its_contents_and_returns_its_size(store: FileStore) -> None:
    assert remove(store, "small") is None
    with Staging(store, "small") as staging:
        staging.fill([("model.onnx", [b"one ", b"two"]), ("1_Pooling/config.json", [b"{}"])])
        staging.keep()
    assert remove(store, "small") == 9
    assert os.listdir(store.home / "models") == []


def test_the_target_of_a_link_is_not_removed(store: FileStore, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("kept")
    (store.home / "models/small").mkdir(parents=True)
    (store.home / "models/small/link").symlink_to(outside)
    (store.home / "models/other").symlink_to(outside)
    assert remove(store, "small") is not None
    with pytest.raises(StoreError, match="Not a directory"):
        remove(store, "other")
    assert (outside / "mine").read_text() == "kept"


def test_a_model_whose_name_is_taken_is_not_replaced(store: FileStore) -> None:
    (store.home / "models/small").mkdir(parents=True)
    with Staging(store, "small") as staging:
        staging.fill([("model.onnx", [b"x"])])
        with pytest.raises(UserError, match="already"):
            staging.keep()
    assert os.listdir(store.home / "models") == ["small"]


def test_leftovers_of_a_killed_import_are_removed_after_a_day(
    store: FileStore, tmp_path: Path
) -> None:
    sweep(store, NOW_S)  # nothing exists yet
    left = store.home / "models/.small.0123456789abcdef.tmp"
    (left / "onnx").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.write_text("stays")
    (left / "onnx/model.onnx").symlink_to(outside)
    (store.home / "models/small").mkdir()
    os.utime(left, (NOW_S, NOW_S))
    sweep(store, NOW_S + STALE_S - 1)
    assert left.exists()
    sweep(store, NOW_S + STALE_S + 1)
    assert os.listdir(store.home / "models") == ["small"]
    assert outside.read_text() == "stays"
