"""The scripted upstream: what it refuses, counts and sends. No client is needed here."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.clients.accounting import Block, ThinkingLedger, canonical
from tests.clients.scripts import (
    Answer,
    Request,
    answer,
    call,
    is_main,
    is_subagent,
    is_summary,
    is_title,
    say,
    script,
    think,
    turns,
)
from tests.clients.upstream import BINDING_BETA, Upstream
from tests.clients.validity import refusals

USER = {"role": "user", "content": "Hello"}
MARK = {"type": "ephemeral"}


def body(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "claude-opus-5-5", "max_tokens": 100, "messages": list(messages), **fields}


def user(*blocks: Block) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Block) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def used(name: str) -> Block:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {}}


def result(name: str) -> Block:
    return {"type": "tool_result", "tool_use_id": name, "content": "ok"}


def marked(text: str) -> Block:
    return {"type": "text", "text": text, "cache_control": MARK}


ACCEPTED = {
    "a plain question": body(USER),
    "parallel calls answered in one message": body(
        USER, assistant(used("a"), used("b")), user(result("b"), result("a"), say("and now"))
    ),
    "a system entry without content": body(USER, {"role": "system", "content": []}),
    "a system entry with an empty string": body(USER, {"role": "system", "content": ""}),
    "a system entry after the results": body(
        USER, assistant(used("a")), user(result("a")), {"role": "system", "content": "note"}
    ),
    "four marks": body(user(marked("1"), marked("2"), marked("3"), marked("4"))),
    "a mark-like key in what a tool was called with": body(
        USER,
        assistant({**used("a"), "input": {"content": [{"cache_control": 1}] * 5}}),
        user(result("a")),
    ),
    "an empty result": body(USER, assistant(used("a")), user({**result("a"), "content": ""})),
}

REFUSED = {
    "a call that is never answered": (
        body(USER, assistant(used("a")), user(say("later"))),
        "messages.1: `tool_use` ids were found without `tool_result` blocks",
    ),
    "one of two parallel calls left open": (
        body(USER, assistant(used("a"), used("b")), user(result("a"))),
        "messages.1: `tool_use` ids were found without `tool_result` blocks",
    ),
    "parallel results in two messages": (
        body(USER, assistant(used("a"), used("b")), user(result("a")), user(result("b"))),
        "messages.1: `tool_use` ids were found without `tool_result` blocks",
    ),
    "a system entry between call and result": (
        body(USER, assistant(used("a")), {"role": "system", "content": "note"}, user(result("a"))),
        "messages.1: `tool_use` ids were found without `tool_result` blocks",
    ),
    "a result without a call": (
        body(USER, assistant(say("hi")), user(result("a"))),
        "messages.2: unexpected `tool_use_id` found",
    ),
    "a result behind other blocks": (
        body(USER, assistant(used("a")), user(say("first"), result("a"))),
        "messages.2: `tool_result` blocks must come before other content",
    ),
    "two results for one call": (
        body(USER, assistant(used("a")), user(result("a"), result("a"))),
        "messages.2: each tool_use must have a single result",
    ),
    "one id used by two calls": (
        body(
            USER, assistant(used("a")), user(result("a")), assistant(used("a")), user(result("a"))
        ),
        "messages: `tool_use` ids must be unique",
    ),
    "five marks over tools, system and messages": (
        body(
            user(marked("1"), marked("2")),
            system=[marked("3"), marked("4")],
            tools=[{"name": "Bash", "input_schema": {}, "cache_control": MARK}],
        ),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "four marks and the automatic one": (
        body(user(marked("1"), marked("2"), marked("3"), marked("4")), cache_control=MARK),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "marks inside a tool result": (
        body(
            USER,
            assistant(used("a")),
            user({**result("a"), "content": [marked(c) for c in "12345"]}),
        ),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "an empty text block": (
        body(user(say(""))),
        "messages.0.content.0.text: text content blocks must be non-empty",
    ),
    "an empty text block in the system prompt": (
        body(USER, system=[say("")]),
        "system.0.text: text content blocks must be non-empty",
    ),
    "an empty text block inside a result": (
        body(USER, assistant(used("a")), user({**result("a"), "content": [say("")]})),
        "messages.2.content.0.content.0.text: text content blocks must be non-empty",
    ),
    "empty content of the user": (
        body({"role": "user", "content": []}),
        "messages.0: all messages must have non-empty content",
    ),
    "an empty answer in the history": (
        body(USER, {"role": "assistant", "content": ""}, USER),
        "messages.1: all messages must have non-empty content",
    ),
    "a signature of somebody else": (
        body(
            USER,
            assistant({"type": "thinking", "thinking": "", "signature": "abc"}, say("x")),
            USER,
        ),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "an unknown role": (body({"role": "tool", "content": "x"}), "messages.0.role: must be one of"),
    "an answer at the end": (body(USER, assistant(say("So"))), "This model does not support"),
    "no messages": (body(), "messages: at least one message is required"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_valid_request_is_accepted(name: str) -> None:
    assert refusals(ACCEPTED[name], ThinkingLedger()) == []


@pytest.mark.parametrize("name", REFUSED)
def test_an_invalid_request_is_refused_with_the_place(name: str) -> None:
    request, sentence = REFUSED[name]
    assert [text[: len(sentence)] for text in refusals(request, ThinkingLedger())][:1] == [sentence]


def connect(upstream: Upstream) -> http.client.HTTPConnection:
    address = urlsplit(upstream.url)
    return http.client.HTTPConnection(address.hostname or "", address.port, timeout=5)


class Wire:
    """A client with one connection and a history of its own."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self.connection = connect(upstream)

    def send(
        self, method: str, path: str, value: object = None, **headers: str
    ) -> tuple[int, bytes]:
        raw = json.dumps(value) if value is not None else None
        named = {"x-api-key": "k", **{k.replace("_", "-"): v for k, v in headers.items()}}
        self.connection.request(method, path, raw, named)
        response = self.connection.getresponse()
        return response.status, response.read()

    def ask(self, request: dict[str, Any], **headers: str) -> dict[str, Any]:
        status, raw = self.send("POST", "/v1/messages", request, **headers)
        value: dict[str, Any] = json.loads(raw)
        assert status == 200, value
        return value


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture
def wire(upstream: Upstream) -> Iterator[Wire]:
    client = Wire(upstream)
    yield client
    client.connection.close()


