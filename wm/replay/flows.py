"""Logs of a proxy: flows, and the recorded bodies that belong to them (PX-11).

`flows/<sid>.jsonl` describes every exchange by sizes, identities and cache marks, which is all
the cache model needs; if `recordings/<sid>.jsonl` lies beside it, requests are rebuilt from
there. One of the two is enough. The exchanges of a session are read at once and yielded in the
order in which they began.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from pydantic import ValidationError

from wm.domain.recording import Reader
from wm.formats.flow import Flow
from wm.formats.recording import Recording
from wm.replay.requests import JsonObject, Sent, SkippedRequests, seconds
from wm.store.paths import FLOWS, RECORDINGS
from wm.text.jsontext import object_of
from wm.wire.body import index
from wm.wire.identity import MESSAGES, identify
from wm.wire.outline import Unfolding
from wm.wire.usage import Usage

GOOD = 200
NAME_DIGITS = 8


def is_flow(found: JsonObject) -> bool:
    return "flowId" in found and "requestBytes" in found


def is_recording(found: JsonObject) -> bool:
    return "exchange" in found and ("request" in found or "parts" in found)


class _KnownRequest(Struct, frozen=True):
    """What is known of one exchange."""

    flow: Flow | None
    raw: bytes | None
    at: float | None


def flows(lines: Iterable[JsonObject], left: SkippedRequests, path: Path) -> Iterator[Sent]:
    """The requests of a session. path: one of its logs; the other one is looked for beside it."""
    described: list[Flow] = []
    recorded: list[Recording] = []
    for found in lines:
        _take(found, described, recorded, left)
    other = RECORDINGS if described else FLOWS
    for found in _beside(path, other, left):
        _take(found, described, recorded, left)
    bodies = _bodies(recorded)
    known = [_KnownRequest(f, bodies.pop(f.flow_id, None), _began(f)) for f in described]
    rest = {line.exchange: seconds(line.at) for line in recorded}
    known += (_KnownRequest(None, raw, rest[name]) for name, raw in bodies.items())
    # In the order of the log, because histories build on each other.
    unfoldings: dict[str, Unfolding] = {}
    outlined = [(one, _outline(one, unfoldings)) for one in known]
    for one, outline in sorted(outlined, key=lambda pair: pair[0].at or 0.0):
        if one.flow is not None and (why := _not_replayed(one.flow)):
            left.add(why)
        elif one.raw is not None:
            yield _of_body(one.raw, one.at, one.flow)
        elif outline is not None:
            yield outline
        else:
            left.add("requests that the log does not hold whole")


def _take(
    found: JsonObject, described: list[Flow], recorded: list[Recording], left: SkippedRequests
) -> None:
    try:
        if is_flow(found):
            described.append(Flow.model_validate(found))
        elif is_recording(found):
            recorded.append(Recording.model_validate(found))
    except ValidationError:
        left.add("lines that are damaged")


def _beside(log: Path, other: str, left: SkippedRequests) -> Iterator[JsonObject]:
    """The lines of the session's other log, if there is one."""
    path = log.parent.parent / other / log.name
    if log.parent.name not in (FLOWS, RECORDINGS) or not path.is_file():
        return
    try:
        with path.open("rb") as file:
            for line in file:
                found = object_of(line)
                if found is not None:
                    yield found
                elif line.strip():
                    left.add("lines that are not JSON")
    except OSError:
        # One of the two logs is enough.
        left.add(f"logs in {other} that could not be read")


def _bodies(recorded: Iterable[Recording]) -> dict[str, bytes | None]:
    """The request bodies by exchange."""
    rebuilt = map(Reader().take, recorded)
    return {one.line.exchange: one.request for one in rebuilt if one is not None}


def _outline(one: _KnownRequest, unfoldings: dict[str, Unfolding]) -> Sent | None:
    """The exchange without its body; None if the log does not hold enough."""
    flow = one.flow
    if flow is None or not flow.messages or not flow.path.endswith(MESSAGES):
        return None
    name = _conversation(flow)
    row = unfoldings.setdefault(name, Unfolding()).take(flow)
    if row is None or not row.units:
        return None
    outline = (row, flow.request_bytes, flow.messages)
    return Sent(b"", name, one.at, _usage(flow), call=flow.call, outline=outline)


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
    return "" if flow.messages else "bodies that are not requests"


def _conversation(flow: Flow) -> str:
    parts = (flow.session[:NAME_DIGITS], flow.subagent, "" if flow.call == "main" else flow.call)
    return "/".join(part for part in parts if part)


def _usage(flow: Flow) -> Usage | None:
    return Usage.of(flow.usage) if flow.usage is not None and flow.usage.prompt else None


def _began(flow: Flow) -> float | None:
    started, ended = seconds(flow.started_at), seconds(flow.created_at)
    if started is None and ended is not None:
        return ended - flow.times.ended / 1000
    return started
