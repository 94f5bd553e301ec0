"""Events in, commands out: every order in which things happen to an exchange."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wm.wire.policy import Decision, Prepared
from wm.wire.sse import Event
from wm.wire.turn import MAX_HELD_BYTES, Begin, End, Forward, Hand, Keep, Prepare, Turn

NEW = (Decision("0123456789abcdef", "short"),)
MADE = Prepared(b"shorter", NEW, 1)


def held(*pieces: bytes) -> Turn:
    turn = Turn()
    for piece in pieces:
        assert turn.came(piece) == ()
    return turn


def test_without_an_ear_every_piece_of_an_answer_goes_on_as_the_very_object_that_came() -> None:
    turn = Turn()
    answer = b"y" * 5000
    turn.answered(events=True)
    (hand,) = turn.answer(answer)
    assert isinstance(hand, Hand)
    assert hand.data is answer
    assert turn.answer_ended() == ()


def test_what_is_decided_is_kept_before_the_request_goes() -> None:
    turn = held(b"a lo", b"ng one")
    assert turn.whole() == (Prepare(b"a long one", new=True),)
    assert turn.prepared(MADE) == (Keep(NEW),)
    assert turn.kept(True) == (Begin(7), Forward(b"shorter"), End())


def test_what_needs_no_new_decision_goes_at_once() -> None:
    turn = held(b"as it came")
    turn.whole()
    assert turn.prepared(Prepared(b"as it came")) == (Begin(10), Forward(b"as it came"), End())


def test_what_cannot_be_kept_is_not_done_and_what_was_kept_before_is() -> None:
    turn = held(b"a long one")
    turn.whole()
    turn.prepared(MADE)
    assert turn.kept(False) == (Prepare(b"a long one", new=False),)
    assert turn.prepared(Prepared(b"older", NEW)) == (Begin(5), Forward(b"older"), End())


def test_after_a_second_fault_the_bytes_go_as_they_came() -> None:
    turn = held(b"a long", b" one")
    turn.whole()
    assert turn.failed() == (Prepare(b"a long one", new=False),)
    assert turn.failed() == (Begin(10), Forward(b"a long one"), End())


def test_a_request_longer_than_any_goes_on_as_it_comes() -> None:
    half = bytes(MAX_HELD_BYTES // 2)
    turn = held(half, half)
    assert turn.came(b"+") == (Begin(None), Forward(half), Forward(half), Forward(b"+"))
    assert turn.came(b"more") == (Forward(b"more"),)
    assert turn.whole() == (End(),)


# --- the answer -----------------------------------------------------------------------------


class Ear:
    """Takes pings out, holds what is named hold until the end, breaks at what is named break."""

    def __init__(self) -> None:
        self._held = b""

    def heard(self, raw: bytes, event: Event | None) -> bytes:
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


def answered(turn: Turn, *pieces: bytes) -> bytes:
    turn.answered(events=True)
    commands = [c for piece in pieces for c in turn.answer(piece)]
    commands += turn.answer_ended()
    assert all(isinstance(c, Hand) and c.data for c in commands)
    return b"".join(c.data for c in commands if isinstance(c, Hand))


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
def test_an_ear_says_what_the_client_gets_however_the_stream_is_cut(
    sent: bytes, got: bytes
) -> None:
    for at in range(len(sent) + 1):
        assert answered(Turn(ear=Ear()), sent[:at], sent[at:]) == got
    assert answered(Turn(ear=Ear()), *(sent[n : n + 1] for n in range(len(sent)))) == got


def test_an_answer_that_is_no_stream_is_not_listened_to() -> None:
    turn = Turn(ear=Ear())
    turn.answered(events=False)
    assert turn.answer(PING) == (Hand(PING),)


def test_a_fault_of_the_ear_costs_no_byte_that_it_has_not_answered_for() -> None:
    turn = Turn(ear=Ear())
    turn.answered(events=True)
    with pytest.raises(ValueError, match="a bug"):
        turn.answer(ONE + PING + BREAK + TWO + b"event: t")
    assert turn.deaf() == (Hand(ONE + BREAK + TWO + b"event: t"),)
    assert turn.answer(b"wo\n\n" + PING) == (Hand(b"wo\n\n" + PING),)
    assert turn.answer_ended() == ()


@given(st.lists(st.sampled_from([ONE, TWO, HOLD, PING, b"\r", b"\n", b"x"]), max_size=8), st.data())
def test_an_ear_that_changes_nothing_hands_every_byte_on(
    parts: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(parts)
    at = data.draw(st.integers(0, len(stream)))

    class Plain(Ear):
        def heard(self, raw: bytes, event: Event | None) -> bytes:
            return raw

    assert answered(Turn(ear=Plain()), stream[:at], stream[at:]) == stream
