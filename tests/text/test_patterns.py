"""One pass finds which patterns match, and no hint hides what its pattern would have matched."""

import importlib
import random

import pytest
import re2

from tests.secrets.secret_cases import HIDDEN, OPEN
from tests.secrets.test_contexts import contexts, values
from tests.secrets.test_redact import HARMLESS, KNOWN, LABELLED, tail
from tests.secrets.test_secret_cases import made_for
from wm.domain.change import contradiction
from wm.domain.change import statement as change_statement
from wm.domain.memory import gate, intent
from wm.secrets import lines as secret_lines
from wm.secrets import redact
from wm.secrets.formats import FORMATS, SHAPES
from wm.text.patterns import Lazy, PatternSet, Phrases, encoded, unbounded

MADE = [made_for(template)[0] for template in HIDDEN]
NAMED = [sentence.replace("{}", secret) for sentence, secret in LABELLED]
PLACED = [template.format(**values(random.Random(template))) for template in contexts()]
TEXTS = [*MADE, *OPEN, *HARMLESS, *NAMED, *(f"x {secret} y" for _, secret in KNOWN)]

FOUND = [
    ("", []),
    ("nothing", []),
    ("a port 7443", [r"\d{4}", "port"]),
    ("Port 1", []),
    ("ein Täter", ["ä"]),
    ("half a pair \ud800, port", ["port"]),
]


def set_of(*patterns: str) -> PatternSet:
    return PatternSet(map(Lazy, patterns))


@pytest.mark.parametrize(("text", "patterns"), FOUND)
def test_a_set_names_the_patterns_that_match(text: str, patterns: list[str]) -> None:
    found = set_of(r"\d{4}", "port", "ä").matching(encoded(text))
    assert [pattern.text for pattern in found] == patterns


def test_a_set_keeps_the_flags_of_its_patterns() -> None:
    tried = PatternSet([Lazy("port", ignore_case=True), Lazy("^b", multi_line=True), Lazy("PORT")])
    assert [pattern.text for pattern in tried.matching(b"Port\nb")] == ["port", "^b"]
    assert tried.is_match("Port")
    assert not tried.is_match("")


BOUNDED = ["a.{0,3}b", r"(?:\d ){2,4}c", r"\.{1,2}d", "[^.]{2,3}e$"]


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("a123b", ["a.{0,3}b"]),
        ("a1234b", []),
        ("1 2 c", [r"(?:\d ){2,4}c"]),
        ("1 c", []),
        ("..d", [r"\.{1,2}d"]),
        ("d", []),
        ("éße", ["[^.]{2,3}e$"]),
        ("ße", []),
    ],
)
def test_the_bounds_of_a_repetition_count_although_the_automaton_has_none(
    text: str, patterns: list[str]
) -> None:
    tried = set_of(*BOUNDED)
    assert [pattern.text for pattern in tried.matching(encoded(text))] == patterns
    assert tried.is_match(text) == bool(patterns)


def test_a_set_with_a_broken_pattern_is_refused() -> None:
    with pytest.raises(re2.error):
        set_of("fine", "(broken").matching(b"")


class OutOfMemory:
    """re2 answers so when the automaton of a set outgrows its memory."""

    def Match(self, _raw: bytes) -> None:  # noqa: N802
        return None


def test_each_pattern_is_searched_alone_when_the_pass_over_the_set_fails() -> None:
    tried = set_of("port", "harbour", "bay")
    tried._compiled = [(tuple(tried), OutOfMemory())]
    assert [pattern.text for pattern in tried.matching(b"a bay in the port")] == ["port", "bay"]


def test_the_parts_of_a_set_find_what_the_set_finds() -> None:
    tried = PatternSet(map(Lazy, ("port", "harbour", "a.{1,2}c", "bay")), together=2)
    assert len(tried.compiled) == 2
    assert [pattern.text for pattern in tried.matching(b"a bay, abc, port")] == [
        "port",
        "a.{1,2}c",
        "bay",
    ]
    assert tried.is_match("bay")
    assert not tried.is_match("abbbc")


GATE_SETS = [hints for hints in vars(gate).values() if isinstance(hints, PatternSet)]


