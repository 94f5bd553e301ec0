"""Track how full a session's context is, and report each rise once (PS-1, PS-3).

Two sources: clients that report token counts (`report`), and the sizes of hook events
(`count_event`), which count until a client reports. `take_notice` returns the notice to a caller
that appends it to the conversation; it must never enter the frozen prompt.

The hot path stays cheap: the size of a tool call goes into the session's state, which that call
writes anyway; the pressure document is written on change only. `level` reads one cached document
(PR-1).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wm.api.protocol import WorkspacePlace
from wm.api.sessions import EventRequest
from wm.domain import pressure as rules
from wm.domain import pressure_review
from wm.domain.facts import Detail, Fact
from wm.domain.pressure import ContextFill
from wm.formats import events
from wm.formats.base import Document
from wm.formats.pressure import LEVELS, LargeItem, Pressure, SeenContext
from wm.formats.session_state import SessionState
from wm.ops.operation import LocatedWork, Work
from wm.ops.runtime import Runtime
from wm.ops.session.hot_state import load_session, pressure_ref, session_ref
from wm.settings import PressureSettings
from wm.store.base import Ref
from wm.store.paths import sid
from wm.text.escape import safe
from wm.wire.prices import known_window

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


def report(work: LocatedWork, request: EventRequest) -> None:
    """Record a client's token count. A subagent's context is separate and ignored."""
    event = request.event
    assert isinstance(event, events.UsageReported)
    meter = _Meter(work, request.session_id)
    state, known = meter.state, meter.known
    if state is None or state.subagent:
        return
    by_client = known is not None and known.basis == "tokens" and known.source != PROXY
    if event.source == PROXY and by_client:
        return  # a client knows its limit; a proxy knows the model's window only
    redact = work.redact
    source, model = redact(event.source[:MAX_WHAT_CHARS]), redact(event.model[:MAX_WHAT_CHARS])
    meter.observe(
        rules.of_tokens(
            known,
            event.tokens,
            event.limit,
            meter.settings,
            source=source,
            model=model,
            window=known_window(model, event.tokens),
        )
    )


def count_event(work: LocatedWork, unredacted: EventRequest, redacted: EventRequest) -> None:
    """Record the size of an event. unredacted: the event of which only the size is kept."""
    event = unredacted.event
    if not isinstance(event, events.SessionStarted | events.CompactionFinished) and not size(event):
        return
    state = load_session(work, redacted)
    if state.subagent:
        return
    meter = _Meter(work, state.session_id)
    if isinstance(event, events.SessionStarted):
        meter.began(state, event)
    elif isinstance(event, events.CompactionFinished):
        meter.replaced(state, len(event.summary))
    else:
        meter.grew(state, event, redacted.event)


def count_refs(
    runtime: Runtime, place: WorkspacePlace, request: EventRequest
) -> Sequence[Ref[Document]]:
    """The pressure document, if the size of this event will change it."""
    ref = pressure_ref(place.key, request.session_id)
    known, added = runtime.store.read(ref).document, size(request.event)
    if not added or not _counts_characters(known):
        return ()
    state = runtime.store.read(session_ref(place.key, request.session_id)).document
    seen = (state.seen_context if state is not None else None) or SeenContext()
    after = seen.model_copy(update={"chars": seen.chars + added})
    measure = _from_reported(known, after, runtime.settings.pressure)
    return (ref,) if _is_worth_a_write(known, measure) else ()


def size(event: events.Event) -> int:
    """Characters that an event adds to the session's own context."""
    if isinstance(event, events.UserPrompt | events.AssistantText):
        return len(event.text)
    if isinstance(event, events.ToolFinished) and not event.aside:
        return len(event.output)
    return 0


def waits(runtime: Runtime, key: str, session_id: str) -> bool:
    """Whether this process knows of an undelivered notice. Reads no file."""
    return runtime.signals.pending_notices.peek((key, sid(session_id))) is not None


def take_notice(work: LocatedWork, session_id: str) -> PressureNotice:
    """The pending notice, once; the caller appends it to the conversation."""
    meter = _Meter(work, session_id)
    known = meter.known
    if known is None or not known.waiting:
        return PressureNotice()
    state = meter.state
    if state is None or state.subagent:
        return PressureNotice()
    meter.save(known, rules.announced(known, now=work.now))
    if known.waiting != LEVELS[-1]:
        return PressureNotice(warning=pressure_review.warning(known))
    largest = (state.seen_context or SeenContext()).largest
    return PressureNotice(review=pressure_review.review(known, largest, meter.settings))


