"""RC-1, RC-4: hits, their order and reasons, and when there are none."""

from __future__ import annotations

import random
import tracemalloc
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from wm.models.static import StaticEmbedder
from wm.search.applicability import relevant
from wm.search.documents import Filters, Hit, SearchDocument
from wm.search.index import SearchIndex
from wm.settings import RecallSettings
from wm.text.terms import query_words, terms_of

TEXTS = {
    "invoice": "Invoice numbers are gapless, assigned by the function next_invoice_no().",
    "quote": "Quotes are valid for 20 minutes; the field quotedUntil is authoritative.",
    "retry": "services/worker/src/upload/retry.rs backs off 5, 15 and 45 seconds.",
    "hold": "A hold reserves capacity and is freed by the sweeper.",
    "tabs": "The user prefers tabs over spaces in Go code.",
    "deploy": "Deployments to production need two approvals.",
    "zh": "集成测试必须能在没有外网的环境下运行。",
    "ja": "コードレビューの指摘は重要度の順に並べてほしい。",
    "de": "Die Größe der Warteschlange ist begrenzt.",
    "backup": "Database backups are restored every month as an exercise.",
    "cpp": "The signing library is written in C++ and built with cmake.",
}


def index(**texts: str) -> SearchIndex:
    documents = (SearchDocument(id=i, text=t) for i, t in (texts or TEXTS).items())
    return SearchIndex(documents, RecallSettings())


def found(query: str, where: SearchIndex | None = None) -> list[str]:
    return clear((where or index()).search(query, 5))


def clear(hits: tuple[Hit, ...]) -> list[str]:
    """The hits that a search shows."""
    return [hit.id for hit in relevant(hits, RecallSettings().search_confidence)]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("next_invoice_no()", "invoice"),
        ("next invoice number", "invoice"),
        ("quotedUntil", "quote"),
        ("quoted_until", "quote"),
        ("services/worker/src/upload/retry.rs", "retry"),
        ("what to know about retry.rs", "retry"),
        ("upload retry", "retry"),
        ("deploying to production", "deploy"),
        ("who approves a deployment", "deploy"),
        ("restoring backups", "backup"),
        ("tabs or spaces", "tabs"),
        ("集成测试的环境", "zh"),
        ("コードレビュー", "ja"),
        ("GRÖSSE Größe", "de"),
        ("ＳＷＥＥＰＥＲ hold", "hold"),
        ("restore the db", "backup"),
    ],
)
def test_the_right_text_comes_first(query: str, best: str) -> None:
    assert found(query)[0] == best


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?!",
        "colour palette of the marketing site",
        "office parking rules",
        "給与テーブル",
    ],
)
def test_unrelated_queries_find_nothing(query: str) -> None:
    assert found(query) == []
    assert found(query, SearchIndex((), RecallSettings())) == []


OTHER_SCRIPTS = (
    (
        "Мы выкатываем релиз командой make ship из ветки release.",
        "Цены хранятся в целых центах, никогда не в числах с плавающей точкой.",
        "Ночное резервное копирование начинается в половине третьего.",
        "Тесты занимают двенадцать минут.",
    ),
    (
        "Κάνουμε deploy με make ship από τον κλάδο release.",
        "Οι τιμές αποθηκεύονται σε ακέραια σεντς, ποτέ ως δεκαδικοί.",
        "Το νυχτερινό αντίγραφο ασφαλείας ξεκινά στις δυόμισι.",
        "Οι δοκιμές διαρκούν δώδεκα λεπτά.",
    ),
    (
        "ننشر البرنامج بالأمر make ship من فرع release.",
        "الأسعار تحسب بالسنتات الصحيحة ولا تستخدم الأعداد العشرية.",
        "يبدأ النسخ الاحتياطي الليلي في الساعة الثانية والنصف.",
        "تستغرق الاختبارات اثنتي عشرة دقيقة.",
    ),
    (
        "אנחנו פורסים עם make ship מענף release.",
        "המחירים נשמרים בסנטים שלמים, לעולם לא כמספרים עשרוניים.",
        "הגיבוי הלילי מתחיל בשתיים וחצי.",
        "הבדיקות נמשכות שתים עשרה דקות.",
    ),
)