@pytest.mark.parametrize(
    ("method", "path", "value", "status"),
    [
        ("HEAD", "/", None, 200),
        ("GET", "/v1/models", None, 200),
        ("GET", "/v1/files", None, 404),
        ("POST", "/v1/messages/count_tokens", body(USER), 200),
        ("POST", "/v1/complete", body(USER), 404),
        ("POST", "/v1/messages?beta=true", body(USER), 200),
    ],
)
def test_each_route_answers(wire: Wire, method: str, path: str, value: object, status: int) -> None:
    assert wire.send(method, path, value)[0] == status
    assert [x.request.path for x in wire.upstream.exchanges] == [path]


def test_a_refusal_has_the_error_body_of_the_service(wire: Wire) -> None:
    status, raw = wire.send("POST", "/v1/messages", body(user(say(""))))
    assert status == 400
    assert json.loads(raw) == {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": "messages.0.content.0.text: text content blocks must be non-empty",
        },
    }
    assert wire.upstream.refused == [
        "messages.0.content.0.text: text content blocks must be non-empty"
    ]


def test_a_request_without_a_key_is_refused(upstream: Upstream) -> None:
    connection = connect(upstream)
    connection.request("POST", "/v1/messages", json.dumps(body(USER)))
    assert connection.getresponse().status == 401
    connection.close()


def test_a_stream_equals_the_answer_in_one_piece(wire: Wire) -> None:
    long = "word " * 30
    reply = answer(think("hm"), say(long), call("Bash", command="ls"))
    wire.upstream.script = script(*turns(reply, reply, when=lambda request: True))
    plain = wire.ask(body(USER))
    status, raw = wire.send("POST", "/v1/messages", body(USER, stream=True))
    assert status == 200
    rows = [line for line in raw.decode().splitlines() if line.startswith("data: ")]
    events = [json.loads(line[6:]) for line in rows]
    assert [b["type"] for b in plain["content"]] == ["thinking", "text", "tool_use"]
    assert _text(events, "text_delta", "text") == plain["content"][1]["text"]
    assert json.loads(_text(events, "input_json_delta", "partial_json")) == {"command": "ls"}
    assert len(_text(events, "signature_delta", "signature")) == 128
    kinds = [event["type"] for event in events if event["type"] != "content_block_delta"]
    block = ["content_block_start", "content_block_stop"]
    assert kinds == ["message_start", "ping", *block * 3, "message_delta", "message_stop"]
    assert events[-2]["delta"]["stop_reason"] == plain["stop_reason"] == "tool_use"


