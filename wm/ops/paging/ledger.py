"""The ledger of a session: proxies add to it and read it after a restart (PX-2, PX-7).

All text is redacted before it is written. A decision with a secret in its own text is refused, so
that what is applied and what is replayed are always the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from wm.api import paging
from wm.api.protocol import PagingTotals, WorkspacePlace
from wm.domain.facts import Fact
from wm.domain.paging.ledger import LedgerState, SessionLedger, folded, handles_in
from wm.domain.paging.levels import LEVELS
from wm.errors import NotFound, StoreError, Unwritable, UserError
from wm.formats.base import Record
from wm.formats.ledger import LedgerRecord
from wm.formats.paged_object import PagedObject
from wm.ops.memory.documents import load_memory, read_memory, save_memory
from wm.ops.operation import LocatedWork, Operation, Work, as_written, located
from wm.ops.place import locate
from wm.ops.session.hot_state import require_session
from wm.settings import Settings
from wm.store.paths import OBJECTS, PAGING, logs_folder, sid
from wm.wire.prices import price_of

_MOST_READ_AHEAD = 4
"""Ledgers of the newest sessions that a starting proxy has read: one of 600 requests takes 0.2 s
the first time, and the first request of a resumed session waits for 50 ms."""

R = TypeVar("R", bound=Record)
Redact = Callable[[str], str]


class Secrets(NamedTuple):
    """What takes secrets out of a text, and out of a name."""

    text: Redact
    name: Redact


def _append(work: Work, request: paging.PagingRequest) -> paging.PagingAnswer:
    require_session(request, work.settings.session)
    work, session = work.at(locate(work.runtime, request)), sid_of(request.session_id)
    refused = append(work, session, request.objects, request.records, durable=request.durable)
    return paging.PagingAnswer(place=work.place, refused=refused, policy=chosen(work, session))


def append(
    work: LocatedWork,
    session: str,
    objects: Sequence[PagedObject],
    records: Sequence[LedgerRecord],
    *,
    durable: bool,
) -> tuple[str, ...]:
    """Redact and write steps and records. session: its `<sid>`. Returns the places of decisions
    that hold a secret, or whose content was purged: they were not written. Raises StoreError;
    Unwritable if there are steps and the workspace is over its quota."""
    secrets = Secrets(work.redact, work.runtime.redacted_name)
    refused: list[str] = []
    decides = any(record.kind == "decided" for record in records)
    # A proxy that is at work does not know that steps which it stored were deleted.
    purged = decides and bool(session_state(work, session).purged)
    known = work.store.object_ids(work.key, session) if objects or purged else frozenset()
    unknown = [one for one in objects if one.id not in known]
    if unknown and (full := work.runtime.signals.troubles.get(quota_of(work.key))):
        raise Unwritable(full, fix="What was removed before stays removed.")
    new = [redacted_object(one, secrets, work.moment) for one in unknown]
    ids = known.union(*((one.id, *(p.id for p in one.parts)) for one in new)) if purged else None
    checked = [_checked(record, secrets, ids, refused, work.moment) for record in records]
    most = work.settings.proxy.objects_max_bytes
    caches, view = work.runtime.caches, _view(work.key, session)
    before = caches.views.peek(view)
    try:
        work.store.append_paging(work.key, session, new, checked, most=most, durable=durable)
    except StoreError:
        forget_state(work, work.key, session)
        raise
    with caches.ledgers:
        if isinstance(before, SessionLedger) and caches.views.peek(view) is before:
            before.add(checked)
        else:  # it was read while this was written: perhaps without it
            caches.views.pop(view)
    if any(record.kind == "sent" for record in checked):
        work.runtime.signals.turns.listener(work.key, session)
    return tuple(refused)


def quota_of(workspace: str) -> str:
    """The name of the trouble that no rule allows to bring a workspace below its quota."""
    return f"quota {workspace}"


def storage_note(settings: Settings, workspace: str, folder: str = "") -> str:
    """What is stored, where, and for how long; said before the first step is stored (OB-1). folder:
    as the reader knows it."""
    days = settings.storage.object_max_age_days
    folder = folder or str(settings.paths.home / logs_folder(OBJECTS, workspace))
    return (
        f"the steps of sessions are kept, without secrets, for {days:g} days in {folder}, so that "
        "what is removed can be restored. `wm objects` shows them"
    )


def _view(key: str, session: str) -> tuple[str, str, str]:
    return ("paging", key, session)


def passages_view(key: str, session: str) -> tuple[str, str, str]:
    """The name under which the terms of a session's texts are cached."""
    return ("passages", key, session)


