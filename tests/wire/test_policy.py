"""Policies: what they decide is kept, and nothing else is touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from tests.wire.conversations import Conversation, conversations
from tests.wire.policies import check, prepare, results, stubbing
from wm.wire.body import Body, index, splice
from wm.wire.history import ConversationHistory, history
from wm.wire.marks import end_marked
from wm.wire.policy import Decision, Moment, Policy, Prepared, behind, dropped, nothing, replaced
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
    return lambda body, past, _log, _moment: tuple(
        Decision(n, text) for _, n in results(body, past)
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


REMINDER = "The first line.\nThe rest of it."


@pytest.mark.parametrize(
    "content",
    [REMINDER, [{"type": "text", "text": REMINDER}], [{"type": "text", "text": REMINDER, **MARK}]],
)
def test_a_text_of_the_client_is_shortened_in_either_spelling(content: Any) -> None:
    """Claude Code sends its reminders as a list while they have a cache mark, later as a string."""
    raw = json.dumps({"messages": [{"role": "system", "content": content}]}).encode()
    _, past = opened(raw)
    place = past.places[0][0]
    log = {place: Decision(place, '[[1, 1, "[shorter]"]]', "repeated", "lines", 1)}
    assert texts_of(prepare(*opened(raw), log).raw) == ["The first line.\n[shorter]"]


def test_a_shortened_text_can_have_passages_and_a_mark_behind_it() -> None:
    raw = json.dumps({"messages": [{"role": "user", "content": REMINDER}]}).encode()
    body, past = opened(raw)
    place = past.places[0][0]
    shorter = Decision(place, '[[1, 1, "[shorter]"]]', "repeated", "lines", 1)
    splices, _ = replaced(body, past, {place: shorter}, dropped(body, past, {}))
    marked = splice(raw, [*splices, *end_marked(body.messages[0], MARK["cache_control"])])
    (message,) = json.loads(marked)["messages"]
    assert message["content"] == [{"type": "text", "text": "The first line.\n[shorter]", **MARK}]
    log = {one.block: one for one in (shorter, passages(place, "the pilot"))}
    both = ["The first line.\n[shorter]", "the pilot"]
    assert texts_of(prepare(*opened(raw), log).raw) == both


def texts_of(raw: bytes) -> list[str]:
    """The texts of the only message."""
    (message,) = json.loads(raw)["messages"]
    content = message["content"]
    return [content] if isinstance(content, str) else [one["text"] for one in content]


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
    spans = members(text, ByteSpan(0, len(text)))
    assert (spans and {n: (s.start, s.end) for n, s in spans.items()}) == found


def test_a_policy_is_a_function_of_its_values() -> None:
    policies: list[Callable[..., Any]] = [nothing, stubbing(1), everything("x")]
    raw = raw_of(result("long"), result("longer"), result("longest"))
    body, past = opened(raw)
    for policy in policies:
        assert policy(body, past, {}, Moment()) == policy(body, past, {}, Moment())


# --- passages ---------------------------------------------------------------------------------


def steps_of(count: int) -> bytes:
    """A prompt, and so many steps behind it."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for number in range(count):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls"}}
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"quay {number}"}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [answer]})
    return json.dumps({"messages": messages}).encode()


def passages(place: str, text: str) -> Decision:
    return Decision(behind(place), text, "behaviour", "passages", 0)


def contents(raw: bytes) -> list[list[str]]:
    """The texts and results of each message of the user."""
    found = [m["content"] for m in json.loads(raw)["messages"] if m["role"] == "user"]
    return [
        [c] if isinstance(c, str) else [b.get("text") or b["content"] for b in c] for c in found
    ]


def test_passages_follow_the_message_and_leave_its_block_free_for_decisions() -> None:
    raw = steps_of(3)
    _, past = opened(raw)
    place = past.places[4][-1]
    log = {d.block: d for d in (passages(place, "the pilot"), Decision(place, "[gone]"))}
    made = prepare(*opened(raw), log)
    assert made.replaced == 2
    assert contents(made.raw) == [["Go."], ["quay 0"], ["[gone]", "the pilot"], ["quay 2"]]


def test_passages_go_with_their_step_and_precede_the_lines_of_later_steps() -> None:
    raw = steps_of(4)
    _, past = opened(raw)
    prompt, first, second = past.places[0][-1], past.places[2][-1], past.places[4][-1]
    log = {d.block: d for d in (passages(prompt, "the pilot"), passages(second, "the crane"))}
    log[first] = Decision(first, "[step 0]", "cut", "step", 4)
    made = prepare(*opened(raw), log)
    before = [["Go.", "the pilot", "[step 0]"], ["quay 1", "the crane"], ["quay 2"], ["quay 3"]]
    assert contents(made.raw) == before
    assert made.replaced == 3
    log[second] = Decision(second, "[step 1]", "cut", "step", 4)
    made = prepare(*opened(raw), log)
    after = [["Go.", "the pilot", "[step 0]", "[step 1]"], ["quay 2"], ["quay 3"]]
    assert contents(made.raw) == after
    assert made.replaced == 3


def test_passages_behind_an_answer_have_no_effect() -> None:
    raw = steps_of(2)
    _, past = opened(raw)
    one = passages(past.places[1][-1], "the pilot")
    assert prepare(*opened(raw), {one.block: one}).raw == raw
