"""RC-1: words of texts and queries, and their terms."""

from __future__ import annotations

import pytest

from wm.text.terms import in_other_script, only_asks, raw_words, terms_of


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("nunez", "Núñez"),
        ("centimos", "céntimos"),
        ("STRASSE", "Straße"),
        ("Grosse", "Größe"),
        ("istanbul", "İstanbul"),
        ("İSTANBUL", "İstanbul".lower()),
        ("ISITICI", "ısıtıcı"),
        ("елка", "Ёлка"),
        ("ΟΔΟΣ", "οδός"),
        ("Lodz", "Łódź"),
        ("smorrebrod", "smørrebrød"),
        ("oeuvre", "œuvre"),
        ("cafe", "cafe\u0301"),
        ("محمد", "مُحَمَّد"),
        ("اسعار", "أسعار"),
        ("ברוך", "בָּרוּךְ"),
        ("x", "x\u0304"),
    ],
)
def test_words_match_ignoring_case_and_accents(typed: str, written: str) -> None:
    own, other = (
        [term.removeprefix("=") for raw in raw_words(text) for term in terms_of(raw)][:1]
        for text in (typed, written)
    )
    assert own == other != []


@pytest.mark.parametrize("texts", [("か", "が"), ("ハ", "パ"), ("배", "베"), ("ا", "ب")])
def test_marks_of_other_scripts_distinguish_words(texts: tuple[str, str]) -> None:
    first, second = map(terms_of, texts)
    assert first != second


@pytest.mark.parametrize(
    ("text", "words"),
    [("रात का बैकअप", ["रात", "का", "बैकअप"]), ("বাংলা ভাষা", ["বাংলা", "ভাষা"]), ("אב־גד", ["אב", "גד"])],
)
def test_a_word_is_not_split_at_vowel_signs(text: str, words: list[str]) -> None:
    assert raw_words(text) == words
    assert [terms_of(word) for word in words] == [(word,) for word in words]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("größer", False),
        ("Đặng 10 kΩ resistor", False),
        ("latency Δ", False),
        ("Ｐｏｓｔｇｒｅｓ", False),
        ("???", False),
        ("Где Postgres", False),
        ("Где наш Redis", True),
        ("Redis を使う", True),
        ("배포", True),
    ],
)
def test_the_script_of_a_question_is_that_of_most_letters(text: str, other: bool) -> None:
    assert in_other_script(text) is other


@pytest.mark.parametrize(("asks", "plain"), [("dónde", "donde"), ("cuál", "cual"), ("où", "ou")])
def test_question_words_are_recognised_without_accents(asks: str, plain: str) -> None:
    assert only_asks(asks)
    assert only_asks(plain)


@pytest.mark.parametrize(("raw", "terms"), [("42", ("42",)), ("42:", ("42",)), ("(4", ("4",))])
def test_a_number_is_one_term(raw: str, terms: tuple[str, ...]) -> None:
    assert tuple(term for word in raw_words(raw) for term in terms_of(word)) == terms
