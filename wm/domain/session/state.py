"""How events change the hot state of a session (HS-1…3).

Pure transitions: other modules decide what is learned, logged or shown. It protects two
rules: a new session starts empty while a resumed one keeps everything, and whatever ends a
prompt epoch ends it here (EP-1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from wm.domain.failures import open_errors
from wm.domain.session import active_files
from wm.domain.times import iso
from wm.formats import events
from wm.formats.session_state import PendingNote, RecalledNote, SessionDecision, SessionState
from wm.formats.workspace_memory import MemoryEntry
from wm.settings import SessionSettings
from wm.text.letters import canonical

SAME_EPOCH = ("resume",)
"""Sources after which the conversation still begins with the same bytes."""

KEPT_NOTES = 200
"""Notes of what a session was shown beside its prompt; older ones are dropped."""


def apply(
    state: SessionState, event: events.Event, *, now: datetime, settings: SessionSettings
) -> SessionState:
    """Return the state after `event`; the same object if nothing changes."""
    step = STEPS.get(event.kind)
    return state if step is None else step(state, event, now, settings)


def was_seen(state: SessionState, prompt: events.UserPrompt) -> bool:
    """Has this state already processed the message (a retry, two hooks)?"""
    return message_digest(prompt) in state.seen_messages


def message_digest(prompt: events.UserPrompt) -> str:
    """Return a message's digest. Without a message id equal messages are one: repeating a request
    changes nothing."""
    source = f"{prompt.message_id}\0{prompt.text}"
    return hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()[:16]


def note_decision(
    state: SessionState, text: str, *, now: datetime, settings: SessionSettings, origin: str
) -> SessionState:
    """Add a decision, newest last; a repeated one moves to the end, the oldest are dropped."""
    same = canonical(text)
    kept = [d for d in state.recent_decisions if canonical(d.text) != same]
    kept.append(SessionDecision(text=text, at=iso(now), origin=origin))
    recent = tuple(kept[-settings.kept_decisions :]) if settings.kept_decisions else ()
    return _changed(state, recent_decisions=recent)


def note_pending(
    state: SessionState, entry: MemoryEntry, *, now: datetime, settings: SessionSettings
) -> SessionState:
    """Add a memory that this session's frozen prompt does not show yet, newest last."""
    same = canonical(entry.text)
    kept = [
        note
        for note in state.pending_memories
        if note.id != entry.id and canonical(note.text) != same
    ]
    kept.append(PendingNote(id=entry.id, type=entry.type, text=entry.text, at=iso(now)))
    notes = tuple(kept[-settings.kept_pending :]) if settings.kept_pending else ()
    return _changed(state, pending_memories=notes)


def note_recalled(state: SessionState, names: Iterable[str], *, epoch: int) -> SessionState:
    """Note what the session was shown beside its prompt, so that this epoch shows it once."""
    notes = (*state.recalled, *(RecalledNote(id=name, epoch=epoch) for name in names))
    return _changed(state, recalled=notes[-KEPT_NOTES:])


def drop_pending(state: SessionState, ids: frozenset[str]) -> SessionState:
    """Remove memories that were forgotten again."""
    kept = tuple(note for note in state.pending_memories if note.id not in ids)
    return _changed(state, pending_memories=kept)


def _started(
    state: SessionState, event: events.SessionStarted, now: datetime, _settings: SessionSettings
) -> SessionState:
    update: dict[str, Any] = {
        "ended_at": "",
        "parent_session": event.parent_session or state.parent_session,
        "subagent": event.subagent or state.subagent,
        "transcript": event.transcript or state.transcript,
    }
    if event.source not in SAME_EPOCH:
        # The number keeps counting: a closed epoch's file is never written again.
        update["epoch"] = ""
    if event.is_new:
        update |= {
            "started_at": iso(now),
            "parent_session": event.parent_session,
            "subagent": event.subagent,
            "compactions": 0,
            "seen_messages": (),
            "active_files": (),
            "open_errors": (),
            "recent_decisions": (),
            "pending_memories": (),
            "learn_paused": False,
            "learned": "",
            "origins": None,
            "seen_context": None,
            "recap": None,
        }
    return _changed(state, **update)


def _prompted(
    state: SessionState, event: events.UserPrompt, _now: datetime, settings: SessionSettings
) -> SessionState:
    """A message in an ended session resumes it: not every agent reports that."""
    if was_seen(state, event):
        return state
    seen = (*state.seen_messages, message_digest(event))
    kept = seen[-settings.kept_messages :] if settings.kept_messages else ()
    return _changed(state, seen_messages=kept, ended_at="")


def _tool(
    state: SessionState, event: events.ToolFinished, now: datetime, settings: SessionSettings
) -> SessionState:
    known: dict[str, Any] = {"root": state.root, "now": now, "settings": settings}
    return _changed(
        state,
        active_files=active_files.touch(state.active_files, event, **known),
        open_errors=open_errors.after_tool(state.open_errors, event, **known),
    )


def _compacted(
    state: SessionState,
    _event: events.CompactionFinished,
    _now: datetime,
    _settings: SessionSettings,
) -> SessionState:
    """Files and errors stay; decisions and pending memories are promoted by now (HS-3)."""
    return _changed(
        state, epoch="", compactions=state.compactions + 1, recent_decisions=(), pending_memories=()
    )


def _ended(
    state: SessionState, _event: events.SessionEnded, now: datetime, _settings: SessionSettings
) -> SessionState:
    return _changed(state, ended_at=iso(now))


def _changed(state: SessionState, **update: Any) -> SessionState:
    if all(getattr(state, name) == value for name, value in update.items()):
        return state
    return state.model_copy(update=update)


Step = Callable[[SessionState, Any, datetime, SessionSettings], SessionState]

STEPS: dict[str, Step] = {
    "session_started": _started,
    "user_prompt": _prompted,
    "tool_finished": _tool,
    "compaction_finished": _compacted,
    "session_ended": _ended,
}
"""The events that change hot state by themselves; the others only feed learning."""
