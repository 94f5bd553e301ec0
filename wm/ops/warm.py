"""Warm up a process that serves a session: compile patterns and build models before its first
prompt.

Reads and writes no files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wm.domain.learning.requests import find_requests_and_forgets
from wm.domain.learning.statements import decisions_in
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import WorkspaceMemory
from wm.ops.learning.remember import judge
from wm.ops.operation import Operation
from wm.ops.runtime import Runtime

SAMPLE = "Remember that the loading bay opens at dawn; its gate code is kept by the harbour."


HOT = (
    *("hook", "record_event", "prompt", "remember", "edit_entry", "search", "inspect"),
    "statusline",
)
"""Operations that agents wait for; their models are built before the first request."""


def warm(runtime: Runtime, operations: Mapping[str, Operation[Any, Any]]) -> None:
    """Run every rule that compiles on first use with a typical sentence, and build the models of
    the documents that every session reads and of the hot operations."""
    settings = runtime.settings.gate
    runtime.redactor.text(SAMPLE)
    asked, _forgets = find_requests_and_forgets(SAMPLE, settings)
    for request in asked.found:
        judge(runtime, request.text, type="project", source="compaction")
    decisions_in(SAMPLE)
    for document in (WorkspaceMemory, SessionState, PromptEpoch):
        document.model_rebuild()
    for name in HOT:
        if name in operations:
            operations[name].request.model_rebuild()
            operations[name].response.model_rebuild()
