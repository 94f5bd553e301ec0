"""Sweep workspaces: look, plan, delete, purge old evidence, report (GV-1..3).

`domain/governance` decides everything from the collected file facts, so a dry run lists exactly
what the next run deletes. A run may be interrupted at any point: each step is complete in itself
and the next run does the rest. `pause` is called between short steps; the daemon sleeps in it, and
raises from it to stop the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import Enum
from itertools import groupby
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from wm.api.governance import SweepRequest, Swept
from wm.api.protocol import WorkspacePlace
from wm.domain import governance
from wm.domain.counts import counted
from wm.domain.facts import Fact
from wm.domain.governance import Deletion, FileFact, FileKind, FilePart, SweepPlan
from wm.domain.times import iso, parse
from wm.errors import StoreError
from wm.formats import sweep_log
from wm.formats.session_state import SessionState
from wm.formats.tombstones import TrashedEntry
from wm.ops.learning import journal
from wm.ops.memory.documents import journal_ref, read_journal, tombstones_ref
from wm.ops.operation import LocatedWork, Operation, Work
from wm.ops.paging.ledger import quota_of
from wm.ops.place import locate, memory_ref, place_of, unrooted
from wm.ops.runtime import Runtime
from wm.ops.storage.evidence_rotation import rotate
from wm.settings import StorageSettings
from wm.store import paths, sweep
from wm.store.base import Health, Pause, Ref, no_pause
from wm.store.paths import sid

_TOGETHER = 32
"""Number of trashed entries purged in one transaction."""

_WORTH_BYTES = 128 * 1024
"""An evidence log is examined again after growing by this many bytes, or after `_WORTH_DAYS`."""
_WORTH_DAYS = 7.0


class Evidence(Enum):
    """When a run examines the evidence log."""

    ALWAYS = "always"
    GROWN = "when it grew, or was not looked through for days"
    NEVER = "never"


class SweepRun(Struct, frozen=True):
    """How a workspace is swept.

    cause: start, daily, events or asked. session: the `<sid>` whose event count triggered the run.
    max_bytes: the workspace's share of the total quota; -1 means its own quota. evidence: when the
    log is examined.
    """

    cause: str = "asked"
    session: str = ""
    dry_run: bool = False
    evidence: Evidence = Evidence.ALWAYS
    max_bytes: int = -1
    pause: Pause = no_pause


def sweep_workspace(runtime: Runtime, key: str, run: SweepRun) -> sweep_log.SweepLog:
    """Sweep one workspace and write a report there.

    Raises StoreError if the folder cannot be listed. The report names what could not be deleted,
    and that the report itself could not be saved: a full drive is a common reason for a sweep.
    """
    sweeping = Sweeping(runtime, key, run, runtime.now(), runtime.settings.storage.report_files)
    plan = sweeping.planned()
    if run.dry_run:
        for deletion in plan.deletions:
            sweeping.count(deletion)
    else:
        sweeping.carry_out(plan)
        over = max(0, plan.over - plan.young)
        if over or not run.session:  # the total quota counts in other runs only
            runtime.signals.troubles.report(quota_of(key), _fullness(runtime, key, over))
    plan = replace(plan, deletions=())  # frees its memory before the report allocates some
    log = sweeping.report(plan, sweeping.purged())
    if not run.dry_run and _should_report(runtime, log):
        with sweeping.noting(paths.place(Ref(type(log), key, log.session)).path):
            _save(runtime, log)
        log = log.model_copy(update={"errors": tuple(sweeping.errors)})
    return log


def _fullness(runtime: Runtime, key: str, over: int) -> str:
    """That a workspace is over its quota, and what follows; "" if it is not."""
    if not over:
        return ""
    return (
        f"The files of {place_of(runtime, key).root or key} have {counted(over, 'byte')} more than "
        "their quota, and no rule may delete more: no more steps of its sessions are stored, and "
        "nothing more is removed from their requests. `wm objects purge` deletes steps; storage in "
        "config.toml has the quotas."
    )


class Sweeping(Struct):
    """One run in one workspace, and its results so far. most: number of files to list. rules: files
    and bytes by rule."""

    runtime: Runtime
    key: str
    run: SweepRun
    begun: datetime
    most: int
    files: list[sweep_log.SweptFile] = field(default_factory=list)
    rules: dict[str, tuple[int, int]] = field(default_factory=dict)
    errors: list[sweep_log.SweepError] = field(default_factory=list)
    deleted: int = 0
    bytes: int = 0

    def count(self, deletion: Deletion) -> None:
        rule, size = deletion.rule.value, deletion.file.size
        self.deleted += 1
        self.bytes += size
        files, total = self.rules.get(rule, (0, 0))
        self.rules[rule] = files + 1, total + size
        if len(self.files) < self.most:
            # Copied on purpose: a thousand strings of the plan, scattered over its memory, would
            # keep the allocator from returning any of it.
            folder, _, name = deletion.file.path.rpartition("/")
            self.files.append(sweep_log.SweptFile(path=f"{folder}/{name}", rule=rule, bytes=size))

    def failed(self, path: str, reason: str) -> None:
        if len(self.errors) < self.most:
            self.errors.append(sweep_log.SweepError(path=path, reason=reason))

    @contextmanager
    def noting(self, path: str) -> Iterator[None]:
        """Record an error of the store about this path instead of raising it."""
        try:
            yield
        except StoreError as error:
            self.failed(path, str(error))

    # -- look --------------------------------------------------------------------------------

    def planned(self) -> SweepPlan:
        """The deletions that were due when the run began."""
        limits: StorageSettings = self.runtime.settings.storage
        return governance.plan(self._scan(), limits, self.begun, max_bytes=self.run.max_bytes)

    def _scan(self) -> Iterator[FileFact]:
        core = self.runtime.store.core
        limits: StorageSettings = self.runtime.settings.storage
        rested = (self.begun - timedelta(days=limits.lost_after_days)).timestamp()
        trashed = (self.begun - timedelta(days=limits.trash_max_age_days)).timestamp()

        def with_contents(fact: FileFact) -> FileFact:
            """Add what only the contents say, for documents old enough to matter."""
            old_enough = trashed if fact.kind is FileKind.TRASH else rested
            if fact.part is not FilePart.DOCUMENT or fact.modified > old_enough:
                return fact
            if fact.kind not in _ASKED:
                return fact
            with self.noting(fact.path):
                return _ASKED[fact.kind](fact, sweep.contents(core, fact))
            return fact._replace(pinned=True)

        return sweep.scan(core, self.key, with_contents, self.run.pause)

    # -- do ----------------------------------------------------------------------------------

    def carry_out(self, plan: SweepPlan) -> None:
        others = [d for d in plan.deletions if not _is_trash(d)]
        trash = [d for d in plan.deletions if _is_trash(d)]
        if any(deletion.file.kind is FileKind.SESSION for deletion in others):
            self._promote()
        kept: set[str] = set()
        removal = sweep.Removal(self.runtime.store.core)
        for _document, group in groupby(others, key=lambda deletion: deletion.file.document):
            self.run.pause()
            self._remove(removal, list(group), kept)
        with self.noting(paths.workspace_folder(self.key)):
            removal.flush()
        entries = [list(group) for _, group in groupby(trash, key=lambda d: d.file.document)]
        for begin in range(0, len(entries), _TOGETHER):
            self.run.pause()
            self._purge_trash(entries[begin : begin + _TOGETHER])

    def _remove(self, removal: sweep.Removal, group: Sequence[Deletion], kept: set[str]) -> None:
        """Delete one document's files. kept: sessions whose state could not be deleted, and which
        therefore keep everything else."""
        session = group[0].session if group[0].rule in _OF_SESSIONS else ""
        if session and session in kept:
            return
        try:
            why = removal.remove([deletion.file for deletion in group])
        except StoreError as error:
            why = str(error)
        if not why:
            for deletion in group:
                self.count(deletion)
            return
        self.failed(group[0].file.document, why)
        if session:
            kept.add(session)

    def _promote(self) -> None:
        """Try to promote what waits in the journal before a session is deleted (GV-1)."""
        place = place_of(self.runtime, self.key)
        refs = (memory_ref(self.key), journal_ref(self.key), tombstones_ref(self.key))
        # After a failure it keeps waiting: the journal does not belong to the session.
        with self.noting(paths.place(journal_ref(self.key)).path):
            if read_journal(Work(self.runtime, self.runtime.now()).at(place)).entries:
                with _writing(self.runtime, refs, place) as work:
                    journal.promote_pending(work)

    def _purge_trash(self, entries: Sequence[Sequence[Deletion]]) -> None:
        """Purge trashed entries for good, all files of each, with an evidence record so that `why`
        still knows them."""
        refs = [_trashed(self.key, files[0].file.document) for files in entries]
        purged: list[Deletion] = []
        with self.noting(entries[0][0].file.document):
            with _writing(self.runtime, refs, unrooted(self.key)) as work:
                for ref, files in zip(refs, entries, strict=True):
                    if _purge_one(work, ref, files):
                        purged += files
                    else:
                        self.failed(files[0].file.document, "changed")
            for deletion in purged:
                self.count(deletion)

    # -- evidence and report -----------------------------------------------------------------

    def purged(self) -> sweep_log.PurgedEvidence | None:
        """Purge the log if that may be worth it; otherwise return the result of the last purge."""
        if self.run.session:
            return None
        known, when = _last(self.runtime, self.key), self.run.evidence
        if when is Evidence.NEVER:
            return known
        if when is Evidence.GROWN and not _is_worth_it(self.runtime, self.key, known):
            return known
        with self.noting(paths.evidence_folder(self.key)):
            return rotate(self.runtime, self.key, dry_run=self.run.dry_run, pause=self.run.pause)
        return known

    def report(
        self, plan: SweepPlan, evidence: sweep_log.PurgedEvidence | None
    ) -> sweep_log.SweepLog:
        model = sweep_log.SessionSweepLog if self.run.session else sweep_log.SweepLog
        return model(
            workspace_key=self.key,
            session=self.run.session,
            cause=self.run.cause,
            started_at=iso(self.begun),
            finished_at=iso(self.runtime.now()),
            scanned=plan.scanned,
            deleted=self.deleted,
            bytes=self.bytes,
            kept_bytes=plan.kept_bytes,
            over=plan.over,
            rules=tuple(
                sweep_log.RuleCount(rule=rule, files=files, bytes=total)
                for rule, (files, total) in sorted(self.rules.items())
            ),
            files=tuple(self.files),
            unlisted=self.deleted - len(self.files),
            errors=tuple(self.errors),
            evidence=evidence,
        )


@contextmanager
def _writing(
    runtime: Runtime, refs: Sequence[Ref[Any]], place: WorkspacePlace
) -> Iterator[LocatedWork]:
    """A transaction of these documents, and what works in it."""
    with runtime.store.transaction(refs) as transaction:
        yield Work(runtime, runtime.now(), transaction, frozenset(refs)).at(place)


def _of_epoch(fact: FileFact, contents: dict[str, Any]) -> FileFact:
    owner = contents.get("sessionId")
    return fact._replace(session=sid(owner) if isinstance(owner, str) and owner else "")


def _of_session(fact: FileFact, contents: dict[str, Any]) -> FileFact:
    return fact._replace(lost=_is_lost(contents.get("transcript")))


def _of_trash(fact: FileFact, contents: dict[str, Any]) -> FileFact:
    entry = contents.get("entry")
    return fact._replace(pinned=not isinstance(entry, dict) or bool(entry.get("pinned")))


_ASKED = {FileKind.EPOCH: _of_epoch, FileKind.SESSION: _of_session, FileKind.TRASH: _of_trash}
"""Kinds whose contents are read, and the function that reads them."""


def _is_lost(transcript: object) -> bool:
    """Is the agent's transcript certainly gone: does its folder exist without the file?"""
    if not isinstance(transcript, str) or not transcript.startswith("/") or "\0" in transcript:
        return False
    try:
        os.lstat(transcript)
    except FileNotFoundError:
        return os.path.isdir(os.path.dirname(transcript))
    except OSError:
        return False
    return False


