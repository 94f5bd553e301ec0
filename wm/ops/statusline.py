"""One line for an agent's status line: entry count, open errors, context fill.

The token count reported here is the only exact one that Claude Code gives (PS-1). Most calls bring
nothing new; they take no lock and write nothing.
"""

from __future__ import annotations

from wm.api.protocol import Scoped, WorkspacePlace
from wm.api.sessions import EventRequest, HookAnswer, StatuslineRequest
from wm.domain.counts import budget_line, counted
from wm.domain.payloads.claude_code import usage
from wm.ops.memory.documents import read_memory
from wm.ops.operation import LocatedWork, Operation, Work, as_written
from wm.ops.paging.ledger import totals
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.session import pressure
from wm.ops.session.hot_state import pressure_ref, require_session, session_ref
from wm.wire.prices import known_window


def _run(work: Work, request: StatuslineRequest) -> HookAnswer:
    work = work.at(_place(work.runtime, request))
    session_id = _session_id(work.runtime, request)
    reserve = work.settings.pressure.claude_reserve_tokens
    event = usage(request.payload, reserve, known_window)
    if event is not None and session_id:
        asked = EventRequest(session_id=session_id, agent="claude-code", event=event)
        require_session(asked, work.settings.session)
        pressure.report(work, asked)
    memory = read_memory(work)
    active = sum(entry.status == "active" for entry in memory.entries)
    inbox = sum(entry.status == "inbox" for entry in memory.entries)
    parts = [f"wm {active} remembered"]
    parts += [f"{inbox} in inbox"] if inbox else []
    if session_id:
        parts += _session(work, session_id)
        parts += _pressure(work, session_id)
        parts += _paging(work, session_id)
    return HookAnswer(content_type="text/plain; charset=utf-8", body=" · ".join(parts))


def _place(runtime: Runtime, request: StatuslineRequest) -> WorkspacePlace:
    folders = request.payload.get("workspace")
    known = folders if isinstance(folders, dict) else {}
    named = (request.project, known.get("project_dir"), request.payload.get("cwd"))
    directory = next((path for path in named if isinstance(path, str) and path), "")
    return locate(runtime, Scoped(directory=directory))


def _session_id(runtime: Runtime, request: StatuslineRequest) -> str:
    named = request.payload.get("session_id")
    return runtime.redacted_name(named) if isinstance(named, str) and named else ""


def _session(work: LocatedWork, session_id: str) -> list[str]:
    """What the last message taught (EX-7), whether learning is paused, and the open errors."""
    state = work.read(session_ref(work.key, session_id)).document
    if state is None:
        return []
    ends = read_memory(work).learn_paused_until
    paused = ends > work.moment or state.learn_paused
    parts = [state.learned, "learning paused" if paused else ""]
    count = len(state.open_errors)
    return [*filter(None, parts), *([counted(count, "open error")] if count else [])]


def _pressure(work: LocatedWork, session_id: str) -> list[str]:
    known = work.read(pressure_ref(work.key, session_id)).document
    if known is None or not known.used:
        return []
    level = "" if known.level == "safe" else f" {known.level}"
    return [f"context {int(known.percentage)} %{level}"]


def _paging(work: LocatedWork, session_id: str) -> list[str]:
    """The budget line of this session (PX-7); nothing before paging changed its bill."""
    found = totals(work, session_id)
    if found is None or not (found.saved or found.spent or found.misses):
        return []
    return [budget_line(found)]


def _queue(runtime: Runtime, request: StatuslineRequest) -> str:
    return _place(runtime, request).key


statusline = Operation("statusline", StatuslineRequest, HookAnswer, _run, as_written, _queue)
