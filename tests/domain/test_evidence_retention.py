"""GV-3: a record that explains an existing entry is never deleted, whatever its age."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.domain.memory.memories import NOW
from wm.domain.evidence_retention import EvidenceLimits, purgeable
from wm.domain.times import iso

HERE = frozenset({"m_here"})


def record(number: int = 1, *, days: float = 0.0, **fields: Any) -> dict[str, Any]:
    made = {
        "eventId": f"e_{number}",
        "createdAt": iso(NOW - timedelta(days=days)),
        "type": "candidate_rejected",
        "phase": "gate",
        "outcome": "rejected",
    }
    return made | fields


def going(*records: dict[str, Any], days: float = 90, events: int = 5000) -> set[int]:
    return set(
        purgeable(
            records,
            existing=HERE,
            admissions=frozenset({"e_77"}),
            limits=EvidenceLimits(days, events),
            now=NOW,
        )
    )


OLD: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("a refused candidate", {}, True),
    (
        "a prompt that showed the entry",
        {"type": "epoch_opened", "phase": "render", "details": {"included": ["m_here"]}},
        True,
    ),
    (
        "its reinforcement",
        {"type": "memory_reinforced", "phase": "retention", "entry": "m_here"},
        True,
    ),
    ("its admission", {"type": "memory_promoted", "phase": "promotion", "entry": "m_here"}, False),
    ("its way into the inbox", {"type": "memory_inbox", "entry": "m_here"}, False),
    ("an admission of what is gone", {"type": "memory_promoted", "entry": "m_gone"}, True),
    (
        "what it replaced",
        {
            "type": "memory_superseded",
            "phase": "promotion",
            "entry": "m_gone",
            "details": {"replaces": "m_here"},
        },
        False,
    ),
    (
        "what replaced it",
        {
            "type": "memory_superseded",
            "phase": "user",
            "entry": "m_gone",
            "details": {"by": "m_here"},
        },
        False,
    ),
    (
        "what a person did to it",
        {"type": "memory_edited", "phase": "user", "entry": "m_here"},
        False,
    ),
    (
        "an act of which it is the other part",
        {
            "type": "memory_trashed",
            "phase": "user",
            "entry": "m_gone",
            "details": {"reactivated": ["m_here"]},
        },
        False,
    ),
    (
        "what a person did to what is gone",
        {"type": "memory_edited", "phase": "user", "entry": "m_gone"},
        True,
    ),
    ("a record that an entry names as its own", {"eventId": "e_77"}, False),
    ("an import of it", {"type": "memory_imported", "entry": "m_here"}, False),
)


@pytest.mark.parametrize(("fields", "goes"), [c[1:] for c in OLD], ids=[c[0] for c in OLD])
def test_an_old_record_is_purged_unless_its_entry_exists(
    fields: dict[str, Any], goes: bool
) -> None:
    assert going(record(days=91, **fields)) == ({0} if goes else set())
    assert going(record(days=89, **fields)) == set()


def test_records_beyond_the_newest_n_are_deleted() -> None:
    records = [record(n) for n in range(10)]
    assert going(*records, events=4) == {0, 1, 2, 3, 4, 5}
    assert going(*records, events=10) == set()


def test_kept_records_count_among_the_newest() -> None:
    kept = record(0, type="memory_promoted", entry="m_here")
    assert going(kept, record(1), record(2), events=1) == {1}


@pytest.mark.parametrize("at", ["", "yesterday", None, 7])
def test_a_record_without_a_time_is_not_old(at: object) -> None:
    assert going(record(days=0) | {"createdAt": at}) == set()


def test_times_in_other_formats_are_parsed() -> None:
    assert going(record() | {"createdAt": "2020-01-01T00:00:00+02:00"}) == {0}
    assert going(record() | {"createdAt": "2099-01-01"}) == set()
