"""ID-3, WM-9: how hits rank that do not apply here and now, and how they are marked."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from tests.domain.memory.memories import entry
from wm.search.applicability import behind_rivals, doubts, relevant
from wm.search.documents import Hit
from wm.settings import RecallSettings

CHANGED: dict[str, Any] = {"suspect": "changed"}
ELSEWHERE: dict[str, Any] = {"scope": "branch:dock"}


@pytest.mark.parametrize(
    ("hits", "order"),
    [
        ([(CHANGED, 1.0), ({}, 1.0), ({}, 0.2)], "bac"),
        ([(ELSEWHERE, 1.0), ({}, 0.9), ({}, 0.2)], "bac"),
        ([(CHANGED, 1.0), ({}, 0.5)], "ab"),
        ([(CHANGED, 0.4), ({}, 0.2), ({}, 0.9)], "bca"),
        ([(ELSEWHERE, 1.0), (CHANGED, 1.0), ({}, 1.0)], "cab"),
        ([({}, 0.1), (CHANGED, 1.0)], "ab"),
        ([({"tainted": True}, 1.0), ({}, 1.0)], "ab"),
        ([({"status": "superseded"}, 1.0), ({}, 1.0)], "ab"),
        ([({"scope": "branch:main"}, 1.0), ({}, 1.0)], "ab"),
        ([(ELSEWHERE, 0.9), ({}, 0.1)], "ab"),
        ([(ELSEWHERE, 0.9), ({}, 0.8)], "ba"),
        ([], ""),
    ],
)
def test_a_doubted_hit_ranks_behind_hits_with_similar_coverage(
    hits: list[tuple[Any, ...]], order: str
) -> None:
    found = [
        (entry(name, **fields), Hit(name, 1.0, "", sure))
        for name, (fields, sure) in zip("abc", hits, strict=False)
    ]
    ranked = behind_rivals(found, "main", RecallSettings())
    assert "".join(kept.id for kept, _ in ranked) == order


def test_hits_are_shown_together_or_not_at_all() -> None:
    hits = (Hit("a", 2.0, "", 0.3), Hit("b", 1.0, "", 0.6))
    assert relevant(hits, 0.5) == hits
    assert relevant(hits, 0.7) == relevant((), 0.1) == ()


def test_the_cost_grows_linearly_with_the_hits() -> None:
    def calls(many: int) -> int:
        found = [
            (entry(f"m_{at}", **(ELSEWHERE if at % 2 else {})), Hit("a", 1.0, "", 1 / (at + 1)))
            for at in range(many)
        ]
        count = 0

        def called(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal count
            count += event == "call"

        sys.setprofile(called)
        try:
            behind_rivals(found, "main", RecallSettings())
        finally:
            sys.setprofile(None)
        return count

    assert calls(400) < 2.2 * calls(200)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, ()),
        ({"scope": "branch:dock"}, ("only on branch dock",)),
        ({"suspect": "gone"}, ("suspect: the code that it describes is gone",)),
        ({"suspect": "moved"}, ("suspect",)),
        (
            {"tainted": True, "suspect": "changed"},
            (
                "tainted: it rests on text from tools, files or the web",
                "suspect: the code that it describes changed",
            ),
        ),
    ],
)
def test_doubts_are_ordered_by_importance(fields: dict[str, Any], said: tuple[str, ...]) -> None:
    assert doubts(entry(**fields)) == said
