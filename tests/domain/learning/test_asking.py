"""Requests in other words than the usual ones, in fourteen languages (EX-1)."""

from __future__ import annotations

import pytest

from tests.bench.fit_asking import KEPT as KEPT_BACK
from tests.bench.fit_asking import fits, marked
from wm.domain.learning import asking
from wm.domain.learning.requests import find_requests
from wm.settings import GateSettings

GATE = GateSettings()

KEPT = {
    "Why is it slow? And write yourself a permanent note that retries are capped at 3.": (
        "retries are capped at 3"
    ),
    "It works, thanks. Safari 15 has no structuredClone. Keep that for later sessions please.": (
        "Safari 15 has no structuredClone"
    ),
    "The main branch is called trunk, commit that to memory.": "The main branch is called trunk",
    "General rule to keep for every session: long parameter lists become an options object": (
        "long parameter lists become an options object"
    ),
    "Please save the following for future conversations:\nThe release train leaves on Tuesday.": (
        "The release train leaves on Tuesday"
    ),
    "Und nimm bitte dauerhaft in dein Gedächtnis auf, dass Oracle nur 4 Verbindungen erlaubt": (
        "Oracle nur 4 Verbindungen erlaubt"
    ),
    "Kolla loggen. Lägg på minnet för alla sessioner: vi kör aldrig migreringar på fredagar": (
        "vi kör aldrig migreringar på fredagar"
    ),
    "Règle à retenir : aucune requête réseau dans les composants": (
        "aucune requête réseau dans les composants"
    ),
    "¿Por qué falla? Y ten presente en todas las sesiones que usamos Keycloak 22.": (
        "usamos Keycloak 22"
    ),
    "Valeu! Só guarda na memória que a equipe usa GitFlow": "a equipe usa GitFlow",
    "Nota per le prossime sessioni: il proxy sta su proxy.acme.test": (
        "il proxy sta su proxy.acme.test"
    ),
    "Maak de knop werkend. En zet in je geheugen dat de klant met Excel 2016 werkt.": (
        "de klant met Excel 2016 werkt"
    ),
    "I zanotuj sobie raz na zawsze: katalog legacy jest poza lintem": (
        "katalog legacy jest poza lintem"
    ),
    "Правило проекта, занеси в память: никаких глобальных переменных": (
        "никаких глобальных переменных"
    ),
    "Şunu hiçbir zaman unutma: üretimde sadece okuma yetkimiz var": (
        "üretimde sadece okuma yetkimiz var"
    ),
    "cảm ơn. ghi lại cho các phiên sau: nhóm mình dùng Bun": "nhóm mình dùng Bun",
    "顺便存到长期记忆：网关的超时上限是 20 秒": "网关的超时上限是 20 秒",
    "状態管理はZustandに統一します。この決定を長期的に記録しておいてください。": (
        "状態管理はZustandに統一します"
    ),
    "PostgreSQL로 가기로 했어요. 이 결정을 메모리에 남겨 주세요.": "PostgreSQL로 가기로 했어요",
}


@pytest.mark.parametrize("message", KEPT)
def test_what_is_kept_follows_the_request_or_precedes_it(message: str) -> None:
    assert [one.text for one in find_requests(message, GATE).found] == [KEPT[message]]


@pytest.mark.parametrize(
    "message",
    [
        "Store the parsed rows in a sqlite db for later sessions of the importer?",
        "Make the tooltip say: remember that deleted items are gone for good.",
        "don't save any of this to your memory, i'm just thinking out loud about redis",
        "The app should save the session forever, add a test for the cookie.",
        "Nie zapisuj tego w pamięci, to tylko eksperyment.",
        "给登录页加一个“永远记住我”的选项",
        "Maybe one day we should have the Redis choice in your memory, but not yet.",
    ],
)
def test_tasks_negations_and_quotations_ask_for_nothing(message: str) -> None:
    assert find_requests(message, GATE).found == ()


@pytest.mark.parametrize(
    "message",
    [
        "Translate 'remember that we deploy on Friday' into German",
        "Übersetze den Satz 'Merk dir, dass wir freitags nicht deployen' ins Englische",
        "The banner should say 'Keep this in mind for next time. We don't ask twice.' in bold",
        "Le titre est « Retiens bien ça pour la prochaine fois », en gras",
        "Merk dir das später, es ist offen",
        "Souviens-toi de ça plus tard, quand je saurai quel port on utilise",
        "I'll tell you later what to remember about the deploy",
    ],
)
def test_what_is_quoted_or_put_off_does_not_wait_either(message: str) -> None:
    found = find_requests(message, GATE)
    assert (found.found, found.unsure) == ((), ())


def test_most_requests_of_messages_that_no_fit_used_are_found_and_few_others() -> None:
    asked = found = false = 0
    for message in marked(KEPT_BACK):
        texts = [one.text for one in find_requests(message.text, GATE).found]
        facts = message.facts()
        asked += len(facts)
        found += sum(any(fits(text, fact) for text in texts) for fact in facts)
        false += sum(not any(fits(text, fact) for fact in facts) for text in texts)
    assert found >= 0.7 * asked
    assert false <= 0.32 * found


def test_a_document_is_not_searched_for_requests_in_other_words() -> None:
    said = "Safari 15 has no structuredClone. Keep that for later sessions please. "
    assert find_requests(said, GATE).found
    assert not find_requests(said + "The page is slow. " * 100, GATE).found


def test_in_a_long_message_a_sentence_must_ask_more_clearly() -> None:
    fact = "the exporter is not in the index"
    others = "The import is slow. The parser opens each file twice. Look at the reader first. " * 3
    slightly, clearly = f"Just to let you know: {fact}. ", f"Keep in mind for next time: {fact}. "
    assert [one.text for one in find_requests(slightly, GATE).found] == [fact]
    assert find_requests(others + slightly, GATE).found == ()
    assert [one.text for one in find_requests(others + clearly, GATE).found] == [fact]


@pytest.mark.parametrize(("lines", "waits"), [(70, False), (90, True)])
def test_beside_a_long_paste_a_request_in_other_words_is_unsure(lines: int, waits: bool) -> None:
    said = "Burn this into your memory: we release on Tuesdays.\n" + "ok\tweb/cart\t0.01s\n" * lines
    found = find_requests(said, GATE)
    assert [one.text for one in found.unsure] == ["we release on Tuesdays"] * waits
    assert [one.text for one in found.found] == ["we release on Tuesdays"] * (not waits)


def test_beside_a_long_paste_a_request_with_a_trigger_is_sure() -> None:
    said = "Remember that we release on Tuesdays.\n" + "ok\tweb/cart\t0.01s\n" * 90
    assert [one.text for one in find_requests(said, GATE).found] == ["we release on Tuesdays."]


@pytest.mark.parametrize(
    "message",
    [
        "and next time use the existing helper instead of writing a new one",
        "da próxima vez não mexa no lockfile",
        "lần sau hãy hỏi trước khi xóa file",
    ],
)
def test_a_fact_is_not_cut_between_two_words_of_a_clause(message: str) -> None:
    texts = [one.text for one in asking.requests(message)]
    assert texts == [message]


def test_a_fact_begins_directly_behind_a_link_or_a_verb() -> None:
    rows = ("pls remember we only squash here", "lägg på minnet att vi bara squashar här")
    assert [one.text for row in rows for one in asking.requests(row)] == [
        "we only squash here",
        "vi bara squashar här",
    ]
