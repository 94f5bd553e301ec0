"""The MCP protocol without streams: line in, lines out (IF-4)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from wm.agents.mcp_session import LATEST, MAX_PENDING, VERSIONS, McpSession, ToolCall, ToolOutcome
from wm.api.tools import INSTRUCTIONS, TOOLS

DONE = ToolOutcome("Found.", {"hits": []})


def opened(version: str = LATEST) -> McpSession:
    session = McpSession("1.2.3")
    session.feed(request("initialize", protocolVersion=version, id=0))
    session.feed(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return session


def request(method: str, id: Any = 1, **params: Any) -> bytes:
    body = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps(body).encode() + b"\n"


def query(id: Any, words: str = "deploy") -> bytes:
    return request("tools/call", id, name="memory_query", arguments={"query": words})


def cancel(id: Any) -> bytes:
    params = {"requestId": id, "reason": "too slow"}
    return json.dumps(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    ).encode()


def replies(session: McpSession, line: bytes) -> list[Any]:
    return [json.loads(reply) for reply in session.feed(line).replies]


def error(session: McpSession, line: bytes) -> tuple[Any, int]:
    [reply] = replies(session, line)
    return reply["id"], reply["error"]["code"]


@pytest.mark.parametrize(
    ("meta", "session"),
    [
        ({"sessionId": "s-1", "threadId": "s-1"}, "s-1"),
        ({"sessionId": "s-1"}, "s-1"),
        ({"sessionId": "s-1", "threadId": "t-2"}, ""),
        ({"sessionId": 7}, ""),
        ({"progressToken": 0}, ""),
        ("s-1", ""),
        (None, ""),
    ],
)
def test_a_call_belongs_to_the_session_that_its_client_names(meta: Any, session: str) -> None:
    step = opened().feed(
        request("tools/call", name="memory_query", arguments={"query": "x"}, _meta=meta)
    )
    assert [call.session for call in step.calls] == [session]


# --- the beginning ------------------------------------------------------------------------


NEGOTIATED = (*((version, version) for version in VERSIONS), ("2099-01-01", LATEST), ("1", LATEST))


@pytest.mark.parametrize(("asked", "agreed"), NEGOTIATED)
def test_a_known_version_is_accepted_and_ours_is_offered_for_others(
    asked: str, agreed: str
) -> None:
    session = McpSession("1.2.3")
    [reply] = replies(session, request("initialize", protocolVersion=asked, capabilities={}))
    result = reply["result"]
    assert result["protocolVersion"] == session.version == agreed
    assert result["capabilities"] == {"tools": {}}
    assert (result["serverInfo"]["name"], result["serverInfo"]["version"]) == ("wm", "1.2.3")
    assert result["instructions"] == INSTRUCTIONS


def test_initialize_without_a_version_is_refused() -> None:
    assert error(McpSession("1"), request("initialize")) == (1, -32602)


def test_a_ping_is_answered_before_and_after_initialize() -> None:
    session = McpSession("1")
    assert replies(session, request("ping", "a")) == [{"jsonrpc": "2.0", "id": "a", "result": {}}]


# --- the tools ----------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_the_tools_are_listed_with_the_fields_of_the_version(version: str) -> None:
    [reply] = replies(opened(version), request("tools/list"))
    tools = reply["result"]["tools"]
    assert [tool["name"] for tool in tools] == [tool.name for tool in TOOLS]
    assert all(("annotations" in tool) == (version >= "2025-03-26") for tool in tools)
    assert all(("title" in tool) == (version >= "2025-06-18") for tool in tools)
    assert "nextCursor" not in reply["result"]


def test_the_list_is_the_same_bytes_every_time() -> None:
    """It is part of the prompt, to whose bytes caches and signed thinking are bound (EP-1)."""
    first = opened()
    again = opened()
    again.feed(query(9))
    assert first.feed(request("tools/list")) == again.feed(request("tools/list"))


def test_the_tool_list_stays_short() -> None:
    [line] = opened().feed(request("tools/list")).replies
    assert len(line) < 8250


def test_the_tool_annotations_are_correct() -> None:
    [reply] = replies(opened(), request("tools/list"))
    hints = {t["name"]: t["annotations"] for t in reply["result"]["tools"]}
    reads = {name for name, h in hints.items() if h["readOnlyHint"]}
    destroys = {name for name, h in hints.items() if h["destructiveHint"]}
    assert reads == {
        *("memory_query", "recap", "memory_stats", "memory_objects", "core_memory_read")
    }
    assert destroys == {
        "forget",
        "working_memory_clear_slot",
        "working_memory_remove",
        "working_memory_clear",
    }


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_strict_json_schemas(tool: Any) -> None:
    Draft202012Validator.check_schema(tool.schema)
    assert tool.schema["additionalProperties"] is False
    assert all(value["description"].endswith(("…", ".")) for value in tool.arguments.values())


def test_a_cursor_is_refused_because_there_is_one_page() -> None:
    assert error(opened(), request("tools/list", cursor="2")) == (1, -32602)


# --- calls --------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_a_call_is_run_and_answered_under_its_id(version: str) -> None:
    session = opened(version)
    step = session.feed(query("c-1"))
    assert step.replies == ()
    assert step.calls == (ToolCall(1, "memory_query", {"query": "deploy"}),)
    reply = json.loads(session.finish(1, DONE) or b"")
    structured: dict[str, Any] = (
        {"structuredContent": {"hits": []}} if version >= "2025-06-18" else {}
    )
    assert reply == {
        "jsonrpc": "2.0",
        "id": "c-1",
        "result": {"content": [{"type": "text", "text": "Found."}], **structured, "isError": False},
    }


def test_a_refusal_is_a_result_that_the_model_reads() -> None:
    session = opened()
    session.feed(query(1))
    reply = json.loads(session.finish(1, ToolOutcome("No daemon.", failed=True)) or b"")
    assert reply["result"] == {"content": [{"type": "text", "text": "No daemon."}], "isError": True}


def test_arguments_are_optional() -> None:
    step = opened().feed(request("tools/call", name="memory_stats"))
    assert step.calls == (ToolCall(1, "memory_stats", {}),)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": "memory_burn"},
        {"name": 7},
        {"name": "memory_query", "arguments": "deploy"},
        {"name": "memory_query", "arguments": ["deploy"]},
    ],
)
def test_a_call_of_an_unknown_tool_is_a_protocol_error(params: dict[str, Any]) -> None:
    assert error(opened(), request("tools/call", 3, **params)) == (3, -32602)


def test_a_cancelled_call_is_not_answered() -> None:
    session = opened()
    session.feed(query(1))
    session.feed(query(2))
    assert session.feed(cancel(1)).replies == ()
    assert session.finish(1, DONE) is None
    assert session.finish(2, DONE) is not None


@pytest.mark.parametrize("id", ["1", 2, None, [1], True])
def test_a_cancellation_of_an_unknown_call_is_ignored(id: Any) -> None:
    session = opened()
    session.feed(query(1))
    session.feed(cancel(id))
    assert session.finish(1, DONE) is not None


def test_a_call_over_the_concurrency_limit_is_refused() -> None:
    session = opened()
    for number in range(MAX_PENDING):
        assert session.feed(query(number)).calls
    [reply] = replies(session, query("more"))
    assert reply["result"]["isError"] is True
    assert session.finish(1, DONE) is not None
    assert session.feed(query("more")).calls


# --- batches ------------------------------------------------------------------------------


def batch(*lines: bytes) -> bytes:
    return b"[" + b",".join(line.strip() for line in lines) + b"]\n"


def test_a_batch_is_answered_in_one_array_when_all_calls_are_done() -> None:
    session = opened("2025-03-26")
    step = session.feed(batch(query(1), request("ping", 2), cancel(99), query(3), b"7"))
    assert step.replies == ()
    assert session.finish(step.calls[0].number, DONE) is None
    answered = json.loads(session.finish(step.calls[1].number, DONE) or b"")
    assert [reply["id"] for reply in answered] == [2, None, 1, 3]


def test_a_batch_without_calls_is_answered_at_once_and_one_of_notifications_never() -> None:
    session = opened("2025-03-26")
    assert replies(session, batch(request("ping", 1), request("ping", 2)))[0][1]["id"] == 2
    assert session.feed(batch(cancel(1), cancel(2))).replies == ()


def test_a_batch_whose_last_call_is_cancelled_is_answered_without_it() -> None:
    session = opened("2025-03-26")
    session.feed(batch(query(1), request("ping", 2)))
    [answered] = replies(session, cancel(1))
    assert [reply["id"] for reply in answered] == [2]
    assert session.finish(1, DONE) is None


@pytest.mark.parametrize("version", [v for v in VERSIONS if v != "2025-03-26"])
def test_versions_without_batches_refuse_them(version: str) -> None:
    assert error(opened(version), batch(request("ping"))) == (None, -32600)


def test_an_empty_batch_and_one_with_initialize_are_refused() -> None:
    session = opened("2025-03-26")
    assert error(session, b"[]") == (None, -32600)
    [[reply]] = replies(session, batch(request("initialize", protocolVersion=LATEST)))
    assert reply["error"]["code"] == -32600


# --- whatever comes in --------------------------------------------------------------------

BROKEN: tuple[tuple[bytes, Any, int], ...] = (
    (b"nonsense", None, -32700),
    (b"{", None, -32700),
    (b"\xff\xfe\x00", None, -32700),
    (b'\xef\xbb\xbf{"jsonrpc":"2.0"}', None, -32700),
    (b"[" * 100_000, None, -32700),
    (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', None, -32700),
    (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', None, -32700),
    (b"7", None, -32600),
    (b'"ping"', None, -32600),
    (b"null", None, -32600),
    (b"{}", None, -32600),
    (b'{"id":1,"method":"ping"}', 1, -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 1, -32600),
    (b'{"jsonrpc":"2.0","id":1}', 1, -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', 1, -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 1, -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', 1, -32601),
    (b'{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled"}', 1, -32601),
    (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', 1, -32601),
)


@pytest.mark.parametrize(("line", "id", "code"), BROKEN)
def test_a_broken_message_is_refused_and_the_session_continues(
    line: bytes, id: Any, code: int
) -> None:
    session = opened()
    assert error(session, line) == (id, code)
    assert replies(session, request("ping"))[0]["result"] == {}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" \r\n",
        b'{"jsonrpc":"2.0","method":"notifications/whatever","params":{"a":1}}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"forget"}}',
        b'{"jsonrpc":"2.0","id":4,"result":{}}',
        b'{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":""}}',
        b'{"jsonrpc":"2.0","method":"ping","params":7}',
    ],
)
def test_a_notification_gets_no_answer(line: bytes) -> None:
    step = opened().feed(line)
    assert (step.replies, step.calls) == ((), ())


def test_half_a_surrogate_pair_is_returned_unchanged() -> None:
    [line] = opened().feed(b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}').replies
    assert line == b'{"jsonrpc":"2.0","id":"\\ud800","result":{}}\n'


def test_a_line_that_is_too_long_is_refused() -> None:
    [line] = opened().too_long(4096).replies
    assert json.loads(line)["error"]["message"] == "A message must not be longer than 4096 bytes."


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda v: (
        st.lists(v, max_size=3)
        | st.dictionaries(
            st.sampled_from(["jsonrpc", "id", "method", "params", "name", "result"]), v, max_size=4
        )
    ),
    max_leaves=12,
)
NEAR = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": ANY,
        "method": st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "x"]) | ANY,
        "params": ANY,
    },
)


@settings(max_examples=60)
@given(st.lists(ANY | NEAR | st.lists(NEAR, max_size=3), max_size=4), st.sampled_from(VERSIONS))
def test_any_input_gives_one_line_of_json_or_nothing(messages: list[Any], version: str) -> None:
    session = opened(version)
    for message in messages:
        step = session.feed(json.dumps(message).encode())
        assert all(line.count(b"\n") == 1 and json.loads(line) for line in step.replies)
        assert all(call.name for call in step.calls)
    assert replies(session, request("ping", "end"))[0]["id"] == "end"
