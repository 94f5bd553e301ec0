"""The place of every document below the data folder (ID-4). Pure: touches no file.

Protects: no name from outside becomes a path. Session ids are hashed (`sid`), and a name that is
not a plain lower-case word is replaced by its digest, so that case-insensitive and normalising file
systems hold the same tree.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from wm.errors import StoreError
from wm.formats.base import Document
from wm.formats.contract_record import ContractRecord
from wm.formats.core_memory import CoreMemory
from wm.formats.home import Aliases, AllowedDigests, HelperUse, InstalledModels
from wm.formats.paged_object import SessionSummaries
from wm.formats.pending_journal import PendingJournal
from wm.formats.pressure import Pressure
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.recaps import Recaps
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.sharing.sync import Sync
from wm.formats.sweep_log import SessionSweepLog, SweepLog
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.formats.tool_output import ToolOutput
from wm.formats.working_memory import WorkingMemory
from wm.formats.workspace_memory import WorkspaceMemory
from wm.store.base import Maker, Ref

KEY_FILE = "local.key"
WORKSPACES = "workspaces"
USER = "user"
"""The folder of the entries of scope `user`, and the workspace key that denotes it (ID-3)."""
QUARANTINE = "quarantine"
EVIDENCE = "evidence"
FLOWS = "flows"
MODELS = "models"
VECTORS = "vectors"
RECORDINGS = "recordings"
SESSIONS = "sessions"
OBJECTS = "objects"
DECISIONS = "decisions"
PAGING = (DECISIONS, OBJECTS)
SESSION_LOGS = (FLOWS, RECORDINGS, *PAGING)
"""Folders with a log for each session. Decisions refer to objects and are deleted before them."""
MIRRORS = "sync"
"""Repositories with what was fetched of shared memory; git writes them."""

_KEY = re.compile(r"[0-9a-f]{16}", re.ASCII)
# A session also has files `<sid>_<topic>.json`, so a session's own name has no underscore.
_SESSION = re.compile(r"[a-z0-9][a-z0-9-]{0,63}", re.ASCII)
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,95}", re.ASCII)
_VECTORS = re.compile(r"[a-z0-9][a-z0-9-]{0,40}-[0-9a-f]{12}\.(?:rows|graph)", re.ASCII)
_COMPANION = re.compile(
    r"\.(.+)\.(?:(spare)|(next)[01]|(lock)|(v)[0-9]{1,9}|[^.]{16}\.(tmp))", re.ASCII | re.DOTALL
)
_OUTPUT = re.compile(r"t_[0-9a-f]{20}_[0-9a-f]{32}", re.ASCII)


class FormatPlace(Struct, frozen=True):
    """One format's place. file: `{}` is the document's name; names: the allowed names."""

    folder: str
    file: str
    names: re.Pattern[str] | None = None
    in_home: bool = False
    relaxed: bool = False
    """An acknowledged write survives kill -9, and a power cut once it is flushed. All other formats
    are of class full: acknowledged means on disk (ST-1)."""
    cached: bool = False
    """Written once by `FileStore.keep`, never by a transaction: no lock, no previous copy, flushed
    like class relaxed. They are copies of tool output: a read reports a lost one, and nothing else
    depends on it."""


LAYOUT: Mapping[type[Document], FormatPlace] = {
    # In the order of writing. A crash between two writes must leave a fact twice, never
    # nowhere: the document that receives a fact comes before the one that gives it away.
    AllowedDigests: FormatPlace("", "allowed-digests.json", in_home=True),
    Aliases: FormatPlace("", "aliases.json", in_home=True),
    InstalledModels: FormatPlace("", "models.json", in_home=True),
    HelperUse: FormatPlace("", "helper-use.json", in_home=True),
    ToolOutput: FormatPlace("cache/tool-outputs", "{}.json", _OUTPUT, cached=True),
    PromptEpoch: FormatPlace("epochs", "{}.json", _ID),
    TrashedEntry: FormatPlace("trash", "{}.json", _ID),
    Tombstones: FormatPlace("", "tombstones.json"),
    WorkspaceMemory: FormatPlace("", "workspace-memory.json"),
    Sync: FormatPlace("", "sync.json"),
    PendingJournal: FormatPlace("", "pending-journal.json"),
    CoreMemory: FormatPlace("core", "{}.json", _SESSION),
    WorkingMemory: FormatPlace(SESSIONS, "{}_working.json", _SESSION, relaxed=True),
    ContractRecord: FormatPlace("", "contract-record.json"),
    CompactionState: FormatPlace(SESSIONS, "{}_compaction.json", _SESSION),
    Recaps: FormatPlace("", "recaps.json", relaxed=True),
    Pressure: FormatPlace(SESSIONS, "{}_pressure.json", _SESSION, relaxed=True),
    SessionSummaries: FormatPlace(SESSIONS, "{}_summaries.json", _SESSION, relaxed=True),
    SessionState: FormatPlace(SESSIONS, "{}.json", _SESSION, relaxed=True),
    SweepLog: FormatPlace("", "sweep.json", relaxed=True),
    SessionSweepLog: FormatPlace(SESSIONS, "{}_sweep.json", _SESSION, relaxed=True),
}
WRITE_ORDER = tuple(LAYOUT)
RELAXED = frozenset(model for model, row in LAYOUT.items() if row.relaxed)
CACHED = frozenset(model for model, row in LAYOUT.items() if row.cached)


class FilePlace(Struct, frozen=True, dict=True):
    """A file: its folder relative to the data folder ("" is the data folder), and its name
    there."""

    folder: str
    name: str

    @cached_property
    def path(self) -> str:
        return f"{self.folder}/{self.name}" if self.folder else self.name


def sid(session_id: str) -> str:
    """The file name of a session: 32 hex digits of sha256 of its id (ID-4)."""
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def session_models() -> tuple[type[Document], ...]:
    """The formats whose files belong to one session and have its name. The state comes first: the
    session exists while its state does, and files that a crash leaves without it are orphans."""
    models = filter(is_of_session, LAYOUT)
    return tuple(sorted(models, key=lambda model: model is not SessionState))


def is_of_session(model: type[Document]) -> bool:
    return _row(model).names is _SESSION


def workspace_folder(workspace: str) -> str:
    """`workspaces/<key>`, or `user`; raises StoreError for an invalid key."""
    if workspace == USER:
        return USER
    if not _KEY.fullmatch(workspace):
        raise StoreError.of("workspace.no_key", workspace=workspace)
    return f"{WORKSPACES}/{workspace}"


def owner(path: str) -> tuple[str, str]:
    """The key of the memory that a path belongs to, and the path below its folder; ("", path) for
    a path of the data folder itself."""
    first, _, rest = path.partition("/")
    if first == USER:
        return USER, rest
    key, _, below = rest.partition("/")
    return (key, below) if first == WORKSPACES and key else ("", path)


def is_workspace(name: str) -> bool:
    return _KEY.fullmatch(name) is not None


def vectors_folder(workspace: str) -> str:
    return f"{workspace_folder(workspace)}/{VECTORS}"


def vectors_file(maker: Maker, kind: str) -> str:
    """The file of one model's vectors. kind: `rows`, or `graph` for the graph over them."""
    identity = f"{maker.id}\0{maker.revision}\0{maker.dimension}\0{maker.token_limit}"
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    plain = re.sub(r"[^a-z0-9]+", "-", maker.id.lower()).strip("-")[:40].strip("-") or "model"
    return f"{plain}-{digest}.{kind}"


