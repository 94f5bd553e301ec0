"""Puts the calls of phantom tools, and their results, back into a client's history (PX-5). Pure.

A phantom tool is one that `wm` offers and answers itself: the client sees neither the call nor the
result, so its later requests lack both. Here they return to where they happened, so that the
service gets the history that it wrote. All blocks of the client keep their bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from wm.wire.answer import spelled
from wm.wire.block import MARK, Block, digest
from wm.wire.body import Body, Message, Replacement
from wm.wire.cleanup_tags import TEACH, without_tags
from wm.wire.history import ConversationHistory
from wm.wire.spans import ByteSpan, members

_THINKING = "h"
"""First letter of the keys of thinking, which a client may leave out of its history."""


class PhantomRound(Struct, frozen=True, omit_defaults=True):
    """One answer of the service of which the client did not see all. seen: the keys of the blocks
    that it got (`seen_key`). calls: each block that it did not get as JSON, with the number of seen
    blocks before it. results: of the calls among these, as JSON. texts: texts with cleanup tags as
    JSON, with the number of the seen block that the client got instead."""

    seen: tuple[str, ...]
    calls: tuple[tuple[int, str], ...]
    results: tuple[str, ...]
    texts: tuple[tuple[int, str], ...] = ()


class PhantomExchange(Struct, frozen=True):
    """All such answers to one request of the client. after: the place of the end of that request
    (`wm.wire.history`). Without rounds: it was given up."""

    after: str
    rounds: tuple[PhantomRound, ...]

    @property
    def is_blind(self) -> bool:
        """Nothing that the client got tells whether its answer is this one."""
        return not any(one.seen for one in self.rounds)

    @property
    def name(self) -> str:
        """The same for a longer exchange that begins like this one."""
        return f"x_{_digest(self.after + encoded(self.rounds[0]))}"


def encoded(value: Struct) -> str:
    return msgspec.json.encode(value).decode()


def decoded(text: str) -> PhantomExchange:
    """Raises ValueError for anything else."""
    return msgspec.json.decode(text, type=PhantomExchange)


def phantom_round(
    content: Sequence[Mapping[str, Any]],
    names: frozenset[str],
    results: Sequence[Mapping[str, Any]],
) -> PhantomRound:
    """content: of the answer. names: of the phantom tools. results: of its calls of these."""
    seen: list[str] = []
    calls: list[tuple[int, str]] = []
    texts: list[tuple[int, str]] = []
    for block in content:
        shown = shown_block(block, names)
        key = "" if shown is None else seen_key(shown)
        if shown is None:
            calls.append((len(seen), spelled(block).decode()))
        elif key and shown is not block:
            texts.append((len(seen), spelled(block).decode()))
        seen += [key] if key else []
    said = tuple(spelled(result).decode() for result in results)
    return PhantomRound(tuple(seen), tuple(calls), said, tuple(texts))


def shown_block(block: Mapping[str, Any], names: frozenset[str]) -> Mapping[str, Any] | None:
    """A block of an answer as the client gets it: the same object if it is as it came, None if the
    client does not get it."""
    if is_call(block, names):
        return None
    shown = without_tags(block) if TEACH in names else block
    return shown if shown is block or shown["text"].strip() else None


def is_call(block: Mapping[str, Any], names: frozenset[str]) -> bool:
    return block.get("type") == "tool_use" and block.get("name") in names


def seen_key(block: Mapping[str, Any]) -> str:
    """What a block is recognised by when the client sends it back; "" for an empty text, which
    clients may leave out."""
    kind = str(block.get("type"))
    if kind == "text":
        text = str(block.get("text", "")).strip()
        return f"t{_digest(text)}" if text else ""
    if kind == "tool_use":
        return f"c{_digest(str(block.get('id')))}"
    if kind in ("thinking", "redacted_thinking"):
        bound = block.get("signature") or block.get("data") or block.get("thinking")
        return _THINKING + _digest(str(bound))
    return f"o{kind}"


def _digest(text: str) -> str:
    return digest(text.encode("utf-8", "replace"))


# --- tools ----------------------------------------------------------------------------------------


def can_offer(body: Body, names: frozenset[str]) -> bool:
    """Whether the client runs tools, and none of them is one of these under any prefix."""
    listed = [str(block.value.get("name", "")) for block in body.tools]
    runs = any("input_schema" in block.value for block in body.tools)
    return runs and not any(known.endswith(name) for known in listed for name in names)


def with_tools(body: Body, tools: str) -> Replacement:
    """The splice that appends tools, JSON values joined by commas, to those of the client."""
    end = body.fields["tools"].end - 1
    return ByteSpan(end, end), b"," + tools.encode()


def with_system(body: Body, text: str) -> Replacement:
    """The splice that appends a text to the system prompt of the client."""
    block = spelled({"type": "text", "text": text})
    span = body.fields.get("system")
    if span is None:
        begin = body.raw.index(b"{") + 1
        return ByteSpan(begin, begin), b'"system":[%b],' % block
    known = span.of(body.raw)
    if known.startswith(b'"'):
        return span, b'[{"type":"text","text":%b},%b]' % (known, block)
    inner = known[1:-1].strip()
    return ByteSpan(span.end - 1, span.end - 1), b"," + block if inner else block


def continued(raw: bytes, content: Sequence[Any], results: Sequence[Any]) -> bytes:
    """The request that goes on after an answer with calls of phantom tools only. raw: the request
    that was answered, as it was sent."""
    span = (members(raw, ByteSpan(0, len(raw))) or {}).get("messages")
    if span is None:
        raise ValueError("the request has no messages")
    added = [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
    end = span.end - 1
    return b"%b,%b%b" % (raw[:end], spelled(added)[1:-1], raw[end:])


# --- history --------------------------------------------------------------------------------------


def restored(
    body: Body, past: ConversationHistory, exchanges: Mapping[str, Sequence[PhantomExchange]]
) -> list[Replacement]:
    """The splices that put exchanges back. exchanges: by the place of the end of the request that
    was answered; the newest that fits the answer is taken."""
    found: list[Replacement] = []
    after = ""
    waiting: tuple[str, ...] = ()
    for message, places in zip(body.messages, past.places, strict=True):
        if waiting and message.role == "user" and message.blocks:
            found.append(_in_front(message.blocks, waiting))
            waiting = ()
        elif waiting and message.role == "assistant":
            start = message.span.start
            found.append((ByteSpan(start, start), _message("user", waiting) + b","))
            waiting = ()
        if message.role == "assistant" and message.blocks:
            parts = next(_fitting(message, exchanges.get(after, ())), None)
            if parts is not None:
                splices, waiting = _split(body.raw, message, parts)
                found += splices
        after = places[-1] if places else after
    if waiting:
        end = body.messages[-1].span.end
        found.append((ByteSpan(end, end), b"," + _message("user", waiting)))
    return found


_Item = int | str | tuple[int, str]
"""A block: that of the client with this number, one that it does not have, or one in place of the
client's."""


