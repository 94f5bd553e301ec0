"""Flows on real files: torn tails, damaged lines, and a log that has grown too large."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.samples import KEY, SID
from tests.store.test_promises import flow
from wm.settings import StoreSettings
from wm.store import check, session_logs
from wm.store.files import FileStore


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "wm", StoreSettings())


def log(store: FileStore) -> Path:
    return store.home / "workspaces" / KEY / "flows" / f"{SID}.jsonl"


def numbers(store: FileStore) -> list[int]:
    return [found.answer_bytes for found in store.flows(KEY, SID)]


def test_a_log_is_private_and_known_to_the_checker(store: FileStore) -> None:
    store.append_flow(KEY, SID, flow(1))
    assert log(store).stat().st_mode & 0o777 == 0o600
    assert [f for f in check.check(store, deep=True) if f.severity != "note"] == []


def test_an_incomplete_last_line_is_removed_by_the_next_writer(store: FileStore) -> None:
    store.append_flow(KEY, SID, flow(1))
    with log(store).open("ab") as file:
        file.write(b'{"flowId": "torn')
    assert numbers(store) == [1]
    store.append_flow(KEY, SID, flow(2))
    assert numbers(store) == [1, 2]
    assert b"torn" not in log(store).read_bytes()


def test_a_damaged_line_loses_only_itself(store: FileStore) -> None:
    for number in range(3):
        store.append_flow(KEY, SID, flow(number))
    raw = bytearray(log(store).read_bytes())
    raw[raw.index(b'"f_1"') + 1] ^= 1
    log(store).write_bytes(bytes(raw))
    assert numbers(store) == [0, 2]


def test_an_oversized_log_keeps_its_newer_half(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_logs, "MAX_FLOW_BYTES", 4000)
    for number in range(40):
        store.append_flow(KEY, SID, flow(number))
    found = numbers(store)
    assert found == list(range(found[0], 40))
    assert 0 < found[0] < 40
    assert log(store).stat().st_size < 5000
