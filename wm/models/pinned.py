"""The models that `wm models pull` may fetch, with the size and digest of every file (RC-2).

Data only. A file that is not listed here is never downloaded.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, convert


class PinnedFile(Struct, frozen=True):
    name: str
    size: int
    sha256: str


class Pinned(Struct, frozen=True):
    """A model that can be fetched. license: as its authors state it."""

    name: str
    repository: str
    commit: str
    license: str
    files: tuple[PinnedFile, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


PINNED: Mapping[str, Pinned] = {
    name: convert({"name": name, **row}, Pinned)
    for name, row in tomllib.loads(
        Path(__file__).with_name("pinned.toml").read_text("utf-8")
    ).items()
}
