"""The interfaces `Store` and `Transaction`. `tests/store` runs one suite on every implementation.

The words used here:

ref         names one document: its format, workspace and file name.
reading     the result of a read: the document in force and the health of its file.
transaction holds the lock files of the refs it was opened with, for the whole
            read-modify-write cycle (ST-2). Staged changes become visible at `commit`, in
            the write order of `WRITE_ORDER`, and are durable when `commit` returns (class
            full) or within `relaxed_flush_s` (class relaxed).
outside     a document that parses, but whose checksum is not ours: an edit outside wm.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from types import TracebackType
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from wm.domain.recording import RecordingIndex
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


WRITE_ORDER: tuple[type[Document], ...] = (
    # A crash between two writes must leave a fact twice, never nowhere: the document that receives
    # a fact is written before the one that gives it away.
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
"""Class relaxed: an acknowledged write survives kill -9, and a power cut once it is flushed. All
other formats are of class full: acknowledged means on disk (ST-1)."""

CACHED: frozenset[type[Document]] = frozenset({ToolOutput})
"""Written once by `Store.keep`, never by a transaction: no lock, no previous copy, flushed like
class relaxed. They are copies of tool output: a read reports a lost one, and nothing else depends
on it."""


class Health(Enum):
    OK = "ok"
    MISSING = "missing"
    OUTSIDE = "outside"
    """Changed outside wm: `document` is the last version that wm wrote, `outside` the edited
    one."""
    RESTORED = "restored"
    """The file is unreadable: `document` is the newest generation that is whole."""
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


class Transaction(Protocol):
    """One locked read-modify-write cycle over the refs it was opened with."""

    def read(self, ref: Ref[D]) -> Reading[D]:
        """The staged document if there is one, else the one on disk. The ref must be declared."""

    def put(self, ref: Ref[D], document: D, *, absorbs: bool = False) -> None:
        """Stage a document under its next generation. Raises TooNew, and StoreError for a document
        that could not be written and read back. Never raises Corrupt: a file that could not be
        read, or was changed outside, is kept in quarantine before it is replaced. `absorbs`:
        `document` includes the outside change that `read` returned, so that change needs no
        quarantine; a damaged copy beside it is still kept."""

    def delete(self, ref: Ref[D]) -> None:
        """Stage a removal of all generations of the file. A missing file is no error."""

    def log(self, record: EvidenceRecord) -> None:
        """Stage an evidence record of `record.workspace_key`."""

    def savepoint(self) -> object:
        """Return a mark for `rollback`."""

    def rollback(self, mark: object) -> None:
        """Drop everything staged since `mark`, so that one of several batched operations can fail
        alone."""

    def commit(self) -> None:
        """Write everything staged, in order, and flush what is of class full. On an error nothing
        is acknowledged and nothing stays staged; documents written before the error stay (each is
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
        """Read a document. Takes no lock, writes nothing, changes no file (ST-2)."""

    def transaction(self, refs: Sequence[Ref[Document]]) -> Transaction:
        """Lock `refs` in one global order, waiting at most `lock_wait_s`; raises Busy, which names
        the holder."""

    def names(self, model: type[D], workspace: str = "") -> tuple[str, ...]:
        """Names of the documents of one format, sorted."""

    def workspaces(self) -> tuple[str, ...]:
        """Keys of the workspaces that have a folder, sorted."""

    def evidence(self, workspace: str) -> LogReading:
        """All evidence of a workspace, oldest first."""

    def keep(self, ref: Ref[D], document: D) -> None:
        """Write a document of `CACHED`, whole or not at all; it replaces one of the same name.
        Raises StoreError, and Unwritable if it would exceed the size limit of documents."""

    def discard(self, refs: Sequence[Ref[Document]]) -> int:
        """Delete documents of `CACHED`; returns how many existed."""

    def append_flow(self, workspace: str, session: str, flow: Flow) -> None:
        """Add a line to a session's flows; class relaxed. Raises StoreError."""

    def flows(self, workspace: str, session: str) -> tuple[Flow, ...]:
        """The flows of a session, oldest first; lines that cannot be read are left out."""

    def newest_flows(self, workspace: str, session: str, most: int) -> Iterator[Flow]:
        """The flows in the last `most` bytes of a session's log, newest first. The cost does not
        depend on the length of the log. Raises StoreError."""

    def flow_sessions(self, workspace: str) -> tuple[str, ...]:
        """The `<sid>`s of the sessions with flows, sorted."""

    def latest_flow_sessions(self, workspace: str, most: int) -> tuple[str, ...]:
        """The `most` sessions whose flow logs were written last, newest first."""

    def discard_flows(self, workspace: str, session: str) -> bool:
        """Delete a session's flows; False if there are none."""

    def keep_vectors(self, workspace: str, maker: Maker, saved: SavedVectors) -> bool:
        """Save one model's vectors of a workspace's texts, replacing the saved ones: whole or not
        at all. False if they exceed the size limit, or another process is saving them now."""

    def vectors(self, workspace: str, maker: Maker) -> SavedVectors | None:
        """The saved vectors, verified; None if there are none, or no whole ones."""

    def discard_vectors(self, workspace: str) -> int:
        """Delete the vectors of all models for a workspace's texts; returns the number of files."""

    def append_recording(
        self,
        workspace: str,
        session: str,
        most: int,
        make: Callable[[RecordingIndex], Recording | None],
    ) -> bool:
        """Add a line to a session's recorded bodies; class relaxed. `make` gets an index of the
        log's records and may return None to write nothing. False if the log would exceed `most`
        bytes. Raises StoreError, and what `make` raises."""

    def recordings(self, workspace: str, session: str) -> tuple[Recording, ...]:
        """The recorded bodies of a session, oldest first; lines that cannot be read are left
        out."""

    def recording_sessions(self, workspace: str) -> tuple[str, ...]:
        """The `<sid>`s of the sessions with recorded bodies, sorted."""

    def discard_recordings(self, workspace: str, session: str) -> bool:
        """Delete a session's recorded bodies; False if there are none."""

    def flush(self) -> None:
        """Flush everything of class relaxed to disk (epoch, compaction, idle, exit)."""

    def dirty(self) -> bool:
        """Whether anything of class relaxed is not flushed yet."""

    def digest(self, text: str) -> str:
        """Keyed digest of a text, 32 hex digits: identifies the text without revealing it."""

    def close(self) -> None:
        """Flush and release everything."""


class FileChangeHint(Struct, frozen=True):
    """A file of the data folder that another program changed (ST-4)."""

    workspace: str
    slug: str
    name: str = ""
