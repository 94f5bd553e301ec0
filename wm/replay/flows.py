"""Logs of a proxy: flows, and the recorded bodies that belong to them (PX-11).

`flows/<sid>.jsonl` describes every exchange by sizes, identities and cache marks, which is all
the cache model needs; if `recordings/<sid>.jsonl` lies beside it, requests are rebuilt from
there. One of the two is enough. The exchanges of a session are read at once and yielded in the
order in which they began.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from pydantic import ValidationError

from wm.domain.recording import Reader
from wm.domain.times import parse
from wm.formats.flow import Flow, FlowLine
from wm.formats.recording import Recording
from wm.replay.requests import JsonObject, Sent, SkippedRequests, read_object
from wm.store.paths import FLOWS, RECORDINGS
from wm.wire.body import index
from wm.wire.identity import identify
from wm.wire.outline import OutlineRow, Unfolding
from wm.wire.usage import Usage

MESSAGES = "/v1/messages"
GOOD = 200
NAME_DIGITS = 8


def is_flow(found: JsonObject) -> bool:
    return "flowId" in found and "requestBytes" in found


def is_recording(found: JsonObject) -> bool:
    return "exchange" in found and ("request" in found or "parts" in found)


class _Known(Struct, frozen=True):
    """What is known of one exchange. order: its position in the file."""

    flow: Flow | None
    raw: bytes | None
    at: float | None
    order: int


class Flows:
    """Implements `wm.replay.requests.Source`. path: the log to read; the other log of the session
    is looked for beside it."""

    kind = "flow"

    def __init__(self, left: SkippedRequests, path: Path) -> None:
        self._left = left
        self._path = path
        self._flows: list[Flow] = []
        self._lines: list[Recording] = []

    def line(self, found: JsonObject) -> Iterator[Sent]:
        self._take(found)
        yield from ()

    def end(self) -> Iterator[Sent]:
        for found in self._beside():
            self._take(found)
        bodies = self._bodies()
        known = [
            _Known(flow, bodies.pop(flow.flow_id, None), _began(flow), number)
            for number, flow in enumerate(self._flows)
        ]
        rest = {line.exchange: _at(line.at) for line in self._lines}
        known += [
            _Known(None, raw, rest[name], len(known) + number)
            for number, (name, raw) in enumerate(bodies.items())
        ]
        unfoldings: dict[str, Unfolding] = {}
        outlines = {one.order: self._outline(one, unfoldings) for one in known}
        for one in sorted(known, key=lambda one: (one.at or 0.0, one.order)):
            sent = self._sent(one, outlines[one.order])
            if sent is not None:
                yield sent

    def _take(self, found: JsonObject) -> None:
        try:
            if is_flow(found):
                self._flows.append(Flow.model_validate(found))
            elif is_recording(found):
                self._lines.append(Recording.model_validate(found))
        except ValidationError:
            self._left.add("lines that are damaged")

    def _beside(self) -> Iterator[JsonObject]:
        """The lines of the session's other log, if there is one."""
        other = RECORDINGS if self._flows else FLOWS
        path = self._path.parent.parent / other / self._path.name
        if self._path.parent.name not in (FLOWS, RECORDINGS) or not path.is_file():
            return
        try:
            with path.open("rb") as file:
                for line in file:
                    found = read_object(line)
                    if found is not None:
                        yield found
                    elif line.strip():
                        self._left.add("lines that are no JSON")
        except OSError:
            # One of the two logs is enough.
            self._left.add(f"logs in {other} that could not be read")

    def _bodies(self) -> dict[str, bytes | None]:
        """The request bodies by exchange."""
        reader = Reader()
        rebuilt = (reader.take(line) for line in self._lines)
        return {one.line.exchange: one.request for one in rebuilt if one is not None}

    def _outline(self, one: _Known, unfoldings: dict[str, Unfolding]) -> Sent | None:
        """The exchange without its body; None if the log does not hold enough. Call in log order,
        because histories build on each other."""
        flow = one.flow
        if flow is None or not flow.messages or not flow.path.endswith(MESSAGES):
            return None
        name = _conversation(flow)
        row = unfoldings.setdefault(name, Unfolding()).take(
            map(_line, flow.before),
            flow.common,
            map(_line, flow.lines),
            flow.messages,
            (flow.marks, flow.modes, flow.model),
        )
        if row is None or not row.units:
            return None
        outline = (row, flow.request_bytes, flow.messages)
        return Sent(b"", name, one.at, _usage(flow), call=flow.call, outline=outline)

    def _sent(self, one: _Known, outline: Sent | None) -> Sent | None:
        flow = one.flow
        if flow is not None and (why := _not_replayed(flow)):
            self._left.add(why)
            return None
        if one.raw is not None:
            return _of_body(one.raw, one.at, flow)
        if outline is None:
            self._left.add("requests that the log does not hold whole")
        return outline


def _of_body(raw: bytes, at: float | None, flow: Flow | None) -> Sent:
    if flow is not None:
        return Sent(raw, _conversation(flow), at, _usage(flow), call=flow.call)
    found = identify(MESSAGES, {}, index(raw))
    return Sent(raw, f"session/{found.call}", at, call=found.call)


def _not_replayed(flow: Flow) -> str:
    """Why an exchange is not replayed; "" if it is."""
    if not flow.path.endswith(MESSAGES):
        return "other paths of the service"
    if flow.status != GOOD:
        return "requests that the service refused"
    return "" if flow.messages else "bodies that are no request"


def _conversation(flow: Flow) -> str:
    parts = (flow.session[:NAME_DIGITS], flow.subagent, "" if flow.call == "main" else flow.call)
    return "/".join(part for part in parts if part)


def _line(line: FlowLine) -> OutlineRow:
    return OutlineRow(line.role, line.blocks, line.sizes)


def _usage(flow: Flow) -> Usage | None:
    told = flow.usage
    if told is None:
        return None
    usage = Usage(
        input=told.input,
        output=told.output,
        cache_read=told.cache_read,
        cache_write_5m=told.cache_write_5m,
        cache_write_1h=told.cache_write_1h,
    )
    return usage if usage.prompt else None


def _began(flow: Flow) -> float | None:
    started = _at(flow.started_at)
    if started is not None:
        return started
    ended = _at(flow.created_at)
    return None if ended is None else ended - flow.times.ended / 1000


def _at(text: str) -> float | None:
    moment = parse(text)
    return moment.timestamp() if moment is not None else None
