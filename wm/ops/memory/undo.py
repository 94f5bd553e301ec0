"""Undo an act: a person's newest one, one that is named, or all that models did since a moment.

An import is one act, however many entries it brought, and so is a decision about several entries of
the inbox: it has a record of its own, and the record of each entry names it as its command.

The evidence says what an act did; `domain.memory.undo` decides what undoing it means; this
module applies that to the files (WM-7). An undo is an act itself: it is logged with the record that
it undoes, and can be undone by naming it.

`wm undo --since` undoes every act of a compaction or an agent's tool, newest first (TR-3):
learned entries go to the trash, entries they replaced become active again, and each step is
evidence. Acts of people are listed and stay. Dry run and run share one computation, so the dry run
says exactly what the run does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct

from wm.api.diagnosis import (
    Acts,
    ActsRequest,
    ActView,
    Rollback,
    RollbackRequest,
    RolledBack,
    Undone,
    UndoRequest,
)
from wm.api.protocol import WorkspacePlace
from wm.domain.counts import counted
from wm.domain.facts import Detail, Fact, Refusal, parts_of
from wm.domain.memory.acts import RESCOPED, REVERTED, Act, acts, change_of_session, named, newest
from wm.domain.memory.undo import UndoContext, UndoResult, reverse
from wm.domain.times import iso, parse
from wm.errors import NotFound, UserError
from wm.formats.base import Document
from wm.formats.evidence import EvidenceRecord
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.explanations import text_of
from wm.ops.imports import sessions as import_sessions
from wm.ops.memory import documents, rescope
from wm.ops.memory.entries import contradicted, in_trash, replacing, to_trash, trash_ref
from wm.ops.operation import LocatedWork, Operation, Work, located
from wm.ops.place import USER_PLACE, locate
from wm.ops.runtime import Runtime
from wm.ops.storage.evidence import last_texts, moment_of, read_log
from wm.ops.storage.session_files import delete_all, delete_refs
from wm.store.base import Ref

LISTED = 500
"""Most acts for which the list says whether they can be undone, and most acts of each kind in one
rollback, newest first."""


def _list(work: LocatedWork, request: ActsRequest) -> Acts:
    records = read_log(work).records
    found = acts(records)
    memory, texts = documents.read_memory(work), last_texts(records)
    first = newest(found)
    listed = [act for act in found if not act.command]
    views = []
    for act in listed[: max(0, min(request.limit, LISTED))]:
        has_own_undo = act.is_command or _is_move(act)
        done = None if has_own_undo else _reversed(work, act, memory)
        views.append(_view(act, texts, done.message if isinstance(done, Refusal) else ""))
    return Acts(
        place=work.place,
        acts=tuple(views),
        total=len(listed),
        newest=first.record.event_id if first else "",
    )


def _view(act: Act, texts: dict[str, str], why_not: str = "") -> ActView:
    record = act.record
    return ActView(
        event=record.event_id,
        at=record.created_at,
        act=act.word,
        by=act.by,
        entry=record.entry,
        text=text_of(record) or texts.get(record.entry, "") or _extent(record),
        undoes=act.undoes,
        undone_by=act.undone_by,
        can_undo=not why_not,
        why_not=why_not,
    )


def _extent(record: EvidenceRecord) -> str:
    """What all parts of a command changed: `12 entries, 1 session`."""
    return _listed({w: n for w in _PLURAL if isinstance(n := record.details.get(w), int)})


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(n, what, _PLURAL[what]) for what, n in counts.items() if n)


NOTHING_MOVED: Mapping[str, MemoryEntry | None] = {}

_PLURAL = {"entry": "entries", "session": "sessions"}


def _reversed(
    work: LocatedWork,
    act: Act,
    memory: WorkspaceMemory,
    moved: Mapping[str, MemoryEntry | None] = NOTHING_MOVED,
) -> UndoResult | Refusal:
    """moved: entries that earlier steps put into the trash, or (None) took out of it."""
    context = UndoContext(
        memory=memory,
        trashed=lambda name: moved[name] if name in moved else in_trash(work, name),
        stones=frozenset(stone.id for stone in documents.read_tombstones(work).stones),
        now=work.now,
        settings=work.settings.memory,
    )
    return reverse(act, context)


def _stage(
    work: LocatedWork, act: Act, done: UndoResult, *, reason: str, stone: bool, command: str = ""
) -> str:
    """Stage what an undo does to the trash, and its evidence; return the record's id."""
    if done.trashes:
        to_trash(work, done.entry, reason=reason, stone=stone)
    if done.untrashes:
        documents.lift_tombstones(work, done.entry)
        work.delete(trash_ref(work.key, act.record.entry))
    return work.log(parts_of(command, done.facts))[0]


