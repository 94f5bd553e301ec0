"""Record the events of a session as hot state, memory and evidence.

`prepare_event` does once what needs no lock: it redacts the event, finds the requests of a message
and the documents that the event may change. `record` then runs the event's step; a new kind of
event is a new row of `STEPS`. All text is redacted before any rule reads it, so no rule can store
a secret (TR-1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from wm.api.protocol import Remembered, RememberRequest, WorkspacePlace
from wm.api.sessions import EventAnswer, EventRequest
from wm.domain.facts import Fact
from wm.domain.failures import open_errors
from wm.domain.learning import inner_requests, requests
from wm.domain.learning.agreed import offer_in
from wm.domain.learning.forgets import beside_forgets
from wm.domain.learning.stated import Statement, scope_of
from wm.domain.learning.statements import decisions_in
from wm.domain.memory import echo_guard, tombstones
from wm.domain.memory.scope import USER
from wm.domain.session import recap, slot_filling
from wm.domain.session import state as transitions
from wm.errors import Corrupt, TooNew
from wm.formats import events
from wm.formats.base import Document
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.learning import ambient_files, compaction, journal, provenance, record_recap, stated
from wm.ops.learning.recaps import recaps_ref
from wm.ops.learning.remember import judge, learn_or_journal, learn_refs
from wm.ops.learning.taken_back import take_back
from wm.ops.memory import anchors, branch_scope, checkouts
from wm.ops.memory.documents import journal_ref, load_memory, note_activity
from wm.ops.memory.entries import forget_one
from wm.ops.operation import LocatedWork, Operation, Work
from wm.ops.place import USER_PLACE, locate, memory_ref
from wm.ops.runtime import Runtime
from wm.ops.session import core_blocks, pressure, prompt_recall, tool_outputs, working_memory
from wm.ops.session.epochs import recovered
from wm.ops.session.hot_state import (
    load_session,
    require_session,
    save_session,
    session_ref,
    working_ref,
)
from wm.ops.storage import session_files
from wm.store.base import Ref
from wm.store.paths import sid

COMPACTED = "compact"
"""The source of a session start that follows a compaction."""

NEWLY_KEPT = ("promoted", "superseded", "retryable")
"""Outcomes whose memory the session's frozen prompt does not show yet."""

LAST_ANSWER_CHARS = 200
"""End of the agent's last words that is kept, to know what the user answers (EX-7)."""

APPENDABLE = (events.UserPrompt, events.ToolFinished, events.UsageReported)
"""Events after which a client can still append a sentence to the conversation."""


# --- preparing --------------------------------------------------------------------------------


class UserMessage(Struct, frozen=True):
    """A user message as the rules read it.

    text: what the user typed, redacted, without insertions of the client or wm. requests, forgets:
    what to keep and what to forget. stated: what it says in passing. recalled: matching memories.
    items: what enters the working memory.
    """

    text: str = ""
    requests: requests.Requests = requests.Requests((), ())
    forgets: tuple[str, ...] = ()
    recalled: prompt_recall.Lookup | None = None
    stated: tuple[Statement, ...] = ()
    items: slot_filling.MessageItems = slot_filling.MessageItems()

    @property
    def asks(self) -> bool:
        found = self.requests
        return bool(found.found or found.ignored or found.unparsed or self.forgets or self.stated)


class PreparedEvent(Struct, frozen=True):
    """An event with everything that could be computed without a lock.

    unredacted: for rules that keep only sizes and digests. redacted: for all other rules.
    message: of a `UserPrompt`. visit: of a `SessionStarted`. refs: the documents that it may
    change.
    """

    place: WorkspacePlace
    unredacted: EventRequest
    redacted: EventRequest
    message: UserMessage = UserMessage()
    visit: journal.Visit = journal.Visit()
    refs: tuple[Ref[Document], ...] = ()


def prepare_event(runtime: Runtime, place: WorkspacePlace, request: EventRequest) -> PreparedEvent:
    """Redact an event and look up what it needs. Raises UserError without a session id."""
    require_session(request, runtime.settings.session)
    event = redacted_event(runtime, request.event)
    message, visit = UserMessage(), journal.Visit()
    if isinstance(event, events.UserPrompt):
        message = _read_message(runtime, place, request, event.text)
    elif isinstance(event, events.SessionStarted):
        visit = _query_project(runtime, place, request)
    redacted = request.model_copy(update={"event": event})
    own, counted = _refs(runtime, place, redacted, message), pressure.count_refs
    refs = (*own, *counted(runtime, place, request))
    return PreparedEvent(place, request, redacted, message, visit, tuple(dict.fromkeys(refs)))


