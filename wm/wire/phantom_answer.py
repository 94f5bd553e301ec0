"""Takes the calls of phantom tools out of an answer, streamed or not (PX-5). Pure.

The client gets one message. The service may need several requests for it: after an answer with
calls of phantom tools only, the generation goes on. The client sees the first beginning, all blocks
but these calls, numbered without gaps, and one end with the sum of all usage. An answer without
such calls passes byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from wm.text.jsontext import as_object, object_of
from wm.wire.answer import MessageAssembly, spelled
from wm.wire.cleanup_tags import TEACH, StreamPart, TaggedBlock
from wm.wire.phantom_history import PhantomRound, is_call, phantom_round, shown_block
from wm.wire.sse import StreamEvent
from wm.wire.usage import Usage, usage_of

_MESSAGE = frozenset(
    {
        *("message_start", "message_delta", "message_stop"),
        *("content_block_start", "content_block_delta", "content_block_stop"),
    }
)


class PhantomAnswer(Struct, eq=False):
    """One answer to the client, a `StreamInterceptor` of each answer of the service.

    names: of the phantom tools, and `TEACH` if the model may use cleanup tags. After each answer of
    the service: `calls` are to be carried out; `take_results`, and either the events of the next
    answer, or `close`.
    """

    names: frozenset[str]
    rounds: tuple[PhantomRound, ...] = ()
    """The answers with calls that were carried out."""
    content: list[dict[str, Any]] = []
    """Blocks of the answer that ended last, if it has calls to carry out, or tags."""
    first_usage: Usage | None = None
    """Of the answer to the client's own request, if another one followed."""
    _usage: dict[str, Any] = {}
    _assembly: MessageAssembly = field(default_factory=MessageAssembly)
    _numbers: dict[int, int] = {}
    """Number of a block for the client, by its number in the present answer."""
    _shown: int = 0
    _blocks: list[Mapping[str, Any]] = []
    """Of a message that is not streamed: the blocks for the client."""
    _text: TaggedBlock | None = None
    """The text block that is being streamed, if it may have tags."""
    _end: list[bytes] = []
    """Events of the end, while they are held back."""
    _last: dict[str, Any] = {}
    """The answer of the service that ended last."""

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Calls to carry out."""
        return [block for block in self.content if is_call(block, self.names)]

    @property
    def goes_on(self) -> bool:
        """Whether the client has nothing to do, so that the generation can go on now."""
        shown = self._visible(self.content)
        return bool(self.calls) and all(block.get("type") != "tool_use" for block in shown)

    def with_results(self, results: Sequence[Mapping[str, Any]]) -> tuple[PhantomRound, ...]:
        """All rounds, the last one with these results of its calls, in order."""
        return (*self.rounds, phantom_round(self.content, self.names, results))

    def take_results(self, results: Sequence[Mapping[str, Any]]) -> None:
        """The calls were carried out."""
        self.rounds, self.content = self.with_results(results), []

    def go_on(self) -> None:
        """Another answer of the service follows."""
        usage = self._last.get("usage")
        if self.first_usage is None:
            self.first_usage = usage_of(usage) or Usage()
        self._usage = _sum(self._usage, as_object(usage))
        self._assembly, self._numbers, self._end = MessageAssembly(), {}, []

    def close(self, stop_reason: str = "") -> bytes:
        """The end of the message, or all of a message that is not streamed. stop_reason: instead of
        that of the service."""
        if self._end and not (stop_reason or self._usage):
            end, self._end = b"".join(self._end), []
            return end
        ended = {"stop_reason": stop_reason} if stop_reason else {}
        usage = _sum(self._usage, self._last.get("usage") or {})
        if not self._end:  # not streamed
            return spelled({**self._last, **ended, "content": self._blocks, "usage": usage})
        delta = {"stop_reason": self._last.get("stop_reason"), "stop_sequence": None, **ended}
        if "stop_sequence" in self._last:
            delta["stop_sequence"] = self._last["stop_sequence"]
        event = {"type": "message_delta", "delta": delta, "usage": usage}
        last, self._end = self._end[-1], []
        return _spelled_event("message_delta", event) + last

    # -- not streamed --------------------------------------------------------------------------

    def whole(self, raw: bytes) -> bytes:
        """A complete answer of the service: the bytes for the client; b"" while calls are carried
        out."""
        found = object_of(raw)
        if found is None or found.get("type") != "message":
            return raw
        content = [b for b in found.get("content") or [] if isinstance(b, dict)]
        if not (self._hides(content) or self.rounds):
            return raw
        self._blocks += self._visible(content)
        return b"" if self._finish_round(found, content) else self.close()

    # -- streamed ------------------------------------------------------------------------------

    def event(self, raw: bytes, event: StreamEvent | None) -> bytes:
        """The bytes for the client, of one event of the service."""
        if event is None or event.name not in _MESSAGE:
            if self._text is None or not self._text.waiting:
                return raw
            self._text.waiting.append((raw, "", {}))
            return b""
        body = json.loads(event.data)
        self._assembly.add(event.name, body)
        match event.name:
            case "message_start":
                return b"" if self.rounds else raw
            case "message_delta":
                self._end.append(raw)
                return b""
            case "message_stop":
                self._end.append(raw)
                found = self._assembly.value() or {}
                return b"" if self._finish_round(found, found.get("content", [])) else self.close()
        return self._of_block(raw, event.name, body)

    def ended(self) -> bytes:
        """What is held back of a stream that broke off."""
        if self.content:
            return b""
        return self.unreturned() * (not self.rounds)

    def unreturned(self) -> bytes:
        """What is held back now: text that may be a tag, and events of the end."""
        text = b"" if self._text is None else b"".join(map(self._numbered, self._text.flush()))
        rest, self._end, self._text = text + b"".join(self._end), [], None
        return rest

    def _of_block(self, raw: bytes, name: str, body: dict[str, Any]) -> bytes:
        if name == "content_block_start":
            block = body["content_block"]
            is_text = block.get("type") == "text" and not block.get("text")
            self._text = TaggedBlock() if is_text and TEACH in self.names else None
            if is_call(block, self.names):
                return b""
        if self._text is None:
            return self._numbered((raw, name, body))
        shown = self._text.event(raw, name, body)
        if name == "content_block_stop":
            self._text = None
        return b"".join(map(self._numbered, shown))

    def _numbered(self, part: StreamPart) -> bytes:
        raw, name, body = part
        if not name:
            return raw
        index = body["index"]
        if name == "content_block_start":
            self._numbers[index] = self._shown
            self._shown += 1
        number = self._numbers.get(index)
        if number is None:
            return b""
        is_same = raw and number == index
        return raw if is_same else _spelled_event(name, {**body, "index": number})

    def _finish_round(self, message: dict[str, Any], content: list[dict[str, Any]]) -> bool:
        """An answer of the service is complete: keep it if it has calls to carry out, or tags, and
        return whether it does. Calls of an answer that was cut short are not carried out: its end
        tells the client."""
        self._last = message
        found = [_sound(block) for block in content]
        if message.get("stop_reason") != "tool_use":
            found = [block for block in found if not is_call(block, self.names)]
        self.content = found if self._hides(found) else []
        return bool(self.content)

    def _hides(self, content: Sequence[dict[str, Any]]) -> bool:
        return any(shown_block(block, self.names) is not block for block in content)

    def _visible(self, content: Sequence[dict[str, Any]]) -> list[Mapping[str, Any]]:
        """The blocks for the client; one that it gets as it is, is the same object."""
        return [one for block in content if (one := shown_block(block, self.names)) is not None]


def _sound(block: dict[str, Any]) -> dict[str, Any]:
    """A call whose arguments are not JSON gets none: the service would refuse it in a history."""
    if block.get("type") != "tool_use" or isinstance(block.get("input"), dict):
        return block
    return {**{k: v for k, v in block.items() if k != "partial_json"}, "input": {}}


def _sum(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Two `usage` objects added up; of anything but numbers the other's."""
    made = dict(one)
    for name, value in other.items():
        known = one.get(name)
        if isinstance(value, dict) and isinstance(known, dict):
            made[name] = _sum(known, value)
        elif isinstance(value, int) and isinstance(known, int):
            made[name] = known + value
        elif value is not None or name not in one:
            made[name] = value
    return made


def _spelled_event(name: str, body: Mapping[str, Any]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), spelled(body))
