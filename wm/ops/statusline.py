"""One line for an agent's status line: what is remembered here, what is open."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from wm.formats.base import Record
from wm.formats.protocol import HookAnswer, Scoped
from wm.ops.base import Operation, Work
from wm.ops.memory import read_memory
from wm.ops.place import locate
from wm.ops.sessions import session_ref


class StatuslineRequest(Record):
    """The agent's own payload, and what it says its project folder is."""

    payload: dict[str, Any] = Field(default_factory=dict)
    project: str = ""


def _run(work: Work, request: StatuslineRequest) -> HookAnswer:
    folders = request.payload.get("workspace")
    known = folders if isinstance(folders, dict) else {}
    named = (request.project, known.get("project_dir"), request.payload.get("cwd"))
    directory = next((path for path in named if isinstance(path, str) and path), "")
    place = locate(work.runtime, Scoped(directory=directory))
    memory = read_memory(work, place)
    active = sum(entry.status == "active" for entry in memory.entries)
    inbox = sum(entry.status == "inbox" for entry in memory.entries)
    parts = [f"wm {active} remembered"]
    parts += [f"{inbox} in inbox"] if inbox else []
    parts += _open_errors(work, place.key, request.payload.get("session_id"))
    return HookAnswer(content_type="text/plain; charset=utf-8", body=" · ".join(parts))


def _open_errors(work: Work, key: str, session_id: object) -> list[str]:
    if not isinstance(session_id, str) or not session_id:
        return []
    name = work.runtime.redacted_name(session_id)
    state = work.read(session_ref(key, name)).document
    count = len(state.open_errors) if state is not None else 0
    return [f"{count} open error{'s' if count != 1 else ''}"] if count else []


statusline = Operation("statusline", StatuslineRequest, HookAnswer, _run)
