"""The output of an interceptor for every split of a streamed answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wm.wire.interception import InterceptedStream
from wm.wire.sse import StreamEvent


class Interceptor:
    """Takes pings out, holds what is named hold until the end, breaks at what is named break."""

    def __init__(self) -> None:
        self._held = b""

    def event(self, raw: bytes, event: StreamEvent | None) -> bytes:
        match event.name if event else "":
            case "ping":
                return b""
            case "hold":
                self._held += raw
                return b""
            case "break":
                raise ValueError("a bug")
        return raw

    def ended(self) -> bytes:
        return self._held

    def unreturned(self) -> bytes:
        return self._held


def passed(interceptor: Interceptor, *pieces: bytes) -> bytes:
    stream = InterceptedStream(interceptor)
    return b"".join([stream.feed(piece) for piece in pieces]) + stream.end()


ONE, TWO = b"event: one\ndata: 1\n\n", b"event: two\r\ndata: 2\r\n\r\n"
PING, HOLD, BREAK = (b"event: %b\ndata: {}\n\n" % n for n in (b"ping", b"hold", b"break"))


@pytest.mark.parametrize(
    ("sent", "got"),
    [
        (ONE + TWO, ONE + TWO),
        (ONE + PING + TWO, ONE + TWO),
        (HOLD + ONE + TWO, ONE + TWO + HOLD),
        (b": comment\n\n" + ONE + b"event: cu", b": comment\n\n" + ONE + b"event: cu"),
        (b"", b""),
    ],
)
def test_an_interceptor_decides_the_output_for_every_split(sent: bytes, got: bytes) -> None:
    for at in range(len(sent) + 1):
        assert passed(Interceptor(), sent[:at], sent[at:]) == got
    assert passed(Interceptor(), *(sent[n : n + 1] for n in range(len(sent)))) == got


def test_a_failing_interceptor_loses_no_unprocessed_byte() -> None:
    stream = InterceptedStream(Interceptor())
    with pytest.raises(ValueError, match="a bug"):
        stream.feed(ONE + PING + BREAK + TWO + b"event: t")
    assert stream.bypass() == ONE + BREAK + TWO + b"event: t"
    assert stream.feed(b"wo\n\n" + PING) == b"wo\n\n" + PING
    assert stream.end() == b""


def test_a_failing_interceptor_loses_nothing_that_it_kept_back() -> None:
    stream = InterceptedStream(Interceptor())
    assert stream.feed(ONE + HOLD) == ONE
    with pytest.raises(ValueError, match="a bug"):
        stream.feed(BREAK + TWO)
    assert stream.bypass() + stream.end() == HOLD + BREAK + TWO


def test_a_failure_at_the_end_of_the_stream_loses_no_byte() -> None:
    class Breaks(Interceptor):
        def event(self, raw: bytes, event: StreamEvent | None) -> bytes:
            if event is None:
                raise ValueError("a bug")
            return raw

    stream = InterceptedStream(Breaks())
    assert stream.feed(ONE + b"event: t") == ONE
    with pytest.raises(ValueError, match="a bug"):
        stream.end()
    assert stream.bypass() == b"event: t"


@given(st.lists(st.sampled_from([ONE, TWO, HOLD, PING, b"\r", b"\n", b"x"]), max_size=8), st.data())
def test_an_interceptor_that_changes_nothing_passes_every_byte(
    parts: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(parts)
    at = data.draw(st.integers(0, len(stream)))

    class Plain(Interceptor):
        def event(self, raw: bytes, event: StreamEvent | None) -> bytes:
            return raw

    assert passed(Plain(), stream[:at], stream[at:]) == stream
