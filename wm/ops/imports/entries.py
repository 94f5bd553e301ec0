"""Import what other programs remember: redact, judge, admit, report each outcome (CB-6).

Statements arrive parsed (`wm.ops.imports.files` reads the files, in the caller's process). One
request is applied completely or not at all. Only the words are trusted: dates are clamped to now,
ids are checked, the origin is `import`, or `user` for a file that the user claims as their own. A
statement that was active and that the gate refuses goes to the inbox if a person had asked for it;
other refused ones stay out, with the reasons. A second run writes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from wm.api.imports import ImportAnswer, Imported, ImportFact, ImportRequest
from wm.domain.facts import Detail, Fact
from wm.domain.imports import admit
from wm.domain.imports.admit import ImportResult, Newcomer
from wm.domain.imports.foreign import derived_id
from wm.domain.imports.opencode_v2 import is_plugin_id
from wm.domain.imports.sources import SOURCES as KNOWN
from wm.domain.learning.entry_type import infer_type
from wm.domain.memory import tombstones
from wm.domain.memory.acts import IMPORTED
from wm.domain.memory.scope import BRANCH, USER, WORKSPACE
from wm.domain.times import in_past
from wm.errors import UserError
from wm.formats.base import Document
from wm.formats.evidence import Outcome, Phase
from wm.formats.workspace_memory import (
    CONFIDENCE,
    IMPORTANCES,
    SOURCES,
    MemoryEntry,
    WorkspaceMemory,
)
from wm.ops.imports import sessions as import_sessions
from wm.ops.learning.remember import judge, learn_refs
from wm.ops.memory import documents
from wm.ops.operation import LocatedWork, Operation, Work
from wm.ops.place import USER_PLACE, locate
from wm.ops.runtime import Runtime
from wm.store.base import Ref
from wm.store.paths import sid
from wm.text.jsontext import as_known

_OWN_ID = re.compile(r"m_[0-9a-f]{20}")
ASKED = ("explicit", "manual")
TYPE = "memory_imported"
Row = tuple[ImportFact, Newcomer, ImportResult]
QUIET = ("absorbed", "rejected")
"""Outcomes that do not change the memory but are recorded once."""


def _run(work: Work, request: ImportRequest) -> ImportAnswer:
    most = work.settings.imports.max_facts
    if len(request.facts) > most:
        raise UserError(
            f"The import has {len(request.facts)} statements; the limit is {most}.",
            fix="Import the files in parts.",
        )
    work = work.at(locate(work.runtime, request))
    memory = documents.read_memory(work) if request.dry_run else documents.load_memory(work)
    changed, rows = _admitted(work, memory, request.facts)
    command = work.new_id("e_")
    if not request.dry_run:
        _save(work, changed, rows, command)
    outcomes = tuple(_outcome(work, *row) for row in rows)
    sessions = import_sessions.take(work, request.sessions, command, dry_run=request.dry_run)
    counts = Counter(outcome.outcome for outcome in outcomes)
    brought: dict[str, Detail] = {
        "entry": sum(counts[outcome] for outcome in admit.NEW),
        "session": len({one.session_id for one in sessions if one.outcome == "imported"}),
    }
    if any(brought.values()) and not request.dry_run:
        work.log_as(command, Fact(IMPORTED, "user", "changed", details=brought))
    else:
        command = ""
    return ImportAnswer(
        place=work.place,
        dry_run=request.dry_run,
        outcomes=outcomes,
        sessions=sessions,
        counts=dict(counts),
        event=command,
    )


def _admitted(
    work: LocatedWork, memory: WorkspaceMemory, facts: Sequence[ImportFact]
) -> tuple[WorkspaceMemory, list[Row]]:
    """The memory with what the rules admit of these statements, and the result of each."""
    newcomers = [_newcomer(work, fact) for fact in facts]
    stones = documents.read_tombstones(work).stones
    forgotten_ids = {stone.id for stone in stones}
    changed, results = admit.admit_all(
        memory,
        newcomers,
        forgotten=lambda entry: (
            entry.id in forgotten_ids
            or tombstones.is_forgotten(entry.text, stones, work.store.digest)
        ),
        now=work.now,
        settings=work.settings.memory,
    )
    return changed, list(zip(facts, newcomers, results, strict=True))


# --- one statement -------------------------------------------------------------------------


def _newcomer(work: LocatedWork, fact: ImportFact) -> Newcomer:
    """The entry for a statement, and the reasons against it."""
    entry = _entry(work, fact)
    source = KNOWN.get(fact.came_from)
    is_statement = source is not None and source.can_be_users
    # What another program only proposed is judged like a model's proposal, as no person asked for
    # it; all by the rules only, as it was written to be kept. "Use tabs." in a rule file is short.
    was_said = fact.status != "inbox" or is_statement
    judged_as = entry.source if was_said else "compaction"
    verdict = judge(work.runtime, entry.text, type=entry.type, source=judged_as, by_rules=True)
    hard = tuple(r for r in verdict.reasons if r not in verdict.soft)
    waits = _waits(entry, hard, verdict.soft)
    if waits:
        reasons = tuple(dict.fromkeys((*entry.reasons, *waits)))
        entry = entry.model_copy(update={"status": "inbox", "reasons": reasons})
    refused = () if waits else (*hard, *verdict.soft)
    return Newcomer(entry, refused, work.redact(fact.bare.strip()), is_statement)


def _waits(entry: MemoryEntry, hard: tuple[str, ...], soft: tuple[str, ...]) -> tuple[str, ...]:
    """Reasons for review by a person; they replace the reasons that would keep it out."""
    if entry.status != "active" or {"empty", "too_long"} & set(hard):
        return ()
    if entry.source in ASKED:
        return (*hard, *soft)
    return () if hard else soft


def _entry(work: LocatedWork, fact: ImportFact) -> MemoryEntry:
    redact, settings = work.redact, work.settings.memory
    text = redact(fact.text.strip())
    source = as_known(fact.source, SOURCES, "compaction")
    created = in_past(fact.created_at, work.now) or work.moment
    updated = in_past(fact.updated_at, work.now) or created
    status = fact.status if fact.status in ("active", "superseded") else "inbox"
    return MemoryEntry(
        id=fact.id if _is_valid_id(fact.id) else derived_id(fact.id, fact.text),
        type=as_known(fact.type, settings.types, "") or infer_type(fact.bare or fact.text),
        text=text,
        rationale=redact(fact.rationale.strip()),
        source=source,
        confidence=CONFIDENCE[source] if fact.confidence is None else _share(fact.confidence),
        origin="user" if fact.is_users else "import",
        status=status,
        scope=_scope(work, fact),
        supersedes=tuple(name for name in fact.supersedes if _is_valid_id(name)),
        tags=tuple(redact(tag) for tag in fact.tags),
        created_at=created,
        updated_at=updated,
        retention_clock=in_past(fact.retention_clock, work.now) or updated,
        reinforcement_count=max(0, min(settings.max_reinforcements, fact.reinforcement_count)),
        last_reinforced_at=in_past(fact.last_reinforced_at, work.now),
        last_reinforced_session=_sid(fact.last_reinforced_session),
        user_importance=as_known(fact.user_importance, IMPORTANCES, "normal"),
        safety_critical=fact.safety_critical,
        session=_sid(fact.session),
        reasons=tuple(redact(code)[:40] for code in fact.reasons) if status == "inbox" else (),
    )


def _scope(work: LocatedWork, fact: ImportFact) -> str:
    if work.key == USER_PLACE.key:
        return USER
    return BRANCH + work.redact(fact.branch) if fact.branch else WORKSPACE


def _is_valid_id(name: str) -> bool:
    """Is this an id in our form or the plugin's?"""
    return _OWN_ID.fullmatch(name) is not None or is_plugin_id(name)


