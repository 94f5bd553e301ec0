"""Record what a session does as its recap, and keep it when the session ends (RF-1…3).

While a session runs, its recap is part of its state. It moves to `recaps.json` when the session
ends, or when the next one starts.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from wm.domain.facts import Fact
from wm.domain.learning.typed_lines import typed_lines
from wm.domain.session import recap
from wm.domain.session import state as transitions
from wm.domain.times import iso
from wm.errors import StoreError
from wm.formats.events import ToolFinished
from wm.formats.recaps import Recaps
from wm.formats.session_state import SessionState
from wm.ops.learning import compaction
from wm.ops.learning.recaps import keep, read_recaps, recaps_ref
from wm.ops.learning.remember import judge
from wm.ops.learning.stated import leave_best
from wm.ops.operation import LocatedWork
from wm.store.base import Ref
from wm.store.paths import sid

NEVER_SHOWN = frozenset({"prompt_injection", "secret"})
IDLE_MINUTES = 30
"""A session without an event for this long has stopped (EX-8)."""


def _save(work: LocatedWork, recaps: Recaps) -> None:
    work.put(recaps_ref(work.key), recaps)
    work.notify(Recaps.slug)


def prompted(work: LocatedWork, state: SessionState, message: str) -> SessionState:
    """Note what the user asked for first."""
    if state.recap is not None and state.recap.asked:
        return state
    typed = "\n".join(line.text for line in typed_lines(message) if not line.origin)
    noted = recap.after_prompt(state.recap, state, typed)
    if not _may_be_shown(work, noted.asked):
        noted = noted.model_copy(update={"asked": ""})
    if work.place.branch:
        noted = noted.model_copy(update={"branch": work.place.branch})
    if state.recap is None:
        known = read_recaps(work)
        running = tuple(dict.fromkeys((*known.running, sid(state.session_id))))
        _save(work, known.model_copy(update={"running": running}))
    return state.model_copy(update={"recap": noted})


def _may_be_shown(work: LocatedWork, text: str) -> bool:
    reasons = judge(work.runtime, text, type="project", source="explicit").reasons
    return NEVER_SHOWN.isdisjoint(reasons)


def after_tool(
    work: LocatedWork, before: SessionState, state: SessionState, event: ToolFinished
) -> tuple[SessionState, tuple[str, ...]]:
    """Note what a tool did; the sentences about failures whose end is known, each once an epoch."""
    if state.subagent or event.aside:
        return state, ()
    noted = recap.after_tool(before, state, event, work.now)
    if noted is not before.recap:
        state = state.model_copy(update={"recap": noted})
    seen = {error.fingerprint: error.count for error in before.open_errors}
    fresh = [e for e in state.open_errors if e.count != seen.get(e.fingerprint)]
    number = state.epoch_number
    shown_names = {note.id for note in state.recalled if note.epoch == number}
    lines, names = [], []
    for error in fresh if event.exit_code else ():
        name = f"fix:{error.fingerprint}"
        fix = None if name in shown_names else recap.fix_of(_all_fixes(work, state), error)
        line = recap.fix_line(fix) if fix is not None else ""
        if line and _may_be_shown(work, line):
            lines.append(line)
            names.append(name)
    if not lines:
        return state, ()
    facts = [Fact("fix_recalled", "render", "selected", "", (), {"fixes": len(lines)})]
    work.log(facts, session=sid(state.session_id))
    return transitions.note_recalled(state, names, epoch=number), tuple(lines[:1])


def _all_fixes(work: LocatedWork, state: SessionState) -> Recaps:
    """The fixes of the workspace, and those of this session so far."""
    known = read_recaps(work)
    own = state.recap.fixes if state.recap is not None else ()
    return known.model_copy(update={"fixes": (*known.fixes, *own)})


def ended(work: LocatedWork, state: SessionState) -> None:
    """Keep the best of what waits, and the recap, of a session that ends."""
    if state.recap is None:
        return
    leave_best(work, sid(state.session_id))
    known = keep(work, state, read_recaps(work))
    running = tuple(name for name in known.running if name != sid(state.session_id))
    _save(work, known.model_copy(update={"running": running}))


def others_ended(work: LocatedWork) -> None:
    """Keep the recaps of sessions that stopped without saying so. One that still runs is kept
    again at its end."""
    known = before = read_recaps(work)
    left = []
    for name in known.running:
        with suppress(StoreError):
            state = work.read(Ref(SessionState, work.key, name)).document
            if state is None or state.recap is None:
                continue
            stopped = state.updated_at < iso(work.now - timedelta(minutes=IDLE_MINUTES))
            if stopped and state.recent_decisions:
                state = compaction.harvest(work, state)
                work.put(Ref(SessionState, work.key, name), state)
            if stopped:
                leave_best(work, name)
            known = keep(work, state, known)
            if not state.ended_at and not stopped:
                left.append(name)
    if known is not before or len(left) != len(before.running):
        _save(work, known.model_copy(update={"running": tuple(left)}))


def forgotten(work: LocatedWork, session_id: str) -> None:
    """Drop the recap of a session that the user deleted."""
    known, name = read_recaps(work), sid(session_id)
    recaps = tuple(one for one in known.recaps if one.session != name)
    running = tuple(one for one in known.running if one != name)
    fixes = tuple(one for one in known.fixes if one.session != name)
    if known.generation and not (recaps or running or fixes or known.others):
        work.delete(recaps_ref(work.key))
    elif (recaps, running, fixes) != (known.recaps, known.running, known.fixes):
        update = {"recaps": recaps, "running": running, "fixes": fixes}
        _save(work, known.model_copy(update=update))
