"""What the store is asked for and what it returns; `files.FileStore` is the store.

The words used here:

ref         names one document: its format, workspace and file name.
reading     the result of a read: the document in force and the health of its file.
transaction holds the lock files of the refs it was opened with, for the complete
            read-modify-write cycle (ST-2). Staged changes become visible at `commit`, in
            the order of `paths.LAYOUT`, and are durable when `commit` returns (class
            full) or within `relaxed_flush_s` (class relaxed).
outside     a document that parses, but whose checksum is not ours: an edit outside wm.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from enum import Enum
from typing import Generic, TypeVar

from msgspec import Struct

from wm.formats.base import Document
from wm.formats.evidence import EvidenceRecord

Pause = Callable[[], None]
"""Called between two short steps of background work: the place to sleep, or to end the run by
raising."""


def no_pause() -> None:
    """Do not pause: a caller waits for the answer."""


D = TypeVar("D", bound=Document)
D_co = TypeVar("D_co", bound=Document, covariant=True)


class Ref(Struct, Generic[D_co], frozen=True):
    """Names one document. `name` is the file's stem for formats with many files, else ""."""

    model: type[D_co]
    workspace: str = ""
    name: str = ""

    @property
    def slug(self) -> str:
        return self.model.slug


class Health(Enum):
    OK = "ok"
    MISSING = "missing"
    OUTSIDE = "outside"
    """Changed outside wm: `document` is the last version that wm wrote, `outside` the edited
    one."""
    RESTORED = "restored"
    """The file is unreadable: `document` is the newest intact generation."""
    LOST = "lost"
    """No generation is readable: `document` is None; nothing was deleted."""
    TOO_NEW = "too_new"
    """A newer wm wrote it: the known fields are read, and the file is never written."""


class Reading(Struct, Generic[D_co], frozen=True):
    """`document` is the one in force, or None if there is none. `detail` is a sentence for
    people."""

    document: D_co | None
    health: Health
    outside: D_co | None = None
    detail: str = ""


class LogReading(Struct, frozen=True):
    """Records of a log in order, and the number of those that could not be read (ST-3)."""

    records: tuple[EvidenceRecord, ...] = ()
    damaged: int = 0
    torn_bytes: int = 0


class Maker(Struct, frozen=True):
    """The model that made vectors. Vectors of different models cannot be compared."""

    id: str
    revision: str
    dimension: int
    token_limit: int


class SavedGraph(Struct, frozen=True):
    """A graph over the first `vectors` vectors. maker: the program whose format the body has."""

    maker: str
    vectors: int
    body: bytes | bytearray | memoryview


class SavedVectors(Struct, frozen=True):
    """Vectors of texts. digests: 16 bytes per text, which identify it; pieces: the number of
    vectors of each text, at least one; rows: these vectors, one after the other, in half precision.
    """

    digests: bytes
    pieces: array[int]
    rows: bytes | memoryview
    graph: SavedGraph | None = None


class Finding(Struct, frozen=True):
    """One problem that `check` found. severity: error | warning | note."""

    code: str
    severity: str
    path: str
    message: str
    repairable: bool = False
