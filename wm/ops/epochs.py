"""Which epochs a session has had: their ids, and what to do when its state forgot some (EP-1).

An epoch's file is written once and flushed before the answer; the session's state is class
relaxed and may fall behind it in a power cut, or be lost. The files then tell.
"""

from __future__ import annotations

import hashlib

from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.session_state import SessionState
from wm.ops.runtime import Runtime
from wm.store.base import Health, Ref


def epoch_id(session_id: str, number: int) -> str:
    """Id of a session's nth epoch; known before the epoch is, so that it can be locked."""
    return "p_" + hashlib.sha256(f"{session_id}\0{number}".encode()).hexdigest()[:24]


def epoch_ref(key: str, session_id: str, number: int) -> Ref[PromptEpoch]:
    return Ref(PromptEpoch, key, epoch_id(session_id, number))


def newest(runtime: Runtime, key: str, session_id: str, known: int) -> int:
    """The number of the newest epoch that has a file, counting from the `known` one."""
    number = known
    while _exists(runtime, epoch_ref(key, session_id, number + 1)):
        number += 1
    return number


def recovered(runtime: Runtime, key: str, state: SessionState) -> SessionState:
    """The state as it was before it forgot epochs: the newest is the open one, its bytes are
    what the conversation holds. A state that forgot nothing comes back as it is."""
    number = newest(runtime, key, state.session_id, state.epoch_number)
    if number == state.epoch_number:
        return state
    epoch = epoch_id(state.session_id, number)
    return state.model_copy(update={"epoch": epoch, "epoch_number": number})


def _exists(runtime: Runtime, ref: Ref[PromptEpoch]) -> bool:
    """Also one that cannot be read any more: its number is taken."""
    return runtime.store.read(ref).health is not Health.MISSING
