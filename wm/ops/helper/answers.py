"""A short answer about removed content, from the stored text, with citations (HM-2).

Asked in a thread; the caller waits for `helper.answer_wait_s` at most. An answer that comes later
is kept for the same question. Whatever goes wrong, the caller has the passages.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

from msgspec import Struct, field

from wm.domain.paging.citations import CitedAnswer, SentLines, checked, lines_to_send, numbered
from wm.domain.paging.passages import TextPassage
from wm.errors import StoreError
from wm.models.helper import HelperFailure
from wm.ops.background import Background, Task, tasks
from wm.ops.helper import asking
from wm.ops.operation import LocatedWork
from wm.ops.paging import objects
from wm.ops.runtime import Runtime
from wm.settings import HelperSettings
from wm.wire.block import CHARS_PER_TOKEN

_CITATION_TOKENS = 400
_MOST_WAITING = 4


class ShortAnswer(Struct, frozen=True):
    """answer: None without one; reason then says why, and summary is the compact summary of the
    best passage's text, "" if it has none."""

    answer: CitedAnswer | None = None
    reason: str = ""
    summary: str = ""


class _Asked(Struct):
    """A question in progress, or its answer. sent: the lines that it is asked about."""

    question: str
    sent: Sequence[SentLines]
    ready: threading.Event = field(default_factory=threading.Event)
    found: CitedAnswer | str = "timeout"


def short_answer(work: LocatedWork, question: str, passages: Sequence[TextPassage]) -> ShortAnswer:
    """The answer to a question from the texts of these passages, if it comes in time."""
    runtime = work.runtime
    if refused := asking.why_not(runtime):
        return ShortAnswer(reason=refused.reason)
    if not passages:
        return ShortAnswer(reason="not_found")
    view = ("answer", work.key, question, tuple((one.name, one.first) for one in passages))
    asked = runtime.caches.views.peek(view)
    if not isinstance(asked, _Asked):
        asked = _Asked(question, _sent(work, passages))
        runtime.caches.views.put(view, asked)
        if not _queue(runtime).submit(partial(_ask, runtime, asked)):
            runtime.caches.views.pop(view)
            return ShortAnswer(reason="busy")
    asked.ready.wait(runtime.settings.helper.answer_wait_s)
    if isinstance(found := asked.found, CitedAnswer):
        return ShortAnswer(found)
    if asked.ready.is_set():
        runtime.caches.views.pop(view)  # the next call asks again
    return ShortAnswer(reason=found, summary=_compact(work, passages[0].name))


def _sent(work: LocatedWork, passages: Sequence[TextPassage]) -> Sequence[SentLines]:
    stored = {one.name: objects.find(work, one.name) for one in passages}
    texts = {name: objects.text_of(one, part) for name, (_session, one, part) in stored.items()}
    return lines_to_send(passages, texts, work.settings.helper.read_chars)


def _queue(runtime: Runtime) -> Background[Task]:
    return runtime.caches.models.get(
        "answers", (), lambda: tasks("wm-answer", most=_MOST_WAITING, is_daemon=True)
    )


def _ask(runtime: Runtime, asked: _Asked) -> None:
    limits: HelperSettings = runtime.settings.helper
    text = f"{asking.fenced(numbered(asked.sent))}\nQuestion: {asked.question}"
    most = limits.answer_tokens + _CITATION_TOKENS
    try:
        reply = asking.ask(runtime, "answer", text, most)
        if isinstance(reply, HelperFailure):
            asked.found = reply.reason
            return
        most_chars = limits.answer_tokens * CHARS_PER_TOKEN
        asked.found = checked(asked.question, asked.sent, reply.text, most_chars)
        is_answer = isinstance(asked.found, CitedAnswer)
        asking.note(runtime, "answer" if is_answer else str(asked.found))
    except StoreError:
        asked.found = "not_counted"
    finally:
        asked.ready.set()


def _compact(work: LocatedWork, handle: str) -> str:
    """The compact summary of a stored text; "" if there is none."""
    session, _one, _part = objects.find(work, handle)
    known = work.read(objects.summaries_of(work.key, session)).document
    made = known.texts.get(handle) if known is not None else None
    return made.compact if made is not None else ""