class _Meter(Struct, frozen=True):
    """The pressure document of one session, within an operation."""

    work: LocatedWork
    session_id: str

    @property
    def settings(self) -> PressureSettings:
        return self.work.settings.pressure

    @property
    def known(self) -> Pressure | None:
        return self.work.read(pressure_ref(self.work.key, self.session_id)).document

    @property
    def state(self) -> SessionState | None:
        return self.work.read(session_ref(self.work.key, self.session_id)).document

    def began(self, state: SessionState, event: events.SessionStarted) -> None:
        known = self.known
        if event.is_new:
            if known is not None:
                self.save(known, Pressure(session_id=self.session_id))
        elif event.source == "compact":
            self.replaced(state, 0)
        elif event.context_tokens > 0:
            measure = rules.of_tokens(known, event.context_tokens, 0, self.settings, source=RESUMED)
            if measure is not None:
                self._store_reported(
                    state, (state.seen_context or SeenContext()).model_copy(update={"chars": 0})
                )
                self.observe(measure, began=measure.used)

    def replaced(self, state: SessionState, chars: int) -> None:
        """A summary of this many characters replaced the context."""
        seen = SeenContext(chars=chars)
        self._store_reported(state, seen)
        known = self.known
        if known is not None:
            after = rules.replaced(known, seen, now=self.work.now, settings=self.settings)
            self.save(known, after)

    def grew(self, state: SessionState, unredacted: events.Event, redacted: events.Event) -> None:
        known = self.known
        counts = _counts_characters(known)
        seen = rules.count_event(
            state.seen_context or SeenContext(),
            chars=size(unredacted) if counts else 0,
            item=_item(self.work, unredacted, redacted),
            settings=self.settings,
        )
        self._store_reported(state, seen)
        measure = _from_reported(known, seen, self.settings)
        if counts and _is_worth_a_write(known, measure):
            self.observe(measure)

    def observe(self, measure: ContextFill | None, *, began: int | None = None) -> None:
        """Take in a measurement, if there is one."""
        if measure is None:
            return
        known = self.known or Pressure(session_id=self.session_id)
        after = rules.observe(known, measure, now=self.work.now, settings=self.settings)
        if began is not None:
            after = after.model_copy(update={"began": began})
        self.save(known, after)

    def save(self, before: Pressure, after: Pressure) -> None:
        if after is before:
            return
        key, name = self.work.key, sid(self.session_id)
        self.work.put(pressure_ref(key, self.session_id), after)
        signals = self.work.runtime.signals
        if after.waiting:
            signals.pending_notices.put((key, name), True)
        else:
            signals.pending_notices.pop((key, name))
        facts = _facts(before, after)
        for fact in facts:
            signals.notices[fact.type, fact.reason_codes[0]] += 1
        self.work.log(facts, session=name)
        self.work.notify(Pressure.slug, name)

    def _store_reported(self, state: SessionState, seen: SeenContext) -> None:
        if seen != (state.seen_context or SeenContext()):
            changed = state.model_copy(update={"seen_context": seen})
            self.work.put(session_ref(self.work.key, self.session_id), changed)


def _is_worth_a_write(known: Pressure | None, measure: ContextFill) -> bool:
    """True if the whole-number percentage changed. The first document is written at one percent."""
    share = int(rules.share(measure.used, measure.limit))
    return share != (int(known.percentage) if known is not None else 0)


def _counts_characters(known: Pressure | None) -> bool:
    return known is None or known.basis != "tokens" or known.source == RESUMED


def _from_reported(
    known: Pressure | None, seen: SeenContext, settings: PressureSettings
) -> ContextFill:
    if known is None or known.basis != "tokens":
        return rules.of_characters(seen, settings)
    return rules.since_resume(known, seen, settings)


def _item(work: Work, unredacted: events.Event, redacted: events.Event) -> LargeItem | None:
    if not isinstance(unredacted, events.ToolFinished) or not isinstance(
        redacted, events.ToolFinished
    ):
        return None
    chars = size(unredacted)
    if chars < work.settings.pressure.least_item_chars:
        return None
    what = f"{redacted.name or redacted.tool} {redacted.command or ''.join(redacted.paths[:1])}"
    line = safe(" ".join(work.redact(what).split()))
    if len(line) > MAX_WHAT_CHARS:
        line = line[: MAX_WHAT_CHARS - 1] + "…"
    return LargeItem(what=line, chars=chars, handle=redacted.handle, at=work.moment)


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
            facts.append(Fact(kind, "session", "noticed", "", (after.reported,), about))
    return facts
