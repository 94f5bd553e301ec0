"""The prompt epochs of a session: their ids, the newest one, and what the open one shows (EP-1).

An epoch file is written once and flushed before the answer. The session's state has durability
class relaxed: after a power cut it may be older than the epoch, or lost; the epoch files then say
which epoch is open. Read only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from wm.api.protocol import ToolRequest
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.operation import LocatedWork, Work
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.session.hot_state import session_ref
from wm.store.base import Health, Ref

APART = frozenset({"opencode"})
"""Agents that give a subagent's session its own id. Claude Code's subagents call with the session
id of their parent, but do not have its prompt."""


def epoch_id(session_id: str, number: int) -> str:
    """Id of a session's nth epoch. Computed before the epoch exists, so that it can be locked."""
    return "p_" + hashlib.sha256(f"{session_id}\0{number}".encode()).hexdigest()[:24]


def epoch_ref(key: str, session_id: str, number: int) -> Ref[PromptEpoch]:
    return Ref(PromptEpoch, key, epoch_id(session_id, number))


def newest(runtime: Runtime, key: str, session_id: str, known: int) -> int:
    """The number of the newest epoch with a file, counting up from `known`."""
    number = known
    while _exists(runtime, epoch_ref(key, session_id, number + 1)):
        number += 1
    return number


def recovered(runtime: Runtime, key: str, state: SessionState) -> SessionState:
    """The state with the newest epoch open, if the state lost epochs: the conversation contains the
    bytes of that epoch. Returns an up-to-date state unchanged."""
    number = newest(runtime, key, state.session_id, state.epoch_number)
    if number == state.epoch_number:
        return state
    epoch = epoch_id(state.session_id, number)
    return state.model_copy(update={"epoch": epoch, "epoch_number": number})


def _exists(runtime: Runtime, ref: Ref[PromptEpoch]) -> bool:
    """Whether the file exists, readable or not: its number is taken."""
    return runtime.store.read(ref).health is not Health.MISSING


def in_prompt(work: Work, entries: Iterable[MemoryEntry], request: ToolRequest) -> frozenset[str]:
    """Ids of the entries that the caller's prompt shows in their current form."""
    if not request.session:
        return frozenset()
    work = work.at(locate(work.runtime, request))
    state = work.read(session_ref(work.key, request.session)).document
    if state is None or state.subagent or state.agent not in APART:
        return frozenset()
    return shown(epoch_of(work, state.epoch), entries)


def epoch_of(work: LocatedWork, epoch: str) -> PromptEpoch | None:
    """The epoch with this id; None for "" and for an unknown one."""
    return work.read(Ref(PromptEpoch, work.key, epoch)).document if epoch else None


def shown(epoch: PromptEpoch | None, entries: Iterable[MemoryEntry]) -> frozenset[str]:
    """Ids of the entries that the epoch's text shows and that have not changed since."""
    if epoch is None:
        return frozenset()
    included = {name for block in epoch.blocks for name in block.included}
    return frozenset(
        entry.id
        for entry in entries
        if entry.id in included and entry.updated_at <= epoch.created_at
    )
