"""Outputs: complete or absent, found by session, without blocking other writers (PR-3, ID-4)."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.samples import KEY, MEMORY, SID, memory
from wm.errors import StoreError, Unwritable
from wm.formats.tool_output import ToolOutput, file_name, of_file_name
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.base import Health, Ref
from wm.store.check import check
from wm.store.check.repair import repair
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle

SETTINGS = StoreSettings(lock_wait_s=0.05, max_document_bytes=5000)
OTHER_SID = "c4" * 16
FOLDER = f"workspaces/{KEY}/cache/tool-outputs"


@pytest.fixture
def files(tmp_path: Path) -> Iterator[FileStore]:
    made = FileStore(tmp_path / "wm", SETTINGS)
    yield made
    made.close()


def output(number: int = 1, session: str = SID, text: str = "one\ntwo") -> ToolOutput:
    return ToolOutput(id=f"t_{number:020x}", session=session, text=text, chars=len(text))


def ref(one: ToolOutput) -> Ref[ToolOutput]:
    return Ref(ToolOutput, KEY, file_name(one.id, one.session))


def keep(store: FileStore, *outputs: ToolOutput) -> None:
    for one in outputs:
        store.keep(ref(one), one)


def test_a_kept_output_is_read_completely_by_another_process(files: FileStore) -> None:
    keep(files, output(text="ligne é\n\x1b[31mred\x00"))
    again = FileStore(files.home, SETTINGS).read(ref(output()))
    assert again.health is Health.OK
    assert again.document is not None
    assert again.document.text == "ligne é\n\x1b[31mred\x00"


def test_the_same_output_twice_is_one_file(store: FileStore) -> None:
    keep(store, output(), output())
    assert store.names(ToolOutput, KEY) == (ref(output()).name,)
    assert store.read(ref(output())).health is Health.OK


def test_a_name_contains_handle_and_session(store: FileStore) -> None:
    keep(store, output(1), output(2, OTHER_SID))
    parsed = [of_file_name(name) for name in store.names(ToolOutput, KEY)]
    assert parsed == [(f"t_{1:020x}", SID), (f"t_{2:020x}", OTHER_SID)]


@pytest.mark.parametrize("name", ["", "t_1", "m_" + "0" * 20 + "_" + SID, "t_" + "0" * 20])
def test_a_foreign_name_has_no_handle_or_session(name: str) -> None:
    assert of_file_name(name) == ("", "")


def test_discard_removes_only_the_named_outputs(store: FileStore) -> None:
    keep(store, output(1), output(2))
    assert store.discard([ref(output(1)), ref(output(3))]) == 1
    assert store.names(ToolOutput, KEY) == (ref(output(2)).name,)
    assert store.read(ref(output(1))).health is Health.MISSING
    store.flush()


def test_an_output_over_the_document_limit_is_refused(store: FileStore) -> None:
    with pytest.raises(Unwritable, match="more than 5000"):
        keep(store, output(text="x" * 5000))
    assert store.names(ToolOutput, KEY) == ()


def test_only_outputs_are_written_without_a_transaction(files: FileStore) -> None:
    with pytest.raises(StoreError, match="in a transaction"):
        files.keep(MEMORY, memory("x"))
    with pytest.raises(StoreError, match="in a transaction"):
        files.discard([MEMORY])


def test_an_output_has_no_lock_and_no_previous_copy(files: FileStore) -> None:
    keep(files, output(), output())
    files.flush()
    [found] = (files.home / FOLDER).iterdir()
    assert found.name == f"{ref(output()).name}.json"
    assert found.stat().st_mode & 0o777 == 0o600
    assert list(check(files, deep=True)) == []


class FailingDisk(Disk):
    """Writes nothing but the key once the folder exists."""

    def write_some(self, file: Handle, data: memoryview) -> int:
        if "tool-outputs" in file.path:
            raise OSError(errno.ENOSPC, "no space", file.path)
        return super().write_some(file, data)


def test_a_full_disk_leaves_no_half_output(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "wm", SETTINGS, FailingDisk(tmp_path / "wm"))
    with pytest.raises(StoreError, match="no space"):
        keep(store, output())
    assert list((tmp_path / "wm" / FOLDER).iterdir()) == []
    assert not store.dirty()


@pytest.mark.parametrize(
    ("damage", "health", "code"),
    [
        (lambda raw: raw[: len(raw) // 2], Health.LOST, "unreadable"),
        (lambda raw: b"\0" * len(raw), Health.LOST, "unreadable"),
        (lambda raw: raw.replace(b"one", b"uno"), Health.OUTSIDE, "changed_outside"),
    ],
)
def test_damage_affects_only_that_output_and_is_reported(
    files: FileStore, damage: object, health: Health, code: str
) -> None:
    keep(files, output(1), output(2))
    path = files.home / FOLDER / f"{ref(output(1)).name}.json"
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    reading = files.read(ref(output(1)))
    assert (reading.document, reading.health) == (None, health)
    assert [(f.code, f.path) for f in check(files, deep=True)] == [(code, f"{FOLDER}/{path.name}")]
    assert files.read(ref(output(2))).health is Health.OK


def test_repair_moves_a_damaged_output_to_quarantine(files: FileStore) -> None:
    keep(files, output())
    path = files.home / FOLDER / f"{ref(output()).name}.json"
    path.write_bytes(b"{")
    assert [f.code for f in repair(files)] == ["unreadable"]
    assert files.read(ref(output())).health is Health.MISSING
    assert any(p.read_bytes() == b"{" for p in (files.home / paths.QUARANTINE).iterdir())


def test_an_output_in_the_wrong_file_is_reported(files: FileStore) -> None:
    files.keep(Ref(ToolOutput, KEY, file_name(f"t_{9:020x}", SID)), output(1))
    assert [f.code for f in check(files, deep=True)] == ["wrong_name"]
