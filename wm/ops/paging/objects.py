"""The stored steps of sessions: list, show, restore, release, purge, and search them (OB-1, OB-5).

Everything here is read from the two logs of a session. Restoring writes a record, never content:
the text goes to the caller, and the conversation keeps it as a new result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from string import hexdigits

from wm.api.paging import (
    ObjectAnswer,
    ObjectRequest,
    ObjectsAnswer,
    ObjectsRequest,
    ObjectSummary,
    PurgeAnswer,
    PurgeRequest,
)
from wm.domain.facts import Fact
from wm.domain.paging.ledger import LedgerState, SessionLedger
from wm.domain.paging.objects import FULL
from wm.domain.paging.passages import LineTerms, TextPassage, TextSource, best, terms_by_line
from wm.domain.paging.summary import summary
from wm.errors import NotFound, StoreError, UserError
from wm.formats.ledger import LedgerRecord
from wm.formats.paged_object import ObjectPart, PagedObject, SessionSummaries
from wm.ops.operation import LocatedWork, Operation, Work, located
from wm.ops.paging.ledger import (
    append,
    passages_view,
    quota_of,
    session_among,
    session_ledger,
    session_state,
    totals_of,
)
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.secrets.redact import labels_in
from wm.store.base import Ref
from wm.store.paths import DECISIONS, OBJECTS, PAGING, RECORDINGS, WORKSPACES

SHORTEST_ID = 6
_SEARCHED_SESSIONS = 8
"""Sessions whose steps are searched: those that stored something last."""
_KEPT_CHARS = 4_000_000
"""Of a session's texts whose terms are kept: they take about three times as many bytes."""
_PART_MARK = "\n\n"


def folders(workspace: str) -> list[str]:
    """The folders of a workspace's steps and of its recorded bodies, below the data folder.
    workspace: its key."""
    return [f"{WORKSPACES}/{workspace}/{kind}" for kind in (OBJECTS, RECORDINGS)]


# --- list and show --------------------------------------------------------------------------------


def _list(work: LocatedWork, request: ObjectsRequest) -> ObjectsAnswer:
    store = work.store
    known = store.sessions_with(work.key, *PAGING)
    wanted = session_among(request.session, known) if request.session else ""
    found, totals = [], []
    for session in known:
        if wanted and session != wanted:
            continue
        ledger = session_ledger(work, session)
        totals.append(totals_of(ledger.whole, session))
        for one in store.objects(work.key, session):
            if request.type in ("", one.type):
                found.append(_summary(one, session, ledger))
    found.sort(key=lambda one: one.at)  # stable: steps that were stored together keep their order
    return ObjectsAnswer(
        place=work.place,
        objects=tuple(reversed(found)),
        totals=tuple(totals),
        bytes=sum(store.paging_bytes(work.key, session) for session in known),
        requests=_sent(work, wanted) if wanted and request.requests else (),
    )


def _sent(work: LocatedWork, session: str) -> tuple[LedgerRecord, ...]:
    """Each request once, as predicted and as the service counted it (PX-7)."""
    records = work.store.ledger(work.key, session)
    sent = {one.request: one for one in reversed(records) if one.kind == "sent"}
    return tuple(one.model_copy(update={"decisions": ()}) for one in reversed(sent.values()))


list_objects = Operation("list_objects", ObjectsRequest, ObjectsAnswer, located(_list))


def _summary(one: PagedObject, session: str, ledger: SessionLedger) -> ObjectSummary:
    state = ledger.whole
    return ObjectSummary(
        id=one.id,
        session=session,
        type=one.type,
        label=one.label,
        tokens=one.tokens,
        at=one.at,
        fidelity=fidelity(one, ledger.of(one.conversation)),
        pinned=one.id in state.pinned,
        faults=state.objects.get(one.id, 0),
        searched=one.admission is None or not one.admission.reason,
    )


def fidelity(one: PagedObject, state: LedgerState) -> int:
    """The level of a step in the last request of its conversation: that of its most reduced part; 4
    if it was replaced as a whole."""
    return max((state.in_force[p].level for p in one.places if p in state.in_force), default=FULL)


