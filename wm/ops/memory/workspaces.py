"""The workspaces of this home: list them, move one, export one.

A move writes an alias (`wm.domain.memory.scope` decides if it may); files stay where they are.
An unreadable workspace is listed with its state and does not stop the others.
"""

from __future__ import annotations

import os
from collections import Counter

from wm.api import protocol
from wm.domain.facts import Detail, Fact
from wm.domain.memory import scope
from wm.errors import StoreError, UserError
from wm.formats.base import Document, dump
from wm.formats.core_memory import CoreMemory
from wm.formats.home import Aliases
from wm.formats.pending_journal import PendingJournal
from wm.formats.pressure import Pressure
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.formats.tool_output import ToolOutput
from wm.formats.working_memory import WorkingMemory
from wm.ops.memory.documents import journal_ref, load_memory, save_memory
from wm.ops.operation import LocatedWork, Operation, Work, as_written, granted, home_queue, located
from wm.ops.place import ALIASES, memory_ref, named_key
from wm.store import identity
from wm.store.base import Health, Ref

UNREACHABLE = "unreachable"
"""Health of a workspace whose folder or memory cannot be reached; `wm fsck` says what is there."""


def _list(work: Work, _request: protocol.NoRequest) -> protocol.Workspaces:
    """List all workspaces, except empty folders left by a failed first write."""
    found = (_summary(work, key) for key in work.store.workspaces())
    kept = (space for space in found if space.sessions or space.health != Health.MISSING.value)
    return protocol.Workspaces(workspaces=tuple(kept))


def _summary(work: Work, key: str) -> protocol.WorkspaceSummary:
    """Summarise one workspace; an unreachable one is listed too."""
    try:
        reading = work.read(memory_ref(key))
        sessions = len(work.store.names(SessionState, key))
    except StoreError:
        return protocol.WorkspaceSummary(key=key, health=UNREACHABLE)
    memory = reading.document
    if memory is None:
        return protocol.WorkspaceSummary(key=key, sessions=sessions, health=reading.health.value)
    counts = Counter(entry.status for entry in memory.entries)
    return protocol.WorkspaceSummary(
        key=key,
        root=memory.workspace.root,
        active=counts["active"],
        inbox=counts["inbox"],
        sessions=sessions,
        last_activity_at=memory.last_activity_at,
        health=reading.health.value,
        exists=os.path.isdir(memory.workspace.root),
    )


def _move(work: Work, request: protocol.MoveRequest) -> protocol.Moved:
    """`new` adopts the memory of `old`: the folder stays, an alias points to it (ID-3)."""
    if not request.old:
        raise UserError("The move names no old folder.", fix="Say where the checkout was.")
    if not request.new:
        raise UserError("The move names no new folder.", fix="Say where the checkout is now.")
    new = identity.find(request.new, explicit=True)
    old = named_key(work.runtime, request.old)
    aliases = work.read(ALIASES).document or Aliases()
    # A session that started in the new folder left a memory without entries there.
    here = {scope.resolve(new.key, aliases)} - {scope.resolve(old, aliases)}
    hidden = {key for key in here if _is_empty(work, key)}
    plan = granted(
        scope.plan_move(
            old,
            new.key,
            new_root=new.root,
            folders=set(work.store.workspaces()) - hidden,
            aliases=aliases,
            now=work.now,
        )
    )
    work.put(ALIASES, plan.aliases)
    work = work.at(protocol.WorkspacePlace(key=plan.target, root=new.root))
    memory = load_memory(work)
    moved = memory.workspace.model_copy(update={"root": new.root})
    roots: dict[str, Detail] = {"from": memory.workspace.root, "to": new.root}
    fact = Fact("workspace_moved", "user", "changed", details=roots)
    save_memory(work, memory.model_copy(update={"workspace": moved}), [fact])
    return protocol.Moved(
        key=new.key, target=plan.target, message=f"{new.root} now has the memory of {request.old}."
    )


def _is_empty(work: Work, key: str) -> bool:
    """Whether a readable memory has nothing that is in force or waits."""
    memory, journal = work.read(memory_ref(key)).document, work.read(journal_ref(key)).document
    if memory is None or (journal is not None and journal.entries):
        return False
    return all(entry.status not in ("active", "inbox") for entry in memory.entries)


OF_MANY = (
    TrashedEntry,
    PromptEpoch,
    CoreMemory,
    SessionState,
    WorkingMemory,
    CompactionState,
    Pressure,
    ToolOutput,
)
"""Formats with many documents per workspace."""


def _export(work: LocatedWork, _request: protocol.Scoped) -> protocol.ExportAnswer:
    refs: list[Ref[Document]] = [
        memory_ref(work.key),
        Ref(PendingJournal, work.key),
        Ref(Tombstones, work.key),
    ]
    for model in OF_MANY:
        names = work.store.names(model, work.key)
        refs += [Ref(model, work.key, name) for name in names]
    documents = {}
    for ref in refs:
        document = work.read(ref).document
        if document is not None:
            documents["/".join(filter(None, (ref.slug, ref.name)))] = dump(document)
    return protocol.ExportAnswer(
        place=work.place,
        exported_at=work.moment,
        documents=documents,
        evidence=work.store.evidence(work.key).records,
    )


list_workspaces = Operation("list_workspaces", protocol.NoRequest, protocol.Workspaces, _list)
move_workspace = Operation(
    "move_workspace", protocol.MoveRequest, protocol.Moved, _move, as_written, home_queue
)
export_workspace = Operation(
    "export_workspace", protocol.Scoped, protocol.ExportAnswer, located(_export)
)