def is_vectors(name: str) -> bool:
    return _VECTORS.fullmatch(name) is not None


def evidence_folder(workspace: str) -> str:
    return f"{workspace_folder(workspace)}/{EVIDENCE}"


def session_log(kind: str, workspace: str, session: str) -> FilePlace:
    """A session's log of this kind, such as FLOWS; `session`: its id, or the `<sid>`."""
    return FilePlace(logs_folder(kind, workspace), f"{_plain(session, _SESSION)}.jsonl")


def logs_folder(kind: str, workspace: str) -> str:
    """The folder of a workspace's logs of this kind, such as FLOWS."""
    return f"{workspace_folder(workspace)}/{kind}"


def session_of_log(file: str) -> str | None:
    """The `<sid>` that a session's log belongs to; None for any other file."""
    name = file.removesuffix(".jsonl")
    return name if file.endswith(".jsonl") and _SESSION.fullmatch(name) else None


def session_of(file: str) -> str | None:
    """The `<sid>` whose log or state a file is; None for any other file."""
    if file.startswith("."):
        return None
    return session_of_log(file) or name_of(SessionState, file)


def folder(model: type[Document], workspace: str) -> str:
    """The folder of the documents of a format."""
    row = _row(model)
    if row.in_home:
        return row.folder
    base = workspace_folder(workspace)
    return f"{base}/{row.folder}" if row.folder else base


def place(ref: Ref[Document]) -> FilePlace:
    """The file of a document; StoreError if the ref does not fit its format."""
    row = _row(ref.model)
    if (row.names is None) != (ref.name == ""):
        wants = "takes no name" if row.names is None else "needs a name"
        raise StoreError(f"A {ref.slug} document {wants}, got {ref.name!r}.")
    if row.in_home and ref.workspace:
        raise StoreError(f"{row.file} belongs to no workspace, got {ref.workspace!r}.")
    name = row.file if row.names is None else row.file.format(_plain(ref.name, row.names))
    return FilePlace(folder(ref.model, ref.workspace), name)


def name_of(model: type[Document], file: str) -> str | None:
    """The document name of a file name; None if it is not of this format."""
    row = _row(model)
    if row.names is None:
        return "" if file == row.file else None
    head, tail = row.file.split("{}")
    if not (file.startswith(head) and file.endswith(tail)):
        return None
    name = file[len(head) : len(file) - len(tail)]
    return name if row.names.fullmatch(name) else None


def previous_copy(name: str) -> str:
    """The previous copy of a document, on a separate inode."""
    return f".{name}.spare"


def next_file(name: str, generation: int) -> str:
    """The file in which a generation is flushed before it is renamed to the document. Two names in
    turn: after a power cut, the file of the generation before may still be there."""
    return f".{name}.next{generation % 2}"


def lock(name: str) -> str:
    return f".{name}.lock"


def old_version(name: str, version: int) -> str:
    """The copy that is kept before the first write of a converted document (ID-5)."""
    return f".{name}.v{version}"


def temp(name: str, token: str) -> str:
    """The temporary file for new bytes before they are renamed into place."""
    return f".{name}.{token}.tmp"


def companion(file: str) -> tuple[str, str]:
    """The document that a file belongs to, and what it is of it: "spare" (previous copy), "next",
    "lock", "v" (older version), "tmp", or "" for the document itself and for all other files."""
    found = _COMPANION.fullmatch(file)
    return (found[1], found[found.lastindex or 0]) if found else (file, "")


def _row(model: type[Document]) -> FormatPlace:
    try:
        return LAYOUT[model]
    except KeyError:
        raise StoreError(f"The format {model.slug} has no place in the data folder.") from None


def _plain(name: str, allowed: re.Pattern[str]) -> str:
    return name if allowed.fullmatch(name) else sid(name)
