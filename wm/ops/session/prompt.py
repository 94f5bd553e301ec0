"""Render the prompt text of a session and freeze it for an epoch (EP-1…3).

The first main call of an epoch renders the blocks and writes them as an epoch file. Every later
call returns the bytes of that file, also after a restart of the daemon or the agent. Side calls
and subagents get nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from wm.api.protocol import WorkspacePlace
from wm.api.sessions import PromptAnswer, PromptRequest, PromptText
from wm.domain.facts import Fact
from wm.domain.memory.select import Selection
from wm.domain.payloads import LIMITED
from wm.domain.session import epochs, hot_snapshot
from wm.domain.session.sections import Rendered
from wm.formats.base import Document
from wm.formats.prompt_epoch import Omission, PromptBlock, PromptEpoch
from wm.formats.session_state import SessionState
from wm.ops.learning import provenance, recaps
from wm.ops.memory.documents import read_memory
from wm.ops.memory.render import View, rendered
from wm.ops.operation import LocatedWork, Operation, Work, located
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.session import core_blocks, handoff_block, hot_state, working_memory
from wm.ops.session.epochs import epoch_id, epoch_of, epoch_ref, newest, recovered
from wm.store.base import Ref
from wm.store.paths import sid


def prompt_refs(
    runtime: Runtime, place: WorkspacePlace, session_id: str
) -> Sequence[Ref[Document]]:
    """The session and the epoch that may be opened next. Session starts and compactions close an
    epoch without opening one, so the next number is the newest one plus one."""
    ref = hot_state.session_ref(place.key, session_id)
    state = runtime.store.read(ref).document
    number = newest(runtime, place.key, session_id, state.epoch_number if state else 0)
    return (ref, epoch_ref(place.key, session_id, number + 1))


def answer(work: LocatedWork, request: PromptRequest) -> PromptAnswer:
    """The current epoch's blocks; opens the epoch if none is open."""
    hot_state.require_session(request, work.settings.session)
    state = hot_state.load_session(work, request)
    if not epochs.gets_memory(request.call) or state.subagent:
        return PromptAnswer()
    state = recovered(work.runtime, work.key, state)
    # An epoch with a lost file is not rendered again under its number: the next number is opened,
    # and the evidence records the break.
    epoch = None if request.refresh else epoch_of(work, state.epoch)
    if epoch is not None:
        return _as_answer(epoch)
    # With a lost epoch file, the conversation already contains the text and must not get it twice.
    opened = request.refresh or not state.epoch
    return _as_answer(_open(work, state, request)).model_copy(update={"opened": opened})


def _open(work: LocatedWork, state: SessionState, request: PromptRequest) -> PromptEpoch:
    memory = read_memory(work)
    view = rendered(work, memory)
    reason = _reason(work, state, request)
    blocks, state = _blocks(work, state, view, first=reason == "session_start")
    epoch = epochs.open_epoch(
        epoch_id=epoch_id(state.session_id, state.epoch_number + 1),
        session=state.session_id,
        agent=state.agent,
        number=state.epoch_number + 1,
        reason=reason,
        blocks=blocks,
        memory_generation=memory.generation,
        now=work.now,
        previous=epoch_id(state.session_id, state.epoch_number) if state.epoch_number else "",
    )
    work.put(epoch_ref(work.key, state.session_id, epoch.number), epoch)
    opened = state.model_copy(update={"epoch": epoch.id, "epoch_number": epoch.number})
    hot_state.save_session(work, opened)
    work.log([_fact(epoch, view.selection)], session=sid(state.session_id))
    work.effects.flush = True
    return epoch


def _reason(work: LocatedWork, state: SessionState, request: PromptRequest) -> str:
    if request.refresh:
        return "refresh"
    if state.epoch:
        return "lost"
    # Claude Code requests the epoch after a compaction before it delivers the summary.
    compacting = bool(hot_state.load_compaction(work, state.session_id).snapshot_id)
    return "compaction" if state.compactions or compacting else "session_start"


def _blocks(
    work: LocatedWork, state: SessionState, view: View, *, first: bool
) -> tuple[tuple[PromptBlock, ...], SessionState]:
    """The blocks, and the session after their words were counted."""
    state = hot_state.with_memories_of_now(work, state)
    snapshot = hot_snapshot.render(state, work.settings.session)
    notes = core_blocks.text(work, state)
    handoff, last = "", ""
    texts: tuple[str, ...] = (view.text, snapshot.text, notes)
    if first and not state.epoch_number:
        last = recaps.block(work, state, _room(work, state, *texts))
        texts = (*texts, last)
        state = provenance.record_project_text(work, state, last) if last else state
        handoff, state = handoff_block.take_block(work, state, _room(work, state, *texts))
    working = working_memory.rendered(work, state, _room(work, state, *texts, handoff))
    blocks = (
        epochs.block(
            "workspace_memory",
            view.text,
            included=tuple(entry.id for entry in view.selection.shown),
            omitted=view.selection.omitted,
        ),
        epochs.block("hot_state", snapshot.text, omitted=_over(snapshot)),
        epochs.block("core_memory", notes),
        epochs.block("working_memory", working.text, omitted=_over(working)),
        epochs.block("last_session", last),
        epochs.block("handoff", handoff),
    )
    return tuple(block for block in blocks if block.text), state


def _over(block: Rendered) -> tuple[Omission, ...]:
    return tuple(Omission(id=name, reason="char_budget") for name in block.omitted)


def _room(work: Work, state: SessionState, *before: str) -> int:
    """Characters left for further blocks: some agents limit the output of one hook."""
    unit = LIMITED.get(state.agent)
    if unit is None:
        return sys.maxsize
    sizes = (len(text.encode() if unit == "bytes" else text) for text in before)
    used = sum(size + len("\n\n") for size in sizes)
    return max(0, work.settings.hooks.context_chars - used)


def _fact(epoch: PromptEpoch, selection: Selection) -> Fact:
    """One record per epoch, not per entry. The epoch file lists the shown entries and the strongest
    omitted ones; the record has the number of the omitted (EP-3)."""
    return Fact(
        "epoch_opened",
        "render",
        "selected",
        reason_codes=("epoch_file_gone",) if epoch.reason == "lost" else (),
        details={
            "epoch": epoch.id,
            "number": epoch.number,
            "reason": epoch.reason,
            "blocks": tuple(f"{b.name}:{b.sha256[:16]}:{b.chars}" for b in epoch.blocks),
            "included": tuple(i for b in epoch.blocks for i in b.included),
            "omitted": sum(selection.counts.values()),
            "omittedBy": tuple(f"{code}:{n}" for code, n in selection.counts.items()),
        },
    )


def _as_answer(epoch: PromptEpoch) -> PromptAnswer:
    return PromptAnswer(
        epoch=epoch.id,
        number=epoch.number,
        blocks=tuple(PromptText(name=b.name, text=b.text, sha256=b.sha256) for b in epoch.blocks),
    )


def _refs(runtime: Runtime, request: PromptRequest) -> Sequence[Ref[Document]]:
    hot_state.require_session(request, runtime.settings.session)
    return prompt_refs(runtime, locate(runtime, request), request.session_id)


prompt = Operation("prompt", PromptRequest, PromptAnswer, located(answer), _refs)
