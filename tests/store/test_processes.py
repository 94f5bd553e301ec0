"""Several processes on one data folder (TR-2, F55)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.store.samples import KEY, MEMORY
from wm.settings import StoreSettings
from wm.store.base import Health
from wm.store.files import FileStore

WRITER = """
import sys
from pathlib import Path
from tests.store.samples import MEMORY, SESSION, entry, memory, record, session
from wm.settings import StoreSettings
from wm.store.files import FileStore
home, worker, updates = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
store = FileStore(home, StoreSettings(lock_wait_s=60))
print("ready", flush=True)
sys.stdin.read()
for update in range(updates):
    with store.transaction([MEMORY, SESSION]) as tx:
        kept = tx.read(MEMORY).document or memory()
        number = worker * 1000 + update
        entries = (*kept.entries, entry(f"{worker}", number))
        tx.put(MEMORY, kept.model_copy(update={"entries": entries}))
        state = tx.read(SESSION).document or session()
        tx.put(SESSION, state.model_copy(update={"compactions": state.compactions + 1}))
        tx.log(record(number))
store.close()
"""


def start(home: Path, worker: int, updates: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home), str(worker), str(updates)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def test_updates_of_several_processes_add_up_exactly(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    workers, updates = 4, 50
    processes = [start(home, worker, updates) for worker in range(1, workers + 1)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    for process in processes:
        assert process.wait(timeout=60) == 0
        assert process.stdout is not None
        process.stdout.close()
    store = FileStore(home, StoreSettings())
    expected = {
        f"{worker * 1000 + update}" for worker in range(1, workers + 1) for update in range(updates)
    }
    memory = store.read(MEMORY)
    assert memory.health is Health.OK
    assert memory.document is not None
    assert {kept.id for kept in memory.document.entries} == {f"m_{number}" for number in expected}
    assert memory.document.generation == workers * updates
    logged = store.evidence(KEY)
    assert {kept.event_id for kept in logged.records} == {f"ev_{number}" for number in expected}
    assert (logged.damaged, logged.torn_bytes) == (0, 0)
    assert not list(home.rglob("*.tmp"))


def test_a_reader_never_sees_anything_but_whole_generations(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    process = start(home, 1, 60)
    assert process.stdin is not None
    process.stdin.close()
    store = FileStore(home, StoreSettings())
    seen = [0]
    while process.poll() is None:
        reading = FileStore(home, StoreSettings()).read(MEMORY)
        assert reading.health in (Health.OK, Health.MISSING), reading.detail
        generation = 0 if reading.document is None else reading.document.generation
        assert generation >= seen[-1]
        seen.append(generation)
    assert process.stdout is not None
    process.stdout.close()
    assert process.returncode == 0
    last = store.read(MEMORY).document
    assert last is not None
    assert last.generation == 60
