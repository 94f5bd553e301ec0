"""Cleanup tags in texts, whole and cut anywhere; the events of a streamed text block."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ops.phantoms import NO_TAGS, TAGS
from wm.wire.answer import message, spelled
from wm.wire.body import index, splice
from wm.wire.cleanup_tags import TEACH, CleanupTag, TagReader, split_tags
from wm.wire.interception import InterceptedStream
from wm.wire.phantom_answer import PhantomAnswer
from wm.wire.phantom_history import with_system

WORDS = ["Said “so”.\n", "\n", "a `b` c\n", "```\n", "`", "<", "é", "  \n", '<wm:drop of="x"/>']
TEXTS = st.lists(st.sampled_from([*TAGS, *NO_TAGS, *WORDS]), max_size=6).map("".join)


@pytest.mark.parametrize(
    ("text", "shown", "tags"),
    [
        ('<wm:drop of="a b"/>', "", [CleanupTag("drop", "a b")]),
        ('Yes.\n<wm:anchor of="a" />\t\r\nNo.', "Yes.\nNo.", [CleanupTag("anchor", "a")]),
        (
            '<wm:summarize of="a">\nOne\n\n`two`\n</wm:summarize>\nEnd',
            "End",
            [CleanupTag("summarize", "a", "One\n\n`two`")],
        ),
        *((text, text, []) for text in NO_TAGS),
        (f'<wm:drop of="{"a" * 301}"/>', f'<wm:drop of="{"a" * 301}"/>', []),
        # What follows a tag that does not end is read again.
        (
            '<wm:collapse of="a">x\n<wm:drop of="b"/>\n',
            '<wm:collapse of="a">x\n',
            [CleanupTag("drop", "b")],
        ),
        # A tag in a fence that ends, and one behind it.
        ('```\n<wm:drop of="a"/>\n````\n<wm:drop of="b"/>', None, [CleanupTag("drop", "b")]),
    ],
)
def test_tags_of_a_text(text: str, shown: str | None, tags: list[CleanupTag]) -> None:
    found = split_tags(text)
    assert found[1] == tags
    assert shown is None or found[0] == shown


def test_a_long_tag_is_text_and_hides_none_behind_it() -> None:
    text = f'<wm:summarize of="a">{"x" * 2000}\n</wm:summarize>\n<wm:drop of="b"/>\n'
    assert split_tags(text)[1] == [CleanupTag("drop", "b")]
    assert split_tags('<wm:drop of="b"/>\n' + "y" * 9000)[1] == [CleanupTag("drop", "b")]


@given(TEXTS)
def test_a_text_has_the_same_tags_in_any_two_pieces_and_letter_by_letter(text: str) -> None:
    shown, tags = split_tags(text)
    cuts = [[text[:at], text[at:]] for at in range(len(text) + 1)]
    for pieces in [*cuts, list(text)]:
        reader = TagReader()
        assert "".join([*map(reader.feed, pieces), reader.end()]) == shown
        assert reader.tags == tags
    assert len(shown) <= len(text)
    assert bool(tags) == (shown != text)


@given(TEXTS, st.data())
def test_a_stream_shows_the_text_without_tags_in_any_pieces(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    pieces = [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    raw = stream(*pieces)
    for step in (1, len(raw)):
        answer = PhantomAnswer(frozenset({TEACH}))
        passed = InterceptedStream(answer)
        seen = b"".join(passed.feed(raw[at : at + step]) for at in range(0, len(raw), step))
        seen += answer.close() if answer.content else b""
        found = json.loads(message([seen]) or b"{}")["content"]
        shown, tags = split_tags(text)
        is_hidden = tags and not shown.strip()
        expected = [] if is_hidden else [{"type": "text", "text": shown}]
        assert found == [*expected, {"type": "text", "text": "Behind."}]
        if not tags and step == len(raw):
            assert message([seen]) == message([raw])


def test_a_text_without_tags_passes_byte_for_byte() -> None:
    raw = stream("One\n", "two <b> `c`\n", "", "three")
    passed = InterceptedStream(PhantomAnswer(frozenset({TEACH})))
    assert passed.feed(raw) + passed.end() == raw


def test_a_stream_that_breaks_off_loses_no_text() -> None:
    raw = stream("Yes.\n<wm:drop ")
    passed = InterceptedStream(PhantomAnswer(frozenset({TEACH})))
    seen = passed.feed(raw[: raw.index(b"event: content_block_stop")])
    assert b"wm:drop" not in seen
    assert b"<wm:drop " in passed.end()


def stream(*pieces: str) -> bytes:
    """A message with these pieces of a text, and a text behind it."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"type": "message", "content": []}},
        *block(0, *pieces),
        *block(1, "Behind."),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    return b"".join(
        b"event: %b\ndata: %b\n\n" % (one["type"].encode(), spelled(one)) for one in events
    )


def block(number: int, *pieces: str) -> list[dict[str, Any]]:
    begin = {"type": "content_block_start", "content_block": {"type": "text", "text": ""}}
    deltas = [
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}}
        for piece in pieces
    ]
    ping: dict[str, Any] = {"type": "ping"}
    parts = [begin, *deltas, {"type": "content_block_stop"}]
    numbered = [{"type": one["type"], "index": number, **one} for one in parts]
    return [numbered[0], ping, *numbered[1:]]


@pytest.mark.parametrize(
    ("system", "before"),
    [
        ({}, []),
        ({"system": "Be “brief”."}, [{"type": "text", "text": "Be “brief”."}]),
        ({"system": []}, []),
        ({"system": [{"type": "text", "text": "a", "x": [1]}]}, None),
    ],
)
def test_a_text_is_appended_to_any_system_prompt(
    system: dict[str, Any], before: list[dict[str, Any]] | None
) -> None:
    asked = {"model": "m", **system, "messages": [{"role": "user", "content": "go"}]}
    found = index(json.dumps(asked).encode())
    assert found is not None
    made = json.loads(splice(found.raw, [with_system(found, "Tags.")]))
    known = system["system"] if before is None else before
    assert made["system"] == [*known, {"type": "text", "text": "Tags."}]
    assert {k: v for k, v in made.items() if k != "system"} == {
        k: v for k, v in asked.items() if k != "system"
    }
