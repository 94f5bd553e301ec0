"""Summaries of removed texts by the helper model, made after a turn (OB-2, HM-3), and an audit of
what some of them declare as lost (OB-7).

They are shown where a shorter level of a text is asked for. They never change a request: stubs in
the history keep their text. A summary that fails its checks twice is recorded as such and not asked
for again; the extractive one stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from wm.domain.paging import abstracts
from wm.domain.paging.abstracts import Abstract
from wm.domain.times import iso
from wm.formats.paged_object import ObjectPart, SessionSummaries, TextSummaries
from wm.ops.helper import asking
from wm.ops.operation import Work
from wm.ops.paging.ledger import session_state
from wm.ops.paging.objects import fidelity, summaries_of
from wm.ops.place import unrooted
from wm.ops.runtime import Runtime
from wm.settings import HelperSettings

_TRIES = 2
_AUDIT_EVERY = 4
"""Summaries for each one that is audited. An audit reads the text again, and costs as much."""
_CHARS_PER_TOKEN = 3
_CHECK_TOKENS = 600
_FORM_TOKENS = 800
"""Of losses, questions and JSON around a summary."""
_MOST_KEPT = 400
"""Summaries of a session; later texts keep the extractive one."""


def summarise(
    runtime: Runtime, workspace: str, session: str, is_ending: Callable[[], bool]
) -> None:
    """Summarise the newest removed texts of a session that have no summary, or audit a summary if
    there are none. session: its `<sid>`. Ends at the first call that gets no answer. Raises
    StoreError."""
    ref = summaries_of(workspace, session)
    known = runtime.store.read(ref).document or SessionSummaries()
    room = max(0, _MOST_KEPT - len(known.texts))
    waiting = _removed(runtime, workspace, session, known)
    new = list(islice(waiting, min(room, runtime.settings.helper.per_turn)))
    due = [] if new else _to_audit(runtime, workspace, session, known)
    for part in new or due:
        if is_ending():
            return
        summary = known.texts.get(part.id)
        try:
            made = _audited(runtime, part, summary) if summary else _summarised(runtime, part.text)
        except asking.NoAnswer:
            return
        with runtime.store.transaction([ref]) as transaction:
            if part.id not in runtime.store.object_ids(workspace, session):
                return  # the session was deleted or purged meanwhile
            found = transaction.read(ref).document or SessionSummaries()
            kept = {**found.texts, part.id: made}
            transaction.put(ref, found.model_copy(update={"texts": kept}))
            transaction.commit()


def _removed(
    runtime: Runtime, workspace: str, session: str, known: SessionSummaries
) -> Iterator[ObjectPart]:
    """The texts that requests lack now, the newest first."""
    limits: HelperSettings = runtime.settings.helper
    seen = set(known.texts)
    state = session_state(Work(runtime, runtime.now()).at(unrooted(workspace)), session)
    if not state.in_force:
        return
    for one in reversed(runtime.store.objects(workspace, session)):
        for part in one.parts if fidelity(one, state) else ():
            fits = limits.least_chars <= len(part.text) <= limits.read_chars
            if fits and part.kind != "call" and part.id not in seen:
                seen.add(part.id)
                yield part


def _to_audit(
    runtime: Runtime, workspace: str, session: str, known: SessionSummaries
) -> list[ObjectPart]:
    """The text whose summary is to be audited now: the oldest one, if fewer than one of
    `_AUDIT_EVERY` was."""
    made = {handle: one for handle, one in known.texts.items() if not one.reason}
    waiting = [handle for handle, one in made.items() if not one.audited]
    done = len(made) - len(waiting)
    if not waiting or done * _AUDIT_EVERY >= len(made):
        return []
    parts = (part for one in runtime.store.objects(workspace, session) for part in one.parts)
    return list(islice((part for part in parts if part.id == waiting[0]), 1))


def _audited(runtime: Runtime, part: ObjectPart, made: TextSummaries) -> TextSummaries:
    """A summary with the losses that it should have declared. Raises NoAnswer."""
    said = "\n".join((made.detailed, made.compact, *made.losses))
    asked = f"{asking.fenced(part.text)}\n{asking.fenced(said)}"
    reply = asking.answer(runtime, "audit", asked, _CHECK_TOKENS)
    lost = abstracts.undeclared(part.text, said, reply)
    asking.note(runtime, "undeclared_loss" if lost else "audit")
    update = {"losses": (*made.losses, *lost), "audited": iso(runtime.now())}
    return made.model_copy(update=update)


def _summarised(runtime: Runtime, content: str) -> TextSummaries:
    """The summary of a text, or the record that it has none. Raises NoAnswer."""
    at, wrong = iso(runtime.now()), list[str]()
    for _ in range(_TRIES):
        made = _abstract(runtime, content, wrong)
        wrong = abstracts.faults(content, made)
        if made is not None and not wrong:
            unanswered = _unanswered(runtime, made)
            wrong = [f"`detailed` does not answer: {one}" for one in unanswered]
            if not wrong:
                asking.note(runtime, "summary")
                return TextSummaries(
                    detailed=made.detailed,
                    compact=made.compact,
                    losses=made.losses,
                    can_answer=made.can_answer,
                    by=runtime.settings.helper.model,
                    at=at,
                )
    asking.note(runtime, "unfaithful")
    return TextSummaries(reason="unfaithful", by=runtime.settings.helper.model, at=at)


def _abstract(runtime: Runtime, content: str, wrong: Sequence[str]) -> Abstract | None:
    long, short = (abstracts.most_chars(content, level) for level in (1, 2))
    asked = [
        asking.fenced(content),
        f"`detailed`: at most {long} characters. `compact`: at most {short}.",
        f"`detailed` must contain, letter by letter: {', '.join(abstracts.must_survive(content))}",
        *(["Your last answer was wrong:", *wrong] if wrong else ()),
    ]
    most = (long + short) // _CHARS_PER_TOKEN + _FORM_TOKENS
    return abstracts.parsed(content, asking.answer(runtime, "summary", "\n".join(asked), most))


def _unanswered(runtime: Runtime, made: Abstract) -> list[str]:
    """The questions of a summary that it does not answer, asked without the content."""
    asked = f"{asking.fenced(made.detailed)}\n{abstracts.questions(made.can_answer)}"
    return abstracts.unanswered(made, asking.answer(runtime, "check", asked, _CHECK_TOKENS))