def _is_trash(deletion: Deletion) -> bool:
    return deletion.rule is governance.SweepRule.TRASH_AGE


_OF_SESSIONS = frozenset(
    {
        governance.SweepRule.STALE_SESSION,
        governance.SweepRule.LOST_TRANSCRIPT,
        governance.SweepRule.QUOTA,
    }
)


def _trashed(key: str, path: str) -> Ref[TrashedEntry]:
    return Ref(TrashedEntry, key, paths.name_of(TrashedEntry, path.rpartition("/")[2]) or "")


def _purge_one(work: LocatedWork, ref: Ref[TrashedEntry], deletions: Sequence[Deletion]) -> bool:
    """Purge one entry; False if it was restored, or trashed again, since the plan was made."""
    found = work.read(ref)
    planned_times = [d.file.modified for d in deletions if d.file.part is FilePart.DOCUMENT]
    now = sweep.modified(work.store.core, ref)
    if found.health is Health.MISSING or (planned_times and now not in planned_times):
        return False
    work.delete(ref)
    at = found.document.trashed_at if found.document is not None else ""
    fact = Fact("trash_purged", "store", "changed", ref.name, (), {"trashedAt": at})
    work.log([fact])
    return True


def _last(runtime: Runtime, key: str) -> sweep_log.PurgedEvidence | None:
    """When the log was last examined, and its size then."""
    try:
        log = runtime.store.read(Ref(sweep_log.SweepLog, key)).document
    except StoreError:
        return None
    last = log.evidence if log is not None else None
    if last is None:
        return None
    return sweep_log.PurgedEvidence(
        at=last.at, records=last.records - last.purged, bytes_before=last.bytes, bytes=last.bytes
    )


