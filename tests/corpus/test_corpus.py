"""The rules read a sample of the recorded outputs as well as they did when they were written.

`python -m tests.corpus score` judges all rows; each bound is what that says, less the noise of the
sample.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from zlib import crc32

import pytest

from tests.corpus import record, rows, score
from wm.domain.failures import formats

FEWEST_TOOLS = 60
FEWEST_OUTPUTS = 600
LEAST_RIGHT = {"errors": 0.93, "closing": 0.88, "pruning": 0.98}
EVERY = 6
CUTS = 6
BEGINS = (":", "|-", ">-", "|", "(", "{", "[", "---", ",")


@cache
def sample() -> tuple[score.Row, ...]:
    """A sixth of the outputs, chosen by their ids so that a new tool changes no other's rows, and
    half of the flows."""
    found = rows.read()
    outputs = [row for row in found if "output" in row and not crc32(row["id"].encode()) % EVERY]
    flows = [row for row in found if "events" in row]
    return tuple(score.labelled(row) for row in (*outputs, *flows[::2]))


def test_the_corpus_holds_many_tools() -> None:
    found = [row for row in rows.read() if "output" in row]
    assert len({row["tool"] for row in found}) >= FEWEST_TOOLS
    assert len(found) >= FEWEST_OUTPUTS


def test_every_row_is_of_a_tool_that_is_defined() -> None:
    tools = record.families()["tool"]
    assert {row["tool"] for row in rows.read()} <= set(tools)


@pytest.mark.parametrize("name", score.JUDGES)
def test_the_rules_read_real_outputs(name: str) -> None:
    judged = [(row, one) for row in sample() for one in score.JUDGES[name](row)]
    wrong = [(row["id"], one.why) for row, one in judged if not one.right]
    assert len(wrong) <= (1 - LEAST_RIGHT[name]) * len(judged), wrong


def test_an_output_that_ends_where_something_begins_is_read() -> None:
    """Clients cut output anywhere, and no hook may fail for that."""
    named = (f"{formats.__name__}.{one.name}" for one in iter_modules(formats.__path__))
    finders = [one.find for one in map(import_module, named) if hasattr(one, "find")]
    assert len(finders) > 10
    for lines in (row["output"].split("\n") for row in rows.read() if "output" in row):
        begins = [end for end, line in enumerate(lines, 1) if line.rstrip().endswith(BEGINS)]
        for end in begins[:CUTS]:
            for find in finders:
                list(find(lines[max(0, end - 20) : end]))
