"""RC-1: how much of a question a text holds, and when nothing is relevant."""

from __future__ import annotations

import numpy as np
import pytest

from wm.search.documents import Filters, SearchDocument
from wm.search.index import SearchIndex
from wm.search.postings import Postings
from wm.search.query import parse
from wm.search.query_terms import query_terms
from wm.settings import RecallSettings
from wm.text.terms import is_particle, only_asks, raw_words, terms_of

SETTINGS = RecallSettings()
VALVE = "The valve closes after nine minutes."


def held(query: str, *texts: str) -> list[float]:
    postings = Postings(SETTINGS.bm25_k1)
    for text in texts:
        terms = [t for raw in raw_words(text) for t in terms_of(raw)]
        ids = np.array([postings.id_of(term) for term in terms], np.int64)
        postings.add(ids, np.array([len(ids)]))
    terms = query_terms(parse(query).words, postings, SETTINGS)
    return [round(float(v), 2) for v in postings.coverage(terms, SETTINGS.background)]


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("valve", VALVE, 1.0),
        ("valve minutes", VALVE, 1.0),
        ("what happens with the valve", VALVE, 1.0),
        ("zebra", VALVE, 0.0),
        # An unknown word counts for a little more than one that was found, in a small memory too.
        ("valve zebra", VALVE, 0.44),
        ("parse_frame", "parse_frame() drops frames.", 1.58),
        ("parseFrame", "parse_frame() drops frames.", 1.1),
        ("computeFrameVat", "parse_frame() drops frames.", 0.33),
        ("日志保留多少天", "日志保留三十天。", 0.6),
        ("会议室在哪里", "日志保留三十天。", 0.0),
        ("苗の発送は何曜日ですか", "ログは三十日です。", 0.1),
    ],
)
def test_a_text_covers_a_share_of_the_question(query: str, text: str, share: float) -> None:
    assert held(query, text) == [pytest.approx(share, abs=0.06)]


def test_coverage_hardly_depends_on_the_size_of_the_memory() -> None:
    others = [f"Bay {n} has a lamp." for n in range(400)]
    assert held("valve zebra", VALVE)[0] == pytest.approx(
        held("valve zebra", VALVE, *others)[0], abs=0.06
    )


def test_a_text_of_the_month_contains_the_month() -> None:
    documents = [
        SearchDocument("october", VALVE, "2026-10-03T00:00:00Z"),
        SearchDocument("may", VALVE, "2026-05-03T00:00:00Z"),
    ]
    index = SearchIndex(documents, SETTINGS)

    def sure(query: str) -> dict[str, float]:
        return {hit.id: hit.confidence for hit in index.search(query, 5)}

    assert sure("valve October 2026")["october"] > sure("valve October 2026")["may"]
    assert list(sure("October 2026")) == ["october"]
    assert sure("zebra October 2026")["october"] < sure("valve October 2026")["october"]


@pytest.mark.parametrize(("pair", "empty"), [("です", True), ("什么", True), ("나요", True)])
def test_question_pairs_do_not_count(pair: str, empty: bool) -> None:
    assert is_particle(pair) is empty


@pytest.mark.parametrize("pair", ["日志", "発送", "温室", "온실", "センサ"[:2]])
def test_content_pairs_count(pair: str) -> None:
    assert not is_particle(pair)


def test_question_words_are_recognised_with_their_marks() -> None:
    assert only_asks("happens?")
    assert only_asks("Combien")
    assert not only_asks("valve")


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("src", True),
        ("./src/", True),
        ("src/pay/hook.py", True),
        ("docs/hooks.md", True),
        (".", True),
        ("sr", False),
        ("src/pay/hook", False),
        ("TCP", False),
    ],
)
def test_the_paths_of_a_text_are_those_it_names(path: str, there: bool) -> None:
    said = "The hook in `src/pay/hook.py:12` speaks TCP/IP (see ./docs/hooks.md)."
    assert Filters(path=path).admit(SearchDocument("a", said)) is there


def test_a_text_without_paths_has_none() -> None:
    assert not Filters(path=".").admit(SearchDocument("a", "Sockets use TCP/IP. We use Node.js"))


@pytest.mark.parametrize("path", ["/etc/hosts", "~/.netrc", "../shop/src/pay.py"])
def test_a_path_elsewhere_is_not_below_the_root(path: str) -> None:
    assert not Filters(path=".").admit(SearchDocument("a", f"The name stands in {path} too."))


@pytest.mark.parametrize(
    "said", ["See [the hook](src/pay/hook.py).", "See @src/pay/hook.py", "(@src/pay/hook.py)"]
)
def test_paths_are_recognised_as_in_instruction_files(said: str) -> None:
    assert Filters(path="src/pay").admit(SearchDocument("a", said))


def test_a_path_at_the_end_of_a_long_text_counts() -> None:
    assert Filters(path="src").admit(SearchDocument("a", "word " * 300 + "src/pay/hook.py"))


@pytest.mark.parametrize(
    ("tags", "there"),
    [
        (("Release",), True),
        (("code freeze",), True),
        (("RELEASE", "Code Freeze"), True),
        (("code",), False),
        (("release", "sea"), False),
    ],
)
def test_tags_match_in_any_case_and_with_spaces(tags: tuple[str, ...], there: bool) -> None:
    document = SearchDocument("a", VALVE, metadata={"tags": "release\nCode freeze"})
    assert Filters(tags=tags).admit(document) is there


@pytest.mark.parametrize(
    ("asked", "tag"),
    [
        ("strasse", "Straße"),
        ("istanbul", "İSTANBUL"),
        ("ISPARTA", "ısparta"),
        ("cafe\u0301", "Caf\u00e9"),
        ("cafe", "Café"),
    ],
)
def test_tags_match_with_or_without_accents(asked: str, tag: str) -> None:
    assert Filters(tags=(asked,)).admit(SearchDocument("a", VALVE, metadata={"tags": tag}))
    assert Filters(tags=(tag,)).admit(SearchDocument("a", VALVE, metadata={"tags": asked}))


@pytest.mark.parametrize(
    ("path", "there"),
    [("src", True), ("src/a.py", True), ("./lib/", True), ("lib/b.py", True), ("li", False)],
)
def test_every_path_of_a_text_counts(path: str, there: bool) -> None:
    document = SearchDocument("a", VALVE, metadata={"path": "src/a.py\n./lib/b.py"})
    assert Filters(path=path).admit(document) is there


def test_relevance_is_judged_among_filtered_entries() -> None:
    documents = [
        SearchDocument("a", VALVE, metadata={"type": "project"}),
        SearchDocument("b", "The lamp is blue.", metadata={"type": "decision"}),
    ]
    index = SearchIndex(documents, SETTINGS)
    assert [h.id for h in index.search("valve minutes", 5)] == ["a"]
    assert index.search("valve minutes", 5, Filters({"type": "decision"})) == ()
