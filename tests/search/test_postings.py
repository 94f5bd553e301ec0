"""RC-1: positions of terms after any changes, sorted or not yet."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from wm.search.postings import Postings, QueryTerm

WORDS = tuple(f"w{at}" for at in range(40))


def filled(*texts: str) -> Postings:
    postings = Postings(1.2)
    for text in texts:
        put(postings, text.split())
    return postings


def put(postings: Postings, terms: list[str]) -> None:
    ids = np.array([postings.id_of(term) for term in terms], np.int64)
    postings.add(ids, np.array([len(ids)]))


def test_a_term_exists_while_a_document_contains_it() -> None:
    postings = filled("the harbour", "the crane")
    assert "harbour" in postings
    postings.remove(0)
    assert "harbour" not in postings
    assert "crane" in postings
    assert postings.alive().tolist() == [1]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("clasifier", ["classifier"]),
        ("classsifier", ["classifier"]),
        ("classufier", ["classifier"]),
        ("classiifer", ["classifier"]),
        ("classifie", ["classifier"]),
        ("classifiera", ["classifier"]),
        ("classifire", ["classifier"]),
        ("clossifier", []),
        ("clasifer", []),
        ("valwe", []),
        ("12345678", []),
        ("classifier" * 3, []),
    ],
)
def test_a_typing_error_leads_to_the_intended_word(typed: str, meant: list[str]) -> None:
    postings = filled("classifier valve 12345679")
    assert postings.one_slip_off(typed) == meant


def test_a_prefix_lists_existing_terms_in_order() -> None:
    postings = filled("harbours harbourage harbingers", "harbourmaster")
    assert postings.beginning("harbou") == ["harbourage", "harbourmaster", "harbours"]
    postings.remove(1)
    assert postings.beginning("harbou") == ["harbourage", "harbours"]
    assert postings.beginning("cranes") == []


def term(word: str, **matches: float) -> QueryTerm:
    return QueryTerm(word, word, {**matches, word: 1.0})


def test_a_word_weighs_as_its_best_term_at_most_its_own_weight() -> None:
    postings = filled("mole", "pier", "mole pier", "crane")
    found = postings.coverage([term("mole", pier=0.5)], 0)
    assert found.tolist() == pytest.approx([found[0], found[0] / 2, found[2], 0.0])
    assert found[0] > found[2] > found[1]
    dated = np.array([False, False, False, True])
    found = postings.coverage([term("mole"), term("may")], 0, {"may": dated})
    assert found[3] > found[0] > found[1] == 0
    assert postings.coverage([], 0).tolist() == [0.0] * 4


def test_a_whole_name_adds_to_its_parts_and_is_not_expected() -> None:
    postings = filled("=oak_mole oak mole", "oak mole", "oak")
    parts = [term("oak"), term("mole")]
    whole = QueryTerm("oak_mole", "=oak_mole", {"=oak_mole": 1.0}, is_name=True)
    without, found = postings.coverage(parts, 0), postings.coverage([whole, *parts], 0)
    assert found[0] > without[0]
    assert found[1:].tolist() == without[1:].tolist()


def test_texts_that_contain_nothing_of_it_do_not_make_a_word_rare() -> None:
    few = filled("mole crane", "mole crane")
    assert few.coverage([term("mole"), term("walrus")], 0)[0] < 0.2
    assert few.coverage([term("mole"), term("walrus")], 100)[0] > 0.3


def test_several_documents_can_be_added_at_once_also_empty_ones() -> None:
    postings = filled("crane")
    crane, berth = postings.id_of("crane"), postings.id_of("berth")
    postings.add(np.array([berth, crane, berth]), np.array([1, 0, 2]))
    assert (postings.end, postings.alive().tolist()) == (4, [0, 1, 2, 3])
    assert postings.contain("berth", np.arange(4)).tolist() == [False, True, False, True]
    assert postings.contain("walrus", np.arange(4)).tolist() == [False] * 4


@pytest.mark.parametrize("count", [5, 900])
def test_the_statistics_equal_a_plain_count(count: int) -> None:
    """The larger one is sorted out several times on the way."""
    draw, postings = random.Random(20261122), Postings(1.2)
    known: dict[int, list[str]] = {}
    for number in range(count):
        known[number] = draw.choices(WORDS, k=draw.randrange(30))
        put(postings, known[number])
        if number % 3 == 2:
            gone = draw.choice(sorted(known))
            postings.remove(gone)
            del known[gone]
        if number % 100 == 4:
            agrees(postings, known, draw)
    agrees(postings, known, draw)


def agrees(postings: Postings, known: dict[int, list[str]], draw: random.Random) -> None:
    numbers = np.array(sorted(known))
    assert postings.alive().tolist() == sorted(known)
    mean = sum(map(len, known.values())) / len(known)
    for word in draw.sample(WORDS, 3):
        there = {n for n, terms in known.items() if word in terms}
        assert (word in postings) == bool(there)
        assert set(numbers[postings.contain(word, numbers)].tolist()) == there
        rarity = np.log(1 + (len(known) - len(there) + 0.5) / (len(there) + 0.5))
        assert postings.rarity(word, 0) == pytest.approx(rarity)
        scores = postings.coverage([term(word)], 0)
        for number, terms in known.items():
            times = Counter(terms)[word]
            gain = times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(terms) / mean))
            assert scores[number] == pytest.approx(gain, abs=1e-5)
