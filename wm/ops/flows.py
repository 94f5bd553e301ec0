"""What proxies passed on, written down and read back (PX-10)."""

from __future__ import annotations

from wm.formats.flow import Flow
from wm.formats.protocol import FinishAnswer, FinishRequest
from wm.ops.base import Operation, Work
from wm.ops.place import locate
from wm.ops.sessions import require_session
from wm.store import paths


def _finish(work: Work, request: FinishRequest) -> FinishAnswer:
    require_session(request, work.runtime.settings.session)
    place = locate(work.runtime, request)
    session = paths.sid(request.session_id)
    redact = work.runtime.redactor.text
    note = request.note
    told = note.model_copy(update={"path": redact(note.path), "model": redact(note.model)})
    flow = Flow.model_validate(
        {
            **told.model_dump(by_alias=True),
            "flowId": work.runtime.ids.new("f_"),
            "createdAt": work.moment,
            "workspaceKey": place.key,
            "session": session,
        }
    )
    work.runtime.store.append_flow(place.key, session, flow)
    return FinishAnswer(place=place, flow_id=flow.flow_id)


finish_request = Operation("finish_request", FinishRequest, FinishAnswer, _finish)
