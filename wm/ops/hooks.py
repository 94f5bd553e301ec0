"""An agent's hook: its own payload in, exactly what it must print out (IF-1, IF-2, IF-3).

The adapters of `wm.domain.hooks` know the agents; here their events are recorded, one after
the other in one transaction, and what they want in return is fetched.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence

from msgspec.structs import replace

from wm.domain import hooks as adapters
from wm.domain.hooks import Outcome, Parsed, Want
from wm.domain.redact import Redactor
from wm.errors import HostError
from wm.formats.base import Document
from wm.formats.events import ToolFinished
from wm.formats.protocol import (
    EventRequest,
    HookAnswer,
    HookRequest,
    PromptAnswer,
    PromptRequest,
    Scoped,
)
from wm.ops import pressure, prompt
from wm.ops.base import Operation, Work, execute
from wm.ops.local import open_runtime
from wm.ops.outputs import LEAST_LINES
from wm.ops.place import locate
from wm.ops.record_event import event_refs, record
from wm.ops.runtime import Runtime
from wm.settings import load
from wm.store.base import Ref


def _parsed(request: HookRequest) -> Parsed:
    return adapters.parse(request.agent, request.name, request.payload, request.project)


def _run(work: Work, request: HookRequest) -> HookAnswer:
    parsed = _named(work.runtime, request.meaning(_parsed))
    if not _asks(parsed):
        return _answer(request, Outcome())
    place = locate(work.runtime, Scoped(directory=parsed.directory))
    answers = tuple(record(work, place, item) for item in _events(parsed))
    blocks = PromptAnswer()
    if parsed.call:
        blocks = prompt.answer(work, place, _prompt_request(parsed))
    told = pressure.Told()
    if _appends(parsed) and not request.unheard:
        told = pressure.tell(work, place, parsed.session_id)
    given = blocks.blocks if blocks.opened or not parsed.keeps else ()
    outcome = Outcome(
        blocks=tuple(block.text for block in given),
        instructions="\n".join(a.instructions for a in answers if a.instructions),
        notices=(*(n for a in answers for n in a.notices), *filter(None, (told.warning,))),
        review=told.review,
        epoch=blocks.epoch,
        output=next((a.pruned.text for a in answers if a.pruned is not None), ""),
        payload=request.payload,
    )
    return _answer(request, outcome)


def _named(runtime: Runtime, parsed: Parsed) -> Parsed:
    """As `ops.base` does for requests that name their session outright."""
    name = runtime.redacted_name(parsed.session_id)
    return parsed if name == parsed.session_id else replace(parsed, session_id=name)


def _appends(parsed: Parsed) -> bool:
    """Whether the reply can end up behind what the conversation holds already: what opens an
    epoch stands before it (EP-1)."""
    return not parsed.call and not parsed.wants.isdisjoint((Want.NOTICES, Want.PROMPT))


def _asks(parsed: Parsed) -> bool:
    """Whether there is anything to do: most hooks of most agents mean nothing to us."""
    return bool(parsed.events or parsed.call)


def _answer(request: HookRequest, outcome: Outcome) -> HookAnswer:
    content_type, body = adapters.reply(request.agent, request.name, outcome)
    return HookAnswer(content_type=content_type, body=body)


def _events(parsed: Parsed) -> tuple[EventRequest, ...]:
    return tuple(
        EventRequest(
            directory=parsed.directory,
            session_id=parsed.session_id,
            agent=parsed.agent,
            event=event,
        )
        for event in parsed.events
    )


def _prompt_request(parsed: Parsed) -> PromptRequest:
    return PromptRequest(
        directory=parsed.directory,
        session_id=parsed.session_id,
        agent=parsed.agent,
        call=parsed.call,
    )


def _refs(runtime: Runtime, request: HookRequest) -> Sequence[Ref[Document]]:
    parsed = _named(runtime, request.meaning(_parsed))
    if not _asks(parsed):
        return ()
    place = locate(runtime, Scoped(directory=parsed.directory))
    refs: dict[Ref[Document], None] = {}
    for item in _events(parsed):
        refs.update(dict.fromkeys(event_refs(runtime, place, item)))
    if parsed.call:
        refs.update(dict.fromkeys(prompt.prompt_refs(runtime, place, parsed.session_id)))
    if _appends(parsed) and not request.unheard:
        refs.update(dict.fromkeys(pressure.tell_refs(runtime, place.key, parsed.session_id)))
    return tuple(refs)


def _queue(runtime: Runtime, request: HookRequest) -> str:
    parsed = request.meaning(_parsed)
    return locate(runtime, Scoped(directory=parsed.directory)).key if _asks(parsed) else ""


def _at_once(runtime: Runtime, request: HookRequest) -> HookAnswer | None:
    """A tool call, failed or not, changes hot state only and has nothing to print: the agent goes
    on as soon as it is heard. Later hooks of the workspace wait behind it. One that printed much,
    or can carry what the session is to be told, is waited for."""
    parsed = _named(runtime, request.meaning(_parsed))
    if not parsed.events or parsed.call:
        return None
    if not all(isinstance(e, ToolFinished) and not _may_be_cut(e) for e in parsed.events):
        return None
    if _appends(parsed) and pressure.waits(runtime, _queue(runtime, request), parsed.session_id):
        return None
    request.not_waited_for()
    return _answer(request, Outcome())


def _may_be_cut(call: ToolFinished) -> bool:
    """Whether the client waits for a shorter output: a reading never gets one."""
    return call.tool != "read" and call.replaceable.count("\n") >= LEAST_LINES


hook = Operation("hook", HookRequest, HookAnswer, _run, _refs, _queue, _at_once)


def run(agent: str, event: str, payload: bytes, *, project: str = "") -> bytes:
    """One hook call on the files, without a daemon: what the hook must print.

    Raises what the store and the adapter raise, and UserError for a broken configuration.
    """
    try:
        given = json.loads(payload or b"{}")
    except (ValueError, RecursionError) as error:
        raise HostError(f"The payload of {event} is not JSON.") from error
    if not isinstance(given, dict):
        raise HostError(f"The payload of {event} is not a JSON object.")
    settings = load()
    wait_s = min(settings.store.lock_wait_s, settings.hooks.lock_wait_s)
    runtime = open_runtime(replace(settings, store=replace(settings.store, lock_wait_s=wait_s)))
    try:
        request = HookRequest(agent=agent, name=event, payload=given, project=project)
        return execute(runtime, hook, request).body.encode("utf-8", "surrogatepass")
    finally:
        runtime.store.close()


def without_secrets(text: str) -> str:
    """A sentence for the log of a call that failed. Nobody else's label has to be the same, so no
    key is read: it may be what failed."""
    salt = os.urandom(16)
    redactor = Redactor(lambda secret: hashlib.sha256(salt + secret.encode()).hexdigest())
    return redactor.text(text)
