"""WM-8, RC-1: hints about two entries of similar meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wm.domain.memory.similarity import hint
from wm.formats.workspace_memory import MemoryEntry
from wm.search.near_pairs import near_pairs
from wm.settings import RecallSettings

SETTINGS = RecallSettings()


def entry(name: str, text: str, **fields: Any) -> MemoryEntry:
    made = MemoryEntry(
        id=name, type="project", text=text, source="explicit", created_at="", updated_at=""
    )
    return made.model_copy(update=fields)


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        ("We deploy on Fridays in the morning.", "Deploys happen Friday mornings.", ""),
        ("Logs are kept by the collector.", "The collector keeps the logs.", "may_be_same"),
        ("Logs are kept for 30 days.", "The collector keeps logs for 30 days.", "may_be_same"),
        ("Sessions end after 30 minutes.", "A session ends 45 minutes later.", "may_contradict"),
        ("Logs go to the archive.", "Logs never go into the archive.", "may_contradict"),
        ("The staging port is 80.", "The staging port is 81.", "may_contradict"),
        ("src/a.py rounds prices.", "src/b.py rounds prices.", ""),
        ("parse_frame drops frames.", "read_frame drops frames.", ""),
        ("src/a.py retries 3 times.", "src/b.py retries 4 times.", ""),
        ("The sessions are in Redis.", "In Postgres there are sessions.", ""),
        ("The wharf number 1 opens at six.", "The wharf number 2 opens at six.", ""),
        ("Gate 4 closes at nine.", "Gate 4 closes at ten.", "may_contradict"),
        ("Port 80 is used by the ferry.", "Port 90 is used by the ferry.", "may_contradict"),
    ],
)
def test_numbers_denials_names_and_paths_decide_the_hint(a: str, b: str, code: str) -> None:
    assert hint(entry("a", a), entry("b", b), 0.9, SETTINGS) == code
    assert hint(entry("b", b), entry("a", a), 0.9, SETTINGS) == code


@pytest.mark.parametrize(("likeness", "code"), [(0.69, ""), (0.71, "may_be_same")])
def test_dissimilar_entries_get_no_hint(likeness: float, code: str) -> None:
    a, b = entry("a", "Logs are kept by the collector."), entry("b", "The collector keeps logs.")
    assert hint(a, b, likeness, SETTINGS) == code


@pytest.mark.parametrize(
    "fields", [{"scope": "branch:x"}, {"supersedes": ("a",)}, {"superseded_by": "a"}]
)
def test_other_scopes_and_replaced_entries_get_no_hint(fields: dict[str, Any]) -> None:
    a = entry("a", "Logs are kept by the collector.")
    b = entry("b", "The collector keeps the logs.", **fields)
    assert hint(a, b, 1.0, SETTINGS) == ""


def test_each_text_is_listed_with_its_nearest_once() -> None:
    rows = np.eye(4, dtype=np.float32)
    near = np.array([0.9, 0.1, 0.0, 0.0], np.float32)
    vectors = [rows[:1], rows[1:2], near[np.newaxis], rows[2:3]]
    assert [(a, b) for a, b, _ in near_pairs(vectors, 0.7, 3)] == [(0, 2)]
    assert list(near_pairs(vectors[:1], 0.0, 3)) == []
