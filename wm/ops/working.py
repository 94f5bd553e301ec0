"""The working memory of a session: filled by its events, changed by its model and its user, and
cleared when the session ends (CB-2…5).

Class relaxed, and written only when something in it changes: a tool call costs no flush. Text of
tools comes in as `wm.domain.session.filling` allows; nothing flows from here into the workspace
memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.domain import counts
from wm.domain.facts import Fact, Refusal
from wm.domain.session import blocks, filling, working
from wm.domain.session.sections import Rendered
from wm.domain.session.state import NEW_SESSION
from wm.domain.session.stated import stated_in
from wm.domain.times import iso
from wm.domain.workspace.quality import reads_as_instruction
from wm.errors import UserError
from wm.formats.base import Document
from wm.formats.events import AssistantText, SessionStarted, ToolFinished, UserPrompt
from wm.formats.protocol import Place
from wm.formats.session_state import CompactionKept, CompactionState, SessionState
from wm.formats.working_memory import WorkingMemory
from wm.ops import core, origins
from wm.ops.base import Work
from wm.ops.runtime import Runtime
from wm.ops.sessions import (
    compaction_ref,
    load_compaction,
    working_ref,
)
from wm.store.base import Health, Ref
from wm.store.paths import sid


def load_working(work: Work, place: Place, state: SessionState) -> WorkingMemory:
    found = work.read(working_ref(place.key, state.session_id)).document
    return found or WorkingMemory(session_id=state.session_id)


def save_working(work: Work, place: Place, before: WorkingMemory, after: WorkingMemory) -> None:
    """Write what changed, and nothing where nothing did."""
    if after is before or (not after.slots and not after.pool and not before.generation):
        return
    work.put(working_ref(place.key, after.session_id), after)
    work.notify(place.key, WorkingMemory.slug, sid(after.session_id))


# --- events ---------------------------------------------------------------------------------


def counted(state: SessionState) -> SessionState:
    """One event more of the session: the pool's clock goes on."""
    return state.model_copy(update={"events": state.events + 1})


def after_tool(
    work: Work, place: Place, before: SessionState, state: SessionState, event: ToolFinished
) -> None:
    """A tool call brings in paths, errors and dependencies, and takes errors that are over."""
    if state.subagent or not (filling.feeds(event) or state.open_errors != before.open_errors):
        return
    held = load_working(work, place, state)
    after = filling.after_tool(held, event, state.open_errors, _session(work, state))
    save_working(work, place, held, after)


def after_prompt(work: Work, place: Place, state: SessionState, event: UserPrompt) -> None:
    """A message of the user; of a long one its ends, the middle was pasted."""
    most = work.runtime.settings.origin.max_typed_chars
    text = event.text
    if len(text) > 2 * most:
        text = f"{text[:most]}\n{text[-most:]}"
    held = load_working(work, place, state)
    typed = UserPrompt(text=text)
    save_working(work, place, held, filling.after_prompt(held, typed, _session(work, state)))


def after_answer(
    work: Work, place: Place, state: SessionState, event: AssistantText, decided: Sequence[str]
) -> None:
    """A text of the model: what it labels itself, unless a tool's text said it first."""
    settings = work.runtime.settings.working
    said = [
        one
        for one in stated_in(event.text[: settings.searched_chars], settings.item_chars)
        if origins.judge(work, place, state.session_id, one.text).origin != "tool"
    ]
    held = load_working(work, place, state)
    at = _session(work, state)
    save_working(work, place, held, filling.after_answer(held, event.text, decided, said, at))


def clear_old(work: Work, place: Place, state: SessionState, event: SessionStarted) -> None:
    """A new session under the id of an old one begins with nothing (CB-2)."""
    if event.source in NEW_SESSION:
        clear(work, place, state)


def clear(work: Work, place: Place, state: SessionState) -> None:
    """The session is over: its slots and pool go."""
    ref = working_ref(place.key, state.session_id)
    if work.read(ref).health is not Health.MISSING:
        work.delete(ref)


def existing_refs(runtime: Runtime, place: Place, session_id: str) -> Sequence[Ref[Document]]:
    """The working memory, if there is one: a lock on none would only leave its file behind."""
    ref = working_ref(place.key, session_id)
    return () if runtime.store.read(ref).health is Health.MISSING else (ref,)


