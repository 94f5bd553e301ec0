"""Which session or document a file belongs to, by its name (GV-1, GV-3)."""

from __future__ import annotations

import pytest

from tests.store.samples import KEY, SID
from wm.domain.governance import FileKind
from wm.store.sweep import classify
from wm.store.tree import kind_of


@pytest.mark.parametrize(
    ("folder", "name", "kind", "session"),
    [
        ("sessions", f"{SID}.json", FileKind.SESSION, SID),
        ("sessions", f"{SID}_working.json", FileKind.SISTER, SID),
        ("core", f"{SID}.json", FileKind.SISTER, SID),
        ("core", f".{SID}.json.spare", FileKind.SISTER, SID),
        ("core", "next.json", FileKind.KEPT, ""),
        ("core", ".next.json.spare", FileKind.KEPT, ""),
        ("flows", f"{SID}.jsonl", FileKind.SISTER, SID),
        ("flows", f".{SID}.jsonl.lock", FileKind.SISTER, SID),
    ],
)
def test_deleting_a_session_deletes_its_memory_and_keeps_the_next_sessions_memory(
    folder: str, name: str, kind: FileKind, session: str
) -> None:
    found = classify(kind_of(f"workspaces/{KEY}/{folder}"), name)
    assert found is not None
    assert (found[0], found[2]) == (kind, session)
