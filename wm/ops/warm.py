"""Pay for first uses before somebody waits: patterns are compiled, models are built.

Nothing is read or written. Whoever starts a long-lived process calls it once it has time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wm.domain.session.decisions import decisions_in
from wm.domain.session.remember import find_forgets, find_requests
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import WorkspaceMemory
from wm.ops import gate
from wm.ops.base import Operation
from wm.ops.catalogue import OPERATIONS
from wm.ops.runtime import Runtime

SAMPLE = "Remember that the loading bay opens at dawn; its gate code is kept by the harbour."


HOT = (
    *("hook", "record_event", "prompt", "remember", "edit_entry", "search", "inspect"),
    "statusline",
)
"""What agents wait for: their models are built before the first of them asks."""


def warm(runtime: Runtime, operations: Mapping[str, Operation[Any, Any]] = OPERATIONS) -> None:
    """Run every rule that compiles at its first use, as far as a usual sentence needs it, and build
    the models of the documents that every session reads and of the hot operations."""
    settings = runtime.settings.gate
    runtime.redactor.text(SAMPLE)
    for request in find_requests(SAMPLE, settings).found:
        gate.judge(runtime, request.text, type="project", source="compaction")
    find_forgets(SAMPLE, settings)
    decisions_in(SAMPLE)
    for document in (WorkspaceMemory, SessionState, PromptEpoch):
        document.model_rebuild()
    for name in HOT:
        if name in operations:
            operations[name].request.model_rebuild()
            operations[name].response.model_rebuild()