def _is_worth_it(runtime: Runtime, key: str, known: sweep_log.PurgedEvidence | None) -> bool:
    try:
        size = sweep.log_bytes(runtime.store.core, key)
    except StoreError:
        return False
    if known is None or size < _WORTH_BYTES:
        return size >= _WORTH_BYTES
    at = parse(known.at)
    old = at is None or runtime.now() - at > timedelta(days=_WORTH_DAYS)
    return old or size - known.bytes >= _WORTH_BYTES


def _save(runtime: Runtime, log: sweep_log.SweepLog) -> None:
    """Save the report. A session that was deleted meanwhile gets none."""
    key = log.workspace_key
    state = Ref(SessionState, key, log.session) if log.session else None
    ref = Ref(type(log), key, log.session)
    refs: list[Ref[SessionState] | Ref[sweep_log.SweepLog]] = [ref, *([state] if state else [])]
    with _writing(runtime, refs, unrooted(key)) as work:
        if state is not None and work.read(state).health is Health.MISSING:
            for old_ref in refs:
                work.delete(old_ref)  # together with the locks taken here
            return
        work.put(ref, log)
        if log.deleted:
            work.log([_fact_of(log)], session=log.session)
    # The report lists up to a thousand files and is rarely read: do not cache it.
    runtime.store.core.cache.pop(paths.place(ref).path)


