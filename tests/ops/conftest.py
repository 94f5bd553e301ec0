"""A home of its own for every test: on files and in memory, with a scripted clock and ids."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.store.twin import MemoryStore
from wm.api.sessions import EventAnswer, HookAnswer, PromptAnswer
from wm.formats.base import Document, Record
from wm.formats.evidence import EvidenceRecord
from wm.formats.pending_journal import PendingJournal
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import Done, Operation, execute, execute_batch
from wm.ops.runtime import Ids, Runtime, make_runtime
from wm.settings import Paths, Settings, StoreSettings
from wm.store.base import Ref
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle
from wm.store.identity import key_of
from wm.store.paths import sid

BEGIN = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

SHIP = "We deploy with `make ship` from the release branch."
CENTS = "Prices are stored in cents, never as floating point numbers."
QUEUE = "The job queue runs on Postgres with SKIP LOCKED, not on Redis."


class QuickDisk(Disk):
    """Every call but the flush, of which these tests have thousands."""

    parallel = False  # no flush waits for the drive

    def flush(self, handle: Handle) -> None:
        self.status(handle)


@dataclass
class Bench:
    """One process's view of a home: a runtime, and what the tests ask of it."""

    settings: Settings
    project: Path
    store: FileStore
    moment: datetime = BEGIN
    drawn: int = 0
    runtime: Runtime = field(init=False)

    def __post_init__(self) -> None:
        self.runtime = make_runtime(
            self.settings, self.store, now=lambda: self.moment, ids=Ids(self._random)
        )

    def _random(self, size: int) -> bytes:
        self.drawn += 1
        return hashlib.sha256(f"{self.moment}/{self.drawn}".encode()).digest()[:size]

    # --- doing --------------------------------------------------------------------------

    def later(self, **span: float) -> None:
        self.moment += timedelta(**(span or {"seconds": 1}))

    def call(self, name: str, /, **fields: Any) -> Any:
        """Run a use case, a second after the last one."""
        self.later()
        return execute(self.runtime, OPERATIONS[name], self.request(name, **fields))

    def batch(self, *calls: tuple[str, dict[str, Any]]) -> list[Done[Any]]:
        self.later()
        return execute_batch(
            self.runtime, [(OPERATIONS[n], self.request(n, **fields)) for n, fields in calls]
        )

    def early(self, operation: Operation[Any, Any], request: Record) -> tuple[Any, Any] | None:
        """The answer that is given when the request is queued, and what is left to run."""
        assert operation.at_once is not None
        return operation.at_once(self.runtime, operation.parse(self.runtime, request))

    def request(self, name: str, /, **fields: Any) -> Record:
        model = OPERATIONS[name].request
        if "directory" in model.model_fields and "workspace" not in fields:
            fields.setdefault("directory", str(self.project))
        return model.model_validate(fields)

    def event(self, kind: str, session: str = "s-1", **fields: Any) -> EventAnswer:
        answer: EventAnswer = self.call(
            "record_event", session_id=session, agent="tests", event={"kind": kind, **fields}
        )
        return answer

    def prompt(self, session: str = "s-1", **fields: Any) -> PromptAnswer:
        answer: PromptAnswer = self.call("prompt", session_id=session, agent="tests", **fields)
        return answer

    def hook(self, agent: str, name: str, payload: dict[str, Any]) -> str:
        answer: HookAnswer = self.call(
            "hook", agent=agent, name=name, payload=payload, project=str(self.project)
        )
        return answer.body

    def remember(self, text: str, **fields: Any) -> MemoryEntry:
        entry = self.call("remember", text=text, **fields).entry
        assert isinstance(entry, MemoryEntry)
        return entry

    def reopen(self) -> Bench:
        """The same home as a new process finds it."""
        if isinstance(self.store, FileStore):
            self.store.close()
            store: FileStore = open_files(self.settings)
        else:
            store = self.store
        return Bench(self.settings, self.project, store, self.moment, self.drawn)

    # --- seeing -------------------------------------------------------------------------

    @property
    def key(self) -> str:
        return key_of(str(self.project))

    def workspace(self) -> Workspace:
        return Workspace(root=str(self.project), key=self.key)

    def memory(self) -> WorkspaceMemory:
        found = self.store.read(Ref(WorkspaceMemory, self.key)).document
        return found or WorkspaceMemory(workspace=self.workspace())

    def texts(self, status: str = "active") -> list[str]:
        return [entry.text for entry in self.memory().entries if entry.status == status]

    def state(self, session: str = "s-1") -> SessionState:
        found = self.store.read(Ref(SessionState, self.key, sid(session))).document
        assert found is not None
        return found

    def journal(self) -> PendingJournal:
        found = self.store.read(Ref(PendingJournal, self.key)).document
        return found or PendingJournal(workspace=self.workspace())

    def stones(self) -> list[str]:
        found = self.store.read(Ref(Tombstones, self.key)).document
        return [stone.id for stone in found.stones] if found is not None else []

    def compaction(self, session: str = "s-1") -> CompactionState:
        found = self.store.read(Ref(CompactionState, self.key, sid(session))).document
        assert found is not None
        return found

    def epoch(self, name: str) -> PromptEpoch | None:
        return self.store.read(Ref(PromptEpoch, self.key, name)).document

    def trash(self) -> tuple[str, ...]:
        return self.store.names(TrashedEntry, self.key)

    def recorded(self, *types: str) -> list[EvidenceRecord]:
        """The evidence of these types, in order; all of it without any."""
        records = self.store.evidence(self.key).records
        return [r for r in records if r.type in types or not types]

    def put(self, *documents: tuple[Ref[Any], Document]) -> None:
        """Write documents as they are, past every rule."""
        with self.store.transaction([ref for ref, _ in documents]) as transaction:
            for ref, document in documents:
                transaction.put(ref, document)

    def write_memory(self, *entries: MemoryEntry, **fields: Any) -> None:
        document = WorkspaceMemory(workspace=self.workspace(), entries=entries, **fields)
        self.put((Ref(WorkspaceMemory, self.key), document))


def settings_of(folder: Path) -> Settings:
    home = folder / "wm"
    return Settings(
        paths=Paths(home, home / "run" / "wm.sock", folder / "none.toml", folder / "cache"),
        store=StoreSettings(lock_wait_s=2.0, lock_poll_s=0.001),
    )


def open_files(settings: Settings) -> FileStore:
    return FileStore(settings.paths.home, settings.store, QuickDisk(settings.paths.home))


def project_in(folder: Path) -> Path:
    project = folder / "shop"
    project.mkdir()
    return project.resolve()


@pytest.fixture(params=["files", "memory"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    settings = settings_of(tmp_path)
    store = open_files(settings) if request.param == "files" else MemoryStore(settings.store)
    made = Bench(settings, project_in(tmp_path), store)
    yield made
    made.store.close()


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Bench]:
    """For what only files can show: bytes, damage, other processes."""
    settings = settings_of(tmp_path)
    made = Bench(settings, project_in(tmp_path), open_files(settings))
    yield made
    made.store.close()


def entry(entry_id: str, text: str, **fields: Any) -> MemoryEntry:
    known: dict[str, Any] = {
        "type": "project",
        "source": "compaction",
        "created_at": "2026-11-01T09:00:00.000Z",
        "updated_at": "2026-11-01T09:00:00.000Z",
    }
    return MemoryEntry(id=entry_id, text=text, **{**known, **fields})


def outcomes(answers: Sequence[Any]) -> list[tuple[str, tuple[str, ...]]]:
    return [(a.outcome, a.reason_codes) for a in answers]