@pytest.mark.parametrize(
    ("texts", "query", "hits"),
    [
        (OTHER_SCRIPTS[0], "завтра будет дождь", []),
        (OTHER_SCRIPTS[0], "столица Австралии", []),
        (OTHER_SCRIPTS[0], "когда начинается резервное копирование", [2]),
        (OTHER_SCRIPTS[1], "ο καιρός αύριο στο Παρίσι", []),
        (OTHER_SCRIPTS[1], "συνταγή για σούπα", []),
        (OTHER_SCRIPTS[1], "πότε ξεκινα το αντιγραφο", [2]),
        (OTHER_SCRIPTS[2], "الطقس غدا", []),
        (OTHER_SCRIPTS[2], "عاصمة أستراليا", []),
        (OTHER_SCRIPTS[2], "متى يبدأ النسخ الاحتياطي", [2]),
        (OTHER_SCRIPTS[3], "מזג האוויר מחר בפריז", []),
        (OTHER_SCRIPTS[3], "מתי מתחיל הגיבוי", [2]),
    ],
)
def test_non_latin_queries_without_a_match_find_nothing(
    texts: tuple[str, ...], query: str, hits: list[int]
) -> None:
    embedder = StaticEmbedder(RecallSettings())
    where = SearchIndex(
        (SearchDocument(str(at), text) for at, text in enumerate(texts)), RecallSettings()
    )
    for at, text in enumerate(texts):
        where.attach_all([str(at)], [embedder.embed([text])])
    found = where.search(query, 1, vector=embedder.embed([query])[0])
    assert list(map(int, clear(found))) == hits


@pytest.mark.parametrize("model_share", [0.85, 0.65])
@pytest.mark.parametrize(("embedded", "wanted"), [(True, []), (False, ["ja"])])
def test_the_script_limit_applies_to_the_default_model_only(
    model_share: float, embedded: bool, wanted: list[str]
) -> None:
    documents = (SearchDocument(id=i, text=t) for i, t in TEXTS.items())
    where = SearchIndex(documents, replace(RecallSettings(), model_share=model_share))
    where.expect(embedded=embedded)
    rows = np.eye(len(TEXTS), 256, dtype=np.float32)
    where.attach_all(list(TEXTS), [rows[at : at + 1] for at in range(len(TEXTS))])
    query = rows[list(TEXTS).index("ja")]
    assert clear(where.search("苗の発送日", 1, vector=query)) == wanted


def test_the_newest_statement_of_a_fact_comes_first() -> None:
    documents = [
        SearchDocument("old", "The release day is Tuesday.", "2026-01-05T00:00:00Z"),
        SearchDocument("new", "The release day is Thursday.", "2026-05-05T00:00:00Z"),
        SearchDocument("other", "Bugs are tracked in Linear.", "2026-06-05T00:00:00Z"),
    ]
    assert found("release day", SearchIndex(documents, RecallSettings())) == ["new", "old"]


def test_a_request_for_all_hits_does_not_compare_all_pairs() -> None:
    count = 1500
    many = SearchIndex(
        (SearchDocument(f"{n:04}", f"Valve {n} opens.") for n in range(count)), RecallSettings()
    )
    vectors = np.random.default_rng(1).normal(size=(count, 1, 16)).astype(np.float32)
    many.attach_all([f"{n:04}" for n in range(count)], list(vectors))
    tracemalloc.start()
    try:
        hits = many.search("valve", count, vector=vectors[0, 0])
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len({hit.id for hit in hits}) == count
    assert most < 8 * 1024 * 1024


def superseding() -> SearchIndex:
    documents = [
        SearchDocument(
            "kc",
            "Keycloak is the identity provider for staff.",
            "2026-01-01T00:00:00Z",
            {"status": "superseded", "superseded_by": "za"},
        ),
        SearchDocument(
            "za", "Zitadel took over the logins.", "2026-04-01T00:00:00Z", {"status": "active"}
        ),
        SearchDocument(
            "x", "The provider of mail is Postmark.", "2026-02-01T00:00:00Z", {"status": "active"}
        ),
    ]
    return SearchIndex(documents, RecallSettings())


def test_a_replacement_ranks_before_the_matching_old_statement() -> None:
    assert found("identity provider today", superseding())[:2] == ["za", "kc"]
    hit = superseding().search("identity provider", 5, Filters({"status": "active"}))[0]
    assert hit.id == "za"


def statements(heirs: dict[str, str]) -> dict[str, SearchDocument]:
    """Five statements; one holds the words that are asked for."""
    texts = {"a": "The tide gate is blue.", "b": "Paint: green.", "c": "Paint: red."}
    texts |= {"d": "The pier is old.", "e": "The gate hangs on chains of the tide wall."}
    return {
        i: SearchDocument(i, text, metadata={"superseded_by": heirs.get(i, "")})
        for i, text in texts.items()
    }