def _read_message(
    runtime: Runtime, place: WorkspacePlace, request: EventRequest, redacted: str
) -> UserMessage:
    text = echo_guard.without_injected(redacted)
    asked, forgets = requests.find_requests_and_forgets(text, runtime.settings.gate)
    found = prompt_recall.look_up(runtime, place, request.session_id, text, request.directory)
    rest = beside_forgets(text, forgets) if forgets else text
    statements = stated.find(runtime, place, request.session_id, rest, asked)
    items = working_memory.items_in(text, runtime.settings)
    return UserMessage(text, asked, forgets, found, statements, items)


def _query_project(runtime: Runtime, place: WorkspacePlace, request: EventRequest) -> journal.Visit:
    """Query git and the project's files before any lock is taken."""
    git = branch_scope.ask(runtime, place)
    code = anchors.look(runtime, place, request.directory)
    ambient_files.ask(runtime, place.root)
    prompt_recall.warm(runtime, place)
    return journal.Visit(git, code, checkouts.ask(runtime, place))


def redacted_event(runtime: Runtime, event: events.Event) -> events.Event:
    """The event with all texts redacted, and without output that no rule reads."""
    redact, of_path = runtime.redactor.text, runtime.redacted_path
    texts = {
        name: redact(value)
        for name in ("text", "command", "summary")
        if isinstance(value := getattr(event, name, None), str) and value
    }
    update: dict[str, object] = {**texts}
    if isinstance(event, events.SessionStarted):
        parent = event.parent_session[: runtime.settings.session.max_id_chars]
        record = event.transcript
        # A path that contains a secret is dropped: a redacted path names no file.
        kept = record if of_path(record) == record else ""
        update |= {"parent_session": redact(parent), "transcript": kept}
    elif isinstance(event, events.ToolFinished):
        most = runtime.settings.working.searched_chars
        update |= {
            "output": redact(_searched(event.model_copy(update=texts), most)),
            "replaceable": "",
            "paths": tuple(map(of_path, event.paths)),
            "cwd": of_path(event.cwd),
        }
    return event.model_copy(update=update) if update else event


def _searched(event: events.ToolFinished, most: int) -> str:
    """The part of a tool's output that rules read: manifests (CB-2), and the output of commands
    that may change the open errors (HS-2, HS-4)."""
    if slot_filling.shows_manifest(event):
        return event.output[:most]
    return event.output if open_errors.reads_output(event) or recap.reads_output(event) else ""


def _refs(
    runtime: Runtime, place: WorkspacePlace, request: EventRequest, message: UserMessage
) -> Iterable[Ref[Document]]:
    """The documents that the event's step usually changes; others are locked when they change."""
    key, session, event = place.key, request.session_id, request.event
    state = session_ref(key, session)
    match event:
        case events.UsageReported():
            return ()
        case events.SessionDeleted():
            return session_files.delete_refs(runtime, key, session)
        case events.ToolFinished():
            return (state, working_ref(key, session)) if slot_filling.feeds(event) else (state,)
        case events.UserPrompt():
            return (state, *_message_refs(runtime, key, session, message))
        case events.AssistantText():
            return (state,)
    return (state, *learn_refs(key), journal_ref(key))


def _message_refs(
    runtime: Runtime, key: str, session: str, message: UserMessage
) -> Iterator[Ref[Document]]:
    """What a user message changes. A run that meets a document without a lock is repeated."""
    if message.asks:
        yield from learn_refs(key)
    asked = (scope_of(item.text) for item in message.requests.found)
    if message.forgets or USER in (*asked, *(one.scope for one in message.stated)):
        yield from learn_refs(USER_PLACE.key)
    if message.items.feeds:
        yield working_ref(key, session)
    known = runtime.store.read(session_ref(key, session)).document
    if known is None or (known.recap is None and not known.subagent):
        yield recaps_ref(key)


