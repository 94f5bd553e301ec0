"""Policies: what they decide is kept, and nothing else is touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from tests.wire.conversations import Conversation, conversations
from tests.wire.policies import check, stubbing
from wm.wire.body import Body, index
from wm.wire.history import ConversationHistory, history
from wm.wire.policy import Decision, Moment, Policy, Prepared, nothing, prepare, results
from wm.wire.spans import ByteSpan, members


def opened(raw: bytes) -> tuple[Body, ConversationHistory]:
    body = index(raw)
    assert body is not None
    return body, history(body)


def sent(raw: bytes, log: dict[str, Decision], policy: Policy) -> Prepared:
    """A request goes out; its decisions are logged first."""
    prepared = prepare(*opened(raw), log, policy)
    log.update({one.block: one for one in prepared.decisions})
    return prepared


@settings(max_examples=30, deadline=None)
@given(conversations(most_turns=3))
def test_any_history_stays_valid_and_has_the_same_bytes_after_a_restart(made: Conversation) -> None:
    check(made)


# --- by example ---------------------------------------------------------------------------


def result(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "a", "content": content, **more}


def raw_of(*blocks: dict[str, Any]) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": list(blocks)}]}).encode()


def everything(text: str) -> Policy:
    return lambda body, told, _log, _moment: tuple(
        Decision(n, text) for _, n in results(body, told)
    )


MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
PART = {"type": "text", "text": "long"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (result("long"), result("short")),
        (result([PART]), result("short")),
        (result("long", is_error=True, novel=[1.50]), result("short", is_error=True, novel=[1.5])),
        (result("long", **MARK), result("short", **MARK)),
        (result([PART, {**PART, **MARK}]), result([{**PART, "text": "short", **MARK}])),
        ({"type": "tool_result", "tool_use_id": "a"}, {"type": "tool_result", "tool_use_id": "a"}),
    ],
)
def test_the_content_of_a_result_is_replaced_and_its_marks_are_kept(
    before: Any, after: Any
) -> None:
    prepared = prepare(*opened(raw_of(before)), {}, everything("short"))
    assert json.loads(prepared.raw) == json.loads(raw_of(after))


def test_bytes_outside_the_content_are_unchanged() -> None:
    raw = b'{ "messages":[{"content":[ {"content" :"long","n":1.50e0, "type":"tool_result"}],"role"\
:"user"}],"z":"\\u00e9" }'
    prepared = prepare(*opened(raw), {}, everything("short"))
    assert prepared.raw == raw.replace(b'"long"', b'"short"')


def test_a_decision_applies_to_either_spelling_and_any_marks() -> None:
    raw = raw_of(result("long"))
    log: dict[str, Decision] = {}
    sent(raw, log, everything("short"))
    for spelled in (result([PART]), result([{**PART, **MARK}]), result("long", **MARK)):
        assert b"long" not in prepare(*opened(raw_of(spelled)), log, nothing).raw


def test_a_policy_cannot_change_a_decision_or_replace_with_nothing() -> None:
    raw = raw_of(result("long"))
    log: dict[str, Decision] = {}
    first = sent(raw, log, everything("short"))
    assert sent(raw, log, everything("other")) == Prepared(first.raw, (), 1)
    assert prepare(*opened(raw), {}, everything("")).raw == raw


def test_a_result_with_duplicate_names_is_not_changed() -> None:
    raw = raw_of(result("long")).replace(b'"content": "long"', b'"content": "a", "content": "long"')
    prepared = prepare(*opened(raw), {}, everything("short"))
    assert (prepared.raw, prepared.replaced) == (raw, 0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b'{"a": 1, "b":[2]}', {"a": (6, 7), "b": (13, 16)}),
        (b"{}", {}),
        (b'{"a":1,"a":2}', None),
        (b"[1]", None),
        (b'{"a":', None),
    ],
)
def test_members_of_an_object_are_located(
    text: bytes, found: dict[str, tuple[int, int]] | None
) -> None:
    told = members(text, ByteSpan(0, len(text)))
    assert (told and {n: (s.start, s.end) for n, s in told.items()}) == found


def test_a_policy_is_a_function_of_its_values() -> None:
    policies: list[Callable[..., Any]] = [nothing, stubbing(1), everything("x")]
    raw = raw_of(result("long"), result("longer"), result("longest"))
    body, told = opened(raw)
    for policy in policies:
        assert policy(body, told, {}, Moment()) == policy(body, told, {}, Moment())
