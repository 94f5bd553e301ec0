"""Each broken invariant is found, repairable ones are repaired, and no byte is lost (ST-3)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from wm.formats.core_memory import NEXT, CoreMemory
from wm.formats.evidence import EvidenceRecord
from wm.formats.home import Alias, Aliases
from wm.formats.pending_journal import PendingJournal
from wm.formats.prompt_epoch import PromptBlock, PromptEpoch
from wm.formats.session_state import SessionState
from wm.formats.sharing.sync import Replica, SharedRecord, Sync
from wm.formats.tombstones import TrashedEntry
from wm.formats.working_memory import WorkingMemory
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.base import Finding, Ref
from wm.store.check import check
from wm.store.check.repair import repair
from wm.store.files import FileStore
from wm.store.identity import key_of

ROOT = "/srv/code/shop"
KEY = key_of(ROOT)
WORKSPACE = Workspace(root=ROOT, key=KEY)
BASE = f"workspaces/{KEY}"
MEMORY = f"{BASE}/workspace-memory.json"
PREVIOUS_COPY = f"{BASE}/.workspace-memory.json.spare"
SID = paths.sid("s-1")
LOG = f"{BASE}/evidence/1.jsonl"


def entry(id: str, text: str = "Prices are kept in cents.", **more: object) -> MemoryEntry:
    return MemoryEntry(
        id=id, type="project", text=text, source="manual", created_at="", updated_at="", **more
    )


def epoch(text: str = "A block.") -> PromptEpoch:
    digest = "5ed6e14f0c3e7a1bd1e3f5e4a0ad1a5cb3e5e7bb9ba3d60f5a3d7ee0a7e1b0aa"
    block = PromptBlock(name="hot_state", text=text, sha256=digest, chars=len(text))
    return PromptEpoch(id="p_1", session_id="s-1", blocks=(block,))


def good_epoch() -> PromptEpoch:
    block = epoch().blocks[0]
    return epoch().model_copy(
        update={"blocks": (block.model_copy(update={"sha256": DIGEST_OF_BLOCK}),)}
    )


DIGEST_OF_BLOCK = "e910d6ad3cfbe5d077408c5596a1db219b6c329c55ab02d7b24de1370ebaa60e"


def record(number: int, workspace: str = KEY) -> EvidenceRecord:
    return EvidenceRecord(
        event_id=f"e_{number}",
        created_at="2026-11-21T19:00:00.000Z",
        workspace_key=workspace,
        type="memory_promoted",
        phase="user",
        outcome="promoted",
    )


class Folder:
    """A data folder with one document of each kind, and ways to damage it."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def store(self) -> FileStore:
        return FileStore(self.home, StoreSettings(lock_wait_s=0.2))

    def write(self, *documents: tuple[Ref, object]) -> None:
        refs = [ref for ref, _ in documents]
        with self.store().transaction(refs) as transaction:
            for ref, document in documents:
                transaction.put(ref, document)

    def log(self, *records: EvidenceRecord) -> None:
        with self.store().transaction([]) as transaction:
            for one in records:
                transaction.log(one)

    def path(self, name: str) -> Path:
        return self.home / name

    def change(self, name: str, old: bytes, new: bytes) -> None:
        raw = self.path(name).read_bytes()
        assert old in raw
        self.path(name).write_bytes(raw.replace(old, new, 1))

    def append(self, name: str, raw: bytes) -> None:
        with self.path(name).open("ab") as file:
            file.write(raw)

    def found(self, *, deep: bool = True) -> list[tuple[str, str, str]]:
        return [(f.code, f.severity, f.path) for f in check(self.store(), deep=deep)]

    def memory(self) -> WorkspaceMemory | None:
        return self.store().read(Ref(WorkspaceMemory, KEY)).document


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "wm")
    made.write(
        (Ref(Aliases), Aliases(aliases=(Alias(key="b" * 16, target=KEY),))),
        (Ref(PromptEpoch, KEY, "p_1"), good_epoch()),
        (
            Ref(TrashedEntry, KEY, "m_0"),
            TrashedEntry(workspace=WORKSPACE, entry=entry("m_0"), trashed_at=""),
        ),
        (
            Ref(WorkspaceMemory, KEY),
            WorkspaceMemory(
                workspace=WORKSPACE, entries=(entry("m_1", supersedes=("m_0",)), entry("m_2"))
            ),
        ),
        (Ref(PendingJournal, KEY), PendingJournal(workspace=WORKSPACE)),
        (Ref(SessionState, KEY, SID), SessionState(session_id="s-1", epoch="p_1")),
    )
    made.log(record(1), record(2))
    return made


