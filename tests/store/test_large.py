"""F13: a large document with any changed byte is never served, including its last bytes."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.store.samples import KEY, MEMORY, entry, memory, texts
from wm.settings import StoreSettings
from wm.store.base import Health
from wm.store.files import FileStore

MAIN, PREVIOUS_COPY = "workspace-memory.json", ".workspace-memory.json.spare"
TEXTS = [f'{number} "said"\n    }},\n    {{\n ' + "x" * 300 for number in range(140)]
FLIPS = 6
HEAD_BITS = 8 * 160
WHERE = ([MAIN], [PREVIOUS_COPY], [MAIN, PREVIOUS_COPY])


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A memory in the third generation, and the key."""
    home = tmp_path_factory.mktemp("wm")
    store = FileStore(home, StoreSettings())
    for _ in range(3):
        put(store, memory(*TEXTS).entries)
    found = (home / "workspaces" / KEY / MAIN).read_bytes()
    assert len(found) > 64 * 1024
    return found, (home / "local.key").read_bytes()


def put(store: FileStore, entries: tuple[object, ...]) -> None:
    with store.transaction([MEMORY]) as tx:
        held = tx.read(MEMORY).document or memory()
        tx.put(MEMORY, held.model_copy(update={"entries": entries}))


def bits(raw: bytes) -> list[int]:
    """Some bits of the first lines, and some of the complete file."""
    draw = random.Random(13)
    return [draw.randrange(end) for end in (HEAD_BITS, 8 * len(raw)) for _ in range(FLIPS // 2)]


def flipped(raw: bytes, bit: int) -> bytes:
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("known", [False, True], ids=["a new process", "one that knows it"])
@pytest.mark.parametrize("names", WHERE, ids=["document", "previous copy", "both"])
def test_a_flipped_bit_is_never_served(
    tmp_path: Path, raw: tuple[bytes, bytes], names: list[str], *, known: bool
) -> None:
    whole, key = raw
    for bit in bits(whole):
        shutil.rmtree(tmp_path)
        folder = tmp_path / "workspaces" / KEY
        folder.mkdir(parents=True)
        (tmp_path / "local.key").write_bytes(key)
        for name in (MAIN, PREVIOUS_COPY):
            (folder / name).write_bytes(whole)
        store = FileStore(tmp_path, StoreSettings())
        if known:
            assert store.read(MEMORY).health is Health.OK
        for name in names:
            (folder / name).write_bytes(flipped(whole, bit))

        reading = store.read(MEMORY)
        assert (reading.health is Health.OK) == (MAIN not in names), bit
        if names == WHERE[-1]:
            assert reading.document is None, bit
            continue
        assert reading.document is not None, bit
        assert texts(reading.document) == TEXTS, bit
        put(store, (*reading.document.entries, entry("next", 999)))
        after = FileStore(tmp_path, StoreSettings()).read(MEMORY)
        assert (after.health, texts(after.document)) == (Health.OK, [*TEXTS, "next"]), bit
        assert (folder / MAIN).read_bytes() == (folder / PREVIOUS_COPY).read_bytes(), bit
        set_aside = list((tmp_path / "quarantine").glob("*.reason.json"))
        assert len(set_aside) == (0 if known and names == [PREVIOUS_COPY] else 1), bit
