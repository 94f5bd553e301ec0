"""Hands bodies over to the daemon, which takes secrets out and writes them (PX-11, TR-1).

Nothing is written here. Of a request only what its conversation did not hand over before is
sent; where the daemon does not know that any more, all of it. A body that cannot be handed over is
counted, with the reason, and passed on all the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from wm.daemon.client_async import AsyncClient
from wm.proxy.watching import Bodies, Note, iso
from wm.wire.answer import message, spelled
from wm.wire.encodings import opener
from wm.wire.parts import answer_parts, parts, shared

MOST_AT_ONCE = 4 * 1024 * 1024
"""Bytes of one call; a longer request goes in several, a part as a whole."""
MOST_TEXT = 64 * 1024
_MAX_CONVERSATIONS = 128
_BASE_UNKNOWN = "base_unknown"
TOO_LARGE, NO_TEXT = "too large", "no text in UTF-8"


class _Ready(Struct, frozen=True):
    """Bodies as they go to the daemon. marks: a digest of each part."""

    parts: list[bytes]
    marks: list[bytes]
    answer: list[str]
    kind: str


class Handover:
    """Of one proxy; called for one exchange after the other. On the event loop.

    unpacked_bytes: so much is read of a compressed answer. token: a new name, 16 hex digits.
    """

    def __init__(
        self,
        client: AsyncClient,
        unpacked_bytes: int,
        token: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._client = client
        self._unpacked_bytes = unpacked_bytes
        self._token = token
        self._last: OrderedDict[str, tuple[str, list[bytes]]] = OrderedDict()
        self.recorded = 0
        self.left: Counter[str] = Counter()
        """Exchanges that were not recorded, by reason."""

    async def hand_over(
        self, note: Note, whose: Mapping[str, Any], flow_id: str, deadline_s: float
    ) -> None:
        """Raises WmError where the daemon cannot be asked."""
        if note.unrecorded:
            self.left[note.unrecorded] += 1
        if note.bodies is None:
            return
        # Beside the loop: taking a long answer apart must not keep another exchange waiting.
        ready = await asyncio.to_thread(_ready, note.bodies, self._unpacked_bytes)
        if max(map(len, ready.parts), default=0) > MOST_AT_ONCE:
            self.left[TOO_LARGE] += 1
            return
        name = note.identity.conversation
        base, before = self._last.get(name, ("", []))
        fields = {**whose, "at": iso(note.bodies.at)}
        try:
            keep = shared(before, ready.marks)
            reason = await self._send(ready, base, keep, fields, flow_id, deadline_s)
            if reason == _BASE_UNKNOWN:
                reason = await self._send(ready, "", 0, fields, flow_id, deadline_s)
        except UnicodeDecodeError:
            self.left[NO_TEXT] += 1
            return
        if reason:
            self.left[reason.replace("_", " ")] += 1
            return
        self.recorded += 1
        self._last[name] = (flow_id, ready.marks)
        self._last.move_to_end(name)
        while len(self._last) > _MAX_CONVERSATIONS:
            self._last.popitem(last=False)

    async def _send(
        self,
        ready: _Ready,
        base: str,
        keep: int,
        fields: Mapping[str, Any],
        flow_id: str,
        deadline_s: float,
    ) -> str:
        """Why nothing was recorded, "" where it was."""
        calls = list(_calls(ready.parts, keep))
        name, reason = base, ""
        for number, (begin, end) in enumerate(calls, start=1):
            last = number == len(calls)
            told = {
                **fields,
                "exchange": flow_id if last else f"x_{self._token()}",
                "base": name,
                "keep": begin,
                "parts": [part.decode("utf-8") for part in ready.parts[begin:end]],
                "more": not last,
                "answer": ready.answer if last else [],
                "answerKind": ready.kind if last else "",
            }
            said = await self._client.call("record_exchange", told, deadline_s=deadline_s)
            reason, name = str(said.get("reason", "")), str(told["exchange"])
            if reason:
                break
        return reason


def _calls(found: list[bytes], keep: int) -> Iterator[tuple[int, int]]:
    """The parts behind `keep` in stretches that one call takes; at least one stretch."""
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
    """The parts of the answer as JSON, and what it is; none for one that cannot be kept."""
    raw, kind = _whole(bodies, most)
    try:
        return [part.decode("utf-8") for part in answer_parts(raw)] if raw else [], kind
    except UnicodeDecodeError:
        return [], ""


def _whole(bodies: Bodies, most: int) -> tuple[bytes, str]:
    try:
        opened = _opened(bodies, most)
        if bodies.kind.startswith("text/event-stream"):
            whole = message(opened)
            return (whole, "message") if whole else (b"", "")
        raw = b"".join(opened)
        if "json" in bodies.kind:
            return (raw, "json") if len(raw) <= MOST_AT_ONCE else (b"", "")
        if bodies.kind.startswith("text/") and 0 < len(raw) <= MOST_TEXT:
            return spelled(raw.decode("utf-8")), "text"
    except (ValueError, RecursionError):
        pass
    return b"", ""


def _opened(bodies: Bodies, most: int) -> list[bytes]:
    """Raises ValueError for what is not in its encoding."""
    found = opener(bodies.encoding, most)
    return [] if found is None else [found.feed(piece) for piece in bodies.answer]
