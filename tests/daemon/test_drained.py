"""How long a stopping daemon writes: as long as its queue shrinks (IF-6)."""

from __future__ import annotations

import asyncio

import pytest

from wm.daemon.serve import drained


@pytest.mark.parametrize(
    ("left", "written"),
    [
        ([0], True),
        ([7, 0], True),
        ([400, 300, 200, 100, 0], True),
        ([400, 300, 300], False),
        ([7, 7], False),
        ([0, 0], False),
    ],
)
def test_a_drain_continues_while_there_is_progress(left: list[int], written: bool) -> None:
    """left: what waits before the first round and after each; the last round ends it."""
    at = 0

    async def drain() -> bool:
        nonlocal at
        at += 1
        return at >= len(left) if written else False

    assert asyncio.run(drained(drain, lambda: left[min(at, len(left) - 1)])) == written
    assert at == len(left) - (0 if written else 1)
