"""Applies known decisions, then a policy's new ones, to a request as splices. Pure (PX-2).

A decision names a tool result by its content and gives its replacement. Logged decisions come
first, so that the same history has the same bytes after a restart; the policy only sees results
without one. Only the content of a tool result can be replaced: ids, pairs, thinking, cache marks
and all other bytes stay unchanged. New decisions must be logged before the request is sent
(`wm.proxy.preparing` ensures this).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field

from wm.wire.body import Block, Body, ByteSpan, index, members, splice, unread
from wm.wire.history import MARK, ConversationHistory, history

Log = Mapping[str, "Decision"]
"""The decisions of a conversation, by block."""


class Decision(Struct, frozen=True):
    """block: the identity of a tool result (`wm.wire.history`). text: its replacement, never empty.
    reason: a stable word."""

    block: str
    text: str
    reason: str = ""


Policy = Callable[[Body, ConversationHistory, Log], tuple[Decision, ...]]
"""Makes the missing decisions. Pure: the same arguments give the same decisions."""


class Prepared(Struct, frozen=True):
    """raw: the body for the upstream; the same object that arrived if nothing was replaced.

    decisions: the new ones, to be logged first. replaced: number of replaced results. trouble: ""
    for success, else `late` or `failed`.
    """

    raw: bytes
    decisions: tuple[Decision, ...] = ()
    replaced: int = 0
    trouble: str = ""


def nothing(_body: Body, _history: ConversationHistory, _log: Log) -> tuple[Decision, ...]:
    """The policy that makes no decisions."""
    return ()


POLICIES: Mapping[str, Policy] = MappingProxyType({"none": nothing})
"""Policies by name, as in `wm replay --policy`."""


class Conversation(Struct):
    """The last request of one conversation, and the decisions made for it."""

    log: dict[str, Decision] = field(default_factory=dict)
    before: tuple[Body, ConversationHistory] | None = None

    def prepare(self, raw: bytes, policy: Policy = nothing) -> Prepared | None:
        """The next request as sent upstream; None if the bytes are not a request."""
        body = index(raw, self.before[0] if self.before else None)
        if body is None:
            return None
        past = history(body, self.before)
        self.before = (body, past)
        return prepare(body, past, self.log, policy)

    def keep(self, decisions: tuple[Decision, ...]) -> None:
        self.log.update((decision.block, decision) for decision in decisions)

    def rest(self) -> None:
        """Drop parsed values that can be parsed again."""
        if self.before is not None:
            self.before = (unread(self.before[0]), self.before[1])


def prepare(body: Body, past: ConversationHistory, log: Log, policy: Policy = nothing) -> Prepared:
    """The request as sent upstream."""
    new: dict[str, Decision] = {}
    for one in policy(body, past, log):
        if one.text and one.block not in log:
            new.setdefault(one.block, one)
    decided = {**log, **new} if new else log
    if not decided:
        return Prepared(body.raw)
    replacements = [
        (span, _content(block, decided[name].text))
        for block, name in results(body, past)
        if name in decided and (span := _content_of(body, block)) is not None
    ]
    raw = splice(body.raw, replacements) if replacements else body.raw
    return Prepared(raw, tuple(new.values()), len(replacements))


def results(body: Body, past: ConversationHistory) -> Iterator[tuple[Block, str]]:
    """Every tool result with its identity, in order."""
    for message, line in zip(body.messages, past.lines, strict=True):
        for block, name in zip(message.blocks, line.blocks, strict=True):
            if message.role == "user" and block.type == "tool_result":
                yield block, name


def _content_of(body: Body, block: Block) -> ByteSpan | None:
    """The span of a result's content; None if it has none to be replaced."""
    return (members(body.raw, block.span) or {}).get("content")


def _content(block: Block, text: str) -> bytes:
    """A text as the content of a result. A cache mark inside the old content stays: without it the
    client's prefix would not be cached."""
    mark = _mark_in(block.value.get("content"))
    if mark is None:
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")
    part = {"type": "text", "text": text, MARK: mark}
    return json.dumps([part], ensure_ascii=False).encode("utf-8", "replace")


def _mark_in(content: Any) -> Any:
    parts = content if isinstance(content, list) else []
    marks = [part[MARK] for part in parts if isinstance(part, dict) and MARK in part]
    return marks[-1] if marks else None
