"""Track where the words of a session come from, and judge a model's proposals by it (TR-3).

Every event is counted after its own step ran: the user's words, the model's words, and all tool
output, as digests, never as text. Everything that a model asks to keep, at a compaction or by a
tool, is judged here before it is admitted. Nothing else sets the taint.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wm.api.protocol import WorkspacePlace
from wm.domain.change.contradiction import proposition
from wm.domain.learning import provenance
from wm.domain.memory import echo_guard
from wm.domain.memory.consolidate import MemoryEditor, is_users
from wm.domain.times import parse
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    SessionStarted,
    ToolFinished,
    UserPrompt,
)
from wm.formats.session_state import SessionState, WordOrigins
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.learning import ambient_files
from wm.ops.operation import LocatedWork, Work
from wm.ops.runtime import Runtime
from wm.ops.session.hot_state import load_session, session_ref

if TYPE_CHECKING:
    from wm.api.sessions import EventRequest

WAITING_TWIN = "repeats_waiting"
"""Reason code of a memory that repeats a tainted entry of the inbox."""

_RECORDED = (SessionStarted, UserPrompt, AssistantText, ToolFinished, CompactionFinished)


def count_event(work: LocatedWork, unredacted: EventRequest, redacted: EventRequest) -> None:
    """Count the words of an event. unredacted: the event of which only digests are kept."""
    if not isinstance(unredacted.event, _RECORDED):
        return
    state = load_session(work, redacted)
    if state.subagent:
        return
    words = _words(work.runtime, state)
    _take(work, words, work.place, state, unredacted.event, redacted.event)
    kept = words.kept()
    if kept != state.origins and kept != WordOrigins():
        if not _begins(work, state, unredacted.event):
            kept = kept.model_copy(update={"instance": work.runtime.process.instance})
        work.put(
            session_ref(work.key, unredacted.session_id), state.model_copy(update={"origins": kept})
        )


def record_project_text(work: Work, state: SessionState, text: str) -> SessionState:
    """The session after the words of a project text were counted as foreign."""
    words = _words(work.runtime, state)
    words.record_foreign(text)
    kept = words.kept()
    if not _begins(work, state, SessionStarted()):
        kept = kept.model_copy(update={"instance": work.runtime.process.instance})
    return state.model_copy(update={"origins": kept})


def _begins(work: Work, state: SessionState, event: object) -> bool:
    """Whether a session is just starting. The daemon may still be starting too; until it is up,
    short-lived processes record the start and the first message. No tool has run yet."""
    begun = parse(state.started_at)
    limit = timedelta(seconds=work.settings.origin.beginning_s)
    young = begun is not None and work.now - begun <= limit
    return young and isinstance(event, SessionStarted | UserPrompt)


def _words(runtime: Runtime, state: SessionState | None) -> provenance.SessionWords:
    """The known words of a session. If another process recorded events before, this one may have
    missed tool output, and the model's words are no longer trusted."""
    known = state.origins if state is not None and state.origins is not None else WordOrigins()
    key = bytes.fromhex(runtime.store.digest("where words first appeared")[:32])
    words = provenance.SessionWords(known, key, runtime.settings.origin)
    if known.instance not in ("", runtime.process.instance):
        words.doubt(provenance.MISSED)
    return words


def _take(
    work: Work,
    words: provenance.SessionWords,
    place: WorkspacePlace,
    state: SessionState,
    unredacted: object,
    event: object,
) -> None:
    folders, limit = (state.root, place.root), words.settings.max_heard_chars
    if isinstance(event, UserPrompt):
        typed = echo_guard.without_injected(event.text)
        words.record_user(typed)
        if typed != event.text:
            words.record_foreign(event.text)
        for text in ambient_files.mentioned(event.text, folders, limit):
            words.record_foreign(text)
    elif isinstance(event, AssistantText):
        words.record_agent(event.text)
    elif isinstance(unredacted, ToolFinished):
        if unredacted.output:
            words.record_foreign(unredacted.output)
    elif isinstance(event, CompactionFinished):
        words.record_summary(event.summary)
    elif isinstance(event, SessionStarted):
        if not event.is_new and state.origins is None:
            # An unknown conversation continues.
            words.doubt(provenance.MISSED)
        for text in (
            *ambient_files.instructions(folders, limit),
            ambient_files.commits(work.runtime, place.root),
        ):
            words.record_foreign(text)


