"""Faults that the tools of this folder found, each as a plain test."""

from __future__ import annotations

import errno
from collections import Counter
from pathlib import Path

import pytest

from tests.crash.faults import Fault, FaultDisk, attempt, stage
from tests.crash.scenes import CENTS, LINT, SHIP, Bench, keep
from tests.crash.test_faults import named
from wm.errors import StoreError
from wm.formats.workspace_memory import WorkspaceMemory
from wm.store import envelope
from wm.store.base import Health, Ref


def begun(folder: Path) -> Bench:
    project = folder / "project"
    project.mkdir()
    bench = Bench(folder / "home", project)
    keep(SHIP)(bench)
    bench.store.close()
    return Bench(folder / "home", project, number=1)


def texts(bench: Bench) -> dict[str, str]:
    return {entry.text: entry.status for entry in bench.memory().entries}


def test_a_memory_file_from_another_machine_waits_completely_in_the_inbox(folder: Path) -> None:
    other = begun(folder)
    for name in ("local.key", ".local.key.spare"):
        (other.home / name).unlink()
    here = Bench(other.home, other.project, number=2)
    keep(LINT)(here)
    assert texts(here) == {SHIP: "inbox", LINT: "active"}


def test_a_higher_version_number_does_not_activate_foreign_text(folder: Path) -> None:
    bench = begun(folder)
    file = bench.place("workspace-memory.json")
    raw = file.read_bytes().replace(b'"version": 3', b'"version": 9')
    file.write_bytes(raw.replace(b"make ship", b"make sink"))
    reading = bench.store.read(Ref(WorkspaceMemory, bench.key))
    assert reading.health is Health.TOO_NEW
    assert texts(bench) == {SHIP: "active"}


def test_known_fields_of_a_document_of_a_newer_wm_are_read(folder: Path) -> None:
    bench = begun(folder)
    document = bench.memory()
    key = bench.store.core.key_to_write()

    class Newer(WorkspaceMemory):
        current_version = 9

    raw, _ = envelope.encode(Newer.model_validate(document.model_dump()), 7, key)
    bench.place("workspace-memory.json").write_bytes(raw)
    reading = bench.store.read(Ref(WorkspaceMemory, bench.key))
    assert (reading.health, reading.document and reading.document.generation) == (Health.TOO_NEW, 7)


@pytest.mark.parametrize("sticky", [False, True])
def test_a_key_that_could_not_be_written_leaves_no_file(folder: Path, sticky: bool) -> None:
    (folder / "project").mkdir()
    counting = FaultDisk(folder / "count")
    keep(CENTS)(Bench(folder / "count", folder / "project", counting))
    first = counting.log.index("write_some") + 1
    disk = FaultDisk(folder / "home", first, Fault(errno.ENOSPC, sticky))
    bench = Bench(folder / "home", folder / "project", disk)
    with pytest.raises(StoreError, match="No space left"):
        keep(CENTS)(bench)
    disk.heal()
    keep(CENTS)(bench)
    assert not list((folder / "home").rglob("*.tmp"))


@pytest.mark.parametrize("failing", ["write_some", "flush", "rename"])
def test_a_repair_that_a_full_disk_stops_leaves_no_temporary_file(
    folder: Path, failing: str
) -> None:
    """The disk stays full, so the temporary file of a previous copy cannot be removed at once."""
    made = stage(named("repair"), folder)
    last = max(at for at, call in enumerate(made.calls, 1) if call == "rename")
    at = max(at for at, call in enumerate(made.calls[:last], 1) if call == failing)
    _ended, problems = attempt(made, at, Fault(errno.ENOSPC, sticky=True), Counter())
    assert not problems
