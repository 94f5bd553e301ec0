"""Handle an agent's hook: its own payload in, exactly what it must print out (IF-1, IF-2, IF-3).

The adapters of `wm.domain.payloads` know the agents' formats. The payload is parsed once, on
arrival; its events are prepared, then recorded in order in one transaction; then the output for the
agent is collected. Must not decide anything about memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from wm.api import sessions
from wm.api.protocol import Scoped, WorkspacePlace
from wm.domain import payloads as adapters
from wm.domain.payloads.hook_values import HookOutcome, ParsedHook, Want
from wm.domain.payloads.transcript_tail import completed
from wm.errors import WmError
from wm.formats.base import Document
from wm.formats.events import SessionStarted, ToolFinished
from wm.ops.memory.documents import read_memory
from wm.ops.operation import LocatedWork, Operation, Work
from wm.ops.place import USER_PLACE, locate
from wm.ops.runtime import Runtime
from wm.ops.session import pressure, prompt
from wm.ops.session.record_event import PreparedEvent, prepare_event, record
from wm.ops.session.tool_outputs import LEAST_LINES
from wm.store.base import Ref
from wm.store.project import read_regular
from wm.text.jsontext import object_of

TRANSCRIPT_END = 256 * 1024
"""Bytes that are read at the end of an agent's transcript; they contain the record of this call."""


class HookCall(Struct, frozen=True):
    """A hook call with its payload parsed.

    place: None for a call without meaning for us; most hooks of most agents are such calls.
    is_read: the agent reads the hook's output; False if the hook was answered when it was queued.
    """

    request: sessions.HookRequest
    parsed: ParsedHook
    place: WorkspacePlace | None
    is_read: bool = True

    @property
    def can_append(self) -> bool:
        """Whether the reply can be appended to the existing conversation. The reply to the start of
        a session precedes the conversation (EP-1)."""
        parsed = self.parsed
        return not _starts(parsed) and not parsed.wants.isdisjoint((Want.NOTICES, Want.PROMPT))

    def answer(self, outcome: HookOutcome) -> sessions.HookAnswer:
        content_type, body = adapters.reply(self.request.agent, self.request.name, outcome)
        return sessions.HookAnswer(content_type=content_type, body=body)


class PreparedHook(Struct, frozen=True):
    """A hook call with its events prepared, and the documents that it may write."""

    call: HookCall
    events: tuple[PreparedEvent, ...] = ()
    refs: tuple[Ref[Document], ...] = ()


def _parse(runtime: Runtime, request: sessions.HookRequest) -> HookCall:
    parsed = adapters.parse(request.agent, request.name, request.payload, request.project)
    name = runtime.redacted_name(parsed.session_id)
    # `ops.operation` does the same for requests with their own session id.
    if name != parsed.session_id:
        parsed = replace(parsed, session_id=name)
    asks = parsed.events or Want.BLOCKS in parsed.wants or parsed.record
    place = locate(runtime, Scoped(directory=parsed.directory)) if asks else None
    return HookCall(request, parsed, place)


def _prepare(runtime: Runtime, call: HookCall) -> PreparedHook:
    parsed, place = call.parsed, call.place
    if place is None:
        return PreparedHook(call)
    if parsed.record:
        parsed = completed(parsed, _last_records(parsed.record))
    events = tuple(prepare_event(runtime, place, item) for item in events_of(parsed))
    refs = [ref for event in events for ref in event.refs]
    if Want.BLOCKS in parsed.wants:
        refs += prompt.prompt_refs(runtime, place, parsed.session_id)
    return PreparedHook(call, events, tuple(dict.fromkeys(refs)))


def _last_records(transcript: str) -> Iterator[dict[str, object]]:
    """The last records of an agent's transcript, the newest first; none if it cannot be read."""
    try:
        raw, _ = read_regular(transcript, TRANSCRIPT_END, at_end=True)
    except (OSError, ValueError):
        return
    for line in reversed(raw.splitlines()):
        record = object_of(line)
        if record is not None:  # the first line is cut
            yield record


