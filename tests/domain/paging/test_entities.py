"""What a shorter text must not lose or invent: paths, identifiers, numbers (HM-3)."""

from __future__ import annotations

import pytest

from wm.domain.paging.entities import entities, json_in, missing_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/quay/berths.py", ("src/quay/berths.py",)),
        ("in ./a/b and main.go", ("./a/b", "main.go")),
        ("berth_of raises NoBerthFree", ("berth_of", "NoBerthFree")),
        ("error 4711, 3 of 1,024 and v4.25.1", ("4711", "1,024", "4.25.1")),
        ("nothing of note, 7 times", ()),
        ("pier7, 函数x86返回 and sha256", ("sha256", "pier7", "x86", "86", "256")),
        ("berth_of, berth_of and 12 or 12", ("berth_of", "12")),
    ],
)
def test_entities_of_a_text(text: str, found: tuple[str, ...]) -> None:
    assert entities(text) == found


@pytest.mark.parametrize(
    ("text", "wanted", "missing"),
    [
        ("port 8080 is open", ("8080",), []),
        ("port 18080 is open", ("8080",), ["8080"]),
        ("berth_of(ship)", ("berth_of", "dock_of"), ["dock_of"]),
        ("1,024 ships", ("1,024", "024"), ["024"]),
        ("pier71 of berth_office", ("pier7", "berth_of"), ["pier7", "berth_of"]),
        ("see 2024/notes.md", ("2024/notes.md", "2025/notes.md"), ["2025/notes.md"]),
    ],
)
def test_a_number_is_not_part_of_another(
    text: str, wanted: tuple[str, ...], missing: list[str]
) -> None:
    assert missing_in(text, wanted) == missing


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure:\n```json\n{"a": {"b": 2}}\n```', {"a": {"b": 2}}),
        ("none", None),
        ("} {", None),
        ('{"a": }', None),
        ("{" * 100_000 + "}" * 100_000, None),
    ],
)
def test_the_json_of_a_reply(reply: str, found: object) -> None:
    assert json_in(reply) == found
