"""Damaged files of saved vectors, and a child process that loads them.

    python -m tests.store.damage FOLDER FIRST COUNT

An unverified graph can crash usearch and its process, so the damaged files are loaded in a child.
It prints how many of the damaged sets read as absent, without their graph, and whole. A set that
reads as whole must be, byte for byte, what was saved.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from array import array
from collections.abc import Callable
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from wm.settings import StoreSettings
from wm.store import paths, vectors
from wm.store.base import Maker, SavedGraph, SavedVectors
from wm.store.files import FileStore
from wm.store.vectors import graph

KEY = "a1" * 8
OTHER = "b2" * 8
MAKER = Maker("small", "r1", 16, 64)
WIDE = replace(MAKER, dimension=32)
ROWS = 120
EARLIER = 3

Damage = Callable[[FileStore, Path, random.Random], None]


def made(maker: Maker = MAKER, seed: int = 1) -> SavedVectors:
    """Vectors of a hundred texts, the last twenty in two pieces, with the graph over them."""
    rows = np.random.default_rng(seed).standard_normal((ROWS, maker.dimension))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
    over = graph.NearGraph(maker.dimension)
    over.add(np.arange(ROWS), rows.astype(np.float32))
    digests = b"".join(seed.to_bytes(8, "big") + at.to_bytes(8, "big") for at in range(100))
    pieces = array("H", [1] * 80 + [2] * 20)
    saved = SavedGraph(graph.version(), ROWS, bytes(over.to_bytes()))
    return SavedVectors(digests, pieces, rows.tobytes(), saved)


def folder_of(store: FileStore, key: str = KEY) -> Path:
    return store.home / paths.vectors_folder(key)


def file_of(store: FileStore, kind: str, maker: Maker = MAKER, key: str = KEY) -> Path:
    return folder_of(store, key) / paths.vectors_file(maker, kind)


# --- what happens to a file ---------------------------------------------------------------------


def _flip(_store: FileStore, file: Path, draw: random.Random) -> None:
    raw = bytearray(file.read_bytes())
    for _ in range(draw.choice((1, 1, 1, 8))):
        # Half of the damage hits the first line, which says what the file is.
        at = draw.randrange(min(512, len(raw)) if draw.random() < 0.5 else len(raw))
        raw[at] ^= 1 << draw.randrange(8)
    file.write_bytes(raw)


def _cut(_store: FileStore, file: Path, draw: random.Random) -> None:
    raw = file.read_bytes()
    file.write_bytes(raw[: draw.randrange(len(raw))])


def _grow(_store: FileStore, file: Path, draw: random.Random) -> None:
    with file.open("ab") as opened:
        opened.write(draw.randbytes(draw.randrange(1, 5000)))


def _empty(_store: FileStore, file: Path, _draw: random.Random) -> None:
    file.write_bytes(b"")


def _zeros(_store: FileStore, file: Path, draw: random.Random) -> None:
    raw = bytearray(file.read_bytes())
    begin = draw.randrange(len(raw))
    raw[begin : begin + 512] = bytes(len(raw[begin : begin + 512]))
    raw[-1] ^= 1
    file.write_bytes(raw)


def _noise(_store: FileStore, file: Path, draw: random.Random) -> None:
    file.write_bytes(draw.randbytes(draw.randrange(1, 20_000)))


def _swapped(store: FileStore, file: Path, _draw: random.Random) -> None:
    kind = "rows" if file.suffix == ".graph" else "graph"
    file.write_bytes(file_of(store, kind).read_bytes())


def _of_another_workspace(store: FileStore, file: Path, _draw: random.Random) -> None:
    store.keep_vectors(OTHER, MAKER, made(seed=7))
    file.write_bytes(file_of(store, file.suffix[1:], key=OTHER).read_bytes())


def _of_another_model(store: FileStore, file: Path, draw: random.Random) -> None:
    other = draw.choice((WIDE, replace(MAKER, revision="r2"), replace(MAKER, token_limit=9)))
    store.keep_vectors(KEY, other, made(other, seed=7))
    file.write_bytes(file_of(store, file.suffix[1:], other).read_bytes())


def _of_an_earlier_save(store: FileStore, file: Path, _draw: random.Random) -> None:
    """Restore only one of the two files, so that they do not match each other."""
    now = {kind: file_of(store, kind).read_bytes() for kind in ("rows", "graph")}
    store.keep_vectors(KEY, MAKER, made(seed=EARLIER))
    other = "rows" if file.suffix == ".graph" else "graph"
    file_of(store, other).write_bytes(now[other])


def _of_another_user(store: FileStore, file: Path, draw: random.Random) -> None:
    """Give the file to another user, if this user may; else sign it with another key."""
    if os.geteuid() == 0:
        os.chown(file, 12_345, 12_345)
    else:
        _resigned(store, file, draw, key=b"x" * 32)


def _link(_store: FileStore, file: Path, _draw: random.Random) -> None:
    aside = file.with_name("aside")
    file.rename(aside)
    file.symlink_to(aside)


def _folder(_store: FileStore, file: Path, _draw: random.Random) -> None:
    file.unlink()
    file.mkdir()


def _pipe(_store: FileStore, file: Path, _draw: random.Random) -> None:
    file.unlink()
    os.mkfifo(file)


def _huge_counts(store: FileStore, file: Path, draw: random.Random) -> None:
    _resigned(store, file, draw, count=draw.choice((-1, 0, 2**31, 2**40, 2**63, 10**30)))


def _resigned(
    store: FileStore, file: Path, draw: random.Random, *, count: int = 5, key: bytes = b""
) -> None:
    """Other counts, or another key, under a valid checksum."""
    raw = file.read_bytes()
    end = raw.index(b"\n") + 1
    known = vectors._verified(raw, store.core.key_to_read())
    assert known is not None
    about = {k: v for k, v in known.about.items() if k not in ("wm", "checksum")}
    if not key:
        about[draw.choice(sorted({"documents", "vectors"} & set(about)))] = count
    parts = vectors._encode(file.suffix[1:], about, (raw[end:],), key or store.core.key_to_read())
    file.write_bytes(b"".join(parts))


DAMAGES: tuple[Damage, ...] = (
    *(_flip, _flip, _flip, _flip, _cut, _cut, _grow, _empty, _zeros, _noise, _swapped),
    *(_of_another_workspace, _of_another_model, _of_an_earlier_save, _of_another_user),
    *(_link, _folder, _pipe, _huge_counts),
)


# --- the child ----------------------------------------------------------------------------------


def begin(home: Path) -> FileStore:
    store = FileStore(home, StoreSettings())
    store.keep_vectors(KEY, MAKER, made())
    return store


def damage(store: FileStore, number: int, original: dict[str, bytes]) -> str:
    """Restore both files, then damage one of them; returns what was done."""
    shutil.rmtree(folder_of(store))
    folder_of(store).mkdir(0o700)
    for kind, raw in original.items():
        file_of(store, kind).write_bytes(raw)
    draw = random.Random(number)
    what, kind = DAMAGES[number % len(DAMAGES)], draw.choice(("rows", "graph"))
    what(store, file_of(store, kind), draw)
    return f"{number}: {what.__name__} {kind}"


def outcome(store: FileStore) -> str:
    """How the damaged files read. AssertionError for anything that was not saved."""
    good, found = made(), store.vectors(KEY, MAKER)
    if found is None:
        return "absent"
    if found.digests == made(seed=EARLIER).digests:
        # Vectors of other texts, identified by their digests; the graph must not be used.
        good = replace(made(seed=EARLIER), graph=None)
    assert (found.digests, found.pieces) == (good.digests, good.pieces)
    assert bytes(found.rows) == bytes(good.rows)
    assert found.graph is None or good.graph is not None
    if found.graph is None:
        return "without its graph"
    over = graph.restore(bytes(found.graph.body), MAKER.dimension, found.graph.vectors)
    if over is None:
        return "without its graph"
    assert bytes(over.to_bytes()) == bytes(good.graph.body if good.graph else b"")
    return "whole"


def run(home: Path, first: int, count: int) -> dict[str, int]:
    store = begin(home)
    original = {kind: file_of(store, kind).read_bytes() for kind in ("rows", "graph")}
    counts: dict[str, int] = {}
    for number in range(first, first + count):
        what = damage(store, number, original)
        try:
            found = outcome(store)
        except AssertionError as error:
            raise SystemExit(f"{what} was taken for whole: {error}") from error
        if found == "whole":
            raise SystemExit(f"{what} was not noticed.")
        counts[found] = counts.get(found, 0) + 1
    return counts


if __name__ == "__main__":
    print(run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
