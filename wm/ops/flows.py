"""What proxies passed on, written down and read back (PX-10)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from wm.formats.base import dump
from wm.formats.flow import Flow
from wm.formats.protocol import FinishAnswer, FinishRequest
from wm.ops.base import Operation, Work
from wm.ops.conversations import measured
from wm.ops.place import locate
from wm.ops.sessions import require_session
from wm.store import paths

IDENTITY = re.compile(r"[0-9a-f]{16}", re.ASCII)
"""What a block says, as a digest: it looks like a secret and is none."""


def _finish(work: Work, request: FinishRequest) -> FinishAnswer:
    require_session(request, work.runtime.settings.session)
    place = locate(work.runtime, request)
    session = paths.sid(request.session_id)
    told = _without_secrets(dump(request.note), work.runtime.redactor.text)
    flow = Flow.model_validate(
        {
            **told,
            "flowId": work.runtime.ids.new("f_"),
            "createdAt": work.moment,
            "workspaceKey": place.key,
            "session": session,
        }
    )
    work.runtime.store.append_flow(place.key, session, flow)
    if full := measured(flow, work.runtime.settings.pressure):
        work.runtime.zones.tell((place.key, session), full.zone, work.now)
    return FinishAnswer(place=place, flow_id=flow.flow_id)


def _without_secrets(value: Any, redact: Callable[[str], str]) -> Any:
    """A path or a field of a newer proxy may quote anything (TR-1)."""
    if isinstance(value, str):
        return value if IDENTITY.fullmatch(value) else redact(value)
    if isinstance(value, dict):
        return {redact(name): _without_secrets(inner, redact) for name, inner in value.items()}
    return [_without_secrets(v, redact) for v in value] if isinstance(value, list) else value


finish_request = Operation("finish_request", FinishRequest, FinishAnswer, _finish)
