"""Undo what the message before taught, if the user takes it back: "actually no, keep yarn" (EX-7).

Only what was said in passing; a request to remember is undone by a request to forget.
"""

from __future__ import annotations

from contextlib import suppress

from wm.api.diagnosis import UndoRequest
from wm.domain.learning.inner_requests import takes_back
from wm.errors import StoreError, UserError
from wm.formats.session_state import SessionState
from wm.ops.memory.documents import read_memory
from wm.ops.memory.undo import undo_one
from wm.ops.operation import LocatedWork
from wm.ops.place import USER_PLACE


def take_back(work: LocatedWork, state: SessionState, message: str) -> tuple[str, frozenset[str]]:
    """Undo what the last message taught and this one takes back. Returns the notice for the person,
    "" for none, and the ids of the entries that are gone. What cannot be undone stays."""
    last = max((note.at for note in state.pending_memories), default="")
    lines, gone = [], set()
    for note in state.pending_memories:
        if note.at != last or not takes_back(message, note.text):
            continue
        for place in (work, work.at(USER_PLACE)):
            with suppress(StoreError, UserError):
                entries = read_memory(place).entries
                if any(e.id == note.id and e.source == "stated" for e in entries):
                    event = undo_one(place, UndoRequest(act=note.id), apply=True).event
                    user = " --workspace user" if place is not work else ""
                    lines.append(f"wm took back: “{note.text}” (undo: wm undo {event}{user})")
                    gone.add(note.id)
    return "\n".join(lines), frozenset(gone)
