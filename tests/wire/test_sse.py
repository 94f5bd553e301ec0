"""Events out of pieces: the same for every way of cutting."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wm.wire.sse import MAX_EVENT_BYTES, Cutter, Decoder, StreamEvent

STREAM = (
    b"\xef\xbb\xbf: a comment\n\n"
    b'event: message_start\ndata: {"a":"\xc3\xa9"}\n\n'
    b"data: no name\r\n\r\n"
    b"event: two\rdata: one\rdata:two\rid: 7\r\r"
    b"event: empty\n\n"
    b"data\n\n"
    b"event: ping\ndata: {}\n\nevent: cut\ndata: {"
)
EVENTS = [
    StreamEvent("message_start", '{"a":"é"}'.encode()),
    StreamEvent("", b"no name"),
    StreamEvent("two", b"one\ntwo"),
    StreamEvent("", b""),
    StreamEvent("ping", b"{}"),
]


def decoded(*pieces: bytes) -> list[StreamEvent]:
    decoder = Decoder()
    return [event for piece in pieces for event in decoder.feed(piece)]


def test_lines_end_in_three_ways_and_data_may_have_several() -> None:
    assert decoded(STREAM) == EVENTS


@pytest.mark.parametrize("at", range(len(STREAM) + 1))
def test_every_cut_in_two_gives_the_same_events(at: int) -> None:
    assert decoded(STREAM[:at], STREAM[at:]) == EVENTS


def test_bytes_one_by_one_give_the_same_events() -> None:
    assert decoded(*(STREAM[n : n + 1] for n in range(len(STREAM)))) == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_any_number_of_cuts_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in pairwise(edges)]
    assert decoded(*pieces) == EVENTS


def test_an_endless_event_is_skipped_and_the_next_one_is_read() -> None:
    long = b"data: " + b"x" * MAX_EVENT_BYTES
    assert decoded(long, b"y", b"\n\n", b"data: z\n\n") == [StreamEvent("", b"z")]


# --- with their bytes -----------------------------------------------------------------------


def cut(*pieces: bytes) -> tuple[list[tuple[bytes, StreamEvent | None]], bytes]:
    cutter = Cutter()
    return [one for piece in pieces for one in cutter.feed(piece)], cutter.rest()


def test_each_event_comes_with_its_bytes() -> None:
    found, rest = cut(STREAM)
    assert [event for _, event in found if event] == EVENTS
    assert b"".join(raw for raw, _ in found) + rest == STREAM
    assert rest == b"event: cut\ndata: {"
    assert found[0] == (b"\xef\xbb\xbf: a comment\n\n", None)


@pytest.mark.parametrize("at", range(len(STREAM) + 1))
def test_every_cut_in_two_gives_the_same_events_with_the_same_bytes(at: int) -> None:
    assert cut(STREAM[:at], STREAM[at:]) == cut(STREAM)


@given(st.text("ab:\r\n", max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_any_bytes_are_split_the_same_way_and_kept_completely(text: str, cuts: list[int]) -> None:
    stream = text.encode()
    edges = [0, *sorted(min(c, len(stream)) for c in cuts), len(stream)]
    found, rest = cut(*(stream[a:b] for a, b in pairwise(edges)))
    assert (found, rest) == cut(stream)
    assert b"".join(raw for raw, _ in found) + rest == stream


def test_an_endless_event_is_returned_as_bytes() -> None:
    long = b"data: " + b"x" * MAX_EVENT_BYTES
    found, rest = cut(long, b"y\n\n", b"data: z\n\n")
    assert b"".join(raw for raw, _ in found) + rest == long + b"y\n\ndata: z\n\n"
    assert [event for _, event in found] == [None, None, StreamEvent("", b"z")]
    assert found[-1][0] == b"data: z\n\n"
