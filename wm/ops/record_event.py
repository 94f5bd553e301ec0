"""What happened in a session becomes hot state, memory and evidence.

Each kind of event has a step of its own, listed in `STEPS`; a new kind is a new row. All text
is redacted before any rule sees it, so no rule can store a secret (TR-1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wm.domain.facts import Fact
from wm.domain.session import decisions, filling
from wm.domain.session import remember as requests
from wm.domain.session import state as transitions
from wm.domain.workspace import echo, forget
from wm.formats.base import Document
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    SessionStarted,
    ToolFinished,
    UsageReported,
    UserPrompt,
)
from wm.formats.protocol import EventAnswer, EventRequest, Place, Remembered, RememberRequest
from wm.formats.session_state import SessionState
from wm.ops import (
    anchors,
    branches,
    compact,
    core,
    gate,
    journal,
    origins,
    outputs,
    pressure,
    recalled,
    session_files,
    shown,
    working,
)
from wm.ops.base import Operation, Work
from wm.ops.entries import forget_one, trash_ref
from wm.ops.epochs import recovered
from wm.ops.memory import journal_ref, load_memory, tombstones_ref
from wm.ops.place import locate, memory_ref
from wm.ops.remember import learn_refs
from wm.ops.runtime import Runtime
from wm.ops.sessions import (
    compaction_ref,
    load_session,
    require_session,
    save_session,
    session_ref,
    working_ref,
)
from wm.store.base import Ref
from wm.store.paths import sid

COMPACTED = "compact"
"""The source of a start behind a compaction."""

NEWLY_KEPT = ("promoted", "superseded", "retryable")
"""Outcomes after which the session's prompt, frozen before, does not show the memory yet."""

HEARD_BY_MODEL = (UserPrompt, ToolFinished, UsageReported)
"""Events after which a client can still append a sentence to the conversation."""


