"""Record bodies of exchanges on request (PX-11).

A body that a proxy hands over is redacted here before anything else happens to it.
"""

from __future__ import annotations

import re

from wm.api.protocol import RecordAnswer, RecordRequest
from wm.domain.recording import Cut, NotJson, RecordingIndex, RecordingLine, cut
from wm.domain.times import iso, parse
from wm.errors import HostError
from wm.formats.recording import Recording
from wm.ops.operation import Operation, Work
from wm.ops.place import locate
from wm.ops.session.hot_state import require_session
from wm.store import paths

BASE_UNKNOWN, FULL, NOT_JSON = "base_unknown", "full", "not_json"
_NAME = re.compile(r"[a-z]_[0-9a-f]{16,32}", re.ASCII)
_KINDS = frozenset({"message", "json", "text"})


def _record(work: Work, request: RecordRequest) -> RecordAnswer:
    runtime = work.runtime
    require_session(request, runtime.settings.session)
    names = [name for name in (request.exchange, request.base) if name]
    if not request.exchange or not all(map(_NAME.fullmatch, names)):
        raise HostError(
            "exchange and base are names of flows: a letter, `_` and hex digits.",
            fix="Give the flowId that finish_request answered.",
        )
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
    told = tuple(map(line.entry, answer))
    fields = {
        "exchange": request.exchange,
        "at": iso(moment) if (moment := parse(request.at)) is not None else "",
        "more": request.more,
        "answer_kind": request.answer_kind if answer and request.answer_kind in _KINDS else "",
    }
    return line.done(entries, told, fields, request.base)


record_exchange = Operation("record_exchange", RecordRequest, RecordAnswer, _record)
