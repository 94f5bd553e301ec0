"""Thousands of session files do not slow down what looks at the newest sessions."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ops.conftest import SHIP, Bench, QuickDisk, project_in, settings_of
from wm.store.files import FileStore
from wm.store.fsops import Handle
from wm.store.paths import sid

MANY = 20_000
MOST_READS = 400
"""Files that one command may read here: six of each of 50 sessions, and those of the workspace."""


class CountingDisk(QuickDisk):
    reads = 0

    def read(self, folder: Handle, name: str, limit: int) -> bytes:
        self.reads += 1
        return super().read(folder, name, limit)


def made(folder: Path, old: int) -> Bench:
    """A workspace with so many old sessions and a new one."""
    settings = settings_of(folder)
    disk = CountingDisk(settings.paths.home)
    bench = Bench(
        settings, project_in(folder), FileStore(settings.paths.home, settings.store, disk)
    )
    bench.remember(SHIP)
    work(bench, "old")
    (sessions,) = settings.paths.home.glob("workspaces/*/sessions")
    state = sessions / f"{sid('old')}.json"
    os.utime(state, (1, 1))
    for number in range(old):
        os.link(state, sessions / f"{sid(str(number))}.json")
    bench.later(days=1)
    work(bench, "new")
    return bench


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    bench = made(tmp_path_factory.mktemp("crowded"), MANY)
    yield bench
    bench.store.close()


def work(bench: Bench, session: str) -> None:
    bench.event("session_started", session=session)
    bench.event("tool_finished", session=session, tool="edit", name="Edit", paths=("a.py",))
    bench.call("change_block", session_id=session, block="goal", content="Ship it.")
    bench.store.flush()


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("inspect", {}),
        ("list_workspaces", {}),
        ("diag_status", {}),
        ("diag_health", {}),
        ("diag_trace", {}),
        ("search", {"query": "deploy"}),
        ("prompt", {"session_id": "next"}),
        ("handoff", {}),
        ("read_blocks", {"session_id": "newest"}),
        ("recap_sessions", {}),
    ],
)
def test_a_command_does_not_read_all_sessions(
    crowded: Bench, name: str, fields: dict[str, Any]
) -> None:
    disk = crowded.store.disk
    assert isinstance(disk, CountingDisk)
    before = disk.reads
    crowded.call(name, **fields)
    assert disk.reads - before <= MOST_READS


def test_inspect_lists_the_newest_session_first_and_counts_all(crowded: Bench) -> None:
    before = crowded.call("inspect").session_count
    work(crowded, "latest")
    found = crowded.call("inspect")
    assert found.sessions[0].session_id == "latest"
    assert (len(found.sessions), found.session_count) == (50, before + 1)
    assert len(crowded.call("inspect", all_sessions=True).sessions) > MANY


def test_inspect_in_a_daemon_takes_no_longer_than_with_few_sessions(
    crowded: Bench, tmp_path: Path
) -> None:
    few = made(tmp_path, old=50)
    try:
        assert best_s(crowded) < 4 * best_s(few)
    finally:
        few.store.close()


def best_s(bench: Bench) -> float:
    """The shortest of several calls: the load of the machine varies."""
    spans = []
    for _ in range(12):
        begun = time.perf_counter()
        bench.call("inspect")
        spans.append(time.perf_counter() - begun)
    return min(spans)
