"""Each flipped bit of any file is detected, and none is ever served (F13)."""

from __future__ import annotations

import pytest

from tests.crash import flips, pool
from tests.crash.conftest import Report

PARTS = 16


def part(number: int) -> pool.Found:
    result = flips.run(part=number, parts=PARTS)
    return result.counts, result.problems


@pytest.mark.crash
def test_every_flipped_bit_of_every_file_is_detected(report: Report) -> None:
    counts, problems = pool.spread(part, range(PARTS))
    report("flips", counts)
    assert not problems, pool.shown(problems)
    assert counts["flips"] > 50_000


def test_sampled_flipped_bits_of_every_file_are_detected() -> None:
    result = flips.run(every=397, use_every=29)
    assert not result.problems, pool.shown(result.problems)
    assert result.counts["flips"] > 150
    names = {path.rpartition("/")[2] for path in result.files}
    assert {"local.key", ".local.key.spare", "aliases.json", "1.jsonl", "2.jsonl"} <= names