def _should_report(runtime: Runtime, log: sweep_log.SweepLog) -> bool:
    """Should the report be written? A restart that finds nothing to do keeps today's report."""
    if log.session or log.cause in ("daily", "asked") or _is_worth_listing(log):
        return True
    last = sweep.modified(runtime.store.core, Ref(sweep_log.SweepLog, log.workspace_key))
    return runtime.now().timestamp() - last > runtime.settings.storage.sweep_hours * 3600


def _fact_of(log: sweep_log.SweepLog) -> Fact:
    details: dict[str, str | int] = {"files": log.deleted, "bytes": log.bytes, "cause": log.cause}
    codes = tuple(count.rule for count in log.rules)
    return Fact("storage_swept", "store", "changed", "", codes, details)


# --- many ----------------------------------------------------------------------------------------


def waiting_longest(runtime: Runtime) -> list[str]:
    """All workspaces and `user`, those with the oldest or no report first."""
    core = runtime.store.core
    keys = runtime.store.memories()
    return sorted(keys, key=lambda key: (sweep.modified(core, Ref(sweep_log.SweepLog, key)), key))


def sweep_all(runtime: Runtime, run: SweepRun, keys: Sequence[str]) -> Iterator[sweep_log.SweepLog]:
    """Sweep these workspaces, each within its share of the total quota. A failure in one does not
    stop the others."""
    sizes: dict[str, int] = {}
    for key in keys:
        try:
            sizes[key] = _size(runtime, key, run.pause)
        except StoreError as error:
            yield _unreachable(key, run, error)
    limits: StorageSettings = runtime.settings.storage
    share = governance.allowance(tuple(sizes.values()), limits.total_max_bytes)
    rotations = limits.rotations
    for key, size in sizes.items():
        most = min(share, limits.workspace_max_bytes) if size > share else -1
        spent = rotations <= 0 and run.evidence is Evidence.GROWN
        evidence = Evidence.NEVER if spent else run.evidence
        try:
            log = sweep_workspace(runtime, key, replace(run, max_bytes=most, evidence=evidence))
        except StoreError as error:
            yield _unreachable(key, run, error)
            continue
        rotations -= log.evidence is not None and log.evidence.at >= log.started_at
        yield log


