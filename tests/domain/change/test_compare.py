"""WM-8: which statements retire which, over many wordings and languages."""

from __future__ import annotations

import pytest

from tests.domain.change.change_cases import ALIKE, CHANGED, INHERITED
from wm.domain.change.compare import Change, judge
from wm.domain.change.statement import reading

FOUND, KEPT, SAME = 0.9, 0.97, 0.9
"""Minimum shares. An undecided pair is asked about: it is not found, but both stay."""


def found(new: str, old: str) -> Change:
    return judge(reading(new), reading(old))


def retires(new: str, old: str) -> bool:
    return found(new, old) in (Change.REPLACES, Change.DIFFERS)


@pytest.mark.parametrize(
    "text", ['{"\\\\": {"": 1}, "": "\\\\"}', "'", "’’", "a' b", "가 ' 나", ""]
)
def test_text_without_words_is_read(text: str) -> None:
    assert reading(text) is not None
    assert not retires(text, "The port is 5433.")


def test_most_changes_are_found() -> None:
    missed = [row for row in CHANGED if not retires(row[3], row[2])]
    assert len(missed) <= (1 - FOUND) * len(CHANGED), missed


def test_nearly_all_that_looks_alike_stays() -> None:
    lost = [row for row in ALIKE if retires(row[3], row[2])]
    assert len(lost) <= (1 - KEPT) * len(ALIKE), lost


def test_a_retired_value_is_retired_for_its_subject() -> None:
    missed = [row for row in INHERITED if not retires(row[1], row[2])]
    assert len(missed) <= (1 - SAME) * len(INHERITED), missed


@pytest.mark.parametrize(("new", "other"), [(row[1], row[3]) for row in INHERITED])
def test_a_retired_value_of_another_subject_stays(new: str, other: str) -> None:
    assert not retires(new, other)


@pytest.mark.parametrize(
    "text", ["the default is '' here", "we use ( and ) for groups", "it's \" now"]
)
def test_marks_without_a_word_are_read(text: str) -> None:
    assert reading(text).text == text
