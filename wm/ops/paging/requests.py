"""Paging for proxies of others: prepare a request, and report its answer (PX-1, IF-1).

The daemon keeps the conversations that a proxy of `wm` keeps itself, in memory and bounded. One
that was dropped is read from its ledger again.
"""

from __future__ import annotations

from threading import Lock

from msgspec import Struct, field

from wm.api.paging import FinishTurnRequest, PrepareAnswer, PrepareRequest, TurnAnswer
from wm.api.protocol import Scoped, WorkspacePlace
from wm.errors import HostError, NotFound, StoreError
from wm.ops.operation import LocatedWork, Operation, Work
from wm.ops.paging import ledger
from wm.ops.paging.goals import GoalModel
from wm.ops.paging.phantoms import TOOLS
from wm.ops.paging.turns import OFF, ManagedConversation, NamedPolicies, PlannedTurn, Recovered
from wm.ops.place import locate
from wm.store.paths import OBJECTS, sid
from wm.wire.binding import BETA
from wm.wire.body import index
from wm.wire.identity import MESSAGES, RequestIdentity, identify
from wm.wire.policy import Prepared
from wm.wire.usage import AnswerReader, Usage


class _OpenConversation(Struct):
    """A conversation in the daemon's memory. lock: one request of it at a time."""

    conversation: ManagedConversation
    place: WorkspacePlace
    session: str
    lock: Lock = field(default_factory=Lock)


def _prepare(work: Work, request: PrepareRequest) -> PrepareAnswer:
    headers = {name.lower(): value for name, value in request.headers.items()}
    try:
        raw = request.body.encode("utf-8")
    except UnicodeEncodeError:
        raise HostError("The body is not valid UTF-8.", fix="Send it as it came.") from None
    found = identify(MESSAGES, headers, index(raw), workspace=request.workspace)
    place = _place(work, request, found)
    if not found.session:
        return PrepareAnswer(place=place)  # the decisions could not be found again
    opened = _opened(work.at(place), found)
    chosen = request.policy or opened.conversation.policy
    chosen = chosen or work.settings.proxy.policy or OFF
    notice = _notice(work.at(place)) if chosen != OFF else ""
    with opened.lock:
        # Nothing is decided or stored before the caller has the notice.
        decides = chosen if found.is_turn and not notice else ""
        made = _planned(work, opened, decides, raw)
    beta = BETA if made.tolerant else ""
    betas = filter(None, (headers.get("anthropic-beta"), beta))
    return PrepareAnswer(
        place=place,
        request=made.request,
        body=made.raw.decode("utf-8") if made.raw is not raw else "",
        removed=made.replaced,
        headers={"anthropic-beta": ",".join(betas)} if beta else {},
        beta=beta,
        notice=notice,
    )


def _notice(work: LocatedWork) -> str:
    """What a person must know about the workspace's steps; "" if the last answer said so."""
    runtime, views, name = work.runtime, work.runtime.caches.views, ("notice", work.key)
    text = runtime.signals.troubles.get(ledger.quota_of(work.key), "")
    if not text and not runtime.store.sessions_with(work.key, OBJECTS):
        text = f"wm: {ledger.storage_note(runtime.settings, work.key)}; the policy off stores none."
    if text == (views.peek(name) or ""):
        return ""
    views.put(name, text)
    return text


def _planned(work: Work, opened: _OpenConversation, decides: str, raw: bytes) -> Prepared:
    conversation, name = opened.conversation, work.new_id("r_")
    at = work.now.timestamp()
    turn = conversation.plan(raw, decides, name, at)
    if turn is None:
        made = conversation.reuse_decisions(raw, name, at)
    elif not turn.must_wait:
        made = turn.prepared
    else:
        try:
            refused = _write(work, opened, turn)
        except StoreError:  # a request leaves with the earlier decisions
            made = conversation.hold(turn)
        else:
            made = conversation.accept(turn, refused)
    conversation.drop_parsed()
    work.runtime.caches.turns.put(made.request, opened)
    return made


prepare_request = Operation("prepare_request", PrepareRequest, PrepareAnswer, _prepare)


def _finish(work: Work, request: FinishTurnRequest) -> TurnAnswer:
    opened: _OpenConversation | None = work.runtime.caches.turns.pop(request.request)
    if opened is None:
        raise NotFound.of("paging.unknown_request", request=request.request[:40])
    usage = None if request.usage is None else Usage.of(request.usage)
    ok = request.ok
    if request.answer:
        reader = AnswerReader(stream=not request.answer.lstrip().startswith("{"))
        reader.feed(request.answer.encode("utf-8", "replace"))
        usage = reader.summary().usage
        ok = usage is not None
    with opened.lock:
        conversation = opened.conversation
        conversation.answered(request.request, ok=ok)
        conversation.used(request.request, usage)
        conversation.examine()
        while (turn := conversation.take_due()) is not None:
            try:
                _write(work, opened, turn)
            except StoreError:
                conversation.unwritten(turn)  # it is written behind a later answer
                break
            conversation.stored(turn)
        totals = ledger.totals_of(conversation.totals, opened.session)
    return TurnAnswer(place=opened.place, totals=totals)


finish_turn = Operation("finish_turn", FinishTurnRequest, TurnAnswer, _finish)


def _place(work: Work, request: PrepareRequest, found: RequestIdentity) -> WorkspacePlace:
    if request.workspace or request.directory or not found.folder:
        return locate(work.runtime, request)
    return locate(work.runtime, Scoped(directory=found.folder))


def _opened(work: LocatedWork, found: RequestIdentity) -> _OpenConversation:
    name = ("paged", work.key, sid(found.session), found.subagent)

    def made() -> _OpenConversation:
        settings, models = work.settings, work.runtime.caches.models
        passages, pruning = settings.proxy.passage_tokens, settings.pruning
        policies = models.get(
            "paging",
            (passages, pruning),
            lambda: NamedPolicies(passages, GoalModel(settings.recall), pruning),
        )
        known = ledger.recovered(work, sid(found.session), found.subagent)
        # Only a proxy of wm takes the calls of phantom tools out of answers.
        kept = tuple(one for one in known.unseen if one.form != TOOLS)
        known = known.model_copy(update={"unseen": kept})
        conversation = ManagedConversation(found.subagent, Recovered.of(known), policies)
        return _OpenConversation(conversation, work.place, sid(found.session))

    return work.runtime.caches.conversations.get(name, (), made)


def _write(work: Work, opened: _OpenConversation, turn: PlannedTurn) -> tuple[str, ...]:
    return ledger.append(
        work.at(opened.place), opened.session, turn.objects, turn.records, durable=turn.must_wait
    )
