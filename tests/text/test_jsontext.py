"""Editing JSON text (IF-5): additions fit in, removals leave no trace."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wm.text import jsontext
from wm.text.jsontext import NotJsonError, string_end

ADDED = [
    ("{}", '{\n  "k": [\n    1\n  ]\n}'),
    ("{ }\n", '{\n  "k": [\n    1\n  ]\n}\n'),
    ('{"a":1}', '{"a":1,"k":[1]}'),
    ('{"a": 1}', '{"a": 1, "k": [1]}'),
    ('{ "a": 1, "b": {} }', '{ "a": 1, "b": {}, "k": [1] }'),
    ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}'),
    ('{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1,\r\n    "k": [\r\n        1\r\n    ]\r\n}\r\n'),
    ('{"a": 1,\n "b": 2}', '{"a": 1,\n "b": 2,\n "k": [\n  1\n ]}'),
    ('\n\n {"a" :1 }', '\n\n {"a" :1, "k": [1] }'),
]


@pytest.mark.parametrize(("text", "expected"), ADDED)
def test_a_new_member_is_formatted_like_its_neighbours(text: str, expected: str) -> None:
    assert jsontext.add_member(text, jsontext.parse(text), "k", [1]) == expected


@pytest.mark.parametrize(
    ("text", "index", "expected"),
    [
        ("[1]", 0, "[]"),
        ("[ 1 ]", 0, "[]"),
        ("[1, 2, 3]", 0, "[2, 3]"),
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[1, 2, 3]", 2, "[1, 2]"),
        ('{\n  "a": 1,\n  "b": 2\n}', 0, '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  "b": 2\n}', 1, '{\n  "a": 1\n}'),
    ],
)
def test_a_removed_child_is_removed_with_its_comma(text: str, index: int, expected: str) -> None:
    assert jsontext.remove(text, jsontext.parse(text), index) == expected


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a": 1,}', "// note\n{}", '{"a": NaN}', "[" * 5000 + "]" * 5000, "{} {}"],
    ids=["empty", "open", "trailing comma", "comment", "NaN", "deep", "two"],
)
def test_text_that_is_not_strict_json_is_refused(text: str) -> None:
    with pytest.raises(NotJsonError):
        jsontext.parse(text)


def test_of_a_repeated_key_the_last_counts() -> None:
    node = jsontext.parse('{"a": 1, "a": 2}').member("a")
    assert node is not None
    assert node.value == 2


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-9, 9) | st.text(max_size=8),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=5), v, max_size=3),
    max_leaves=10,
)
LAYOUTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : "), (",\n", ":\n")])


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), LAYOUTS, SEPARATORS, st.booleans())
def test_adding_and_removing_round_trips_in_any_layout(
    value: dict[str, object], indent: int | str | None, separators: tuple[str, str], crlf: bool
) -> None:
    text = json.dumps(value, indent=indent, separators=separators)
    text = text.replace("\n", "\r\n") if crlf else text
    root = jsontext.parse(text)
    assert root.value == value
    key = "new key"
    added = jsontext.add_member(text, root, key, {"x": [1, "é"]})
    assert json.loads(added) == {**value, key: {"x": [1, "é"]}}
    again = jsontext.parse(added)
    removed = jsontext.remove(added, again, len(again.children) - 1)
    assert json.loads(removed) == value
    if value:
        assert removed == text


@pytest.mark.parametrize(
    ("raw", "start", "end"),
    [
        (b'"a"', 0, 3),
        (b'x"a" "b"', 1, 4),
        (rb'"a\"b"', 0, 6),
        (rb'"a\\"b"', 0, 5),
        (rb'"\\\"" ', 0, 6),
        (b'"', 0, 0),
        (rb'"a\"', 0, 0),
        (b'"a', 0, 0),
    ],
)
def test_an_escaped_quote_does_not_end_a_string(raw: bytes, start: int, end: int) -> None:
    assert string_end(raw, start) == end
