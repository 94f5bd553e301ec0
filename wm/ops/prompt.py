"""The text that a session is given, frozen for an epoch (EP-1…3).

The first main call of an epoch renders the blocks and writes them as an epoch file; every
later call gets the bytes of that file, also after a restart of the daemon or the agent.
Side calls and subagents get nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from wm.domain.facts import Fact
from wm.domain.session import epochs, hot
from wm.formats.base import Document
from wm.formats.prompt_epoch import Omission, PromptBlock, PromptEpoch
from wm.formats.protocol import Place, PromptAnswer, PromptRequest, PromptText
from wm.formats.session_state import SessionState
from wm.ops.base import Operation, Work
from wm.ops.memory import read_memory
from wm.ops.place import locate
from wm.ops.render import rendered
from wm.ops.runtime import Runtime
from wm.ops.sessions import load_session, require_session, save_session, session_ref
from wm.store.base import Ref
from wm.store.paths import sid


def epoch_id(session_id: str, number: int) -> str:
    """Id of a session's nth epoch; known before the epoch is, so that it can be locked."""
    return "p_" + hashlib.sha256(f"{session_id}\0{number}".encode()).hexdigest()[:24]


def epoch_ref(key: str, session_id: str, number: int) -> Ref[PromptEpoch]:
    return Ref(PromptEpoch, key, epoch_id(session_id, number))


def prompt_refs(runtime: Runtime, place: Place, session_id: str) -> Sequence[Ref[Document]]:
    """The session and the epoch that may be opened next. Session starts and compactions close
    an epoch without opening one, so the next number is the known one plus one."""
    ref = session_ref(place.key, session_id)
    state = runtime.store.read(ref).document
    number = state.epoch_number if state is not None else 0
    return (ref, epoch_ref(place.key, session_id, number + 1))


def answer(work: Work, place: Place, request: PromptRequest) -> PromptAnswer:
    """The current epoch's blocks; opens the epoch if none is open."""
    require_session(request)
    state = load_session(work, place, request)
    if not epochs.gets_memory(request.call) or state.subagent:
        return PromptAnswer()
    epoch = None if request.refresh else _current(work, place, state)
    if epoch is not None:
        return _as_answer(epoch)
    return _as_answer(_open(work, place, state, request)).model_copy(update={"opened": True})


def _current(work: Work, place: Place, state: SessionState) -> PromptEpoch | None:
    """The open epoch, or None. One whose file is gone is not rendered anew under the same
    number: the next number is opened, and the evidence shows the break."""
    if not state.epoch:
        return None
    return work.read(Ref(PromptEpoch, place.key, state.epoch)).document


def _open(work: Work, place: Place, state: SessionState, request: PromptRequest) -> PromptEpoch:
    memory = read_memory(work, place)
    epoch = epochs.open_epoch(
        epoch_id=epoch_id(state.session_id, state.epoch_number + 1),
        session=state.session_id,
        agent=state.agent,
        number=state.epoch_number + 1,
        reason=_reason(state, request),
        blocks=_blocks(work, place, state),
        memory_generation=memory.generation,
        now=work.now,
        previous=state.epoch,
    )
    work.put(epoch_ref(place.key, state.session_id, epoch.number), epoch)
    opened = state.model_copy(update={"epoch": epoch.id, "epoch_number": epoch.number})
    save_session(work, place, opened)
    work.log(place.key, _facts(epoch), session=sid(state.session_id))
    work.flush = True
    return epoch


def _reason(state: SessionState, request: PromptRequest) -> str:
    if request.refresh:
        return "refresh"
    return "compaction" if state.compactions else "session_start"


def _blocks(work: Work, place: Place, state: SessionState) -> tuple[PromptBlock, ...]:
    view = rendered(work, place, read_memory(work, place))
    snapshot = hot.render(state, work.runtime.settings.session)
    blocks = (
        epochs.block(
            "workspace_memory",
            view.text,
            included=tuple(entry.id for entry in view.selection.shown),
            omitted=view.selection.omitted,
        ),
        epochs.block(
            "hot_state",
            snapshot.text,
            omitted=tuple(Omission(id=name, reason="char_budget") for name in snapshot.omitted),
        ),
    )
    return tuple(block for block in blocks if block.text)


def _facts(epoch: PromptEpoch) -> tuple[Fact, ...]:
    """One record per epoch, not one per entry: the epoch file lists every entry (EP-3)."""
    return (
        Fact(
            "epoch_opened",
            "render",
            "selected",
            details={
                "epoch": epoch.id,
                "number": epoch.number,
                "reason": epoch.reason,
                "blocks": tuple(f"{b.name}:{b.sha256[:16]}:{b.chars}" for b in epoch.blocks),
                "included": tuple(i for b in epoch.blocks for i in b.included),
                "omitted": sum(len(b.omitted) for b in epoch.blocks),
            },
        ),
    )


def _as_answer(epoch: PromptEpoch) -> PromptAnswer:
    return PromptAnswer(
        epoch=epoch.id,
        number=epoch.number,
        blocks=tuple(PromptText(name=b.name, text=b.text, sha256=b.sha256) for b in epoch.blocks),
    )


def _run(work: Work, request: PromptRequest) -> PromptAnswer:
    return answer(work, locate(work.runtime, request), request)


def _refs(runtime: Runtime, request: PromptRequest) -> Sequence[Ref[Document]]:
    require_session(request)
    return prompt_refs(runtime, locate(runtime, request), request.session_id)


prompt = Operation(
    "prompt",
    PromptRequest,
    PromptAnswer,
    _run,
    _refs,
    lambda runtime, request: locate(runtime, request).key,
)