# --- recording --------------------------------------------------------------------------------


def record(work: Work, event: PreparedEvent) -> EventAnswer:
    """Record one event."""
    work, unredacted, redacted = work.at(event.place), event.unredacted, event.redacted
    answer = STEPS[unredacted.event.kind](work, event)
    work.effects.recorded.append((work.key, sid(unredacted.session_id)))
    provenance.count_event(work, unredacted, redacted)
    if isinstance(unredacted.event, events.ToolFinished):
        answer = tool_outputs.pruned(work, unredacted, answer)
    if answer.pruned is None:
        pressure.count_event(work, unredacted, redacted)
    else:
        # Pressure counts the pruned output only: the model reads the shorter text (PS-1).
        handle = {"handle": answer.pruned.handle}
        less = {"output": answer.pruned.text, **handle}
        pressure.count_event(work, _with(unredacted, less), _with(redacted, handle))
    return answer


def _with(request: EventRequest, update: dict[str, str]) -> EventRequest:
    return request.model_copy(update={"event": request.event.model_copy(update=update)})


def _session_started(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    """A new session clears hot state; a resumed one keeps it and its epoch (EP-1).

    Records the pause that this visit ends as an interval, so that strengths do not jump: the first
    prompt is ranked as if the pause still lasted (WM-2).
    """
    event = prepared.redacted.event
    assert isinstance(event, events.SessionStarted)
    before = recovered(work.runtime, work.key, load_session(work, prepared.redacted))
    if event.is_new and not event.subagent:
        record_recap.others_ended(work)
    state = _apply(work, before, event)
    save_session(work, state)
    if event.is_new:
        working_memory.clear(work, state)  # left by an older session with this id (CB-2)
        core_blocks.take_waiting(work, state)
    elif _goes_on_compacted(event, state):
        working_memory.compacted(work, state)
    if state.subagent:
        return _plain_answer(state)
    journal.begin_visit(work, prepared.visit)
    if not event.is_new:
        return _plain_answer(state)
    other = checkouts.offer(work, prepared.visit.checkout)
    return _plain_answer(state).model_copy(update={"shown": other})


def _goes_on_compacted(event: events.SessionStarted, state: SessionState) -> bool:
    """Claude Code sends this start before it delivers the summary of a compaction; the next epoch
    shows what the compaction kept."""
    return event.source == COMPACTED and not state.subagent


def _user_prompt(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    """A user message: keep what it asks to keep, at once."""
    event, message = prepared.redacted.event, prepared.message
    assert isinstance(event, events.UserPrompt)
    state = load_session(work, prepared.redacted)
    if state.subagent:
        return _plain_answer(state)
    may_answer = bool(state.offer) and not event.message_id
    if transitions.was_seen(state, event) and not may_answer:
        # A message that arrives twice (a retry, two hooks) counts once; "yes" to the next question
        # is another message.
        again = stated.notice_again(work, message.stated)
        return EventAnswer(open_errors=len(state.open_errors), shown=again)
    note_activity(work)
    remembered = _keep_requested(work, message, state.session_id)
    forgotten, forgotten_ids = _forget_requested(work, message, state.session_id)
    # A recap must not quote what its session forgot.
    state = record_recap.prompted(work, state, "" if forgotten_ids else message.text)
    state = working_memory.counted(_apply(work, state, event))
    taken = ""
    if state.learned:
        taken, taken_ids = take_back(work, state, message.text)
        forgotten_ids |= taken_ids
    learned = stated.keep(work, message.stated, state.session_id)
    for kept in (*remembered, *learned):
        if kept.entry is not None and kept.outcome in NEWLY_KEPT:
            state = transitions.note_pending(
                state, kept.entry, now=work.now, settings=work.settings.session
            )
    state = transitions.drop_pending(state, forgotten_ids)
    state, also = prompt_recall.notices(work, state, message.recalled)
    state = state.model_copy(update={"learned": stated.short_notice(learned), "offer": ""})
    save_session(work, state)
    working_memory.after_prompt(work, state, message.items)
    confirmations = tuple(kept.message for kept in remembered if kept.message)
    notice = core_blocks.take_announcements(work, state)
    return EventAnswer(
        remembered=remembered,
        learned=learned,
        shown="\n".join(filter(None, (taken, stated.notice(work, learned))))
        or stated.upgrade_notice(work, learned),
        open_errors=len(state.open_errors),
        notices=(*confirmations, *forgotten, *notice, *also),
    )


def _keep_requested(
    work: LocatedWork, message: UserMessage, session: str
) -> tuple[Remembered, ...]:
    found = message.requests
    facts = [
        Fact(
            "explicit_ignored",
            "extraction",
            "rejected",
            reason_codes=(ignored.code,),
            details={"preview": ignored.line},
        )
        for ignored in found.ignored
    ]
    work.log(facts, session=sid(session))
    if found.found or found.unparsed:
        journal.promote_pending(work)
    memory = work.read(memory_ref(work.key)).document
    shows_user = memory is None or not memory.without_user
    return tuple(
        learn_or_journal(work, stated.with_opening(work, wanted, message.text), reasons)
        for wanted, reasons in remember_requests(
            found, session, shows_user=shows_user, branch=work.place.branch or ""
        )
    )


def remember_requests(
    found: requests.Requests, session: str, *, shows_user: bool = True, branch: str = ""
) -> Iterator[tuple[RememberRequest, tuple[str, ...]]]:
    """What the user's message asks to keep, each with the reasons to send it to the inbox.
    shows_user: the workspace shows what is for all projects. branch: the one that is checked out,
    to which a fact about "this branch" belongs."""

    def to_remember(text: str, type: str = "", **where: bool) -> RememberRequest:
        return RememberRequest(
            text=text, type=type, source="explicit", origin="user", session=session, **where
        )

    for item in found.found:
        user = shows_user and scope_of(item.text) == USER
        here = not user and bool(branch) and inner_requests.names_this_branch(item.text)
        yield to_remember(item.text, item.type or "", user=user, branch_only=here), ()
    if found.unparsed:
        yield to_remember(found.unparsed), (requests.TOO_MANY,)


def _forget_requested(
    work: LocatedWork, message: UserMessage, session: str
) -> tuple[tuple[str, ...], frozenset[str]]:
    """ "Forget that …": move the entry that states it to the trash; ask if several match.

    Returns sentences for the agent, and the ids of the removed entries.
    """
    messages, forgotten_ids = [], set()
    most = work.settings.gate.max_requests
    if len(message.forgets) == most:
        messages.append(f"Only the first {most} requests to forget were read: send the others.")
    for wanted in message.forgets:
        try:
            place, memory, named = _named(work, wanted)
        except (Corrupt, TooNew) as error:
            messages.append(f"Nothing was forgotten: {error}")
            break
        if len(named) != 1:
            found = f"matches {len(named)} memories" if named else "is not among the memories"
            messages.append(f"Nothing was forgotten: that {found} here; `wm search` shows them.")
            continue
        answer = forget_one(place, memory, named[0].id, session=sid(session))
        messages.append(answer.message)
        forgotten_ids.add(answer.entry.id)
    return tuple(messages), frozenset(forgotten_ids)


def _named(
    work: LocatedWork, text: str
) -> tuple[LocatedWork, WorkspaceMemory, tuple[MemoryEntry, ...]]:
    """The entries that a person means by `text`, with the place and the memory of them: in force
    here, or else in the memory for all projects, or else one that waits in the inbox."""
    places = [(place, load_memory(place)) for place in (work, work.at(USER_PLACE))]
    for status in ("active", "inbox"):
        for place, memory in places:
            known = (entry for entry in memory.entries if entry.status == status)
            if named := tombstones.named(known, text):
                return place, memory, named
    return *places[-1], ()


def _assistant_text(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    """Text of the model: decisions that it states are candidates for the next compaction (HS-3)."""
    event = prepared.redacted.event
    assert isinstance(event, events.AssistantText)
    state = load_session(work, prepared.redacted)
    found = tuple(
        text
        for text in decisions_in(event.text)
        if judge(work.runtime, text, type="decision", source="compaction").ok
    )
    if state.subagent:
        return _plain_answer(state)
    offer = provenance.without_repeated(work, state, offer_in(event.text))
    said = {"last_answer": event.text[-LAST_ANSWER_CHARS:], "offer": offer}
    state = state.model_copy(update=said)
    state, decided = working_memory.counted(state), []
    for text in found:
        # A decision that repeats tool text is a candidate that waits; hot state does not show it.
        read = provenance.judge(work, state.session_id, text).origin == "tool"
        origin = "tool" if read else "agent"
        state = transitions.note_decision(
            state, text, now=work.now, settings=work.settings.session, origin=origin
        )
        decided += [] if read else [text]
    save_session(work, state)
    working_memory.after_answer(work, state, event, decided)
    return _plain_answer(state)


def _tool_finished(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    """A tool call: files and errors. A subagent's calls count for its own session only."""
    event = prepared.redacted.event
    assert isinstance(event, events.ToolFinished)
    before = load_session(work, prepared.redacted)
    state = working_memory.counted(_apply(work, before, event))
    state, notice = record_recap.after_tool(work, before, state, event)
    save_session(work, state)
    working_memory.after_tool(work, before, state, event)
    return EventAnswer(open_errors=len(state.open_errors), notices=notice)


def _compaction_started(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    state = recovered(work.runtime, work.key, load_session(work, prepared.redacted))
    if state.subagent:
        return _plain_answer(state)
    return EventAnswer(
        open_errors=len(state.open_errors), instructions=compaction.start(work, state)
    )


def _compaction_finished(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    event = prepared.redacted.event
    assert isinstance(event, events.CompactionFinished)
    state = recovered(work.runtime, work.key, load_session(work, prepared.redacted))
    if state.subagent:
        return _plain_answer(state)
    state, remembered = compaction.finish(work, state, event)
    save_session(work, state)
    work.effects.flush = True
    return EventAnswer(remembered=remembered, open_errors=len(state.open_errors))


def _usage_reported(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    pressure.report(work, prepared.redacted)
    return EventAnswer()


def _session_ended(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    """The session ends: promote what it left in the journal (WM-6)."""
    request = prepared.redacted
    state = _apply(work, load_session(work, request), request.event)
    save_session(work, state)
    working_memory.clear(work, state)
    journal.promote_pending(work)
    if not state.subagent:
        state = compaction.harvest(work, state)
        save_session(work, state)
    record_recap.ended(work, state)
    work.effects.flush = True
    return _plain_answer(state)


def _session_deleted(work: LocatedWork, prepared: PreparedEvent) -> EventAnswer:
    """The user deleted the session: delete its files; the workspace memory stays."""
    request = prepared.redacted
    record_recap.forgotten(work, request.session_id)
    by = request.agent or "agent"
    session_files.delete_all(work, request.session_id, by=by)
    return EventAnswer()


def _apply(work: Work, state: SessionState, event: events.Event) -> SessionState:
    settings = work.settings.session
    return transitions.apply(state, event, now=work.now, settings=settings)


def _plain_answer(state: SessionState) -> EventAnswer:
    """The answer of a step that has nothing to say to the agent or the user."""
    return EventAnswer(open_errors=len(state.open_errors))


STEPS: dict[str, Callable[[LocatedWork, PreparedEvent], EventAnswer]] = {
    "session_started": _session_started,
    "user_prompt": _user_prompt,
    "assistant_text": _assistant_text,
    "tool_finished": _tool_finished,
    "compaction_started": _compaction_started,
    "compaction_finished": _compaction_finished,
    "usage_reported": _usage_reported,
    "session_ended": _session_ended,
    "session_deleted": _session_deleted,
}


# --- the operation ----------------------------------------------------------------------------


def _prepare(runtime: Runtime, request: EventRequest) -> PreparedEvent:
    return prepare_event(runtime, locate(runtime, request), request)


def _run(work: Work, event: PreparedEvent) -> EventAnswer:
    """Record one event of a client without hooks; the client appends the answer to its
    conversation."""
    answer = record(work, event)
    if not isinstance(event.unredacted.event, APPENDABLE):
        return answer
    notice = pressure.take_notice(work.at(event.place), event.unredacted.session_id)
    more = tuple(filter(None, (notice.warning, notice.review)))
    return answer.model_copy(update={"notices": (*answer.notices, *more)}) if more else answer


record_event = Operation(
    "record_event",
    EventRequest,
    EventAnswer,
    _run,
    refs=lambda _runtime, event: event.refs,
    prepare=_prepare,
)
