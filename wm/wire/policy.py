"""What is decided of a request: known decisions, then a policy's new ones, as splices. Pure (PX-2).

A decision names a tool result by its content and says what stands in its place. Decisions come
from the log first, so that the same history has the same bytes after a restart; only results
without one are shown to the policy. Only the content of a tool result can be replaced: ids, pairs,
thinking, marks and every other byte stay as they came. New decisions have to be in the log before
the request leaves (`wm.wire.turn` sees to it).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field

from wm.wire.body import Block, Body, Span, index, members, splice, unread
from wm.wire.history import MARK, History, history

Log = Mapping[str, "Decision"]
"""The decisions of a conversation, by block."""


class Decision(Struct, frozen=True):
    """block: the identity of a tool result (`wm.wire.history`). text: what stands in its place;
    never empty. reason: a stable word."""

    block: str
    text: str
    reason: str = ""


Policy = Callable[[Body, History, Log], tuple[Decision, ...]]
"""Decides what is not decided yet. Pure: the same arguments, the same decisions."""


class Prepared(Struct, frozen=True):
    """raw: what goes upstream; the very bytes that came where nothing was replaced.

    decisions: the new ones, to be logged first. replaced: how many results are not as they came.
    """

    raw: bytes
    decisions: tuple[Decision, ...] = ()
    replaced: int = 0


def nothing(_body: Body, _history: History, _log: Log) -> tuple[Decision, ...]:
    """The policy that decides nothing."""
    return ()


POLICIES: Mapping[str, Policy] = MappingProxyType({"none": nothing})
"""Policies by name, as `wm replay --policy` takes them."""


class Conversation(Struct):
    """What one conversation sent last, and what was decided of it."""

    log: dict[str, Decision] = field(default_factory=dict)
    before: tuple[Body, History] | None = None

    def prepare(self, raw: bytes, policy: Policy = nothing) -> Prepared | None:
        """Its next request as it goes upstream; None for bytes that are none."""
        body = index(raw, self.before[0] if self.before else None)
        if body is None:
            return None
        told = history(body, self.before)
        self.before = (body, told)
        return prepare(body, told, self.log, policy)

    def keep(self, decisions: tuple[Decision, ...]) -> None:
        self.log.update((decision.block, decision) for decision in decisions)

    def rest(self) -> None:
        """Give up what can be read again."""
        if self.before is not None:
            self.before = (unread(self.before[0]), self.before[1])


def prepare(body: Body, told: History, log: Log, policy: Policy = nothing) -> Prepared:
    """The request as it goes upstream."""
    new: dict[str, Decision] = {}
    for one in policy(body, told, log):
        if one.text and one.block not in log:
            new.setdefault(one.block, one)
    decided = {**log, **new} if new else log
    if not decided:
        return Prepared(body.raw)
    replacements = [
        (span, _content(block, decided[name].text))
        for block, name in results(body, told)
        if name in decided and (span := _content_of(body, block)) is not None
    ]
    raw = splice(body.raw, replacements) if replacements else body.raw
    return Prepared(raw, tuple(new.values()), len(replacements))


def results(body: Body, told: History) -> Iterator[tuple[Block, str]]:
    """Every tool result with its identity, in order."""
    for message, line in zip(body.messages, told.lines, strict=True):
        for block, name in zip(message.blocks, line.blocks, strict=True):
            if message.role == "user" and block.type == "tool_result":
                yield block, name


def _content_of(body: Body, block: Block) -> Span | None:
    """Where the content of a result stands; None where it has none to be replaced."""
    return (members(body.raw, block.span) or {}).get("content")


def _content(block: Block, text: str) -> bytes:
    """A text as the content of a result. A mark inside of the old content stays: with it would
    go what the client wants to have cached."""
    mark = _mark_in(block.value.get("content"))
    if mark is None:
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")
    part = {"type": "text", "text": text, MARK: mark}
    return json.dumps([part], ensure_ascii=False).encode("utf-8", "replace")


def _mark_in(content: Any) -> Any:
    parts = content if isinstance(content, list) else []
    marks = [part[MARK] for part in parts if isinstance(part, dict) and MARK in part]
    return marks[-1] if marks else None
