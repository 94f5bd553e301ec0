"""local.key: created once, repaired from its previous copy, never silently replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.samples import MEMORY, memory, texts
from wm.errors import Corrupt
from wm.settings import StoreSettings
from wm.store import key
from wm.store.base import Health
from wm.store.files import FileStore
from wm.store.fsops import Disk
from wm.store.quarantine import Quarantine


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put(tmp_path / "wm", "tests first")
    return tmp_path / "wm"


def put(home: Path, text: str) -> None:
    store = FileStore(home, StoreSettings())
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory(text))
    store.close()


def read(home: Path) -> Health:
    return FileStore(home, StoreSettings()).read(MEMORY).health


def test_every_flipped_bit_of_the_key_is_detected_and_repaired(home: Path) -> None:
    path, previous = home / "local.key", home / ".local.key.spare"
    whole = path.read_bytes()
    for position in range(0, len(whole), 7):
        flipped = bytearray(whole)
        flipped[position] ^= 1 << position % 8
        path.write_bytes(flipped)
        assert key.damaged(Disk(home)) == ["local.key"]
        assert read(home) is Health.OK
        put(home, "x")
        assert path.read_bytes() == previous.read_bytes() == whole
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["local.key", ".local.key.spare"])
def test_a_missing_copy_is_restored_from_the_other(home: Path, name: str) -> None:
    whole = (home / "local.key").read_bytes()
    (home / name).unlink()
    assert read(home) is Health.OK
    assert not (home / name).exists()
    put(home, "x")
    assert (home / name).read_bytes() == whole


def test_a_key_without_an_intact_copy_is_an_error_and_is_kept(home: Path) -> None:
    (home / "local.key").write_bytes(b"zeroed")
    (home / ".local.key.spare").write_bytes(b"")
    with pytest.raises(Corrupt, match=r"local\.key and its previous copy are damaged"):
        read(home)
    with pytest.raises(Corrupt, match="damaged"):
        put(home, "x")
    assert (home / "local.key").read_bytes() == b"zeroed"


def test_a_renewed_key_keeps_the_damaged_key_and_every_text(home: Path) -> None:
    (home / "local.key").write_bytes(b"zeroed")
    (home / ".local.key.spare").unlink()
    disk = Disk(home)
    new = key.renew(disk, Quarantine(disk, 200, 1024))
    assert key.load(disk) == new
    kept = [path for path in (home / "quarantine").iterdir() if "reason" not in path.name]
    assert [path.read_bytes() for path in kept] == [b"zeroed"]
    reading = FileStore(home, StoreSettings()).read(MEMORY)
    assert (reading.health, reading.document) == (Health.OUTSIDE, None)
    assert texts(reading.outside) == ["tests first"]


def test_the_key_is_on_independent_files(home: Path) -> None:
    paths = (home / "local.key", home / ".local.key.spare")
    assert len({path.stat().st_ino for path in paths}) == 2
    assert [path.stat().st_nlink for path in paths] == [1, 1]


def test_without_a_key_no_document_counts_as_ours(home: Path) -> None:
    (home / "local.key").unlink()
    (home / ".local.key.spare").unlink()
    assert read(home) is Health.OUTSIDE
    assert not (home / "local.key").exists()


@pytest.mark.parametrize(
    "line", [b"", b"wm-key-1", b"wm-key-1 00 00\n", b"wm-key-1 " + b"0" * 64 + b" " + b"0" * 16]
)
def test_an_invalid_key_line_decodes_to_none(line: bytes) -> None:
    assert key.decode(line) is None


def test_a_key_survives_its_own_encoding() -> None:
    value = bytes(range(32))
    assert key.decode(key.encode(value)) == value
