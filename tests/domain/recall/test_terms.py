"""RC-1: words of texts, one by one and several at once."""

from __future__ import annotations

import pytest

from wm.domain.recall.terms import raw_words, raw_words_of, terms_of

TEXTS = ("The crane.", "", "a\0b \0", "nextInvoice_no: 42,\n43", "  ", "src/pay/hook.go?")


@pytest.mark.parametrize(
    "texts",
    [TEXTS, (), ("",), (*TEXTS, "größer 日志"), (*TEXTS, "crane " * 5000)],
    ids=["short", "none", "empty", "not ASCII", "long"],
)
def test_words_of_several_texts_are_those_of_each(texts: tuple[str, ...]) -> None:
    assert raw_words_of(texts) == [raw_words(text) for text in texts]


@pytest.mark.parametrize(("raw", "terms"), [("42", ("42",)), ("42:", ("42",)), ("(4", ("4",))])
def test_a_number_is_one_term(raw: str, terms: tuple[str, ...]) -> None:
    assert tuple(term for word in raw_words(raw) for term in terms_of(word)) == terms