def _text(events: list[dict[str, Any]], kind: str, key: str) -> str:
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    return "".join(delta[key] for delta in deltas if delta["type"] == kind)


def test_a_scripted_error_and_its_headers_reach_the_client(wire: Wire) -> None:
    busy = Answer(status=529, error_type="overloaded_error", headers=(("retry-after", "1"),))
    wire.upstream.script = script(*turns(busy, when=lambda request: True))
    assert wire.send("POST", "/v1/messages", body(USER))[0] == 529
    assert wire.send("POST", "/v1/messages", body(USER))[0] == 200


def test_a_cut_stream_ends_without_its_last_chunk(wire: Wire) -> None:
    cut = Answer((say("never whole"),), cut_after=3)
    wire.upstream.script = script(*turns(cut, when=lambda request: True))
    with pytest.raises(http.client.IncompleteRead):
        wire.send("POST", "/v1/messages", body(USER, stream=True))


def test_the_spelling_of_content_and_the_marks_do_not_change_identity() -> None:
    spellings: list[Block] = [
        {"type": "tool_result", "tool_use_id": "a", "content": "x"},
        {"type": "tool_result", "tool_use_id": "a", "content": [say("x")]},
        {
            "cache_control": MARK,
            "tool_use_id": "a",
            "content": [marked("x")],
            "type": "tool_result",
        },
    ]
    assert len({canonical(block) for block in spellings}) == 1


def test_the_cache_reads_what_an_earlier_mark_wrote(wire: Wire) -> None:
    def usage(*messages: dict[str, Any], **fields: Any) -> tuple[bool, ...]:
        u = wire.ask(body(*messages, system=[marked("You are " + "x" * 400)], **fields))["usage"]
        parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        return tuple(u[name] > 0 for name in parts)

    assert usage(user(marked("one"))) == (False, False, True)
    assert usage({"role": "user", "content": "one"}) == (True, True, False)
    assert usage(user(say("one")), assistant(say("a")), user(marked("two"))) == (False, True, True)
    assert usage(user(marked("one")), tool_choice={"type": "any"}) == (False, True, True)
    assert usage(user(marked("one")), tools=[{"name": "new"}]) == (False, False, True)


@pytest.mark.parametrize(("blocks_since", "read"), [(19, True), (20, False)])
def test_a_mark_looks_back_twenty_blocks(wire: Wire, blocks_since: int, read: bool) -> None:
    wire.ask(body(user(marked("start"))))
    later = [say(f"block {number}") for number in range(blocks_since - 1)]
    usage = wire.ask(body(user(say("start"), *later, marked("end"))))["usage"]
    assert (usage["cache_read_input_tokens"] > 0) is read


def test_each_turn_reads_all_that_the_turn_before_wrote(wire: Wire) -> None:
    history: list[dict[str, Any]] = []
    covered = 0
    for turn in range(4):
        asked = body(*history, user(marked(f"question {turn}")))
        usage = wire.ask(asked)["usage"]
        assert usage["cache_read_input_tokens"] == covered
        covered += usage["cache_creation_input_tokens"]
        history += [{"role": "user", "content": f"question {turn}"}, assistant(say("Done."))]


def thinking_turn(wire: Wire, **fields: Any) -> list[dict[str, Any]]:
    """A history that ends in an answer with signed thinking."""
    wire.upstream.script = script(
        *turns(answer(think("hm"), say("yes")), when=lambda request: True)
    )
    reply = wire.ask(body(USER, **fields))
    return [USER, {"role": "assistant", "content": reply["content"]}, USER]


def test_thinking_sent_back_unchanged_is_accepted(wire: Wire) -> None:
    history = thinking_turn(wire, system="You are")
    same = [{"role": "user", "content": [marked("Hello")]}, *history[1:]]
    wire.ask(body(*same, system=[say("You are")]))
    assert (wire.upstream.refused, wire.upstream.dropped) == ([], [])


def test_omitted_thinking_is_sent_back_empty_and_accepted(wire: Wire) -> None:
    history = thinking_turn(wire, thinking={"type": "adaptive", "display": "omitted"})
    assert history[1]["content"][0]["thinking"] == ""
    wire.ask(body(*history))


def test_altered_thinking_is_refused(wire: Wire) -> None:
    history = thinking_turn(wire)
    history[1]["content"][0]["thinking"] = "hm!"
    status, raw = wire.send("POST", "/v1/messages", body(*history))
    assert (status, b"cannot be modified" in raw) == (400, True)