def judge(work: LocatedWork, session_id: str, text: str) -> provenance.SupportVerdict:
    """The origin of a text that a model wants to keep."""
    if not session_id:
        return provenance.SupportVerdict("agent", (provenance.UNATTRIBUTABLE,))
    state = work.read(session_ref(work.key, session_id)).document
    if state is None:
        return provenance.SupportVerdict("agent", (provenance.UNATTRIBUTABLE,))
    return _words(work.runtime, state).judge(text, known=_known(work.place, state))


def without_repeated(work: LocatedWork, state: SessionState, text: str) -> str:
    """The lines of a model's new text that repeat no tool's text; none if what the tools returned
    is not known completely."""
    words = _words(work.runtime, state)
    if not {provenance.ADDRESSED}.issuperset(words.distrust):
        return ""
    return "\n".join(line for line in text.split("\n") if not words.repeats_foreign(line))


def split_by_support(work: LocatedWork, session_id: str, text: str) -> tuple[str, ...]:
    """The texts into which a proposal is split: the sentences that the conversation supports, as
    one text, because one may be the context of the next, and all others. The proposal itself if
    either has none, or if a sentence needs another one to be understood."""
    parts = provenance.standalone_sentences(text)
    if len(parts) < 2 or not judge(work, session_id, text).reasons:
        return (text,)
    supported = [part for part in parts if not judge(work, session_id, part).reasons]
    kept, others = " ".join(supported), " ".join(part for part in parts if part not in supported)
    if not kept or not others or judge(work, session_id, kept).reasons:
        return (text,)
    return kept.rstrip(";"), others.rstrip(";")


def supports(runtime: Runtime, said: Sequence[str], text: str) -> bool:
    """Whether statements of a person support each sentence of a text (TR-3), and contain each of
    its words in some form."""
    words = _words(runtime, None)
    for one in said:
        words.record_user(one)
    known = set[int]().union(*(provenance.content_words(one, words.key) for one in said))
    return words.is_stated_by_user(text) and provenance.content_words(text, words.key) <= known


def _known(place: WorkspacePlace, state: SessionState) -> tuple[str, ...]:
    """Names of the place: the root folder, and the files that the session worked on."""
    name = Path(place.root).name
    worked = (f.path for f in state.active_files if f.action != "grep" and " " not in f.path)
    return tuple(filter(None, (name, *worked)))


def weighed(editor: MemoryEditor, entry: MemoryEntry) -> MemoryEntry:
    """The entry; tainted if it only repeats a tainted entry of the inbox."""
    if entry.origin != "agent" or entry.tainted:
        return entry
    twins = editor.twins(entry)
    if not any(twin.tainted and twin.status == "inbox" for twin in twins):
        return entry
    update = {"tainted": True, "status": "inbox", "reasons": (WAITING_TWIN,)}
    return entry.model_copy(update=update)


def restated(work: LocatedWork, editor: MemoryEditor, entry: MemoryEntry) -> list[MemoryEntry]:
    """The known entries that state the fact of this one, where one of the two has the user's words
    and the other a model's (WM-5). What stays says all that what goes says: a value or a condition
    that only a proposal has keeps it apart."""

    def is_same(known: MemoryEntry) -> bool:
        if is_users(entry) and "active" not in (entry.status, known.status):
            return False  # the person decides about both
        is_kept = entry.status == "active" and (known.status != "active" or is_users(entry))
        kept, gone = (entry, known) if is_kept else (known, entry)
        if supports(work.runtime, (kept.text,), gone.text):
            return True
        waits = entry.status == "inbox" and entry.reasons == (provenance.UNATTRIBUTABLE,)
        return waits and known.status == "active" and _adds_nothing(work.runtime, known, entry)

    return [known for known in editor.restatements(entry) if is_same(known)]


def _adds_nothing(runtime: Runtime, known: MemoryEntry, entry: MemoryEntry) -> bool:
    """Whether a proposal without support has only words of a known statement, and as many
    denials: it words, well or badly, what the user said. To ask a person about it
    would be noise, and a rearrangement might be accepted by mistake."""
    key = _words(runtime, None).key
    old, new = (provenance.content_words(one.text, key) for one in (known, entry))
    if len(new) < 2 or not new <= old:
        return False
    denied, said_denied = (proposition(one.text).denied for one in (entry, known))
    return denied == said_denied


def may_confirm(work: LocatedWork, session_id: str, text: str) -> bool:
    """Whether a model may report that this session confirmed a memory. Not if tool text addressed
    the memory, unless the user's own words state the fact."""
    state = work.read(session_ref(work.key, session_id)).document
    words = _words(work.runtime, state)
    return not {provenance.ADDRESSED, provenance.HIDDEN}.intersection(
        words.distrust
    ) or words.is_stated_by_user(text)
