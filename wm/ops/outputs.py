"""The originals of pruned tool output: keep one, find one, find a session's (PR-3, GV-1)."""

from __future__ import annotations

from wm.formats.tool_output import ToolOutput, of_file_name
from wm.ops.runtime import Runtime
from wm.store.base import Ref
from wm.store.paths import sid


def output_ref(key: str, name: str) -> Ref[ToolOutput]:
    """name: of the file, see `wm.formats.tool_output.file_name`."""
    return Ref(ToolOutput, key, name)


def of_session(runtime: Runtime, key: str, session_id: str) -> tuple[Ref[ToolOutput], ...]:
    """Every output of a session that is kept."""
    session = sid(session_id)
    names = runtime.store.names(ToolOutput, key)
    return tuple(output_ref(key, name) for name in names if of_file_name(name)[1] == session)