# --- one act ----------------------------------------------------------------------------------


def undo_one(work: LocatedWork, request: UndoRequest, *, apply: bool) -> Undone:
    """Undo one act, or say what that would do. Only with `apply` anything is written."""
    act = _wanted(work, request)
    if _is_move(act):
        return _move_back(work, act, apply=apply)
    memory = documents.load_memory(work) if apply else documents.read_memory(work)
    if act.is_command:
        return _undo_command(work, act, memory, apply=apply)
    done = _reversed(work, act, memory)
    if isinstance(done, Refusal):
        raise UserError(done.message, fix=done.fix or "`wm undo --list` shows what can be undone.")
    event = ""
    if apply:
        event = _stage(work, act, done, reason="undone", stone=done.stone)
        documents.save_memory(work, done.memory)
    message = _sentence(done, act, applied=apply)
    if done.untrashes:
        message += contradicted(work, done.memory, done.entry)
    return Undone(act=_view(act, {}), entry=done.entry, applied=apply, event=event, message=message)


def _move_back(work: LocatedWork, act: Act, *, apply: bool) -> Undone:
    if not apply:
        said = f"Would move {act.record.entry} back to its earlier scope."
        return Undone(act=_view(act, {}), message=said)
    back = rescope.move_back(work, act.record.entry, act.record.event_id)
    message = f"Moved back: {back.message}"
    return Undone(act=_view(act, {}), entry=back.entry, applied=True, message=message)


def _is_move(act: Act) -> bool:
    """Whether an entry moved between scopes, and was not moved back: two documents change."""
    return act.record.type == RESCOPED and not act.undone_by


def _wanted(work: LocatedWork, request: UndoRequest) -> Act:
    """The act that the request names. Raises NotFound, or UserError if several match."""
    records = read_log(work).records
    found = acts(records)
    if not request.act:
        act = newest(found)
        if changed := change_of_session(records, act):
            raise _not_of_entries(changed, act)
        if later := _later_elsewhere(work, found):
            raise _not_here(later, act)
        if act is None:
            raise NotFound.of("undo.nothing_left", place=work.place.root or work.key)
        return act
    fits = named(found, _full(work, request.act))
    if not fits:
        raise NotFound.of("undo.unknown", act=request.act, place=work.place.root or work.key)
    if len(fits) > 1:
        raise UserError.of("undo.several", act=request.act, count=len(fits))
    if fits[0].by != "user" and not request.anyone:
        did = {"agent": "an agent asked for it", "sync": "a sync brought it"}
        who = did.get(fits[0].by, "a compaction did it")
        raise UserError.of("undo.not_yours", record=fits[0].record.event_id, who=who)
    return fits[0]


def _not_of_entries(changed: str, act: Act | None) -> UserError:
    """The newest act cannot be undone here; undoing an older one instead would surprise."""
    return UserError.of("undo.session_change", changed=changed, before=_before(act))


def _later_elsewhere(work: LocatedWork, here: Sequence[Act]) -> Act | None:
    """The user's newest act in effect in the memory for all projects, if the user did nothing in
    this workspace since."""
    if work.key == USER_PLACE.key:
        return None
    act = newest(acts(read_log(work.at(USER_PLACE)).records))
    last = max((a.record.created_at for a in here if a.by == "user"), default="")
    return act if act is not None and act.record.created_at > last else None


def _not_here(later: Act, act: Act | None) -> UserError:
    """Undoing an older act in place of the one for all projects would surprise, too."""
    event = later.record.event_id
    return UserError.of(
        "undo.later_elsewhere",
        word=later.word,
        entry=later.record.entry,
        event=event,
        before=_before(act),
    )


def _before(act: Act | None) -> str:
    return f"; `wm undo {act.record.event_id}` undoes the {act.word} before it" if act else ""


def _full(work: LocatedWork, wanted: str) -> str:
    """An event id as given; the prefix of an entry's id expanded."""
    if wanted.startswith("e_"):
        return wanted
    known = (e.id for e in documents.read_memory(work).entries)
    trashed = work.store.names(TrashedEntry, work.key)
    return documents.full_id(wanted, dict.fromkeys((*known, *trashed))) or wanted