def _share(value: float) -> float:
    return min(1.0, max(0.0, value)) if value == value else 0.0


def _sid(session: str) -> str:
    return sid(session) if session else ""


# --- what is written and shown ---------------------------------------------------------------


def _save(work: LocatedWork, memory: WorkspaceMemory, rows: Sequence[Row], command: str) -> None:
    """Stage the memory, if it changed, and evidence for outcomes not recorded before. command: the
    record of the import, which each record of an entry names."""
    quiet = any(result.outcome in QUIET for _fact, _newcomer, result in rows)
    recorded = _recorded_before(work) if quiet else frozenset()
    events: dict[str, str] = {}
    for fact, newcomer, result in rows:
        repeated = result.outcome in QUIET and (newcomer.entry.id, result.outcome) in recorded
        if result.outcome != admit.UNCHANGED and not repeated:
            event = work.log([_evidence(fact, newcomer, result, command)])[0]
            events[result.entry_id] = event
    brought = {result.entry_id for _fact, _newcomer, result in rows if result.outcome in admit.NEW}
    if brought:
        entries = tuple(
            entry.model_copy(update={"admitted_by": events[entry.id]})
            if entry.id in brought and not entry.admitted_by
            else entry
            for entry in memory.entries
        )
        documents.save_memory(work, memory.model_copy(update={"entries": entries}))


def _recorded_before(work: LocatedWork) -> frozenset[tuple[str, str]]:
    """Rejections that earlier runs recorded; repeating them is noise."""
    records = work.store.evidence(work.key).records
    return frozenset(
        (str(record.details.get("imported", "")), record.outcome)
        for record in records
        if record.type == TYPE
    )


def _evidence(fact: ImportFact, newcomer: Newcomer, result: ImportResult, command: str) -> Fact:
    outcomes: dict[str, Outcome] = {
        "promoted": "promoted",
        "inbox": "inbox",
        "superseded": admit.SUPERSEDED,
        admit.HISTORY: admit.SUPERSEDED,
        "absorbed": "absorbed",
    }
    outcome: Outcome = outcomes.get(result.outcome, "rejected")
    phase: Phase = "gate" if outcome in ("inbox", "rejected") else "promotion"
    entry = newcomer.entry
    details: dict[str, Detail] = {
        **result.details,
        **({"history": True} if result.outcome == admit.HISTORY else {}),
        "imported": entry.id,
        "command": command,
        "from": as_known(fact.came_from, tuple(KNOWN), "other"),
        "file": fact.file,
        "line": fact.line,
        **documents.entry_details(entry),
    }
    return Fact(TYPE, phase, outcome, result.entry_id, _codes(result), details)


def _codes(result: ImportResult) -> tuple[str, ...]:
    return tuple(code for code in result.reason_codes if code != "imported")


def _outcome(work: Work, fact: ImportFact, newcomer: Newcomer, result: ImportResult) -> Imported:
    return Imported(
        outcome=result.outcome,
        entry=result.entry_id,
        type=newcomer.entry.type,
        text=newcomer.entry.text,
        reason_codes=_codes(result),
        came_from=fact.came_from,
        file=work.redact(fact.file),
        line=fact.line,
    )


def _refs(runtime: Runtime, request: ImportRequest) -> Sequence[Ref[Document]]:
    """A dry run takes no lock."""
    if request.dry_run:
        return ()
    key = locate(runtime, request).key
    return (*learn_refs(key), *import_sessions.session_refs(key, request.sessions))


import_entries = Operation("import_entries", ImportRequest, ImportAnswer, _run, _refs)