def _size(runtime: Runtime, key: str, pause: Pause) -> int:
    core = runtime.store.core
    found = sweep.scan(core, key, lambda fact: fact, pause)
    return sum(fact.size for fact in found if fact.kind is not FileKind.UNKNOWN)


def _unreachable(key: str, run: SweepRun, error: StoreError) -> sweep_log.SweepLog:
    where = paths.workspace_folder(key)
    return sweep_log.SweepLog(
        workspace_key=key,
        cause=run.cause,
        errors=(sweep_log.SweepError(path=where, reason=str(error)),),
    )


def _run(work: Work, request: SweepRequest) -> Swept:
    with work.runtime.signals.sweeps.asked(dry_run=request.dry_run):
        return _swept(work.runtime, request)


def _swept(runtime: Runtime, request: SweepRequest) -> Swept:
    run = SweepRun(dry_run=request.dry_run)
    if request.everywhere:
        keys = waiting_longest(runtime)
        logs = tuple(sweep_all(runtime, run, keys))
        listed = tuple(log for log in logs if _is_worth_listing(log))
    else:
        keys = [locate(runtime, request).key]
        listed = logs = (sweep_workspace(runtime, keys[0], run),)
    return Swept(
        dry_run=request.dry_run,
        workspaces=len(keys),
        scanned=sum(log.scanned for log in logs),
        deleted=sum(log.deleted for log in logs),
        bytes=sum(log.bytes for log in logs),
        logs=listed,
    )


def _is_worth_listing(log: sweep_log.SweepLog) -> bool:
    """Does a report say more than that all is well?"""
    purged = log.evidence is not None and log.evidence.purged > 0
    return bool(log.deleted or log.errors or log.over or purged)


sweep_storage = Operation("sweep_storage", SweepRequest, Swept, _run)
"""`wm gc`: delete what is no longer needed (GV-3)."""
