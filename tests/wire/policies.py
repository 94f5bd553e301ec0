"""A policy that no user has, and what has to hold for any policy and any history."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec.structs import asdict

from tests.clients.validity import refusals
from tests.wire.conversations import Conversation
from wm.wire import conversation as followed
from wm.wire.block import Block
from wm.wire.body import Body, splice
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, Log, Moment, Policy, Prepared, dropped, nothing, replaced


def prepare(
    body: Body,
    past: ConversationHistory,
    log: Log,
    policy: Policy = nothing,
    moment: Moment | None = None,
) -> Prepared:
    """The request as sent upstream."""
    new: dict[str, Decision] = {}
    for one in policy(body, past, log, moment or Moment()):
        if one.text and one.block not in log:
            new.setdefault(one.block, one)
    decided = {**log, **new} if new else log
    steps = dropped(body, past, decided)
    replacements, applied = replaced(body, past, decided, steps)
    raw = splice(body.raw, replacements) if replacements else body.raw
    return Prepared(raw, tuple(new.values()), len(applied))


def results(body: Body, past: ConversationHistory) -> Iterator[tuple[Block, str]]:
    """Every tool result with its place, in order."""
    for message, places in zip(body.messages, past.places, strict=True):
        for block, place in zip(message.blocks, places, strict=True):
            if message.role == "user" and block.type == "tool_result":
                yield block, place


def stubbing(seed: int) -> Policy:
    """Takes away some results, once two newer ones stand behind them."""

    def policy(
        body: Body, past: ConversationHistory, log: Log, _moment: Moment
    ) -> tuple[Decision, ...]:
        names = [name for _, name in results(body, past)]
        return tuple(
            Decision(name, f"[taken out: {name}] ünd 'quotes' \"\\", "old")
            for name in names[:-2]
            if (int(name, 16) + seed) % 3 and name not in log
        )

    return policy


def read_again(log: Log) -> dict[str, Decision]:
    """The log as it comes back from a file."""
    stored = json.loads(json.dumps([asdict(one) for one in log.values()]))
    return {one["block"]: Decision(**one) for one in stored}


def without_contents(body: Any) -> Any:
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_result":
                block.pop("content", None)
    return body


def check(made: Conversation) -> int:
    """Everything that has to hold for any history, at each request of it; how many there were.

    One process follows the whole conversation; at each request another one starts from the log.
    """
    policy = stubbing(len(made.messages))
    live = followed.Conversation()
    requests = made.requests()
    for raw in requests:
        prepared = live.prepare(raw, policy)
        assert prepared is not None
        live.keep(prepared.decisions)
        restarted = followed.Conversation(read_again(live.log))
        assert restarted.prepare(raw, policy) == Prepared(prepared.raw, (), prepared.replaced)
        assert restarted.prepare(raw, nothing) == Prepared(prepared.raw, (), prepared.replaced)
        assert restarted.before is not None
        assert prepare(*restarted.before, {}, nothing).raw is raw
        goes = json.loads(prepared.raw)
        assert refusals(goes, made.ledger) == []
        assert without_contents(goes) == without_contents(json.loads(raw))
    assert refusals(json.loads(requests[-1]), made.ledger) == []
    return len(requests)
