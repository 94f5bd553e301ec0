"""Named scenes: a data folder, and the steps that change it. All crash tools use them.

Ids and the clock of a scene depend on the step only, so two runs of one step on copies of one
folder give the same documents, and "the old or the new" is a plain comparison.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from wm.domain.times import iso
from wm.errors import StoreError
from wm.formats.base import Record
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    CompactionStarted,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    ToolFinished,
    UserPrompt,
)
from wm.formats.pending_journal import PendingJournal, PendingMemory
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.tool_output import ToolOutput, file_name
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.learning.remember import remember
from wm.ops.memory import edit_entry, entries, workspaces
from wm.ops.operation import Operation, execute
from wm.ops.runtime import Ids, Process, make_runtime
from wm.ops.session import record_event
from wm.ops.session.prompt import prompt
from wm.ops.storage import sweep
from wm.settings import Paths, Settings, StorageSettings, StoreSettings
from wm.store import key as keys
from wm.store import paths
from wm.store.base import Ref
from wm.store.check.repair import repair as repair_store
from wm.store.files import FileStore
from wm.store.fsops import Disk
from wm.store.identity import key_of

BEGIN = datetime(2026, 11, 1, 9, tzinfo=UTC)
SESSION = "ses_1"

SHIP = "We deploy with `make ship` from the release branch."
CENTS = "Prices are stored in cents, never as floating point numbers."
TABS = "Please answer in German and keep the code comments in English."
QUEUE = "The job queue runs on Postgres with SKIP LOCKED, not on Redis."
LINT = "Lint runs with ruff before every commit in this repository."
DOCS = "The public documentation lives in the folder docs and is built with make."
ALL_TEXTS = (SHIP, CENTS, TABS, QUEUE, LINT, DOCS)


EVERYTHING_IS_OLD = StorageSettings(
    output_max_age_days=-1e6, trash_max_age_days=-1e6, session_max_age_days=-1e6,
    lost_after_days=-1e6, orphan_days=-1e6, young_minutes=-1e9,
)  # fmt: skip
"""The scenes' clock is unrelated to the files' times, so a sweep treats every file as old."""


class Bench:
    """A runtime on one data folder, as a process would open it for step `number`."""

    def __init__(
        self,
        home: Path,
        project: Path,
        disk: Disk | None = None,
        *,
        number: int = 0,
        lock_wait_s: float = 0.05,
        segment_bytes: int = 2 * 1024 * 1024,
        records: int = 5000,
    ) -> None:
        self.home = home
        self.project = project
        self.key = key_of(str(project))
        self.number = number
        self.count = 0
        self.called: list[str] = []
        """The names of the use cases that ran, in order."""
        self.settings = Settings(
            paths=Paths(home, home / "run" / "wm.sock", home / "none.toml", home / "cache"),
            store=StoreSettings(
                lock_wait_s=lock_wait_s,
                evidence_segment_bytes=segment_bytes,
                lock_poll_s=0.002,
                evidence_max_events=records,
                evidence_purge_at_least=1,
            ),
            storage=EVERYTHING_IS_OLD,
        )
        self.store = FileStore(home, self.settings.store, disk)
        self.runtime = make_runtime(
            self.settings,
            self.store,
            now=self._now,
            ids=Ids(self._random_bytes),
            process=Process(instance=f"step {number}"),
        )

    def call(self, operation: Operation[Any, Any], **fields: Any) -> Record:
        if "directory" in operation.request.model_fields:
            fields.setdefault("directory", str(self.project))
        self.called.append(operation.name)
        answer = execute(self.runtime, operation, operation.request(**fields))
        assert isinstance(answer, Record)
        return answer

    def event(self, event: Record, session: str = SESSION) -> Record:
        return self.call(record_event.record_event, session_id=session, agent="claude", event=event)

    def memory(self) -> WorkspaceMemory:
        document = self.store.read(Ref(WorkspaceMemory, self.key)).document
        return document or WorkspaceMemory(workspace=self.workspace())

    def workspace(self) -> Workspace:
        return Workspace(root=str(self.project), key=self.key)

    def id_of(self, text: str) -> str:
        """The id of the entry with this text, including forgotten entries."""
        for entry in self.memory().entries:
            if entry.text == text:
                return entry.id
        return _FORGOTTEN_IDS.format(hashlib.sha256(text.encode()).hexdigest()[:20])

    def place(self, name: str) -> Path:
        return self.home / "workspaces" / self.key / name

    def _now(self) -> datetime:
        return BEGIN + timedelta(days=8 * self.number)

    def _random_bytes(self, size: int) -> bytes:
        self.count += 1
        return hashlib.sha256(f"{self.number}/{self.count}".encode()).digest()[:size]


_FORGOTTEN_IDS = "m_{}"

Step = Callable[[Bench], object]


@dataclass(frozen=True)
class Scene:
    """before: prepares the folder. steps: each is one acknowledged action. segment_bytes: size at
    which the evidence log starts a new file. records: number of records that a purge keeps."""

    name: str
    before: tuple[Step, ...]
    steps: tuple[Step, ...]
    segment_bytes: int = 2 * 1024 * 1024
    records: int = 5000

    def bench(
        self, home: Path, project: Path, disk: Disk | None = None, *, number: int = 0, **more: float
    ) -> Bench:
        return Bench(
            home,
            project,
            disk,
            number=number,
            segment_bytes=self.segment_bytes,
            records=self.records,
            **more,  # type: ignore[arg-type]
        )

    def prepare(self, home: Path, project: Path, steps: int = 0) -> None:
        """Create the folder as it is before step number `steps`."""
        for number, step in enumerate((*self.before, *self.steps[:steps])):
            bench = self.bench(home, project, number=number)
            step(bench)
            bench.store.close()

    def single_steps(self) -> Iterator[Scene]:
        """One scene for each step, with all earlier steps already done."""
        for index, step in enumerate(self.steps):
            name = self.name if len(self.steps) == 1 else f"{self.name} {index + 1}"
            yield dataclasses.replace(
                self, name=name, before=(*self.before, *self.steps[:index]), steps=(step,)
            )


# --- steps -------------------------------------------------------------------------------------


def keep(text: str, **fields: Any) -> Step:
    return lambda bench: bench.call(remember, text=text, **fields)


def forget(text: str) -> Step:
    return lambda bench: bench.call(entries.forget_entry, id=bench.id_of(text), reason="wrong")


def restore(text: str) -> Step:
    def step(bench: Bench) -> object:
        return bench.call(entries.restore_entry, id=trashed_id(bench, text))

    return step


def trashed_id(bench: Bench, text: str) -> str:
    from wm.formats.tombstones import TrashedEntry

    for name in bench.store.names(TrashedEntry, bench.key):
        document = bench.store.read(Ref(TrashedEntry, bench.key, name)).document
        if document is not None and document.entry.text == text:
            return document.entry.id
    return bench.id_of(text)


def edit(text: str, /, **fields: Any) -> Step:
    return lambda bench: bench.call(edit_entry.edit_entry, id=bench.id_of(text), **fields)


def happen(event: Record, session: str = SESSION) -> Step:
    return lambda bench: bench.event(event, session)


def ask_prompt(bench: Bench) -> object:
    return bench.call(prompt, session_id=SESSION, agent="claude")


def compacted(bench: Bench) -> object:
    """A summary that adds one memory, repeats one, and replaces one that the model had learned."""
    ref = Ref(CompactionState, bench.key, paths.sid(SESSION))
    document = bench.store.read(ref).document
    if document is None:
        raise StoreError("The snapshot of the compaction cannot be read.")
    numbers = {named.id: named.ref for named in document.refs}
    lines = (
        "All tests pass now.",
        "",
        "Memory candidates:",
        f"Memory ref snapshot id: {document.snapshot_id}",
        f"- [decision] {QUEUE}",
        f"- REINFORCE [{numbers.get(bench.id_of(SHIP), 'M1')}]",
        f"- REPLACE [{numbers.get(bench.id_of(TABS), 'M3')}] [project] {DOCS}",
    )
    return bench.event(CompactionFinished(summary="\n".join(lines)))


def flush(bench: Bench) -> object:
    bench.store.flush()
    return None


def repair(bench: Bench) -> object:
    return list(repair_store(bench.store))


def tool(number: int) -> Step:
    return happen(
        ToolFinished(
            tool="edit", name="Edit", paths=(f"src/part_{number}.py",), exit_code=0, command=""
        )
    )


def swept(bench: Bench) -> object:
    """A sweep that completes its whole plan, with its report on disk."""
    done: Any = bench.call(sweep.sweep_storage)
    bench.store.flush()
    for error in done.logs[0].errors:
        raise StoreError(f"{error.path} stays: {error.reason}.")
    return done


def kept_outputs(bench: Bench) -> object:
    for number in range(2):
        one = ToolOutput(id=f"t_{number:020x}", session=paths.sid(SESSION), text="a", chars=1)
        bench.store.keep(Ref(ToolOutput, bench.key, file_name(one.id, one.session)), one)
    return None


def orphaned(bench: Bench) -> object:
    """A document of a session that has no state."""
    ref = Ref(CompactionState, bench.key, paths.sid("ses_gone"))
    with bench.store.transaction([ref]) as transaction:
        transaction.put(ref, CompactionState(session_id="ses_gone"))
    return None


# --- what happens to a folder outside wm ---------------------------------------------------------


def edited_by_hand(bench: Bench) -> object:
    file = bench.place("workspace-memory.json")
    file.write_text(file.read_text().replace("in cents", "in whole cents"))
    return None


def waiting_in_journal(*texts: str) -> Step:
    def step(bench: Bench) -> object:
        ref = Ref(PendingJournal, bench.key)
        waiting = tuple(
            PendingMemory(entry=_entry(f"m_{number:020x}", text))
            for number, text in enumerate(texts, 1)
        )
        with bench.store.transaction([ref]) as transaction:
            transaction.put(ref, PendingJournal(workspace=bench.workspace(), entries=waiting))
        return None

    return step


def _entry(name: str, text: str) -> MemoryEntry:
    return MemoryEntry(
        id=name, type="project", text=text, source="explicit",
        created_at=iso(BEGIN), updated_at=iso(BEGIN), retention_clock=iso(BEGIN),
    )  # fmt: skip


def _version_1(bench: Bench) -> dict[str, Any]:
    return {
        "version": 1,
        "workspace": {"root": str(bench.project), "key": bench.key},
        "limits": {"maxRenderedChars": 3600, "maxEntries": 28},
        "entries": [
            {
                "id": f"mem_{number}", "type": "project", "text": text, "source": "explicit",
                "confidence": 1, "status": "active", "createdAt": 1760000000000,
                "updatedAt": 1760000000000, "retentionClock": 1760000000000, "supersedes": None,
            }
            for number, text in enumerate((SHIP, CENTS), 1)
        ],
    }  # fmt: skip


def old_file_of_ours(bench: Bench) -> object:
    """A whole file of version 1, as an older wm of this folder would have left it."""
    key = keys.load(bench.store.disk)
    assert key is not None
    values = _version_1(bench)
    head = {"version": values.pop("version"), "generation": 3, "checksum": "0" * 64}
    raw = json.dumps({**head, **values}, indent=2).encode()
    digest = hmac.digest(key, raw, "sha256").hex().encode()
    raw = raw.replace(b"0" * 64, digest, 1)
    for name in ("workspace-memory.json", ".workspace-memory.json.spare"):
        bench.place(name).write_bytes(raw)
    return None


def old_file_of_others(bench: Bench) -> object:
    """The same file without our checksum: copied here by another program."""
    bench.place("").mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in ("workspace-memory.json", ".workspace-memory.json.spare"):
        bench.place(name).unlink(missing_ok=True)
    bench.place("workspace-memory.json").write_text(json.dumps(_version_1(bench), indent=1))
    return None


def left_temps(bench: Bench) -> object:
    """Temporary files of dead writers."""
    for name in ("workspace-memory.json", "tombstones.json"):
        for number in range(2):
            temp = bench.place(f".{name}.{number:016x}.tmp")
            temp.write_bytes(b'{\n  "version": 3,')
            temp.chmod(0o600)
    return None


def damaged_all_over(bench: Bench) -> object:
    """Every kind of damage that `wm fsck --repair` repairs."""
    left_temps(bench)
    memory = bench.place("workspace-memory.json")
    memory.write_bytes(memory.read_bytes()[:200])
    previous = bench.place(".tombstones.json.spare")
    previous.write_bytes(b"\0" * 64)
    (log,) = bench.place("evidence").glob("*.jsonl")
    with log.open("ab") as file:
        file.write(b'{"version":1,"eventId":"e_torn')
    bench.place("trash").chmod(0o755)
    (bench.home / "local.key").write_bytes(b"wm-key-1 damaged\n")
    (bench.home / "aliases.json").write_bytes(b"")
    (bench.home / "aliases.json").chmod(0o600)
    return None


def moved(bench: Bench) -> object:
    other = bench.project.parent / "moved"
    other.mkdir(exist_ok=True)
    return bench.call(workspaces.move_workspace, old=str(bench.project), new=str(other))


def ignored(number: int) -> Step:
    """An action whose evidence explains nothing in memory."""
    text = f"Don't remember that dock {number} is closed."
    return happen(UserPrompt(text=text, message_id=f"i{number}"))


# --- scenes --------------------------------------------------------------------------------------

TWO = (keep(SHIP), keep(CENTS))
STARTED = happen(SessionStarted())
SAID = happen(AssistantText(text=f"{TABS} {QUEUE} {DOCS}"))
"""What the model said itself may become memory without a person's approval (TR-3)."""
LEARNED = keep(TABS, source="compaction", origin="agent", session=SESSION)
IN_SESSION = (*TWO, STARTED, SAID, LEARNED, ask_prompt)
ENDED = happen(SessionEnded(reason="exit"))
DELETED = happen(SessionDeleted())
COMPACTS = happen(CompactionStarted())