def _show(work: LocatedWork, request: ObjectRequest) -> ObjectAnswer:
    session, one, part = find(work, request.id)
    if request.level not in (0, 1, 2):
        raise UserError.of("objects.no_level", level=request.level)
    text, losses, by = _shortened(work, session, part, text_of(one, part), request.level)
    return ObjectAnswer(
        place=work.place,
        object=one,
        session=session,
        text=text,
        losses=losses,
        by=by,
        secrets=tuple(labels_in(text)),
        events=tuple(_events(work, session, one)),
    )


def _shortened(
    work: LocatedWork, session: str, part: ObjectPart | None, text: str, level: int
) -> tuple[str, tuple[str, ...], str]:
    """A text at a level, its losses, and the model that wrote it: "" for the extractive summary."""
    if level and part is not None:
        known = work.read(summaries_of(work.key, session)).document
        made = known.texts.get(part.id) if known is not None else None
        if made is not None and not made.reason:
            return (made.detailed if level == 1 else made.compact), made.losses, made.by
    short = summary(text, level)
    losses = (f"{short.dropped:,} lines",) if short.dropped else ()
    return short.text, (*losses, *short.names), ""


show_object = Operation("show_object", ObjectRequest, ObjectAnswer, located(_show))


def summaries_of(workspace: str, session: str) -> Ref[SessionSummaries]:
    """session: its `<sid>`."""
    return Ref(SessionSummaries, workspace, session)


def find(work: LocatedWork, wanted: str) -> tuple[str, PagedObject, ObjectPart | None]:
    """The step with this id, or with a part of this id: its session, the step, the part. wanted: an
    id, a beginning of one, or the note with it.

    Raises NotFound, and UserError if a beginning of an id fits several.
    """
    digits = wanted.strip().rstrip("]`").lower().rpartition("o_")[2]
    if not set(digits) <= set(hexdigits):
        raise NotFound.of("objects.no_id", wanted=wanted[:40])
    if len(digits) < SHORTEST_ID:
        raise UserError.of("objects.short_id", wanted=wanted[:40])
    bare = f"o_{digits}"
    found: dict[str, tuple[str, PagedObject, ObjectPart | None]] = {}
    for session, one in work.store.find_object(work.key, bare):
        for name, part in ((one.id, None), *((part.id, part) for part in one.parts)):
            if name.startswith(bare):
                found.setdefault(name, (session, one, part))
    if bare in found:
        return found[bare]
    if len(found) == 1:
        return found.popitem()[1]
    if found:
        raise UserError.of(
            "objects.several", wanted=wanted, count=len(found), names=", ".join(sorted(found)[:5])
        )
    raise _missing(work, bare)


def _missing(work: LocatedWork, wanted: str) -> NotFound:
    """Why no step with this handle is stored, as far as the ledgers know."""
    for session in work.store.latest_sessions(work.key, DECISIONS, _SEARCHED_SESSIONS):
        state = session_state(work, session)
        named = (*state.gone, *(one.text for one in state.in_force.values()))
        if any(wanted in one for one in named):
            why = "is missing; `wm fsck --deep` checks the files"
            if state.purged:
                why = f"was purged at {state.purged} (`wm objects purge`)"
            return NotFound.of("objects.missing_text", wanted=wanted, why=why)
    days = work.settings.storage.object_max_age_days
    return NotFound.of(
        "objects.unknown", wanted=wanted[:40], place=work.place.root or work.key, days=days
    )


def text_of(one: PagedObject, part: ObjectPart | None) -> str:
    """The text of a part; of a whole step all its texts. The notes of an input are filled in by the
    parts that follow it."""
    if part is not None:
        return part.text
    return _PART_MARK.join(part.text for part in one.parts)


