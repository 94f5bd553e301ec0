"""Track how full a session's context is, and report each rise once (PS-1, PS-3).

Two sources: clients that report token counts (`report`), and the sizes of hook events (`hear`),
which count until a client reports. `tell` returns the notice to a caller that appends it to the
conversation; it must never enter the frozen prompt.

The hot path stays cheap: the size of a tool call goes into the session's state, which that call
writes anyway; the pressure document is written on change only. `level` reads one cached document
(PR-1).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wm.api.protocol import EventRequest, WorkspacePlace
from wm.domain import pressure as rules
from wm.domain import pressure_review
from wm.domain.facts import Detail, Fact
from wm.domain.pressure import ContextFill
from wm.domain.session.state import NEW_SESSION
from wm.domain.times import iso
from wm.formats.base import Document
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    Event,
    SessionStarted,
    ToolFinished,
    UsageReported,
    UserPrompt,
)
from wm.formats.pressure import LEVELS, Heard, LargeItem, Pressure
from wm.formats.session_state import SessionState
from wm.ops.operation import Work
from wm.ops.runtime import Runtime
from wm.ops.session.hot_state import load_session, pressure_ref, session_ref
from wm.store.base import Ref
from wm.store.paths import sid
from wm.text.escape import safe

MAX_WHAT_CHARS = 80
"""Maximum characters of a command or path that describes a large item."""

RESUMED = "session_start"
"""The source of a count that a client reports once, on resume; later event sizes add to it."""


PROXY = "proxy"
"""The source of a count that a proxy saw in an answer, for clients that report none."""


class PressureNotice(Struct, frozen=True):
    """A notice: a warning line, or the review at level critical. At most one of them."""

    warning: str = ""
    review: str = ""


def level(runtime: Runtime, key: str, session_id: str) -> str:
    """The session's current level, `safe` if none was measured. Reads one cached document."""
    found = runtime.store.read(pressure_ref(key, session_id)).document
    return found.level if found is not None and found.level in LEVELS else LEVELS[0]


# --- reports of clients ------------------------------------------------------------------------


def report(work: Work, place: WorkspacePlace, request: EventRequest) -> None:
    """Record a client's token count. A subagent's context is separate and ignored."""
    event = request.event
    assert isinstance(event, UsageReported)
    state = work.read(session_ref(place.key, request.session_id)).document
    if state is None or state.subagent:
        return
    known = work.read(pressure_ref(place.key, request.session_id)).document
    by_client = known is not None and known.basis == "tokens" and known.source != PROXY
    if event.source == PROXY and by_client:
        return  # a client knows its limit; a proxy knows the model's window only
    redact = work.runtime.redactor.text
    measure = rules.of_tokens(
        known,
        event.tokens,
        event.limit,
        work.runtime.settings.pressure,
        source=redact(event.source[:MAX_WHAT_CHARS]),
        model=redact(event.model[:MAX_WHAT_CHARS]),
    )
    if measure is not None:
        _observe(work, place, request.session_id, measure)


# --- sizes of hook events ----------------------------------------------------------------------


def hear(work: Work, place: WorkspacePlace, given: EventRequest, redacted: EventRequest) -> None:
    """Record the size of an event. given: the unredacted event, of which only the size is kept."""
    event = given.event
    if not isinstance(event, SessionStarted | CompactionFinished) and not size(event):
        return
    state = load_session(work, place, redacted)
    if state.subagent:
        return
    if isinstance(event, SessionStarted):
        _began(work, place, state, event)
    elif isinstance(event, CompactionFinished):
        _replaced(work, place, state, len(event.summary))
    else:
        _grew(work, place, state, given, redacted)


def size(event: Event) -> int:
    """Characters that an event adds to the session's own context."""
    if isinstance(event, UserPrompt | AssistantText):
        return len(event.text)
    if isinstance(event, ToolFinished) and not event.aside:
        return len(event.output)
    return 0


def _began(work: Work, place: WorkspacePlace, state: SessionState, event: SessionStarted) -> None:
    ref = pressure_ref(place.key, state.session_id)
    known = work.read(ref).document
    if event.source in NEW_SESSION:
        if known is not None:
            _save(work, place, known, Pressure(session_id=state.session_id))
    elif event.source == "compact":
        _replaced(work, place, state, 0)
    elif event.context_tokens > 0:
        settings = work.runtime.settings.pressure
        measure = rules.of_tokens(known, event.context_tokens, 0, settings, source=RESUMED)
        if measure is not None:
            heard = (state.heard or Heard()).model_copy(update={"chars": 0})
            _keep_heard(work, place, state, heard)
            _observe(work, place, state.session_id, measure, began=measure.used)


def _replaced(work: Work, place: WorkspacePlace, state: SessionState, chars: int) -> None:
    """A summary of this many characters replaced the context."""
    heard = Heard(chars=chars)
    _keep_heard(work, place, state, heard)
    known = work.read(pressure_ref(place.key, state.session_id)).document
    if known is not None:
        settings = work.runtime.settings.pressure
        after = rules.replaced(known, heard, now=work.now, settings=settings)
        _save(work, place, known, after)


def _grew(
    work: Work,
    place: WorkspacePlace,
    state: SessionState,
    given: EventRequest,
    redacted: EventRequest,
) -> None:
    known = work.read(pressure_ref(place.key, state.session_id)).document
    settings = work.runtime.settings.pressure
    counts = _counts_characters(known)
    heard = rules.hear(
        state.heard or Heard(),
        chars=size(given.event) if counts else 0,
        item=_item(work, given.event, redacted.event),
        settings=settings,
    )
    _keep_heard(work, place, state, heard)
    measure = _of_heard(known, heard, work.runtime)
    if counts and _is_worth_a_write(known, measure):
        _observe(work, place, state.session_id, measure)


