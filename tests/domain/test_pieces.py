"""EX-3, EX-6: a pattern that a text is not tried with could not have matched it."""

from __future__ import annotations

import random
import re._constants as kinds  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable
from typing import Any

import pytest

from tests.docs.pieces import TABLES, pieces
from wm.domain.patterns import Lazy, Sift, compile, mark_of, without_case
from wm.domain.workspace import quality

MOST_REPEATS = 3


def some_match(parts: Iterable[Any], dice: random.Random) -> str:
    """A text that a pattern may match, made along its own branches."""
    return "".join(_some(kind, value, dice) for kind, value in parts)


def _some(kind: object, value: Any, dice: random.Random) -> str:
    if kind is kinds.LITERAL:
        return dice.choice((chr(value), chr(value).upper(), chr(value).lower()))
    if kind is kinds.IN:
        letters = [chr(told) for what, told in value if what is kinds.LITERAL]
        letters += [chr(told[0]) for what, told in value if what is kinds.RANGE]
        return dice.choice([*letters, "x", "7", " "])
    if kind is kinds.SUBPATTERN:
        return some_match(value[-1], dice)
    if kind is kinds.BRANCH:
        return some_match(dice.choice(value[1]), dice)
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
        least, most, inner = value
        times = dice.randint(least, max(least, min(most, MOST_REPEATS)))
        return "".join(some_match(inner, dice) for _ in range(times))
    return dice.choice("x7 ") if kind in (kinds.ANY, kinds.NOT_LITERAL) else ""


@pytest.mark.parametrize("table", TABLES)
def test_what_a_pattern_matches_it_is_tried_with(table: str) -> None:
    dice, sift = random.Random(11), TABLES[table]
    met = 0
    for pattern in sift.patterns:
        tree = parser.parse(pattern.text)
        made = [some_match(tree, dice) for _ in range(8)]
        matched = [text for text in made if pattern.holds(text)]
        met += bool(matched)
        for text in matched:
            assert pattern in sift.likely(text), (pattern.text, text)
    assert met >= 0.9 * len(sift.patterns)


def test_most_patterns_are_not_tried_with_a_statement() -> None:
    said = "The billing service keeps its rows in Postgres; invoices are numbered per tenant."
    likely = quality.SIFT.likely(said)
    assert len(likely) * 8 < len(quality.SIFT.patterns)


def test_letters_that_re2_takes_for_one_another_are_folded_alike() -> None:
    """`ſ` for s and the sign of Kelvin for k, and whatever Unicode brings next."""
    rows = [row for sift in TABLES.values() for row in sift._given[1]]
    letters = sorted(set("".join(rows)) - {"|"})
    alike = compile("[" + "".join(f"\\x{{{ord(c):x}}}" for c in letters) + "]", ignore_case=True)
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x1F000))))  # all with a case
    odd = {found.group() for found in alike.finditer(everything)}.difference(letters)
    assert {"ſ", "\u212a", "A"} <= odd
    for letter in odd:
        assert set(without_case(letter)) & set(letters), letter


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\b(?:always|never)\b", ("ever", "lway")),
        ("remember", ("memb",)),
        (r"\b(?:always|ok)? \d+", (" ", "lway", "ok ")),
        (r"(?:foo|\d+)", ()),
        (r"\w+|x{0,3}", ()),
        (r"(?:ab)+\d", ("ab",)),
        (r"(?:one|two) (?:step|\w+)", ("one ", "two ")),
        (r".*(?:完成|done)$", ("done", "完成")),
        (r"\|", ()),
        (r'"quoted', ("quot",)),
    ],
)
def test_pieces_are_of_what_has_to_stand_there(pattern: str, expected: tuple[str, ...]) -> None:
    assert pieces(pattern) == expected


def test_pieces_of_other_patterns_rule_nothing_out() -> None:
    new = (Lazy("never", ignore_case=True), Lazy("always", ignore_case=True))
    old = mark_of([Lazy("niemals", ignore_case=True), new[1]])
    assert Sift(new, (old, ("niem", "lway"))).likely("NEVER") == set(new)
    assert Sift(new, (mark_of(new), ("ever", "lway"))).likely("NEVER") == {new[0]}
    assert Sift(new, (mark_of(new), ("ever", ""))).likely("x") == {new[1]}


def test_a_rule_of_the_gate_is_sifted_or_tried_always() -> None:
    """`_Text.matches` knows the patterns of the sift only."""
    tables = [held for held in vars(quality).values() if isinstance(held, tuple)]
    named = {p for held in tables for p in held if isinstance(p, Lazy)}
    apart = {*quality._NEVER_BEFORE, *quality._NEVER_AFTER}
    assert named - apart <= set(quality.SIFT.patterns)
    single = (quality._STATEMENT_START, quality._STATES_NO_RULE, quality._UNWANTED)
    assert set(single) <= set(quality.SIFT.patterns)
