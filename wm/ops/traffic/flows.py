"""Store the flows that proxies report (PX-10).

A path, or a field of a newer proxy, may contain a secret: everything but block identities is
redacted first. The daemon is the only writer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from wm.api.protocol import FinishAnswer, FinishRequest
from wm.formats.base import dump
from wm.formats.flow import Flow
from wm.ops.operation import Operation, Work
from wm.ops.place import locate
from wm.ops.session.hot_state import require_session
from wm.ops.traffic.conversations import measured
from wm.store import paths

IDENTITY = re.compile(r"[0-9a-f]{16}", re.ASCII)
"""Digest of a block's content: it looks like a secret but is not one."""


def _finish(work: Work, request: FinishRequest) -> FinishAnswer:
    require_session(request, work.runtime.settings.session)
    place = locate(work.runtime, request)
    session = paths.sid(request.session_id)
    told = _without_secrets(dump(request.note), work.runtime.redactor.text)
    flow = Flow.model_validate(
        {
            **told,
            "flowId": work.new_id("f_"),
            "createdAt": work.moment,
            "workspaceKey": place.key,
            "session": session,
        }
    )
    work.runtime.store.append_flow(place.key, session, flow)
    if full := measured(flow, work.runtime.settings.pressure):
        work.runtime.signals.zones.put((place.key, session), (full.zone, work.now))
    return FinishAnswer(place=place, flow_id=flow.flow_id)


def _without_secrets(value: Any, redact: Callable[[str], str]) -> Any:
    """A path, or a field added by a newer proxy, may contain a secret (TR-1)."""
    if isinstance(value, str):
        return value if IDENTITY.fullmatch(value) else redact(value)
    if isinstance(value, dict):
        return {redact(name): _without_secrets(inner, redact) for name, inner in value.items()}
    return [_without_secrets(v, redact) for v in value] if isinstance(value, list) else value


finish_request = Operation("finish_request", FinishRequest, FinishAnswer, _finish)
