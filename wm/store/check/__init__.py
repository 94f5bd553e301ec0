"""Check all invariants of the data folder, and report violations as findings (ST-3).

Writes nothing, takes no lock and uses the store's Disk. `invariants` checks the contents of
documents, and `repair` repairs findings. Files that wm does not know are reported, never touched.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress

from pydantic import ValidationError

from wm.domain.counts import counted
from wm.domain.paging.ledger import handles_in
from wm.errors import Corrupt, StoreError
from wm.formats.base import Document
from wm.formats.evidence import EvidenceRecord
from wm.formats.home import Aliases
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.tombstones import TrashedEntry
from wm.store import envelope, evidence, fsops, jsonlines, paths, vectors
from wm.store import key as keys
from wm.store.base import Finding, Health, Ref
from wm.store.check import invariants
from wm.store.check.invariants import finding
from wm.store.envelope import CopyState, Decoded
from wm.store.files import FileStore
from wm.store.fsops import Handle, explain, explained
from wm.store.paths import CACHED, RELAXED
from wm.store.quarantine import REASON
from wm.store.tree import OTHER_FOLDERS, FolderKind, kind_of

_HEALTH = {
    Health.OUTSIDE: "changed_outside",
    Health.RESTORED: "restored",
    Health.LOST: "unreadable",
    Health.TOO_NEW: "too_new",
}
"""The code of a finding about a document that is not in order."""
_MAX_LOG_BYTES = 512 * 1024 * 1024


def check(store: FileStore, *, deep: bool = False) -> Iterator[Finding]:
    """All findings. Without `deep`, only the documents that people edit are read, and ledgers of
    sessions without steps; of all other files only name, kind and mode are checked. With it every
    byte is read."""
    try:
        with store.disk.folder(""):
            pass
    except FileNotFoundError:
        return
    except OSError as error:
        yield _unreachable(store, "", error)
        return
    strange: set[str] = set()
    for one in _tree(store, ""):
        if one.code == "not_ours":
            strange.add(one.path)
        yield one
    about_key = list(_key(store))
    yield from about_key
    if not any(one.severity == "error" for one in about_key):
        for one in _documents(store, deep):
            # A file in a document's place cannot be read either: report it once.
            if one.code != "unreachable" or one.path not in strange:
                yield one
        for workspace in store.memories() if deep else ():
            base = paths.workspace_folder(workspace)
            yield from _in_folder(store, paths.evidence_folder(workspace), _logs)
            yield from _in_folder(store, paths.vectors_folder(workspace), _vectors)
            for kind in paths.SESSION_LOGS:
                yield from _in_folder(store, f"{base}/{kind}", _session_logs)
    yield from _in_folder(store, paths.QUARANTINE, _quarantined)


# --- the tree ---------------------------------------------------------------------------------


def _tree(store: FileStore, path: str) -> Iterator[Finding]:
    """Findings about modes, kinds of files, leftovers and unknown files, from here downwards."""
    kind = kind_of(path)
    assert kind is not None
    inner: list[str] = []
    try:
        with store.disk.folder(path) as folder:
            yield from _mode(path, store.disk.status(folder).st_mode, fsops.FOLDER_MODE)
            for name in store.disk.list(folder):
                full = paths.FilePlace(path, name).path
                try:
                    found = store.disk.stat(folder, name).st_mode
                except FileNotFoundError:
                    continue  # deleted meanwhile: a process is working here
                if stat.S_ISDIR(found) and kind_of(full) is not None:
                    inner.append(full)
                elif stat.S_ISDIR(found) and full in OTHER_FOLDERS:
                    yield from _mode(full, found, fsops.FOLDER_MODE)
                else:
                    yield from _file(store, folder, name, found, kind)
    except OSError as error:
        yield _unreachable(store, path, error)
    for full in inner:
        yield from _tree(store, full)


def _file(
    store: FileStore, folder: Handle, name: str, mode: int, kind: FolderKind
) -> Iterator[Finding]:
    full = paths.FilePlace(folder.path, name).path
    known_name = kind.knows(name)
    if not known_name and kind_of(full) is None and full not in OTHER_FOLDERS:
        yield finding("unknown_file", full)
    elif not known_name or not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "something else"
        what = "a symlink" if stat.S_ISLNK(mode) else what
        yield finding("not_ours", full, what=what)
    else:
        yield from _mode(full, mode, fsops.FILE_MODE)
        document, companion = paths.companion(name)
        if companion == "tmp" and not _is_locked(store, folder, document):
            yield finding("stale_temp", full)
        if companion == "next" and not _is_locked(store, folder, document):
            yield finding("unfinished", full)


def _mode(path: str, mode: int, wanted: int) -> Iterator[Finding]:
    found = stat.S_IMODE(mode)
    if found & ~wanted:
        yield finding("open_to_others", path, found=found, wanted=wanted)


def _is_locked(store: FileStore, folder: Handle, document: str) -> bool:
    """Whether a process holds the lock of a document, without taking it. False if unknown."""
    with suppress(FileNotFoundError):
        return fsops.lock_holder(store.disk.stat(folder, paths.lock(document))) != 0
    return False


# --- the key ------------------------------------------------------------------------------------


def _key(store: FileStore) -> Iterator[Finding]:
    try:
        for name in keys.damaged(store.disk):
            yield finding("damaged_key", name)
        if keys.load(store.disk) is None and store.workspaces():
            yield finding("missing_key", paths.KEY_FILE)
    except Corrupt as error:
        yield finding("no_key", paths.KEY_FILE, error=error)
    except StoreError as error:
        yield finding("unreachable", paths.KEY_FILE, error=error)


# --- documents ------------------------------------------------------------------------------------


def _documents(store: FileStore, deep: bool) -> Iterator[Finding]:
    try:
        folders = store.memories()
        aliases = store.read(Ref(Aliases)).document or Aliases()
    except StoreError:
        folders, aliases = (), Aliases()  # reported below, and by the tree
    for workspace in ("", *folders):
        try:
            around = invariants.Surroundings(
                folders,
                aliases,
                trash=store.names(TrashedEntry, workspace) if workspace else (),
                epochs=store.names(PromptEpoch, workspace) if workspace else (),
            )
            refs = list(_refs(store, workspace, deep))
        except StoreError as error:
            yield finding("unreachable", workspace, error=error)
            continue
        for ref in refs:
            yield from _document(store, ref, around, deep)
        if workspace:
            yield from _steps(store, workspace, deep)


def _refs(store: FileStore, workspace: str, deep: bool) -> Iterator[Ref[Document]]:
    for model, row in paths.LAYOUT.items():
        if row.in_home == (workspace == "") and (deep or row.names is None):
            for name in store.names(model, workspace):
                yield Ref(model, workspace, name)


def _document(
    store: FileStore, ref: Ref[Document], around: invariants.Surroundings, deep: bool
) -> Iterator[Finding]:
    path = paths.place(ref).path
    try:
        reading = store.read(ref)
        if reading.health in _HEALTH:
            yield finding(_HEALTH[reading.health], path, detail=reading.detail)
        elif reading.health is Health.OK and ref.model not in CACHED:
            yield from _previous_copy(store, ref)
    except StoreError as error:
        yield finding("unreachable", path, error=error)
        return
    if deep and reading.document is not None and reading.health is not Health.TOO_NEW:
        yield from invariants.findings(ref, reading.document, around)


def _previous_copy(store: FileStore, ref: Ref[Document]) -> Iterator[Finding]:
    """Findings about the previous copy of an intact document."""
    place, relaxed = paths.place(ref), ref.model in RELAXED
    path = paths.FilePlace(place.folder, paths.previous_copy(place.name)).path
    with explained("read", store.home, path), store.disk.folder(place.folder) as folder:
        previous, previous_raw = _decoded(store, ref, folder, paths.previous_copy(place.name))
        main, main_raw = _decoded(store, ref, folder, place.name)
    if main.state is not CopyState.INTACT:
        return  # written meanwhile
    older, newer = previous.generation, main.generation
    if previous_raw is None:
        if not relaxed:
            yield finding("no_spare", path)
    elif previous.state is not CopyState.INTACT:
        why = previous.detail or "changed outside wm"
        yield finding("damaged_spare", path, why=why)
    elif older < newer and not relaxed:
        yield finding("stale_spare", path, older=older, newer=newer)
    elif older == newer and previous_raw != main_raw:
        yield finding("spare_mismatch", path, newer=newer)


def _decoded(
    store: FileStore, ref: Ref[Document], folder: Handle, name: str
) -> tuple[Decoded[Document], bytes | None]:
    try:
        raw = store.disk.read(folder, name, store.settings.max_document_bytes)
    except FileNotFoundError:
        return Decoded(CopyState.ABSENT, None), None
    return envelope.decode(ref.model, raw, store.core.key_to_read()), raw


# --- logs and quarantine --------------------------------------------------------------------------


def _in_folder(
    store: FileStore, path: str, look: Callable[[FileStore, Handle], Iterator[Finding]]
) -> Iterator[Finding]:
    """What `look` finds in a folder; nothing if it is missing, one finding if it is unreadable."""
    try:
        with store.disk.folder(path) as folder:
            yield from look(store, folder)
    except FileNotFoundError:
        return
    except OSError as error:
        yield _unreachable(store, path, error)


def _logs(store: FileStore, folder: Handle) -> Iterator[Finding]:
    numbers = evidence.segments(store.disk.list(folder))
    seen: set[str] = set()
    for number in numbers:
        name = evidence.file_name(number)
        last = number == numbers[-1]
        for words, some in _log(_lines(store, folder, name), folder.path, seen, last):
            yield finding(words, f"{folder.path}/{name}", some=some)
    missing = set(range(numbers[0], numbers[-1])) - set(numbers) if numbers else set()
    if missing:
        yield finding("missing_log", folder.path, numbers=sorted(missing))


def _lines(store: FileStore, folder: Handle, name: str) -> jsonlines.LogLines:
    raw = store.disk.read(folder, name, _MAX_LOG_BYTES)
    return jsonlines.read(raw, store.core.key_to_read())


def _session_logs(store: FileStore, folder: Handle) -> Iterator[Finding]:
    """Damaged lines in the logs of proxies; nothing else depends on them."""
    for name in filter(paths.session_of_log, store.disk.list(folder)):
        damaged = _lines(store, folder, name).damaged
        if damaged:
            some = counted(damaged, "line")
            yield finding("damaged_records", f"{folder.path}/{name}", some=some)


def _steps(store: FileStore, workspace: str, deep: bool) -> Iterator[Finding]:
    """Sessions whose ledger refers to texts that are not stored. Without `deep` only those without
    any stored step."""
    try:
        stored = store.sessions_with(workspace, paths.OBJECTS)
        for session in store.sessions_with(workspace, paths.DECISIONS):
            lost = _lost_texts(store, workspace, session) if deep or session not in stored else 0
            if lost:
                path = paths.session_log(paths.OBJECTS, workspace, session).path
                some = counted(lost, "text")
                yield finding("lost_steps", path, some=some, workspace=workspace, session=session)
    except StoreError as error:
        yield finding("unreachable", paths.workspace_folder(workspace), error=error)


def _lost_texts(store: FileStore, workspace: str, session: str) -> int:
    """Number of removed texts of a session that are neither stored nor purged. A note names what
    was brought back from another session by its handle there."""
    removed: dict[str, frozenset[str]] = {}
    for record in store.ledger(workspace, session):
        if record.kind == "purged":
            removed.clear()
        elif record.kind == "decided":
            removed.update((one.block, handles_in(one)) for one in record.decisions)
    known: set[str] = set()
    for step in store.objects(workspace, session):
        known.update(step.places, (step.id, *(part.id for part in step.parts)))
    return sum(not (block in known or handles <= known) for block, handles in removed.items())


def _log(
    lines: jsonlines.LogLines, folder: str, seen: set[str], last: bool
) -> Iterator[tuple[str, str]]:
    """What is wrong with one log file, and how much of it; `seen` collects the ids of all files."""
    workspace, _ = paths.owner(folder)
    unfit = repeated = foreign = 0
    for body in lines.records:
        try:
            record = EvidenceRecord.model_validate_json(body)
        except ValidationError:
            unfit += 1
            continue
        repeated += record.event_id in seen
        foreign += record.workspace_key != workspace
        seen.add(record.event_id)
    damaged = lines.damaged + unfit + (lines.torn_bytes > 0 and not last)
    if damaged:
        yield "damaged_records", counted(damaged, "record")
    if lines.torn_bytes and last:
        yield "torn_tail", counted(lines.torn_bytes, "byte")
    if repeated:
        yield "duplicate_id.record", counted(repeated, "record")
    if foreign:
        yield "wrong_workspace.record", counted(foreign, "record")


def _vectors(store: FileStore, folder: Handle) -> Iterator[Finding]:
    for name in filter(paths.is_vectors, store.disk.list(folder)):
        wrong = vectors.problem(store.core, folder, name, store.settings.max_vector_bytes)
        if wrong:
            yield finding("damaged_vectors", f"{folder.path}/{name}", wrong=wrong)


def _quarantined(store: FileStore, folder: Handle) -> Iterator[Finding]:
    for name in store.disk.list(folder):
        if not name.endswith(REASON):
            reason = _reason(store, folder, name)
            yield finding("quarantined", f"{folder.path}/{name}", reason=reason)


def _reason(store: FileStore, folder: Handle, name: str) -> str:
    try:
        message = json.loads(store.disk.read(folder, name + REASON, 64 * 1024))
        return f"Kept from {message['path']}: {message['reason']}."
    except (OSError, ValueError, KeyError, TypeError):
        return "Kept; its reason cannot be read."


def _unreachable(store: FileStore, path: str, error: OSError) -> Finding:
    return finding("unreachable", path, error=explain(error, "read", str(store.home / path)))
