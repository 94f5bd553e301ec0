"""Pay for first uses before somebody waits: patterns are compiled, models are built.

Nothing is read or written. Whoever starts a long-lived process calls it once it has time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wm.domain.session.decisions import decisions_in
from wm.domain.session.remember import find_forgets, find_requests
from wm.domain.workspace.quality import judge
from wm.formats.registry import DOCUMENTS
from wm.ops.base import Operation
from wm.ops.runtime import Runtime

SAMPLE = "Remember that the loading bay opens at dawn; its gate code is kept by the harbour."


def warm(runtime: Runtime, operations: Iterable[Operation[Any, Any]] = ()) -> None:
    """Run every rule that compiles at its first use, and build the models of every document and
    of these operations."""
    gate = runtime.settings.gate
    runtime.redactor.text(SAMPLE)
    for request in find_requests(SAMPLE, gate).found:
        judge(request.text, type="project", source="compaction", settings=gate)
    find_forgets(SAMPLE, gate)
    decisions_in(SAMPLE)
    for model in DOCUMENTS.values():
        model.model_rebuild()
    for operation in operations:
        operation.request.model_rebuild()
        operation.response.model_rebuild()
