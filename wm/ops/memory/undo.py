"""Undo an act: a person's newest one, or the one that is named (WM-7).

The evidence says what an act did; `domain.memory.undo` decides what undoing it means; this
module applies that to the files. An undo is an act itself: it is logged with the record that it
undoes, and can be undone by naming it.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.api.diagnosis import Acts, ActsRequest, ActView, Undone, UndoRequest
from wm.api.protocol import Scoped, WorkspacePlace
from wm.domain.facts import Refusal
from wm.domain.memory.acts import Act, acts, change_of_session, named, newest
from wm.domain.memory.undo import UndoContext, UndoResult, reverse
from wm.errors import NotFound, UserError
from wm.formats.base import Document
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import WorkspaceMemory
from wm.ops.memory.documents import (
    full_id,
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
"""Number of acts for which the list says whether they can be undone."""


def _list(work: Work, request: ActsRequest) -> Acts:
    place = locate(work.runtime, request)
    records = read_log(work, place).records
    found = acts(records)
    memory, texts = read_memory(work, place), last_texts(records)
    shown = found[: max(0, min(request.limit, LISTED))]
    first = newest(found)
    return Acts(
        place=place,
        acts=tuple(_view(work, place, act, memory, texts) for act in shown),
        total=len(found),
        newest=first.record.event_id if first else "",
    )


def _view(
    work: Work, place: WorkspacePlace, act: Act, memory: WorkspaceMemory, texts: dict[str, str]
) -> ActView:
    done = reverse(act, _ground(work, place, act, memory))
    refused = done.message if isinstance(done, Refusal) else ""
    return ActView(
        event=act.record.event_id,
        at=act.record.created_at,
        act=act.word,
        by=act.by,
        entry=act.record.entry,
        text=text_of(act.record) or texts.get(act.record.entry, ""),
        undoes=act.undoes,
        undone_by=act.undone_by,
        can_undo=not refused,
        why_not=refused,
    )


def _ground(work: Work, place: WorkspacePlace, act: Act, memory: WorkspaceMemory) -> UndoContext:
    entry_id = act.record.entry
    trashed = work.read(trash_ref(place.key, entry_id)).document if entry_id else None
    return UndoContext(
        memory=memory,
        trashed=trashed.entry if trashed is not None else None,
        stones=frozenset(stone.id for stone in read_tombstones(work, place).stones),
        now=work.now,
        settings=work.runtime.settings.memory,
    )


def _plan(work: Work, request: UndoRequest) -> Undone:
    """What an undo would do. Writes nothing."""
    place = locate(work.runtime, request)
    act = _wanted(work, place, request)
    done = _reversed(work, place, act, read_memory(work, place))
    view = _view(work, place, act, read_memory(work, place), {})
    return Undone(act=view, entry=done.entry, message=_told(done, act, applied=False))


def _undo(work: Work, request: UndoRequest) -> Undone:
    place = locate(work.runtime, request)
    act = _wanted(work, place, request)
    memory = load_memory(work, place)
    done = _reversed(work, place, act, memory)
    view = _view(work, place, act, memory, {})
    if done.trashes:
        to_trash(work, place, done.entry, reason="undone", stone=done.stone)
    if done.untrashes:
        lift_stones(work, place, done.entry)
        work.delete(trash_ref(place.key, act.record.entry))
    event = work.log(place.key, done.facts)[0]
    save_memory(work, place, done.memory)
    return Undone(
        act=view,
        entry=done.entry,
        applied=True,
        event=event,
        message=_told(done, act, applied=True),
    )


def _reversed(work: Work, place: WorkspacePlace, act: Act, memory: WorkspaceMemory) -> UndoResult:
    done = reverse(act, _ground(work, place, act, memory))
    if isinstance(done, Refusal):
        raise UserError(done.message, fix=done.fix or "`wm undo --list` shows what can be undone.")
    return done


def _wanted(work: Work, place: WorkspacePlace, request: UndoRequest) -> Act:
    """The act that the request names. Raises NotFound, or UserError if several match."""
    records = read_log(work, place).records
    found = acts(records)
    if not request.act:
        act = newest(found)
        if changed := change_of_session(records, act):
            raise _not_of_entries(changed, act)
        if act is None:
            raise NotFound(
                f"Nothing that a person did in {place.root or place.key} is left to undo.",
                fix="`wm undo --list` shows every act.",
            )
        return act
    fits = named(found, _full(work, place, request.act))
    if not fits:
        raise NotFound(
            f"There is no act {request.act!r} in {place.root or place.key}.",
            fix="`wm undo --list` shows every act with its id.",
        )
    if len(fits) > 1:
        raise UserError(
            f"{request.act!r} matches {len(fits)} acts.", fix="Give more digits of the id."
        )
    if fits[0].by != "user" and not request.anyone:
        who = "an agent asked for it" if fits[0].by == "agent" else "a compaction did it"
        raise UserError(
            f"{fits[0].record.event_id} is not your own act: {who}.",
            fix=f"`wm diag revert {fits[0].record.event_id}` shows what undoing it would change.",
        )
    return fits[0]


def _not_of_entries(changed: str, act: Act | None) -> UserError:
    """The newest act cannot be undone here; undoing an older one instead would surprise."""
    before = ""
    if act is not None:
        before = f"; `wm undo {act.record.event_id}` undoes the {act.word} before it"
    return UserError(
        f"The newest change that you made here is {changed}. `wm undo` undoes changes "
        "to entries, not to the memory of a session.",
        fix=f"Change it with `wm session core` or `wm session working`{before}.",
    )


def _full(work: Work, place: WorkspacePlace, wanted: str) -> str:
    """An event id as given; the prefix of an entry's id expanded."""
    if wanted.startswith("e_"):
        return wanted
    known = (e.id for e in read_memory(work, place).entries)
    trashed = work.runtime.store.names(TrashedEntry, place.key)
    return full_id(wanted, dict.fromkeys((*known, *trashed))) or wanted


def _told(done: UndoResult, act: Act, *, applied: bool) -> str:
    """What happens to the entry, as a sentence."""
    name = done.entry.id
    if done.trashes:
        does = f"{name} moves to the trash"
    elif done.untrashes:
        does = f"{name} is restored from the trash"
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


def _refs(runtime: Runtime, request: UndoRequest) -> Sequence[Ref[Document]]:
    """The entry of the act must be known before the locks are taken."""
    place = locate(runtime, request)
    work = Work(runtime, runtime.now())
    entry_id = _wanted(work, place, request).record.entry
    refs: list[Ref[Document]] = [tombstones_ref(place.key), memory_ref(place.key)]
    return [*([trash_ref(place.key, entry_id)] if entry_id else []), *refs]


def _queue(runtime: Runtime, request: Scoped) -> str:
    return locate(runtime, request).key


list_acts = Operation("list_acts", ActsRequest, Acts, _list)
plan_undo = Operation("plan_undo", UndoRequest, Undone, _plan)
undo = Operation("undo", UndoRequest, Undone, _undo, _refs, _queue)