def tree(home: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(home)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in home.rglob("*")
        if path.is_file()
    }


def test_a_missing_folder_has_no_findings(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "wm")
    assert folder.found() == []
    assert list(repair(folder.store())) == []
    assert not folder.home.exists()


def test_an_intact_folder_has_no_findings_and_is_not_changed(folder: Folder) -> None:
    before = tree(folder.home)
    assert folder.found() == []
    assert list(repair(folder.store())) == []
    assert tree(folder.home) == before


BREAKS: dict[str, tuple[Callable[[Folder], object], list[tuple[str, str, str]]]] = {
    "changed outside": (
        lambda f: f.change(MEMORY, b"cents", b"euros"),
        [("changed_outside", "note", MEMORY)],
    ),
    "too new": (
        lambda f: f.change(MEMORY, b'"version": 3', b'"version": 7'),
        [("too_new", "warning", MEMORY)],
    ),
    "unknown files": (
        lambda f: (
            f.path("notes.md").write_text("x"),
            f.path(f"{BASE}/todo").mkdir(),
            f.path(f"{BASE}/sessions/{SID}_weather.json").write_text("{}"),
        ),
        [
            ("unknown_file", "note", "notes.md"),
            ("unknown_file", "note", f"{BASE}/todo"),
            ("unknown_file", "note", f"{BASE}/sessions/{SID}_weather.json"),
        ],
    ),
    "a symlink for a document": (
        lambda f: (
            f.path(f"{BASE}/tombstones.json").symlink_to("workspace-memory.json"),
            f.path("run").symlink_to("/tmp"),
        ),
        [("not_ours", "error", "run"), ("not_ours", "error", f"{BASE}/tombstones.json")],
    ),
    "wrong texts in an epoch": (
        lambda f: f.write((Ref(PromptEpoch, KEY, "p_1"), epoch())),
        [
            ("epoch_changed", "error", f"{BASE}/epochs/p_1.json"),
            ("epoch_changed", "error", f"{BASE}/epochs/p_1.json"),
        ],
    ),
    "a folder that was copied": (
        lambda f: f.path(BASE).rename(f.path("workspaces/" + "c" * 16)),
        [
            ("dangling_alias", "warning", "aliases.json"),
            ("wrong_workspace", "error", f"workspaces/{'c' * 16}/workspace-memory.json"),
            ("wrong_workspace", "error", f"workspaces/{'c' * 16}/pending-journal.json"),
            ("wrong_workspace", "error", f"workspaces/{'c' * 16}/trash/m_0.json"),
            ("wrong_workspace", "error", f"workspaces/{'c' * 16}/evidence/1.jsonl"),
        ],
    ),
    "a root that has another key": (
        lambda f: f.write(
            (
                Ref(WorkspaceMemory, KEY),
                WorkspaceMemory(workspace=Workspace(root="/srv/other", key=KEY)),
            )
        ),
        [("root_mismatch", "warning", MEMORY)],
    ),
    "entries": (
        lambda f: f.write(
            (
                Ref(WorkspaceMemory, KEY),
                WorkspaceMemory(
                    workspace=WORKSPACE,
                    entries=(
                        entry("m_1"),
                        entry("m_1", superseded_by="m_9"),
                        entry("m_0", supersedes=("m_1", "m_8")),
                    ),
                ),
            )
        ),
        [
            ("duplicate_id", "error", MEMORY),
            ("dangling_supersedes", "warning", MEMORY),
            ("dangling_supersedes", "warning", MEMORY),
            ("also_in_trash", "note", MEMORY),
        ],
    ),
    "a session in a wrong file": (
        lambda f: f.write(
            (
                Ref(SessionState, KEY, SID),
                SessionState(session_id="s-2", epoch="p_2", workspace_key="d" * 16),
            )
        ),
        [
            ("wrong_name", "error", f"{BASE}/sessions/{SID}.json"),
            ("wrong_workspace", "error", f"{BASE}/sessions/{SID}.json"),
            ("dangling_epoch", "note", f"{BASE}/sessions/{SID}.json"),
        ],
    ),
    "a session's own memory in a wrong file": (
        lambda f: f.write(
            (Ref(CoreMemory, KEY, SID), CoreMemory(session_id="", workspace_key="d" * 16)),
            (Ref(CoreMemory, KEY, NEXT), CoreMemory(session_id="", carried_from="s-1")),
            (Ref(WorkingMemory, KEY, SID), WorkingMemory(session_id="s-2")),
        ),
        [
            ("wrong_name", "error", f"{BASE}/core/{SID}.json"),
            ("wrong_workspace", "error", f"{BASE}/core/{SID}.json"),
            ("wrong_name", "error", f"{BASE}/sessions/{SID}_working.json"),
        ],
    ),
    "aliases": (
        lambda f: f.write(
            (
                Ref(Aliases),
                Aliases(
                    aliases=(
                        Alias(key="a" * 16, target="a" * 16),
                        Alias(key="b" * 16, target="c" * 16),
                        Alias(key=KEY, target="d" * 16),
                    )
                ),
            )
        ),
        [
            ("alias_circle", "warning", "aliases.json"),
            ("dangling_alias", "warning", "aliases.json"),
            ("dangling_alias", "warning", "aliases.json"),
            ("alias_hides_folder", "warning", "aliases.json"),
            ("root_mismatch", "warning", MEMORY),
            ("root_mismatch", "warning", f"{BASE}/pending-journal.json"),
            ("root_mismatch", "warning", f"{BASE}/trash/m_0.json"),
        ],
    ),
    "what is shared contradicts itself": (
        lambda f: f.write(
            (
                Ref(Sync, KEY),
                Sync(
                    workspace=WORKSPACE,
                    team=Replica(
                        applied="0" * 40,
                        records={
                            "m_0123": SharedRecord(author="", shared=True, withdrawn=True),
                            "m_0124": SharedRecord(author="", withdrawn=True),
                        },
                    ),
                    mine=Replica(records={"../m_0125": SharedRecord(author="")}),
                ),
            )
        ),
        [
            ("dangling_commit", "warning", f"{BASE}/sync.json"),
            ("never_shared", "warning", f"{BASE}/sync.json"),
            ("wrong_name", "error", f"{BASE}/sync.json"),
        ],
    ),
    "a damaged record in the log": (
        lambda f: f.change(LOG, b"e_1", b"e_7"),
        [("damaged_records", "warning", LOG)],
    ),
    "the same record twice, and a missing log": (
        lambda f: (
            f.path(f"{BASE}/evidence/3.jsonl").write_bytes(f.path(LOG).read_bytes()),
            f.path(f"{BASE}/evidence/3.jsonl").chmod(0o600),
        ),
        [
            ("duplicate_id", "warning", f"{BASE}/evidence/3.jsonl"),
            ("missing_log", "warning", f"{BASE}/evidence"),
        ],
    ),
    "no key": (
        lambda f: (f.path("local.key").unlink(), f.path(".local.key.spare").unlink()),
        [
            ("missing_key", "warning", "local.key"),
            ("changed_outside", "note", "aliases.json"),
            ("changed_outside", "note", MEMORY),
            ("changed_outside", "note", f"{BASE}/pending-journal.json"),
            ("changed_outside", "note", f"{BASE}/trash/m_0.json"),
            ("changed_outside", "note", f"{BASE}/epochs/p_1.json"),
            ("changed_outside", "note", f"{BASE}/sessions/{SID}.json"),
            ("damaged_records", "warning", LOG),
        ],
    ),
}


