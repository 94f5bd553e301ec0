"""Limits of an instruction file, and which bytes are moved (CT-4)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wm.domain.contract.instruction_budget import archived, findings, outline, plan
from wm.settings import BudgetSettings

SETTINGS = BudgetSettings()
SMALL = BudgetSettings(prune_bytes=100, target_bytes=60, refuse_bytes=200)

LOG = b"""# Agents

Run `make check`.

### 2026-01-02 Parser
- one
- two

### 2026-03-04
- three

## Rules
Be brief.
"""


def entries(raw: bytes) -> list[tuple[str, int, int]]:
    return [(str(e.day), e.line, e.bullets) for e in outline(raw).entries]


def test_an_entry_ends_at_the_next_heading_of_its_rank_or_above() -> None:
    found = outline(LOG)
    assert entries(LOG) == [("2026-01-02", 5, 2), ("2026-03-04", 9, 1)]
    assert [LOG[e.begin : e.end] for e in found.entries] == [
        b"### 2026-01-02 Parser\n- one\n- two\n\n",
        b"### 2026-03-04\n- three\n\n",
    ]
    assert (found.lines, found.standing_lines) == (13, 6)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", []),
        (b"### 2026-01-02", [("2026-01-02", 1, 0)]),
        (b"\xef\xbb\xbf### 2026-01-02\n- a", [("2026-01-02", 1, 1)]),
        (b"### 2026-01-02\r\n- a\r\n- b\r\n", [("2026-01-02", 1, 2)]),
        (b"   ### 2026-01-02 ###\n", [("2026-01-02", 1, 0)]),
        (b"    ### 2026-01-02\n", []),
        (b"###2026-01-02\n", []),
        (b"## 2026-01-02\n", []),
        (b"#### 2026-01-02\n", []),
        (b"### 2026-01-02\n#### Detail\n- a\n", [("2026-01-02", 1, 1)]),
        (b"### 2026-02-30\n- a\n", []),
        (b"### 2026-01-020\n", []),
        (b"### Notes of 2026-01-02\n", []),
        (b"```\n### 2026-01-02\n```\n", []),
        (b"~~~~\n### 2026-01-02\n~~~\n### x\n~~~~\n### 2026-01-04\n", [("2026-01-04", 6, 0)]),
        (b"```sh\n### 2026-01-02\n", []),
        (b"``` a`b\n### 2026-01-02\n", [("2026-01-02", 2, 0)]),
        (b"<!--\n### 2026-01-02\n-->\n### 2026-01-03\n", [("2026-01-03", 4, 0)]),
        (b"<!-- x --> y\n### 2026-01-03\n", [("2026-01-03", 2, 0)]),
        (b"### 2026-01-02\n```\n- no\n### 2026-05-05\n```\n- yes\n", [("2026-01-02", 1, 1)]),
        (b"### 2026-01-02\n- a\n\nRules\n=====\n- b\n", [("2026-01-02", 1, 1)]),
        (b"### 2026-01-02\n- a\n---\n- b\n", [("2026-01-02", 1, 2)]),
        (b"### 2026-01-02\n\xff\xfe\n- a\n", [("2026-01-02", 1, 1)]),
    ],
)  # fmt: skip
def test_dated_headings_are_found_outside_code_blocks(
    raw: bytes, expected: list[tuple[str, int, int]]
) -> None:
    assert entries(raw) == expected


@pytest.mark.parametrize(
    ("body", "bullets"),
    [
        (b"- a\n- b\n- c\n", 3),
        (b"* a\n+ b\n1. c\n2) d\n", 4),
        (b"- a\n  - nested\n    - deeper\n- b\n", 2),
        (b"- a\n - b\n", 2),
        (b"   - a\n   - b\n", 2),
        (b"10. a\n    - nested\n11. b\n", 2),
        (b"-\n-a\n*emphasis*\n1.5 million\n", 0),
        (b"* * *\n- - -\n---\n", 0),
        (b"    - code\n", 0),
    ],
)
def test_top_level_bullets_are_counted(body: bytes, bullets: int) -> None:
    assert outline(b"### 2026-01-02\n" + body).entries[0].bullets == bullets


def codes(name: str, raw: bytes) -> list[tuple[str, int]]:
    return [(f.code, f.line) for f in findings(name, raw, SETTINGS)]


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("CLAUDE.md", b"x\n" * 200, []),
        ("CLAUDE.md", b"x\n" * 201, [("too_many_lines", 0)]),
        ("CLAUDE.md", b"### 2026-01-02\n" + b"- x\n" * 199, []),
        ("CLAUDE.md", b"x" * 200_000, []),
        ("AGENTS.md", b"x\n" * 200 + b"### 2026-01-02\n" + b"y\n" * 300, []),
        ("AGENTS.md", b"x\n" * 201 + b"### 2026-01-02\n", [("too_many_lines", 0)]),
        ("AGENTS.md", b"### 2026-01-02\n" + b"- x\n" * 5, []),
        ("AGENTS.md", b"a\n### 2026-01-02\n" + b"- x\n" * 6, [("too_many_bullets", 2)]),
        ("AGENTS.md", b"### 2026-13-02\n### 1.2.26\n### x\n", [("no_date", 1), ("no_date", 2)]),
        ("AGENTS.md", b"x" * 76_799, []),
        ("AGENTS.md", b"x" * 76_800, [("prune", 0)]),
        ("AGENTS.md", b"x" * 102_399, [("prune", 0)]),
        ("AGENTS.md", b"x" * 102_400, [("refused", 0)]),
    ],
)  # fmt: skip
def test_each_limit_is_found_where_it_holds(
    name: str, raw: bytes, expected: list[tuple[str, int]]
) -> None:
    assert codes(name, raw) == expected


def logged(*days: str) -> bytes:
    return b"# Log\n" + b"".join(b"### " + day.encode() + b"\n- 4567890\n" for day in days)


@pytest.mark.parametrize(
    ("days", "moved"),
    [
        (("2026-01-01", "2026-01-02"), []),
        (("2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"), ["2026-01-01", "2026-01-02"]),
        (("2026-01-04", "2026-01-03", "2026-01-02", "2026-01-01"), ["2026-01-01", "2026-01-02"]),
        (("2026-01-03", "2026-01-01", "2026-01-04", "2026-01-02"), ["2026-01-01", "2026-01-02"]),
    ],
)
def test_the_oldest_entries_are_moved_until_the_target_is_reached(
    days: tuple[str, ...], moved: list[str]
) -> None:
    raw = logged(*days)
    found = plan(raw, SMALL)
    assert [str(entry.day) for entry in found.moved] == moved
    assert found.rest == logged(*(day for day in days if day not in moved))


def test_of_one_day_the_first_written_entry_is_moved_first() -> None:
    down = b"### 2026-01-01 a\n- 12345678901234567890\n### 2026-01-01 b\n- 12345678901234567890\n"
    rest = b"### 2026-01-09 c\n- 12345678901234567890\n"
    assert [e.title for e in plan(down + rest, SMALL).moved] == ["2026-01-01 a", "2026-01-01 b"]
    assert [e.title for e in plan(rest + down, SMALL).moved] == ["2026-01-01 b", "2026-01-01 a"]


def test_the_newest_entry_is_always_kept() -> None:
    raw = b"### 2026-01-01\n" + b"x" * 500
    assert plan(raw, SMALL).moved == ()
    assert plan(b"### 2025-01-01\ny\n" + raw, SMALL).rest == raw


def test_the_archive_is_appended_to_with_its_own_line_ends() -> None:
    raw = logged("2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04").replace(b"\n", b"\r\n")
    found = plan(raw, SMALL)
    first = archived(None, found.blocks, raw)
    assert first.startswith(b"# Archive of AGENTS.md\r\n\r\n")
    assert first.endswith(b"\r\n### 2026-01-02\r\n- 4567890\r\n### 2026-01-03\r\n- 4567890\r\n")
    assert archived(b"mine", found.blocks[:1], raw) == b"mine\r\n### 2026-01-01\r\n- 4567890\r\n"
    assert archived(first, found.blocks, raw) == first


LINES = st.sampled_from(
    [
        b"### 2026-01-01",
        b"### 2026-01-02 again",
        b"### 2025-12-31",
        b"### 2026-99-99",
        b"## Rules",
        b"Title",
        b"=====",
        b"---",
        b"```",
        b"~~~",
        b"<!--",
        b"-->",
        b"- bullet",
        b"  - nested",
        b"",
        b"words \xff\xfe",
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b""])


@given(st.lists(st.tuples(LINES, ENDS), max_size=40), st.booleans())
def test_every_byte_is_in_the_file_or_in_the_archive(
    parts: list[tuple[bytes, bytes]], bom: bool
) -> None:
    raw = (b"\xef\xbb\xbf" if bom else b"") + b"".join(line + end for line, end in parts)
    everything = BudgetSettings(prune_bytes=1, target_bytes=0)
    found = plan(raw, everything)
    assert sorted(b"".join((found.rest, *found.blocks))) == sorted(raw)
    assert raw.startswith(found.rest[:3]) or not bom
    for block in found.blocks:
        assert block in raw
        assert block.rstrip() in archived(None, found.blocks, raw)
    again = plan(found.rest, everything)
    days = [entry.day for entry in (*found.moved, *again.moved)]
    assert days == sorted(days)
    assert all(isinstance(day, date) for day in days)


def test_a_file_of_ten_megabytes_is_read_in_linear_time() -> None:
    raw = b"### 2026-01-01\n" * 20_000 + b"- " * 500_000 + b"#" * 1_000_000 + b"`" * 1_000_000
    assert len(outline(raw).entries) == 20_000