def _is_worth_a_write(known: Pressure | None, measure: ContextFill) -> bool:
    """True if the whole-number percentage changed. The first document is written at one percent."""
    share = int(rules.share(measure.used, measure.limit))
    return share != (int(known.percentage) if known is not None else 0)


def _counts_characters(known: Pressure | None) -> bool:
    return known is None or known.basis != "tokens" or known.source == RESUMED


def _of_heard(known: Pressure | None, heard: Heard, runtime: Runtime) -> ContextFill:
    settings = runtime.settings.pressure
    if known is None or known.basis != "tokens":
        return rules.of_characters(heard, settings)
    return rules.since_resume(known, heard, settings)


def _item(work: Work, given: Event, redacted: Event) -> LargeItem | None:
    if not isinstance(given, ToolFinished) or not isinstance(redacted, ToolFinished):
        return None
    chars = size(given)
    if chars < work.runtime.settings.pressure.least_item_chars:
        return None
    what = f"{redacted.name or redacted.tool} {redacted.command or ''.join(redacted.paths[:1])}"
    line = safe(" ".join(work.runtime.redactor.text(what).split()))
    if len(line) > MAX_WHAT_CHARS:
        line = line[: MAX_WHAT_CHARS - 1] + "…"
    return LargeItem(what=line, chars=chars, handle=redacted.handle, at=iso(work.now))


def _keep_heard(work: Work, place: WorkspacePlace, state: SessionState, heard: Heard) -> None:
    if heard != (state.heard or Heard()):
        work.put(
            session_ref(place.key, state.session_id), state.model_copy(update={"heard": heard})
        )


# --- notices -----------------------------------------------------------------------------------


def waits(runtime: Runtime, key: str, session_id: str) -> bool:
    """Whether this process knows of an undelivered notice. Reads no file."""
    return runtime.signals.untold.peek((key, sid(session_id))) is not None


def tell(work: Work, place: WorkspacePlace, session_id: str) -> PressureNotice:
    """The pending notice, once; the caller appends it to the conversation."""
    ref = pressure_ref(place.key, session_id)
    known = work.read(ref).document
    if known is None or not known.waiting:
        return PressureNotice()
    state = work.read(session_ref(place.key, session_id)).document
    if state is None or state.subagent:
        return PressureNotice()
    settings = work.runtime.settings.pressure
    _save(work, place, known, rules.told(known, now=work.now))
    if known.waiting != LEVELS[-1]:
        return PressureNotice(warning=pressure_review.warning(known))
    heard = state.heard or Heard()
    return PressureNotice(review=pressure_review.review(known, heard.largest, settings))


# --- documents ---------------------------------------------------------------------------------


def _observe(
    work: Work,
    place: WorkspacePlace,
    session_id: str,
    measure: ContextFill,
    *,
    began: int | None = None,
) -> None:
    ref = pressure_ref(place.key, session_id)
    known = work.read(ref).document or Pressure(session_id=session_id)
    after = rules.observe(known, measure, now=work.now, settings=work.runtime.settings.pressure)
    if began is not None:
        after = after.model_copy(update={"began": began})
    _save(work, place, known, after)


def _save(work: Work, place: WorkspacePlace, before: Pressure, after: Pressure) -> None:
    if after is before:
        return
    name = sid(after.session_id)
    work.put(pressure_ref(place.key, after.session_id), after)
    signals = work.runtime.signals
    if after.waiting:
        signals.untold.put((place.key, name), True)
    else:
        signals.untold.pop((place.key, name))
    facts = _facts(before, after)
    for fact in facts:
        signals.told[fact.type, fact.reason_codes[0]] += 1
    work.log(place.key, facts, session=name)
    work.notify(place.key, Pressure.slug, name)


def _facts(before: Pressure, after: Pressure) -> list[Fact]:
    details: dict[str, Detail] = {
        "from": before.level,
        "to": after.level,
        "percentage": after.percentage,
        "used": after.used,
        "limit": after.limit,
        "basis": after.basis,
        "source": after.source,
        "model": after.model,
    }
    facts = []
    if before.level != after.level:
        facts.append(Fact("pressure_level", "session", "changed", "", (after.level,), details))
    for kind, one, other in (
        ("pressure_warning", before.warnings_sent, after.warnings_sent),
        ("pressure_intervention", before.interventions_sent, after.interventions_sent),
    ):
        if other > one:
            about = {**details, "count": other}
            facts.append(Fact(kind, "session", "noticed", "", (after.told,), about))
    return facts


def hear_refs(
    runtime: Runtime, place: WorkspacePlace, request: EventRequest
) -> Sequence[Ref[Document]]:
    """The pressure document, if this event will probably change it."""
    ref = pressure_ref(place.key, request.session_id)
    event = request.event
    if isinstance(event, CompactionFinished | UsageReported):
        return (ref,)
    known = runtime.store.read(ref).document
    if isinstance(event, SessionStarted):
        return (ref,) if known is not None or event.context_tokens > 0 else ()
    added = size(event)
    if not added or not _counts_characters(known):
        return ()
    state = runtime.store.read(session_ref(place.key, request.session_id)).document
    heard = state.heard if state is not None and state.heard is not None else Heard()
    after = heard.model_copy(update={"chars": heard.chars + added})
    return (ref,) if _is_worth_a_write(known, _of_heard(known, after, runtime)) else ()
