"""A request as spans of its own bytes: parts are located, other bytes unchanged."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from wm.wire.body import Body, index, splice
from wm.wire.spans import ByteSpan

ODD = (
    b' {\n "model" : "m" , "x": 1e0, "y":[1, {"a": "}"}], "\\u006dax_tokens": 5,\t"messages": ['
    b' {"content": "a \\" } ] string", "role":"user"},\n'
    b'{"role":"assistant","content":[{"type":"text","text":"\\ud800 lone"} ,'
    b'{"type":"new_kind","deep":{"content":[{"cache_control":1}]}}]}, {} ],'
    b'"system":"be brief","tools":[{"name":"t","input_schema":{}}]}'
)


def made(raw: bytes, before: Body | None = None) -> Body:
    found = index(raw, before)
    assert found is not None
    return found


def test_every_part_is_located() -> None:
    body = made(ODD)
    assert {name: span.of(ODD)[:12] for name, span in body.fields.items()} == {
        "model": b'"m"',
        "x": b"1e0",
        "y": b'[1, {"a": "}',
        "max_tokens": b"5",
        "messages": b'[ {"content"',
        "system": b'"be brief"',
        "tools": b'[{"name":"t"',
    }
    assert [m.role for m in body.messages] == ["user", "assistant", ""]
    assert [[b.type for b in m.blocks] for m in body.messages] == [
        ["text"],
        ["text", "new_kind"],
        [],
    ]
    assert body.messages[0].blocks[0].value == {"type": "text", "text": 'a " } ] string'}
    assert body.messages[1].blocks[0].value["text"] == "\ud800 lone"
    assert (body.system[0].value["text"], body.tools[0].value["name"]) == ("be brief", "t")
    assert body.value("max_tokens") == 5
    assert body.value("nothing") is None


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"   ",
        b"[]",
        b'"text"',
        b"{",
        b'{"messages": [}',
        b'{"messages": [1, 2]}',
        b'{"messages": {}}',
        b'{"a": 1 "b": 2}',
        b'{"a": "never ends',
        b'{"a": "\\"',
        b'{"a": [[[}',
        b'{"a": 1, "a": 2}',
        b'{"messages": [{"role": "user", "role": "user"}]}',
        b"{a: 1}",
        b'{"a"}',
        b'{"a":}',
        b'{"messages": [' + b"[" * 100_000,
        b"\xff\xfe{",
        b'{"messages":' + b"{" * 5000,
    ],
)
def test_a_body_that_is_not_a_request_has_no_index(raw: bytes) -> None:
    assert index(raw) is None


def test_bytes_after_the_object_and_deep_values_are_ignored() -> None:
    deep = b'{"x": ' + b"[" * 50_000 + b"]" * 50_000 + b', "messages": []} trailing'
    assert made(deep).messages == ()


def test_replacing_a_block_keeps_every_other_byte() -> None:
    body = made(ODD)
    block = body.messages[1].blocks[1]
    new = b'{"type":"text","text":"gone"}'
    assert splice(ODD, [(block.span, new)]) == ODD.replace(block.raw, new)
    assert splice(ODD, []) is ODD


@pytest.mark.parametrize(
    "spans",
    [
        [ByteSpan(0, 5), ByteSpan(4, 6)],
        [ByteSpan(-1, 2)],
        [ByteSpan(0, 10**6)],
        [ByteSpan(3, 4), ByteSpan(2, 5)],
    ],
)
def test_impossible_spans_are_refused(spans: list[ByteSpan]) -> None:
    with pytest.raises(ValueError, match="span"):
        splice(ODD, [(span, b"") for span in spans])


TEXT = st.text(max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
BLOCK = st.builds(lambda kind, more: {**more, "type": kind}, TEXT, st.dictionaries(TEXT, JSON))
CONTENT = TEXT | st.lists(BLOCK, max_size=4)
MESSAGE = st.builds(
    lambda role, content, more: {**more, "role": role, "content": content},
    TEXT,
    CONTENT,
    st.dictionaries(TEXT, JSON, max_size=2),
)
REQUEST = st.builds(
    lambda more, system, tools, messages: {
        **more,
        "system": system,
        "messages": messages,
        "tools": tools,
    },
    st.dictionaries(TEXT, JSON, max_size=3),
    CONTENT,
    st.lists(BLOCK, max_size=3),
    st.lists(MESSAGE, max_size=6),
)
SPELLING = st.sampled_from(
    [{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}, {"sort_keys": True}]
)


def spelled(request: Any, how: dict[str, Any]) -> bytes:
    return json.dumps(request, **how).encode("utf-8", "surrogatepass")


@given(REQUEST, SPELLING)
def test_every_request_is_indexed_as_json_reads_it(request: Any, how: dict[str, Any]) -> None:
    raw = spelled(request, how)
    body = made(raw)
    assert {n: json.loads(s.of(raw)) for n, s in body.fields.items()} == request
    assert [json.loads(m.span.of(raw)) for m in body.messages] == request["messages"]
    for message, wanted in zip(body.messages, request["messages"], strict=True):
        content = wanted["content"]
        wanted_blocks = [content] if isinstance(content, str) else content
        assert [json.loads(b.raw) for b in message.blocks] == wanted_blocks
        assert all(b.span.of(raw) == b.raw for b in message.blocks)


@given(REQUEST, st.lists(MESSAGE, max_size=3), st.integers(0, 6), CONTENT, SPELLING)
def test_an_incremental_read_equals_a_full_read(
    request: Any, more: list[Any], kept: int, system: Any, how: dict[str, Any]
) -> None:
    before = made(spelled(request, how))
    later = {**request, "system": system, "messages": [*request["messages"][:kept], *more]}
    raw = spelled(later, how)
    on, anew = made(raw, before), made(raw)
    assert (on.fields, on.messages, on.system, on.tools) == (
        anew.fields,
        anew.messages,
        anew.system,
        anew.tools,
    )


def _edits(body: Body, chance: Random) -> list[tuple[ByteSpan, bytes]]:
    """Messages that are removed or extended, blocks that are replaced or get a member."""
    found: list[tuple[ByteSpan, bytes]] = []
    for before, message in pairwise(body.messages):
        what, blocks = chance.randrange(5), message.blocks
        if what == 0:
            found.append((ByteSpan(before.span.end, message.span.end), b""))
        elif what == 1 and blocks and not blocks[-1].text:
            end = blocks[-1].span.end
            found.append((ByteSpan(end, end), b',{"type":"text","text":"more"}'))
        elif what == 2 and blocks:
            found.append((chance.choice(blocks).span, b'"other"'))
    if body.tools and chance.randrange(2):
        start = body.tools[-1].span.start + 1
        found.append((ByteSpan(start, start), b'"extra":1,'))
    if "model" in body.fields:
        found.append((body.fields["model"], b'{"longer": [1, 2]}'))
    return found


@given(REQUEST, st.integers(0, 2**32), SPELLING)
def test_an_edited_body_is_what_a_full_read_of_its_bytes_finds(
    request: Any, number: int, how: dict[str, Any]
) -> None:
    chance = Random(number)
    body = made(spelled({"model": "m", **request}, how))
    before = None
    for _ in range(3):
        edits = _edits(body, chance)
        raw = splice(body.raw, edits)
        on, anew = index(raw, before, body), made(raw)
        assert on is not None
        assert replace(on, reused=0) == anew
        before = on


@settings(max_examples=200)
@given(REQUEST, st.data())
def test_any_truncation_or_flipped_byte_is_tolerated(request: Any, data: st.DataObject) -> None:
    raw = bytearray(spelled(request, {}))
    at = data.draw(st.integers(0, len(raw) - 1))
    index(bytes(raw[:at]))
    raw[at] = data.draw(st.integers(0, 255))
    found = index(bytes(raw))
    if found is not None:
        assert all(m.span.end <= len(raw) for m in found.messages)
