"""One pass tells which of many hints a text holds, and a hint never hides what it is there for."""

import importlib

import pytest
import re2

from tests.domain.secret_cases import HIDDEN, OPEN
from tests.domain.test_redact import HARMLESS, KNOWN, LABELLED, tail
from tests.domain.test_secret_cases import made_for
from wm.domain import redact, secret_lines
from wm.domain.patterns import Sieve, encoded
from wm.domain.secret_formats import FORMATS, SHAPES

MADE = [made_for(template)[0] for template in HIDDEN]
NAMED = [sentence.replace("{}", secret) for sentence, secret in LABELLED]
TEXTS = [*MADE, *OPEN, *HARMLESS, *NAMED, *(f"x {secret} y" for _, secret in KNOWN)]

HELD = [
    ("", set()),
    ("nothing", set()),
    ("a port 7443", {r"\d{4}", "port"}),
    ("Port 1", set()),
    ("ein Täter", {"ä"}),
    ("half a pair \ud800, port", {"port"}),
]


@pytest.mark.parametrize(("text", "hints"), HELD)
def test_a_sieve_names_the_hints_that_a_text_holds(text: str, hints: set[str]) -> None:
    assert Sieve((r"\d{4}", "port", "ä")).held(encoded(text)) == hints


def test_a_sieve_with_a_broken_hint_is_refused() -> None:
    with pytest.raises(re2.error):
        Sieve(("fine", "(broken")).held(b"")


def test_each_row_of_a_line_is_tried_wherever_it_matches() -> None:
    matched = set()
    for text in TEXTS:
        held = redact._held(text)
        for number, row in enumerate(secret_lines._LINES):
            if row.pattern.search(text) is not None:
                matched.add(number)
                assert row.hint in held, (row.hint, text)
    assert len(matched) > len(secret_lines._LINES) // 2


def test_each_shape_is_tried_wherever_it_matches() -> None:
    for text in TEXTS:
        held = redact._held(text)
        for shape, pattern in redact._SHAPES:
            assert pattern.search(text) is None or shape.hint in held, (shape.kind, text)
    assert len(SHAPES) == len(redact._SHAPES)


def test_no_format_is_shorter_than_the_hint_of_all_of_them() -> None:
    parser = importlib.import_module("re._parser")
    for _kind, prefix, rest in FORMATS:
        assert parser.parse(rest).getwidth()[0] >= redact.SHORTEST_BODY, prefix


@pytest.mark.parametrize("before", ["", " ", "_", "=", "\n", "é", "密"])
def test_a_known_prefix_is_looked_at_behind_all_but_a_word(before: str) -> None:
    text = f"{before}ghp_{tail(36)}"
    assert redact._PREFIX_HINT in redact._held(text)
    assert redact._PREFIX_HINT not in redact._held(f"a{text}") or before


def test_an_address_with_a_colon_right_before_the_sign_is_read_to_its_end() -> None:
    text = "see http://a.example/b:@c and go on"
    assert redact.Redactor(lambda _: "0" * 32).text(text) == text
