"""Returns to an earlier subject, from vectors; and the limit of a model."""

from __future__ import annotations

import numpy as np
import pytest

from wm.domain.paging.goals import GoalReturn, calibrated, known_messages, returned, says_much

A, B, C, OWN = np.eye(4, dtype=np.float32)


def like(one: np.ndarray) -> np.ndarray:
    """A message about this, in words of its own: 0.8 alike."""
    return np.float32(0.8) * one + np.float32(0.6) * OWN


def at(first: int, end: int, score: float) -> GoalReturn:
    return GoalReturn(first, end, pytest.approx(score))


LIMITS = (0.5, 0.45)


@pytest.mark.parametrize(
    ("before", "message", "found"),
    [
        ([], like(A), None),
        ([A], like(A), None),
        ([A, B], like(A), at(0, 1, 0.8)),
        ([A, B], like(B), None),
        ([A, A, B, B], like(A), at(0, 2, 0.8)),
        ([A, A, B, B], like(B), None),
        ([A, A, B, B], like(C), None),
        ([C, A, A, B, B], like(A), at(1, 3, 0.8)),
        ([C, A, B, B], like(C), at(0, 2, 0.8 * 0.5**0.5)),
        ([A, A, B, B, A, A], like(B), at(2, 4, 0.8)),
        ([A, A, B, B, A, A], like(A), None),
        ([A, A, B, B], A, None),
    ],
)
def test_a_message_returns_to_what_it_is_like_unless_the_newest_are_as_like_it(
    before: list[np.ndarray], message: np.ndarray, found: GoalReturn | None
) -> None:
    assert returned(before, message, LIMITS) == found


def test_a_message_is_repeated_also_if_its_answer_was_about_more() -> None:
    before = [np.float32(0.8) * A + np.float32(0.6) * C, B]
    assert returned(before, A, LIMITS) == at(0, 1, 0.8)
    assert returned(before, A, LIMITS, [A, B]) is None


def test_the_limits_are_above_the_scores_of_messages_that_continue() -> None:
    count = len(known_messages())
    assert count == 48
    subjects = np.eye(8, dtype=np.float32)
    apart = [subjects[number // 6] for number in range(count)]
    stray = [*apart[:5], subjects[1], *apart[6:]]
    assert calibrated(stray) == pytest.approx((1.1, 1.1))


@pytest.mark.parametrize(
    ("text", "much"),
    [
        ("", False),
        ("Yes.", False),
        ("ok, go on", False),
        ("do it", False),
        ("Where does the session expire?", False),
        ("Find out where the session of a user expires.", True),
        ("Die Kisten am Kai werden doppelt gezählt.", True),
    ],
)
def test_short_replies_are_about_any_subject(text: str, much: bool) -> None:
    assert says_much(text) is much
