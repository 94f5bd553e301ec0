"""The workspaces of this home: list them, move one, export one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from wm.domain.times import iso
from wm.domain.workspace import scope
from wm.errors import UserError
from wm.formats.base import Document, dump
from wm.formats.home import Aliases
from wm.formats.pending_journal import PendingJournal
from wm.formats.protocol import (
    ExportAnswer,
    Moved,
    MoveRequest,
    NoRequest,
    Place,
    Scoped,
    Workspaces,
    WorkspaceSummary,
)
from wm.formats.session_state import SessionState
from wm.formats.tombstones import Tombstones
from wm.ops.base import Operation, Work
from wm.ops.memory import load_memory, save_memory
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime
from wm.store import identity
from wm.store.base import Ref

ALIASES: Ref[Aliases] = Ref(Aliases)


def _list(work: Work, _request: NoRequest) -> Workspaces:
    keys = work.runtime.store.workspaces()
    return Workspaces(workspaces=tuple(_summary(work, key) for key in keys))


def _summary(work: Work, key: str) -> WorkspaceSummary:
    reading = work.read(memory_ref(key))
    sessions = len(work.runtime.store.names(SessionState, key))
    memory = reading.document
    if memory is None:
        return WorkspaceSummary(key=key, sessions=sessions, health=reading.health.value)
    counts = Counter(entry.status for entry in memory.entries)
    return WorkspaceSummary(
        key=key,
        root=memory.workspace.root,
        active=counts["active"],
        inbox=counts["inbox"],
        sessions=sessions,
        last_activity_at=memory.last_activity_at,
        health=reading.health.value,
        exists=os.path.isdir(memory.workspace.root),
    )


def _move(work: Work, request: MoveRequest) -> Moved:
    """`new` adopts the memory of `old`: the folder stays, an alias points to it (ID-3)."""
    old, new = _key_and_root(request.old), _key_and_root(request.new)
    aliases = work.read(ALIASES).document or Aliases()
    plan = scope.plan_move(
        old.key,
        new.key,
        new_root=new.root,
        folders=work.runtime.store.workspaces(),
        aliases=aliases,
        now=work.now,
    )
    if isinstance(plan, scope.Refusal):
        raise UserError(plan.message, fix=plan.fix)
    work.put(ALIASES, plan.aliases)
    place = Place(key=plan.target, root=new.root)
    memory = load_memory(work, place)
    moved = memory.workspace.model_copy(update={"root": new.root})
    save_memory(work, place, memory.model_copy(update={"workspace": moved}))
    return Moved(
        key=new.key, target=plan.target, message=f"{new.root} now has the memory of {request.old}."
    )


def _key_and_root(path: str) -> identity.Identity:
    return identity.find(path)


def _move_refs(runtime: Runtime, request: MoveRequest) -> Sequence[Ref[Document]]:
    aliases = runtime.store.read(ALIASES).document or Aliases()
    return (ALIASES, memory_ref(scope.resolve(_key_and_root(request.old).key, aliases)))


def _export(work: Work, request: Scoped) -> ExportAnswer:
    place = locate(work.runtime, request)
    refs: list[Ref[Document]] = [
        memory_ref(place.key),
        Ref(PendingJournal, place.key),
        Ref(Tombstones, place.key),
    ]
    names = work.runtime.store.names(SessionState, place.key)
    refs += [Ref(SessionState, place.key, name) for name in names]
    documents = {}
    for ref in refs:
        document = work.read(ref).document
        if document is not None:
            documents["/".join(filter(None, (ref.slug, ref.name)))] = dump(document)
    return ExportAnswer(
        place=place,
        exported_at=iso(work.now),
        documents=documents,
        evidence=work.runtime.store.evidence(place.key).records,
    )


list_workspaces = Operation("list_workspaces", NoRequest, Workspaces, _list)
move_workspace = Operation(
    "move_workspace", MoveRequest, Moved, _move, _move_refs, lambda _runtime, _request: "home"
)
export_workspace = Operation("export_workspace", Scoped, ExportAnswer, _export)