def _sentence(done: UndoResult, act: Act, *, applied: bool) -> str:
    """What happens to the entry, as a sentence."""
    name = done.entry.id
    if done.trashes:
        does = f"{name} moves to the trash"
    elif done.untrashes:
        does = f"{name} is restored from the trash{replacing(done.facts)}"
    elif done.entry.status == "inbox" and act.word == "accept":
        does = f"{name} waits in the inbox again"
    elif act.word == "return":
        does = f"{name} is accepted again"
    else:
        does = f"{name} is as it was before"
    also = next((f.details["reactivated"] for f in done.facts if "reactivated" in f.details), ())
    named_too = ", ".join(map(str, also)) if isinstance(also, tuple) else ""
    more = f", and {named_too} is active again" if named_too else ""
    return f"{'Undid' if applied else 'Would undo'} the {act.word}: {does}{more}."


# --- several acts -----------------------------------------------------------------------------


class _Reversal(Struct, frozen=True):
    """Acts that are reversed one after another: each step, what stays, the memory afterwards."""

    memory: WorkspaceMemory
    steps: Sequence[tuple[Act, UndoResult]]
    refused: Sequence[tuple[Act, Refusal]]


def _reverse_all(work: LocatedWork, wanted: Iterable[Act], memory: WorkspaceMemory) -> _Reversal:
    """wanted: newest first."""
    moved: dict[str, MemoryEntry | None] = {}
    steps: list[tuple[Act, UndoResult]] = []
    refused: list[tuple[Act, Refusal]] = []
    for act in wanted:
        done = _reversed(work, act, memory, moved)
        if isinstance(done, Refusal):
            refused.append((act, done))
            continue
        memory = done.memory
        if done.trashes:
            moved[done.entry.id] = done.entry
        if done.untrashes:
            moved[act.record.entry] = None
        steps.append((act, done))
    return _Reversal(memory, steps, refused)


def _steps_taken(
    done: _Reversal, texts: dict[str, str], events: Sequence[str]
) -> tuple[RolledBack, ...]:
    """events: the record of each step, if they were carried out."""
    return tuple(
        RolledBack(act=_view(act, texts), becomes=_becomes(step), event=event)
        for (act, step), event in zip(done.steps, events or [""] * len(done.steps), strict=True)
    )


def _becomes(done: UndoResult) -> str:
    if done.trashes:
        return "trashed"
    return "restored" if done.untrashes else done.entry.status


# --- one command that changed several entries --------------------------------------------------


def _undo_command(work: LocatedWork, act: Act, memory: WorkspaceMemory, *, apply: bool) -> Undone:
    """Undo every part of a command that is still in effect, or say what that would do. What cannot
    be undone stays, with the reason. Raises UserError if the command was undone before."""
    if act.undone_by:
        raise UserError.of("undo.done_already", record=act.record.event_id, undone_by=act.undone_by)
    done = _reverse_all(work, _parts(work, act), memory)
    sessions = _unused_sessions(work, act)
    undone: dict[str, Detail] = {"entry": len(done.steps), "session": len(sessions)}
    events: list[str] = []
    command = ""
    if apply:
        details = {"undoes": act.record.event_id, **undone}
        command = work.log([Fact(REVERTED, "user", "changed", details=details)])[0]
        events = [
            _stage(work, part, step, reason="undone", stone=step.stone, command=command)
            for part, step in done.steps
        ]
        documents.save_memory(work, done.memory)
        for session in sessions:
            delete_all(work, session, by="user")
    return Undone(
        act=_view(act, {}),
        applied=apply,
        event=command,
        message=_command_message(act, done, sessions, applied=apply),
        taken=_steps_taken(done, {}, events),
        kept=tuple(_view(part, {}, refusal.message) for part, refusal in done.refused),
        sessions=tuple(sessions),
    )


def _parts(work: LocatedWork, act: Act) -> list[Act]:
    """The acts of a command that are in effect, newest first."""
    found = acts(read_log(work).records)
    return [a for a in found if a.command == act.record.event_id and not a.undone_by]


def _unused_sessions(work: LocatedWork, act: Act) -> list[str]:
    """The ids of the sessions that an import began and that nothing has changed since."""
    names = dict.fromkeys(
        record.session
        for record in read_log(work).records
        if record.type == import_sessions.TYPE
        and record.details.get("command") == act.record.event_id
    )
    found = (import_sessions.unused(work, name) for name in names)
    return [session for session in found if session]


