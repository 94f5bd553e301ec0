"""What a store promises. `tests/store` runs one suite of these promises on every store.

The words used here:

ref         names one document: its format, workspace and file name.
reading     what a read gives back: the document in force and how healthy its file is.
transaction holds the lock files of the refs it was opened with, for the whole
            read-modify-write cycle (ST-2); what it staged becomes visible at `commit`, in
            the write order of `WRITE_ORDER`, and is durable when `commit` returns (class
            full) or within `relaxed_flush_s` (class relaxed).
outside     a document that parses, but whose checksum is not ours: somebody edited it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from types import TracebackType
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from wm.domain.recording import Index
from wm.formats.base import Document
from wm.formats.contract_record import ContractRecord
from wm.formats.core_memory import CoreMemory
from wm.formats.evidence import EvidenceRecord
from wm.formats.flow import Flow
from wm.formats.home import Aliases, AllowedDigests, InstalledModels
from wm.formats.pending_journal import PendingJournal
from wm.formats.pressure import Pressure
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.recording import Recording
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.sweep_log import SessionSweepLog, SweepLog
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.formats.tool_output import ToolOutput
from wm.formats.working_memory import WorkingMemory
from wm.formats.workspace_memory import WorkspaceMemory

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


WRITE_ORDER: tuple[type[Document], ...] = (
    # A crash between two writes must leave a fact twice, never nowhere: what receives a fact
    # is written before what gives it away.
    AllowedDigests,
    Aliases,
    InstalledModels,
    ToolOutput,
    PromptEpoch,
    TrashedEntry,
    Tombstones,
    WorkspaceMemory,
    PendingJournal,
    CoreMemory,
    WorkingMemory,
    ContractRecord,
    CompactionState,
    Pressure,
    SessionState,
    SweepLog,
    SessionSweepLog,
)

RELAXED: frozenset[type[Document]] = frozenset(
    {Pressure, SessionState, WorkingMemory, SweepLog, SessionSweepLog}
)
"""Class relaxed: acknowledged survives kill -9, and a power cut once flushed. All others are of
class full: acknowledged means on disk (ST-1)."""

CACHED: frozenset[type[Document]] = frozenset({ToolOutput})
"""Written once by `Store.keep`, never by a transaction: no lock, no second copy, flushed like
class relaxed. What is lost of them was a copy: a read says so, and nothing else depends on it."""


class Health(Enum):
    OK = "ok"
    MISSING = "missing"
    OUTSIDE = "outside"
    """Changed outside wm: `document` is the last one that wm wrote, `outside` the edited one."""
    RESTORED = "restored"
    """The file is unreadable: `document` is the newest generation that is whole."""
    LOST = "lost"
    """No generation is readable: `document` is None; nothing was deleted."""
    TOO_NEW = "too_new"
    """A newer wm wrote it: readable as far as it fits, never written."""


class Reading(Struct, Generic[D_co], frozen=True):
    """`document` is in force; None where there is none. `detail` is a sentence for people."""

    document: D_co | None
    health: Health
    outside: D_co | None = None
    detail: str = ""


class LogReading(Struct, frozen=True):
    """Records of a log in order, and what could not be read (ST-3)."""

    records: tuple[EvidenceRecord, ...] = ()
    damaged: int = 0
    torn_bytes: int = 0


class Maker(Struct, frozen=True):
    """The model that made vectors: those of another one are of no use beside them."""

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
    """Vectors of texts. digests: 16 bytes a text, which recognise it; pieces: how many vectors
    each has, at least one; rows: these, one after the other, in half precision."""

    digests: bytes
    pieces: array[int]
    rows: bytes | memoryview
    graph: SavedGraph | None = None


class Finding(Struct, frozen=True):
    """One thing that `check` found. severity: error | warning | note."""

    code: str
    severity: str
    path: str
    message: str
    repairable: bool = False


class Transaction(Protocol):
    """One locked read-modify-write cycle over the refs it was opened with."""

    def read(self, ref: Ref[D]) -> Reading[D]:
        """The staged document if there is one, else what is on disk. The ref must be declared."""

    def put(self, ref: Ref[D], document: D, *, absorbs: bool = False) -> None:
        """Stage a document under its next generation. Raises TooNew, and StoreError for what
        could not be written and read back; Corrupt never: what could not be read, or was
        changed outside, is kept in quarantine before it is replaced. `absorbs`: `document`
        takes in the outside change that `read` showed, so that one needs no quarantine; a
        damaged copy beside it is kept."""

    def delete(self, ref: Ref[D]) -> None:
        """Stage a removal; all generations of the file go. Missing is fine."""

    def log(self, record: EvidenceRecord) -> None:
        """Stage an evidence record of `record.workspace_key`."""

    def savepoint(self) -> object:
        """A mark to return to."""

    def rollback(self, mark: object) -> None:
        """Forget everything staged since `mark`: how one of several batched operations fails
        alone."""

    def commit(self) -> None:
        """Write everything staged, in order, and flush what is class full. On an error nothing
        is acknowledged and nothing stays staged; documents written before it stay (each is
        whole)."""

    def __enter__(self) -> Transaction: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit when left without an error (and not yet committed), then release the locks."""


