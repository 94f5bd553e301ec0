"""Follow where the words of a session come from, and judge by it what a model proposes (TR-3).

Every event is heard after its step was taken: what the user typed, what the model wrote, and all
that tools showed, of which digests are kept and no text. Whatever a model asks to keep, at a
compaction or by a tool, is weighed here before it is admitted; nothing else sets the taint.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from wm.domain.session.origin import ADDRESSED, HIDDEN, UNATTRIBUTABLE, UNHEARD, Verdict, Words
from wm.domain.session.state import NEW_SESSION
from wm.domain.times import parse
from wm.domain.workspace import echo
from wm.domain.workspace.consolidate import Ledger
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    SessionStarted,
    ToolFinished,
    UserPrompt,
)
from wm.formats.protocol import EventRequest, Place
from wm.formats.session_state import SessionState, WordOrigins
from wm.formats.workspace_memory import MemoryEntry
from wm.ops import shown
from wm.ops.base import Work
from wm.ops.runtime import Runtime
from wm.ops.sessions import load_session, session_ref

WAITING_TWIN = "repeats_waiting"
"""The code of a memory that only says again what waits in the inbox as tainted."""

_HEARD = (SessionStarted, UserPrompt, AssistantText, ToolFinished, CompactionFinished)


def hear(work: Work, place: Place, given: EventRequest, redacted: EventRequest) -> None:
    """Take the words of an event in. given: as it came, for what only digests are kept of."""
    if not isinstance(given.event, _HEARD):
        return
    state = load_session(work, place, redacted)
    if state.subagent:
        return
    words = _words(work.runtime, state)
    _take(work, words, place, state, given.event, redacted.event)
    kept = words.kept()
    if kept != state.origins and kept != WordOrigins():
        if not _begins(work, state, given.event):
            kept = kept.model_copy(update={"instance": work.runtime.instance})
        work.put(
            session_ref(place.key, given.session_id), state.model_copy(update={"origins": kept})
        )


def hear_given(work: Work, state: SessionState, text: str) -> SessionState:
    """The session, after it was given a text of the project: its words are foreign."""
    words = _words(work.runtime, state)
    words.hear_foreign(text)
    kept = words.kept()
    if not _begins(work, state, SessionStarted()):
        kept = kept.model_copy(update={"instance": work.runtime.instance})
    return state.model_copy(update={"origins": kept})


def _begins(work: Work, state: SessionState, event: object) -> bool:
    """The first moments of a session: the daemon may be on its way up, and until it is there the
    start and the first message are taken in by processes of their own. No tool ran yet."""
    begun = parse(state.started_at)
    limit = timedelta(seconds=work.runtime.settings.origin.beginning_s)
    young = begun is not None and work.now - begun <= limit
    return young and isinstance(event, SessionStarted | UserPrompt)


def _words(runtime: Runtime, state: SessionState | None) -> Words:
    """What is known of a session. Another process than the last one may have missed a tool's
    output, and the model's words no longer tell where they come from."""
    known = state.origins if state is not None and state.origins is not None else WordOrigins()
    key = bytes.fromhex(runtime.store.digest("where words first appeared")[:32])
    words = Words(known, key, runtime.settings.origin)
    if known.instance not in ("", runtime.instance):
        words.doubt(UNHEARD)
    return words


def _take(
    work: Work, words: Words, place: Place, state: SessionState, given: object, event: object
) -> None:
    folders, limit = (state.root, place.root), words.settings.max_heard_chars
    if isinstance(event, UserPrompt):
        typed = echo.without_injected(event.text)
        words.hear_user(typed)
        if typed != event.text:
            words.hear_foreign(event.text)
        for text in shown.mentioned(event.text, folders, limit):
            words.hear_foreign(text)
    elif isinstance(event, AssistantText):
        words.hear_agent(event.text)
    elif isinstance(given, ToolFinished):
        if given.output:
            words.hear_foreign(given.output)
    elif isinstance(event, CompactionFinished):
        words.hear_summary(event.summary)
    elif isinstance(event, SessionStarted):
        if event.source not in NEW_SESSION and state.origins is None:
            # A conversation of which nothing is known goes on.
            words.doubt(UNHEARD)
        for text in (*shown.instructions(folders, limit), shown.commits(work.runtime, place.root)):
            words.hear_foreign(text)


def judge(work: Work, place: Place, session_id: str, text: str) -> Verdict:
    """Where a text comes from that a model wants to keep."""
    if not session_id:
        return Verdict("agent", (UNATTRIBUTABLE,))
    state = work.read(session_ref(place.key, session_id)).document
    if state is None:
        return Verdict("agent", (UNATTRIBUTABLE,))
    return _words(work.runtime, state).judge(text, known=_known(place, state))


def _known(place: Place, state: SessionState) -> tuple[str, ...]:
    """Names of the place: its own, and the files that were worked on."""
    name = Path(place.root).name
    worked = (f.path for f in state.active_files if f.action != "grep" and " " not in f.path)
    return tuple(filter(None, (name, *worked)))


def weighed(ledger: Ledger, entry: MemoryEntry) -> MemoryEntry:
    """The entry, tainted too where it only repeats what already waits as tainted."""
    if entry.origin != "agent" or entry.tainted:
        return entry
    twins = ledger.twins(entry)
    if not any(twin.tainted and twin.status == "inbox" for twin in twins):
        return entry
    update = {"tainted": True, "status": "inbox", "reasons": (WAITING_TWIN,)}
    return entry.model_copy(update=update)


def may_confirm(work: Work, place: Place, session_id: str, text: str) -> bool:
    """May a model say that this session confirmed a memory? Not where a tool's text spoke to the
    memory and the user's own words do not carry it."""
    state = work.read(session_ref(place.key, session_id)).document
    words = _words(work.runtime, state)
    return not {ADDRESSED, HIDDEN}.intersection(words.distrust) or words.states(text)