def _command_message(act: Act, done: _Reversal, sessions: Sequence[str], *, applied: bool) -> str:
    trashed = sum(step.trashes for _, step in done.steps)
    waiting = sum(step.entry.status == "inbox" for _, step in done.steps if not step.trashes)
    said = {
        "moved to the trash": {"entry": trashed},
        "back in the inbox": {"entry": waiting},
        "restored": {"entry": len(done.steps) - trashed - waiting},
        "deleted": {"session": len(sessions)},
        "left as before": {"entry": len(done.refused)},
    }
    parts = [f"{_listed(counts)} {what}" for what, counts in said.items() if any(counts.values())]
    verb = "Undid" if applied else "Would undo"
    return f"{verb} the {act.word}: {'; '.join(parts) or 'nothing of it is left'}."


# --- all acts of models since a moment --------------------------------------------------------


def _moment(work: Work, request: RollbackRequest) -> datetime:
    """Parse the moment. Raises UserError if it is unreadable or in the future."""
    moment = moment_of(request.since, work.now)
    if moment > work.now:
        raise UserError.of("rollback.in_the_future", moment=iso(moment))
    return moment


def _recent(records: Iterable[EvidenceRecord], moment: datetime) -> tuple[list[Act], list[Act]]:
    """Acts of models since then that are still in effect, and acts of people."""
    learned: list[Act] = []
    yours: list[Act] = []
    for act in acts(records):
        at = parse(act.record.created_at)
        if at is None or at < moment or act.undone_by:
            continue
        (yours if act.by == "user" else learned).append(act)
    return learned, yours


def _rollback(work: LocatedWork, request: RollbackRequest, *, apply: bool) -> Rollback:
    """Reverse what models did since a moment, or say what that would be."""
    moment, records = _moment(work, request), read_log(work).records
    learned, yours = _recent(records, moment)
    memory = documents.load_memory(work) if apply else documents.read_memory(work)
    done = _reverse_all(work, learned[:LISTED], memory)
    events: list[str] = []
    if apply and done.steps:
        events = [
            _stage(work, act, step, reason="rolled back", stone=True) for act, step in done.steps
        ]
        details: dict[str, Detail] = {"since": iso(moment), "acts": len(done.steps)}
        fact = Fact("memory_rolled_back", "user", "changed", details=details)
        documents.save_memory(work, done.memory, [fact])
    texts = last_texts(records)
    return Rollback(
        place=work.place,
        since=iso(moment),
        applied=apply,
        taken=_steps_taken(done, texts, events),
        kept=tuple(_view(act, texts, refusal.message) for act, refusal in done.refused),
        yours=tuple(_view(act, texts) for act in yours[:LISTED]),
        more=max(0, len(learned) - LISTED),
    )


def _undo_refs(runtime: Runtime, request: UndoRequest) -> Sequence[Ref[Document]]:
    work = Work(runtime, runtime.now()).at(locate(runtime, request))
    act = _wanted(work, request)
    refs = documents.memory_refs(runtime, request)
    if not act.is_command:
        return refs
    sessions = _unused_sessions(work, act)
    files = (ref for session in sessions for ref in delete_refs(runtime, work.key, session))
    return (*refs, *_trash_refs(work.place, _parts(work, act)), *files)


def _rollback_refs(runtime: Runtime, request: RollbackRequest) -> Sequence[Ref[Document]]:
    work = Work(runtime, runtime.now()).at(locate(runtime, request))
    learned, _ = _recent(read_log(work).records, _moment(work, request))
    return (*_trash_refs(work.place, learned[:LISTED]), *documents.memory_refs(runtime, request))


def _trash_refs(place: WorkspacePlace, found: Iterable[Act]) -> Iterable[Ref[Document]]:
    """The entries of the acts must be known before the locks are taken: they may be many."""
    ids = dict.fromkeys(act.record.entry for act in found if act.record.entry)
    return (trash_ref(place.key, entry_id) for entry_id in ids)


list_acts = Operation("list_acts", ActsRequest, Acts, located(_list))
plan_undo = Operation("plan_undo", UndoRequest, Undone, located(partial(undo_one, apply=False)))
undo = Operation("undo", UndoRequest, Undone, located(partial(undo_one, apply=True)), _undo_refs)
plan_rollback = Operation(
    "plan_rollback", RollbackRequest, Rollback, located(partial(_rollback, apply=False))
)
rollback = Operation(
    "rollback", RollbackRequest, Rollback, located(partial(_rollback, apply=True)), _rollback_refs
)