def events_of(parsed: ParsedHook) -> Iterator[sessions.EventRequest]:
    """What the hook reports, as requests of its session."""
    for event in parsed.events:
        yield sessions.EventRequest(
            directory=parsed.directory,
            session_id=parsed.session_id,
            agent=parsed.agent,
            event=event,
        )


def _run(work: Work, hook: PreparedHook) -> sessions.HookAnswer:
    call, place, parsed = hook.call, hook.call.place, hook.call.parsed
    if place is None:
        return call.answer(HookOutcome())
    work = work.at(place)
    answers = tuple(record(work, event) for event in hook.events)
    blocks = sessions.PromptAnswer()
    if Want.BLOCKS in parsed.wants:
        asked = sessions.PromptRequest(
            directory=parsed.directory, session_id=parsed.session_id, agent=parsed.agent
        )
        blocks = prompt.answer(work, asked)
    notice = pressure.PressureNotice()
    if call.can_append and call.is_read and not blocks.opened:
        notice = pressure.take_notice(work, parsed.session_id)
    given = blocks.blocks if blocks.opened or not parsed.keeps else ()
    outcome = HookOutcome(
        blocks=tuple(block.text for block in given),
        instructions="\n".join(a.instructions for a in answers if a.instructions),
        notices=(
            *(n for a in answers for n in a.notices),
            *filter(None, (notice.warning, _config_notice(work.runtime, parsed, answers))),
        ),
        review=notice.review,
        shown="\n".join(filter(None, (*(a.shown for a in answers), _unread(work, parsed)))),
        output=next((a.pruned.text for a in answers if a.pruned is not None), ""),
        payload=call.request.payload,
    )
    return call.answer(outcome)


def _starts(parsed: ParsedHook) -> bool:
    return any(isinstance(event, SessionStarted) for event in parsed.events)


def _unread(work: LocatedWork, parsed: ParsedHook) -> str:
    """At a session start: that the prompt lacks what is kept for all projects, and why."""
    if not _starts(parsed):
        return ""
    try:
        read_memory(work.at(USER_PLACE))
    except WmError as error:
        return f"wm shows nothing of what you keep for all projects. {error} {error.fix}"
    return ""


def _config_notice(
    runtime: Runtime, parsed: ParsedHook, answers: Sequence[sessions.EventAnswer]
) -> str:
    """A notice that config.toml is unusable, at a session start and after a kept request only:
    elsewhere it would repeat."""
    starts = _starts(parsed)
    kept = any(answer.remembered for answer in answers)
    return runtime.settings.config_notice if starts or kept else ""


def _at_once(runtime: Runtime, call: HookCall) -> tuple[sessions.HookAnswer, HookCall] | None:
    """Answer a tool call on queueing: it changes hot state only and prints nothing, so the agent
    need not wait. Later hooks of the workspace queue behind it. The agent does wait if the output
    is long enough to prune, or if the reply can carry a message for the session: what ended this
    failure before, or a pressure notice."""
    parsed = call.parsed
    if call.place is None or not parsed.events or Want.BLOCKS in parsed.wants:
        return None
    if not all(isinstance(e, ToolFinished) and not _may_be_cut(e) for e in parsed.events):
        return None
    fails = any(isinstance(e, ToolFinished) and e.exit_code for e in parsed.events)
    if call.can_append and (fails or pressure.waits(runtime, call.place.key, parsed.session_id)):
        return None
    return call.answer(HookOutcome()), replace(call, is_read=False)


def _may_be_cut(call: ToolFinished) -> bool:
    """Whether the client waits for a shorter output. Outputs of reads are never shortened."""
    return call.tool != "read" and call.replaceable.count("\n") >= LEAST_LINES


hook = Operation(
    "hook",
    sessions.HookRequest,
    sessions.HookAnswer,
    _run,
    refs=lambda _runtime, hook: hook.refs,
    queue=lambda _runtime, call: call.place.key if call.place is not None else "",
    at_once=_at_once,
    parse=_parse,
    prepare=_prepare,
)
