"""Whose a file is, as its name tells (GV-1, GV-3)."""

from __future__ import annotations

import pytest

from tests.store.samples import KEY, SID
from wm.domain.governance import Kind
from wm.store.sweep import classify
from wm.store.tree import kind_of


@pytest.mark.parametrize(
    ("folder", "name", "kind", "session"),
    [
        ("sessions", f"{SID}.json", Kind.SESSION, SID),
        ("sessions", f"{SID}_working.json", Kind.SISTER, SID),
        ("core", f"{SID}.json", Kind.SISTER, SID),
        ("core", f".{SID}.json.spare", Kind.SISTER, SID),
        ("core", "next.json", Kind.KEPT, ""),
        ("core", ".next.json.spare", Kind.KEPT, ""),
        ("flows", f"{SID}.jsonl", Kind.SISTER, SID),
        ("flows", f".{SID}.jsonl.lock", Kind.SISTER, SID),
    ],
)
def test_a_sessions_own_memory_goes_with_it_and_what_waits_for_the_next_one_stays(
    folder: str, name: str, kind: Kind, session: str
) -> None:
    found = classify(kind_of(f"workspaces/{KEY}/{folder}"), name)
    assert found is not None
    assert (found[0], found[2]) == (kind, session)