def _events(work: LocatedWork, session: str, one: PagedObject) -> Iterator[str]:
    scores = one.admission
    if scores is not None and scores.reason:
        yield f"{one.at} stored, not searched: {scores.reason.replace('_', ' ')}"
    elif scores is not None:
        yield f"{one.at} stored and searched: score {scores.score}"
    for record in work.store.ledger(work.key, session):
        if one.id in record.objects:
            yield f"{record.at} {record.kind}"
        for decision in record.decisions:
            if decision.block in one.places:
                yield f"{record.at} level {decision.level}, {decision.form}: {decision.reason}"
            elif decision.form == "passages" and any(p.id in decision.text for p in one.parts):
                yield f"{record.at} passages of it appended: {decision.reason}"


# --- restore and release ------------------------------------------------------------------------


def note(work: LocatedWork, session: str, kind: str, one: PagedObject) -> None:
    """Record that a step was restored or released, in its session."""
    record = LedgerRecord.model_validate(
        {"kind": kind, "at": work.moment, "conversation": one.conversation, "objects": (one.id,)}
    )
    append(work, session, (), [record], durable=False)


# --- purge --------------------------------------------------------------------------------------


def _purge(work: LocatedWork, request: PurgeRequest) -> PurgeAnswer:
    store = work.store
    chosen = _chosen(work.runtime, request)
    count = sum(len(store.objects(work.key, session)) for session in chosen)
    if not request.dry_run:
        fact = Fact("objects_purged", "user", "changed", details={"objects": count})
        # First what may start this operation again.
        summaries = [summaries_of(work.key, session) for session in chosen]
        written = [ref for ref in summaries if work.read(ref).document is not None]
        work.lock(written)
        work.log([fact])
        for ref in written:
            work.delete(ref)
        for session in set(chosen).intersection(store.sessions_with(work.key, DECISIONS)):
            ids = tuple(sorted(store.object_ids(work.key, session)))
            purged = LedgerRecord(kind="purged", objects=ids)
            with suppress(StoreError):  # on a full disk, too, a person may delete
                append(work, session, (), [purged], durable=True)
        for session in chosen:
            store.discard_logs(work.key, session, OBJECTS)
            work.runtime.caches.views.pop(passages_view(work.key, session))
        work.runtime.signals.troubles.report(quota_of(work.key), "")
    return PurgeAnswer(place=work.place, sessions=chosen, objects=count, dry_run=request.dry_run)


def _chosen(runtime: Runtime, request: PurgeRequest) -> Sequence[str]:
    """The sessions to purge. Raises UserError and NotFound."""
    place = locate(runtime, request)
    known = runtime.store.sessions_with(place.key, *PAGING)
    if not request.session and not request.all_sessions:
        raise UserError.of("objects.nothing_named")
    return known if request.all_sessions else (session_among(request.session, known),)


def _purged(runtime: Runtime, request: PurgeRequest) -> Sequence[Ref[SessionSummaries]]:
    """Locked before the objects go: else a summary of one that is being read now would stay."""
    place = locate(runtime, request)
    return [summaries_of(place.key, session) for session in _chosen(runtime, request)]


purge_objects = Operation("purge_objects", PurgeRequest, PurgeAnswer, located(_purge), _purged)


# --- search -------------------------------------------------------------------------------------


def passages(work: LocatedWork, query: str, count: int) -> list[TextPassage]:
    """The passages of stored steps that fit a query best; the newest sessions are searched."""
    sessions = work.store.latest_sessions(work.key, OBJECTS, _SEARCHED_SESSIONS)
    return best(query, (one for name in sessions for one in _sources(work, work.key, name)), count)


def _sources(work: Work, key: str, session: str) -> Iterator[TextSource]:
    """The texts of a session that are searched. Their terms are kept for the next query, because
    splitting takes most of a query's time; those of very long sessions only for the first texts."""
    view = passages_view(key, session)
    kept: dict[str, LineTerms] = work.runtime.caches.views.peek(view) or {}
    work.runtime.caches.views.put(view, kept)
    chars = 0
    for one in work.store.objects(key, session):
        if one.admission is not None and one.admission.reason:
            continue
        for part in (part for part in one.parts if part.kind != "call"):
            chars += len(part.text)
            terms = kept.get(part.id) or terms_by_line(part.text)
            if chars <= _KEPT_CHARS:
                kept[part.id] = terms
            yield TextSource(part.id, part.text, terms, one.label)
