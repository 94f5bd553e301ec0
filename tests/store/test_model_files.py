"""Folders of models: whole or not there, and nothing is left of what failed."""

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


def test_files_are_written_with_their_digests_and_take_the_name_at_the_end(
    store: FileStore,
) -> None:
    with Staging(store, "small") as staging:
        files = staging.fill([("model.onnx", [b"one ", b"two"]), ("1_Pooling/config.json", [])])
        assert not (store.home / "models/small").exists()
        staging.keep()
    assert [(f.name, f.bytes) for f in files] == [("model.onnx", 7), ("1_Pooling/config.json", 0)]
    assert files[0].sha256 == hashlib.sha256(b"one two").hexdigest()
    assert (store.home / "models/small/model.onnx").read_bytes() == b"one two"
    assert (store.home / "models/small/model.onnx").stat().st_mode & 0o777 == 0o600


def test_nothing_is_left_of_what_failed(store: FileStore) -> None:
    def torn() -> Iterator[bytes]:
        yield b"half"
        raise UserError("no more")

    with Staging(store, "small") as staging, pytest.raises(UserError, match="no more"):
        staging.fill([("onnx/model.onnx", torn())])
    assert os.listdir(store.home / "models") == []


def test_a_folder_goes_with_all_that_is_in_it_and_says_how_much_that_was(store: FileStore) -> None:
    assert remove(store, "small") is None
    with Staging(store, "small") as staging:
        staging.fill([("model.onnx", [b"one ", b"two"]), ("1_Pooling/config.json", [b"{}"])])
        staging.keep()
    assert remove(store, "small") == 9
    assert os.listdir(store.home / "models") == []


def test_what_a_link_leads_to_stays(store: FileStore, tmp_path: Path) -> None:
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


def test_a_name_that_is_taken_stays_what_it_was(store: FileStore) -> None:
    (store.home / "models/small").mkdir(parents=True)
    with Staging(store, "small") as staging:
        staging.fill([("model.onnx", [b"x"])])
        with pytest.raises(UserError, match="already"):
            staging.keep()
    assert os.listdir(store.home / "models") == ["small"]


def test_what_a_killed_import_left_goes_a_day_later(store: FileStore, tmp_path: Path) -> None:
    sweep(store, NOW_S)  # nothing is there yet
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