HEIRS: tuple[dict[str, str], ...] = (
    {"a": "b", "b": "c"},
    {"a": "c", "e": "c"},
    {"a": "b", "b": "c", "c": "d", "e": "d"},
    {"a": "b", "b": "a"},
    {"a": "b", "b": "c", "c": "b"},
    {"a": "missing", "e": "e"},
)


def test_results_do_not_depend_on_the_order_of_vectors() -> None:
    """Grown one by one, made at once as after a loss of what was saved, shrunk to the same."""
    embedder = StaticEmbedder(RecallSettings())
    things = product(("old", "red", "wide", "new"), ("crane", "winch"), ("coal", "grain", "salt"))
    texts = [
        f"The {a} {b} on pier {n} lifts {3 * n} tons of {c}." for n, (a, b, c) in enumerate(things)
    ]
    documents = [SearchDocument(str(n), text) for n, text in enumerate(texts)]
    rows = [embedder.embed([text]) for text in texts]
    queries = ["heavy load of cereals", "metal", "which machine lifts wood", "tons", "black fuel"]

    def answers(where: SearchIndex) -> list[list[tuple[str, float]]]:
        found = (where.search(q, 8, vector=embedder.embed([q])[0]) for q in queries)
        return [[(hit.id, round(hit.score, 4)) for hit in hits] for hits in found]

    at_once = SearchIndex(documents[:20], RecallSettings())
    at_once.attach_all([d.id for d in documents[:20]], rows[:20])
    grown, shrunk = SearchIndex((), RecallSettings()), SearchIndex(documents, RecallSettings())
    shrunk.attach_all([d.id for d in documents], rows)
    answers(shrunk)
    for n, document in enumerate(documents[:20]):
        grown.add_all([document])
        grown.attach_all([document.id], [rows[n]])
        answers(grown)
    for document in documents[20:]:
        shrunk.remove(document.id)
    assert answers(grown) == answers(at_once) == answers(shrunk)
    late = SearchIndex(documents[:20], RecallSettings())
    for n in [*range(5, 20), *range(5)]:
        late.attach_all([documents[n].id], [rows[n]])
        answers(late)
    assert answers(late) == answers(at_once)


def test_one_chinese_letter_is_found_inside_words() -> None:
    where = index(a="修改支付服务之前要先问王伟。", b="夜间备份在凌晨开始。")
    assert found("王", where) == ["a"]
    assert found("备", where) == ["b"]
    assert found("猫", where) == []


def test_a_single_word_ranks_texts_that_contain_it_first() -> None:
    embedder = StaticEmbedder(RecallSettings())
    texts = ("Preise werden in ganzen Cent gezählt, nie als Gleitkommazahl.", TEXTS["de"])
    more = ("Die Datenbank ist PostgreSQL 15.", "Wir verwenden kein Redis.", "Cent", "Tage")
    where = index(**{str(n): text for n, text in enumerate((*texts, *more))})
    for document in where.documents():
        where.attach_all([document.id], [embedder.embed([document.text])])
    hits = where.search("grosse", 3, vector=embedder.embed(["grosse"])[0])
    assert hits[0].id == "1"


@pytest.mark.parametrize("seed", range(6))
def test_an_incrementally_updated_index_answers_like_a_new_one(seed: int) -> None:
    """Entries change in place, go and come, of which many are of one time: as in an import."""
    draw = random.Random(seed)
    embedder = StaticEmbedder(RecallSettings())
    file: dict[str, SearchDocument] = {}
    followed = SearchIndex((), RecallSettings())

    def put(where: SearchIndex, document: SearchDocument) -> None:
        where.add_all([document])
        where.attach_all([document.id], [embedder.embed([document.text])])

    for step in range(60):
        if file and draw.random() < 0.15:
            followed.remove(gone := draw.choice(list(file)))
            del file[gone]
        else:
            text = f"{draw.choice(list(TEXTS.values()))} It takes {step % 7} days."
            document = SearchDocument(
                f"m{draw.randrange(25)}", text, draw.choice(["", "2026-01-05"])
            )
            file[document.id] = document
            put(followed, document)
    anew = SearchIndex((), RecallSettings())
    for document in file.values():
        put(anew, document)
    for one in (followed, anew):
        one.refit()
    for query in ("how many days may a quote be valid", "production approvals", "tabs in code now"):
        vector = embedder.embed([query])[0]
        for asked in (None, vector):
            results = [one.search(query, 8, vector=asked) for one in (followed, anew)]
            assert [hit.id for hit in results[0]] == [hit.id for hit in results[1]]
            assert [hit.score for hit in results[0]] == pytest.approx(
                [hit.score for hit in results[1]], abs=2e-6
            )