def session_ledger(work: LocatedWork, session: str) -> SessionLedger:
    """What the ledger of a session adds up to. session: its `<sid>`. Read once, and kept up with
    what `append` writes. Raises StoreError."""
    caches, view = work.runtime.caches, _view(work.key, session)
    known = caches.views.peek(view)
    if isinstance(known, SessionLedger):
        return known
    reading = object()  # a placeholder until it is read; `append` and other readers replace it
    caches.views.put(view, reading)
    found = folded(work.store.ledger(work.key, session))
    with caches.ledgers:
        if caches.views.peek(view) is reading:
            caches.views.put(view, found)
    return found


def session_state(work: LocatedWork, session: str) -> LedgerState:
    """The same of all its conversations together."""
    return session_ledger(work, session).whole


def recovered(work: LocatedWork, session: str, conversation: str) -> paging.LedgerAnswer:
    """What is known of a conversation. session: its `<sid>`. Raises StoreError."""
    memory = read_memory(work)
    objects = work.store.object_ids(work.key, session)
    found = session_ledger(work, session)
    with work.runtime.caches.ledgers:
        policy = found.whole.chosen or memory.paging
        return answer_of(found.of(conversation), work.place, objects, policy)


def answer_of(
    state: LedgerState, place: WorkspacePlace, objects: Iterable[str], policy: str = ""
) -> paging.LedgerAnswer:
    """What a proxy must know of a conversation. objects: stored ids. policy: the chosen one."""
    return paging.LedgerAnswer(
        place=place,
        branches=tuple(
            paging.LedgerBranch(afresh=one.afresh, decisions=one.decisions, ends=tuple(one.ends))
            for one in state.branches
        ),
        unseen=tuple(state.unseen.values()),
        unproven=tuple(one for listed in state.unproven.values() for one in listed),
        requests=tuple(state.unproven),
        credit=state.credit,
        alive=dict(state.alive),
        marked=tuple(state.marked),
        objects=tuple(sorted(objects)),
        policy=policy,
        broken=state.broken,
        scale=state.scale,
    )


def forget_state(work: Work, key: str, session: str) -> None:
    """The logs of this session were deleted, or are in doubt."""
    with work.runtime.caches.ledgers:
        work.runtime.caches.views.pop(_view(key, session))
    work.runtime.caches.views.pop(passages_view(key, session))


def _checked(
    record: LedgerRecord, secrets: Secrets, stored: Set[str] | None, refused: list[str], moment: str
) -> LedgerRecord:
    """The record without decisions with a secret or, if `stored` is given, whose handle is not
    in it; their places are added to `refused`."""
    clean = []
    for one in record.decisions:
        gone = stored is not None and record.kind == "decided" and handles_in(one) - stored
        if redacted(one, secrets) is one and not gone:
            clean.append(one)
        else:
            refused.append(one.block)
    rest = redacted(record.model_copy(update={"decisions": ()}), secrets)
    return rest.model_copy(update={"at": moment, "decisions": tuple(clean)})


def redacted_object(one: PagedObject, secrets: Secrets, moment: str) -> PagedObject:
    """The object without secrets. A name that is one, or that occurs only in one, is left out of
    `names`."""
    clean = redacted(one, secrets)
    names = tuple(name for name in one.names if secrets.text(name) == name)
    if clean.parts is not one.parts:
        before, after = (" ".join(part.text for part in each.parts) for each in (one, clean))
        names = tuple(name for name in names if name in after or name not in before)
    return clean.model_copy(update={"at": moment, "names": names})


_NEVER_SECRET = re.compile(r"[a-z_ ]{0,24}|(?:[a-z]_)?[0-9a-f]{12,16}")
"""Our own words and handles; they are too short for a key."""
_TEXTS = frozenset({"text", "label", "path", "names", "kind", "model"})
"""Fields with words of others; the rest are names, such as random ids that must stay as they are,
unless they have several words.
No model has a random name: one with a secret in its place counts as another model each time."""


def redacted(record: R, secrets: Secrets) -> R:
    """A record without secrets in any of its texts."""

    def clean(value: Any, is_text: bool) -> Any:
        if isinstance(value, str):
            redact = secrets.text if is_text or " " in value else secrets.name
            return value if _NEVER_SECRET.fullmatch(value) else redact(value)
        if isinstance(value, tuple):
            return tuple(clean(one, is_text) for one in value)
        return redacted(value, secrets) if isinstance(value, Record) else value

    update = {}
    for field, old in record:
        new = clean(old, field in _TEXTS)
        if new != old:
            update[field] = new
    return record.model_copy(update=update) if update else record


