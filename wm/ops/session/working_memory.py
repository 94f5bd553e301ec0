"""The working memory of a session: filled by events, changed by its model and its user, cleared
when the session ends (CB-2…5).

Durability class relaxed, and written on change only: a tool call costs no flush.
`wm.domain.session.slot_filling` decides which text of tools enters. Working memory must not flow
into the workspace memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wm.domain import counts
from wm.domain.facts import Detail, Fact, Refusal
from wm.domain.learning.statements import stated_in
from wm.domain.memory.gate import reads_as_instruction
from wm.domain.session import core_blocks, slot_filling, working_memory
from wm.domain.session.sections import Rendered
from wm.domain.session.working_memory import SessionMoment
from wm.errors import UserError
from wm.formats.events import AssistantText, ToolFinished
from wm.formats.evidence import Phase
from wm.formats.session_state import CompactionKept, CompactionState, SessionState
from wm.formats.working_memory import WorkingMemory
from wm.ops.learning import provenance
from wm.ops.operation import LocatedWork, Work, granted
from wm.ops.session import core_blocks as core
from wm.ops.session.hot_state import compaction_ref, load_compaction, working_ref
from wm.settings import Settings
from wm.store.base import Health, Ref
from wm.store.paths import sid


def load_working(work: LocatedWork, state: SessionState) -> WorkingMemory:
    found = work.read(working_ref(work.key, state.session_id)).document
    return found or WorkingMemory(session_id=state.session_id)


def save_working(work: LocatedWork, before: WorkingMemory, after: WorkingMemory) -> None:
    """Write the memory if it changed."""
    if after is before or (not after.slots and not after.pool and not before.generation):
        return
    work.put(working_ref(work.key, after.session_id), after)
    work.notify(WorkingMemory.slug, sid(after.session_id))


# --- events ---------------------------------------------------------------------------------


def counted(state: SessionState) -> SessionState:
    """Advance the session's event counter, the clock of the pool."""
    return state.model_copy(update={"events": state.events + 1})


def after_tool(
    work: LocatedWork, before: SessionState, state: SessionState, event: ToolFinished
) -> None:
    """A tool call adds paths, errors and dependencies, and removes resolved errors."""
    if state.subagent or not (slot_filling.feeds(event) or state.open_errors != before.open_errors):
        return
    stored = load_working(work, state)
    after = slot_filling.after_tool(stored, event, state.open_errors, _session(work, state))
    save_working(work, stored, after)


def items_in(text: str, settings: Settings) -> slot_filling.MessageItems:
    """Read a user message; only both ends of a long one: the middle was pasted."""
    most = settings.origin.max_typed_chars
    if len(text) > 2 * most:
        text = f"{text[:most]}\n{text[-most:]}"
    return slot_filling.items_in(text, settings.working)


def after_prompt(work: LocatedWork, state: SessionState, items: slot_filling.MessageItems) -> None:
    stored = load_working(work, state)
    save_working(work, stored, slot_filling.after_prompt(stored, items, _session(work, state)))


def after_answer(
    work: LocatedWork, state: SessionState, event: AssistantText, decided: Sequence[str]
) -> None:
    """Text of the model: the items that it labels, unless a tool's text said them first."""
    settings = work.settings.working
    labelled = [
        one
        for one in stated_in(event.text[: settings.searched_chars], settings.item_chars)
        if provenance.judge(work, state.session_id, one.text).origin != "tool"
    ]
    stored = load_working(work, state)
    at = _session(work, state)
    save_working(work, stored, slot_filling.after_answer(stored, event.text, decided, labelled, at))


def clear(work: LocatedWork, state: SessionState) -> None:
    """Delete the session's slots and pool, at its end."""
    ref = working_ref(work.key, state.session_id)
    if work.read(ref).health is not Health.MISSING:
        work.delete(ref)