def test_a_damaged_record_is_reported_once(folder: Folder) -> None:
    damage, _ = BREAKS["a damaged record in the log"]
    damage(folder)
    (finding,) = check(folder.store(), deep=True)
    assert finding.message == "1 record cannot be read; all others can."


@pytest.mark.parametrize("name", BREAKS)
def test_repair_leaves_findings_that_are_not_repairable(folder: Folder, name: str) -> None:
    damage, findings = BREAKS[name]
    damage(folder)
    before = tree(folder.home)
    assert sorted(folder.found()) == sorted(findings)
    assert list(repair(folder.store())) == []
    assert tree(folder.home) == before


REPAIRS: dict[str, tuple[Callable[[Folder], object], list[tuple[str, str, str]]]] = {
    "a damaged document": (
        lambda f: f.path(MEMORY).write_bytes(b"\0" * 100),
        [("restored", "warning", MEMORY)],
    ),
    "a document that is gone": (
        lambda f: f.path(MEMORY).unlink(),
        [("restored", "warning", MEMORY)],
    ),
    "a damaged previous copy": (
        lambda f: f.change(PREVIOUS_COPY, b"{", b"["),
        [("damaged_spare", "warning", PREVIOUS_COPY)],
    ),
    "an edited previous copy": (
        lambda f: f.change(PREVIOUS_COPY, b"cents", b"euros"),
        [("damaged_spare", "warning", PREVIOUS_COPY)],
    ),
    "a previous copy that is gone": (
        lambda f: f.path(PREVIOUS_COPY).unlink(),
        [("no_spare", "warning", PREVIOUS_COPY)],
    ),
    "files that others can read": (
        lambda f: (f.path(MEMORY).chmod(0o644), f.path(BASE).chmod(0o755), f.home.chmod(0o711)),
        [
            ("open_to_others", "warning", ""),
            ("open_to_others", "warning", BASE),
            ("open_to_others", "warning", MEMORY),
        ],
    ),
    "a temporary file of a dead writer": (
        lambda f: (
            f.path(f"{BASE}/.tombstones.json.0123456789abcdef.tmp").write_text("{"),
            f.path(f"{BASE}/.tombstones.json.0123456789abcdef.tmp").chmod(0o600),
        ),
        [("stale_temp", "note", f"{BASE}/.tombstones.json.0123456789abcdef.tmp")],
    ),
    "a torn log": (lambda f: f.append(LOG, b'{"version":1,"eventId'), [("torn_tail", "note", LOG)]),
    "a flipped bit in the key": (
        lambda f: f.change("local.key", b"wm-key-1 ", b"wm-key-3 "),
        [("damaged_key", "warning", "local.key")],
    ),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_repairable_findings_are_repaired(folder: Folder, name: str) -> None:
    damage, findings = REPAIRS[name]
    memory = folder.memory()
    damage(folder)
    assert folder.found() == findings
    done = list(repair(folder.store()))
    assert sorted((f.code, f.path) for f in done) == sorted((f[0], f[2]) for f in findings)
    assert {f.severity for f in done} == {"note"}
    assert [f for f in folder.found() if f[0] != "quarantined"] == []
    assert folder.memory() == memory
    assert folder.path(MEMORY).read_bytes() == folder.path(PREVIOUS_COPY).read_bytes()
    assert folder.path(MEMORY).stat().st_ino != folder.path(PREVIOUS_COPY).stat().st_ino
    assert folder.store().evidence(KEY).records == (record(1), record(2))


@pytest.mark.parametrize(
    "name", ["a damaged document", "a damaged previous copy", "an edited previous copy"]
)
def test_a_replaced_file_is_kept_in_quarantine(folder: Folder, name: str) -> None:
    REPAIRS[name][0](folder)
    before = {raw for _, raw in tree(folder.home).values()}
    list(repair(folder.store()))
    assert before <= {raw for _, raw in tree(folder.home).values()}
    assert [code for code, _, _ in folder.found()] == ["quarantined"]


def test_without_a_readable_copy_all_copies_are_kept_and_the_document_starts_empty(
    folder: Folder,
) -> None:
    for path in (MEMORY, PREVIOUS_COPY):
        folder.path(path).write_bytes(b"rubbish of " + path.encode())
    assert folder.found() == [("unreadable", "error", MEMORY)]
    assert [f.code for f in repair(folder.store())] == ["unreadable"]
    kept = sorted(
        p.read_bytes() for p in folder.path("quarantine").glob("*.json*") if "reason" not in p.name
    )
    assert kept == sorted(b"rubbish of " + path.encode() for path in (MEMORY, PREVIOUS_COPY))
    assert [code for code, _, _ in folder.found()] == ["quarantined", "quarantined"]
    assert folder.memory() is None


def test_a_key_without_an_intact_copy_is_the_only_error_until_renewed(folder: Folder) -> None:
    for name in ("local.key", ".local.key.spare"):
        folder.change(name, b"wm-key-1 ", b"wm-key-3 ")
    findings = folder.found()
    assert findings[-1] == ("no_key", "error", "local.key")
    list(repair(folder.store()))
    codes = {code for code, _, _ in folder.found()}
    assert codes == {"quarantined", "changed_outside", "damaged_records"}


def test_a_session_reverted_by_a_power_cut_gets_its_flushed_text(folder: Folder) -> None:
    ref, path = Ref(SessionState, KEY, SID), f"{BASE}/sessions/{SID}.json"
    old = folder.path(path).read_bytes()
    store = folder.store()
    with store.transaction([ref]) as transaction:
        transaction.put(ref, SessionState(session_id="s-1", agent="opencode"))
    store.close()
    folder.path(path).write_bytes(old)
    assert folder.found() == [("restored", "warning", path)]
    assert [f.code for f in repair(folder.store())] == ["restored"]
    reading = folder.store().read(ref)
    assert reading.document is not None
    assert (reading.document.agent, folder.found()) == ("opencode", [])


def test_files_of_an_active_writer_are_not_reported(folder: Folder) -> None:
    temp = folder.path(f"{BASE}/.workspace-memory.json.0123456789abcdef.tmp")
    with folder.store().transaction([Ref(WorkspaceMemory, KEY)]):
        temp.write_text("{")
        temp.chmod(0o600)
        assert folder.found() == []
        assert list(repair(folder.store())) == []
        assert temp.exists()
    assert [code for code, _, _ in folder.found()] == ["stale_temp"]


def test_a_failed_repair_is_reported(folder: Folder) -> None:
    folder.path(MEMORY).write_bytes(b"{")
    with folder.store().transaction([Ref(WorkspaceMemory, KEY)]):
        (finding,) = list(repair(folder.store()))
    assert (finding.code, finding.severity, finding.path) == ("restored", "error", MEMORY)
    assert "locked by" in finding.message


def test_without_deep_only_editable_documents_are_read(folder: Folder) -> None:
    folder.path(f"{BASE}/epochs/p_1.json").write_bytes(b"{")
    folder.append(LOG, b"{")
    folder.path(MEMORY).write_bytes(b"{")
    assert folder.found(deep=False) == [("restored", "warning", MEMORY)]


def test_a_moved_checkout_is_known_by_its_alias(folder: Folder) -> None:
    folder.write(
        (Ref(Aliases), Aliases(aliases=(Alias(key=key_of("/srv/new"), target=KEY),))),
        (Ref(PendingJournal, KEY), PendingJournal(workspace=Workspace(root="/srv/new", key=KEY))),
    )
    assert folder.found() == []


def test_a_root_that_is_not_utf8_is_keyed_by_its_bytes(tmp_path: Path) -> None:
    folder, key = Folder(tmp_path / "wm"), key_of(b"/srv/caf\xe9")
    folder.write(
        (
            Ref(PendingJournal, key),
            PendingJournal(workspace=Workspace(root="/srv/caf\\xe9", key=key)),
        )
    )
    assert folder.found() == []


def test_an_inaccessible_file_is_an_error_not_damage(folder: Folder) -> None:
    folder.path(f"{BASE}/.workspace-memory.json.spare").unlink()
    if os.geteuid() == 0:
        folder.path(MEMORY).unlink()
        folder.path(MEMORY).mkdir()
        assert ("not_ours", "error", MEMORY) in folder.found()
    else:
        folder.path(MEMORY).chmod(0)
        assert ("unreachable", "error", MEMORY) in folder.found()


@pytest.mark.parametrize("name", [MEMORY, f"{BASE}/pending-journal.json"])
@pytest.mark.parametrize("copied", [True, False], ids=["with its copy", "without"])
def test_a_folder_in_the_place_of_a_document_is_reported(
    folder: Folder, name: str, copied: bool
) -> None:
    folder.path(name).unlink()
    folder.path(name).mkdir()
    if not copied:
        above, _, file = name.rpartition("/")
        folder.path(f"{above}/{paths.previous_copy(file)}").unlink()
    findings = [found for found in check(folder.store(), deep=True) if found.path == name]
    in_place = Finding(
        "not_ours",
        "error",
        name,
        "There is a folder where a file or folder of wm belongs; wm does not follow it.",
    )
    why = "it cannot be read: a folder is in its place; using the previous copy"
    served = Finding("restored", "warning", name, why, repairable=True)
    assert findings == ([in_place, served] if copied else [in_place])


def test_findings_name_their_subject(folder: Folder) -> None:
    folder.path(MEMORY).write_bytes(b"")
    (finding,) = list(check(folder.store()))
    assert finding == Finding(
        "restored", "warning", MEMORY, "it is empty; using the previous copy", repairable=True
    )