append_paging = Operation("append_paging", paging.PagingRequest, paging.PagingAnswer, _append)


def _read(work: LocatedWork, request: paging.LedgerRequest) -> paging.LedgerAnswer:
    if request.ahead:
        for session in work.store.latest_sessions(work.key, OBJECTS, _MOST_READ_AHEAD):
            with suppress(StoreError):  # an unreadable ledger is reported to its readers
                recovered(work, session, "")
        return paging.LedgerAnswer(place=work.place)
    require_session(request, work.settings.session)
    return recovered(work, sid_of(request.session_id), request.conversation)


read_ledger = Operation("read_ledger", paging.LedgerRequest, paging.LedgerAnswer, located(_read))


# --- the policy of a workspace or a session -----------------------------------------------------


def chosen(work: LocatedWork, session: str) -> str:
    """The policy that the person chose for this session, else for this workspace; "" for none.
    session: its `<sid>`."""
    return session_state(work, session).chosen or read_memory(work).paging


def session_among(wanted: str, known: Sequence[str]) -> str:
    """The session with this id, `<sid>` or beginning of one. Raises NotFound and UserError."""
    exact = sid_of(wanted)
    if exact in known:
        return exact
    found = [session for session in known if session.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError.of("objects.several_sessions", wanted=wanted, count=len(found))
    raise NotFound.of("objects.unknown_session", wanted=wanted[:40])


def _choose(work: Work, request: paging.PolicyRequest) -> paging.PolicyAnswer:
    if request.policy and request.policy not in LEVELS:
        raise UserError.of("policy.unknown", policy=request.policy[:40], names=", ".join(LEVELS))
    work = work.at(locate(work.runtime, request))
    configured = work.settings.proxy.policy or "off"
    fact = Fact("policy_changed", "user", "changed", details={"policy": request.policy})
    if request.session:
        record = LedgerRecord(kind="policy", at=work.moment, policy=request.policy)
        known = work.store.sessions_with(work.key, *PAGING)
        is_begun = any(one.startswith(request.session) for one in known)
        session = session_among(request.session, known) if is_begun else sid_of(request.session)
        work.log([fact], session=session)  # first: it may start this operation again
        append(work, session, (), [record], durable=True)
        whose = "This session"
        if session not in known:
            whose = f"Session {request.session!r}, which has no requests here yet,"
    else:
        memory = load_memory(work)
        update = {"paging": request.policy}
        save_memory(work, memory.model_copy(update=update), [fact])
        whose = "This workspace"
    policy = request.policy or configured
    how = "uses" if request.policy else "uses what config.toml says:"
    message = f"{whose} {how} {policy}. Running proxies follow with their next request."
    if policy != "off":
        message += f" Then {storage_note(work.settings, work.key)}."
    return paging.PolicyAnswer(place=work.place, policy=policy, message=message)


choose_policy = Operation(
    "choose_policy", paging.PolicyRequest, paging.PolicyAnswer, _choose, as_written
)


# --- totals -------------------------------------------------------------------------------------


_FIGURES = PagingTotals.model_fields.keys() & {*LedgerState.__struct_fields__} - {"policy"}
"""What a ledger adds up and clients read under the same names."""


def totals(work: LocatedWork, session: str) -> PagingTotals | None:
    """What paging did in a session; None if no request was sent with it, or the ledger is
    unreadable. session: its id or `<sid>`."""
    try:
        state = session_state(work, sid_of(session))
    except StoreError:
        return None
    return totals_of(state, sid_of(session)) if state.requests else None


def totals_of(state: LedgerState, session: str) -> PagingTotals:
    """What paging did in a session, as figures for people."""
    figures = {name: getattr(state, name) for name in _FIGURES}
    unknown = (one for one in tuple(state.alive) if one and not price_of(one).known)
    return PagingTotals(
        **figures,
        session=session,
        policy=state.chosen or state.policy,
        repeatedly=sum(n > 1 for name, n in state.needed.items() if name),
        unpriced=tuple(sorted(unknown)),
    )


def sid_of(session: str) -> str:
    """The `<sid>` of a session id, or of what is one already."""
    is_one = len(session) == 32 and all(sign in "0123456789abcdef" for sign in session)
    return session if is_one else sid(session)