@pytest.mark.parametrize("heirs", HEIRS)
def test_a_chain_of_replacements_scores_the_same_in_any_order(heirs: dict[str, str]) -> None:
    wanted = statements(heirs)
    fresh = SearchIndex(wanted.values(), RecallSettings())
    expected = [(hit.id, hit.score, hit.why) for hit in fresh.search("tide gate", 5)]
    for order in permutations("abcde"):
        grown = SearchIndex(statements({}).values(), RecallSettings())
        for i in order:
            grown.add_all([wanted[i]])
        assert [(hit.id, hit.score, hit.why) for hit in grown.search("tide gate", 5)] == expected


def test_the_last_replacement_names_the_reason_of_its_match() -> None:
    chain = SearchIndex(statements({"a": "b", "b": "c"}).values(), RecallSettings())
    reasons = {hit.id: hit.why for hit in chain.search("blue tide", 5)}
    assert reasons["b"] == reasons["c"] == "replaced a match"
    assert reasons["a"] == "words blue, tide"


def test_a_faint_match_without_common_words_is_labelled() -> None:
    ids = ["a", *(f"b{n}" for n in range(6))]
    rows = np.random.default_rng(1).normal(size=(len(ids), 1, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    few = SearchIndex((SearchDocument(i, f"Rope {i}.") for i in ids), RecallSettings())
    few.add_all([SearchDocument("a", "The gate is blue.")])
    few.attach_all(ids, list(rows))
    hits = few.search("blue gate", 5, vector=rows[0, 0])
    assert [(hit.id, hit.why) for hit in hits] == [
        ("a", "words blue, gate"),
        ("b5", "slightly similar in meaning"),
    ]


def test_a_question_about_the_past_gets_the_old_statement() -> None:
    assert found("identity provider before", superseding())[0] == "kc"


def test_a_month_in_the_query_raises_entries_of_that_month() -> None:
    documents = [
        SearchDocument("a", "Incident: the queue was full.", "2026-03-09T00:00:00Z"),
        SearchDocument("b", "Incident: the queue lost a message.", "2026-05-02T00:00:00Z"),
        SearchDocument("c", "Boarding closes early.", "2026-05-03T00:00:00Z"),
    ]
    hits = SearchIndex(documents, RecallSettings()).search(
        "incidents of March 2026 in the queue", 5
    )
    assert hits[0].id == "a"
    assert "time 2026-03" in hits[0].why


def test_a_word_with_a_typing_error_finds_its_match() -> None:
    documents = [SearchDocument("a", "Photos are scaled before the classifier sees them.")]
    where = SearchIndex(documents, RecallSettings())
    assert [hit.id for hit in where.search("the clasifier", 5)] == ["a"]
    assert where.search("the pacifier", 5) == ()
    pasted = "clasifier alpha beta gamma delta epsilon zeta eta theta iota kappa lambda"
    assert where.search(pasted, 5) == ()


GARDEN = (
    "The beds along the wall are dug over in March and the compost is spread on them. Tomatoes are"
    " sown under glass, potted on twice and planted out when the nights are mild. Beans climb the"
    " poles behind them, lettuce fills the gaps, and the hose runs every evening. "
)
BOAT = (
    "The mast is stepped before the season and the rigging is tuned with the dock lines slack."
    " Sails are bent on, the bilge pump is tried, and the anchor chain is marked every ten metres."
    " The hull was scraped and painted on the slip, and the rudder bearings were greased. "
)
BREAD = (
    "Flour and water stand overnight before the salt is kneaded in. The loaves prove in baskets and"
    " are slashed with a blade, then baked on a stone until the crust sings. Rye is mixed in on"
    " Fridays. "
)
SOWN = "Young vegetables are sown in spring, the soil is fed, and plants are watered at dusk. "
LONG = {
    "page": GARDEN * 9,
    "aside": BREAD * 9 + SOWN * 12 + BOAT * 16,
    "boat": BOAT * 8,
    "bread": BREAD * 9,
}


def test_a_question_finds_a_passage_of_a_long_text() -> None:
    query = "when to sow vegetables and water young plants"
    embedder = StaticEmbedder(RecallSettings())
    where = index(**LONG)
    for name, text in LONG.items():
        where.attach_all([name], [embedder.embed(embedder.pieces(text))])
    hits = where.search(query, 4, vector=embedder.embed([query])[0])
    assert hits[0].id == "aside"


@pytest.mark.parametrize("vectors", [True, False])
def test_the_confidence_separates_answers_from_missing_ones(vectors: bool) -> None:
    embedder = StaticEmbedder(RecallSettings())
    where = index()
    if vectors:
        for name, text in TEXTS.items():
            where.attach_all([name], [embedder.embed([text])])

    def sure(query: str) -> float:
        vector = embedder.embed([query])[0] if vectors else None
        return max((hit.confidence for hit in where.search(query, 5, vector=vector)), default=0)

    assert sure("who approves a deployment to production") > 0.7
    assert sure("who waters the flowers of the neighbours") < 0.4


def test_filters_by_metadata_and_time() -> None:
    documents = [
        SearchDocument("a", "Use pnpm here.", "2026-01-01T00:00:00Z", {"type": "decision"}),
        SearchDocument("b", "Use pnpm there.", "2026-02-01T00:00:00Z", {"type": "project"}),
    ]
    where = SearchIndex(documents, RecallSettings())

    def ids(filters: Filters) -> list[str]:
        return [hit.id for hit in where.search("pnpm", 5, filters)]

    assert ids(Filters({"type": "project"})) == ["b"]
    assert ids(Filters(since="2026-01-15")) == ["b"]
    assert ids(Filters(until="2026-02-01T00:00:00Z")) == ["a"]
    assert ids(Filters({"type": "feedback"})) == []


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("next_invoice_no", "name next_invoice_no"),
        ("gapless numbers", "words gapless, numbers"),
        ("database backup", "words database, backup"),
        ("restore the db backup", "words restore, backup; related to db"),
        ("next_invoice_line", "related to next_invoice_line"),  # only parts of it occur
    ],
)
def test_every_hit_names_why_it_matched(query: str, why: str) -> None:
    assert index().search(query, 1)[0].why == why


