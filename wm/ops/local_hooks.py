"""A hook call without a daemon: on the files, and what is saved of a message if that fails (WM-6).

`run` does the whole call. After its failure, `keep_requests` puts what the user asked to remember
into the pending journal: one small file with a lock of its own, and no evidence. What an event
means is decided by `wm.ops.session.hooks`.
"""

from __future__ import annotations

import hashlib
import json
import os

from msgspec.structs import replace

from wm.api.protocol import Remembered, RememberRequest, WorkspacePlace
from wm.api.sessions import EventAnswer, EventRequest, HookRequest
from wm.domain import payloads as adapters
from wm.domain.learning import requests
from wm.domain.memory import echo_guard
from wm.errors import HostError, UserError, WmError
from wm.formats.events import UserPrompt
from wm.formats.pending_journal import PendingJournal
from wm.ops.learning.remember import add_to_journal
from wm.ops.local import opened
from wm.ops.memory.documents import journal_ref
from wm.ops.operation import Operation, Work, execute
from wm.ops.place import USER_PLACE, locate
from wm.ops.runtime import Runtime
from wm.ops.session import hooks
from wm.ops.session.record_event import redacted_event, remember_requests
from wm.secrets.redact import Redactor
from wm.settings import Settings, load
from wm.store.base import Ref
from wm.store.locks import taken_over_by_child
from wm.text import patterns

SPOKEN = patterns.words(
    "SessionStart UserPromptSubmit session.created chat.message sessionStart "
    "userPromptSubmitted BeforeAgent"
)
"""Hooks whose refusal is shown to a person: a session starts, or the user sends a message."""

FAILURES = (OSError, WmError)
"""Errors of `run` behind which `keep_requests` can still save what the user asked for."""

JOURNAL_WAIT_S = 0.5
"""Maximum wait for the journal's lock. The wait of the first attempt is over by then, and both must
fit into the hook's deadline."""


def run(agent: str, event: str, payload: bytes, *, project: str = "") -> bytes:
    """Run one hook call on the files, without a daemon; return what the hook must print. A process
    that is forked meanwhile takes over, locks included, and this one must end.

    Raises the errors of the store and the adapter, and UserError for a broken configuration.
    """
    request = _request(agent, event, payload, project)
    settings = load()
    wait_s = min(settings.store.lock_wait_s, settings.hooks.lock_wait_s)
    with opened(_with_lock_wait(settings, wait_s)) as runtime, taken_over_by_child():
        return execute(runtime, hooks.hook, request).body.encode("utf-8", "surrogatepass")


def keep_requests(
    agent: str, event: str, payload: bytes, error: WmError | OSError, *, project: str
) -> str:
    """The notice for the user about a hook call that `run` could not do; "" for nothing.

    The user's requests to remember go to the pending journal, which the next session start applies
    (WM-6). If that fails too, the sentence says that nothing was kept.
    """
    if isinstance(error, UserError | HostError) and event not in SPOKEN:
        return ""  # a refusal, not a failure: it would repeat at each tool call
    reason = without_secrets(str(error))
    fix = "" if isinstance(error, HostError) else getattr(error, "fix", "")
    message = f"wm could not record this event ({event}). {reason} {fix}".rstrip()
    try:
        kept = _keep_requests(agent, event, payload, project)
    except (WmError, OSError) as failure:
        if event in SPOKEN:
            why = without_secrets(str(failure))
            message += " Nothing was kept." if why == reason else f" Nothing was kept: {why}"
            return f"{message} If it asks to remember something, ask again later."
        return message
    if kept:
        message += " What it asks to remember waits in the journal for the next session."
    return message


def _keep_requests(agent: str, event: str, payload: bytes, project: str) -> int:
    """The number of requests of a user's message that wait in the journal."""
    parsed = adapters.parse(agent, event, _request(agent, event, payload, project).payload, project)
    prompts = [item for item in hooks.events_of(parsed) if isinstance(item.event, UserPrompt)]
    if not prompts:
        return 0
    with opened(_with_lock_wait(load(), JOURNAL_WAIT_S)) as runtime, taken_over_by_child():
        answers = [execute(runtime, _to_journal, item) for item in prompts]
    return sum(len(answer.remembered) for answer in answers)


def _request(agent: str, event: str, payload: bytes, project: str) -> HookRequest:
    try:
        given = json.loads(payload.decode("utf-8", "replace") or "{}")
    except (ValueError, RecursionError) as error:
        raise HostError(f"The payload of {event} is not JSON.") from error
    if not isinstance(given, dict):
        raise HostError(f"The payload of {event} is not a JSON object.")
    return HookRequest(agent=agent, name=event, payload=given, project=project)


def _with_lock_wait(settings: Settings, lock_wait_s: float) -> Settings:
    """The settings with this limit for waiting on locks."""
    store = replace(settings.store, lock_wait_s=lock_wait_s)
    return replace(settings, store=store)


def without_secrets(text: str) -> str:
    """A log sentence for a failed call. Uses a one-off key: the label need not match others, and
    reading the stored key may be what failed."""
    salt = os.urandom(16)
    redactor = Redactor(lambda secret: hashlib.sha256(salt + secret.encode()).hexdigest())
    return redactor.text(text)


# --- the fallback -----------------------------------------------------------------------------

Waiting = tuple[tuple[WorkspacePlace, RememberRequest, tuple[str, ...]], ...]
"""What a user message asks to remember: where, what, and the reasons to send it to the inbox."""


def _prepare(runtime: Runtime, request: EventRequest) -> Waiting:
    event = redacted_event(runtime, request.event)
    assert isinstance(event, UserPrompt)
    text = echo_guard.without_injected(event.text)
    found, _ = requests.find_requests_and_forgets(text, runtime.settings.gate)
    here = locate(runtime, request)
    return tuple(
        (USER_PLACE if wanted.user else here, wanted, reasons)
        for wanted, reasons in remember_requests(found, request.session_id)
    )


def _refs(_runtime: Runtime, waiting: Waiting) -> tuple[Ref[PendingJournal], ...]:
    return tuple(map(journal_ref, sorted({place.key for place, *_ in waiting})))


def _run(work: Work, waiting: Waiting) -> EventAnswer:
    kept = []
    for place, wanted, reasons in waiting:
        entry, _is_new = add_to_journal(work.at(place), wanted, reasons, failure="hook_failed")
        kept.append(Remembered(outcome="retryable", entry=entry))
    return EventAnswer(remembered=tuple(kept))


_to_journal = Operation(
    "keep_requests", EventRequest, EventAnswer, _run, refs=_refs, prepare=_prepare
)
"""Promotion, at the next session start or request, writes the evidence."""
