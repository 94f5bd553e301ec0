"""The quarantine folder."""

from __future__ import annotations

import json
from pathlib import Path

from tests.store.samples import MEMORY, memory
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.files import FileStore
from wm.store.fsops import Disk
from wm.store.quarantine import Quarantine


def test_a_kept_file_names_its_source_and_reason(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.json").write_bytes(b"bytes")
    with disk.folder("sub") as folder:
        path = Quarantine(disk, 5, 1024).keep(folder, "a.json", "it is no JSON")
    assert path.startswith("quarantine/sub--a.json--")
    assert (tmp_path / path).read_bytes() == b"bytes"
    assert (tmp_path / path).stat().st_ino == (tmp_path / "sub" / "a.json").stat().st_ino
    reason = json.loads((tmp_path / f"{path}.reason.json").read_text())
    assert reason == {"path": "sub/a.json", "reason": "it is no JSON"}
    assert (tmp_path / "quarantine").stat().st_mode & 0o777 == 0o700


def test_a_folder_or_a_symlink_is_moved(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to("nowhere")
    with disk.folder("") as folder:
        one = Quarantine(disk, 5, 1024).keep(folder, "a", "a folder")
        other = Quarantine(disk, 5, 1024).keep(folder, "b", "a symlink")
    assert (tmp_path / one).is_dir()
    assert (tmp_path / other).is_symlink()
    assert not (tmp_path / "a").exists()


def test_over_the_cap_the_oldest_files_are_deleted_and_folders_kept(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    quarantine = Quarantine(disk, 3, 1024)
    (tmp_path / "old").mkdir()
    kept = []
    with disk.folder("") as folder:
        kept.append(quarantine.keep(folder, "old", "a folder"))
        for number in range(6):
            (tmp_path / f"f{number}").write_text(f"{number}")
            kept.append(quarantine.keep(folder, f"f{number}", "test"))
    left = [path for path in kept if (tmp_path / path).exists()]
    assert left[0] == kept[0]
    assert left[-1] == kept[-1]
    assert len(left) == 3 + 1
    reasons = list((tmp_path / "quarantine").glob("*.reason.json"))
    assert len(reasons) == len(left)


def test_without_hard_links_a_file_is_moved(tmp_path: Path) -> None:
    class PlainDisk(Disk):
        def link(self, *args: object, **kwargs: object) -> None:
            raise OSError(1, "no links here")

    disk = PlainDisk(tmp_path)
    (tmp_path / "a").write_bytes(b"bytes")
    with disk.folder("") as folder:
        path = Quarantine(disk, 5, 1024).keep(folder, "a", "test")
    assert (tmp_path / path).read_bytes() == b"bytes"
    assert not (tmp_path / "a").exists()


def test_a_document_with_a_secret_is_kept_redacted(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    (tmp_path / "a.json").write_bytes(b"{key-1 \xff broken")
    (tmp_path / "local.key").write_bytes(b"key-1")
    quarantine = Quarantine(disk, 5, 1024, lambda text: text.replace("key-1", "[secret]"))
    with disk.folder("") as folder:
        document = quarantine.keep(folder, "a.json", "it is no JSON")
        key = quarantine.keep(folder, "local.key", "damaged key file")
    assert (tmp_path / document).read_bytes() == b"{[secret] \xff broken"
    assert (tmp_path / document).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "a.json").read_bytes() == b"{key-1 \xff broken"
    assert (tmp_path / key).read_bytes() == b"key-1"


def test_a_readable_document_of_any_size_is_kept_redacted(tmp_path: Path) -> None:
    settings = StoreSettings()
    store = FileStore(tmp_path, settings)
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("older"))
    token = b"ghp_" + b"a1B2c3D4e5F6" * 3
    damaged = (b"{" + token).ljust(settings.max_document_bytes)
    (tmp_path / paths.place(MEMORY).path).write_bytes(damaged)
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("newer"))
    (kept,) = (tmp_path / "quarantine").glob("*memory.json--????????")
    assert token not in kept.read_bytes()
    assert kept.stat().st_size > settings.max_document_bytes - len(token)
