"""RC-1: positions of terms after any changes, sorted or not yet."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from wm.search.postings import Postings

WORDS = tuple(f"w{at}" for at in range(40))


def filled(*texts: str) -> Postings:
    postings = Postings(1.2, 0.75)
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


def test_pairs_count_once_and_not_across_documents() -> None:
    postings = filled("one two one two", "two", "one", "two three")
    pairs = [("one", "two"), ("two", "one"), ("two", "three"), ("two", "unknown")]
    terms = ["one", "two", "three", "unknown"]
    assert postings.some(np.array([0, 1, 2, 3]), terms).together(pairs) == [2, 0, 0, 1]
    assert postings.some(np.array([2, 3]), terms).together(pairs[:1]) == [0, 0]
    assert postings.some(np.array([], np.int64), terms).together(pairs) == []
    assert postings.some(np.array([0, 1]), []).together(pairs) == [0, 0]


def test_a_group_matches_where_one_of_its_terms_matches() -> None:
    postings = filled("one two", "two three", "four")
    some = postings.some(np.array([2, 0, 1]), ["one", "three", "four", "unknown"])
    groups = [("one",), ("three", "one"), ("unknown",), (), ("unknown", "four")]
    assert some.hold(groups).tolist() == [
        [False, True, False],
        [False, True, True],
        [False, False, False],
        [False, False, False],
        [True, False, False],
    ]
    assert some.hold([]).shape == (0, 3)


def test_a_word_weighs_as_its_best_term_at_most_its_own_weight() -> None:
    postings = filled("mole", "pier", "mole pier", "crane")
    both, one = {"mole": 1.0, "pier": 0.5}, {"mole": 1.0}
    worth = postings.rarity("mole")
    _, held, whole = postings.bm25([both])
    assert held.tolist() == pytest.approx([worth, worth / 2, worth, 0.0])
    assert whole == pytest.approx(worth)
    dated = np.array([False, False, False, True])
    _, held, whole = postings.bm25([one, both], {0: dated})
    assert held.tolist() == pytest.approx([2 * worth, worth / 2, 2 * worth, worth])
    assert whole == pytest.approx(2 * worth)
    scores, held, whole = postings.bm25([])
    assert (scores.tolist(), held.tolist(), whole) == ([0.0] * 4, [0.0] * 4, 0.0)


def test_several_documents_can_be_added_at_once_also_empty_ones() -> None:
    postings = filled("crane")
    crane, berth = postings.id_of("crane"), postings.id_of("berth")
    postings.add(np.array([berth, crane, berth]), np.array([1, 0, 2]))
    assert (postings.end, postings.alive().tolist()) == (4, [0, 1, 2, 3])
    terms, ends = postings.rows_of(np.arange(4))
    assert (terms.tolist(), ends.tolist()) == ([0, 1, 0, 1], [1, 2, 2, 4])
    some = postings.some(np.arange(4), ["berth"])
    assert some.hold([("berth",)]).tolist() == [[False, True, False, True]]


@pytest.mark.parametrize("count", [5, 900])
def test_the_statistics_equal_a_plain_count(count: int) -> None:
    """The larger one is sorted out several times on the way."""
    draw, postings = random.Random(20261122), Postings(1.2, 0.75)
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
        assert set(numbers[postings.some(numbers, [word]).hold([(word,)])[0]].tolist()) == there
        rarity = np.log(1 + (len(known) - len(there) + 0.5) / (len(there) + 0.5))
        assert postings.rarity(word) == pytest.approx(rarity)
        scores, held, _ = postings.bm25([{word: 1.0}])
        for number, terms in known.items():
            times = Counter(terms)[word]
            gain = rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(terms) / mean))
            assert scores[number] == pytest.approx(gain, abs=1e-5)
            assert held[number] == pytest.approx(rarity if times else 0.0)
    pair = (draw.choice(WORDS), draw.choice(WORDS))
    expected = [int(pair in set(pairwise(known[int(n)]))) for n in numbers]
    assert postings.some(numbers, pair).together([pair]) == expected