def test_half_of_the_thinking_before_an_open_call_is_refused(wire: Wire) -> None:
    wire.upstream.script = script(
        *turns(answer(think("one"), think("two"), call("Bash")), when=lambda request: True)
    )
    content = wire.ask(body(USER))["content"]
    answered = user(result(content[-1]["id"]))
    status, raw = wire.send("POST", "/v1/messages", body(USER, assistant(*content[1:]), answered))
    assert (status, b"latest assistant message" in raw) == (400, True)


CHANGED_PREFIX: dict[str, dict[str, Any]] = {
    "system": {"system": "You were"},
    "tools": {"tools": [{"name": "Bash"}]},
}


@pytest.mark.parametrize("what", CHANGED_PREFIX)
def test_thinking_is_bound_to_system_and_tools(wire: Wire, what: str) -> None:
    history = thinking_turn(wire, system="You are")
    status, raw = wire.send("POST", "/v1/messages", body(*history, **CHANGED_PREFIX[what]))
    assert (status, b"bound to a different conversation" in raw) == (400, True)


def test_thinking_is_bound_to_the_messages_before_it(wire: Wire) -> None:
    _, reply, after = thinking_turn(wire)
    changed = {"role": "user", "content": "Hello!"}
    assert wire.send("POST", "/v1/messages", body(changed, reply, after))[0] == 400


def test_a_deferred_tool_is_not_in_the_prefix(wire: Wire) -> None:
    history = thinking_turn(wire)
    wire.ask(body(*history, tools=[{"name": "Late", "defer_loading": True}]))


def test_a_client_can_request_that_bound_thinking_is_dropped_and_reported(wire: Wire) -> None:
    history = thinking_turn(wire, system="You are")
    thinking = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    changed = body(*history, system="You were", thinking=thinking)
    assert wire.send("POST", "/v1/messages", changed)[0] == 400
    reply = wire.ask(changed, anthropic_beta=BINDING_BETA)
    assert reply["input_transformations"] == [
        {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_mismatch"}
    ]
    assert wire.upstream.dropped == ["messages.1.content.0"]


def test_without_the_switch_thinking_is_not_bound() -> None:
    with Upstream(binds_thinking=False) as upstream:
        wire = Wire(upstream)
        history = thinking_turn(wire, system="You are")
        wire.ask(body(*history, system="You were"))
        wire.connection.close()


def test_a_script_gives_each_rule_once_and_then_ends_the_conversation(wire: Wire) -> None:
    wire.upstream.script = script(
        *turns(answer(say("first")), answer(say("second")), when=lambda request: True)
    )
    texts = [wire.ask(body(USER))["content"][0]["text"] for _ in range(3)]
    assert texts == ["first", "second", "Done."]
    assert wire.upstream.script.unused == []


TOOLS = {"tools": [{"name": "Bash"}]}
SUMMARY_ORDER = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."


@pytest.mark.parametrize(
    ("headers", "request_body", "kind"),
    [
        ({"x-claude-code-session-id": "s"}, body(USER, **TOOLS), "main"),
        (
            {"x-claude-code-session-id": "s", "x-claude-code-agent-id": "a"},
            body(USER, **TOOLS),
            "subagent",
        ),
        (
            {"x-claude-code-session-id": "s"},
            body({"role": "user", "content": SUMMARY_ORDER}, **TOOLS),
            "summary",
        ),
        ({"x-session-id": "ses_1"}, body(USER, **TOOLS), "main"),
        (
            {"x-session-id": "ses_2", "x-parent-session-id": "ses_1"},
            body(USER, **TOOLS),
            "subagent",
        ),
        (
            {"x-session-id": "ses_1"},
            body(USER, system=[say("You are a title generator. Output a title.")]),
            "title",
        ),
        (
            {"x-session-id": "ses_1"},
            body(USER, system=[say("You are a context summarization agent. Go.")]),
            "summary",
        ),
    ],
)
def test_requests_of_both_clients_are_distinguished(
    headers: dict[str, str], request_body: dict[str, Any], kind: str
) -> None:
    request = Request("POST", "/v1/messages", headers, request_body)
    kinds = {"main": is_main, "subagent": is_subagent, "title": is_title, "summary": is_summary}
    assert [name for name, fits in kinds.items() if fits(request)] == [kind]
    assert request.session == next(iter(headers.values()))