@pytest.mark.parametrize("tried", [*GATE_SETS, contradiction._ENDED, *redact._HINT_SETS])
def test_a_set_finds_what_each_of_its_patterns_finds_alone(tried: PatternSet) -> None:
    for text in TEXTS:
        raw = encoded(text)
        assert tried.matching(raw) == [pattern for pattern in tried if pattern.found_in(raw)]


def test_each_row_of_a_line_is_tried_at_every_position() -> None:
    matched = set()
    for text in (*TEXTS, *PLACED):
        hints = redact._hints_in(text)
        for number, row in enumerate(secret_lines._LINES):
            if row.pattern.search(text) is not None:
                matched.add(number)
                assert row.hint in hints, (row.hint, text)
    assert len(matched) > len(secret_lines._LINES) // 2


def test_each_shape_is_tried_at_every_position() -> None:
    for text in TEXTS:
        hints = redact._hints_in(text)
        for shape, pattern in redact._SHAPES:
            assert pattern.search(text) is None or shape.hint in hints, (shape.kind, text)
    assert len(SHAPES) == len(redact._SHAPES)


def test_no_format_is_shorter_than_the_hint_of_all_of_them() -> None:
    parser = importlib.import_module("re._parser")
    for _kind, prefix, rest in FORMATS:
        assert parser.parse(rest).getwidth()[0] >= redact.SHORTEST_BODY, prefix


@pytest.mark.parametrize("before", ["", " ", "_", "=", "\n", "é", "密"])
def test_a_known_prefix_is_found_after_any_non_word_character(before: str) -> None:
    text = f"{before}ghp_{tail(36)}"
    assert redact._PREFIX_HINT in redact._hints_in(text)
    assert redact._PREFIX_HINT not in redact._hints_in(f"a{text}") or before


def test_an_address_with_a_colon_right_before_the_sign_is_read_to_its_end() -> None:
    text = "see http://a.example/b:@c and go on"
    assert redact.Redactor(lambda _: "0" * 32).text(text) == text


@pytest.mark.parametrize("name", change_statement._TABLES.names())
def test_a_phrase_of_change_is_found_although_only_its_letters_are_sought_first(name: str) -> None:
    if isinstance(change_statement._TABLES.table(name), str):
        for words in change_statement._TABLES.rows(name):
            said = " ".join(words).lower().rstrip("$").replace(" * ", " x y ").replace("*", "xy")
            assert change_statement._phrases(name).search(said) is not None


@pytest.mark.parametrize("name", intent.concepts().names())
def test_a_word_of_intent_is_found_although_only_its_letters_are_sought_first(name: str) -> None:
    words = intent._folded(str(intent.concepts().table(name))).replace("\n", "|").strip("|")
    for word in words.split("|"):
        said = word.replace(" ~ ", " x y ").replace("*", "xy")
        intent._concept.cache_clear()
        assert intent._has(name, said)


def test_phrases_are_compiled_for_the_first_text_with_the_letters_of_one() -> None:
    made: list[str] = []
    phrases = Phrases(
        ["no longer", "use*now"], lambda: made.append("once") or r"no longer|use.*now"
    )  # type: ignore[func-returns-value]
    assert (phrases.search("we do"), phrases.is_match("now"), [*phrases.spans("")]) == (
        None,
        False,
        [],
    )
    assert made == []
    assert [*phrases.spans("it is no longer so")] == [(6, 15)]
    assert phrases.is_match("we use it now")
    assert made == ["once"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("", []), ("a", [0]), ("b\n\na\na a\n", [1, 2, 3]), ("a,\na", [0, 1]), ("é\n\n  a", [1, 2])],
)
def test_a_match_over_two_lines_hides_none_in_the_second(text: str, numbers: list[int]) -> None:
    pattern = Lazy(r"^\s*a(?:,\s*a)?", multi_line=True)
    assert list(pattern.line_numbers(encoded(text))) == numbers


@pytest.mark.parametrize("text", ["x{2,3}y", "[a-z]{,4}", "(?:ab){3}"])
def test_without_bounds_an_expression_matches_more(text: str) -> None:
    for sample in ("xxy", "abab", "ababab", "abcd"):
        assert not Lazy(text).is_match(sample) or Lazy(unbounded(text)).is_match(sample)
