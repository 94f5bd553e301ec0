"""What a session's model knows already: the entries that its frozen prompt shows (EP-1).

So that nothing is said to it twice in vain. Only reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.protocol import Place, ToolRequest
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.base import Work
from wm.ops.place import locate
from wm.ops.sessions import session_ref
from wm.store.base import Ref

APART = frozenset({"opencode"})
"""Agents that name a subagent's session apart. Claude Code's subagents call with the session of
the one that started them, and have none of its prompt."""


def in_prompt(work: Work, entries: Iterable[MemoryEntry], request: ToolRequest) -> frozenset[str]:
    """Ids of those entries that the caller's prompt shows, as they are now."""
    if not request.session:
        return frozenset()
    place = locate(work.runtime, request)
    state = work.read(session_ref(place.key, request.session)).document
    if state is None or state.subagent or state.agent not in APART:
        return frozenset()
    return shown(epoch_of(work, place, state), entries)


def epoch_of(work: Work, place: Place, state: SessionState) -> PromptEpoch | None:
    """The epoch that is open."""
    return work.read(Ref(PromptEpoch, place.key, state.epoch)).document if state.epoch else None


def shown(epoch: PromptEpoch | None, entries: Iterable[MemoryEntry]) -> frozenset[str]:
    """Ids of those entries that the epoch's text shows and that did not change since."""
    if epoch is None:
        return frozenset()
    included = {name for block in epoch.blocks for name in block.included}
    return frozenset(
        entry.id
        for entry in entries
        if entry.id in included and entry.updated_at <= epoch.created_at
    )
