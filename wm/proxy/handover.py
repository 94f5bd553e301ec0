"""Sends recorded bodies to the daemon, which redacts secrets and writes them (PX-11, TR-1).

Writes nothing itself. Of each request it sends only the parts after those of the conversation's
previous request; if the daemon no longer has that one, it sends all parts. A body that cannot be
recorded is counted with the reason; it was forwarded all the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from wm.daemon.client_async import AsyncClient
from wm.proxy.observing import Bodies, Note, iso
from wm.wire.answer import message, spelled
from wm.wire.encodings import opener
from wm.wire.parts import answer_parts, parts, shared

MOST_AT_ONCE = 4 * 1024 * 1024
"""Maximum bytes per call. A longer request takes several calls; a part is never split."""
MOST_TEXT = 64 * 1024
_MAX_CONVERSATIONS = 128
_BASE_UNKNOWN = "base_unknown"
TOO_LARGE, NO_TEXT = "too large", "no text in UTF-8"


class _Ready(Struct, frozen=True):
    """Bodies in the form of the daemon's call. marks: a digest of each part."""

    parts: list[bytes]
    marks: list[bytes]
    answer: list[str]
    kind: str


class Handover(Struct, eq=False):
    """The recorder of one proxy; handles one exchange at a time. Runs on the event loop.

    unpacked_bytes: limit for a decompressed answer. token: makes a new name of 16 hex digits.
    """

    client: AsyncClient
    unpacked_bytes: int
    token: Callable[[], str] = lambda: secrets.token_hex(8)
    _last: OrderedDict[str, tuple[str, list[bytes]]] = field(default_factory=OrderedDict)
    recorded: int = 0
    left: Counter[str] = field(default_factory=Counter)
    """Exchanges that were not recorded, by reason."""

    async def hand_over(
        self, note: Note, whose: Mapping[str, Any], flow_id: str, deadline_s: float
    ) -> None:
        """Record one exchange. Raises WmError if the daemon cannot be reached."""
        why, name = note.unrecorded, note.identity.conversation
        if note.bodies is not None:
            why = await self._record(name, note.bodies, whose, flow_id, deadline_s)
            self.recorded += not why
        if why:
            self.left[why] += 1

    async def _record(
        self, name: str, bodies: Bodies, whose: Mapping[str, Any], flow_id: str, deadline_s: float
    ) -> str:
        """Why these bodies were not recorded, or "". name: of the conversation."""
        # In a thread: parsing a long answer must not delay another exchange.
        ready = await asyncio.to_thread(_ready, bodies, self.unpacked_bytes)
        if max(map(len, ready.parts), default=0) > MOST_AT_ONCE:
            return TOO_LARGE
        base, before = self._last.get(name, ("", []))
        fields = {**whose, "at": iso(bodies.at)}
        try:
            keep = shared(before, ready.marks)
            reason = await self._send(ready, base, keep, fields, flow_id, deadline_s)
            if reason == _BASE_UNKNOWN:
                reason = await self._send(ready, "", 0, fields, flow_id, deadline_s)
        except UnicodeDecodeError:
            return NO_TEXT
        if not reason:
            self._last[name] = (flow_id, ready.marks)
            self._last.move_to_end(name)
            while len(self._last) > _MAX_CONVERSATIONS:
                self._last.popitem(last=False)
        return reason.replace("_", " ")

    async def _send(
        self,
        ready: _Ready,
        base: str,
        keep: int,
        fields: Mapping[str, Any],
        flow_id: str,
        deadline_s: float,
    ) -> str:
        """Send it in one or more calls. Returns why nothing was recorded, or ""."""
        calls = list(_calls(ready.parts, keep))
        name, reason = base, ""
        for number, (begin, end) in enumerate(calls, start=1):
            last = number == len(calls)
            request = {
                **fields,
                "exchange": flow_id if last else f"x_{self.token()}",
                "base": name,
                "keep": begin,
                "parts": [part.decode("utf-8") for part in ready.parts[begin:end]],
                "more": not last,
                "answer": ready.answer if last else [],
                "answerKind": ready.kind if last else "",
            }
            answer = await self.client.call("record_exchange", request, deadline_s=deadline_s)
            reason, name = str(answer.get("reason", "")), str(request["exchange"])
            if reason:
                break
        return reason


def _calls(found: list[bytes], keep: int) -> Iterator[tuple[int, int]]:
    """Ranges of parts after `keep`, one per call; at least one range."""
    begin, size = keep, 0
    for number in range(keep, len(found)):
        if size and size + len(found[number]) > MOST_AT_ONCE:
            yield begin, number
            begin, size = number, 0
        size += len(found[number])
    yield begin, len(found)


def _ready(bodies: Bodies, most: int) -> _Ready:
    found = parts(bodies.request)
    marks = [hashlib.blake2b(part, digest_size=8).digest() for part in found]
    answer, kind = _answer(bodies, most)
    return _Ready(found, marks, answer, kind)


def _answer(bodies: Bodies, most: int) -> tuple[list[str], str]:
    """The parts of the answer as JSON, and its kind; empty if it cannot be kept."""
    try:
        raw, kind = _body(bodies, most)
        return [part.decode("utf-8") for part in answer_parts(raw)] if raw else [], kind
    except (ValueError, RecursionError):
        return [], ""


def _body(bodies: Bodies, most: int) -> tuple[bytes, str]:
    """Raises ValueError for data that is not valid in its declared encoding."""
    found = opener(bodies.encoding, most)
    opened = [] if found is None else [found.feed(piece) for piece in bodies.answer]
    if bodies.kind.startswith("text/event-stream"):
        whole = message(opened)
        return (whole, "message") if whole else (b"", "")
    raw = b"".join(opened)
    if "json" in bodies.kind and len(raw) <= MOST_AT_ONCE:
        return raw, "json"
    if bodies.kind.startswith("text/") and 0 < len(raw) <= MOST_TEXT:
        return spelled(raw.decode("utf-8")), "text"
    return b"", ""
