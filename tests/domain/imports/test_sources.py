"""Which source a file is of, and what hostile files of each source come to."""

from __future__ import annotations

from typing import Any

import pytest

from wm.domain.facts import Refusal
from wm.domain.imports.foreign import ForeignFile, ForeignMemory, moment, number
from wm.domain.imports.sources import SOURCES, source_of

HEX = "0123456789abcdef" * 2

PATHS = [
    ("/p/.opencode/memory-core/ses_1.json", "opencode-v1"),
    ("/p/.opencode/memory-working/ses_1_pressure.json", "opencode-v1"),
    ("/p/.opencode/memory-core/notes.txt", None),
    ("/d/workspaces/0a/workspace-memory.json", "opencode-v2"),
    ("/d/workspaces/0a/workspace-pending-journal.json", "opencode-v2"),
    (f"/d/workspaces/0a/sessions/{HEX}.json", "opencode-v2"),
    ("/d/workspaces/0a/sessions/notes.json", None),
    ("/p/CLAUDE.md", "instructions"),
    ("/p/sub/AGENTS.md", "instructions"),
    ("/p/MEMORY.md", "instructions"),
    ("/h/.claude/projects/-p/memory/topic.md", "instructions"),
    ("/h/.claude/projects/-p/5f1a.jsonl", "transcripts"),
    ("/p/data/5f1a.jsonl", None),
    ("/p/memory/topic.md", None),
    ("/p/README.md", None),
]


@pytest.mark.parametrize(("path", "name"), PATHS)
def test_a_path_identifies_the_source(path: str, name: str | None) -> None:
    source = source_of(tuple(path.split("/")[1:]))
    assert (source.name if source else None) == name


SHAPES: list[tuple[Any, str | None]] = [
    ({"entries": []}, "opencode-v2"),
    ({"place": {}, "exportedAt": "", "documents": {}, "evidence": []}, "wm-export"),
    ({"pendingMemories": []}, "opencode-v2"),
    ({"blocks": {}}, "opencode-v1"),
    ({"slots": {}, "pool": []}, "opencode-v1"),
    ({"items": []}, "opencode-v1"),
    ({"name": "package"}, None),
    ([1, 2], None),
]


@pytest.mark.parametrize(("value", "name"), SHAPES)
def test_without_a_known_path_the_shape_identifies_the_source(value: Any, name: str | None) -> None:
    source = source_of(("x.json",), value)
    assert (source.name if source else None) == name


REFUSED: list[tuple[str, Any]] = [
    ("opencode-v2", None),
    ("opencode-v2", []),
    ("opencode-v2", {}),
    ("opencode-v2", {"version": 1, "entries": {"a": 1}}),
    ("opencode-v2", {"version": 99, "entries": []}),
    ("opencode-v2", {"version": "1", "entries": []}),
    ("opencode-v1", None),
    ("opencode-v1", "text"),
    ("opencode-v1", {}),
    ("opencode-v1", {"blocks": 3, "slots": "x"}),
    ("wm-export", None),
    ("wm-export", {"documents": []}),
    ("wm-export", {"documents": {"workspace_memory": 3}}),
    ("wm-export", {"documents": {"workspace_memory": {"entries": {}}}}),
    ("wm-export", {"documents": {"workspace_memory": {"version": 99, "entries": []}}}),
    ("wm-export", {"documents": {"workspace_memory": {"version": "2", "entries": []}}}),
]


@pytest.mark.parametrize(("name", "value"), REFUSED)
def test_a_foreign_format_is_refused_with_a_sentence(name: str, value: Any) -> None:
    refusal = SOURCES[name].parse(ForeignFile("/p/x.json", value=value))
    assert isinstance(refusal, Refusal)
    assert refusal.message.endswith(".")


ODD: list[tuple[str, Any]] = [
    ("opencode-v1", {"blocks": {"context": None, "goal": {"value": 3}}}),
    ("opencode-v1", {"slots": {"decision": "none", "error": None}, "pool": {"a": 1}}),
    ("opencode-v1", {"slots": [1], "items": [[], {}, 5, "x"]}),
    ("opencode-v1", {"sessionID": {"a": 1}, "items": [{"content": [], "type": {}}]}),
    ("opencode-v2", {"entries": [[], 1, True, {"id": None, "text": None}]}),
    ("opencode-v2", {"entries": [], "workspace": "x"}),
    ("opencode-v2", {"sessionID": 4, "pendingMemories": {}, "openErrors": {}}),
]


@pytest.mark.parametrize(("name", "value"), ODD)
def test_invalid_values_lose_only_themselves(name: str, value: Any) -> None:
    parsed = SOURCES[name].parse(ForeignFile("/p/x.json", value=value))
    assert isinstance(parsed, ForeignMemory)
    assert parsed.facts == ()


def test_measurements_are_recognised() -> None:
    file = ForeignFile("/p/.opencode/memory-working/ses_pressure.json", value={"level": "high"})
    parsed = SOURCES["opencode-v1"].parse(file)
    assert isinstance(parsed, ForeignMemory)
    assert [left.code for left in parsed.left] == ["measurements"]


@pytest.mark.parametrize("name", ["opencode-v1", "opencode-v2", "instructions"])
def test_a_text_without_an_entry_is_skipped(name: str) -> None:
    long = "far too long " * 20
    value = {
        "opencode-v1": {"blocks": {"context": {"value": long}}},
        "opencode-v2": {"entries": [{"id": "mem_1", "text": long}]},
        "instructions": None,
    }[name]
    file = ForeignFile("/p/x", text=long, value=value, max_chars=100)
    parsed = SOURCES[name].parse(file)
    assert isinstance(parsed, ForeignMemory)
    assert (parsed.facts, [left.code for left in parsed.left]) == ((), ["too_long"])


TIMES: list[tuple[object, str]] = [
    ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
    ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z"),
    (1_767_225_600_000, "2026-01-01T00:00:00.000Z"),
    (1_767_225_600_000.5, "2026-01-01T00:00:00.000Z"),
    (0, "1970-01-01T00:00:00.000Z"),
    (1e300, ""),
    (-1e18, ""),
    (10**400, ""),
    (float("nan"), ""),
    (True, ""),
    (None, ""),
    ("yesterday", ""),
    ("2" * 100, ""),
]


@pytest.mark.parametrize(("value", "expected"), TIMES)
def test_times_are_read_in_both_spellings(value: object, expected: str) -> None:
    assert moment(value) == expected


@pytest.mark.parametrize("value", [True, None, "1", [], float("inf"), 10**400])
def test_an_invalid_number_is_none(value: object) -> None:
    assert number(value) is None


def test_private_parts_of_an_instruction_file_are_not_read() -> None:
    text = "- Use pnpm.\n\n<private>\n- The intern is slow.\n</private>\n- Deploy with make ship.\n"
    found = SOURCES["instructions"].parse(ForeignFile("/p/CLAUDE.md", text))
    assert isinstance(found, ForeignMemory)
    stated = [(fact.text, fact.line) for fact in found.facts]
    assert stated == [("Use pnpm.", 1), ("Deploy with make ship.", 6)]
