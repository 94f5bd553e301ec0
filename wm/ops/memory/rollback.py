"""Undo what models taught the memory since a moment (TR-3): `wm rollback --since`.

Every act of a compaction or an agent's tool since then is undone, newest first, the way `undo`
does it: learned entries go to the trash, entries they replaced become active again, and each step
is evidence. Acts of people are listed and stay. Dry run and run share one computation, so the dry
run says exactly what the run does.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from wm.api.diagnosis import ActView
from wm.api.protocol import SINCE, Scoped, WorkspacePlace
from wm.api.rollback import Rollback, RollbackRequest, RolledBack
from wm.domain import since
from wm.domain.facts import Detail, Fact, Refusal
from wm.domain.memory.acts import Act, acts
from wm.domain.memory.undo import UndoContext, UndoResult, reverse
from wm.domain.times import iso, parse
from wm.errors import UserError
from wm.formats.base import Document
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.memory.documents import (
    lift_stones,
    load_memory,
    read_memory,
    read_tombstones,
    save_memory,
    tombstones_ref,
)
from wm.ops.memory.entries import to_trash, trash_ref
from wm.ops.operation import Operation, Work
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime
from wm.ops.storage.evidence import last_texts, read_log, text_of
from wm.store.base import Ref

LISTED = 500
"""Most acts of each kind handled by one run, newest first."""


class _Plan(Struct, frozen=True):
    """The steps of a rollback, and the memory after it."""

    memory: WorkspaceMemory
    steps: tuple[tuple[Act, UndoResult], ...]
    refused: tuple[tuple[Act, Refusal], ...]
    yours: tuple[Act, ...]
    more: int


def _moment(work: Work, request: RollbackRequest) -> datetime:
    """Parse the moment. Raises UserError if it is unreadable or in the future."""
    moment = since.moment(request.since, work.now)
    if moment is None:
        raise UserError(f"{request.since[:60]!r} is not a time.", fix=f"Give one of: {SINCE}.")
    if moment > work.now:
        raise UserError(f"{iso(moment)} is in the future.", fix="Give a time in the past.")
    return moment


def _recent(work: Work, place: WorkspacePlace, moment: datetime) -> tuple[list[Act], list[Act]]:
    """Acts of models since then that are still in effect, and acts of people."""
    learned: list[Act] = []
    yours: list[Act] = []
    for act in acts(read_log(work, place).records):
        at = parse(act.record.created_at)
        if at is None or at < moment or act.undone_by:
            continue
        (yours if act.by == "user" else learned).append(act)
    return learned, yours


def _planned(
    work: Work, place: WorkspacePlace, request: RollbackRequest, memory: WorkspaceMemory
) -> _Plan:
    learned, yours = _recent(work, place, _moment(work, request))
    stones = frozenset(stone.id for stone in read_tombstones(work, place).stones)
    trash: dict[str, MemoryEntry | None] = {}
    steps: list[tuple[Act, UndoResult]] = []
    refused: list[tuple[Act, Refusal]] = []
    for act in learned[:LISTED]:
        entry_id = act.record.entry
        if entry_id and entry_id not in trash:
            kept = work.read(trash_ref(place.key, entry_id)).document
            trash[entry_id] = kept.entry if kept is not None else None
        settings = work.runtime.settings.memory
        ground = UndoContext(memory, trash.get(entry_id), stones, work.now, settings)
        done = reverse(act, ground)
        if isinstance(done, Refusal):
            refused.append((act, done))
            continue
        memory = done.memory
        if done.trashes:
            trash[done.entry.id] = done.entry
        if done.untrashes:
            trash[entry_id] = None
        steps.append((act, done))
    more = max(0, len(learned) - LISTED)
    return _Plan(memory, tuple(steps), tuple(refused), tuple(yours[:LISTED]), more)


def _answer(
    work: Work,
    place: WorkspacePlace,
    request: RollbackRequest,
    plan: _Plan,
    events: Sequence[str] = (),
) -> Rollback:
    texts = last_texts(read_log(work, place).records)
    taken = (
        RolledBack(
            act=_view(act, texts), becomes=_becomes(done), event=events[number] if events else ""
        )
        for number, (act, done) in enumerate(plan.steps)
    )
    return Rollback(
        place=place,
        since=iso(_moment(work, request)),
        taken=tuple(taken),
        kept=tuple(_view(act, texts, refusal.message) for act, refusal in plan.refused),
        yours=tuple(_view(act, texts) for act in plan.yours),
        more=plan.more,
    )


def _view(act: Act, texts: dict[str, str], why_not: str = "") -> ActView:
    record = act.record
    return ActView(
        event=record.event_id,
        at=record.created_at,
        act=act.word,
        by=act.by,
        entry=record.entry,
        text=text_of(record) or texts.get(record.entry, ""),
        undoes=act.undoes,
        can_undo=not why_not,
        why_not=why_not,
    )


def _becomes(done: UndoResult) -> str:
    if done.trashes:
        return "trashed"
    return "restored" if done.untrashes else done.entry.status


def _plan(work: Work, request: RollbackRequest) -> Rollback:
    place = locate(work.runtime, request)
    plan = _planned(work, place, request, read_memory(work, place))
    return _answer(work, place, request, plan)


def _rollback(work: Work, request: RollbackRequest) -> Rollback:
    place = locate(work.runtime, request)
    plan = _planned(work, place, request, load_memory(work, place))
    events = []
    for act, done in plan.steps:
        if done.trashes:
            to_trash(work, place, done.entry, reason="rolled back", stone=True)
        if done.untrashes:
            lift_stones(work, place, done.entry)
            work.delete(trash_ref(place.key, act.record.entry))
        events.append(work.log(place.key, done.facts)[0])
    answer = _answer(work, place, request, plan, events)
    if plan.steps:
        details: dict[str, Detail] = {"since": answer.since, "acts": len(plan.steps)}
        fact = Fact("memory_rolled_back", "user", "changed", details=details)
        save_memory(work, place, plan.memory, [fact])
    return answer.model_copy(update={"applied": True})


def _refs(runtime: Runtime, request: RollbackRequest) -> Sequence[Ref[Document]]:
    """The entries of the acts must be known before the locks are taken."""
    place = locate(runtime, request)
    work = Work(runtime, runtime.now())
    learned, _ = _recent(work, place, _moment(work, request))
    ids = dict.fromkeys(act.record.entry for act in learned[:LISTED] if act.record.entry)
    trash = (trash_ref(place.key, entry_id) for entry_id in ids)
    return (*trash, tombstones_ref(place.key), memory_ref(place.key))


def _queue(runtime: Runtime, request: Scoped) -> str:
    return locate(runtime, request).key


plan_rollback = Operation("plan_rollback", RollbackRequest, Rollback, _plan)
rollback = Operation("rollback", RollbackRequest, Rollback, _rollback, _refs, _queue)
