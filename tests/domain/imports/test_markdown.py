"""Statements in Markdown: what counts, what introduces one, what is skipped."""

from __future__ import annotations

import pytest

from wm.domain.imports.markdown import statements

STATEMENTS = [
    ("A fact.", ["A fact."]),
    ("Two lines\nof one fact.", ["Two lines of one fact."]),
    ("One.\n\nTwo.", ["One.", "Two."]),
    ("- one\n- two", ["one", "two"]),
    ("* one\n+ two\n3. three\n4) four", ["one", "two", "three", "four"]),
    ("-no item", ["-no item"]),
    ("- one\n  goes on\n- two", ["one goes on", "two"]),
    ("- one\n\n  a paragraph of the item", ["one", "a paragraph of the item"]),
    ("Run:\n- `make`\n- `make check`", ["Run: `make`", "Run: `make check`"]),
    ("Run:\n\n- `make`", ["Run: `make`"]),
    ("- Go:\n  - tabs\n- YAML:\n  - spaces", ["Go: tabs", "YAML: spaces"]),
    ("- Go:\n  - tabs\n- plain", ["Go: tabs", "plain"]),
    ("Run:\n- `make`\n\nNot a step.", ["Run: `make`", "Not a step."]),
    ("Run:\n- `make`\n\nNot a step.\n\n- nor this", ["Run: `make`", "Not a step.", "nor this"]),
    ("- two spaces.\n  - in YAML\n- tabs", ["two spaces.", "two spaces: in YAML", "tabs"]),
    (
        "- a\n  - a long item that says enough to be understood alone",
        ["a", "a long item that says enough to be understood alone"],
    ),
    ("規則：\n- タブを使う", ["規則： タブを使う"]),
    ("Read **this** and [that](docs/that.md).", ["Read this and that (docs/that.md)."]),
    ("See [docs/a.md](docs/a.md), [here](#here)", ["See docs/a.md, here"]),
    ("`__init__.py` stays empty", ["`__init__.py` stays empty"]),
    ("one\r\n\r\ntwo\rthree", ["one", "two three"]),
    ("before\n***\nafter\n- - -\nlast", ["before", "after", "last"]),
    ("a <!-- hidden --> b\n<!-- more\n- hidden\n--> c", ["a b", "c"]),
    ("<!-- never closed\n- hidden", []),
    ("```\n- hidden\n```\nshown", ["shown"]),
    ("~~~~\n~~~\n- hidden\n~~~~\nshown", ["shown"]),
    ("- item\n  ```sh\n  hidden\n  ```\n- next", ["item", "next"]),
    ("```\nnever closed\n- hidden", []),
    ("---\nname: x\n---\nshown", ["shown"]),
    ("---\nno end\nof it", ["no end of it"]),
    ("", []),
    ("#\n##\n-\n1.\n\n:", []),
]


@pytest.mark.parametrize(("text", "expected"), STATEMENTS)
def test_a_text_is_split_into_statements(text: str, expected: list[str]) -> None:
    assert [statement.text for statement in statements(text).statements] == expected


LEFT = [
    ("```\na\n```\n\n```\nb\n```", ["code", "code"]),
    ("| a |\n|---|\n| b |", ["table"]),
    ("| a |\n\n| b |", ["table", "table"]),
    ("> a\n> b", ["quotation"]),
    ("- [ ] a\n- [x] b", ["todo", "todo"]),
    ("@a.md\n@b.md", ["include", "include"]),
    ("mail me @home or at a@b.c", []),
]


@pytest.mark.parametrize(("text", "codes"), LEFT)
def test_other_lines_are_counted(text: str, codes: list[str]) -> None:
    assert statements(text).codes == codes


HEADINGS = [
    ("# YAML\n- two spaces", "two spaces (YAML)", "two spaces", "YAML"),
    ("# YAML #\n- two spaces", "two spaces (YAML)", "two spaces", "YAML"),
    ("YAML\n====\n- two spaces", "two spaces (YAML)", "two spaces", "YAML"),
    ("# YAML\n## Rules\n- two spaces", "two spaces", "", "Rules"),
    ("# YAML\n# Go\n- tabs only", "tabs only (Go)", "tabs only", "Go"),
    ("# YAML\nTwo spaces.", "Two spaces.", "", "YAML"),
    ("# YAML\nKeys:\n- sorted", "Keys: sorted", "", "YAML"),
    ("# YAML\n- an item of more than forty characters says enough", None, "", "YAML"),
]


@pytest.mark.parametrize(("text", "said", "bare", "section"), HEADINGS)
def test_a_short_item_includes_its_heading(
    text: str, said: str | None, bare: str, section: str
) -> None:
    found = statements(text).statements[-1]
    assert (found.text, found.bare, found.section) == (
        said or text.splitlines()[-1].removeprefix("- "),
        bare,
        section,
    )


def test_lines_are_counted_from_one() -> None:
    found = statements("---\na: b\n---\n\n- one\n- two\n  more\n\nthree")
    assert [(s.line, s.text) for s in found.statements] == [
        (5, "one"),
        (6, "two more"),
        (9, "three"),
    ]
    assert found.about == {"a": "b"}


@pytest.mark.parametrize(
    "unit",
    [
        "- a\n",
        "  " * 3 + "- a:\n",
        "> ",
        "<!-- ",
        "*",
        "[",
        "[a](",
        "#",
        "\n",
        "- [ ] x\n",
        "`" * 3,
    ],
)
def test_the_time_is_linear_in_the_length(unit: str) -> None:
    """Counted, not timed: reading twice the text makes no more than about twice the statements,
    and ends at all where brackets, stars and comments never close."""
    once, twice = statements(unit * 2_000), statements(unit * 4_000)
    assert len(twice.statements) <= 2 * len(once.statements) + 1


def test_deep_lists_are_read_in_linear_time() -> None:
    text = "".join("  " * depth + f"- level {depth}:\n" for depth in range(400))
    found = statements(text + "  " * 400 + "- the end")
    assert [s.text for s in found.statements] == ["level 398: level 399: the end"]