SCENES: tuple[Scene, ...] = (
    Scene("first write", (), (keep(SHIP),)),
    Scene("remember", TWO, (keep(LINT), keep(DOCS))),
    Scene("remember again", TWO, (keep(SHIP),)),
    Scene("edit", TWO, (edit(SHIP, text=f"{SHIP} Always."), edit(CENTS, pinned=True))),
    Scene("forget and undo", TWO, (forget(SHIP), restore(SHIP))),
    Scene("promote", (*TWO, waiting_in_journal(LINT, DOCS)), (STARTED, ENDED)),
    Scene("compact", IN_SESSION, (COMPACTS, compacted, ask_prompt)),
    Scene(
        "replace", (*IN_SESSION, COMPACTS), (compacted, edit(SHIP, importance="high"), keep(LINT))
    ),
    Scene(
        "session",
        TWO,
        (
            STARTED,
            ask_prompt,
            happen(UserPrompt(text=f"Remember that {LINT}", message_id="u1")),
            tool(1),
            ENDED,
        ),
    ),
    Scene("hot state", (*TWO, STARTED), (tool(1), tool(2), flush, tool(3), tool(4))),
    Scene("session delete", (*IN_SESSION, COMPACTS, tool(1)), (DELETED, keep(LINT))),
    Scene("outside edit", (*TWO, edited_by_hand), (keep(LINT),)),
    Scene("sweep", (*TWO, forget(SHIP), left_temps), (keep(LINT), forget(CENTS))),
    Scene("import", (old_file_of_others,), (keep(LINT), keep(DOCS))),
    Scene("migrate", (keep(SHIP), old_file_of_ours), (keep(LINT), keep(DOCS))),
    Scene(
        "storage",
        (*IN_SESSION, COMPACTS, tool(1), forget(CENTS), orphaned, kept_outputs, left_temps),
        (swept, keep(LINT)),
    ),
    Scene(
        "evidence rotation",
        (*TWO, *(ignored(number) for number in range(5))),
        (swept, keep(LINT)),
        segment_bytes=900,
        records=2,
    ),
    Scene("log rotation", TWO, (keep(LINT), keep(DOCS)), segment_bytes=600),
    Scene("move", TWO, (moved,)),
    Scene("repair", (*TWO, forget(SHIP), damaged_all_over), (repair,)),
)


def session_state(bench: Bench) -> SessionState | None:
    return bench.store.read(Ref(SessionState, bench.key, paths.sid(SESSION))).document