class Store(Protocol):
    """Documents and evidence of one home folder. Safe for several threads and processes."""

    def read(self, ref: Ref[D]) -> Reading[D]:
        """Take no lock, write nothing, change no file (ST-2)."""

    def transaction(self, refs: Sequence[Ref[Document]]) -> Transaction:
        """Lock `refs` in one global order, waiting `lock_wait_s` at most; raises Busy naming the
        holder."""

    def names(self, model: type[D], workspace: str = "") -> tuple[str, ...]:
        """Names of the documents of one format, sorted."""

    def workspaces(self) -> tuple[str, ...]:
        """Keys of the workspaces that have a folder, sorted."""

    def evidence(self, workspace: str) -> LogReading:
        """All evidence of a workspace, oldest first."""

    def keep(self, ref: Ref[D], document: D) -> None:
        """Write a document of `CACHED`, whole or not at all; one of that name is replaced.
        Raises StoreError, Unwritable for one that would be larger than documents may be."""

    def discard(self, refs: Sequence[Ref[Document]]) -> int:
        """Delete documents of `CACHED`; how many were there."""

    def append_flow(self, workspace: str, session: str, flow: Flow) -> None:
        """Add a line to a session's flows; class relaxed. Raises StoreError."""

    def flows(self, workspace: str, session: str) -> tuple[Flow, ...]:
        """The flows of a session, oldest first; lines that cannot be read are left out."""

    def newest_flows(self, workspace: str, session: str, most: int) -> Iterator[Flow]:
        """The flows in the last `most` bytes of a session's log, newest first. A look at these
        costs the same however long the log is. Raises StoreError."""

    def flow_sessions(self, workspace: str) -> tuple[str, ...]:
        """The `<sid>`s of the sessions with flows, sorted."""

    def latest_flow_sessions(self, workspace: str, most: int) -> tuple[str, ...]:
        """The `most` of these whose logs were written last, newest first."""

    def discard_flows(self, workspace: str, session: str) -> bool:
        """Delete a session's flows; False where there are none."""

    def keep_vectors(self, workspace: str, maker: Maker, saved: SavedVectors) -> bool:
        """Save what one model made of a workspace's texts, in place of what it had: whole or not
        at all. False where it is too much to be kept, or another process saves it just now."""

    def vectors(self, workspace: str, maker: Maker) -> SavedVectors | None:
        """What was saved, verified; None where there is nothing, or nothing that is whole."""

    def discard_vectors(self, workspace: str) -> int:
        """Delete what all models made of a workspace's texts; how many files."""

    def append_recording(
        self, workspace: str, session: str, most: int, make: Callable[[Index], Recording | None]
    ) -> bool:
        """Add a line to a session's recorded bodies; class relaxed. `make` is told what the log
        holds and may decline. False where the log would have more than `most` bytes. Raises
        StoreError, and what `make` raises."""

    def recordings(self, workspace: str, session: str) -> tuple[Recording, ...]:
        """The recorded bodies of a session, oldest first; lines that cannot be read are left
        out."""

    def recording_sessions(self, workspace: str) -> tuple[str, ...]:
        """The `<sid>`s of the sessions with recorded bodies, sorted."""

    def discard_recordings(self, workspace: str, session: str) -> bool:
        """Delete a session's recorded bodies; False where there are none."""

    def flush(self) -> None:
        """Bring everything relaxed to disk (epoch, compaction, idle, exit)."""

    def dirty(self) -> bool:
        """Whether something relaxed waits for a flush."""

    def digest(self, text: str) -> str:
        """Keyed digest of a text, 32 hex: recognises it, does not tell it."""

    def close(self) -> None:
        """Flush and let go of everything."""


class Change(Struct, frozen=True):
    """A file of the data folder that changed under us (ST-4)."""

    workspace: str
    slug: str
    name: str = ""