def record(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    """Take in one event. Raises UserError without a session id."""
    require_session(request, work.runtime.settings.session)
    redacted = request.model_copy(update={"event": _redacted(work, request.event)})
    step, _refs = STEPS[request.event.kind]
    answer = step(work, place, redacted)
    work.heard.append((place.key, sid(request.session_id)))
    origins.hear(work, place, request, redacted)
    answer = outputs.pruned(work, place, request, answer)
    pressure.hear(work, place, *_as_read(request, redacted, answer))
    return answer


def _as_read(
    request: EventRequest, redacted: EventRequest, answer: EventAnswer
) -> tuple[EventRequest, EventRequest]:
    """The event with the output that the model reads: what was cut weighs nothing (PS-1)."""
    if answer.pruned is None:
        return request, redacted
    less = {"output": answer.pruned.text, "handle": answer.pruned.handle}
    given = request.event.model_copy(update=less)
    named = redacted.event.model_copy(update={"handle": answer.pruned.handle})
    return (
        request.model_copy(update={"event": given}),
        redacted.model_copy(update={"event": named}),
    )


def _redacted(work: Work, event: object) -> object:
    """The event without secrets in any of its texts, and without output that no rule reads."""
    redact = work.runtime.redactor.text
    if isinstance(event, SessionStarted):
        parent = event.parent_session[: work.runtime.settings.session.max_id_chars]
        record = event.transcript
        if work.runtime.redacted_path(record) != record:
            record = ""  # a path with a secret in it is not kept, and half of one leads nowhere
        event = event.model_copy(update={"parent_session": redact(parent), "transcript": record})
    if isinstance(event, ToolFinished):
        # Only what a failed command printed is looked at (HS-2, HS-4), and manifests (CB-2).
        if filling.shows_manifest(event):
            most = work.runtime.settings.working.searched_chars
            event = event.model_copy(update={"output": event.output[:most]})
        elif event.tool != "bash" or not event.exit_code:
            event = event.model_copy(update={"output": ""})
        event = event.model_copy(update={"replaceable": ""})
        of_path = work.runtime.redacted_path
        paths = tuple(map(of_path, event.paths))
        event = event.model_copy(update={"paths": paths, "cwd": of_path(event.cwd)})
    if isinstance(event, UserPrompt):
        return event.model_copy(update={"text": event.clean(redact)})
    texts = {
        name: redact(value)
        for name in ("text", "output", "command", "summary")
        if isinstance(value := getattr(event, name, None), str) and value
    }
    return event.model_copy(update=texts) if texts else event  # type: ignore[attr-defined]


def _started(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    """A new session clears hot state; a resumed one keeps it and its epoch (EP-1).

    A pause that this visit ends is written down as an interval with it, so that strengths are
    the same before and after: the first prompt is ranked as if nobody had come yet (WM-2).
    """
    event = request.event
    assert isinstance(event, SessionStarted)
    before = recovered(work.runtime, place.key, load_session(work, place, request))
    state = _apply(work, before, event)
    save_session(work, place, state)
    working.clear_old(work, place, state, event)
    if event.source in transitions.NEW_SESSION:
        core.take_waiting(work, place, state)
    elif _goes_on_compacted(event, state):
        working.compacted(work, place, state)
    if not state.subagent:
        journal.begin_visit(work, place)
    return _answer(state)


def _goes_on_compacted(event: SessionStarted, state: SessionState) -> bool:
    """Claude Code tells of a compaction so before it hands the summary over: what the next epoch
    shows is what the compaction kept."""
    return event.source == COMPACTED and not state.subagent


def _prompted(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    """A user's message: what it asks to keep is kept at once."""
    event = request.event
    assert isinstance(event, UserPrompt)
    state = load_session(work, place, request)
    if state.subagent:
        return _answer(state)
    if transitions.was_seen(state, event):
        # The same message sent twice (a retry, two hooks) has one effect.
        return _answer(state)
    state = working.counted(_apply(work, state, event))
    if journal.activity_is_old(work, place):
        journal.record_activity(work, place)
    text = echo.without_injected(event.text)
    remembered = _keep_requested(work, place, request, text)
    forgotten, gone = _forget_requested(work, place, text, sid(request.session_id))
    for kept in remembered:
        if kept.entry is not None and kept.outcome in NEWLY_KEPT:
            state = transitions.note_pending(
                state, kept.entry, now=work.now, settings=work.runtime.settings.session
            )
    state = transitions.drop_pending(state, gone)
    state, also = recalled.tell(work, place, state, text)
    save_session(work, place, state)
    working.after_prompt(work, place, state, event.model_copy(update={"text": text}))
    said = tuple(kept.message for kept in remembered if kept.message)
    told = core.news(work, place, state)
    return EventAnswer(
        remembered=remembered,
        open_errors=len(state.open_errors),
        notices=(*said, *forgotten, *told, *also),
    )


def _keep_requested(
    work: Work, place: Place, request: EventRequest, text: str
) -> tuple[Remembered, ...]:
    found = requests.find_requests(text, work.runtime.settings.gate)
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
    if facts:
        work.log(place.key, facts, session=sid(request.session_id))
    kept = tuple(
        journal.learn_or_wait(
            work,
            place,
            RememberRequest(
                text=item.text,
                type=item.type or "",
                source="explicit",
                origin="user",
                session=request.session_id,
            ),
        )
        for item in found.found
    )
    if all(ignored.code != requests.TOO_MANY for ignored in found.ignored):
        return kept
    said = f"The message asks for too much: only the first {len(kept)} requests were kept."
    return (
        *kept,
        Remembered(outcome="rejected", reason_codes=(requests.TOO_MANY,), message=said),
    )


def _forget_requested(
    work: Work, place: Place, text: str, session: str
) -> tuple[tuple[str, ...], frozenset[str]]:
    """ "Forget that …": the entry that says it goes to the trash; what fits several is asked.
    Sentences for the agent, and the ids of what is gone."""
    said, gone = [], set()
    for wanted in requests.find_forgets(text, work.runtime.settings.gate):
        memory = load_memory(work, place)
        named = forget.named(memory.entries, wanted)
        if len(named) != 1:
            found = f"fits {len(named)} memories" if named else "is not among the memories"
            said.append(f"Nothing was forgotten: that {found} here; `wm search` shows them.")
            continue
        answer = forget_one(work, place, memory, named[0].id, session=session)
        said.append(answer.message)
        gone.add(answer.entry.id)
    return tuple(said), frozenset(gone)


def _wrote(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    """The model's text: decisions it states are candidates for the next compaction (HS-3)."""
    event = request.event
    assert isinstance(event, AssistantText)
    state = load_session(work, place, request)
    stated = tuple(
        text
        for text in decisions.decisions_in(event.text)
        if gate.judge(work.runtime, text, type="decision", source="compaction").ok
    )
    if state.subagent:
        return _answer(state)
    state, decided = working.counted(state), []
    for text in stated:
        # What it only read somewhere is a candidate that waits, and no decision to be shown.
        read = origins.judge(work, place, request.session_id, text).origin == "tool"
        state = transitions.note_decisions(
            state,
            [text],
            now=work.now,
            settings=work.runtime.settings.session,
            origin="tool" if read else "agent",
        )
        decided += [] if read else [text]
    save_session(work, place, state)
    working.after_answer(work, place, state, event, decided)
    return _answer(state)


def _tool(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    """A tool call: files and errors. A subagent's work counts for its own session only."""
    event = request.event
    assert isinstance(event, ToolFinished)
    before = load_session(work, place, request)
    state = working.counted(_apply(work, before, event))
    save_session(work, place, state)
    working.after_tool(work, place, before, state, event)
    return _answer(state)


def _compaction_started(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    state = recovered(work.runtime, place.key, load_session(work, place, request))
    if state.subagent:
        return _answer(state)
    return EventAnswer(
        open_errors=len(state.open_errors),
        instructions=compact.start(work, place, state),
    )


def _compaction_finished(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    event = request.event
    assert isinstance(event, CompactionFinished)
    state = recovered(work.runtime, place.key, load_session(work, place, request))
    if state.subagent:
        return _answer(state)
    state, remembered = compact.finish(work, place, state, event)
    save_session(work, place, state)
    work.flush = True
    return EventAnswer(remembered=remembered, open_errors=len(state.open_errors))


def _used(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    pressure.report(work, place, request)
    return EventAnswer()


def _ended(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    """The session just ends: what it left in the journal is promoted without it (WM-6)."""
    state = _apply(work, load_session(work, place, request), request.event)
    save_session(work, place, state)
    working.clear(work, place, state)
    journal.promote_pending(work, place)
    work.flush = True
    return _answer(state)


def _deleted(work: Work, place: Place, request: EventRequest) -> EventAnswer:
    """The user deleted the session: its files go; what it taught the workspace stays."""
    session_files.delete_all(work, place, request.session_id, by=request.agent or "agent")
    return EventAnswer()


def _apply(work: Work, state: SessionState, event: object) -> SessionState:
    return transitions.apply(
        state,
        event,  # type: ignore[arg-type]
        now=work.now,
        settings=work.runtime.settings.session,
    )


def _answer(state: SessionState) -> EventAnswer:
    return EventAnswer(open_errors=len(state.open_errors))


Step = Callable[[Work, Place, EventRequest], EventAnswer]
Refs = Callable[[Runtime, Place, EventRequest], Sequence[Ref[Document]]]


def _state_and_memory(
    _runtime: Runtime, place: Place, request: EventRequest
) -> Sequence[Ref[Document]]:
    key = place.key
    return (
        session_ref(key, request.session_id),
        memory_ref(key),
        journal_ref(key),
        tombstones_ref(key),
    )


def _prompt_refs(runtime: Runtime, place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    """Most messages ask for nothing, and then only the session is locked."""
    event = request.event
    assert isinstance(event, UserPrompt)
    text = echo.without_injected(event.clean(runtime.redactor.text))
    recalled.ask(runtime, place, request.session_id, text, request.directory)
    asked = requests.find_requests(text, runtime.settings.gate)
    forgets = requests.find_forgets(text, runtime.settings.gate)
    state = session_ref(place.key, request.session_id)
    if not (asked.found or asked.ignored or forgets):
        return (state, *working.existing_refs(runtime, place, request.session_id))
    memory = runtime.store.read(memory_ref(place.key)).document
    named = [e for t in forgets for e in forget.named(memory.entries, t)] if memory else []
    return (state, *learn_refs(place.key), *(trash_ref(place.key, e.id) for e in named))


def _nothing(_runtime: Runtime, _place: Place, _request: EventRequest) -> Sequence[Ref[Document]]:
    return ()


def _files(runtime: Runtime, place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    return session_files.delete_refs(runtime, place.key, request.session_id)


def _starting(runtime: Runtime, place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    branches.ask(runtime, place)  # here, because git is not waited for under a lock
    anchors.ask(runtime, place, request.directory)
    shown.ask(runtime, place.root)
    recalled.warm(runtime, place)
    event = request.event
    assert isinstance(event, SessionStarted)
    refs = [*_state_and_memory(runtime, place, request)]
    if event.source in transitions.NEW_SESSION:
        refs += core.start_refs(runtime, place, request.session_id)
        refs += working.existing_refs(runtime, place, request.session_id)
    elif event.source == COMPACTED:
        refs += _compacted_refs(place, request)
    return refs


def _using_tool(runtime: Runtime, place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    """Most calls change the state alone; what only its result tells is locked then."""
    del runtime
    event = request.event
    assert isinstance(event, ToolFinished)
    key, session = place.key, request.session_id
    state = session_ref(key, session)
    return (state, working_ref(key, session)) if filling.feeds(event) else (state,)


def _saying(runtime: Runtime, place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    state = session_ref(place.key, request.session_id)
    return (state, *working.existing_refs(runtime, place, request.session_id))


def _ending(runtime: Runtime, place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    own = working.existing_refs(runtime, place, request.session_id)
    return (*_state_and_memory(runtime, place, request), *own)


def _compacted_refs(place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    key, session = place.key, request.session_id
    return (compaction_ref(key, session), working_ref(key, session))


def _compaction(runtime: Runtime, place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    own = _compacted_refs(place, request)
    return (*_state_and_memory(runtime, place, request), *own)


STEPS: dict[str, tuple[Step, Refs]] = {
    "session_started": (_started, _starting),
    "user_prompt": (_prompted, _prompt_refs),
    "assistant_text": (_wrote, _saying),
    "tool_finished": (_tool, _using_tool),
    "compaction_started": (_compaction_started, _compaction),
    "compaction_finished": (_compaction_finished, _compaction),
    "usage_reported": (_used, _nothing),
    "session_ended": (_ended, _ending),
    "session_deleted": (_deleted, _files),
}


def event_refs(runtime: Runtime, place: Place, request: EventRequest) -> Sequence[Ref[Document]]:
    """The documents that this event may change."""
    require_session(request, runtime.settings.session)
    _step, refs = STEPS[request.event.kind]
    own = refs(runtime, place, request)
    return tuple(dict.fromkeys((*own, *pressure.hear_refs(runtime, place, request))))


def _run(work: Work, request: EventRequest) -> EventAnswer:
    """One event of a client without hooks: what it is told it appends to its conversation."""
    place = locate(work.runtime, request)
    answer = record(work, place, request)
    if not isinstance(request.event, HEARD_BY_MODEL):
        return answer
    told = pressure.tell(work, place, request.session_id)
    more = tuple(filter(None, (told.warning, told.review)))
    return answer.model_copy(update={"notices": (*answer.notices, *more)}) if more else answer


def _operation_refs(runtime: Runtime, request: EventRequest) -> Sequence[Ref[Document]]:
    place = locate(runtime, request)
    told = pressure.tell_refs(runtime, place.key, request.session_id)
    return tuple(dict.fromkeys((*event_refs(runtime, place, request), *told)))


record_event = Operation(
    "record_event",
    EventRequest,
    EventAnswer,
    _run,
    _operation_refs,
    lambda runtime, request: locate(runtime, request).key,
)
