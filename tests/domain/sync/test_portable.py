"""What this machine knows of an author's version, also after a sync that died (SY-2)."""

from __future__ import annotations

import pytest

from wm.domain.sync.portable import base_of
from wm.formats.sharing.shared_entry import Version

HERE, THERE = "0000000a", "0000000b"


def clock(minute: int, node: str) -> str:
    return f"2026-11-21T12:{minute:02}:00.000Z-0000-{node}"


OLD: Version = {"text": (clock(1, THERE), "old"), "importance": (clock(1, THERE), "low")}


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ({}, {"text": "old", "importance": "low"}),
        ({"text": (clock(2, HERE), "mine")}, {"text": "mine", "importance": "low"}),
        # Another machine's edit came with a join, and the memory does not have it yet.
        ({"text": (clock(2, THERE), "theirs")}, {"text": "old", "importance": "low"}),
        ({"text": (clock(0, HERE), "before")}, {"text": "old", "importance": "low"}),
        ({"cleared": (clock(2, HERE), "")}, {}),
        ({"cleared": (clock(2, HERE), ""), "text": (clock(3, HERE), "again")}, {"text": "again"}),
    ],
)
def test_the_base_is_what_was_applied_and_what_this_machine_wrote(
    written: Version, known: dict[str, str]
) -> None:
    assert base_of(OLD, {**OLD, **written}, HERE) == known
