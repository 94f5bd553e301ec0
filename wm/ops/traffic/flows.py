"""Store the flows that proxies report (PX-10), and record bodies of exchanges on request (PX-11).

A path, a field of a newer proxy or a body may contain a secret: everything but block identities is
redacted first. The daemon is the only writer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from wm.api.sessions import FinishAnswer, FinishRequest, RecordAnswer, RecordRequest
from wm.domain.recording import Cut, NotJson, RecordingIndex, RecordingLine, cut
from wm.domain.times import iso, parse
from wm.errors import HostError
from wm.formats.base import dump
from wm.formats.flow import Flow
from wm.formats.recording import Recording
from wm.ops.operation import Operation, Work
from wm.ops.place import locate
from wm.ops.session.hot_state import require_session
from wm.ops.traffic.conversations import measured
from wm.store import paths

IDENTITY = re.compile(r"[0-9a-f]{16}", re.ASCII)
"""Digest of a block's content: it looks like a secret but is not one."""


def _finish(work: Work, request: FinishRequest) -> FinishAnswer:
    require_session(request, work.settings.session)
    work = work.at(locate(work.runtime, request))
    session = paths.sid(request.session_id)
    redacted = _without_secrets(dump(request.note), work.redact)
    flow = Flow.model_validate(
        {
            **redacted,
            "flowId": work.new_id("f_"),
            "createdAt": work.moment,
            "workspaceKey": work.key,
            "session": session,
        }
    )
    work.store.append_flow(work.key, session, flow)
    work.notify(Flow.slug, session)
    if full := measured(flow, work.settings.pressure):
        work.runtime.signals.zones.put((work.key, session), (full.zone, work.now))
    return FinishAnswer(place=work.place, flow_id=flow.flow_id)


def _without_secrets(value: Any, redact: Callable[[str], str]) -> Any:
    """A path, or a field added by a newer proxy, may contain a secret (TR-1)."""
    if isinstance(value, str):
        return value if IDENTITY.fullmatch(value) else redact(value)
    if isinstance(value, dict):
        return {redact(name): _without_secrets(inner, redact) for name, inner in value.items()}
    return [_without_secrets(v, redact) for v in value] if isinstance(value, list) else value


finish_request = Operation("finish_request", FinishRequest, FinishAnswer, _finish)


# --- recordings -------------------------------------------------------------------------------

BASE_UNKNOWN, FULL, NOT_JSON = "base_unknown", "full", "not_json"
_NAME = re.compile(r"[a-z]_[0-9a-f]{16,32}", re.ASCII)
_KINDS = frozenset({"message", "json", "text"})


def _record(work: Work, request: RecordRequest) -> RecordAnswer:
    runtime = work.runtime
    require_session(request, runtime.settings.session)
    names = [name for name in (request.exchange, request.base) if name]
    if not request.exchange or not all(map(_NAME.fullmatch, names)):
        raise HostError.of("proxy.no_flow_name")
    place = locate(runtime, request)
    try:
        parts = [cut(part.encode("utf-8"), runtime.redactor) for part in request.parts]
        answer = [cut(part.encode("utf-8"), runtime.redactor) for part in request.answer]
    except (NotJson, UnicodeEncodeError):
        return RecordAnswer(place=place, reason=NOT_JSON)
    lost: list[str] = []

    def made(index: RecordingIndex) -> Recording | None:
        line = _line(index, request, parts, answer)
        if line is None:
            lost.append(BASE_UNKNOWN)
        return line

    session = paths.sid(request.session_id)
    most = runtime.settings.proxy.recording_max_bytes
    if not runtime.store.append_recording(place.key, session, most, made):
        lost.append(FULL)
    return RecordAnswer(place=place, reason=next(iter(lost), ""))


def _line(
    index: RecordingIndex, request: RecordRequest, parts: list[Cut], answer: list[Cut]
) -> Recording | None:
    """The record to write; None if the request that this one continues is unknown."""
    begin = index.kept(request.base, request.keep)
    if begin is None:
        return None
    line = RecordingLine(index)
    entries = (*begin, *map(line.entry, parts))
    answer_entries = tuple(map(line.entry, answer))
    fields = {
        "exchange": request.exchange,
        "at": iso(moment) if (moment := parse(request.at)) is not None else "",
        "more": request.more,
        "answer_kind": request.answer_kind if answer and request.answer_kind in _KINDS else "",
    }
    return line.done(entries, answer_entries, fields, request.base)


record_exchange = Operation("record_exchange", RecordRequest, RecordAnswer, _record)
