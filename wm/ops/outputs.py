"""The originals of pruned tool output: keep one, find one, let a session's go (PR-3, GV-1)."""

from __future__ import annotations

from wm.formats.tool_output import ToolOutput, of_file_name
from wm.ops.runtime import Runtime
from wm.store.base import Ref
from wm.store.paths import sid


def output_ref(key: str, name: str) -> Ref[ToolOutput]:
    """name: of the file, see `wm.formats.tool_output.file_name`."""
    return Ref(ToolOutput, key, name)


def discard_session(runtime: Runtime, key: str, session_id: str) -> int:
    """Delete every output of a session that the user deleted; how many there were."""
    session = sid(session_id)
    names = runtime.store.names(ToolOutput, key)
    wanted = [output_ref(key, name) for name in names if of_file_name(name)[1] == session]
    return runtime.store.discard(wanted)