class _Part(Struct):
    """One answer of the service. items: its blocks, those of the client by number. last: the number
    of the client's blocks up to its end."""

    items: list[_Item]
    results: tuple[str, ...]
    last: int = 0


class _Matching(Struct):
    """Goes through the client's blocks. at: number of the next one."""

    keys: list[str]
    at: int = 0
    items: list[_Item] = field(default_factory=list)

    def take(self, key: str) -> bool:
        """Go on to the block with this key. False if it is not the next one."""
        end = self.at
        while end < len(self.keys) and not self.keys[end]:
            end += 1
        if end == len(self.keys) or self.keys[end] != key:
            has_thinking = any(one.startswith(_THINKING) for one in self.keys)
            return key.startswith(_THINKING) and not has_thinking
        self.items += range(self.at, end + 1)
        self.at = end + 1
        return True


def _fitting(message: Message, exchanges: Sequence[PhantomExchange]) -> Iterator[list[_Part]]:
    """The parts of the message for each exchange that fits it, the newest first."""
    keys = [seen_key(block.value) for block in message.blocks]
    for exchange in (one for one in reversed(exchanges) if one.rounds):
        matching = _Matching(keys)
        parts = [part for one in exchange.rounds if (part := _part(matching, one)) is not None]
        if len(parts) == len(exchange.rounds):
            yield parts


def _part(matching: _Matching, one: PhantomRound) -> _Part | None:
    """The part of this round, whose blocks must come next; None if they do not."""
    matching.items = []
    calls, texts = list(one.calls), dict(one.texts)
    for number in range(len(one.seen) + 1):
        while calls and calls[0][0] == number:
            matching.items.append(calls.pop(0)[1])
        if number < len(one.seen) and not matching.take(one.seen[number]):
            return None
        if number in texts:
            matching.items[-1] = (matching.at - 1, texts[number])
    return _Part(matching.items, one.results, matching.at)


def _split(
    raw: bytes, message: Message, parts: Sequence[_Part]
) -> tuple[list[Replacement], tuple[str, ...]]:
    """The splices for an answer in parts, and the results that belong to the next message."""
    blocks = message.blocks
    texts = [[_written(item, blocks) for item in part.items] for part in parts]
    *earlier, last = [*zip(texts, (part.results for part in parts), strict=True)]
    rest = parts[-1].last
    if last[1] and any(seen_key(block.value) for block in blocks[rest:]):
        earlier.append(last)
        waiting: tuple[str, ...] = ()
        # The blocks that stay keep their bytes, and so does what is around them.
        gone = ByteSpan(blocks[0].span.start, blocks[rest].span.start)
        splices: list[Replacement] = [(gone, b"")] if rest else []
    else:
        content = [*last[0], *(_written(n, blocks) for n in range(rest, len(blocks)))]
        waiting, splices = last[1], [(_content(raw, message), b"[%b]" % b",".join(content))]
    made = b"".join(
        b"%b,%b," % (_message("assistant", content), _message("user", results))
        for content, results in earlier
    )
    start = message.span.start
    return [(ByteSpan(start, start), made), *splices], waiting


def _content(raw: bytes, message: Message) -> ByteSpan:
    span = (members(raw, message.span) or {}).get("content")
    assert span is not None, "a message with blocks has content"
    return span


def _written(item: _Item, blocks: Sequence[Block]) -> bytes:
    if isinstance(item, str):
        return item.encode()
    if isinstance(item, tuple):
        number, text = item
        mark = blocks[number].value.get(MARK)
        return spelled({**json.loads(text), MARK: mark}) if mark else text.encode()
    block = blocks[item]
    return b'{"type":"text","text":%b}' % block.raw if block.text else block.raw


def _message(role: str, content: Sequence[bytes | str]) -> bytes:
    listed = (one.encode() if isinstance(one, str) else one for one in content)
    return b'{"role":"%b","content":[%b]}' % (role.encode(), b",".join(listed))


def _in_front(blocks: Sequence[Block], results: Sequence[str]) -> Replacement:
    """The splice that puts results before all blocks of a message: the service wants them first."""
    first = blocks[0]
    made = ",".join(results).encode()
    if first.text:
        return first.span, b"[%b,%b]" % (made, _written(0, blocks))
    return ByteSpan(first.span.start, first.span.start), made + b","
