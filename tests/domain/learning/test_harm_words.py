"""The tables of what an order would do to its owner."""

from __future__ import annotations

import pytest

from wm.domain.learning.concepts import concepts_of, folded, phrases
from wm.domain.memory.worth import UNKNOWN
from wm.text.tables import Tables
from wm.text.word_grams import JOINED

TABLES = Tables("wm.domain.learning", "harm_words.toml")
LANGUAGES = phrases("always").keys() - set(UNKNOWN)


@pytest.mark.parametrize("concept", TABLES.names())
def test_every_phrase_of_every_language_is_found(concept: str) -> None:
    rows = TABLES.rows_of(concept)
    assert rows.keys() == LANGUAGES
    missed = []
    for lang, row in rows.items():
        for phrase in row.split("|"):
            text = phrase.replace("*", "" if lang in JOINED else "x").replace("~", "word")
            if concept not in concepts_of(folded(text), lang, "harm_words.toml").anywhere:
                missed.append((lang, phrase))
    assert missed == []