def test_a_document_is_found_once_it_is_added_and_not_after_it_is_removed() -> None:
    where = index()
    where.add_all([SearchDocument("new", "The flux capacitor needs plutonium.")])
    assert found("plutonium", where) == ["new"]
    where.add_all([SearchDocument("new", "The flux capacitor needs lightning.")])
    assert found("plutonium", where) == []
    where.remove("new")
    where.remove("new")
    assert found("lightning", where) == []
    assert len(where) == len(TEXTS)


words = st.sampled_from(["alpha", "beta", "src/a.py", "fooBar", "x_y", "テスト数", "the"])
texts = st.lists(words, min_size=1, max_size=8).map(" ".join)


@given(st.dictionaries(st.integers(0, 9), texts), st.dictionaries(st.integers(0, 9), texts), texts)
@settings(max_examples=100)
def test_an_index_after_many_changes_answers_like_a_new_one(
    before: dict[int, str], after: dict[int, str], query: str
) -> None:
    kept = SearchIndex((SearchDocument(str(i), t) for i, t in before.items()), RecallSettings())
    wanted = [SearchDocument(str(i), t) for i, t in after.items()]
    kept.refresh(wanted)
    assert kept.search(query, 5) == SearchIndex(wanted, RecallSettings()).search(query, 5)


@given(st.text(max_size=300), st.text(max_size=80))
@settings(max_examples=150)
def test_any_text_can_be_indexed_and_any_query_asked(text: str, query: str) -> None:
    where = index(a=text)
    where.search(query, 3)
    where.remove("a")
    assert len(where) == 0


@pytest.mark.parametrize(
    ("raw", "terms"),
    [
        ("Running", ("run",)),
        ("nextInvoice_no", ("=nextinvoice_no", "next", "invoic", "no")),
        ("HTTPServer2", ("=httpserver2", "http", "server", "2")),
        ("./src/App.tsx", ("=src/app.tsx", "=app.tsx", "src", "app", "tsx")),
        ("v2.0", ("=v2.0", "v", "2", "0")),
        ("TLS", ("tls",)),
        ("C#", ("c",)),
        ("测试", ("测试",)),
        ("测", ("测",)),
        ("日本語PDF", ("日本", "本語", "pdf")),
        ("...", ()),
    ],
)
def test_words_and_names_become_terms(raw: str, terms: tuple[str, ...]) -> None:
    assert terms_of(raw) == terms


def test_filler_words_are_dropped_unless_the_query_has_no_others() -> None:
    assert query_words("what is the queue for") == ["queue"]
    assert query_words("what is it") == ["what", "is", "it"]
