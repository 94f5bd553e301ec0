"""Every shape of the foreign files, and what is imported: a file and its expectation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wm.domain.imports.foreign import ForeignFile, ForeignMemory
from wm.domain.imports.sources import SOURCES
from wm.formats.base import dump

GOLDEN = Path(__file__).parent / "golden"
MODIFIED = "2026-04-01T00:00:00.000Z"

CASES = [
    ("opencode-v2", "opencode_v2/workspace-memory.json"),
    ("opencode-v2", "opencode_v2/workspace-pending-journal.json"),
    ("opencode-v2", "opencode_v2/session.json"),
    ("opencode-v2", "opencode_v2/shapes.json"),
    ("opencode-v1", "opencode_v1/core.json"),
    ("opencode-v1", "opencode_v1/core_documented.json"),
    ("opencode-v1", "opencode_v1/working.json"),
    ("opencode-v1", "opencode_v1/working_items.json"),
    ("wm-export", "wm_export/export.json"),
    ("instructions", "instructions/CLAUDE.md"),
    ("instructions", "instructions/topic.md"),
]


def parsed_golden(name: str, path: str) -> ForeignMemory:
    """What a source takes of a golden file."""
    source = SOURCES[name]
    text = (GOLDEN / path).read_text("utf-8")
    value = json.loads(text) if source.json else None
    parsed = source.parse(ForeignFile(f"/p/{path}", text, value, MODIFIED))
    assert isinstance(parsed, ForeignMemory)
    return parsed


def without_defaults(name: str, path: str) -> dict[str, Any]:
    """The same without what is empty or as usual."""
    parsed = parsed_golden(name, path)
    sessions = [one.model_dump(mode="json", exclude_defaults=True) for one in parsed.sessions]
    return {
        "root": parsed.root,
        "facts": [fact.model_dump(mode="json", exclude_defaults=True) for fact in parsed.facts],
        "left": {left.code: left.count for left in parsed.left},
        **({"sessions": sessions} if sessions else {}),
    }


@pytest.mark.parametrize(("name", "path"), CASES)
def test_a_file_of_each_shape_matches_its_expectation(name: str, path: str) -> None:
    expected = GOLDEN / f"{path}.expected.json"
    assert without_defaults(name, path) == json.loads(expected.read_text("utf-8"))


def test_every_golden_file_is_a_case() -> None:
    files = {str(p.relative_to(GOLDEN)) for p in GOLDEN.rglob("*") if p.is_file()}
    assert {f for f in files if not f.endswith(".expected.json")} == {path for _, path in CASES}


def test_facts_round_trip_over_the_socket() -> None:
    source = SOURCES["opencode-v2"]
    value = json.loads((GOLDEN / "opencode_v2/workspace-memory.json").read_text("utf-8"))
    parsed = source.parse(ForeignFile("/p/workspace-memory.json", value=value))
    assert isinstance(parsed, ForeignMemory)
    for fact in parsed.facts:
        assert type(fact).model_validate(dump(fact)) == fact
