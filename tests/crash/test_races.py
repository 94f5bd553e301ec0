"""Processes that are frozen and killed while they write: every acknowledged update is there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.crash.conftest import Report
from tests.crash.races import MEMORY, Race, hold, race
from wm.errors import Busy
from wm.settings import StoreSettings
from wm.store.files import FileStore


def counts_of(result: Race) -> dict[str, object]:
    return {
        "acknowledged": result.acknowledged, "present": result.present, "killed": result.killed,
        "frozen": result.frozen, "seconds": round(result.seconds),
    }  # fmt: skip


@pytest.mark.crash
def test_8_processes_with_1000_updates_each_lose_none(folder: Path, report: Report) -> None:
    result = race(folder / "home", 8, 1000, seed=1)
    report("races", counts_of(result))
    assert result.problems == []
    assert result.acknowledged >= 8000
    assert result.killed > 50
    assert result.frozen > 50


def test_4_processes_with_50_updates_each_lose_none(folder: Path) -> None:
    result = race(folder / "home", 4, 50, seed=2, pauses_s=(0.03, 0.15))
    assert result.problems == []
    assert result.acknowledged >= 200
    assert result.killed + result.frozen > 0


def test_a_frozen_holder_is_named_within_the_wait(folder: Path) -> None:
    home = folder / "home"
    pid, pipe = hold(home)
    try:
        assert os.read(pipe, 1) == b"a"
        os.kill(pid, signal.SIGSTOP)
        store = FileStore(home, StoreSettings(lock_wait_s=0.2))
        with pytest.raises(Busy, match=f"process {pid} "):
            store.transaction([MEMORY])
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with store.transaction([MEMORY]):
            pass
    finally:
        os.close(pipe)
