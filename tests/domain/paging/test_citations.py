"""Which stored lines are sent with a question (HM-2)."""

from __future__ import annotations

import pytest

from wm.domain.paging.citations import lines_to_send
from wm.domain.paging.passages import TextPassage

TEXTS = {name: "\n".join(f"{name}{n}" for n in range(1, 201)) for name in "ab"}


def passage(name: str, first: int, last: int) -> TextPassage:
    return TextPassage(name=name, first=first, last=last, text="", score=1.0)


@pytest.mark.parametrize(
    ("passages", "windows"),
    [
        ([("a", 100, 101)], [("a", 70, 131)]),
        ([("a", 2, 2), ("a", 199, 200)], [("a", 1, 32), ("a", 169, 200)]),
        # Overlapping windows become one, in the place of the best.
        ([("a", 50, 50), ("b", 50, 50), ("a", 90, 90)], [("a", 20, 120), ("b", 20, 80)]),
        ([("a", 40, 40), ("a", 160, 160), ("a", 100, 100)], [("a", 10, 190)]),
        ([("a", 50, 50), ("a", 51, 51)], [("a", 20, 81)]),
    ],
)
def test_each_line_is_sent_once(
    passages: list[tuple[str, int, int]], windows: list[tuple[str, int, int]]
) -> None:
    sent = lines_to_send([passage(*one) for one in passages], TEXTS, 100_000)
    assert [(one.name, one.first, one.last) for one in sent] == windows
    for one in sent:
        assert one.lines == tuple(TEXTS[one.name].split("\n")[one.first - 1 : one.last])


def test_what_exceeds_the_limit_is_left_out() -> None:
    limit = sum(len(line) + 8 for line in TEXTS["a"].split("\n")[19:90])
    passages = [passage("a", 50, 50), passage("b", 50, 50), passage("a", 60, 60)]
    sent = lines_to_send(passages, TEXTS, limit)
    assert [(one.name, one.first, one.last) for one in sent] == [("a", 20, 90)]