def compacted(work: Work, place: Place, state: SessionState) -> None:
    """What a compaction keeps, once: whichever hook of the agent tells of it first (CB-5)."""
    log = load_compaction(work, place, state.session_id)
    if log.snapshot_id and any(kept.snapshot == log.snapshot_id for kept in log.log):
        return
    settings = work.runtime.settings.working
    held = load_working(work, place, state)
    after, dropped = working.compacted(held, events=state.events, now=work.now, settings=settings)
    save_working(work, place, held, after)
    saved = core.load_core(work, place, state)
    kept = CompactionKept(
        number=log.count + 1,
        at=iso(work.now),
        snapshot=log.snapshot_id,
        core={name: len(block.content) for name, block in blocks.filled(saved)},
        slots={name: len(items) for name, items in after.slots.items()},
        pool=len(after.pool),
        dropped=dropped,
    )
    recent = working.logged(log.log, kept, settings)
    ref: Ref[CompactionState] = compaction_ref(place.key, state.session_id)
    work.put(ref, log.model_copy(update={"log": recent, "updated_at": iso(work.now)}))


def _session(work: Work, state: SessionState) -> filling.Session:
    return filling.Session(state.root, state.events, work.now, work.runtime.settings.working)


# --- as a text ------------------------------------------------------------------------------


def rendered(work: Work, place: Place, state: SessionState, room: int) -> Rendered:
    """The block of a new epoch, in `room` characters at most."""
    settings = work.runtime.settings.working
    held = load_working(work, place, state)
    return working.render(held, state.events, settings, room=room)


# --- by people and models -------------------------------------------------------------------


def add(
    work: Work, place: Place, state: SessionState, text: str, slot: str, *, by: str
) -> tuple[WorkingMemory, str]:
    """Add an item; the memory and a sentence. Raises UserError for what is refused."""
    written = work.runtime.redactor.text(text)
    if by == "agent" and reads_as_instruction(written):
        raise UserError(
            "This reads like an order to an agent, not like a note, so it was not added.",
            fix="Say in your own words what is so.",
        )
    held = load_working(work, place, state)
    made = working.add(
        held,
        written,
        slot,
        by=by,
        events=state.events,
        now=work.now,
        settings=work.runtime.settings.working,
    )
    after = _saved(work, place, held, made)
    where = f"the slot {slot}" if slot else "the pool"
    return after, f"Added to {where}; {_count(after)} now."


def remove(
    work: Work, place: Place, state: SessionState, text: str, *, by: str
) -> tuple[WorkingMemory, str]:
    """Remove the item that says this. Raises UserError for none and for several."""
    held = load_working(work, place, state)
    made = working.remove(held, text, events=state.events, now=work.now)
    after = _saved(work, place, held, made)
    _log(work, place, state, "item", by, held, after)
    return after, f"Removed; {_count(after)} now."


def clear_slot(
    work: Work, place: Place, state: SessionState, slot: str, *, by: str
) -> tuple[WorkingMemory, str]:
    """Empty one slot. Raises UserError for one that does not exist."""
    held = load_working(work, place, state)
    settings = work.runtime.settings.working
    made = working.clear_slot(held, slot, events=state.events, now=work.now, settings=settings)
    after = _saved(work, place, held, made)
    _log(work, place, state, slot, by, held, after)
    return after, f"The slot {slot} is empty; {_count(after)} now."


def clear_all(work: Work, place: Place, state: SessionState, *, by: str) -> WorkingMemory:
    """Empty slots and pool."""
    held = load_working(work, place, state)
    clear(work, place, state)
    after = WorkingMemory(session_id=state.session_id)
    _log(work, place, state, "all", by, held, after)
    return after


def _saved(
    work: Work, place: Place, held: WorkingMemory, made: WorkingMemory | Refusal
) -> WorkingMemory:
    if isinstance(made, Refusal):
        raise UserError(made.message, fix=made.fix)
    save_working(work, place, held, made)
    return made


def _log(
    work: Work,
    place: Place,
    state: SessionState,
    what: str,
    by: str,
    before: WorkingMemory,
    after: WorkingMemory,
) -> None:
    gone = len(working.everything(before)) - len(working.everything(after))
    fact = Fact(
        "working_cleared",
        "agent" if by == "agent" else "user",
        "changed",
        details={"what": what, "items": gone, "by": by},
    )
    work.log(place.key, [fact], session=sid(state.session_id))


def _count(held: WorkingMemory) -> str:
    return counts.counted(len(working.everything(held)), "item")