def compacted(work: LocatedWork, state: SessionState) -> None:
    """Keep what survives a compaction, once, at the first hook that reports it (CB-5)."""
    log = load_compaction(work, state.session_id)
    if log.snapshot_id and any(kept.snapshot == log.snapshot_id for kept in log.log):
        return
    stored = load_working(work, state)
    after, dropped = working_memory.compacted(stored, _session(work, state))
    save_working(work, stored, after)
    saved = core.load_core(work, state)
    kept = CompactionKept(
        number=log.count + 1,
        at=work.moment,
        snapshot=log.snapshot_id,
        core={name: len(block.content) for name, block in core_blocks.filled(saved)},
        slots={name: len(items) for name, items in after.slots.items()},
        pool=len(after.pool),
        dropped=dropped,
    )
    recent = working_memory.logged(log.log, kept, work.settings.working)
    ref: Ref[CompactionState] = compaction_ref(work.key, state.session_id)
    work.put(ref, log.model_copy(update={"log": recent, "updated_at": work.moment}))


def _session(work: Work, state: SessionState) -> SessionMoment:
    return SessionMoment(state.events, work.now, work.settings.working, state.root)


# --- rendering ------------------------------------------------------------------------------


def rendered(work: LocatedWork, state: SessionState, room: int) -> Rendered:
    """The block of a new epoch, in at most `room` characters."""
    stored = load_working(work, state)
    return working_memory.render(stored, state.events, work.settings.working, room=room)


# --- changes by people and models -----------------------------------------------------------


class WorkingEdit(Struct, frozen=True):
    """Changes of a session's working memory by its model (`by`: agent) or its user. Each returns
    the memory and a sentence, and raises UserError if it is refused."""

    work: LocatedWork
    state: SessionState
    by: str

    def add(self, text: str, slot: str) -> tuple[WorkingMemory, str]:
        """Add an item to a slot; slot "": to the pool."""
        work, written = self.work, self.work.redact(text)
        if self.by == "agent" and reads_as_instruction(written):
            raise UserError.of("working.reads_like_order")
        stored, at = self._stored, _session(work, self.state)
        made = working_memory.add(stored, written, slot, self.by, at)
        where = f"the slot {slot}" if slot else "the pool"
        return self._saved(stored, made, "", f"Added to {where}")

    def remove(self, text: str) -> tuple[WorkingMemory, str]:
        """Remove the one item with this text."""
        stored = self._stored
        made = working_memory.remove(stored, text, _session(self.work, self.state))
        return self._saved(stored, made, "item", "Removed")

    def clear_slot(self, slot: str) -> tuple[WorkingMemory, str]:
        stored = self._stored
        made = working_memory.clear_slot(stored, slot, _session(self.work, self.state))
        return self._saved(stored, made, slot, f"The slot {slot} is empty")

    def clear_all(self) -> tuple[WorkingMemory, str]:
        """Empty slots and pool."""
        stored, after = self._stored, WorkingMemory(session_id=self.state.session_id)
        clear(self.work, self.state)
        self._log("all", stored, after)
        return after, "The working memory is empty."

    @property
    def _stored(self) -> WorkingMemory:
        return load_working(self.work, self.state)

    def _saved(
        self, stored: WorkingMemory, made: WorkingMemory | Refusal, cleared: str, message: str
    ) -> tuple[WorkingMemory, str]:
        after = granted(made)
        save_working(self.work, stored, after)
        if cleared:
            self._log(cleared, stored, after)
        count = counts.counted(len(working_memory.everything(after)), "item")
        return after, f"{message}; {count} now."

    def _log(self, what: str, before: WorkingMemory, after: WorkingMemory) -> None:
        removed = len(working_memory.everything(before)) - len(working_memory.everything(after))
        phase: Phase = "agent" if self.by == "agent" else "user"
        details: dict[str, Detail] = {"what": what, "items": removed, "by": self.by}
        fact = Fact("working_cleared", phase, "changed", details=details)
        self.work.log([fact], session=sid(self.state.session_id))
